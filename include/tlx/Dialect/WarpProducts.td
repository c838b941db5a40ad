// Products of tiles by single warps of NVIDIA's machines. A file of its own, so that a change rebuilds only what uses it.
#ifndef TLX_WARP_PRODUCTS
#define TLX_WARP_PRODUCTS

include "tlx/Dialect/TLXDialect.td"
include "tlx/Dialect/TLXInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TLX_MmaDotOp : Op<TLX_Dialect, "mma_dot", [AllTypesMatch<["acc", "result"]>, DeclareOpInterfaceMethods<TLX_TouchesBuffer>]> {
  let summary = "acc + a·b by mma.sync of one warp each";
  let description = [{
    Operands are tiles in registers, held as the instruction wants them, or buffers from which each warp reads what it multiplies.
    `row_warps` × `column_warps` warps share the result, warps beyond those compute copies.
  }];
  let arguments = (ins AnyType:$a, AnyType:$b, AnyRankedTensor:$acc, I32Attr:$row_warps, I32Attr:$column_warps);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{$a `,` $b `acc` $acc `warps` $row_warps `x` $column_warps attr-dict `:` type($a) `,` type($b) `,` type($result)}];
}

#endif
