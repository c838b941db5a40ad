// Single passes over .mlir files, for tests and for people who work on the compiler.
#include "tlx/Driver/Driver.h"

int main(int argc, char **argv) {
  return tlx::runTlxOpt(argc, argv);
}
