// Pins of layouts and questions about them (see PinnedLayouts.td).
#ifndef TLX_DIALECT_PINNEDLAYOUTS_H
#define TLX_DIALECT_PINNEDLAYOUTS_H

#include "tlx/Dialect/TLXDialect.h"

#define GET_OP_CLASSES
#include "tlx/Dialect/PinnedLayoutOps.h.inc"

#endif
