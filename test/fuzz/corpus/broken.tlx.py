@triton.jit
def k(p, n:
    x = (1 +
    y = "abc
  z = [1, 2
    if n
        return 0x, 1e, 1__0, '\x4', $
