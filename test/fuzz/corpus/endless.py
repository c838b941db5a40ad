@tl.constexpr_function
def deep(n):
    r = 0
    while n > 1:
        while r < 40000:
            r += 1
        r = 0
    return r


@triton.jit
def k(p, n):
    tl.store(p, deep(64))
