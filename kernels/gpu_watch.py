"""Times steps and their passes on the GPU."""

import contextlib
import itertools
from collections.abc import Iterator

from kernels.contract import PASSES
from kernels.gpu_device import device


class Stopwatch:
    """Times steps and passes on the GPU by events, without ever waiting for it.

    Attributes:
        step_seconds: What a step took, of the last ones known to be done.
        wanted: What `sample` asked for and no step has done yet.
    """

    def __init__(self) -> None:
        self.step_seconds = 0.0
        self.wanted: set[str] = set()
        self._steps = 0
        self._start, self._stop = device.Event(), device.Event()
        self._marks = {name: device.Event() for name in ("agents", "field", "end", "order", "ordered")}
        self._seconds: dict[str, float] = {}
        self._seen: set[str] = set()

    @contextlib.contextmanager
    def timing(self, steps: int) -> Iterator[None]:
        """Measures the block, which asks for so many steps, unless the last measurement still runs."""
        if self._steps and not self._stop.passed():
            yield
            return
        if self._steps:
            self.step_seconds = self._stop.seconds_since(self._start) / self._steps
        self._start.record()
        yield
        self._stop.record()
        self._steps = steps

    def mark(self, name: str) -> None:
        """Marks the beginning of a pass, or the end of the last."""
        self._marks[name].record()

    def done(self, what: str) -> None:
        """Says that "step" or "order" was asked of the GPU, with its marks."""
        self.wanted.discard(what)
        self._seen.add(what)

    def pass_seconds(self, every: int) -> dict[str, float]:
        """What each pass took, of what the GPU has done; an order is shared out over `every` steps."""
        marks = self._marks
        for what, names in (("step", ("agents", "field", "end")), ("order", ("order", "ordered"))):
            if what in self._seen and all(marks[name].passed() for name in names):
                spans = {a: marks[b].seconds_since(marks[a]) for a, b in itertools.pairwise(names)}
                if all(seconds > 0 for seconds in spans.values()):  # else a later step is half way through
                    self._seconds |= spans
        shares = {"order": every}
        return {name: self._seconds[name] / shares.get(name, 1) for name in PASSES if name in self._seconds}
