// The recursive-descent parser, split over several files: Parser.cpp (tokens, mistakes, recovery), ParseStatements.cpp,
// ParseCompound.cpp, ParseDefinitions.cpp, ParseExpressions.cpp, ParsePrimary.cpp and ParseStrings.cpp.
//
// A parse function returns null (or nullopt, or false) when it has reported a mistake; callers pass that on up to the
// statement, which recovers. So there is one report for each broken statement.
#ifndef TLX_LIB_SYNTAX_PARSING_H
#define TLX_LIB_SYNTAX_PARSING_H

#include "Lexer.h"
#include "tlx/Syntax/AST.h"
#include "tlx/Syntax/Context.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tlx::ast {

class Parsing {
public:
  Parsing(const SourceFile &file, Context &context, diag::Sink &sink);
  const Module *parseModule();

private:
  using Exprs = llvm::SmallVector<const Expr *, 8>;
  using Statements = llvm::SmallVector<const Stmt *, 16>;
  using Keywords = llvm::SmallVector<KeywordArgument, 4>;
  using Params = llvm::SmallVector<Param, 8>;

  // Tokens.
  const Token &peek();
  Token take();
  bool is(TokenKind kind) const { return token.kind == kind; }
  bool takeIf(TokenKind kind);
  SourceRange rangeOf(const Token &token) const { return {file.id(), token.begin, token.end}; }
  SourceRange rangeFrom(uint32_t begin) const { return {file.id(), begin, std::max(begin, lastEnd)}; }
  StringRef textOf(const Token &token) const { return file.text().slice(token.begin, token.end); }

  // Mistakes.
  bool isReported() const { return !isLenient || kernelDepth != 0; }
  void report(diag::Kind kind, SourceRange range, const llvm::Twine &message, SourceRange noteRange = {},
              const llvm::Twine &note = "");
  /// Reports the current token, which is not what the grammar wants: "found X, expected Y".
  std::nullptr_t unexpected(diag::Kind kind, const llvm::Twine &expectation);
  std::string found() const;
  bool expect(TokenKind kind, const llvm::Twine &where);
  /// Takes an opening bracket and remembers it until expectClosing.
  void takeOpening();
  /// `alternative` names what else could stand there: "`,` or ".
  bool expectClosing(TokenKind kind, const llvm::Twine &alternative);
  std::optional<Token> expectName(const llvm::Twine &what);
  void reportRestOfLine(uint32_t begin);
  bool isPastOpenBracket() const;
  void recover(uint32_t begin, uint32_t indentation);
  void restartAtLineOf(uint32_t offset);

  /// Counts nesting while it lives.
  class Nesting {
  public:
    explicit Nesting(Parsing &parsing) : parsing(parsing) { ++parsing.nesting; }
    ~Nesting() { --parsing.nesting; }
    Nesting(const Nesting &) = delete;
    Nesting &operator=(const Nesting &) = delete;
    /// Reports when the nesting is too deep.
    bool isTooDeep();

  private:
    Parsing &parsing;
  };

  /// Where parsing stands, to come back to after trying a reading.
  struct Position {
    Lexer lexer;
    Token token;
    std::optional<Token> ahead;
    uint32_t lastEnd;
    Token lineStart;
    uint32_t lineIndentation;
    llvm::SmallVector<Token, 16> openBrackets;
  };
  Position position() const { return {lexer, token, ahead, lastEnd, lineStart, lineIndentation, openBrackets}; }
  void goTo(const Position &position);

  // Nodes.
  template <typename T> static T start() {
    T node{};
    node.kind = T::nodeKind;
    return node;
  }
  template <typename T> const Stmt *finish(T node, uint32_t begin) {
    node.range = rangeFrom(begin);
    return context.make(node);
  }
  /// Puts an expression into the arena; null, with a report, when the tree would get too deep to walk.
  template <typename T> const Expr *finishExpr(T node, uint32_t begin) {
    node.range = rangeFrom(begin);
    return checkHeight(context.make(node));
  }
  const Expr *checkHeight(const Expr *expr);
  template <typename List> auto copy(const List &list) { return context.copy(llvm::ArrayRef(list)); }

  // Statements.
  void parseStatement(Statements &statements);
  const Stmt *parseCompoundStatement();
  bool parseSimpleStatements(Statements &statements);
  const Stmt *parseSimpleStatement();
  const Stmt *parseExpressionStatement();
  const Stmt *parseAnnotated(uint32_t begin, const Expr *target);
  const Stmt *parseAugmented(uint32_t begin, const Expr *target, BinaryOp op);
  const Stmt *parseAssign(uint32_t begin, const Expr *first);
  const Stmt *parseImport();
  const Stmt *parseImportFrom();
  std::optional<StringRef> parseDottedName();
  std::optional<ImportedName> parseImportedName(bool isDotted);
  bool parseImportedNames(llvm::SmallVectorImpl<ImportedName> &names);
  const Stmt *parseReturn();
  const Stmt *parseAssert();
  const Stmt *parseOpaqueSimple();
  bool checkTarget(const Expr *target);

  // Compound statements.
  bool startsCompoundStatement();
  bool startsMatch();
  bool parseBlock(const llvm::Twine &header, SourceRange headerRange, Statements &statements);
  void parseBlockBody(Statements &statements);
  bool parseElse(Statements &statements);
  const Stmt *parseIf();
  const Stmt *parseFor(uint32_t begin, bool isAsync);
  const Stmt *parseWhile();
  const Stmt *parseWith(uint32_t begin, bool isAsync);
  bool parseWithItems(llvm::SmallVectorImpl<WithItem> &items);
  bool parseWithItem(llvm::SmallVectorImpl<WithItem> &items);
  bool tryBracketedWithItems(llvm::SmallVectorImpl<WithItem> &items);
  bool parseExceptHeader();
  const Stmt *parseTry();
  const Stmt *parseMatch();
  const Stmt *parseAsync();

  // Definitions.
  const Stmt *parseDecorated();
  const Stmt *parseFunction(uint32_t begin, ExprList decorators, bool isAsync);
  const Stmt *parseClass(uint32_t begin, ExprList decorators);
  bool parseParams(TokenKind closing, bool hasAnnotations, Params &params);
  bool parseParam(bool hasAnnotations, bool &isKeywordOnly, Params &params);
  bool parseParamMarker(bool &isKeywordOnly, Params &params);
  bool checkParam(const Param &param, bool isKeywordOnly, const Params &params);

  // Expressions, from the loosest binding to the tightest.
  const Expr *parseExpressions(bool isYieldAllowed);
  const Expr *parseStarredOrNamed();
  const Expr *parseNamedExpression();
  const Expr *parseExpression();
  const Expr *parseLambda();
  const Expr *parseOr();
  const Expr *parseBoolOp(bool isAnd);
  const Expr *parseNot();
  const Expr *parseCompare();
  std::optional<CompareOp> takeCompareOp();
  const Expr *parseBinary(unsigned minimumPrecedence);
  const Expr *parseUnary();
  const Expr *parsePower();
  const Expr *parseTargets();
  const Expr *parseYield();

  // Operands.
  const Expr *parsePostfix();
  const Expr *parseAttribute(uint32_t begin, const Expr *base);
  const Expr *parseAtom();
  const Expr *parseNumber();
  const Expr *parseParenthesized();
  const Expr *parseListDisplay();
  const Expr *parseBraces();
  const Expr *parseDictRest(uint32_t begin, const Expr *firstKey);
  std::optional<DictItem> parseDictItem(const Expr *key);
  bool parseElements(TokenKind closing, Exprs &elements);
  const Expr *parseComprehension(uint32_t begin, ComprehensionForm form, const Expr *element, const Expr *dictValue,
                                 TokenKind closing);
  bool parseClauses(llvm::SmallVectorImpl<ComprehensionClause> &clauses);
  const Expr *parseCall(uint32_t begin, const Expr *callee);
  bool parseArguments(Exprs &arguments, Keywords &keywords);
  bool parseArgument(Exprs &arguments, Keywords &keywords);
  const Expr *parseArgumentValue();
  const Expr *parseSubscript(uint32_t begin, const Expr *base);
  const Expr *parseIndex();
  bool startsComprehension();

  // Strings.
  const Expr *parseStrings();
  bool decodeInto(uint32_t begin, uint32_t end, bool isRaw, bool isBytes, std::string &decoded);
  bool parseFormatted(uint32_t &cursor, uint32_t end, bool isRaw, bool isFormat,
                      llvm::SmallVectorImpl<FStringPart> &parts);
  bool parseField(uint32_t &cursor, uint32_t end, bool isRaw, llvm::SmallVectorImpl<FStringPart> &parts);
  const Expr *parseFieldValue(uint32_t &cursor, uint32_t end);
  bool parseFormat(uint32_t &cursor, uint32_t end, bool isRaw, FStringPart &part);
  void addText(uint32_t begin, uint32_t end, StringRef text, llvm::SmallVectorImpl<FStringPart> &parts);

  const SourceFile &file;
  Context &context;
  diag::Sink &sink;
  Lexer lexer;
  Token token;
  std::optional<Token> ahead;
  /// Where the last token taken ended.
  uint32_t lastEnd = 0;
  /// Of the line that the current token stands on: its first token and its indentation.
  Token lineStart;
  uint32_t lineIndentation = 0;
  /// Of the first line of the current statement.
  uint32_t statementIndentation = 0;
  llvm::SmallVector<Token, 16> openBrackets;
  unsigned nesting = 0;
  unsigned kernelDepth = 0;
  /// Mistakes outside kernels are passed over.
  bool isLenient;
  /// While trying one of two readings.
  bool isSilent = false;
  /// Inside a replacement field of an f-string.
  bool isInField = false;
  /// How many expressions lie on the longest way down from each one of the current statement.
  llvm::DenseMap<const Expr *, unsigned> heights;
};

/// Whether an expression can begin with such a token.
bool startsExpression(TokenKind kind);

} // namespace tlx::ast

#endif
