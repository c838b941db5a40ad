// SplitMix64 and Box-Muller. Logarithm, sine and cosine are written out, because those of C libraries differ in the
// last bit; this file is compiled without contraction of multiply and add for the same reason.
#include "tlx/Launch/Random.h"

#include <bit>
#include <cmath>

using namespace tlx;

// Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014.
uint64_t rt::splitMix64(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Natural logarithm of a normal number in (0, 1].
static double logarithm(double x) {
  uint64_t bits = std::bit_cast<uint64_t>(x);
  int exponent = int(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0x000FFFFFFFFFFFFFu) | 0x3FF0000000000000u);
  if (mantissa > 1.4142135623730951) {
    mantissa *= 0.5;
    exponent += 1;
  }
  // ln m = 2 artanh(s) with s = (m - 1) / (m + 1), |s| < 0.172: terms up to s^21 are enough.
  double s = (mantissa - 1) / (mantissa + 1), square = s * s, sum = 0;
  for (int k = 21; k >= 1; k -= 2)
    sum = sum * square + 1.0 / k;
  return 2 * s * sum + exponent * 0.6931471805599453;
}

struct SineCosine {
  double sine;
  double cosine;
};

/// Sine and cosine of `turns` full turns, 0 <= turns < 1.
static SineCosine sineCosine(double turns) {
  double quarters = turns * 4;
  int quadrant = int(quarters + 0.5);
  double x = (quarters - quadrant) * 1.5707963267948966, square = x * x;
  double sine = 0, cosine = 0;
  for (int k = 8; k >= 1; --k) {
    sine = (1 - sine) * square / ((2 * k) * (2 * k + 1));
    cosine = (1 - cosine) * square / ((2 * k - 1) * (2 * k));
  }
  sine = x * (1 - sine);
  cosine = 1 - cosine;
  switch (quadrant & 3) {
  case 0:
    return {sine, cosine};
  case 1:
    return {cosine, -sine};
  case 2:
    return {-sine, -cosine};
  default:
    return {-cosine, sine};
  }
}

double rt::standardNormal(uint64_t seed, uint64_t index) {
  uint64_t pair = index & ~uint64_t(1);
  // 53 bits each; the first is moved into (0, 1] so that its logarithm is finite.
  double first = double((splitMix64(seed, pair) >> 11) + 1) * 0x1p-53;
  double turns = double(splitMix64(seed, pair + 1) >> 11) * 0x1p-53;
  double radius = std::sqrt(-2 * logarithm(first));
  SineCosine angle = sineCosine(turns);
  return radius * (index & 1 ? angle.sine : angle.cosine);
}

int64_t rt::uniformInteger(uint64_t seed, uint64_t index, int64_t low, int64_t high) {
  uint64_t range = uint64_t(high) - uint64_t(low);
  auto wide = static_cast<unsigned __int128>(splitMix64(seed, index)) * range;
  return int64_t(uint64_t(low) + uint64_t(wide >> 64));
}
