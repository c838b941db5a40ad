// The face of the room: makes the function, walks its body, verifies what came out.
#include "tlx/Specialize/Specialize.h"
#include "Escapes.h"
#include "GuardedTasks.h"
#include "Kernel.h"
#include "Shorthand.h"
#include "Specializer.h"
#include "mlir/IR/Verifier.h"
#include "tlx/Dialect/TensorMemory.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace tlx;
using namespace tlx::specialize;

static Attribute constantAttribute(Builder &builder, const Datum &value) {
  if (const auto *boolean = value.getIf<bool>())
    return builder.getBoolAttr(*boolean);
  if (const auto *integer = value.getIf<int64_t>())
    return builder.getI64IntegerAttr(*integer);
  if (const auto *number = value.getIf<double>())
    return builder.getF64FloatAttr(*number);
  return builder.getStringAttr(value.text());
}

static void setFunctionAttributes(func::FuncOp function, const Kernel &kernel, const Specializer &specializer) {
  Builder builder(function.getContext());
  function->setAttr("tlx.kernel", builder.getUnitAttr());
  function->setAttr("tlx.num_warps", builder.getI32IntegerAttr(static_cast<int32_t>(specializer.numWarps)));
  function->setAttr("tlx.cluster", builder.getDenseI32ArrayAttr(kernel.cluster));
  if (kernel.numStages)
    function->setAttr("tlx.num_stages", builder.getI32IntegerAttr(static_cast<int32_t>(*kernel.numStages)));
  if (kernel.maxRegisters)
    function->setAttr("tlx.max_registers", builder.getI32IntegerAttr(static_cast<int32_t>(*kernel.maxRegisters)));
  SmallVector<NamedAttribute> constants;
  for (const KernelParameter &parameter : kernel.parameters)
    if (parameter.isConstant)
      constants.push_back(builder.getNamedAttr(parameter.param->name, constantAttribute(builder, parameter.constant)));
  function->setAttr("tlx.constexprs", builder.getDictionaryAttr(constants));
  function->setAttr("tlx.source", builder.getStringAttr(specializer.module.file->path()));
}

static void setArgumentAttributes(func::FuncOp function, unsigned index, const KernelParameter &parameter) {
  Builder builder(function.getContext());
  function.setArgAttr(index, "tlx.name", builder.getStringAttr(parameter.param->name));
  function.setArgAttr(index, "tlx.type", builder.getStringAttr(parameter.type.text()));
  auto number = [&](int64_t value) { return builder.getI32IntegerAttr(static_cast<int32_t>(value)); };
  if (parameter.type.divisibility)
    function.setArgAttr(index, "tlx.divisibility", number(*parameter.type.divisibility));
  if (parameter.type.equalTo)
    function.setArgAttr(index, "tlx.equal_to", number(*parameter.type.equalTo));
}

/// Makes the function and binds each parameter to its constant or argument.
static void createFunction(Specializer &specializer, const Kernel &kernel, ModuleOp module) {
  Emitter &emit = specializer.emit;
  SmallVector<Type> types;
  for (const KernelParameter &parameter : kernel.parameters)
    if (!parameter.isConstant)
      types.push_back(parameter.type.toMLIR(emit.context()));
  Emitter::At at(emit, kernel.function->nameRange);
  emit.builder.setInsertionPointToEnd(module.getBody());
  auto function = emit.create<func::FuncOp>(kernel.function->name, FunctionType::get(emit.context(), types, {}));
  Block *entry = function.addEntryBlock();
  emit.builder.setInsertionPointToEnd(entry);
  specializer.function = function;
  setFunctionAttributes(function, kernel, specializer);
  auto frame = std::make_unique<Frame>();
  frame->function = kernel.function;
  frame->module = &specializer.module;
  unsigned index = 0;
  for (const KernelParameter &parameter : kernel.parameters) {
    Datum value = parameter.constant;
    if (!parameter.isConstant) {
      setArgumentAttributes(function, index, parameter);
      Emitter::At here(emit, parameter.param->range);
      entry->getArgument(index).setLoc(emit.location());
      value = Datum::ir(entry->getArgument(index), parameter.type.element);
      if (parameter.type.equalTo)
        value = Datum(*parameter.type.equalTo);
      ++index;
    }
    frame->names[parameter.param->name] = {value, parameter.param->range};
  }
  specializer.frames.push_back(std::move(frame));
}

static bool walkBody(Specializer &specializer, const Kernel &kernel) {
  auto flow = specializer.execute(kernel.function->body);
  auto returned = failed(flow) ? Result(failure()) : specializer.takeReturned(*flow);
  if (failed(returned))
    return false;
  if (!returned->isNone()) {
    specializer.sink.error(diag::Kind::UnsupportedConstruct, specializer.frame().names[escapes::value].range)
        << "a kernel returns nothing; `" << kernel.function->name << "` returns " << returned->describe();
    return false;
  }
  Emitter::At at(specializer.emit, kernel.function->nameRange);
  specializer.emit.builder.setInsertionPointToEnd(&specializer.function.getBody().front());
  specializer.emit.create<func::ReturnOp>();
  return true;
}

OwningOpRef<ModuleOp> tlx::specialize::specialize(const ast::Module &module, const SpecializeOptions &options,
                                                  MLIRContext &context, const SourceManager &files, diag::Sink &sink) {
  context.loadDialect<TLXDialect, tmem::TMemDialect, func::FuncDialect, arith::ArithDialect, math::MathDialect,
                      scf::SCFDialect>();
  auto kernel = resolveKernel(module, options, sink);
  if (!kernel)
    return nullptr;
  Specializer specializer(module, context, files, sink);
  specializer.limits = options.limits;
  specializer.hasBlockScales = options.hasBlockScales;
  bool isShorthand = usesWarpGroups(*kernel->function);
  specializer.totalWarps = kernel->numWarps;
  for (int extent : kernel->cluster)
    specializer.clusterSize *= extent;
  specializer.numWarps = isShorthand ? 4 : kernel->numWarps;
  specializer.channelNames = namesOfChannels(*kernel->function);
  OwningOpRef<ModuleOp> result = ModuleOp::create(UnknownLoc::get(&context));
  unsigned errors = sink.errorCount();
  createFunction(specializer, *kernel, *result);
  bool isDone = walkBody(specializer, *kernel);
  assert(isDone == (sink.errorCount() == errors) && "a failure without a diagnostic, or the other way round");
  if (!isDone || sink.errorCount() != errors)
    return nullptr;
  moveConditionsIntoTasks(specializer.function);
  // What the user can write wrongly was reported above, so that this would be a bug of ours.
  if (failed(verify(*result)))
    llvm::report_fatal_error("specialized module does not verify");
  return result;
}
