// What ROCDL lacks on the thread level for AMD's machines.
#ifndef TLX_THREAD_AMD
#define TLX_THREAD_AMD

include "tlx/Dialect/ThreadDialect.td"

def Thread_GroupCountOp : Thread_Op<"group_count", [Pure]> {
  let summary = "how many workgroups the launch has along `axis`: hidden_block_count of the kernel's hidden arguments";
  let arguments = (ins I32Attr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict";
}

#endif
