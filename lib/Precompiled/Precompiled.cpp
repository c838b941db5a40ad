// Exists so that the precompiled MLIR header has a target that owns it.
