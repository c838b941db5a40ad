// What an operation that may fail returns in the rooms that link no LLVM: a value, or an error with a kind and a text.
#ifndef TLX_MANIFEST_RESULT_H
#define TLX_MANIFEST_RESULT_H

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace tlx::rt {

/// The kinds of failure. The numbers are those of `tlxrt_status`, so that a kind crosses the C boundary as it is.
enum class ErrorKind : int {
#define TLX_ERROR_KIND(NAME, VALUE, TEXT) NAME = VALUE,
#include "tlx/Manifest/ErrorKinds.def"
};

/// The sentence that stands for `kind` when nothing more is known.
const char *describe(ErrorKind kind);

struct Error {
  ErrorKind kind;
  std::string text;
};

/// Either a value or an error. Test it before use: `*result` on an error is our bug.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() {
    assert(*this && "value of a failed result");
    return *std::get_if<0>(&state);
  }
  const T &operator*() const {
    assert(*this && "value of a failed result");
    return *std::get_if<0>(&state);
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }
  const Error &error() const {
    assert(!*this && "error of a result that holds a value");
    return *std::get_if<1>(&state);
  }

private:
  std::variant<T, Error> state;
};

/// Success without a value.
struct Done {};
using Status = Result<Done>;

} // namespace tlx::rt

#endif
