// Operations that pin how tiles are held, or ask about it. A file of its own, so that a change rebuilds only what uses it.
#ifndef TLX_PINNED_LAYOUTS
#define TLX_PINNED_LAYOUTS

include "tlx/Dialect/TLXDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Pin_Op<string mnem, list<Trait> traits> : Op<TLX_Dialect, mnem, traits>;

def TLX_RequireLayoutOp : Pin_Op<"require_layout", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "the same tile, held as the source asks";
  let description = [{
    For each bit of the thread number (lanes first, then warps) and of the register number: the row-major number of the
    element that it moves to, by XOR.
  }];
  let arguments = (ins AnyRankedTensor:$source, DenseI64ArrayAttr:$threads, DenseI64ArrayAttr:$values);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `threads` $threads `values` $values attr-dict `:` type($source)";
}
def TLX_ReleaseLayoutOp : Pin_Op<"release_layout", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "the same tile, held as its users like it: pins of the source do not reach them";
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}
def TLX_SameLayoutOp : Pin_Op<"same_layout", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "an error unless both tiles are held alike";
  let arguments = (ins AnyRankedTensor:$left, AnyRankedTensor:$right);
  let assemblyFormat = "$left `,` $right attr-dict `:` type($left) `,` type($right)";
}

#endif
