import torch, triton
from .helpers import *
import triton.language as tl
import triton.language.extra.tlx as tlx


@dataclass
class Bench(Base, metaclass=Meta):
    async def run(self, *args, key=lambda x: (y := x), **kwargs) -> None:
        try:
            match args:
                case [1, *_]:
                    yield from self
        except* ValueError as e:
            raise e from None
        finally:
            del self.x
        async with a as b, c:
            print(f"{self.x=!r:{width}} {'nested'}", end='')
        return await self[1:2, ..., ::3] @ x if x else {**a, 'b': 1} | {1, 2} - {i for i in j}


@triton.autotune(configs=[triton.Config({'B': b}, num_warps=w) for b in (1, 2) for w in [4]], key=['n'], pre_hook=Bench.run)
@triton.heuristics({'E': lambda a: a['n'] % 2 == 0})
@triton.jit(do_not_specialize=['n'])
def k(p: "*fp16:16", n: "i32=1", B: tl.constexpr, E: tl.constexpr = True):
    """Doc."""
    tl.store(p, B if E else n)
