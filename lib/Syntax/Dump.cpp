// Each line is `role: Kind line:column details`; what a node holds stands below it, two columns deeper.
#include "tlx/Syntax/Dump.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"

using namespace tlx;
using namespace tlx::ast;

namespace {
class Dumper {
public:
  Dumper(const SourceFile &file, llvm::raw_ostream &stream) : file(file), stream(stream) {}

  void statements(Body body) {
    for (const Stmt *statement : body)
      dumpStmt(*statement);
  }

  /// What is written below the current node while it lives.
  struct Deeper {
    explicit Deeper(Dumper &dumper) : dumper(dumper) { ++dumper.depth; }
    ~Deeper() { --dumper.depth; }
    Deeper(const Deeper &) = delete;
    Dumper &dumper;
  };

private:
  void line(StringRef role, StringRef kind, SourceRange range, const llvm::Twine &details = "") {
    LineAndColumn at = file.lineAndColumn(range.begin);
    stream.indent(2 * depth) << role << (role.empty() ? "" : ": ") << kind << ' ' << at.line << ':' << at.column;
    std::string text = details.str();
    stream << (text.empty() ? "" : " ") << text << '\n';
  }

  void group(StringRef role, Body body) {
    if (body.empty())
      return;
    stream.indent(2 * depth) << role << '\n';
    Deeper deeper(*this);
    statements(body);
  }

  void expr(StringRef role, const Expr *node) {
    if (!node)
      return;
    line(role, kindName(node->kind), node->range, details(*node));
    Deeper deeper(*this);
    dumpChildren(*node);
  }
  void exprs(StringRef role, ExprList nodes) {
    for (const Expr *node : nodes)
      expr(role, node);
  }

  void dumpStmt(const Stmt &node);
  void dumpStmtParts(const Stmt &node);
  void dumpSimpleParts(const Stmt &node);
  void dumpChildren(const Expr &node);
  void keywords(ArrayRef<KeywordArgument> keywords);
  void params(ArrayRef<Param> params);
  void imports(ArrayRef<ImportedName> names);
  void clauses(ArrayRef<ComprehensionClause> clauses);
  void parts(ArrayRef<FStringPart> parts);
  static std::string details(const Expr &node);
  static std::string details(const Stmt &node);

  const SourceFile &file;
  llvm::raw_ostream &stream;
  unsigned depth = 0;
};
} // namespace

static std::string quoted(StringRef text) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  stream << '"';
  for (char c : text) {
    if (c == '"' || c == '\\')
      stream << '\\' << c;
    else if (c == '\n')
      stream << "\\n";
    else if (llvm::isPrint(c) || !llvm::isASCII(c))
      stream << c;
    else
      stream << "\\x" << llvm::format_hex_no_prefix(static_cast<unsigned char>(c), 2);
  }
  stream << '"';
  return result;
}

static StringRef formName(ComprehensionForm form) {
  switch (form) {
  case ComprehensionForm::List:
    return "list";
  case ComprehensionForm::Set:
    return "set";
  case ComprehensionForm::Dict:
    return "dict";
  case ComprehensionForm::Generator:
    return "generator";
  }
  llvm_unreachable("a form outside the list");
}

static StringRef paramKindName(ParamKind kind) {
  switch (kind) {
  case ParamKind::PositionalOnly:
    return " positional-only";
  case ParamKind::Regular:
    return "";
  case ParamKind::VarArgs:
    return " *";
  case ParamKind::KeywordOnly:
    return " keyword-only";
  case ParamKind::VarKeywords:
    return " **";
  }
  llvm_unreachable("a kind outside the list");
}

std::string Dumper::details(const Expr &node) {
  return llvm::TypeSwitch<const Expr *, std::string>(&node)
      .Case<Name>([](auto *name) { return name->name.str(); })
      .Case<IntLiteral>(
          [](auto *literal) { return llvm::utostr(literal->value) + (literal->overflow ? " overflow" : ""); })
      .Case<FloatLiteral>([](auto *literal) { return literal->spelling.str(); })
      .Case<StringLiteral>([](auto *literal) { return (literal->isBytes ? "b" : "") + quoted(literal->value); })
      .Case<BoolLiteral>([](auto *literal) { return std::string(literal->value ? "True" : "False"); })
      .Case<Attribute>([](auto *attribute) { return attribute->name.str(); })
      .Case<Unary, Binary>([](auto *operation) { return spelling(operation->op).str(); })
      .Case<BoolOp>([](auto *operation) { return std::string(operation->isAnd ? "and" : "or"); })
      .Case<Compare>([](auto *compare) {
        return llvm::join(llvm::map_range(compare->ops, [](CompareOp op) { return spelling(op); }), ", ");
      })
      .Case<Comprehension>([](auto *comprehension) { return formName(comprehension->form).str(); })
      .Case<OpaqueExpr>([](auto *opaque) { return opaque->construct.str(); })
      .Default([](const Expr *) { return std::string(); });
}

void Dumper::keywords(ArrayRef<KeywordArgument> keywords) {
  for (const KeywordArgument &keyword : keywords)
    expr(keyword.name.empty() ? "**" : ("keyword " + keyword.name).str(), keyword.value);
}

void Dumper::params(ArrayRef<Param> params) {
  for (const Param &param : params) {
    line("", "param", param.range, param.name + paramKindName(param.kind));
    Deeper deeper(*this);
    expr("annotation", param.annotation);
    expr("default", param.defaultValue);
  }
}

void Dumper::imports(ArrayRef<ImportedName> names) {
  for (const ImportedName &name : names)
    line("", "name", name.range, name.path + (name.asName.empty() ? "" : " as ") + name.asName);
}

void Dumper::clauses(ArrayRef<ComprehensionClause> clauses) {
  for (const ComprehensionClause &clause : clauses) {
    line("", clause.isAsync ? "async for" : "for", clause.target->range);
    Deeper deeper(*this);
    expr("target", clause.target);
    expr("in", clause.iterable);
    exprs("if", clause.conditions);
  }
}

void Dumper::parts(ArrayRef<FStringPart> parts) {
  for (const FStringPart &part : parts) {
    if (!part.value) {
      line("", "text", part.range, quoted(part.text));
      continue;
    }
    std::string conversion = part.conversion ? std::string("!") + part.conversion : "";
    line("", "field", part.range, part.isDebug ? quoted(part.text) + conversion : conversion);
    Deeper deeper(*this);
    expr("value", part.value);
    expr("format", part.format);
  }
}

void Dumper::dumpChildren(const Expr &node) {
  llvm::TypeSwitch<const Expr *>(&node)
      .Case<FString>([&](auto *string) { parts(string->parts); })
      .Case<Tuple, List, Set>([&](auto *list) { exprs("", list->elements); })
      .Case<Dict>([&](auto *dict) {
        for (const DictItem &item : dict->items) {
          expr("key", item.key);
          expr(item.key ? "value" : "**", item.value);
        }
      })
      .Case<Attribute>([&](auto *attribute) { expr("", attribute->base); })
      .Case<Subscript>([&](auto *subscript) {
        expr("", subscript->base);
        expr("index", subscript->index);
      })
      .Case<Slice>([&](auto *slice) {
        expr("lower", slice->lower);
        expr("upper", slice->upper);
        expr("step", slice->step);
      })
      .Case<Call>([&](auto *call) {
        expr("callee", call->callee);
        exprs("", call->arguments);
        keywords(call->keywords);
      })
      .Case<Unary>([&](auto *unary) { expr("", unary->operand); })
      .Case<Binary>([&](auto *binary) {
        expr("", binary->left);
        expr("", binary->right);
      })
      .Case<BoolOp, Compare>([&](auto *operation) { exprs("", operation->operands); })
      .Case<Conditional>([&](auto *conditional) {
        expr("if", conditional->condition);
        expr("then", conditional->thenValue);
        expr("else", conditional->elseValue);
      })
      .Case<Lambda>([&](auto *lambda) {
        params(lambda->params);
        expr("body", lambda->body);
      })
      .Case<Comprehension>([&](auto *comprehension) {
        expr(comprehension->dictValue ? "key" : "", comprehension->element);
        expr("value", comprehension->dictValue);
        clauses(comprehension->clauses);
      })
      .Case<Starred>([&](auto *starred) { expr("", starred->value); })
      .Case<Walrus>([&](auto *walrus) {
        expr("target", walrus->target);
        expr("value", walrus->value);
      })
      .Default([](const Expr *) {});
}

std::string Dumper::details(const Stmt &node) {
  return llvm::TypeSwitch<const Stmt *, std::string>(&node)
      .Case<FunctionDef>([](auto *function) { return (function->isAsync ? "async " : "") + function->name.str(); })
      .Case<ClassDef>([](auto *definition) { return definition->name.str(); })
      .Case<ImportFrom>([](auto *import) { return std::string(import->level, '.') + import->module.str(); })
      .Case<AugmentedAssign>([](auto *assign) { return spelling(assign->op).str() + "="; })
      .Case<For, With>([](auto *statement) { return std::string(statement->isAsync ? "async" : ""); })
      .Case<OpaqueStmt>([](auto *opaque) { return opaque->construct.str(); })
      .Default([](const Stmt *) { return std::string(); });
}

void Dumper::dumpStmt(const Stmt &node) {
  line("", kindName(node.kind), node.range, details(node));
  Deeper deeper(*this);
  dumpStmtParts(node);
}

void Dumper::dumpStmtParts(const Stmt &node) {
  llvm::TypeSwitch<const Stmt *>(&node)
      .Case<FunctionDef>([&](auto *function) {
        exprs("decorator", function->decorators);
        params(function->params);
        expr("returns", function->returnAnnotation);
        group("body", function->body);
      })
      .Case<ClassDef>([&](auto *definition) {
        exprs("decorator", definition->decorators);
        exprs("base", definition->bases);
        keywords(definition->keywords);
        group("body", definition->body);
      })
      .Case<If>([&](auto *branch) {
        expr("condition", branch->condition);
        group("then", branch->thenBody);
        group("else", branch->elseBody);
      })
      .Case<For>([&](auto *loop) {
        expr("target", loop->target);
        expr("in", loop->iterable);
        group("body", loop->body);
        group("else", loop->elseBody);
      })
      .Case<While>([&](auto *loop) {
        expr("condition", loop->condition);
        group("body", loop->body);
        group("else", loop->elseBody);
      })
      .Case<With>([&](auto *with) {
        for (const WithItem &item : with->items) {
          expr("item", item.value);
          expr("as", item.target);
        }
        group("body", with->body);
      })
      .Case<OpaqueStmt>([&](auto *opaque) { statements(opaque->body); })
      .Default([&](const Stmt *simple) { dumpSimpleParts(*simple); });
}

void Dumper::dumpSimpleParts(const Stmt &node) {
  llvm::TypeSwitch<const Stmt *>(&node)
      .Case<Import, ImportFrom>([&](auto *import) { imports(import->names); })
      .Case<Assign>([&](auto *assign) {
        exprs("target", assign->targets);
        expr("value", assign->value);
      })
      .Case<AnnotatedAssign>([&](auto *assign) {
        expr("target", assign->target);
        expr("annotation", assign->annotation);
        expr("value", assign->value);
      })
      .Case<AugmentedAssign>([&](auto *assign) {
        expr("target", assign->target);
        expr("value", assign->value);
      })
      .Case<ExprStmt, Return>([&](auto *statement) { expr("", statement->value); })
      .Case<Assert>([&](auto *assertion) {
        expr("condition", assertion->condition);
        expr("message", assertion->message);
      })
      .Default([](const Stmt *) {});
}

void ast::dump(const Module &module, llvm::raw_ostream &stream) {
  Dumper dumper(*module.file, stream);
  stream << "Module\n";
  Dumper::Deeper deeper(dumper);
  dumper.statements(module.body);
}
