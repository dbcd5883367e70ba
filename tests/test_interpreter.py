"""The Triton kernels in Triton's interpreter, equal to the reference: their logic, without a GPU.

Triton decides when a function is decorated whether it is interpreted. So the comparison runs in a
process of its own, which is this file as a script: `python test_interpreter.py WORLD:NAME:STEPS ...`.
NAME is one of `looks.LOOKS`, or one of `looks.SETTINGS` after "with ". A world may be followed by where its
agents start, one of `pairs.STARTS`: `awkward+corner:default:20`.
"""

import dataclasses
import importlib.util
import itertools
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest
from beside import begun, give_way
from looks import LOOKS, SETTINGS, Setting
from pairs import AWKWARD, STARTS, Pair, hurry_interpreter, tiles_in_order

from kernels.maps import Mark
from kernels.stroke import Stroke
from kernels.world import World

INSTALLED = importlib.util.find_spec("triton") is not None
pytestmark = pytest.mark.skipif(not INSTALLED, reason="triton is not installed")

WORLDS = {
    "awkward": AWKWARD,
    "other seed": dataclasses.replace(AWKWARD, seed="-1e400"),
    "even": World(400, 256, 9001),
    "smallest": World(16, 16, 1, "a"),
    "crowded": World(17, 19, 5000, "b"),
    "wide": World(1025, 16, 777, "c"),
    "tall": World(16, 1031, 999, "d"),
    "window": World(63, 65, 3001, "e"),
    "odd": World(97, 61, 1501, "f"),
}
NAMED = {name: Setting(look) for name, look in LOOKS.items()}
NAMED |= {f"with {name}": setting for name, setting in SETTINGS.items()}
RULES = [name for name in NAMED if name not in ("default", "mesh", "fleeing", "extreme")]
LONG = "everything", "other", "with everything", "with other", "with blend of rules"  # to compute

# Two processes, one a core, that take about as long as each other. Agents are put in order every 16 steps,
# or every 8 ("fleeing") or 4 ("extreme").
CASES = {
    "plain": [
        "awkward:default:24", "other seed:mesh:14", "awkward:fleeing:14", "even+corner:mesh:20",
        "smallest:default:20", "crowded+cell:extreme:14", "wide:mesh:11", "tall:extreme:9",
        "window+two cells:default:20", *(f"odd:{name}:9" for name in LONG[:2]),
    ],
    "rules": [
        *(f"odd:{name}:9" for name in RULES if name not in LONG), *(f"odd:{name}:9" for name in LONG[2:]),
        "crowded:with four species join:9", "smallest:with walls:9", "wide:reflect:9", "odd:switches:0",
    ],
}  # fmt: skip
BRIEF = "smallest:default:1", "smallest:default:5"
BESIDE = [(__file__, *cases) for cases in (*CASES.values(), BRIEF) if INSTALLED]


@pytest.mark.parametrize("name", CASES)
def test_equals_reference(name: str) -> None:
    process = begun(__file__, *CASES[name])
    out, err = process.communicate()
    assert process.returncode == 0, out + err
    assert out.splitlines() == CASES[name]


def test_few_steps_come_to_an_end() -> None:
    """Fewer than the script of strokes and changes takes."""
    out, err = begun(__file__, *BRIEF).communicate()
    assert out.splitlines() == [*BRIEF], err


def assert_all_equal(*processes: subprocess.Popen[str]) -> None:
    ended = [(*process.communicate(), process.returncode) for process in processes]
    assert [status for *_, status in ended] == [0] * len(processes), ended


@pytest.mark.slow
@pytest.mark.parametrize("look", ["default", "fleeing", "other"])
def test_equals_reference_for_500_steps(look: str) -> None:
    assert_all_equal(*(begun(__file__, f"{world}:{look}:500") for world in ("awkward", "other seed")))


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_rules_equal_the_reference_for_300_steps(name: str) -> None:
    assert_all_equal(*(begun(__file__, f"{world}:{name}:300") for world in ("odd", "window")))


@pytest.mark.slow
@pytest.mark.parametrize("start_at", STARTS)
def test_gathered_agents(start_at: str) -> None:
    worlds = "awkward", "crowded", "even", "window"
    assert_all_equal(
        *(
            begun(__file__, *(f"{world}+{start_at}:{look}:70" for world in worlds))
            for look in ("default", "extreme")
        )
    )


def compare(world: World, start_at: str, setting: Setting, steps: int) -> None:
    """Runs both, with strokes, a change of parameters and spans that cross orders, and asserts equal bits."""
    world = dataclasses.replace(world, shares=setting.shares, map=setting.map)
    params = setting.params
    fit_programs(world)
    pair = Pair(world, params, STARTS[start_at](world) if start_at else None, setting.other)
    changed = dataclasses.replace(params, sensor_angle=90 - params.sensor_angle / 2, decay=params.decay / 2)
    stroke = Stroke(x=-700, y=5000, radius=6 * 256, strength=3 * 2**20, species=world.species - 1)
    erasure = Stroke(x=2000, y=100, radius=4 * 256, strength=-(2**19))
    spans = itertools.cycle((1, 1, 17, 5, 1, 1, 33))
    for entry in itertools.chain((1, 3, stroke, erasure, 2, 1, changed), spans):
        pair.run(min(entry, steps - pair.ours.steps) if isinstance(entry, int) else entry)
        if pair.ours.steps == steps:
            break
    assert pair.expected.state()[1].sum() == world.agents
    order(pair)


def switch(world: World) -> None:
    """Features come and go between steps, and a world begins anew: each time as the reference has it."""
    fit_programs(world)
    pair = Pair(world, LOOKS["default"], None, LOOKS["fleeing"])
    food = Mark("food", 5000, 5000, 4000, 50, 255)
    wall = Mark("wall", 9000, 9000, 3000, 100, 255)
    mask = Mark("mask", 12000, 3000, 6000, 0, 255)
    gone = dataclasses.replace(wall, value=0)
    pair.run(2, food, 1, LOOKS["life"], 2, wall, 1, LOOKS["default"], mask, 2, gone, 1, LOOKS["dish"], 1)
    for simulation in pair.both:
        simulation.set_other(None)
        simulation.fill("food", "clear")
        simulation.reset(dataclasses.replace(world, seed="anew"))
    pair.run(LOOKS["life"], 1, LOOKS["liking"], 1, Stroke(3000, 3000, 2000, 2**20), 1, LOOKS["default"], 2)
    assert len(pair.ours.buffers.ready) > 5


def fit_programs(world: World) -> None:
    """Programs of a size that two of them do a small world: the interpreter does what they mask out, too."""
    from kernels import gpu_launch

    def fitting(number: int, most: int) -> int:
        return int(min(1 << (number - 1).bit_length(), most))

    block = fitting(-(-world.agents // 2), 2**15)
    rows, columns = fitting(world.height, 512), fitting(world.width, 512)
    gpu_launch.AGENTS.update(BLOCK=block)
    gpu_launch.ORDER.update(BLOCK=block)
    gpu_launch.FIELD.update(STRIPS=rows // 4, COLUMNS=columns)
    gpu_launch.MIX.update(ROWS=rows, COLUMNS=columns)


def order(pair: Pair) -> None:
    """Puts agents in order as `kernels.gpu` does at an odd step, and asserts that they are."""
    from kernels.gpu_launch import MOVES

    if pair.ours.steps % 2 == 0:
        pair.run(1)
    b = pair.ours.buffers
    MOVES["order"](b, 1)
    b.half = 1 - b.half
    pair.compare()
    assert (np.diff(tiles_in_order(b.world, pair.ours.state()[2])) >= 0).all()


if __name__ == "__main__":
    os.environ["TRITON_INTERPRET"] = "1"  # before Triton is loaded
    give_way()
    hurry_interpreter()
    warnings.simplefilter("error")
    for case in sys.argv[1:]:
        place, setting_name, count = case.split(":")
        world_name, _, start_name = place.partition("+")
        if setting_name == "switches":
            switch(WORLDS[world_name])
        else:
            compare(WORLDS[world_name], start_name, NAMED[setting_name], int(count))
        print(case, flush=True)
