// The syntax tree of a module. Nodes are plain immutable data in the arena of the ast::Context that parsed them: no
// destructors, children by pointer, lists as ArrayRef, text as StringRef into the arena or the source.
// Use llvm::isa, cast and dyn_cast on Expr and Stmt.
#ifndef TLX_SYNTAX_AST_H
#define TLX_SYNTAX_AST_H

#include "tlx/Source/SourceFile.h"
#include "tlx/Syntax/Operators.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"
#include <cstdint>

namespace tlx::ast {

using llvm::ArrayRef;
using llvm::StringRef;

enum class Kind {
#define TLX_EXPR(NAME) NAME,
#include "tlx/Syntax/ASTNodes.def"
  // Statements number on from expressions, so that one comparison tells them apart.
  FirstStmt,
  BeforeFirstStmt = FirstStmt - 1,
#define TLX_STMT(NAME) NAME,
#include "tlx/Syntax/ASTNodes.def"
};

/// The name of a node kind, as the dump writes it.
StringRef kindName(Kind kind);

struct Node {
  Kind kind;
  SourceRange range;
};

struct Expr : Node {
  static bool classof(const Node *node) { return node->kind < Kind::FirstStmt; }
};
struct Stmt : Node {
  static bool classof(const Node *node) { return node->kind >= Kind::FirstStmt; }
};

using ExprList = ArrayRef<const Expr *>;
using Body = ArrayRef<const Stmt *>;

/// Gives a node its kind and its classof.
template <Kind K, typename Base> struct NodeOf : Base {
  static constexpr Kind nodeKind = K;
  static bool classof(const Node *node) { return node->kind == K; }
};
template <Kind K> using ExprOf = NodeOf<K, Expr>;
template <Kind K> using StmtOf = NodeOf<K, Stmt>;

//===-- Expressions ------------------------------------------------------===//

struct Name : ExprOf<Kind::Name> {
  StringRef name;
};

struct IntLiteral : ExprOf<Kind::IntLiteral> {
  /// The low 64 bits when it does not fit.
  uint64_t value;
  bool overflow;
  StringRef spelling;
};

struct FloatLiteral : ExprOf<Kind::FloatLiteral> {
  double value;
  StringRef spelling;
};

/// Adjacent literals are one node. `value` has its escapes resolved.
struct StringLiteral : ExprOf<Kind::StringLiteral> {
  StringRef value;
  bool isBytes;
};

struct FString;
/// Either literal text (value is null) or `{value!conversion:format}`.
struct FStringPart {
  SourceRange range;
  StringRef text;
  const Expr *value;
  /// 'r', 's', 'a', or 0 for none.
  char conversion;
  /// `{value=}`: `text` holds what is printed before the value.
  bool isDebug;
  /// Null when there is no format.
  const FString *format;
};
struct FString : ExprOf<Kind::FString> {
  ArrayRef<FStringPart> parts;
};

struct BoolLiteral : ExprOf<Kind::BoolLiteral> {
  bool value;
};
struct NoneLiteral : ExprOf<Kind::NoneLiteral> {};
struct EllipsisLiteral : ExprOf<Kind::EllipsisLiteral> {};

struct Tuple : ExprOf<Kind::Tuple> {
  ExprList elements;
};
struct List : ExprOf<Kind::List> {
  ExprList elements;
};
struct Set : ExprOf<Kind::Set> {
  ExprList elements;
};

struct DictItem {
  /// Null for `**value`.
  const Expr *key;
  const Expr *value;
};
struct Dict : ExprOf<Kind::Dict> {
  ArrayRef<DictItem> items;
};

struct Attribute : ExprOf<Kind::Attribute> {
  const Expr *base;
  StringRef name;
  SourceRange nameRange;
};

/// `base[index]`; several indices are a Tuple, and each may be a Slice.
struct Subscript : ExprOf<Kind::Subscript> {
  const Expr *base;
  const Expr *index;
};

/// `lower:upper:step`, each null when left out.
struct Slice : ExprOf<Kind::Slice> {
  const Expr *lower;
  const Expr *upper;
  const Expr *step;
};

struct KeywordArgument {
  SourceRange nameRange;
  /// Empty for `**value`.
  StringRef name;
  const Expr *value;
};
struct Call : ExprOf<Kind::Call> {
  const Expr *callee;
  /// `*value` is a Starred.
  ExprList arguments;
  ArrayRef<KeywordArgument> keywords;
};

struct Unary : ExprOf<Kind::Unary> {
  UnaryOp op;
  const Expr *operand;
};
struct Binary : ExprOf<Kind::Binary> {
  BinaryOp op;
  SourceRange opRange;
  const Expr *left;
  const Expr *right;
};
/// `a and b and c` or `a or b or c`: two or more operands.
struct BoolOp : ExprOf<Kind::BoolOp> {
  bool isAnd;
  ExprList operands;
};
/// `a < b <= c`: one operand more than operators.
struct Compare : ExprOf<Kind::Compare> {
  ArrayRef<CompareOp> ops;
  ExprList operands;
};
/// `thenValue if condition else elseValue`
struct Conditional : ExprOf<Kind::Conditional> {
  const Expr *condition;
  const Expr *thenValue;
  const Expr *elseValue;
};

enum class ParamKind { PositionalOnly, Regular, VarArgs, KeywordOnly, VarKeywords };
struct Param {
  SourceRange range;
  SourceRange nameRange;
  StringRef name;
  ParamKind kind;
  /// Null when left out.
  const Expr *annotation;
  const Expr *defaultValue;
};

struct Lambda : ExprOf<Kind::Lambda> {
  ArrayRef<Param> params;
  const Expr *body;
};

/// `for target in iterable if condition...`
struct ComprehensionClause {
  const Expr *target;
  const Expr *iterable;
  ExprList conditions;
  bool isAsync;
};
enum class ComprehensionForm { List, Set, Dict, Generator };
struct Comprehension : ExprOf<Kind::Comprehension> {
  ComprehensionForm form;
  /// The key when the form is Dict.
  const Expr *element;
  /// The value when the form is Dict, else null.
  const Expr *dictValue;
  ArrayRef<ComprehensionClause> clauses;
};

struct Starred : ExprOf<Kind::Starred> {
  const Expr *value;
};
struct Walrus : ExprOf<Kind::Walrus> {
  const Name *target;
  const Expr *value;
};

/// Something a kernel has no use for: `construct` says which ("await", "yield", "imaginary number").
struct OpaqueExpr : ExprOf<Kind::OpaqueExpr> {
  StringRef construct;
};

//===-- Statements -------------------------------------------------------===//

struct FunctionDef : StmtOf<Kind::FunctionDef> {
  StringRef name;
  SourceRange nameRange;
  ExprList decorators;
  ArrayRef<Param> params;
  /// Null when left out.
  const Expr *returnAnnotation;
  Body body;
  bool isAsync;
};

struct ClassDef : StmtOf<Kind::ClassDef> {
  StringRef name;
  SourceRange nameRange;
  ExprList decorators;
  ExprList bases;
  ArrayRef<KeywordArgument> keywords;
  Body body;
};

/// `path as asName`; asName is empty when left out, path is dotted or `*`.
struct ImportedName {
  SourceRange range;
  StringRef path;
  StringRef asName;
};
struct Import : StmtOf<Kind::Import> {
  ArrayRef<ImportedName> names;
};
struct ImportFrom : StmtOf<Kind::ImportFrom> {
  /// Leading dots are counted in `level`; empty for `from . import x`.
  StringRef module;
  unsigned level;
  ArrayRef<ImportedName> names;
};

/// `targets[0] = targets[1] = value`
struct Assign : StmtOf<Kind::Assign> {
  ExprList targets;
  const Expr *value;
};
struct AnnotatedAssign : StmtOf<Kind::AnnotatedAssign> {
  const Expr *target;
  const Expr *annotation;
  /// Null for a bare declaration.
  const Expr *value;
};
struct AugmentedAssign : StmtOf<Kind::AugmentedAssign> {
  BinaryOp op;
  const Expr *target;
  const Expr *value;
};
struct ExprStmt : StmtOf<Kind::ExprStmt> {
  const Expr *value;
};

/// An `elif` is an If that is the only statement of `elseBody`.
struct If : StmtOf<Kind::If> {
  const Expr *condition;
  Body thenBody;
  Body elseBody;
};
struct For : StmtOf<Kind::For> {
  const Expr *target;
  const Expr *iterable;
  Body body;
  Body elseBody;
  bool isAsync;
};
struct While : StmtOf<Kind::While> {
  const Expr *condition;
  Body body;
  Body elseBody;
};

struct WithItem {
  const Expr *value;
  /// Null when there is no `as`.
  const Expr *target;
};
struct With : StmtOf<Kind::With> {
  ArrayRef<WithItem> items;
  Body body;
  bool isAsync;
};

struct Return : StmtOf<Kind::Return> {
  /// Null for a bare return.
  const Expr *value;
};
struct Pass : StmtOf<Kind::Pass> {};
struct Break : StmtOf<Kind::Break> {};
struct Continue : StmtOf<Kind::Continue> {};
struct Assert : StmtOf<Kind::Assert> {
  const Expr *condition;
  /// Null when left out.
  const Expr *message;
};

/// A statement that host code may hold and a kernel may not. `construct` is its keyword ("try", "raise", "del",
/// "global", "nonlocal", "match"), or empty for host code that could not be parsed. `body` holds the statements of all
/// its blocks, so that what is defined inside them can be found.
struct OpaqueStmt : StmtOf<Kind::OpaqueStmt> {
  StringRef construct;
  Body body;
};

struct Module;
/// A module that an `import` names, and that was found: its dotted path with the leading dots of a relative one.
struct ImportedModule {
  StringRef path;
  const Module *module;
};

struct Module {
  const SourceFile *file;
  Body body;
  ArrayRef<ImportedModule> imports;
};

} // namespace tlx::ast

#endif
