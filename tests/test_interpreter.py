"""The Triton kernels in Triton's interpreter, equal to the reference: their logic, without a GPU.

Triton decides when a function is decorated whether it is interpreted. So the comparison runs in a
process of its own, which is this file as a script: `python test_interpreter.py WORLD:LOOK:STEPS ...`.
"""

import dataclasses
import importlib.util
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from looks import LOOKS

from kernels import reference
from kernels.contract import step_values
from kernels.params import Params
from kernels.stroke import Stroke, dab
from kernels.world import World, scatter

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("torch", "triton")),
    reason="torch and triton are not installed",
)

WORLDS = {
    "awkward": World(401, 257, 30011, "7"),
    "other seed": World(401, 257, 30011, "-1e400"),
    "smallest": World(16, 16, 1, "a"),
    "crowded": World(17, 19, 5000, "b"),
    "wide": World(1025, 16, 777, "c"),
    "tall": World(16, 1031, 999, "d"),
}


# Two processes, one a core, that take about as long as each other.
CASES = {
    "long": ["awkward:default:500"],
    "short": [
        "other seed:other:200", "awkward:mesh:9", "awkward:fleeing:9", "other seed:default:9",
        "smallest:extreme:20", "crowded:extreme:20", "wide:mesh:9", "tall:extreme:9",
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


def start(cases: list[str]) -> subprocess.Popen[str]:
    """Begins to compare in a process of its own."""
    return subprocess.Popen(
        [sys.executable, __file__, *cases],
        env=os.environ | {"TRITON_INTERPRET": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def compare(world: World, params: Params, steps: int) -> None:
    """Runs both, with a stroke, a change of parameters and uneven spans, and asserts equal bits."""
    from kernels import gpu

    backends = (reference, reference.allocate(world)), (gpu, gpu.allocate(world))
    changed = dataclasses.replace(params, sensor_angle=90 - params.sensor_angle / 2, decay=params.decay / 2)
    stroke = Stroke(x=-700, y=5000, radius=6 * 256, strength=3 * 2**20)
    erasure = Stroke(x=2000, y=100, radius=4 * 256, strength=-(2**19))
    for module, b in backends:
        module.load(b, world, scatter(world))
        module.set_values(b, step_values(params, world))
    for done, span in _spans(steps):
        for module, b in backends:
            module.advance(b, span)
            if done == 4:
                module.paint(b, *dab(stroke, world))
                module.paint(b, *dab(erasure, world))
            if done == 7:
                module.set_values(b, step_values(changed, world))
        for name, *pair in zip(
            ("trail", "counts", "agents"), *(m.fetch(b) for m, b in backends), strict=True
        ):
            assert pair[0].dtype == pair[1].dtype, name
            assert np.array_equal(*pair), f"{name} differ after step {done}"
    assert all(b.step == steps for _, b in backends)
    assert backends[0][1].counts.sum() == world.agents


def _spans(steps: int) -> list[tuple[int, int]]:
    """How many steps are done by, and how many in, spans of 1, 3, 2, 1, 1, 1, ... steps."""
    spans = [1, 3, 2, *[1] * (steps - 6)]
    return list(zip(np.cumsum(spans).tolist(), spans, strict=True))


if __name__ == "__main__":
    from triton.runtime import interpreter

    # Compiled kernels do not check integers for overflow either; without the checks this takes half the time.
    builder = interpreter.interpreter_builder
    builder.options = dataclasses.replace(builder.options, sanitize_overflow=False)
    warnings.simplefilter("error")
    for case in sys.argv[1:]:
        world_name, look_name, count = case.split(":")
        compare(WORLDS[world_name], LOOKS[look_name], int(count))
        print(case)
