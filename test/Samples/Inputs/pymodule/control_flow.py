"""Every way out of a loop or a function, in a module that a host program would import: kernels among host code."""
from __future__ import annotations

import asyncio
import dataclasses
import os
from typing import Callable, Generic, NamedTuple, TypeVar

import torch
import triton
import triton.language as tl

from .searching import first_at_least, Limits
from . import arithmetic as calc

T = TypeVar("T")
DEVICE = triton.runtime.driver.active.get_active_torch_device()
LIMIT: tl.constexpr = 1 << 7

try:
    import matplotlib.pyplot as plt
except ImportError as error:
    plt = None
finally:
    HAS_PLOTS = os.environ.get("PLOTS", "0") == "1"


class Registry(Generic[T]):
    """Host code that a compiler has no business with."""

    entries: dict[str, Callable[..., T]] = {}

    @classmethod
    def register(cls, name: str, /, *, force: bool = False) -> Callable:
        def wrap(function):
            if (old := cls.entries.get(name)) is not None and not force:
                raise KeyError(f"{name!r} is registered as {old.__name__:>10}")
            cls.entries[name] = function
            return function

        return wrap


class Span(NamedTuple):
    low: tl.tensor
    high: tl.tensor


@tl.constexpr_function
def bits(n):
    count = 0
    while n > 1:
        n //= 2
        count += 1
    return count


@triton.jit
def by_break(pid):
    count = 0
    for i in range(LIMIT):
        if i == pid:
            break
        count += 1
    return count


@triton.jit
def by_continue(pid):
    count = 0
    for i in range(pid * 2):
        if i % 2 == 1:
            continue
        count += 1
    return count


@triton.jit
def by_nested_loops(pid):
    """Leaves two loops at once, through a branch of a branch."""
    total = 0
    while True:
        for j in range(0, 4):
            if total >= pid:
                if j < 100:
                    return total
            total += 1
        if total > LIMIT:
            break
    return -1


@triton.jit
def by_else(pid):
    found = 0
    for i in range(pid):
        if i > LIMIT:
            break
        found += 1
    else:
        found = pid
    while found < 0:
        found += 1
    else:
        found += 0
    return found


@triton.jit
def by_early_returns(pid, *others, scale: tl.constexpr = 1):
    if pid > 2:
        if pid > 4:
            if pid == 5:
                return 5
        elif pid == 3:
            return others[0] + 3
        rest = pid * scale
    else:
        rest = pid
    assert scale == 1, f"scale is {scale}"
    return rest


@triton.jit
def by_unrolling(pid):
    seen = []
    for i in tl.static_range(bits(LIMIT)):
        if i == 2:
            continue
        if i == 5:
            break
        seen.append(i)
    tl.static_assert(len(seen) == 4)
    result = -1
    for i in tl.static_range(16):
        result = i
        if i == pid:
            break
    return result if 0 <= pid < 16 else pid


@triton.heuristics({"EVEN": lambda args: args["n"] % 2 == 0})
@triton.jit(do_not_specialize=["n"])
def all_ways(out_ptr, n, EVEN: tl.constexpr = True):
    pid = tl.program_id(0)
    if pid >= n:
        return
    span = Span(low=pid, high=pid + 1)
    limits = Limits(0, n)
    (low, high), *rest = (span, pid, pid)
    same = (by_break(pid) == pid) & (by_continue(pid) == pid) & (by_nested_loops(pid) == pid)
    same = same & (by_else(pid) == pid) & (by_early_returns(pid, 0, scale=1) == pid) & (by_unrolling(pid) == pid)
    same = same & (first_at_least(pid) == pid) & (calc.half(calc.twice(pid)) == rest[0])
    same = same & (high - low == 1) & limits.contains(pid)
    tl.store(out_ptr + pid, pid if same else -1)


def main(n: int = 24) -> None:
    out = torch.full((n,), -1, device=DEVICE, dtype=torch.int32)
    grid = lambda meta: (triton.cdiv(n, 1) + 8,)
    all_ways[grid](out, n)
    match out.tolist():
        case [0, *rest] if len(rest) == n - 1:
            print("right")
        case _:
            print("wrong")


async def later():
    await asyncio.sleep(1)
    async with asyncio.Lock() as lock:
        yield lock


if __name__ == "__main__":
    main()
