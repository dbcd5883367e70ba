"""A benchmark of moments, for the tests of each of its parts."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from app.bench import cases, measure, timing
from app.bench.cases import Case
from app.bench.moment import Moment, moment_of
from app.bench.run import Limits
from app.cli import main
from kernels import reference
from kernels.params import Params
from kernels.simulation import BACKENDS, Simulation
from kernels.world import World

TINY = tuple(Case(700, 64, 48, state) for state in cases.STATES)
DEVELOPED = next(case for case in TINY if case.state == "developed")
WORLD = World(401, 257, 30_011)

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A benchmark of moments, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cases, "ALL", TINY)
    monkeypatch.setattr(cases, "QUICK", TINY)
    monkeypatch.setattr(cases, "COMPARED", (DEVELOPED,))
    monkeypatch.setattr(measure, "GROWING", TINY[0])
    monkeypatch.setattr(timing, "WINDOW", 1e-4)
    monkeypatch.setattr(timing, "SPENT", 1e-3)


@pytest.fixture
def standing_in(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The reference in the place of the CPU backend, to be spoilt."""
    module = ModuleType("standing_in")
    vars(module).update(vars(reference))

    def sample(b: reference.Buffers) -> None:
        b.pass_seconds = {"agents": 0.003, "field": 0.001, "order": 0.0}

    vars(module).update(bandwidth=lambda: 2e9, sample=sample)
    monkeypatch.setitem(sys.modules, "standing_in", module)
    monkeypatch.setitem(BACKENDS, "cpu", "standing_in")
    return module


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `physarium bench` in this process; gives its status, stdout and stderr."""

    def command(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main(("bench", "--backend", "cpu", *words))
        return status, *capsys.readouterr()

    return command


def unlimited() -> Limits:
    return Limits(float("inf"), float("inf"))


def spoil(module: ModuleType) -> None:
    """From now on each call of `advance` leaves a trace of its own on the trail."""

    def advance(b: reference.Buffers, steps: int) -> None:
        reference.advance(b, steps)
        b.trail[0, 0, 0] += np.float32(1)

    vars(module).update(advance=advance)


def moment(steps: int = 40) -> tuple[Moment, str]:
    """A moment of a run, and the run's digest 25 steps later."""
    simulation = Simulation(WORLD, Params(), "reference")
    simulation.step(steps)
    found = moment_of(simulation)
    simulation.step(25)
    return found, simulation.digest()
