"""Times steps and their passes on the GPU."""

import contextlib
import itertools
from collections.abc import Iterator

from kernels.contract import PASSES
from kernels.gpu_device import device

# The marks of what can be timed: each pass begins at the mark of its name and ends at the next one.
MARKS = {"step": ("agents", "field", "end"), "order": ("order", "ordered")}


class Stopwatch:
    """Times steps and passes on the GPU by events, without ever waiting for it.

    Attributes:
        step_seconds: What a step took, of the last ones known to be done.
        wanted: Those of `MARKS` that are to be done with their marks next.
    """

    def __init__(self) -> None:
        self.step_seconds = 0.0
        self.wanted: set[str] = set()
        self._steps = 0
        self._start, self._stop = device.Event(), device.Event()
        self._marks = {name: device.Event() for names in MARKS.values() for name in names}
        self._under_way: set[str] = set()
        self._seconds: dict[str, float] = {}

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

    def sample(self) -> None:
        """Asks for the next step and order with their marks, but for what is under way."""
        self._read()
        self.wanted |= MARKS.keys() - self._under_way

    def mark(self, name: str) -> None:
        """Marks where a pass begins or the last one ends; what is captured so marks it each time it runs."""
        self._marks[name].record()

    def asked(self, what: str) -> None:
        """Says that one of `MARKS` was asked of the GPU with its marks."""
        self.wanted.discard(what)
        self._under_way.add(what)

    def pass_seconds(self, every: int) -> dict[str, float]:
        """What each pass took, of what the GPU has done; an order is shared out over `every` steps."""
        self._read()
        if "agents" not in self._seconds:
            return {}
        shares = {"order": every}
        return {name: self._seconds.get(name, 0.0) / shares.get(name, 1) for name in PASSES}

    def _read(self) -> None:
        for what in tuple(self._under_way):
            marks = [(name, self._marks[name]) for name in MARKS[what]]
            if all(mark.passed() for _, mark in marks):
                for (name, begin), (_, end) in itertools.pairwise(marks):
                    self._seconds[name] = end.seconds_since(begin)
                self._under_way.discard(what)
