// The thread dialect itself: what its files of operations have in common.
#ifndef TLX_THREAD_DIALECT
#define TLX_THREAD_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Thread_Dialect : Dialect {
  let name = "thread";
  let cppNamespace = "::tlx::thread";
  let summary = "NVIDIA hardware operations on the thread level";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}
class Thread_Op<string mnem, list<Trait> traits = []> : Op<Thread_Dialect, mnem, traits>;

#endif
