// Reads the words of `ptxas -v`. They are the only source for spills: the cubin does not hold them.
#include "tlx/Target/Assembler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tlx;

static std::optional<AdviceGrade> gradeOf(llvm::StringRef code) {
#define TLX_ADVICE(CODE, GRADE)                                                                                        \
  if (code == CODE)                                                                                                    \
    return AdviceGrade::GRADE;
#include "tlx/Target/AssemblerAdvice.def"
  return std::nullopt;
}

/// The number that stands before `words` in `line`, as in "12 bytes spill stores".
static std::optional<unsigned> numberBefore(llvm::StringRef line, llvm::StringRef words) {
  size_t place = line.find(words);
  if (place == llvm::StringRef::npos)
    return std::nullopt;
  llvm::StringRef before = line.take_front(place).rtrim();
  llvm::StringRef digits = before.take_back(before.size() - before.find_last_not_of("0123456789") - 1);
  unsigned value;
  if (digits.getAsInteger(10, value))
    return std::nullopt;
  return value;
}

static void take(llvm::StringRef line, llvm::StringRef words, unsigned &into) {
  if (std::optional<unsigned> value = numberBefore(line, words))
    into = *value;
}

static std::optional<AssemblerAdvice> adviceOf(llvm::StringRef line) {
  size_t open = line.find("(C");
  size_t close = open == llvm::StringRef::npos ? open : line.find(')', open);
  if (close == llvm::StringRef::npos)
    return std::nullopt;
  llvm::StringRef code = line.slice(open + 1, close);
  std::optional<AdviceGrade> grade = gradeOf(code);
  if (!grade)
    return std::nullopt;
  return AssemblerAdvice{code.str(), *grade, line.drop_front(close + 1).trim().str()};
}

AssemblerReport tlx::parseAssemblerReport(llvm::StringRef text, llvm::StringRef kernel) {
  AssemblerReport report;
  // Numbers before the first heading belong to the file; with no heading of another function, all belong to the kernel.
  bool ours = true;
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    if (line.contains("Compiling entry function"))
      ours = line.contains(("'" + kernel + "'").str());
    if (std::optional<AssemblerAdvice> advice = adviceOf(line)) {
      if (!llvm::any_of(report.advice, [&](const AssemblerAdvice &old) { return old.text == advice->text; }))
        report.advice.push_back(std::move(*advice));
      continue;
    }
    if (line.contains("warning"))
      report.warnings.push_back(line.trim().str());
    if (!ours)
      continue;
    take(line, " bytes stack frame", report.stack);
    take(line, " bytes spill stores", report.spillStores);
    take(line, " bytes spill loads", report.spillLoads);
    take(line, " registers", report.registers);
    take(line, " barriers", report.barriers);
    take(line, " bytes smem", report.staticShared);
  }
  return report;
}
