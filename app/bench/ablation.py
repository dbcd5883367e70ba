"""What each idea is worth: the same world without one of them at a time, and all with equal bits."""

import contextlib
import dataclasses
import functools
import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from app.backend import Choice, workers
from app.bench import check, race
from app.bench.cases import Case
from app.bench.measure import Say, digits
from app.bench.moment import Moment, Stepping, moment_of, resume
from app.bench.run import LeftOut, Limits, Run
from app.bench.timing import seconds_of, time_going_on
from kernels.params import Params
from kernels.simulation import Simulation, State, digest
from kernels.world import World

Variant = Callable[[World, Params, Moment], Stepping]

WHOLE, PLAIN = "as it is", "plain PyTorch"
PATIENCE = 40e-6  # seconds an agent, for all variants on a CPU together (measured on 2 cores)


def variants(backend: str) -> dict[str, Variant]:
    """Ways to step, by what is different; the first is `WHOLE`.

    Args:
        backend: "cpu" or "cuda".
    """
    whole = {WHOLE: functools.partial(_simulated, backend)}
    return whole | (_cuda_variants() if backend == "cuda" else _cpu_variants())


def _cuda_variants() -> dict[str, Variant]:
    """The CUDA backend without one of its ideas, each."""
    from app.bench import without

    found: dict[str, Variant] = {
        name: functools.partial(without.changed, change) for name, change in without.CHANGES.items()
    }
    found["without packing"] = without.Unpacked
    if importlib.util.find_spec("torch"):
        found[PLAIN] = functools.partial(_plain, "cuda")
    return found


def _cpu_variants() -> dict[str, Variant]:
    found: dict[str, Variant] = {
        "without order": _unsorted,
        "one thread": functools.partial(Under, _one_thread),
        "one plain loop": _loop,
    }
    if importlib.util.find_spec("torch"):
        found[PLAIN] = functools.partial(_plain, "cpu")
    return found


def ablate(case: Case, choice: Choice, limits: Limits, say: Say) -> dict[str, Any]:
    """Times all variants from the same state; one that gives other results has no times.

    Args:
        case: What to measure.
        choice: The backend.
        limits: How long it may take.
        say: Is told what happens now.

    Raises:
        LeftOut: It does not fit the memory or the time, or its state passes too quickly.
    """
    if not case.lead:
        raise LeftOut("only developed states are ablated; others pass while they are timed")
    run = Run(case, choice, limits)
    if choice.backend == "cpu":
        limits.check(run.guess * case.lead + PATIENCE * case.agents)
    run.reach()
    moment = moment_of(run.simulation)
    run.simulation.step(check.STEPS)
    expected = run.simulation.digest()
    del run
    rows: list[dict[str, Any]] = []
    for name, make in variants(choice.backend).items():
        if name == PLAIN and not race.can_race(case, choice.backend):
            continue
        say(name)
        ms = _timed(make(case.world, Params(), moment), expected)
        if name == PLAIN:
            race.give_back(choice.backend)
        whole = rows[0]["ms_per_step"] if rows else ms
        slower = digits(ms / whole) if ms and whole else None
        equal = ms is not None
        rows.append({"variant": name, "ms_per_step": ms, "times_slower": slower, "digest_equal": equal})
    return {"name": case.name, "digest": expected, "variants": rows}


def _timed(subject: Stepping, expected: str) -> float | None:
    """Milliseconds a step takes; None if `check.STEPS` steps lead to another digest."""
    subject.step(check.STEPS)
    if digest(subject.state()) != expected:
        return None
    timing = time_going_on(subject, seconds_of(subject, 2), fewest=1, most=9)
    return digits(1000 * timing.percentile(50))


def wrong(ablated: dict[str, Any]) -> list[str]:
    """A sentence for each of the variants that gave other results."""
    return [
        f"{ablated['name']}, {variant['variant']}: the results differ, so there are no figures."
        for variant in ablated["variants"]
        if not variant["digest_equal"]
    ]


def _simulated(backend: str, world: World, params: Params, moment: Moment) -> Simulation:
    simulation = Simulation(world, params, backend)
    if backend == "cuda":  # which keeps its step number to itself, and is there in no time
        simulation.step(moment.step)
    else:
        resume(simulation, moment)
    return simulation


class Under:
    """The CPU backend, with something about it changed while it allocates and while it steps.

    Args:
        change: Enters the change, and leaves it again.
        world: Size and seed.
        params: What the steps use.
        moment: Where to go on from.
    """

    def __init__(
        self,
        change: Callable[[], contextlib.AbstractContextManager[None]],
        world: World,
        params: Params,
        moment: Moment,
    ) -> None:
        self.change = change
        with change():
            self.simulation = _simulated("cpu", world, params, moment)

    def step(self, n: int = 1) -> None:
        """Does `n` steps."""
        with self.change():
            self.simulation.step(n)

    def wait(self) -> None:
        """Returns when all steps asked for are done."""
        self.simulation.wait()

    def state(self) -> State:
        """Trail [C, H, W], counts [C, H, W] and agent words [N]."""
        return self.simulation.state()


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    import numba

    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        yield
    finally:
        numba.set_num_threads(threads)


class _Never:
    """In the place of `kernels.cpu_order.Pace`: never asks for a sort."""

    due = False
    seconds_a_step = 0.0

    def moved(self, seconds: float) -> None:
        """Nothing follows from how long a step took."""


def _unsorted(world: World, params: Params, moment: Moment) -> Simulation:
    """Agents are shuffled once and never sorted: a moment's order would still be that of the last sort."""
    shuffled = np.random.default_rng(1).permutation(moment.agents)
    simulation = _simulated("cpu", world, params, dataclasses.replace(moment, agents=shuffled))
    simulation.buffers.pace = _Never()
    return simulation


def _loop(world: World, params: Params, moment: Moment) -> Stepping:
    from app.bench.loop import Loop

    return Loop(world, params, moment)


def _plain(device: str, world: World, params: Params, moment: Moment) -> Stepping:
    import torch

    from app.bench.plain import Plain

    if device == "cpu":
        torch.set_num_threads(workers())
    return Plain(world, params, moment, device)
