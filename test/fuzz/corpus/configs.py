import itertools
import triton
import triton.language as tl

base = {"A": 1}
configs = [triton.Config({**base, "B": b}, num_stages=s) for b, s in itertools.product([1, 2], range(3))]
for b in (5, 6):
    configs += [triton.Config(dict(A=b), num_warps=4)]


def more(n=2):
    made = []
    for i, j in zip(range(n), reversed([1, 2])):
        if i == j:
            continue
        made.append(triton.Config({"A": i, "B": 2 ** j}, maxnreg=64))
    return made


@triton.autotune(configs=configs + more(), key=["n"])
@triton.jit
def k(p, n, A: tl.constexpr, B: tl.constexpr = 4):
    tl.store(p, A + B)
