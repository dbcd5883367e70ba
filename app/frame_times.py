"""How long the frames of a run with `--frames` took."""

import time
from array import array

import numpy as np
from numpy.typing import NDArray

from app import STARTED

WARM_UP = 0.1  # of the frames; drivers and caches are still finding their stride in them


class FrameTimes:
    """Notes when each frame ends, eight bytes a frame."""

    def __init__(self) -> None:
        self.ends = array("d")

    def note(self) -> None:
        """A frame ended now."""
        self.ends.append(time.perf_counter())

    @property
    def milliseconds(self) -> NDArray[np.float64]:
        """From one frame's end to the next one's [N], without the warm-up."""
        ends = np.frombuffer(self.ends)[int(len(self.ends) * WARM_UP) :]
        return np.diff(ends) * 1000

    def report(self) -> str:
        """Rate, spread (of three frames or more) and the time of the start, a line each, for people."""
        count = len(self.ends)
        seconds = time.perf_counter() - self.ends[0]
        lines = [f"{count} frames, {(count - 1) / seconds:.1f} frames/s"]
        if len(taken := self.milliseconds):
            median, late = np.percentile(taken, (50, 99))
            lines.append(
                f"{median:.3f} ms a frame (median), {late:.3f} ms (99th percentile), "
                f"{taken.max():.3f} ms (longest), after the first {WARM_UP:.0%}"
            )
        lines.append(f"first frame {self.ends[0] - STARTED:.2f} s after Python had started")
        return "\n".join(lines)
