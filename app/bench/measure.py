"""One case from its start to its figures."""

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from app.backend import BackendError, Choice, check_memory
from app.bench import check, race
from app.bench.cases import GROWING, MARKS, Case, cluster
from app.bench.moment import moment_of
from app.bench.timing import CADENCE, FEWEST, Timing, seconds_of, time_from_start, time_going_on
from kernels.contract import PASSES, floor_bytes
from kernels.params import Params
from kernels.simulation import Simulation

Figures = dict[str, Any]  # what JSON takes
Say = Callable[[str], None]

SAMPLES = 16  # of steps timed pass by pass, spread over one cadence
EXTRA = 3e-6  # seconds an agent, for the check and the race (measured on 2 cores)
SLOW = 2e-3  # seconds a step, above which the growing world is not run again


class LeftOut(Exception):  # noqa: N818
    """A case that is not measured on this machine; the message says why."""


class Limits:
    """How long things may take.

    Args:
        case: Seconds for one case.
        total: Seconds for all of them, from now on.
    """

    def __init__(self, case: float, total: float) -> None:
        self.case = case
        self.deadline = time.monotonic() + total

    def check(self, seconds: float) -> None:
        """Refuses what would take so many seconds.

        Raises:
            LeftOut: That is too long.
        """
        left = self.deadline - time.monotonic()
        if seconds > self.case:
            raise LeftOut(f"it would take about {seconds:.0f} s here; a case may take {self.case:.0f} s")
        if seconds > left:
            raise LeftOut(f"it would take about {seconds:.0f} s here; {max(left, 0):.0f} s are left")


def measure(case: Case, choice: Choice, limits: Limits, say: Say) -> Figures:
    """Brings a world to the case's state, checks it, times it, and races it.

    Args:
        case: What to measure.
        choice: The backend.
        limits: How long it may take.
        say: Is told what happens now.

    Raises:
        LeftOut: It does not fit the memory or the time.
        Wrong: The results are not right.
    """
    simulation, begin, guess = begun(case, choice, limits)
    say("reaching its state")
    if begin:
        begin()
    else:
        simulation.step(case.lead - simulation.steps)
    races = race.can_race(case, choice.backend)
    judged = check.judge_of(case, choice.backend) != "counts"
    moment = moment_of(simulation) if judged or races else None
    say("checking")
    simulation.step(check.STEPS)
    checked, digest = check.check(case, simulation, moment)
    say("timing")
    if begin:
        timing = time_from_start(simulation, guess, begin)
        begin()
    else:
        timing = time_going_on(simulation, guess)
    passes = sampled(simulation)
    say("racing PyTorch")
    torch_seconds = race.race(case, choice.backend, moment, digest) if moment and races else None
    return figures(case, timing, simulation.bandwidth(), torch_seconds) | {
        "checked": checked,
        "digest": digest,
        "passes": {name: digits(1000 * seconds) for name, seconds in passes.items()},
    }


def begun(case: Case, choice: Choice, limits: Limits) -> tuple[Simulation, Callable[[], None] | None, float]:
    """A simulation near its start; what brings it back to a state that passes; and seconds a step takes."""
    try:
        check_memory(case.world, choice)
        simulation = Simulation(case.world, Params(), choice.backend)
    except (BackendError, MemoryError) as reason:
        raise LeftOut(str(reason).removesuffix(".")) from reason
    begin = None
    if not case.lead:
        agents = cluster(case.world) if case.state == "clustered" else moment_of(simulation).agents
        begin = functools.partial(simulation.backend.load, simulation.buffers, case.world, agents)
        begin()
    simulation.step(1)  # which sorts
    guess = seconds_of(simulation, 2)
    steps = case.lead + CADENCE * (FEWEST + 2)  # windows, one to warm up, and the samples
    limits.check(guess * steps + EXTRA * min(case.agents, check.BY_BACKEND))
    return simulation, begin, guess


def sampled(simulation: Simulation) -> dict[str, float]:
    """Seconds that each pass of a step takes, by name: medians over one cadence of sorting."""
    found: dict[str, list[float]] = {name: [] for name in PASSES}
    for _ in range(SAMPLES):
        simulation.sample()
        simulation.step(CADENCE // SAMPLES)
        simulation.wait()
        for name, seconds in simulation.pass_seconds.items():
            found[name].append(seconds)
    return {name: float(np.median(seconds)) for name, seconds in found.items() if seconds}


def figures(case: Case, timing: Timing, bandwidth: float, torch_seconds: float | None) -> Figures:
    """What is reported of a case's speed, as JSON takes it.

    Args:
        case: What was measured.
        timing: What was found.
        bandwidth: Bytes per second that the device copies, read and written.
        torch_seconds: What a step takes in plain PyTorch; None where that was not raced.
    """
    seconds = timing.percentile(50)
    least = sum(floor_bytes(case.world).values())
    floor = least / bandwidth
    return {
        "name": case.name,
        "agents": case.agents,
        "width": case.width,
        "height": case.height,
        "state": case.state,
        "ms_per_step": digits(1000 * seconds),
        "ms_p5": digits(1000 * timing.percentile(5)),
        "ms_p95": digits(1000 * timing.percentile(95)),
        "windows": len(timing.seconds),
        "steps_per_window": timing.steps,
        "updates_per_s": digits(case.agents / seconds),
        "gb_s": digits(least / seconds / 1e9),
        "floor_ms": digits(1000 * floor),
        "ratio_to_floor": digits(seconds / floor),
        "torch_ms": torch_seconds and digits(1000 * torch_seconds),
        "speedup": torch_seconds and digits(torch_seconds / seconds),
    }


def growth(choice: Choice, limits: Limits, say: Say) -> Figures:
    """Milliseconds a step of the growing world takes, in a window after each of `MARKS`.

    Args:
        choice: The backend.
        limits: How long it may take.
        say: Is told what happens now.

    Raises:
        LeftOut: It does not fit the memory or the time.
    """
    simulation, _, guess = begun(GROWING, choice, limits)
    limits.check(guess * (MARKS[-1] + CADENCE))
    found: list[list[float]] = [[] for _ in MARKS]
    for _ in range(1 if guess > SLOW else 5):
        simulation.reset()
        for mark, seconds in zip(MARKS, found, strict=True):
            say(f"step {mark}")
            simulation.step(mark - simulation.steps)
            seconds.append(seconds_of(simulation, CADENCE))
    return {
        "name": GROWING.name,
        "after": list(MARKS),
        "ms_per_step": [digits(1000 * float(np.median(seconds))) for seconds in found],
    }


def digits(number: float) -> float:
    """Rounded to five digits: more are noise."""
    return float(f"{number:.5g}")
