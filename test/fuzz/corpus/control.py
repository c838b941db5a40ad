@triton.jit
def k(p, n, C: tl.constexpr = 2):
    s = 0
    for i in range(n):
        if i == 3:
            break
        elif i == C:
            continue
        while s < 9:
            s += 1
        else:
            s -= 1
    else:
        s = s if n > 2 else -s
    if n > 4:
        return
    tl.store(p, s)
