#include "tlx/Support/Subprocess.h"
#include <gtest/gtest.h>

using namespace tlx;

static std::string failureOf(llvm::Expected<SubprocessResult> result) {
  return result ? "none" : llvm::toString(result.takeError());
}

TEST(Subprocess, CapturesBothStreamsAndTheExitCode) {
  llvm::Expected<SubprocessResult> result = runSubprocess("sh", {"-c", "echo out; echo err >&2; exit 7"});
  ASSERT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result->exitCode, 7);
  EXPECT_EQ(result->standardOutput, "out\n");
  EXPECT_EQ(result->standardError, "err\n");
}

TEST(Subprocess, ArgumentsGoThroughNoShell) {
  llvm::Expected<SubprocessResult> result = runSubprocess("printf", {"%s|%s", "a b; $HOME", "*"});
  ASSERT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result->exitCode, 0);
  EXPECT_EQ(result->standardOutput, "a b; $HOME|*");
}

TEST(Subprocess, StandardInputIsEmpty) {
  llvm::Expected<SubprocessResult> result = runSubprocess("cat", {}, /*timeLimitSeconds=*/20);
  ASSERT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(result->standardOutput, "");
}

TEST(Subprocess, MissingProgramIsAnError) {
  EXPECT_EQ(failureOf(runSubprocess("tlx-no-such-program", {})), "cannot find the program `tlx-no-such-program`");
  EXPECT_EQ(failureOf(runSubprocess("/no/such/program", {})), "cannot find the program `/no/such/program`");
}

TEST(Subprocess, SignalIsAnError) {
  EXPECT_NE(failureOf(runSubprocess("sh", {"-c", "kill -9 $$"})).find("did not run to its end"), std::string::npos);
}

TEST(Subprocess, TimeLimitIsAnError) {
  EXPECT_NE(failureOf(runSubprocess("sleep", {"20"}, /*timeLimitSeconds=*/1)).find("did not run to its end"),
            std::string::npos);
}
