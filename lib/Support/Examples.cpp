#include "tlx/Support/Examples.h"

using namespace tlx;
using namespace tlx::diag;

Example diag::exampleOf(Kind kind) {
  switch (kind) {
#define TLX_EXAMPLE(NAME, WRONG, RIGHT)                                                                                \
  case Kind::NAME:                                                                                                     \
    return {WRONG, RIGHT};
#include "Examples.def"
  default:
    return {};
  }
}
