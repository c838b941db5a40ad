// From the parameters of a manifest and the arguments of a launch file to the emulator's arguments.
#include "SimExecutor.h"

#include "tlx/Dialect/ThreadDialect.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>

using namespace tlx;
using namespace tlx::emu;

SimExecutor::SimExecutor(const Options &options)
    : options(options), context(std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED)) {
  context->loadDialect<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect, mlir::ROCDL::ROCDLDialect,
                       tlx::thread::ThreadDialect>();
  // Attributes of the compiler that mean nothing to the hardware are not looked at.
  context->allowUnregisteredDialects();
}
SimExecutor::~SimExecutor() = default;

rt::Status SimExecutor::load(const rt::Manifest &from, const std::filesystem::path &path) {
  manifest = from;
  if (manifest.moduleFile.empty())
    return rt::Error{rt::ErrorKind::Manifest,
                     "the manifest names no lowered module; compile with `--emit=llvm-dialect,manifest`"};
  std::filesystem::path file = path.parent_path() / manifest.moduleFile;
  if (!std::filesystem::exists(file))
    return rt::Error{rt::ErrorKind::File,
                     "no file `" + file.string() + "`, which the manifest names as lowered module"};
  module = mlir::parseSourceFile<mlir::ModuleOp>(file.string(), mlir::ParserConfig(context.get()));
  if (!module)
    return rt::Error{rt::ErrorKind::Manifest, "`" + file.string() + "` is not a lowered module"};
  return rt::Done();
}

static rt::Error argumentError(const rt::Param &param, const std::string &what) {
  return rt::Error{rt::ErrorKind::ArgumentValue, "`" + param.name + "`: " + what};
}

static const rt::BoundArgument *findArgument(const rt::LaunchRequest &request, const std::string &name) {
  auto found = std::find_if(request.args.begin(), request.args.end(),
                            [&](const rt::BoundArgument &argument) { return argument.name == name; });
  return found == request.args.end() ? nullptr : &*found;
}

static std::optional<ElementType> mapType(rt::ElementType type) {
  switch (type) {
  case rt::ElementType::I8:
  case rt::ElementType::U8:
  case rt::ElementType::FP8E4NV:
  case rt::ElementType::FP8E5:
  case rt::ElementType::FP8E4B8:
  case rt::ElementType::FP8E5B16:
    return ElementType::U8;
  case rt::ElementType::I16:
  case rt::ElementType::U16:
    return ElementType::U16;
  case rt::ElementType::I32:
    return ElementType::I32;
  case rt::ElementType::U32:
    return ElementType::U32;
  case rt::ElementType::I64:
    return ElementType::I64;
  case rt::ElementType::U64:
    return ElementType::U64;
  case rt::ElementType::FP16:
    return ElementType::F16;
  case rt::ElementType::BF16:
    return ElementType::BF16;
  case rt::ElementType::FP32:
    return ElementType::F32;
  case rt::ElementType::FP64:
    return ElementType::F64;
  case rt::ElementType::I1:
    return std::nullopt;
  }
  return std::nullopt;
}

rt::Result<Argument> SimExecutor::bindTensorMap(const rt::Param &param, const rt::LaunchRequest &request,
                                                const std::vector<rt::HostTensor> &tensors,
                                                std::vector<std::vector<uint8_t>> &scratch, Launch &launch) const {
  const rt::TensorMap &recipe = *param.tensorMap;
  // A tensor map without a source is passed; one with a source is made from a pointer and scalars.
  const rt::BoundArgument *given = findArgument(request, recipe.source ? recipe.source->pointer : param.name);
  if (!given || given->tensor < 0)
    return argumentError(param, "needs a tensor");
  std::vector<int64_t> sizes = given->sizes, strides = given->strides;
  if (recipe.source) {
    // An axis whose end the kernel does not tell reaches as far as a coordinate can.
    constexpr int64_t unbounded = int64_t(1) << 31;
    auto valueOf = [&](const rt::Extent &extent) {
      if (auto *number = std::get_if<int64_t>(&extent))
        return *number;
      const std::string *name = rt::parameterOf(extent);
      const rt::BoundArgument *scalar = name ? findArgument(request, *name) : nullptr;
      auto *multiple = std::get_if<rt::Multiple>(&extent);
      return scalar ? scalar->integer * (multiple ? multiple->times : 1) : unbounded;
    };
    sizes.clear();
    strides.clear();
    for (const std::string &name : recipe.source->apart)
      if (const rt::BoundArgument *written = findArgument(request, name);
          written && written->tensor == given->tensor && written->offset == given->offset)
        return argumentError(param, "shows `" + recipe.source->pointer + "`, which is the same memory as `" + name +
                                        "`, and the kernel loads the one ahead of what it stores to the other: compile "
                                        "it with --no-hidden-maps");
    for (int64_t axis = 0; axis < recipe.rank; ++axis) {
      sizes.push_back(valueOf(recipe.source->sizes[static_cast<size_t>(axis)]));
      strides.push_back(valueOf(recipe.source->strides[static_cast<size_t>(axis)]));
    }
  }
  std::optional<ElementType> type = mapType(recipe.dtype);
  if (!type || static_cast<int64_t>(sizes.size()) != recipe.rank || recipe.rank > 5 || recipe.rank < 1)
    return argumentError(param, "takes a tensor of rank " + std::to_string(recipe.rank) + "; the rank is " +
                                    std::to_string(sizes.size()));
  const int64_t bytes = rt::byteSize(recipe.dtype);
  HostTensorMap map;
  map.buffer = static_cast<unsigned>(given->tensor);
  map.offset = static_cast<uint64_t>(given->offset * rt::byteSize(tensors[static_cast<size_t>(given->tensor)].dtype));
  map.type = *type;
  map.rank = static_cast<unsigned>(recipe.rank);
  map.swizzle = static_cast<unsigned>(recipe.swizzle);
  map.fillNaN = recipe.fill == rt::Fill::NaN;
  if (recipe.interleave != 0)
    return argumentError(param, "interleaved tensor maps are not emulated");
  for (unsigned axis = 0; axis < map.rank; ++axis) {
    const size_t from = map.rank - 1 - axis;
    map.sizes[axis] = static_cast<uint64_t>(sizes[from]);
    // The stride of an axis of one element is never used, and callers leave odd values there.
    map.strides[axis] = sizes[from] == 1 ? 16 : static_cast<uint64_t>(strides[from] * bytes);
    map.box[axis] = static_cast<uint32_t>(recipe.box[from]);
    map.elementStrides[axis] = static_cast<uint32_t>(recipe.elementStrides[from]);
  }
  // Whatever the kernel reads of a tensor without elements is zero. A map has at least one element.
  if (recipe.source && std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size <= 0; })) {
    scratch.emplace_back(16);
    launch.buffers.push_back({"zeros", scratch.back().data(), scratch.back().size()});
    map.buffer = static_cast<unsigned>(launch.buffers.size() - 1);
    map.offset = 0;
    map.sizes.fill(1);
    map.strides.fill(16);
    return Argument::tensorMap(map);
  }
  if (strides.back() != 1 && sizes.back() != 1)
    return argumentError(param,
                         "stride " + std::to_string(strides.back()) + " of the innermost axis; a tensor map needs 1");
  return Argument::tensorMap(map);
}

rt::Result<Argument> SimExecutor::bind(const rt::Param &param, const rt::LaunchRequest &request,
                                       const std::vector<rt::HostTensor> &tensors,
                                       std::vector<std::vector<uint8_t>> &scratch, Launch &launch) const {
  if (param.kind == rt::ParamKind::TensorMap)
    return bindTensorMap(param, request, tensors, scratch, launch);
  if (param.kind == rt::ParamKind::Scratch) {
    const uint64_t blocks = static_cast<uint64_t>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
    scratch.emplace_back(static_cast<uint64_t>(manifest.launch.scratchBytes) * blocks);
    launch.buffers.push_back({"scratch", scratch.back().data(), scratch.back().size()});
    return Argument::pointer(static_cast<unsigned>(launch.buffers.size() - 1));
  }
  const rt::BoundArgument *given = findArgument(request, param.name);
  if (!given)
    return argumentError(param, "has no argument");
  if (param.kind == rt::ParamKind::Pointer) {
    if (given->tensor < 0)
      return argumentError(param, "a null pointer is not emulated");
    const rt::HostTensor &tensor = tensors[static_cast<size_t>(given->tensor)];
    uint64_t offset = static_cast<uint64_t>(given->offset * rt::byteSize(tensor.dtype));
    if (param.divisibleBy > 1 && offset % static_cast<uint64_t>(param.divisibleBy))
      return argumentError(param, "the address is not divisible by " + std::to_string(param.divisibleBy) +
                                      ", which the kernel was compiled for");
    return Argument::pointer(static_cast<unsigned>(given->tensor), offset);
  }
  std::optional<rt::ElementType> type = param.elementType();
  if (!type)
    return argumentError(param, "has the type `" + param.type + "`, which is not known");
  if (rt::isFloat(*type)) {
    uint64_t bits = 0;
    rt::encodeElement(
        *type, given->kind == rt::BoundArgument::Kind::Float ? given->number : static_cast<double>(given->integer),
        &bits);
    return Argument::scalar(bits);
  }
  const int64_t value = given->integer;
  if (param.divisibleBy > 1 && value % param.divisibleBy)
    return argumentError(param, std::to_string(value) + " is not divisible by " + std::to_string(param.divisibleBy) +
                                    ", which the kernel was compiled for");
  if (param.equalTo && value != *param.equalTo)
    return argumentError(param, std::to_string(value) + " is not " + std::to_string(*param.equalTo) +
                                    ", which the kernel was compiled for");
  return Argument::scalar(static_cast<uint64_t>(value));
}

rt::Status SimExecutor::run(const rt::LaunchRequest &request, std::vector<rt::HostTensor> &tensors) {
  Launch launch;
  launch.kernel = manifest.entry;
  for (unsigned axis = 0; axis < 3; ++axis)
    launch.grid[axis] = static_cast<uint32_t>(request.grid[axis]);
  for (rt::HostTensor &tensor : tensors)
    launch.buffers.push_back({tensor.name, tensor.storage.data(), tensor.storage.size()});
  std::vector<std::vector<uint8_t>> scratch;
  for (const rt::Param &param : manifest.params) {
    rt::Result<Argument> argument = bind(param, request, tensors, scratch, launch);
    if (!argument)
      return argument.error();
    launch.arguments.push_back(*argument);
  }
  llvm::Expected<Report> report = emu::run(*module, launch, options);
  if (!report)
    return rt::Error{rt::ErrorKind::Input, llvm::toString(report.takeError())};
  lastReport = std::move(*report);
  return rt::Done();
}
