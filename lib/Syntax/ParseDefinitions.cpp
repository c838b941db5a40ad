// Functions, their parameters, and classes.
#include "Parsing.h"
#include "tlx/Syntax/Kernels.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tlx;
using namespace tlx::ast;

const Stmt *Parsing::parseDecorated() {
  uint32_t begin = token.begin;
  Exprs decorators;
  {
    // Most likely a kernel's: a broken decorator must not go by in silence, in host code either.
    llvm::SaveAndRestore<unsigned> kernel(kernelDepth, kernelDepth + 1);
    while (takeIf(TokenKind::At)) {
      decorators.push_back(parseNamedExpression());
      if (!decorators.back() || !expect(TokenKind::Newline, "after the decorator"))
        return nullptr;
    }
    if (!is(TokenKind::KwDef) && !is(TokenKind::KwClass) && !is(TokenKind::KwAsync)) {
      unexpected(diag::Kind::ExpectedToken, "`def` or `class` after the decorator");
      return nullptr;
    }
  }
  if (is(TokenKind::KwClass))
    return parseClass(begin, copy(decorators));
  bool isAsync = takeIf(TokenKind::KwAsync);
  bool isMarked = llvm::any_of(decorators, [](const Expr *decorator) { return marksJit(*decorator); });
  llvm::SaveAndRestore<unsigned> kernel(kernelDepth, kernelDepth + isMarked);
  if (!is(TokenKind::KwDef)) {
    unexpected(diag::Kind::ExpectedToken, "`def` after `async`");
    return nullptr;
  }
  return parseFunction(begin, copy(decorators), isAsync);
}

const Stmt *Parsing::parseFunction(uint32_t begin, ExprList decorators, bool isAsync) {
  Token keyword = take();
  std::optional<Token> name = expectName("the function's name after `def`");
  if (!name)
    return nullptr;
  auto node = start<FunctionDef>();
  node.name = textOf(*name);
  node.nameRange = rangeOf(*name);
  node.decorators = decorators;
  node.isAsync = isAsync;
  if (!is(TokenKind::LeftParen)) {
    unexpected(diag::Kind::ExpectedToken, "`(` after the function's name");
    return nullptr;
  }
  takeOpening();
  Params params;
  if (!parseParams(TokenKind::RightParen, /*hasAnnotations=*/true, params) ||
      !expectClosing(TokenKind::RightParen, "`,` or "))
    return nullptr;
  if (takeIf(TokenKind::Arrow)) {
    node.returnAnnotation = parseExpression();
    if (!node.returnAnnotation)
      return nullptr;
  }
  Statements body;
  if (!parseBlock("the function's header", SourceRange{file.id(), keyword.begin, name->end}, body))
    return nullptr;
  node.params = copy(params);
  node.body = copy(body);
  return finish(node, begin);
}

const Stmt *Parsing::parseClass(uint32_t begin, ExprList decorators) {
  Token keyword = take();
  std::optional<Token> name = expectName("the class's name after `class`");
  if (!name)
    return nullptr;
  auto node = start<ClassDef>();
  node.name = textOf(*name);
  node.nameRange = rangeOf(*name);
  node.decorators = decorators;
  Exprs bases;
  Keywords keywords;
  if (is(TokenKind::LeftParen) && !parseArguments(bases, keywords))
    return nullptr;
  Statements body;
  if (!parseBlock("the class's header", SourceRange{file.id(), keyword.begin, name->end}, body))
    return nullptr;
  node.bases = copy(bases);
  node.keywords = copy(keywords);
  node.body = copy(body);
  return finish(node, begin);
}

//===-- Parameters -------------------------------------------------------===//

/// Up to, not including, `closing`.
bool Parsing::parseParams(TokenKind closing, bool hasAnnotations, Params &params) {
  bool isKeywordOnly = false;
  while (!is(closing)) {
    bool isSlash = is(TokenKind::Slash);
    bool isBareStar = is(TokenKind::Star) && (peek().is(TokenKind::Comma) || peek().is(closing));
    bool isParsed = isSlash || isBareStar ? parseParamMarker(isKeywordOnly, params)
                                          : parseParam(hasAnnotations, isKeywordOnly, params);
    if (!isParsed)
      return false;
    if (!takeIf(TokenKind::Comma))
      return true;
  }
  return true;
}

/// `/` makes the parameters before it positional-only, a bare `*` those after it keyword-only.
bool Parsing::parseParamMarker(bool &isKeywordOnly, Params &params) {
  Token marker = take();
  if (marker.is(TokenKind::Star)) {
    if (isKeywordOnly)
      report(diag::Kind::ParameterOrder, rangeOf(marker), "a second `*` among the parameters");
    else if (!is(TokenKind::Comma) || !(peek().is(TokenKind::Identifier) || peek().is(TokenKind::StarStar)))
      report(diag::Kind::ParameterOrder, rangeOf(marker), "no keyword-only parameter follows this `*`");
    else
      return isKeywordOnly = true;
    return false;
  }
  if (params.empty() || isKeywordOnly || params.front().kind == ParamKind::PositionalOnly) {
    report(diag::Kind::ParameterOrder, rangeOf(marker), "`/` stands once, after a positional parameter");
    return false;
  }
  for (Param &param : params)
    param.kind = ParamKind::PositionalOnly;
  return true;
}

bool Parsing::parseParam(bool hasAnnotations, bool &isKeywordOnly, Params &params) {
  uint32_t begin = token.begin;
  Param param = {};
  param.kind = takeIf(TokenKind::Star)       ? ParamKind::VarArgs
               : takeIf(TokenKind::StarStar) ? ParamKind::VarKeywords
               : isKeywordOnly               ? ParamKind::KeywordOnly
                                             : ParamKind::Regular;
  std::optional<Token> name = expectName("a parameter");
  if (!name)
    return false;
  param.name = textOf(*name);
  param.nameRange = rangeOf(*name);
  if (hasAnnotations && takeIf(TokenKind::Colon)) {
    param.annotation = param.kind == ParamKind::VarArgs ? parseStarredOrNamed() : parseExpression();
    if (!param.annotation)
      return false;
  }
  bool takesDefault = param.kind == ParamKind::Regular || param.kind == ParamKind::KeywordOnly;
  if (takesDefault && takeIf(TokenKind::Equal)) {
    param.defaultValue = parseExpression();
    if (!param.defaultValue)
      return false;
  }
  param.range = rangeFrom(begin);
  if (!checkParam(param, isKeywordOnly, params))
    return false;
  isKeywordOnly |= param.kind == ParamKind::VarArgs;
  params.push_back(param);
  return true;
}

bool Parsing::checkParam(const Param &param, bool isKeywordOnly, const Params &params) {
  for (const Param &earlier : params)
    if (earlier.name == param.name) {
      report(diag::Kind::DuplicateName, param.nameRange, "a second parameter is named `" + param.name + "`",
             earlier.nameRange, "the first is here");
      return false;
    }
  if (params.empty())
    return true;
  const Param &previous = params.back();
  if (previous.kind == ParamKind::VarKeywords) {
    report(diag::Kind::ParameterOrder, param.nameRange, "`" + param.name + "` follows `**" + previous.name + "`",
           previous.range, "this comes last");
    return false;
  }
  if (param.kind == ParamKind::VarArgs && isKeywordOnly) {
    report(diag::Kind::ParameterOrder, param.range, "a second `*` among the parameters");
    return false;
  }
  if (param.kind == ParamKind::Regular && !param.defaultValue && previous.defaultValue) {
    report(diag::Kind::ParameterOrder, param.nameRange,
           "`" + param.name + "` has no default and follows a parameter with one", previous.range,
           "this one has a default");
    return false;
  }
  return true;
}
