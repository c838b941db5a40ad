"""Interleaved timing of two functions on one GPU."""

import contextlib
import statistics

import torch


class Contestant:
    """A function that enqueues work on the current stream, and the context that its launches need (may be none)."""

    def __init__(self, name, function, context=contextlib.nullcontext):
        self.name, self.function, self.context = name, function, context
        self.graph, self.launches, self.samples = None, 1, []

    def run(self, count):
        with self.context():
            for _ in range(count):
                self.function()

    def sample(self):
        if self.graph is not None:
            self.graph.replay()
        else:
            self.run(self.launches)

    def record(self, per_launch, least_ms):
        """Records as many launches as take `least_ms` when one takes `per_launch`."""
        self.launches = max(1, min(2000, int(least_ms / max(per_launch, 1e-4)) + 1))
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.run(self.launches)
        self.graph.replay()
        torch.cuda.synchronize()

    def prepare(self, least_ms, use_graph):
        self.run(3)
        torch.cuda.synchronize()
        per_launch = elapsed(lambda: self.run(5)) / 5
        if not use_graph:
            self.launches = max(1, min(2000, int(least_ms / max(per_launch, 1e-4)) + 1))
            return
        self.record(per_launch, least_ms)
        # In a graph short kernels follow each other more closely, so that more of them are needed.
        per_launch = elapsed(self.graph.replay) / self.launches
        if per_launch * self.launches < 0.8 * least_ms:
            self.record(per_launch, least_ms)

    def median(self):
        return statistics.median(self.samples)


def elapsed(work):
    """Milliseconds between two events around `work`."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    # The GPU waits for a moment, so that `work` is in its queue before the clock starts.
    torch.cuda._sleep(200_000)
    start.record()
    work()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end)


def interleave(contestants, repetitions=15, least_ms=1.0, use_graph=True):
    """Fills `samples` (ms for one launch) of each contestant: every repetition runs all of them, in turning order."""
    for contestant in contestants:
        contestant.prepare(least_ms, use_graph)
    # Two rounds that do not count bring the clocks to where the load keeps them.
    for repetition in range(-2, repetitions):
        order = contestants if repetition % 2 == 0 else list(reversed(contestants))
        for contestant in order:
            time = elapsed(contestant.sample) / contestant.launches
            if repetition >= 0:
                contestant.samples.append(time)
    for contestant in contestants:
        contestant.graph = None


def equal_bits(function, outputs, runs):
    """True when `runs` runs, each on outputs full of NaN, give the same bits."""
    first = None
    for _ in range(runs):
        for output in outputs:
            output.fill_(float("nan"))
        function()
        torch.cuda.synchronize()
        now = [output.view(torch.uint8).clone() for output in outputs]
        if first is None:
            first = now
        elif any(not torch.equal(a, b) for a, b in zip(first, now)):
            return False
    return True


def relative_error(found, expected):
    """Error in the Frobenius norm; NaN when `found` holds one."""
    found, expected = found.double(), expected.double()
    return float((found - expected).norm() / expected.norm())
