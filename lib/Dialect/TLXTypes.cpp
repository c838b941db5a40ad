// Types and attributes of the tlx dialect: printing, parsing, sizes.
#include "tlx/Dialect/TLXDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace tlx;

#define GET_ATTRDEF_CLASSES
#include "tlx/Dialect/TLXAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tlx/Dialect/TLXTypes.cpp.inc"

void TLXDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tlx/Dialect/TLXTypes.cpp.inc"
      >();
}

void TLXDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tlx/Dialect/TLXAttrs.cpp.inc"
      >();
}

static int64_t elementCount(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

int64_t BufferType::tileBytes() const {
  return elementCount(getShape()) * elementBits() / 8;
}

int64_t DescriptorType::blockBytes() const {
  return elementCount(getShape()) * getElementType().getIntOrFloatBitWidth() / 8;
}

/// `128x64xf16`.
static ParseResult parseShaped(AsmParser &parser, SmallVectorImpl<int64_t> &shape, Type &element) {
  return failure(parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element));
}

static void printShaped(AsmPrinter &printer, ArrayRef<int64_t> shape, Type element) {
  for (int64_t extent : shape)
    printer << extent << 'x';
  printer << element;
}

/// A written layout has a place of its own for each element: as many bits as the shape, independent over F2.
static bool fitsShape(SharedLayoutAttr layout, ArrayRef<int64_t> shape) {
  if (!layout.isWritten())
    return true;
  size_t bits = 0;
  for (int64_t extent : shape) {
    if (!llvm::isPowerOf2_64(extent) || extent > 1 << 24)
      return false;
    bits += llvm::Log2_64(extent);
  }
  SmallVector<uint64_t> basis;
  for (int64_t place : layout.getPlaces()) {
    if (place <= 0 || place > 1 << 24)
      return false;
    uint64_t rest = place;
    for (uint64_t known : basis)
      rest = std::min(rest, rest ^ known);
    if (!rest)
      return false;
    basis.push_back(rest);
  }
  ArrayRef<int64_t> padding = layout.getPadding();
  for (size_t i = 0; i < padding.size(); ++i)
    if (padding[i] < 1 || padding[i] > 1 << 24 || (i % 2 == 0 && !llvm::isPowerOf2_64(padding[i])))
      return false;
  return layout.getPlaces().size() == bits && padding.size() % 2 == 0 && !layout.getSwizzle() &&
         !layout.getTransposed();
}

Type BufferType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  int64_t count = 0;
  SharedLayoutAttr layout;
  if (parser.parseLess() || parseShaped(parser, shape, element) || parser.parseComma() || parser.parseInteger(count) ||
      parser.parseComma() || parser.parseCustomAttributeWithFallback(layout) || parser.parseGreater())
    return {};
  if (fitsShape(layout, shape))
    return get(parser.getContext(), shape, element, count, layout);
  parser.emitError(parser.getNameLoc(), "the places of this layout are not those of the shape");
  return {};
}

void BufferType::print(AsmPrinter &printer) const {
  printer << '<';
  printShaped(printer, getShape(), getElementType());
  printer << ", " << getCount() << ", ";
  printer.printStrippedAttrOrType(getLayout());
  printer << '>';
}

Type DescriptorType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  if (parser.parseLess() || parseShaped(parser, shape, element) || parser.parseGreater())
    return {};
  return get(parser.getContext(), shape, element);
}

void DescriptorType::print(AsmPrinter &printer) const {
  printer << '<';
  printShaped(printer, getShape(), getElementType());
  printer << '>';
}

/// `[[0, 1], [8, 0]]`: one inner list for each bit.
static void printBases(AsmPrinter &printer, ArrayRef<int32_t> bases, unsigned rank) {
  printer << '[';
  for (size_t i = 0; i < bases.size(); i += rank) {
    printer << (i ? ", [" : "[");
    llvm::interleaveComma(bases.slice(i, rank), printer);
    printer << ']';
  }
  printer << ']';
}

static ParseResult parseBases(AsmParser &parser, StringRef keyword, SmallVectorImpl<int32_t> &bases, int &rank) {
  auto parseBasis = [&]() -> ParseResult {
    size_t before = bases.size();
    auto parseNumber = [&]() -> ParseResult { return parser.parseInteger(bases.emplace_back()); };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseNumber))
      return failure();
    rank = static_cast<int>(bases.size() - before);
    return success();
  };
  return failure(parser.parseKeyword(keyword) || parser.parseEqual() ||
                 parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseBasis));
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int32_t> registers, lanes, warps;
  int rank = 0;
  if (parser.parseLess() || parseBases(parser, "registers", registers, rank) || parser.parseComma() ||
      parseBases(parser, "lanes", lanes, rank) || parser.parseComma() || parseBases(parser, "warps", warps, rank) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), rank, registers, lanes, warps);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<registers = ";
  printBases(printer, getRegisters(), getRank());
  printer << ", lanes = ";
  printBases(printer, getLanes(), getRank());
  printer << ", warps = ";
  printBases(printer, getWarps(), getRank());
  printer << '>';
}
