"""One case from its start to its figures."""

from collections.abc import Callable
from typing import Any

import numpy as np

from app.backend import Choice
from app.bench import check, race
from app.bench.cases import GROWING, MARKS, Case
from app.bench.moment import moment_of
from app.bench.run import Limits, Run
from app.bench.timing import CADENCE, Timing, seconds_of
from kernels.contract import PASSES, floor_bytes
from kernels.simulation import Simulation

Figures = dict[str, Any]  # what JSON takes
Say = Callable[[str], None]

SAMPLES = 16  # of steps timed pass by pass, spread over one cadence
SLOW = 2e-3  # seconds a step, above which the growing world is not run again
AGAIN = 5  # times that it is run otherwise


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
    run = Run(case, choice, limits)
    simulation = run.simulation
    say("reaching its state")
    run.reach()
    races = race.can_race(case, choice.backend)
    judged = check.judge_of(case, choice.backend) != "counts"
    moment = moment_of(simulation) if judged or races else None
    say("checking")
    simulation.step(check.STEPS)
    checked, digest = check.check(case, simulation, moment)
    say("timing")
    timing = run.time()
    passes = sampled(simulation)
    torch_seconds = None
    if moment and races:
        say("racing PyTorch")
        torch_seconds = race.race(case, choice.backend, moment, digest)
    return figures(case, timing, simulation.bandwidth(), torch_seconds) | {
        "checked": checked,
        "digest": digest,
        "passes": {name: digits(1000 * seconds) for name, seconds in passes.items()},
    }


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
    run = Run(GROWING, choice, limits)
    simulation = run.simulation
    times = 1 if run.guess > SLOW else AGAIN
    limits.check(run.guess * (MARKS[-1] + CADENCE) * times)
    found: list[list[float]] = [[] for _ in MARKS]
    for _ in range(times):
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
