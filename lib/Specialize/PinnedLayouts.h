// Tiles that the source wants held in a way of its own.
#ifndef TLX_SPECIALIZE_PINNEDLAYOUTS_H
#define TLX_SPECIALIZE_PINNEDLAYOUTS_H

#include "Call.h"

namespace tlx::specialize {

/// `tile`, held as the layout asks that was given as `argument`; as it is, without one.
Result pinned(Call &call, llvm::StringRef argument, IRValue tile);

/// How the buffers of an allocation lie: as its `layout` asks, else as `otherwise` says.
mlir::FailureOr<SharedLayoutAttr> pinnedBuffer(Call &call, llvm::ArrayRef<int64_t> shape, DType type,
                                               SharedLayoutAttr otherwise);

} // namespace tlx::specialize

#endif
