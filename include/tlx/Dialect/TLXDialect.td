// The tlx dialect: tile-level kernels. Layouts are attributes of tensor types; threads do not appear.
#ifndef TLX_DIALECT
#define TLX_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def TLX_Dialect : Dialect {
  let name = "tlx";
  let cppNamespace = "::tlx";
  let summary = "GPU kernels on tiles, with tasks, barriers and asynchronous copies as first-class operations";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
    /// Operations that stand in headers of their own.
    void registerTileOps();
  }];
}

class TLX_Type<string name, string mnem> : TypeDef<TLX_Dialect, name> { let mnemonic = mnem; }
class TLX_Attr<string name, string mnem> : AttrDef<TLX_Dialect, name> { let mnemonic = mnem; }

def TLX_LayoutAttr : TLX_Attr<"Layout", "layout"> {
  let summary = "where each element of a tile lives: an F2-linear map (register, lane, warp) -> tile coordinates";
  let description = [{
    Bases are flattened: bit i of the input adds `bases[i*rank .. i*rank+rank)` to the coordinates (XOR).
    Only the encoding of a ranked tensor.
  }];
  let parameters = (ins "unsigned":$rank, ArrayRefParameter<"int32_t">:$registers,
                        ArrayRefParameter<"int32_t">:$lanes, ArrayRefParameter<"int32_t">:$warps);
  let hasCustomAssemblyFormat = 1;
}

def TLX_SharedLayoutAttr : TLX_Attr<"SharedLayout", "shared"> {
  let summary = "how a shared-memory tile is laid out";
  let description = [{
    The last two axes form a tile of rows; columns are cut into panels of `swizzle` bytes (the whole row when 0), a panel
    being `panel_rows` rows of `swizzle` bytes. Within a panel the 16-byte chunk index is XORed with the row (PTX ISA,
    tensor-map swizzle modes). `transposed` says that the view's axes are the tile's in reverse.

    With `places` none of this counts: bit i of the row-major number of an element moves it by `places[i]` elements, by
    XOR, and of the pairs in `padding` each puts `second` elements behind every `first`. Such a tile has extents that are
    powers of two; threads reach it, hardware that reads whole tiles does not.
  }];
  let parameters = (ins "unsigned":$swizzle, "int64_t":$panelRows, DefaultValuedParameter<"bool", "false">:$transposed,
                        OptionalArrayRefParameter<"int64_t">:$places, OptionalArrayRefParameter<"int64_t">:$padding);
  let builders = [
    AttrBuilder<(ins "unsigned":$swizzle, "int64_t":$panelRows, "bool":$transposed),
                [{ return $_get($_ctxt, swizzle, panelRows, transposed, ::llvm::ArrayRef<int64_t>(), ::llvm::ArrayRef<int64_t>()); }]>,
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$places, "::llvm::ArrayRef<int64_t>":$padding),
                [{ return $_get($_ctxt, 0u, int64_t(1), false, places, padding); }]>];
  let assemblyFormat = [{`<` `swizzle` `=` $swizzle `,` `rows` `=` $panelRows (`,` `transposed` `=` $transposed^)?
                         (`places` `[` $places^ `]`)? (`padding` `[` $padding^ `]`)? `>`}];
  let extraClassDeclaration = [{
    /// Whether the places of elements are written one bit at a time.
    bool isWritten() const { return !getPlaces().empty() || !getPadding().empty(); }
  }];
}

def TLX_PointerType : TLX_Type<"Pointer", "ptr"> {
  let summary = "address of an element in global memory";
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
}
def TLX_BufferType : TLX_Type<"Buffer", "buffer"> {
  let summary = "`count` tiles in shared memory (count 0: one selected tile)";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "int64_t":$count,
                        "::tlx::SharedLayoutAttr":$layout);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Bytes of one tile.
    int64_t tileBytes() const;
    unsigned elementBits() const { return getElementType().getIntOrFloatBitWidth(); }
    int64_t rank() const { return getShape().size(); }
  }];
}
def TLX_BarrierType : TLX_Type<"Barrier", "barrier"> {
  let summary = "`count` mbarriers in shared memory (count 0: one selected barrier)";
  let parameters = (ins "int64_t":$count, DefaultValuedParameter<"bool", "false">:$perThread);
  let assemblyFormat = "`<` $count (`,` `per_thread` `=` $perThread^)? `>`";
}
def TLX_DescriptorType : TLX_Type<"Descriptor", "desc"> {
  let summary = "tensor map whose block has this shape (slowest axis first)";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    int64_t blockBytes() const;
  }];
}
def TLX_ChannelType : TLX_Type<"Channel", "channel"> {
  let summary = "barriers of the shorthand: a full/empty pair for each of `count` slots, phases kept by the compiler";
  let parameters = (ins "int64_t":$count);
  let assemblyFormat = "`<` $count `>`";
}
def TLX_TokenType : TLX_Type<"Token", "token"> { let summary = "an asynchronous copy that was started"; }

def TLX_PointerLike : AnyTypeOf<[TLX_PointerType, RankedTensorOf<[TLX_PointerType]>], "pointer or tile of pointers">;
def TLX_Mask : AnyTypeOf<[I1, RankedTensorOf<[I1]>], "i1 or tile of i1">;

#endif
