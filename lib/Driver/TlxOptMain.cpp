// tlx-opt: MLIR's pass driver with our dialects and passes.
#include "tlx/Driver/Driver.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "tlx/Compiler/Compiler.h"
#include "tlx/Conversion/Conversion.h"
#include "tlx/Transforms/Passes.h"

int tlx::runTlxOpt(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerTLXPasses();
  registerPipelines();
  registerConversionPasses();
  mlir::registerTransformsPasses();
  return mlir::failed(mlir::MlirOptMain(argc, argv, "passes of the tlx dialect\n", registry));
}
