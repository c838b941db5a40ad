// Cluster launch control on tiles (see LaunchControl.td) and on threads (see ThreadLaunchControl.td).
#ifndef TLX_DIALECT_LAUNCHCONTROL_H
#define TLX_DIALECT_LAUNCHCONTROL_H

#include "tlx/Dialect/TLXDialect.h"
#include "tlx/Dialect/ThreadDialect.h"

#define GET_OP_CLASSES
#include "tlx/Dialect/LaunchControlOps.h.inc"
#define GET_OP_CLASSES
#include "tlx/Dialect/ThreadLaunchControlOps.h.inc"

#endif
