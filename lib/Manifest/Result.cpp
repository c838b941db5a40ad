// Texts of the error kinds.
#include "tlx/Manifest/Result.h"

using namespace tlx;

const char *rt::describe(ErrorKind kind) {
  switch (kind) {
#define TLX_ERROR_KIND(NAME, VALUE, TEXT)                                                                              \
  case ErrorKind::NAME:                                                                                                \
    return TEXT;
#include "tlx/Manifest/ErrorKinds.def"
  }
  return "unknown error";
}
