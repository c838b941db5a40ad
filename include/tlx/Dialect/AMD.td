// Operations on tiles that only AMD's machines have. A file of its own, so that a change rebuilds only what uses it.
#ifndef TLX_AMD
#define TLX_AMD

include "tlx/Dialect/TLXDialect.td"
include "tlx/Dialect/TLXInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TLX_MfmaDotOp : Op<TLX_Dialect, "mfma_dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a·b of tiles in registers, by matrix instructions of one wave each";
  let description = [{
    `tile` (16 or 32) rows and columns and `depth` of K an instruction; a lane holds `run` consecutive K; `row_warps` × `column_warps` waves share the
    result, waves beyond those compute copies. All three tiles are held as the instruction wants them.
  }];
  let arguments = (ins AnyRankedTensor:$a, AnyRankedTensor:$b, AnyRankedTensor:$acc, I32Attr:$tile, I32Attr:$depth, I32Attr:$run,
                       I32Attr:$row_warps, I32Attr:$column_warps);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{$a `,` $b `acc` $acc `tile` $tile `depth` $depth `run` $run `warps` $row_warps `x` $column_warps attr-dict
                         `:` type($a) `,` type($b) `,` type($result)}];
}
def TLX_SchedulingBarrierOp : Op<TLX_Dialect, "scheduling_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "instructions of kinds that are not in `mask` stay on their side";
  let arguments = (ins I32Attr:$mask);
  let assemblyFormat = "$mask attr-dict";
}
def TLX_StageOp : Op<TLX_Dialect, "stage", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a stage of a loop begins (`priority` of its waves over others; -1: as before) or, without label, ends";
  let arguments = (ins StrAttr:$label, I32Attr:$priority);
  let assemblyFormat = "$label `priority` $priority attr-dict";
}

#endif
