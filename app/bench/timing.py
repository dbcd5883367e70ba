"""How long a step takes: windows of steps on the wall clock.

A window is long enough for the clock, and holds at least one order of the agents, so that its cost is shared
out over the steps it serves. CUDA's orders come at a fixed cadence and a window holds a whole number of them;
the CPU's come when they pay, so a window there may hold a part of one too many or too few. Where that is
affordable it holds two or more, for the part to weigh less. The median of the windows is what is reported.
"""

import dataclasses
import math
import time
from collections.abc import Callable

import numpy as np

from app.bench.moment import Stepping

CADENCE = 64  # steps: a multiple of CUDA's from order to order, and the CPU's longest
WINDOW = 0.02  # seconds at least, where a state lasts as long
AFFORDABLE = 1.5  # seconds: a window holds two cadences if they take no longer
SPENT = 4.0  # seconds to spend on the windows of a case, about
CHEAP = 0.5  # seconds a window may take to be done once more, for a better guess and to warm up
FEWEST, MOST = 5, 25  # windows


@dataclasses.dataclass(frozen=True, slots=True)
class Timing:
    """What was found.

    Attributes:
        steps: Steps in a window.
        seconds: Seconds a step took, in each of the windows.
    """

    steps: int
    seconds: tuple[float, ...]

    def percentile(self, percent: float) -> float:
        """Seconds a step took; 50 is the median."""
        return float(np.percentile(self.seconds, percent))


def seconds_of(subject: Stepping, steps: int) -> float:
    """Seconds that a step of so many in a row takes."""
    subject.wait()
    started = time.perf_counter()
    subject.step(steps)
    subject.wait()
    return (time.perf_counter() - started) / steps


def time_going_on(
    subject: Stepping, guess: float, *, cadence: int = CADENCE, fewest: int = FEWEST, most: int = MOST
) -> Timing:
    """Windows in a row, of a state that lasts.

    Args:
        subject: What steps.
        guess: Seconds a step takes, about; found out better where that is cheap.
        cadence: Every window is a multiple of so many steps.
        fewest: Windows, however long they take.
        most: Windows, however short they are.
    """
    if cadence * guess < CHEAP:
        guess = seconds_of(subject, cadence)
    least = 2 if 2 * cadence * guess <= AFFORDABLE else 1
    steps = cadence * max(least, math.ceil(WINDOW / (cadence * guess)))
    windows = _windows(steps * guess, fewest, most)
    return Timing(steps, tuple(seconds_of(subject, steps) for _ in range(windows)))


def time_from_start(subject: Stepping, guess: float, begin: Callable[[], None]) -> Timing:
    """Windows of one cadence, of a state that passes: each begins at it anew, which is not timed.

    Args:
        subject: What steps.
        guess: Seconds a step takes, about.
        begin: Brings the subject back to the state.
    """
    seconds = []
    for _ in range(_windows(CADENCE * guess, FEWEST, MOST)):
        begin()
        seconds.append(seconds_of(subject, CADENCE))
    return Timing(CADENCE, tuple(seconds))


def _windows(seconds: float, fewest: int, most: int) -> int:
    return max(fewest, min(int(SPENT / seconds), most))
