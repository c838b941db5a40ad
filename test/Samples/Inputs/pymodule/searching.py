import triton
import triton.language as tl


@tl.core._aggregate
class Limits:
    low: tl.constexpr
    high: tl.tensor

    def __init__(self, low, high):
        self.low = low
        self.high = high

    @triton.jit
    def contains(self, x):
        return (x >= self.low) & (x < self.high)


@triton.jit
def first_at_least(n):
    for i in range(0, 1000):
        if i * i >= n * n:
            return i
    return -1
