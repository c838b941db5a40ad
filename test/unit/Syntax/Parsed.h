// A parsed text, with its tree and mistakes as strings to compare.
#ifndef TLX_TEST_UNIT_SYNTAX_PARSED_H
#define TLX_TEST_UNIT_SYNTAX_PARSED_H

#include "tlx/Syntax/Dump.h"
#include "tlx/Syntax/Parser.h"
#include <gtest/gtest.h>

namespace tlx::ast {

struct Parsed {
  explicit Parsed(llvm::StringRef text, llvm::StringRef path = "kernel.tlx") {
    FileId id = files.add(path.str(), text.str());
    module = parse(files.file(id), context, sink);
  }

  /// The dump, without its first line.
  std::string tree() const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    dump(*module, stream);
    return llvm::StringRef(text).split('\n').second.str();
  }

  /// "line:column kind" for each mistake, one a line.
  std::string mistakes() const {
    std::string text;
    for (const diag::Diagnostic &diagnostic : sink.diagnostics()) {
      LineAndColumn at = files.file(diagnostic.range.file).lineAndColumn(diagnostic.range.begin);
      text +=
          (llvm::Twine(at.line) + ":" + llvm::Twine(at.column) + " " + diag::spelling(diagnostic.kind) + "\n").str();
    }
    return text;
  }

  std::string firstMessage() const { return sink.diagnostics().empty() ? "" : sink.diagnostics().front().message; }

  SourceManager files;
  Context context;
  diag::Sink sink;
  const Module *module;
};

/// Parses the text, which has no mistakes, and compares the dump.
inline void expectTree(llvm::StringRef text, llvm::StringRef tree) {
  Parsed parsed(text);
  EXPECT_EQ(parsed.mistakes(), "") << text.str() << "\n" << parsed.firstMessage();
  EXPECT_EQ(parsed.tree(), tree.ltrim('\n').str()) << text.str();
}

} // namespace tlx::ast

#endif
