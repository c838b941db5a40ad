// One implementation for both drivers: what is used here has the same shape in both.
#include "tlx/Runtime/Device.h"

#include "tlx/Runtime/Driver.h"
#include "tlx/Runtime/HipDriver.h"

using namespace tlx;
using namespace tlx::rt;

namespace {

/// HIP's current device is one of the thread: nothing to enter.
struct NoScope {};

template <typename D, typename Event, typename Scope> class DriverDevice final : public Device {
public:
  DriverDevice(const D &driver, Scope scope) : driver(driver), scope(std::move(scope)) {}

  Result<uint64_t> allocate(size_t bytes) override {
    unsigned long long address = 0;
    TLX_TRY_DRIVER(driver, memAlloc, &address, bytes);
    return uint64_t(address);
  }
  void release(uint64_t address) override { driver.memFree(address); }
  Status upload(uint64_t to, const void *from, size_t bytes) override {
    TLX_TRY_DRIVER(driver, memcpyHtoD, to, from, bytes);
    return Done();
  }
  Status download(void *to, uint64_t from, size_t bytes) override {
    TLX_TRY_DRIVER(driver, memcpyDtoH, to, from, bytes);
    return Done();
  }
  Status synchronize() override {
    TLX_TRY_DRIVER(driver, synchronize);
    return Done();
  }
  Result<float> time(const std::function<Status()> &launches) override {
    Event start = nullptr, end = nullptr;
    TLX_TRY_DRIVER(driver, eventCreate, &start, 0);
    TLX_TRY_DRIVER(driver, eventCreate, &end, 0);
    Result<float> elapsed = timeBetween(start, end, launches);
    driver.eventDestroy(start);
    driver.eventDestroy(end);
    return elapsed;
  }

private:
  Result<float> timeBetween(Event start, Event end, const std::function<Status()> &launches) {
    TLX_TRY_DRIVER(driver, eventRecord, start, nullptr);
    if (Status status = launches(); !status)
      return status.error();
    TLX_TRY_DRIVER(driver, eventRecord, end, nullptr);
    TLX_TRY_DRIVER(driver, eventSynchronize, end);
    float milliseconds = 0;
    TLX_TRY_DRIVER(driver, eventElapsedTime, &milliseconds, start, end);
    return milliseconds;
  }

  const D &driver;
  [[no_unique_address]] Scope scope;
};

Result<std::unique_ptr<Device>> openHip() {
  auto driver = HipDriver::get();
  if (!driver)
    return driver.error();
  return std::unique_ptr<Device>(std::make_unique<DriverDevice<HipDriver, hip::Event, NoScope>>(**driver, NoScope()));
}

Result<std::unique_ptr<Device>> openCuda() {
  auto driver = Driver::get();
  if (!driver)
    return driver.error();
  auto scope = ContextScope::enter(**driver);
  if (!scope)
    return scope.error();
  return std::unique_ptr<Device>(
      std::make_unique<DriverDevice<Driver, cuda::Event, ContextScope>>(**driver, std::move(*scope)));
}

} // namespace

Result<std::unique_ptr<Device>> Device::open(ImageKind kind) {
  return kind == ImageKind::Hsaco ? openHip() : openCuda();
}
