// The seed's shorthand: what has to be known before a kernel is walked, and addresses taken apart.
#ifndef TLX_SPECIALIZE_SHORTHAND_H
#define TLX_SPECIALIZE_SHORTHAND_H

#include "Specializer.h"

namespace tlx::specialize {

/// Does the function ask for its warp group?
bool usesWarpGroups(const ast::FunctionDef &function);
/// Names of barriers that loads of the shorthand complete on.
llvm::StringSet<> namesOfChannels(const ast::FunctionDef &function);

/// One axis of a tile's address.
struct AddressAxis {
  /// First element along the axis, i32.
  mlir::Value coordinate;
  /// Index of the parameter that is the stride, or none for a stride of 1.
  std::optional<unsigned> stride;
};
struct TileAddress {
  /// Index of the pointer parameter.
  unsigned base;
  AddressAxis row, column;
};

/// Takes `base + row*stride0 + col*stride1` apart; says why when it cannot.
std::optional<TileAddress> recoverAddress(Emitter &emit, mlir::func::FuncOp function, mlir::Value pointer,
                                          std::string &why);

} // namespace tlx::specialize

#endif
