// C = A·Bᵀ on the GPU through libtlxrt, checked against a reference computed in double precision.
//
// The kernel is samples/gemm_ws.tlx: compiled ahead of time, linked into this program. Nothing here needs the CUDA
// toolkit.
#include "DeviceMemory.h"

#include "gemm_ws.h"
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr int M = 256, N = 512, K = 256;

/// Small integers: exact in fp16, products and sums exact in fp32.
float value(int index) {
  return static_cast<float>((index * 7 + index / 13) % 9 - 4);
}

uint16_t toHalf(float number) {
  uint32_t bits;
  std::memcpy(&bits, &number, 4);
  if (number == 0)
    return 0;
  uint32_t exponent = ((bits >> 23) & 255) - 127 + 15;
  return static_cast<uint16_t>((bits >> 16 & 0x8000) | exponent << 10 | (bits >> 13 & 0x3ff));
}

double fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  if (exponent == 31)
    magnitude = fraction ? NAN : INFINITY;
  return bits & 0x8000 ? -magnitude : magnitude;
}

tlxrt_tensor describe(void *data, int rows, int columns) {
  return {data, TLXRT_FP16, 2, {rows, columns}, {columns, 1}};
}

/// Largest difference from the reference, relative to the size of the sums.
double worstError(const std::vector<float> &a, const std::vector<float> &b, const std::vector<uint16_t> &c) {
  double worst = 0;
  for (int row = 0; row < M; ++row)
    for (int column = 0; column < N; ++column) {
      double sum = 0, size = 1;
      for (int k = 0; k < K; ++k) {
        double product = static_cast<double>(a[row * K + k]) * b[column * K + k];
        sum += product;
        size += std::fabs(product);
      }
      double difference = std::fabs(fromHalf(c[row * N + column]) - sum) / size;
      // Not `>`: a NaN is the worst of all.
      if (!(difference <= worst))
        worst = difference;
    }
  return worst;
}

} // namespace

int main() {
  Device device;
  if (!device.ok()) {
    std::fprintf(stderr, "gemm: %s\n", device.problem());
    return 3;
  }
  std::vector<float> a(M * K), b(N * K);
  std::vector<uint16_t> aHalf(a.size()), bHalf(b.size()), c(M * N, 0x7e00);
  for (size_t i = 0; i < a.size(); ++i)
    aHalf[i] = toHalf(a[i] = value(static_cast<int>(i)));
  for (size_t i = 0; i < b.size(); ++i)
    bHalf[i] = toHalf(b[i] = value(static_cast<int>(i) + 5));
  void *aDevice = device.upload(aHalf), *bDevice = device.upload(bHalf), *cDevice = device.upload(c);

  tlxrt_tensor aTensor = describe(aDevice, M, K), bTensor = describe(bDevice, N, K), cTensor = describe(cDevice, M, N);
  const int grid[3] = {4 * gemm_ws_cluster_size, 1, 1};
  tlxrt_status status = gemm_ws_launch(nullptr, grid, &aTensor, &bTensor, &cTensor, M, N, K);
  if (status != TLXRT_SUCCESS) {
    std::fprintf(stderr, "gemm: %s: %s\n", tlxrt_status_string(status), tlxrt_last_error());
    return 3;
  }
  device.download(cDevice, c);
  double worst = worstError(a, b, c);
  bool good = worst <= 1e-3;
  std::printf("gemm %dx%dx%d: largest relative error %.2g, %s\n", M, N, K, worst,
              good ? "as it should be" : "numbers differ");
  return good ? 0 : 1;
}
