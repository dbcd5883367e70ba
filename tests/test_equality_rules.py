"""Backends equal the reference bit for bit by every rule, alone and together, for one to four species."""

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from looks import LOOKS, SETTINGS, Setting
from test_equality import BACKENDS, assert_equal, python

from kernels.maps import Mark
from kernels.params import Params, check_params
from kernels.simulation import Simulation
from kernels.stroke import Stroke
from kernels.world import GOLDEN, World, unpack

AWKWARD = 101, 67, 3001
ALL = {f"{name} alone": Setting(look) for name, look in LOOKS.items()} | SETTINGS

Change = int | Callable[[Simulation], None]


def both(backend: str, setting: Setting, width: int, height: int, agents: int) -> list[Simulation]:
    """The same run on a backend and on the reference."""
    return [setting.simulation(name, width, height, agents) for name in (backend, "reference")]


def assert_same_run(pair: list[Simulation], script: Sequence[Change]) -> None:
    """Does a script's entries in order, so many steps or a change, and compares after each."""
    for entry in script:
        for simulation in pair:
            if isinstance(entry, int):
                simulation.step(entry)
            else:
                entry(simulation)
        assert_equal(*pair)
    ours, expected = pair
    assert int(ours.state()[1].sum()) == ours.world.agents
    for here, there in zip(ours.glimpse(31), expected.glimpse(31), strict=True):
        assert (here == there).all()


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("backend", BACKENDS)
def test_300_steps(backend: str, name: str) -> None:
    assert_same_run(both(backend, ALL[name], *AWKWARD), [1, 2, 297])


@pytest.mark.parametrize("name", ["everything", "other", "four species join", "blend of rules", "walls"])
@pytest.mark.parametrize("size", [(16, 16, 300), (16, 16, 1), (33, 130, 2500)], ids=str)
@pytest.mark.parametrize("backend", BACKENDS)
def test_small_fields(backend: str, size: tuple[int, int, int], name: str) -> None:
    assert_same_run(both(backend, SETTINGS[name], *size), [1, 59])


def test_the_number_of_threads_changes_nothing() -> None:
    names = "everything", "four species join", "blend of rules"
    script = f"""
import sys
sys.path.insert(0, "tests")
from looks import SETTINGS
for threads in 1, 2, 3:
    numba.set_num_threads(threads)
    for name in {names!r}:
        simulation = SETTINGS[name].simulation("cpu", *{AWKWARD!r})
        simulation.step(60)
        print(simulation.digest())
"""
    digests = python(script, NUMBA_NUM_THREADS="3").stdout.split()
    expected = []
    for name in names:
        simulation = SETTINGS[name].simulation("reference", *AWKWARD)
        simulation.step(60)
        expected.append(simulation.digest())
    assert digests == expected * 3


@pytest.mark.parametrize("shares", [(1.0,), (1.0, 3.0, 0.5)], ids=["one", "three"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_rules_change_while_it_runs(backend: str, shares: tuple[float, ...]) -> None:
    """What a rule keeps between steps is right again after steps without it."""
    wall, food = Mark("wall", 9000, 4000, 3000, 80, 255), Mark("food", 20000, 9000, 5000, 0, 200)
    mask, erased = Mark("mask", 12000, 9000, 8000, 10, 255), Mark("wall", 9000, 4000, 4000, 80, 0)
    script: list[Change] = [5]
    for look in LOOKS.values():
        script += [by(Simulation.set, look), 3]
    strokes = [Stroke(4000, 5000, 3000, 2**19, k) for k in range(len(shares))]
    script += [
        by(Simulation.set, Params()), 2, by(Simulation.mark, food), 3, by(Simulation.paint, strokes[-1]), 1,
        by(Simulation.mark, wall), 3, by(Simulation.set_other, LOOKS["responses"]), 2,
        by(Simulation.mark, mask), 4, by(Simulation.set, dataclasses.replace(LOOKS["dish"], joins_2="1")), 9,
        by(Simulation.mark, erased), 2, by(Simulation.set_other, None), 2,
        by(Simulation.fill, "food", "clear"), 2, by(Simulation.paint, strokes[0]),
        by(Simulation.set, LOOKS["liking"]), 2,
        by(Simulation.set, Params(sensor_width=2, attraction_to_2=1.0)), 2, Simulation.reset, 9,
    ]  # fmt: skip
    assert_same_run(both(backend, Setting(shares=shares), *AWKWARD), script)


def by(method: Callable[..., None], *arguments: object) -> Callable[[Simulation], None]:
    """A change of a simulation, by one of its methods."""
    return lambda simulation: method(simulation, *arguments)


# Two agents whose 32-bit luck is the same in every step, as among millions some are: low + high * GOLDEN.
APART_BY = 0x00123456
LOW, HIGH = 0x00400000, 0x00500000
OTHER_HIGH = (HIGH - APART_BY * pow(GOLDEN, -1, 2**32)) % 2**32
ALIKE = np.array([LOW | HIGH << 32, LOW + APART_BY | OTHER_HIGH << 32], np.uint64)


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize("rule", ["respawn", "lifetime"])
def test_agents_that_jump_at_once_do_not_become_one(rule: str, backend: str) -> None:
    world = World(2048, 2048, 2)  # where every word is a place
    simulation = Simulation(world, check_params({rule: 1.0}), backend)
    simulation.backend.load(simulation.buffers, world, ALIKE)
    simulation.step()
    (x, y, _), words = unpack(simulation.state()[2]), simulation.state()[2]
    assert words[0] != words[1]
    if rule == "respawn":  # as their luck is the same, only the heading can tell them apart
        assert (x[0], y[0]) == (x[1], y[1])


def test_a_blend_joins_whom_the_first_look_joins() -> None:
    """Half of "none" and the third species is not the first one."""
    world = World(64, 48, 900, shares=(1.0, 1.0, 1.0))
    other = check_params({"joins": "3", "joins_2": "3", "join_threshold": 0.0, "join_chance": 1.0})
    for backend in ("reference", "cpu"):
        simulation = Simulation(world, Params(), backend, other)
        simulation.maps.mask[:] = 128
        simulation.set_maps(simulation.maps)
        simulation.step(20)
        assert simulation.counts().sum((1, 2)).tolist() == [300, 300, 300]
