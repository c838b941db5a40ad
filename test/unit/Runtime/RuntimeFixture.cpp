// The fixture's builders.
#include "RuntimeFixture.h"

#include "tlx/Manifest/Sha256.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace tlx::rt;

StandIn &freshStandIn() {
  setenv("TLXRT_DRIVER", STAND_IN_DRIVER, 1);
  void *library = dlopen(STAND_IN_DRIVER, RTLD_NOW);
  auto access = reinterpret_cast<StandInAccess>(dlsym(library, "standIn"));
  *access() = StandIn();
  return *access();
}

Param pointerParam(const char *name, const char *type, int64_t offset) {
  Param param;
  param.name = name, param.kind = ParamKind::Pointer, param.type = type;
  param.offset = offset, param.size = 8, param.align = 8;
  return param;
}

Param scalarParam(const char *name, const char *type, int64_t offset, int64_t size) {
  Param param;
  param.name = name, param.kind = ParamKind::Scalar, param.type = type;
  param.offset = offset, param.size = size, param.align = size;
  return param;
}

Param mapParam(const char *name, int64_t offset, TensorMap map) {
  Param param;
  param.name = name, param.kind = ParamKind::TensorMap, param.tensorMap = std::move(map);
  param.offset = offset, param.size = 128, param.align = 64;
  return param;
}

Manifest manifestWith(std::vector<Param> params) {
  Manifest manifest;
  manifest.kernel = manifest.entry = "gemm";
  manifest.target = "sm_90a", manifest.devices = {"sm_90"};
  manifest.image = {"gemm.cubin", ImageKind::Cubin, 5, sha256("image"), ""};
  manifest.params = std::move(params);
  manifest.launch.threads = 384;
  return manifest;
}

tlxrt_kernel *loaded(StandIn &driver, const Manifest &manifest) {
  for (const Param &param : manifest.params)
    driver.places.emplace_back(param.offset, param.size);
  tlxrt_kernel *kernel = nullptr;
  EXPECT_EQ(tlxrt_kernel_load_memory(write(manifest).c_str(), "image", 5, &kernel), TLXRT_SUCCESS)
      << tlxrt_last_error();
  return kernel;
}

tlxrt_arg pointerArg(uintptr_t address) {
  tlxrt_arg arg{TLXRT_ARG_POINTER, {}};
  arg.value.pointer = reinterpret_cast<void *>(address);
  return arg;
}

tlxrt_arg integerArg(int64_t value) {
  tlxrt_arg arg{TLXRT_ARG_I64, {}};
  arg.value.i64 = value;
  return arg;
}

tlxrt_arg floatArg(double value) {
  tlxrt_arg arg{TLXRT_ARG_F64, {}};
  arg.value.f64 = value;
  return arg;
}

tlxrt_arg tensorArg(const tlxrt_tensor &tensor) {
  tlxrt_arg arg{TLXRT_ARG_TENSOR, {}};
  arg.value.tensor = &tensor;
  return arg;
}

tlxrt_tensor tensorOf(uintptr_t address, tlxrt_dtype dtype, std::vector<int64_t> sizes) {
  tlxrt_tensor tensor{reinterpret_cast<void *>(address), dtype, int32_t(sizes.size()), {}, {}};
  int64_t stride = 1;
  for (size_t axis = sizes.size(); axis-- > 0;) {
    tensor.sizes[axis] = sizes[axis], tensor.strides[axis] = stride;
    stride *= sizes[axis];
  }
  return tensor;
}

std::string launchText(tlxrt_kernel *kernel, std::vector<tlxrt_arg> args, tlxrt_status expected) {
  const int grid[] = {1, 1, 1};
  tlxrt_status status = tlxrt_launch(kernel, nullptr, grid, args.data(), int(args.size()));
  std::string text = status == TLXRT_SUCCESS ? "" : tlxrt_last_error();
  EXPECT_EQ(status, expected) << text;
  return text;
}
