// Printing and failed assertions become calls of vprintf and __assertfail, which the device's runtime has.
#include "InlineAssembly.h"
#include "tlx/Dialect/ThreadDialect.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::thread;

/// A constant string of the module, without a name that a kernel could have.
static Value text(Operation *op, StringRef content, OpBuilder &b) {
  auto module = op->getParentOfType<ModuleOp>();
  std::string bytes = (content + StringRef("\0", 1)).str();
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  std::string name;
  for (unsigned number = 0; name.empty() || module.lookupSymbol(name); ++number)
    name = "tlx_text_" + std::to_string(number);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(b, op->getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                           b.getStringAttr(bytes), /*alignment=*/1, /*addrSpace=*/0);
  }
  return LLVM::AddressOfOp::create(b, op->getLoc(), LLVM::LLVMPointerType::get(b.getContext()), name);
}

static LLVM::LLVMFuncOp declared(Operation *op, StringRef name, Type result, ArrayRef<Type> parameters, OpBuilder &b) {
  auto module = op->getParentOfType<ModuleOp>();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::LLVMFuncOp::create(b, op->getLoc(), name, LLVM::LLVMFunctionType::get(result, parameters));
}

static Value number(Operation *op, Type type, int64_t value, OpBuilder &b) {
  return LLVM::ConstantOp::create(b, op->getLoc(), type, b.getIntegerAttr(type, value));
}

/// The arguments lie in a structure on the stack, each at its own alignment.
static void expandPrint(thread::PrintOp op, OpBuilder &b) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i32 = b.getI32Type();
  SmallVector<Type> types(op.getOperandTypes());
  Value arguments = LLVM::ZeroOp::create(b, op.getLoc(), pointer);
  if (!types.empty()) {
    auto structure = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    arguments = LLVM::AllocaOp::create(b, op.getLoc(), pointer, structure, number(op, i32, 1, b), /*alignment=*/8);
    for (auto [index, value] : llvm::enumerate(op.getOperands())) {
      Value place = LLVM::GEPOp::create(b, op.getLoc(), pointer, structure, arguments,
                                        ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)});
      LLVM::StoreOp::create(b, op.getLoc(), value, place);
    }
  }
  auto function = declared(op, "vprintf", i32, {pointer, pointer}, b);
  LLVM::CallOp::create(b, op.getLoc(), function, ValueRange{text(op, op.getFormat(), b), arguments});
}

static void expandAssert(AssertFailOp op, OpBuilder &b) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i32 = b.getI32Type(), i64 = b.getI64Type();
  auto function =
      declared(op, "__assertfail", LLVM::LLVMVoidType::get(b.getContext()), {pointer, pointer, i32, pointer, i64}, b);
  auto kernel = op->getParentOfType<LLVM::LLVMFuncOp>();
  LLVM::CallOp::create(b, op.getLoc(), function,
                       ValueRange{text(op, op.getMessage(), b), text(op, op.getFile(), b),
                                  number(op, i32, op.getLine(), b), text(op, kernel.getName(), b),
                                  number(op, i64, 1, b)});
}

void tlx::thread::expandReport(Operation *op, OpBuilder &b) {
  if (auto print = dyn_cast<thread::PrintOp>(op))
    expandPrint(print, b);
  else
    expandAssert(cast<AssertFailOp>(op), b);
}
