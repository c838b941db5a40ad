// Operations of the tlx dialect for cluster launch control: a running cluster takes over the work of one that has not
// started.
#ifndef TLX_LAUNCH_CONTROL
#define TLX_LAUNCH_CONTROL

include "tlx/Dialect/TLXDialect.td"
include "tlx/Dialect/TLXInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TLX_LaunchRequestOp : Op<TLX_Dialect, "launch_request", [DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "asks for a cluster that has not started; the 16-byte answer completes on `barrier`";
  let description = [{`multicast`: the answer goes to the same place in every CTA of the cluster; CTA 0 alone asks.}];
  let arguments = (ins TLX_BufferType:$answer, TLX_BarrierType:$barrier, UnitAttr:$multicast);
  let assemblyFormat = "$answer `signal` $barrier (`multicast` $multicast^)? attr-dict `:` type($answer) `,` type($barrier)";
}
def TLX_LaunchAnswerOp : Op<TLX_Dialect, "launch_answer", [DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "whether a cluster was taken over, and the program id of its first CTA on each axis";
  let arguments = (ins TLX_BufferType:$answer);
  let results = (outs I1:$taken, I32:$x, I32:$y, I32:$z);
  let assemblyFormat = "$answer attr-dict `:` type($answer)";
}

#endif
