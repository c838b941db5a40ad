// tlxc --list-builtins: the table of functions, for documentation and for programs.
#include "Commands.h"
#include "tlx/Specialize/Language.h"
#include "llvm/Support/JSON.h"

using namespace tlx;

static void printJSON(llvm::raw_ostream &stream) {
  llvm::json::OStream json(stream, 1);
  json.array([&] {
    for (const specialize::FunctionInfo &function : specialize::listFunctions())
      json.object([&] {
        json.attribute("name", function.name);
        json.attribute("parameters", function.parameters);
        json.attribute("summary", function.summary);
        json.attribute("target", function.target);
        json.attribute("aliasOf", function.aliasOf);
        json.attribute("supported", !function.isUnsupported);
      });
  });
  stream << '\n';
}

ExitCode tlx::runList(const ListCommand &command) {
  if (command.form == "json")
    printJSON(llvm::outs());
  else
    specialize::printFunctionsAsMarkdown(llvm::outs());
  return ExitCode::Done;
}
