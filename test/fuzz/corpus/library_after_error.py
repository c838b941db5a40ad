T = {'a': 2, 3: (1, [2, None])}


@triton.zit
def f(x, *rest, scale=1, **more
: )   if len(rest) == 0:
        return x * scale
    return f(rest[0], *rest[1:], scale=scale) + more['b']


@triton.jit
def pick(a, b):
    if a > b:
        return a
    return b // a


@triton.jit
def k(p, n):
    i = tl.arange(0, 8)
    (a, *b), c = (1, 2, 3), [x * 2 for x in range(4) if x != 1]
    c.append(n)
    tl.static_assert(f'{a:>9}{b!r}' == '   1[2, 3]', f"{c}")
    tl.store(p + i, tl.reduce(i, 0, pick) + tl.map_elementwise(pick, i, i) + f(n, 2, scale=T['a'], b=1))
    assert n > 0, "n"
