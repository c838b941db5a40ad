// Mutated kernels give IR that verifies, or diagnostics; never a crash, never silence.
#include "Fixture.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdlib>
#include <random>

using namespace tlx::specialize;

static bool isWord(char c) {
  return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

/// Words, runs of blanks, and single characters.
static std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    while (end < text.size() && ((isWord(text[i]) && isWord(text[end])) || (text[i] == ' ' && text[end] == ' ')))
      ++end;
    tokens.push_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

namespace {
class Mutator {
public:
  explicit Mutator(const std::vector<std::string> &tokens) : original(tokens) {
    for (const std::string &token : tokens)
      if (isWord(token[0]))
        words.push_back(token);
    for (const char *word : {"None",
                             "True",
                             "0",
                             "-1",
                             "1e300",
                             "(1, 2)",
                             "[]",
                             "\"x\"",
                             "tl.float16",
                             "tl",
                             "range(3)",
                             "tl.arange(0, 8)",
                             "tlx.alloc_barriers(2)",
                             "tlx.get_warp_group_id()",
                             "1 << 40",
                             "break",
                             "continue",
                             "return",
                             "while",
                             "else",
                             "append"})
      words.push_back(word);
  }

  std::string mutant(unsigned seed) const {
    std::mt19937 random(seed);
    std::vector<std::string> tokens = original;
    for (unsigned change = 1 + random() % 4; change > 0; --change) {
      size_t place = random() % tokens.size();
      const std::string &word = words[random() % words.size()];
      switch (random() % 4) {
      case 0:
        tokens.erase(tokens.begin() + static_cast<long>(place));
        break;
      case 1:
        tokens.insert(tokens.begin() + static_cast<long>(place), word);
        break;
      default:
        while (!isWord(tokens[place][0]))
          place = (place + 1) % tokens.size();
        tokens[place] = word;
      }
    }
    std::string text;
    for (const std::string &token : tokens)
      text += token;
    return text;
  }

private:
  std::vector<std::string> original, words;
};
} // namespace

/// What the fuzzers of test/fuzz begin with, and what they once broke something with.
TEST(Robustness, SeedsOfTheFuzzersAreCompiledOrExplained) {
  std::error_code error;
  unsigned count = 0;
  for (llvm::sys::fs::directory_iterator file(TLX_FUZZ_CORPUS, error), end; !error && file != end;
       file.increment(error)) {
    SCOPED_TRACE(file->path());
    auto buffer = llvm::MemoryBuffer::getFile(file->path());
    ASSERT_TRUE(buffer);
    auto outcome = compile((*buffer)->getBuffer().str(), {.limits = {.unrolled = 256, .inlined = 256}});
    EXPECT_TRUE(!outcome.ir.empty() || !outcome.places.empty());
    ++count;
  }
  EXPECT_GE(count, 7u);
}

TEST(Robustness, MutantsAreCompiledOrExplained) {
  auto buffer = llvm::MemoryBuffer::getFile(TLX_TEST_INPUTS "/everything.tlx");
  ASSERT_TRUE(buffer);
  std::string text = (*buffer)->getBuffer().str();
  EXPECT_HOLDS(compile(text), "tlx.async_tasks");
  const char *given = std::getenv("TLX_SEED");
  unsigned seed = given ? static_cast<unsigned>(std::atoi(given)) : 1;
  Mutator mutator(split(text));
  for (unsigned i = 0; i < 200; ++i) {
    SCOPED_TRACE("TLX_SEED=" + std::to_string(seed + i));
    auto outcome = compile(mutator.mutant(seed + i));
    EXPECT_TRUE(!outcome.ir.empty() || !outcome.places.empty());
  }
}
