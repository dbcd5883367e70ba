"""A snapshot of a state goes on bit for bit, on every backend and from one to the other.

For Triton's interpreter this file is a script in a process of its own: `python test_snapshots.py NAME ...`.
"""

import dataclasses
import importlib.util
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from looks import LOOKS, SETTINGS, Setting
from pairs import hurry_interpreter

from app.backend import BackendError, nvidia_gpus
from kernels.maps import Mark
from kernels.simulation import Simulation, Snapshot
from kernels.stroke import Stroke
from kernels.world import World

SIZE = 61, 47, 700  # width, height, agents
FOUR = SETTINGS["four species join"]
CASES = {
    "plain": Setting(LOOKS["default"]),
    "four species that join": FOUR,
    "one per cell": Setting(LOOKS["crowded"]),
    "everything, with walls and a mask": SETTINGS["everything"],
    "life in four species": dataclasses.replace(
        FOUR, params=dataclasses.replace(FOUR.params, respawn=30.0, lifetime=40.0, wander=20.0)
    ),
    "a dish": Setting(LOOKS["dish"]),
}
INTERPRETED = "four species that join", "everything, with walls and a mask"
# Steps until snapshots, of both parities, and after them: as far as agents are put in order.
LONG, SHORT = ((5, 18), 21), ((5,), 1)


def begun(name: str, backend: str) -> Simulation:
    """A run that was painted on."""
    simulation = CASES[name].simulation(backend, *SIZE)
    simulation.step(2)
    simulation.mark(Mark("wall", 9000, 3000, 2000, 100, 255))
    simulation.paint(Stroke(3000, 3000, 2000, 2**20))
    return simulation


def go_on(simulation: Simulation, snapshot: Snapshot, run: Simulation, steps: int) -> str:
    """Takes up a snapshot of another run, goes on from it, and gives the digest."""
    maps = dataclasses.replace(run.maps, **{k: v.copy() for k, v in dataclasses.asdict(run.maps).items()})
    simulation.restore(snapshot, run.world, run.params, run.other, maps)
    assert simulation.steps == snapshot.step
    simulation.step(steps)
    return simulation.digest()


def check(name: str, backend: str, befores: tuple[int, ...], after: int) -> None:
    """Asserts that a snapshot goes on as its run does: in that run, in another, and on the reference."""
    run, elsewhere = begun(name, backend), CASES[name].simulation(backend, *SIZE, "another seed")
    specification = CASES[name].simulation("reference", *SIZE)
    elsewhere.step(1)
    for step in befores:
        run.step(step - run.steps)
        snapshot, then = run.snapshot(), run.digest()
        held = [part.copy() for part in run.fetched(snapshot)]
        run.step(after)
        expected = run.digest()
        assert expected != then
        taken_over = Snapshot(snapshot.step, run.fetched(snapshot))
        assert go_on(specification, taken_over, run, after) == expected
        assert go_on(elsewhere, snapshot, run, after) == expected
        assert go_on(elsewhere, taken_over, run, after) == expected
        assert go_on(run, snapshot, run, after) == expected
        for part, before in zip(run.fetched(snapshot), held, strict=True):
            assert np.array_equal(part, before)  # what goes on from a snapshot leaves it alone
        assert snapshot.nbytes == sum(part.nbytes for part in held)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("backend", ["reference", "cpu"])
def test_goes_on_bit_for_bit(backend: str, name: str) -> None:
    check(name, backend, *LONG)


def test_goes_on_bit_for_bit_in_the_interpreter() -> None:
    if importlib.util.find_spec("triton") is None:
        pytest.skip("triton is not installed")
    command = [sys.executable, __file__, *INTERPRETED]
    environment = os.environ | {"TRITON_INTERPRET": "1"}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.splitlines()) == (0, list(INTERPRETED)), ran.stderr


@pytest.mark.parametrize("name", CASES)
def test_goes_on_bit_for_bit_on_a_gpu(name: str) -> None:
    try:
        nvidia_gpus()
    except BackendError as missing:
        pytest.skip(str(missing))
    pytest.importorskip("triton")
    pytest.importorskip("cuda.bindings.runtime")
    check(name, "cuda", *LONG)


def test_other_agents_and_shares_do_not_fit() -> None:
    simulation = begun("plain", "reference")
    assert not simulation.fits(dataclasses.replace(simulation.world, agents=1))
    assert not simulation.fits(World(*SIZE, shares=(1.0, 1.0)))


if __name__ == "__main__":
    from test_interpreter import fit_programs

    hurry_interpreter()
    warnings.simplefilter("error")
    fit_programs(World(*SIZE))
    for case in sys.argv[1:]:
        check(case, "cuda", *SHORT)
        print(case, flush=True)
