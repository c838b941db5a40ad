// Places of elements bit by bit: printed as they are read; those of another shape are refused.
// RUN: tlx-opt %s -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: !tlx.buffer<4x8xf16, 1, <swizzle = 0, rows = 1 places{{ ?}}[4, 8, 16, 1, 3] padding{{ ?}}[16, 8]>>
func.func private @padded(!tlx.buffer<4x8xf16, 1, <swizzle = 0, rows = 1 places [4, 8, 16, 1, 3] padding [16, 8]>>)

// -----
// expected-error @+1 {{the places of this layout are not those of the shape}}
func.func private @few(!tlx.buffer<4x8xf16, 1, <swizzle = 0, rows = 1 places [1, 2]>>)

// -----
// Two elements at one place.
// expected-error @+1 {{the places of this layout are not those of the shape}}
func.func private @twice(!tlx.buffer<4x8xf16, 1, <swizzle = 0, rows = 1 places [1, 2, 3, 4, 8]>>)

// -----
// expected-error @+1 {{the places of this layout are not those of the shape}}
func.func private @odd(!tlx.buffer<4x6xf16, 1, <swizzle = 0, rows = 1 places [1, 2, 4, 8]>>)

// -----
// expected-error @+1 {{the places of this layout are not those of the shape}}
func.func private @interval(!tlx.buffer<2x2xf16, 1, <swizzle = 0, rows = 1 places [1, 2] padding [3, 1]>>)
