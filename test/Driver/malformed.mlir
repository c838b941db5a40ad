// A file of the tlx dialect that is none.

// RUN: split-file %s %t
// RUN: not tlxc %t/syntax.mlir --target=sm_90a 2>&1 | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: syntax.mlir:2:{{[0-9]+}}: error: {{.*}} [malformed-mlir]
// RUN: not tlxc %t/empty.mlir --target=sm_90a 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: empty.mlir:1:1: error: no function of this module has the attribute `tlx.kernel` [malformed-mlir]
// RUN: not tlxc %t/gate.mlir --target=sm_90a 2>&1 | FileCheck %s --check-prefix=GATE
// GATE: gate.mlir:1:1: error: the module names the gate `laid`, which there is not (known: parsed, built, {{.*}}) [malformed-mlir]

//--- syntax.mlir
module {
  tlx.nothing
}
//--- empty.mlir
module {
}
//--- gate.mlir
module attributes {tlx.gate = "laid"} {
  func.func @k() attributes {tlx.kernel} {
    return
  }
}
