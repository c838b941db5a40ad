// A kernel with one parameter of each kind, loaded through the C interface, with the stand-in driver behind it.
#ifndef TLX_TEST_RUNTIME_RUNTIMEFIXTURE_H
#define TLX_TEST_RUNTIME_RUNTIMEFIXTURE_H

#include "StandInDriver.h"
#include "tlx/Manifest/Manifest.h"
#include "tlx/Runtime/tlxrt.h"

#include <gtest/gtest.h>

/// The state of the stand-in, reset.
StandIn &freshStandIn();

tlx::rt::Param pointerParam(const char *name, const char *type, int64_t offset);
tlx::rt::Param scalarParam(const char *name, const char *type, int64_t offset, int64_t size);
tlx::rt::Param mapParam(const char *name, int64_t offset, tlx::rt::TensorMap map);

/// A manifest called `gemm` with these parameters and an image of 5 bytes.
tlx::rt::Manifest manifestWith(std::vector<tlx::rt::Param> params);

/// Loads `manifest`, expecting success; also tells the stand-in where the parameters are.
tlxrt_kernel *loaded(StandIn &driver, const tlx::rt::Manifest &manifest);

tlxrt_arg pointerArg(uintptr_t address);
tlxrt_arg integerArg(int64_t value);
tlxrt_arg floatArg(double value);
tlxrt_arg tensorArg(const tlxrt_tensor &tensor);

/// A contiguous tensor at `address`.
tlxrt_tensor tensorOf(uintptr_t address, tlxrt_dtype dtype, std::vector<int64_t> sizes);

/// Launches on a grid of one block; gives the detail text, empty on success.
std::string launchText(tlxrt_kernel *kernel, std::vector<tlxrt_arg> args, tlxrt_status expected);

#endif
