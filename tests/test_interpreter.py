"""The Triton kernels in Triton's interpreter, equal to the reference: their logic, without a GPU.

Triton decides when a function is decorated whether it is interpreted. So the comparison runs in a
process of its own, which is this file as a script: `python test_interpreter.py WORLD:LOOK:STEPS ...`.
A world may be followed by where its agents start, one of `pairs.STARTS`: `awkward+corner:default:20`.
"""

import dataclasses
import importlib.util
import itertools
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from looks import LOOKS
from pairs import AWKWARD, STARTS, Pair, tiles_in_order

from kernels.params import Params
from kernels.stroke import Stroke
from kernels.world import World

pytestmark = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="triton is not installed")

WORLDS = {
    "awkward": AWKWARD,
    "other seed": dataclasses.replace(AWKWARD, seed="-1e400"),
    "even": World(400, 256, 9001),
    "smallest": World(16, 16, 1, "a"),
    "crowded": World(17, 19, 5000, "b"),
    "wide": World(1025, 16, 777, "c"),
    "tall": World(16, 1031, 999, "d"),
    "window": World(63, 65, 3001, "e"),
}

# Two processes, one a core, that take about as long as each other. Agents are put in order every 16 steps,
# or every 8 ("fleeing") or 4 ("extreme", "other").
CASES = {
    "long": ["awkward:default:150"],
    "short": [
        "other seed:other:14", "awkward:fleeing:14", "even+corner:mesh:20", "smallest:default:20",
        "crowded+cell:extreme:14", "wide:mesh:20", "tall:extreme:9", "window+two cells:default:20",
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def comparisons() -> Iterator[dict[str, subprocess.Popen[str]]]:
    started = {name: start(cases) for name, cases in CASES.items()}
    yield started
    for process in started.values():
        process.kill()
        process.communicate()


@pytest.mark.parametrize("name", ["short", "long"])
def test_equals_reference(comparisons: dict[str, subprocess.Popen[str]], name: str) -> None:
    out, err = comparisons[name].communicate()
    assert comparisons[name].returncode == 0, out + err
    assert out.splitlines() == CASES[name]


@pytest.mark.slow
@pytest.mark.parametrize("look", ["default", "fleeing", "other"])
def test_equals_reference_for_500_steps(look: str) -> None:
    processes = [start([f"{world}:{look}:500"]) for world in ("awkward", "other seed")]
    ended = [(*process.communicate(), process.returncode) for process in processes]
    assert [status for *_, status in ended] == [0, 0], ended


@pytest.mark.slow
@pytest.mark.parametrize("start_at", STARTS)
def test_gathered_agents(start_at: str) -> None:
    worlds = "awkward", "crowded", "even", "window"
    processes = [
        start([f"{world}+{start_at}:{look}:70" for world in worlds]) for look in ("default", "extreme")
    ]
    ended = [(*process.communicate(), process.returncode) for process in processes]
    assert [status for *_, status in ended] == [0, 0], ended


def start(cases: list[str]) -> subprocess.Popen[str]:
    """Begins to compare in a process of its own."""
    return subprocess.Popen(
        [sys.executable, __file__, *cases],
        env=os.environ | {"TRITON_INTERPRET": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def compare(world: World, start_at: str, params: Params, steps: int) -> None:
    """Runs both, with strokes, a change of parameters and spans that cross orders, and asserts equal bits."""
    pair = Pair(world, params, STARTS[start_at](world) if start_at else None)
    changed = dataclasses.replace(params, sensor_angle=90 - params.sensor_angle / 2, decay=params.decay / 2)
    stroke = Stroke(x=-700, y=5000, radius=6 * 256, strength=3 * 2**20)
    erasure = Stroke(x=2000, y=100, radius=4 * 256, strength=-(2**19))
    pair.run(1, 3, stroke, erasure, 2, 1, changed)
    for span in itertools.cycle((1, 1, 17, 5, 1, 1, 33)):
        pair.run(min(span, steps - pair.ours.steps))
        if pair.ours.steps == steps:
            break
    assert pair.expected.state()[1].sum() == world.agents
    order(pair)


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
    from triton.runtime import interpreter

    # Compiled kernels do not check integers for overflow either; without the checks this takes half the time.
    builder = interpreter.interpreter_builder
    builder.options = dataclasses.replace(builder.options, sanitize_overflow=False)
    warnings.simplefilter("error")
    for case in sys.argv[1:]:
        place, look_name, count = case.split(":")
        world_name, _, start_name = place.partition("+")
        compare(WORLDS[world_name], start_name, LOOKS[look_name], int(count))
        print(case)
