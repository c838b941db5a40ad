// Cluster launch control on the thread level (PTX ISA 8.6, clusterlaunchcontrol).
#ifndef TLX_THREAD_LAUNCH_CONTROL
#define TLX_THREAD_LAUNCH_CONTROL

include "tlx/Dialect/ThreadDialect.td"

def Thread_LaunchRequestOp : Thread_Op<"launch_request"> {
  let summary = "clusterlaunchcontrol.try_cancel: the 16-byte answer goes to `answer`, its bytes complete on `barrier`";
  let arguments = (ins AnyType:$answer, AnyType:$barrier, UnitAttr:$multicast);
  let assemblyFormat = "$answer `signal` $barrier (`multicast` $multicast^)? attr-dict `:` type($answer) `,` type($barrier)";
}
def Thread_LaunchAnswerOp : Thread_Op<"launch_answer"> {
  let summary = "clusterlaunchcontrol.query_cancel of the answer at an address; ids are 0 where nothing was taken";
  let arguments = (ins AnyType:$answer);
  let results = (outs I32:$taken, I32:$x, I32:$y, I32:$z);
  let assemblyFormat = "$answer attr-dict `:` type($answer)";
}

#endif
