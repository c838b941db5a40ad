from searching import *


@triton.jit
def twice(x):
    return x * 2


@triton.jit
def half(x):
    return first_at_least(x) // 2
