// MLIR's diagnostics as the user sees them: kinds, places, calls, and what is our bug.
#include "PassDiagnostics.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace tlx;

namespace {

class PassDiagnosticsTest : public testing::Test {
protected:
  PassDiagnosticsTest() { file = files.add("k.tlx", "first line\n  tl.dot(a, b)\nhelper()\n"); }

  mlir::Location at(unsigned line, unsigned column) {
    return mlir::FileLineColLoc::get(&context, "k.tlx", line, column);
  }

  mlir::MLIRContext context;
  SourceManager files;
  diag::Sink sink;
  FileId file;
};

} // namespace

TEST_F(PassDiagnosticsTest, PointUnderlinesTheWord) {
  PassDiagnostics diagnostics(context, files, sink);
  mlir::emitError(at(2, 3)) << "no";
  ASSERT_EQ(sink.errorCount(), 1u);
  const diag::Diagnostic &error = sink.diagnostics()[0];
  EXPECT_EQ(error.kind, diag::Kind::KernelRefused);
  EXPECT_EQ(files.file(file).text(error.range), "tl.dot");
  EXPECT_TRUE(diagnostics.internalError().empty());
}

TEST_F(PassDiagnosticsTest, SeveritiesHaveTheirKinds) {
  PassDiagnostics diagnostics(context, files, sink);
  mlir::emitWarning(at(1, 1)) << "slow";
  mlir::emitRemark(at(1, 1)) << "fine";
  ASSERT_EQ(sink.diagnostics().size(), 2u);
  EXPECT_EQ(sink.diagnostics()[0].kind, diag::Kind::PassWarning);
  EXPECT_EQ(sink.diagnostics()[1].kind, diag::Kind::PassRemark);
  EXPECT_EQ(sink.errorCount(), 0u);
}

TEST_F(PassDiagnosticsTest, TakesTheKindFromTheEndOfTheMessage) {
  PassDiagnostics diagnostics(context, files, sink);
  mlir::emitError(at(1, 1)) << "`sm_100a` has no wgmma [feature-missing]";
  mlir::emitError(at(1, 1)) << "brackets [not-a-kind]";
  ASSERT_EQ(sink.errorCount(), 2u);
  EXPECT_EQ(sink.diagnostics()[0].kind, diag::Kind::FeatureMissing);
  EXPECT_EQ(sink.diagnostics()[0].message, "`sm_100a` has no wgmma");
  EXPECT_EQ(sink.diagnostics()[1].kind, diag::Kind::KernelRefused);
}

TEST_F(PassDiagnosticsTest, CallsBecomeNotes) {
  PassDiagnostics diagnostics(context, files, sink);
  mlir::emitError(mlir::CallSiteLoc::get(at(2, 3), at(3, 1))) << "no";
  ASSERT_EQ(sink.errorCount(), 1u);
  const diag::Diagnostic &error = sink.diagnostics()[0];
  EXPECT_EQ(files.file(file).text(error.range), "tl.dot");
  ASSERT_EQ(error.notes.size(), 1u);
  EXPECT_EQ(files.file(file).text(error.notes[0].range), "helper");
}

TEST_F(PassDiagnosticsTest, SpeakingOfOperationsIsOurBug) {
  PassDiagnostics diagnostics(context, files, sink);
  mlir::emitError(at(2, 3)) << "'tlx.async_dot' op operand #0 must be a buffer";
  EXPECT_EQ(sink.errorCount(), 0u);
  EXPECT_NE(diagnostics.internalError().find("tlx.async_dot"), std::string::npos);
}

TEST_F(PassDiagnosticsTest, TextThatTheUserWroteAsMLIRIsTheUsers) {
  PassDiagnostics diagnostics(context, files, sink, diag::Kind::MalformedMLIR);
  mlir::emitError(at(2, 3)) << "'tlx.async_dot' op operand #0 must be a buffer";
  ASSERT_EQ(sink.errorCount(), 1u);
  EXPECT_EQ(sink.diagnostics()[0].kind, diag::Kind::MalformedMLIR);
}

TEST_F(PassDiagnosticsTest, UnknownPlacesStayUnknown) {
  EXPECT_FALSE(rangeOf(mlir::UnknownLoc::get(&context), files).isKnown());
  EXPECT_FALSE(rangeOf(mlir::FileLineColLoc::get(&context, "other.tlx", 1, 1), files).isKnown());
  EXPECT_TRUE(rangeOf(mlir::FusedLoc::get(&context, {mlir::UnknownLoc::get(&context), at(1, 1)}), files).isKnown());
  SourceRange beyond = rangeOf(at(99, 1), files);
  EXPECT_EQ(beyond.begin, files.file(file).text().size());
}
