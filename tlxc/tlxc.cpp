// The compiler.
#include "tlx/Driver/Driver.h"

int main(int argc, char **argv) {
  return tlx::runTlxc(argc, argv);
}
