// What passes and analyses may ask of an operation, so that none of them lists operations.
#ifndef TLX_INTERFACES
#define TLX_INTERFACES

include "mlir/IR/OpBase.td"

def TLX_TouchesBuffer : OpInterface<"TouchesBuffer"> {
  let cppNamespace = "::tlx";
  let description = [{The operation reads or writes shared memory.}];
  let methods = [
    InterfaceMethod<"Buffers read.", "::llvm::SmallVector<::mlir::Value>", "buffersRead">,
    InterfaceMethod<"Buffers written.", "::llvm::SmallVector<::mlir::Value>", "buffersWritten">,
    InterfaceMethod<"True when the access goes through the asynchronous proxy (tensor maps, tensor cores).", "bool", "isAsyncProxy">,
    InterfaceMethod<"True when the access may still be in progress after the operation.", "bool", "isAsynchronous">
  ];
}

def TLX_Synchronizes : OpInterface<"Synchronizes"> {
  let cppNamespace = "::tlx";
  let description = [{The operation orders what the threads of a task do before and after it.}];
  let methods = [
    InterfaceMethod<"True when all threads of the task have met once it is done.", "bool", "gathersTask">
  ];
}

#endif
