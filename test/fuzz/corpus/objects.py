@tl.core._aggregate
class Pair:
    a: tl.tensor
    b: tl.constexpr

    def __init__(self, a, b):
        self.a = a
        self.b = b

    @triton.jit
    def sum(self, more=1):
        return self.a + self.b + more


class Point(NamedTuple):
    x: int
    y: int = 2


@tl.constexpr_function
def log2(n):
    r = 0
    while n > 1:
        n //= 2
        r += 1
    return r


@triton.jit
def k(p, n):
    v = Pair(n, Point(1).y)
    for i in range(n):
        v = Pair(v.sum(i), v.b)
    tl.store(p, v.a + log2(64))
