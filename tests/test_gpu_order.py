"""Agents put in order of place on a GPU: which changes where they lie, and nothing else. `pytest -m gpu`.

Here are the fields and the starts that make a program's window, its counters and its blocks as full, as
empty or as useless as they can be.
"""

import numpy as np
import pytest
from looks import LOOKS
from pairs import AWKWARD, STARTS, Pair, gpu_modules, tiles_in_order

from kernels.params import Params
from kernels.simulation import Simulation
from kernels.stroke import Stroke
from kernels.world import World

pytestmark = pytest.mark.gpu
gpu, gpu_launch = gpu_modules("gpu", "gpu_launch")

SPANS = 1, 3, 5, 16, 17, 33, 64, 2, 15
SMALL = [
    (16, 16), (16, 17), (17, 16), (31, 33), (32, 32), (48, 64), (63, 65), (64, 64), (65, 63), (80, 16),
    (16, 80), (63, 16), (64, 128), (128, 64), (129, 127),
]  # fmt: skip
FEW = 1, 31, 32, 33, 255, 257, 511, 512, 513, 2047, 2049, 4095, 4096, 4097, 8193


def put_in_order(simulation: Simulation) -> None:
    """Puts agents in order at an odd step, where `gpu.advance` does it as well."""
    assert simulation.steps % 2 == 1
    gpu_launch.MOVES["order"](simulation.buffers, 1)
    simulation.buffers.half = 1 - simulation.buffers.half


@pytest.mark.parametrize("step_size", [1.0, 3.0, 15.0])
@pytest.mark.parametrize("graphs", [True, False], ids=["graphs", "launches"])
def test_spans_that_cross_orders(step_size: float, graphs: bool) -> None:
    pair = Pair(AWKWARD, Params(step_size=step_size))
    if not graphs:
        pair.ours.buffers.graphs.clear()
    pair.run(*SPANS)


def test_a_slider_moves_the_next_order() -> None:
    """From every 16 steps to every 4 and back, at odd and even steps."""
    pair = Pair(AWKWARD, Params())
    pair.run(15)
    for turn in range(24):
        pair.run(Params(step_size=(1.0, 15.0, 3.0, 7.0, 0.05)[turn % 5]), 1 + turn * 5 % 7)


@pytest.mark.parametrize(
    "world",
    [AWKWARD, World(63, 65, 20_000), World(1040, 48, 9000), World(33, 2050, 9000)],
    ids=lambda w: f"{w.width}x{w.height}",
)
def test_an_order_moves_every_agent_to_its_tile(world: World) -> None:
    pair = Pair(world, Params())
    pair.run(7)
    put_in_order(pair.ours)
    pair.compare()
    assert (np.diff(tiles_in_order(world, pair.ours.state()[2])) >= 0).all()
    put_in_order(pair.ours)
    pair.compare()
    pair.run(16, 17)


@pytest.mark.parametrize("shares", [(1.0, 1.0), (0.01, 5.0, 1.0, 0.3)], ids=["two", "four"])
@pytest.mark.parametrize("size", [(401, 257), (63, 65), (1040, 48)], ids=str)
def test_an_order_moves_every_agent_to_its_species_and_tile(
    size: tuple[int, int], shares: tuple[float, ...]
) -> None:
    world = World(*size, 30_011, "7", shares)
    look = Params(joins="2", join_threshold=0.1, joins_2="1", join_threshold_2=3.0)
    pair = Pair(world, look)
    pair.run(7)
    put_in_order(pair.ours)
    pair.compare()
    assert (np.diff(tiles_in_order(world, pair.ours.state()[2])) >= 0).all()
    pair.run(16, 17)


def test_orders_come_when_they_are_due() -> None:
    """Before steps 1, 17, 33, ..., each to the other half of the memory."""
    simulation = Simulation(AWKWARD, Params(), "cuda")
    sides = []
    for _ in range(50):
        simulation.step()
        sides.append(simulation.buffers.half)
    assert [step for step in range(1, 50) if sides[step] != sides[step - 1]] == [1, 17, 33, 49]


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize(
    "world",
    [AWKWARD, World(400, 256, 30_011), World(64, 48, 30_011), World(48, 67, 30_011), World(16, 16, 30_011)],
    ids=lambda w: f"{w.width}x{w.height}",
)
def test_agents_gathered_in_one_place(world: World, start: str) -> None:
    agents = STARTS[start](world)
    Pair(world, Params(), agents).run(1, 16, 17, 30)
    Pair(world, LOOKS["extreme"], agents).run(1, 3, 16)


def test_a_hundred_thousand_agents_stay_on_one_cell() -> None:
    """Far more than a program has, for more steps than there are between orders."""
    world = World(128, 96, 100_000)
    pair = Pair(world, Params(step_size=0.05, deposit=0.01), STARTS["cell"](world))
    pair.run(1, 1, 1)
    assert pair.ours.state()[1].max() > 50_000
    pair.run(16, 17)


@pytest.mark.parametrize("look", ["default", "extreme"])
@pytest.mark.parametrize("size", SMALL, ids=lambda size: "{}x{}".format(*size))
def test_fields_smaller_than_a_window(size: tuple[int, int], look: str) -> None:
    for agents in (37, 5003):
        Pair(World(*size, agents), LOOKS[look]).run(1, 2, 17, 20)


@pytest.mark.parametrize("width", [16, 17, 47, 48, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 1040])
def test_widths_about_a_block_of_cells(width: int) -> None:
    for height in (16, 33):
        Pair(World(width, height, 3000), LOOKS["mesh"]).run(1, 16, 17)


@pytest.mark.parametrize("height", [16, 17, 47, 63, 64, 65, 129, 255, 257])
def test_heights_about_a_block_of_cells_and_a_band_of_tiles(height: int) -> None:
    for width in (48, 65):
        Pair(World(width, height, 3000), LOOKS["mesh"]).run(1, 16, 17)


@pytest.mark.parametrize("agents", FEW)
def test_fewer_agents_than_a_block_and_a_few_more(agents: int) -> None:
    for size in ((127, 65), (64, 64)):
        Pair(World(*size, agents), Params()).run(1, 2, 17, 20)


@pytest.mark.parametrize("world", [AWKWARD, World(16, 18, 500)], ids=["awkward", "small"])
def test_strokes_between_orders(world: World) -> None:
    """From a cell to all that fits the field."""
    pair = Pair(world, Params())
    for turn in range(20):
        pair.run(
            1 + turn % 5, Stroke(turn * 5000, turn * 3000, 2**turn * 64, 2**20 if turn % 3 else -(2**19))
        )
