// tlxc lsp: the Language Server Protocol over standard input and output. Documents do the work; this file knows
// messages.
#include "Commands.h"
#include "Document.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"
#include <iostream>

using namespace tlx;
namespace json = llvm::json;

/// LSP counts UTF-16 units of a line, we count bytes of the file.
static json::Object position(const SourceFile &file, uint32_t offset) {
  LineAndColumn at = file.lineAndColumn(offset);
  llvm::StringRef before = file.line(at.line).take_front(at.column - 1);
  llvm::SmallVector<llvm::UTF16> units;
  bool isText = llvm::convertUTF8ToUTF16String(before, units);
  return json::Object{{"line", at.line - 1}, {"character", isText ? units.size() : before.size()}};
}

static uint32_t offsetOf(const SourceFile &file, const json::Object &position) {
  auto line = position.getInteger("line").value_or(0);
  auto character = position.getInteger("character").value_or(0);
  llvm::ArrayRef<uint32_t> starts = file.lineStarts();
  if (line < 0 || static_cast<size_t>(line) >= starts.size())
    return file.text().size();
  llvm::StringRef text = file.line(static_cast<unsigned>(line) + 1);
  size_t at = 0;
  for (int64_t units = 0; at < text.size() && units < character;) {
    auto lead = static_cast<unsigned char>(text[at]);
    size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    units += length == 4 ? 2 : 1;
    at = std::min(at + length, text.size());
  }
  return starts[static_cast<size_t>(line)] + static_cast<uint32_t>(at);
}

static json::Object rangeOf(const SourceManager &files, SourceRange range) {
  const SourceFile &file = files.file(range.file);
  return json::Object{{"start", position(file, range.begin)}, {"end", position(file, range.end)}};
}

static std::string pathOf(llvm::StringRef uri) {
  uri.consume_front("file://");
  std::string path;
  for (size_t i = 0; i < uri.size(); ++i) {
    unsigned code = 0;
    if (uri[i] == '%' && !uri.substr(i + 1, 2).getAsInteger(16, code)) {
      path += static_cast<char>(code);
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

static std::string uriOf(llvm::StringRef path) {
  std::string uri = "file://";
  for (char c : path) {
    if (llvm::isAlnum(c) || llvm::StringRef("/._-~").contains(c))
      uri += c;
    else
      uri += "%" + llvm::toHex(llvm::StringRef(&c, 1));
  }
  return uri;
}

namespace {
/// JSON-RPC 2.0, error object.
enum ErrorCode { parseError = -32700, methodNotFound = -32601 };

class Server {
public:
  ExitCode run();

private:
  void receive(const json::Object &message);
  json::Value answer(llvm::StringRef method, const json::Object &params);
  void open(llvm::StringRef uri, llvm::StringRef text);
  void publish(llvm::StringRef uri, json::Array diagnostics);
  json::Value complete(const Document &document, uint32_t offset);
  static void send(json::Object message);
  static void refuse(json::Value id, int code, llvm::StringRef why);
  static std::optional<std::string> read();

  llvm::StringMap<std::unique_ptr<Document>> documents;
  bool isShutDown = false, isOver = false;
};
} // namespace

void Server::send(json::Object message) {
  message["jsonrpc"] = "2.0";
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(message));
  llvm::outs() << "Content-Length: " << text.size() << "\r\n\r\n" << text;
  llvm::outs().flush();
}

void Server::refuse(json::Value id, int code, llvm::StringRef why) {
  send(json::Object{{"id", std::move(id)}, {"error", json::Object{{"code", code}, {"message", why}}}});
}

/// The body of one message; nothing at the end of the input. After a header without a usable length it looks for the
/// next one, which may follow a body on the same line.
std::optional<std::string> Server::read() {
  constexpr size_t longest = size_t(1) << 28;
  constexpr llvm::StringLiteral name = "content-length:";
  size_t length = 0;
  for (std::string line; std::getline(std::cin, line);) {
    llvm::StringRef header = llvm::StringRef(line).trim();
    if (header.empty()) {
      if (length == 0)
        continue;
      std::string body(length, '\0');
      std::cin.read(body.data(), static_cast<std::streamsize>(length));
      return std::cin ? std::optional(body) : std::nullopt;
    }
    size_t at = header.lower().rfind(name.str());
    if (at == std::string::npos)
      continue;
    if (header.drop_front(at + name.size()).trim().getAsInteger(10, length) || length > longest) {
      length = 0;
      refuse(nullptr, parseError, "a message begins with its length in bytes");
    }
  }
  return std::nullopt;
}

void Server::publish(llvm::StringRef uri, json::Array diagnostics) {
  send(json::Object{{"method", "textDocument/publishDiagnostics"},
                    {"params", json::Object{{"uri", uri}, {"diagnostics", std::move(diagnostics)}}}});
}

static int severity(const diag::Diagnostic &diagnostic) {
  switch (diag::severityOf(diagnostic.kind)) {
  case diag::Severity::Error:
    return 1;
  case diag::Severity::Warning:
    return 2;
  case diag::Severity::Remark:
    return 3;
  }
  return 1;
}

void Server::open(llvm::StringRef uri, llvm::StringRef text) {
  auto document = std::make_unique<Document>(pathOf(uri), text.str());
  json::Array diagnostics;
  const SourceManager &files = document->sources();
  for (const diag::Diagnostic &diagnostic : document->check()) {
    json::Array related;
    for (const diag::Note &note : diagnostic.notes)
      if (note.range.isKnown())
        related.push_back(json::Object{{"message", json::fixUTF8(note.message)},
                                       {"location", json::Object{{"uri", uriOf(files.file(note.range.file).path())},
                                                                 {"range", rangeOf(files, note.range)}}}});
    std::string fix = diagnostic.fixIt.empty() ? "" : "; write `" + diagnostic.fixIt + "`";
    diagnostics.push_back(json::Object{{"range", rangeOf(files, diagnostic.range)},
                                       {"severity", severity(diagnostic)},
                                       {"code", diag::spelling(diagnostic.kind)},
                                       {"source", "tlxc"},
                                       {"message", json::fixUTF8(diagnostic.message + fix)},
                                       {"relatedInformation", std::move(related)}});
  }
  documents[uri] = std::move(document);
  publish(uri, std::move(diagnostics));
}

json::Value Server::complete(const Document &document, uint32_t offset) {
  json::Array items;
  for (const Document::Completion &completion : document.complete(offset))
    items.push_back(json::Object{{"label", completion.label},
                                 {"kind", 3},
                                 {"detail", completion.detail},
                                 {"documentation", completion.documentation}});
  return items;
}

/// The answer to a request; null where there is none.
json::Value Server::answer(llvm::StringRef method, const json::Object &params) {
  if (method == "initialize")
    return json::Object{
        {"capabilities", json::Object{{"textDocumentSync", 1},
                                      {"completionProvider", json::Object{{"triggerCharacters", json::Array{"."}}}},
                                      {"hoverProvider", true},
                                      {"definitionProvider", true}}},
        {"serverInfo", json::Object{{"name", "tlxc"}, {"version", compilerVersion()}}}};
  if (method == "shutdown")
    isShutDown = true;
  const json::Object *identifier = params.getObject("textDocument"), *place = params.getObject("position");
  auto found = identifier && place ? documents.find(identifier->getString("uri").value_or("")) : documents.end();
  if (found == documents.end())
    return nullptr;
  const Document &document = *found->second;
  uint32_t offset = offsetOf(document.file(), *place);
  if (method == "textDocument/completion")
    return complete(document, offset);
  if (method == "textDocument/hover")
    if (auto text = document.hover(offset))
      return json::Object{{"contents", json::Object{{"kind", "markdown"}, {"value", json::fixUTF8(*text)}}}};
  if (method == "textDocument/definition")
    if (auto range = document.definition(offset))
      return json::Object{{"uri", uriOf(document.sources().file(range->file).path())},
                          {"range", rangeOf(document.sources(), *range)}};
  return nullptr;
}

void Server::receive(const json::Object &message) {
  llvm::StringRef method = message.getString("method").value_or("");
  const json::Object empty, *given = message.getObject("params");
  const json::Object &params = given ? *given : empty;
  if (const json::Value *id = message.get("id")) {
    constexpr llvm::StringLiteral known[] = {"initialize", "shutdown", "textDocument/completion", "textDocument/hover",
                                             "textDocument/definition"};
    if (llvm::is_contained(known, method))
      return send(json::Object{{"id", *id}, {"result", answer(method, params)}});
    // A message with an id and without a method is an answer, and nothing was asked.
    if (!method.empty())
      refuse(*id, methodNotFound, ("there is no method `" + method + "`").str());
    return;
  }
  isOver = method == "exit";
  const json::Object *document = params.getObject("textDocument");
  llvm::StringRef uri = document ? document->getString("uri").value_or("") : "";
  if (method == "textDocument/didOpen")
    return open(uri, document ? document->getString("text").value_or("") : "");
  if (method == "textDocument/didChange") {
    const json::Array *changes = params.getArray("contentChanges");
    const json::Object *last = changes && !changes->empty() ? changes->back().getAsObject() : nullptr;
    if (last)
      open(uri, last->getString("text").value_or(""));
  }
  if (method == "textDocument/didClose") {
    documents.erase(uri);
    publish(uri, {});
  }
}

ExitCode Server::run() {
  while (!isOver) {
    std::optional<std::string> body = read();
    if (!body)
      return ExitCode::CommandLine;
    auto message = json::parse(*body);
    if (!message) {
      refuse(nullptr, parseError, llvm::toString(message.takeError()));
      continue;
    }
    if (const json::Object *object = message->getAsObject())
      receive(*object);
  }
  return isShutDown ? ExitCode::Done : ExitCode::InputError;
}

ExitCode tlx::runLanguageServer(const LanguageServerCommand &) {
  return Server().run();
}
