// Fragments of matrices in shared memory, read by ldmatrix.
#include "MatrixReader.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tlx;
using layout::InDim;

/// PTX ISA, ldmatrix: lane t gets the word t % 4 of row t / 4 of each matrix; with .trans its 16-bit elements are those
/// of rows 2 (t % 4) and one more in column t / 4. Lanes 8i to 8i + 7 name the rows of matrix i.
static constexpr int rowBytes = 16, laneBits = 5;

std::optional<MatrixReader> MatrixReader::create(const SharedAccess &access, const TileInfo &info) {
  MatrixReader reader(access, info);
  if (!reader.fits())
    return std::nullopt;
  reader.computeThread();
  reader.words.resize(reader.count);
  return reader;
}

/// The elements of a word and the words of four lanes are the 16 bytes of a row; everything else moves by whole rows.
bool MatrixReader::fits() {
  const layout::LinearLayout &layout = info.layout;
  Type element = access.element;
  if (!access.tile.padding.empty() || isa<LLVM::LLVMPointerType>(element) || layout.inBits(InDim::Lane) != laneBits ||
      !llvm::all_of(info.shape, llvm::isPowerOf2_64))
    return false;
  int bits = static_cast<int>(element.getIntOrFloatBitWidth());
  if (bits != 8 && bits != 16 && bits != 32)
    return false;
  perWord = 32 / bits;
  int inWord = llvm::Log2_32(perWord), registers = layout.inBits(InDim::Register);
  if (registers < inWord || info.elementCount() != layout.inSize(InDim::Register))
    return false;
  transposed = bits == 16 && isAcross();
  auto movesRows = [&](InDim dim, int bit) { return at(dim, bit) % rowBytes == 0; };
  for (int bit = 0; bit < inWord; ++bit)
    if (transposed ? !movesRows(InDim::Register, bit) : at(InDim::Register, bit) != (bits / 8) << bit)
      return false;
  for (int bit = 0; bit < laneBits; ++bit) {
    bool isRow = transposed ? bit < 2 : bit >= 2;
    int64_t inRow = transposed ? (bits / 8) << (bit - 2) : 4 << bit;
    if (isRow ? !movesRows(InDim::Lane, bit) : at(InDim::Lane, bit) != inRow)
      return false;
  }
  for (int bit = inWord; bit < registers; ++bit)
    if (!movesRows(InDim::Register, bit))
      return false;
  for (int bit = 0; bit < layout.inBits(InDim::Warp); ++bit)
    if (!movesRows(InDim::Warp, bit))
      return false;
  count = info.elementCount() / perWord;
  perInstruction = std::min(count, 4);
  return true;
}

bool MatrixReader::isAcross() const {
  return at(InDim::Register, 0) != info.element.getIntOrFloatBitWidth() / 8;
}

void MatrixReader::computeThread() {
  SmallVector<int64_t> lanes, warps;
  if (transposed)
    lanes = {at(InDim::Register, 0), at(InDim::Lane, 0), at(InDim::Lane, 1)};
  else
    lanes = {at(InDim::Lane, 2), at(InDim::Lane, 3), at(InDim::Lane, 4)};
  for (int matrix = 1, bit = llvm::Log2_32(perWord); matrix < perInstruction; matrix *= 2, ++bit)
    lanes.push_back(at(InDim::Register, bit));
  for (int bit = 0; bit < info.layout.inBits(InDim::Warp); ++bit)
    warps.push_back(at(InDim::Warp, bit));
  for (int64_t bits : llvm::concat<int64_t>(lanes, warps))
    threadBits |= bits;
  Emitter &emitter = access.emitter;
  thread = emitter.linearCombination(emitter.laneId, lanes);
  if (llvm::any_of(warps, [](int64_t bits) { return bits != 0; }))
    thread = emitter.bitXor(thread, emitter.linearCombination(emitter.warpInTask(), warps));
}

/// Bits that no thread has are added, which the instruction does itself; the others take an exclusive or, and there are
/// few of those: the places within a swizzled row.
Value MatrixReader::address(int64_t constant) {
  Emitter &emitter = access.emitter;
  Value &place = places[constant & threadBits];
  if (!place) {
    int64_t common = constant & threadBits;
    Value offset = common ? emitter.bitXor(thread, emitter.i32(common)) : thread;
    place = emitter.offsetPointer(access.base, offset);
  }
  int64_t rest = constant & ~threadBits;
  return rest ? emitter.offsetPointer(place, rest) : place;
}

Value MatrixReader::word(int index) {
  if (words[index])
    return words[index];
  Emitter &emitter = access.emitter;
  OpBuilder &b = emitter.b;
  int first = index / perInstruction * perInstruction;
  Value from = address(access.offset(info.coords(first * perWord)));
  auto load =
      thread::LdMatrixOp::create(b, emitter.loc, SmallVector<Type>(perInstruction, b.getI32Type()), from, transposed);
  llvm::copy(load.getRegisters(), words.begin() + first);
  return words[index];
}

Registers MatrixReader::tile() {
  OpBuilder &b = access.emitter.b;
  Location loc = access.emitter.loc;
  Registers held;
  for (int index = 0; index < count; ++index) {
    Value whole = word(index);
    if (perWord == 1) {
      held.push_back(whole.getType() == info.element ? whole : LLVM::BitcastOp::create(b, loc, info.element, whole));
      continue;
    }
    Value parts = LLVM::BitcastOp::create(b, loc, VectorType::get({perWord}, info.element), whole);
    if (info.pack == perWord) {
      held.push_back(parts);
      continue;
    }
    for (int part = 0; part < perWord; ++part)
      held.push_back(LLVM::ExtractElementOp::create(b, loc, parts, access.emitter.i32(part)));
  }
  return held;
}
