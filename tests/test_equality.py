"""Backends equal the reference bit for bit, whatever the world, the parameters, the threads."""

import dataclasses
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from looks import LOOKS

from kernels import cpu_memory
from kernels.params import LOOK, SPECS, Params
from kernels.simulation import Simulation
from kernels.stroke import Stroke
from kernels.world import World, pack

ROOT = Path(__file__).parent.parent
BACKENDS = ["cpu"]
AWKWARD = World(401, 257, 30011, "7")
WORLDS = [
    World(16, 16, 1),
    World(16, 17, 1, "one agent"),
    World(31, 16, 70_001),
    World(3001, 16, 5000),
    World(16, 3001, 5000),
    World(32768, 16, 1000),
    World(1024, 1024, 513),
    World(1025, 33, 1024),
]

SETUP = f"""
import logging, threading
from kernels import cpu, cpu_agents, cpu_crowd, cpu_field, cpu_model, cpu_moves, cpu_order, cpu_rules
from kernels import cpu_responses, cpu_scene, cpu_scent
import numba
from kernels.params import Params
from kernels.scene import Map, Start
from kernels.simulation import Simulation
from kernels.stroke import Stroke
from kernels.world import World
AWKWARD = {AWKWARD!r}
"""

PLAIN = "default", "mesh", "fleeing", "extreme"  # what other looks do is test_equality_rules.py's

Script = Sequence[int | Params | Stroke]


def run(simulation: Simulation, script: Script) -> Simulation:
    """Does a script's entries in order: so many steps, other parameters, a stroke."""
    for entry in script:
        if isinstance(entry, int):
            simulation.step(entry)
        elif isinstance(entry, Params):
            simulation.set(entry)
        else:
            simulation.paint(entry)
    return simulation


def assert_equal(ours: Simulation, expected: Simulation) -> None:
    """Asserts that trail, counts and the sorted agent words are equal in every bit."""
    assert ours.steps == expected.steps
    states = zip(("trail", "counts", "agents"), ours.state(), expected.state(), strict=True)
    for name, here, there in states:
        assert here.dtype == there.dtype
        if name == "agents":
            here, there = np.sort(here), np.sort(there)
        differ = np.argwhere(here != there)
        assert here.shape == there.shape
        assert len(differ) == 0, f"{len(differ)} {name} differ after step {ours.steps}, first at {differ[0]}"
    assert ours.digest() == expected.digest()


def assert_same_run(backend: str, world: World, params: Params, script: Script) -> None:
    """Runs a backend and the reference, and compares them after every entry of the script."""
    ours, expected = Simulation(world, params, backend), Simulation(world, params, "reference")
    for entry in script:
        assert_equal(run(ours, [entry]), run(expected, [entry]))
    assert int(ours.state()[1].sum()) == world.agents


def python(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a script in a fresh Python, after SETUP."""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", SETUP + script],
        cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran


@pytest.mark.parametrize(("look", "seed"), [*zip(PLAIN, ("7", "-1e400") * 2, strict=True)])
@pytest.mark.parametrize("backend", BACKENDS)
def test_500_steps(backend: str, look: str, seed: str) -> None:
    world = dataclasses.replace(AWKWARD, seed=seed)
    assert_same_run(backend, world, LOOKS[look], [1, 2, 62, 435])


@pytest.mark.parametrize("backend", BACKENDS)
def test_strokes_and_changes_on_the_way(backend: str) -> None:
    adding, erasing = Stroke(-700, 5000, 40 * 256, 300), Stroke(90_000, 64_000, 90 * 256, -70)
    script = [3, adding, 1, LOOKS["fleeing"], erasing, 5, LOOKS["extreme"], adding, 60, Params(), 9]
    assert_same_run(backend, AWKWARD, Params(), script)


@pytest.mark.parametrize("world", WORLDS, ids=lambda w: f"{w.width}x{w.height}-{w.agents}")
@pytest.mark.parametrize("backend", BACKENDS)
def test_odd_worlds(backend: str, world: World) -> None:
    assert_same_run(backend, world, Params(), [1, 7])
    assert_same_run(backend, world, LOOKS["extreme"], [1, 7, 58])


@pytest.mark.parametrize("backend", BACKENDS)
def test_all_agents_on_one_cell(backend: str) -> None:
    world = World(40, 30, 65_536)
    low = np.arange(world.agents, dtype=np.uint32)
    unit = np.uint32(1 << world.fraction_bits)
    words = pack(39 * unit + (low & 255), 29 * unit + (low >> 8), np.full_like(low, 9000))
    pair = [Simulation(world, Params(), name) for name in (backend, "reference")]
    for simulation in pair:
        simulation.backend.load(simulation.buffers, world, words)
        simulation.set(LOOKS["fleeing"])
        simulation.step()
        assert simulation.state()[1].max() == world.agents
        run(simulation, [Params(), 65])
    assert_equal(*pair)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_restart_begins_again(backend: str) -> None:
    simulation = Simulation(AWKWARD, Params(), backend)
    first = run(simulation, [70]).digest()
    simulation.reset(dataclasses.replace(AWKWARD, seed="another"))
    assert run(simulation, [70]).digest() != first
    simulation.reset(AWKWARD)
    assert simulation.steps == 0
    assert not simulation.trail.any()
    assert run(simulation, [70]).digest() == first


def any_params() -> st.SearchStrategy[Params]:
    """Parameters from all of their ranges, ends included, but those of further species and of the picture."""
    fields = {
        name: st.sampled_from(spec.choices) if spec.choices else st.floats(spec.low, spec.high)
        for name, spec in SPECS.items()
        if spec.species < 2 and name not in LOOK and (spec.choices or isinstance(spec.default, float))
    }
    fields["sensor_width"] = st.integers(1, 9)
    return st.builds(Params, **fields)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.integers(16, 90), st.integers(16, 90), st.integers(1, 3000), st.text(max_size=8), any_params())
def test_any_world_and_parameters(width: int, height: int, agents: int, seed: str, params: Params) -> None:
    assert_same_run("cpu", World(width, height, agents, seed), params, [1, 4])


# Threads


def test_the_number_of_threads_changes_nothing() -> None:
    """More threads than rows, too."""
    script = """
for threads in 1, 2, 3, 19:
    numba.set_num_threads(threads)
    for world in AWKWARD, World(300, 16, 2000):
        simulation = Simulation(world, Params(), "cpu")
        assert len(simulation.buffers.planes) == threads
        simulation.step(70)
        print(simulation.digest())
"""
    digests = python(script, NUMBA_NUM_THREADS="19").stdout.split()
    expected = [
        run(Simulation(world, Params(), "reference"), [70]).digest()
        for world in (AWKWARD, World(300, 16, 2000))
    ]
    assert digests == expected * 4


def test_two_simulations_in_two_threads_under_workqueue() -> None:
    """Numba's workqueue aborts the process when two threads call it at a time."""
    script = """
def go(number):
    simulation = Simulation(AWKWARD, Params(), "cpu")
    for _ in range(100):
        simulation.step(1)
    digests[number] = simulation.digest()

digests = [None] * 3
threads = [threading.Thread(target=go, args=(number,)) for number in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert numba.threading_layer() == "workqueue"
print(*digests)
"""
    digests = python(script, NUMBA_THREADING_LAYER="workqueue", NUMBA_NUM_THREADS="2").stdout.split()
    assert digests == [run(Simulation(AWKWARD, Params(), "reference"), [100]).digest()] * 3


def test_fewer_workers_where_planes_would_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu_memory, "MAX_PLANES", 4 * AWKWARD.width * AWKWARD.height)
    simulation = Simulation(AWKWARD, Params(), "cpu")
    assert len(simulation.buffers.planes) == 1
    assert len(simulation.buffers.sums) == numba.get_num_threads()
    assert_equal(run(simulation, [3]), run(Simulation(AWKWARD, Params(), "reference"), [3]))


def test_no_count_is_lost() -> None:
    """A million agents on 256 cells, in all threads: unsynchronised counts lose a fifth of them."""
    simulation = Simulation(World(16, 16, 1_000_000), Params(), "cpu")
    for _ in range(3):
        simulation.step()
        assert int(simulation.state()[1].sum()) == 1_000_000
