"""The CUDA backend on a GPU, equal to the reference bit for bit: kernels and graphs. `pytest -m gpu`."""

import dataclasses

import numpy as np
import pytest
from looks import LOOKS
from pairs import AWKWARD, Pair, gpu_modules

from kernels.contract import PASSES
from kernels.params import Params
from kernels.simulation import Simulation
from kernels.stroke import Stroke
from kernels.world import World

pytestmark = pytest.mark.gpu
cuda, gpu = gpu_modules("cuda", "gpu")

PLAIN = "default", "mesh", "fleeing", "extreme"  # what other looks do is test_gpu_rules.py's
EVERY = {1.0: 16, 3.0: 8, 15.0: 4}  # steps from one order of agents to the next, by `step_size`
SIZES = [
    World(16, 16, 1),
    World(16, 16, 4099),
    World(127, 17, 128),
    World(128, 33, 129),
    World(129, 31, 127),
    World(3001, 16, 5000),
    World(16, 3001, 5000),
    World(32768, 16, 1000),
    World(16, 32768, 1000),
    World(2048, 2050, 100_000),
    World(2049, 2050, 100_000),
]


@pytest.mark.parametrize("step_size", EVERY)
@pytest.mark.parametrize("look", PLAIN)
def test_equals_reference_for_500_steps(look: str, step_size: float) -> None:
    pair = Pair(AWKWARD, dataclasses.replace(LOOKS[look], step_size=step_size))
    assert pair.ours.buffers.every == EVERY[step_size]
    pair.run(1, 9, 90, 400)


@pytest.mark.parametrize("look", PLAIN)
def test_equals_reference_with_another_seed(look: str) -> None:
    Pair(dataclasses.replace(AWKWARD, seed="-1e400"), LOOKS[look]).run(1, 9, 90)


@pytest.mark.parametrize("step_size", [1.0, 20.0])
@pytest.mark.parametrize("world", SIZES, ids=lambda w: f"{w.width}x{w.height}-{w.agents}")
def test_equals_reference_at_any_size(world: World, step_size: float) -> None:
    look = Params(sensor_distance=200.0, step_size=step_size, decay=0.95, deposit=100.0, sensor_angle=179.0)
    Pair(world, look).run(7, 7, 19)


def test_strokes_and_changes_between_steps() -> None:
    """Also restarts with another seed in the same memory, from an odd step."""
    pair = Pair(AWKWARD, Params())
    for turn in range(12):
        if turn == 6:
            assert pair.ours.steps % 2 == 0
            pair.run(1)
            for simulation in pair.both:
                simulation.reset(dataclasses.replace(AWKWARD, seed="new"))
        look = dataclasses.replace(
            list(LOOKS.values())[turn % 3], decay=0.05 + turn / 20, sensor_angle=turn * 15.0
        )
        strength = 3 * 2**20 if turn % 2 else -(2**19)
        pair.run(look, 2 * turn + 1, Stroke(turn * 9000 - 700, turn * 4000, 9 * 256, strength))


@pytest.mark.parametrize("start", [2**31 - 3, 2**32 - 3])
def test_step_wraps_where_the_reference_wraps(start: int) -> None:
    """Numbers that a show of years would reach."""
    pair = Pair(AWKWARD, Params())
    gpu.set_clock(pair.ours.buffers, start)
    pair.expected.buffers.step = start
    pair.run(1, 7, 33)


# CUDA graphs


def same(*simulations: Simulation) -> bool:
    return len({simulation.digest() for simulation in simulations}) == 1


@pytest.mark.parametrize("step_size", EVERY)
def test_spans_and_graphs_change_nothing(step_size: float) -> None:
    look = dataclasses.replace(Params(), step_size=step_size)
    whole, spans, plain = (Simulation(AWKWARD, look, "cuda") for _ in range(3))
    assert whole.buffers.graphs
    plain.buffers.graphs.clear()
    whole.step(188)
    plain.step(188)
    for span in (1, 1, 3, 0, 5, 2, 17, 4, 27, 16, 64, 33, 15):
        spans.step(span)
    assert same(whole, spans, plain)


def test_runs_without_graphs(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError("no capturing today")

    monkeypatch.setattr(cuda, "capture", fail)
    pair = Pair(AWKWARD, Params())
    assert pair.ours.buffers.graphs == {}
    assert "no capturing today" in caplog.text
    pair.run(5, 33)


def test_a_failure_while_capturing_leaves_the_stream_usable(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("no diffusion today")

    with monkeypatch.context() as patch:
        patch.setitem(gpu.MOVES, "pair", broken)
        pair = Pair(AWKWARD, Params())
    assert "no diffusion today" in caplog.text
    pair.run(5, 33)


# Times


@pytest.mark.parametrize("step_size", EVERY)
def test_passes_are_timed_without_changing_anything(step_size: float) -> None:
    pair = Pair(AWKWARD, dataclasses.replace(Params(), step_size=step_size))
    assert pair.ours.pass_seconds == {}
    pair.run(37)
    for span in (1, 2, 40):
        pair.ours.sample()
        pair.run(span)
    seconds = pair.ours.pass_seconds
    assert list(seconds) == list(PASSES)
    assert all(0 < taken < 1 for taken in seconds.values())
    assert pair.ours.step_seconds > 0
    pair.run(33)


def test_bandwidth_is_that_of_a_gpu() -> None:
    gpu.bandwidth.cache_clear()
    before = cuda.free_memory()
    assert 1e10 < gpu.bandwidth() < 1e14
    assert gpu.bandwidth() == gpu.bandwidth(), "measured once"
    assert cuda.free_memory() >= before - 2**21


def test_steps_are_asked_for_and_waited_for() -> None:
    """Steps run behind; what is fetched is what they came to, and stays when more of them follow."""
    simulation = Simulation(World(1024, 1024, 1_000_000), Params(), "cuda")
    simulation.step(50)
    first = simulation.trail
    kept = first.copy()
    simulation.step(50)
    second = simulation.trail
    assert not np.array_equal(first, second)
    assert np.array_equal(first, kept)
