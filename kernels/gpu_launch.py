"""What the GPU is asked for at once: a few moves, each some launches, most of them captured as graphs.

`MOVES` names them. The kernels are those of `kernels.gpu_agents`, `kernels.gpu_field` and
`kernels.gpu_order`; this is how large their programs are, and which arrays they run on.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.gpu_build import Recipe
from kernels.gpu_device import INTERPRETED, device
from kernels.gpu_layout import AGENT_THREADS, BAND, ORDER_THREADS, TILE
from kernels.gpu_watch import Stopwatch
from kernels.world import World

# Steps from one order to the next: an order costs two thirds of a step on an H200, where spread-out agents
# lose as much in some 16 steps. Agents that move farther than DRIFT px in that time get their order sooner.
ORDER_EVERY, ORDER_LEAST = 16, 4
DRIFT = 32

# Blocks of agents and of cells, chosen on an H200 at 1 M agents on 1024 x 1024 and 16 M on 4096 x 4096; the
# block of cells matters little from 1024 x 1024 to 8192 x 8192. The interpreter runs one program after the
# other: there, few large ones are quick.
AGENTS: dict[str, Any] = {"BLOCK": AGENT_THREADS, "ROUNDS": 8, "SHARED": True, "SEM": "relaxed"}
ORDER: dict[str, Any] = {"BLOCK": ORDER_THREADS, "ROUNDS": 8, "SHARED": True}
FIELD: dict[str, Any] = {"STRIPS": 1, "ROWS": 8, "COLUMNS": 256}
if INTERPRETED:
    ORDER = {"BLOCK": 2**15, "ROUNDS": 1, "SHARED": False}
    AGENTS = ORDER | {"SEM": "relaxed"}
    FIELD = {"STRIPS": 128, "ROWS": 4, "COLUMNS": 512}
TILES = 64 if INTERPRETED else 8  # that a program of `survey` adds up
WARPS = 4  # of a program, where nothing else is said
STARTS, CELLS = 8192, 1024  # that a program of `find_starts` and of `paint` takes at once


@dataclasses.dataclass(frozen=True)
class Kernels:
    """The kernels for fields of one kind, see `kernels_for`."""

    update_agents: Any
    diffuse: Any
    diffuse_and_show: Any
    show: Any
    paint: Any
    survey: Any
    find_starts: Any
    put_in_order: Any


@dataclasses.dataclass
class Buffers:
    """The state of a run. Step s reads trail and counts s % 2 and writes trail 1 - s % 2.

    Attributes:
        world: Size and seed.
        kernels: What steps it.
        values: The numbers of `contract.SLOTS`, float32.
        clock: The numbers of `CLOCK`, uint32 in int32.
        surface: The handle of the CUDA surface that shows the trail, int64.
        agents: Agent words [2, N], uint64 in int64, see `world.pack`; they are in one half at a time.
        trails: Scent [H, W] before and after a step, float32.
        counts: How many agents stood on each cell after a move [H, W], int32.
        tiles: How many agents stand on each tile, then where they begin, int32.
        dab: Room for what `paint` is given.
        graphs: What was captured, by the name of a move and the parity of its first step.
        watch: Times the steps.
        coming: Numbers that are not in `values` yet.
        every: Steps from one order to the next.
        half: The half agents are in.
        shown: The surface's handle, as it lies in `surface`.
        step: Steps done since the start.
    """

    world: World
    kernels: Kernels
    values: Any
    clock: Any
    surface: Any
    agents: Any
    trails: tuple[Any, Any]
    counts: tuple[Any, Any]
    tiles: Any
    dab: dict[str, Any] = dataclasses.field(default_factory=dict)
    graphs: dict[tuple[str, int], Any] = dataclasses.field(default_factory=dict)
    watch: Stopwatch | None = None
    coming: NDArray[np.float32] | None = None
    every: int = ORDER_EVERY
    half: int = 0
    shown: int = 0
    step: int = 0

    @property
    def step_seconds(self) -> float:
        """What a step took lately on the GPU; 0 before anything is known."""
        return self.watch.step_seconds if self.watch else 0.0

    @property
    def pass_seconds(self) -> dict[str, float]:
        """What each of `contract.PASSES` took in the step last sampled, as `reference.Buffers` has it."""
        return self.watch.pass_seconds(self.every) if self.watch else {}


def tiles_of(world: World) -> tuple[int, int]:
    """Tiles across, and down with the last band filled up."""
    return -(-world.width // TILE), -(-world.height // (TILE * BAND)) * BAND


def kernels_for(world: World) -> Kernels:
    """The kernels for fields of a world's kind; none is compiled or loaded yet."""
    even = world.width % 16 == 0

    def kernel(
        module: str, name: str, warps: int, even: bool = False, full: bool = False, **constants: Any
    ) -> Any:
        recipe = Recipe(f"kernels.{module}", name, warps, tuple(constants.items()), even, full)
        return device.Kernel(recipe)

    return Kernels(
        update_agents=kernel("gpu_agents", "update_agents", AGENTS["BLOCK"] // 32, full=True, **AGENTS),
        diffuse=kernel("gpu_field", "diffuse", WARPS, even, SHOWN=False, **FIELD),
        diffuse_and_show=kernel("gpu_field", "diffuse", WARPS, even, SHOWN=True, **FIELD),
        show=kernel("gpu_field", "show", WARPS, even, COLUMNS=FIELD["COLUMNS"]),
        paint=kernel("gpu_field", "paint", WARPS, BLOCK=CELLS),
        survey=kernel("gpu_order", "survey", WARPS, even, TILES=TILES),
        find_starts=kernel("gpu_order", "find_starts", 32, BLOCK=STARTS),
        put_in_order=kernel("gpu_order", "put_in_order", ORDER["BLOCK"] // 32, **ORDER),
    )


def _update_agents(b: Buffers, parity: int) -> None:
    world, block = b.world, AGENTS["BLOCK"] * AGENTS["ROUNDS"]
    b.kernels.update_agents(
        (-(-world.agents // block),), b.agents, b.trails[parity], b.counts[parity], b.values, b.clock,
        world.agents, world.width, world.height, world.fraction_bits,
    )  # fmt: skip


def _diffuse(b: Buffers, parity: int, shown: bool) -> None:
    world, other = b.world, 1 - parity
    grid = -(-world.width // FIELD["COLUMNS"]), -(-world.height // (FIELD["STRIPS"] * FIELD["ROWS"]))
    (b.kernels.diffuse_and_show if shown else b.kernels.diffuse)(
        grid, b.trails[parity], b.counts[parity], b.trails[other], b.counts[other], b.values, b.clock,
        b.surface, world.width, world.height,
    )  # fmt: skip


def _step(b: Buffers, parity: int, shown: bool = False) -> None:
    _update_agents(b, parity)
    _diffuse(b, parity, shown)


def _timed_step(b: Buffers, parity: int, shown: bool = False) -> None:
    _mark(b, "agents")
    _update_agents(b, parity)
    _mark(b, "field")
    _diffuse(b, parity, shown)
    _mark(b, "end")


def _pair(b: Buffers, parity: int) -> None:
    _step(b, parity)
    _step(b, 1 - parity)


def _order(b: Buffers, parity: int) -> None:
    world, block = b.world, ORDER["BLOCK"] * ORDER["ROUNDS"]
    across, down = tiles_of(world)
    b.kernels.survey(
        (-(-across // TILES), down), b.counts[1 - parity], b.tiles, world.width, world.height, across
    )
    b.kernels.find_starts((1,), b.tiles, b.clock, across * down)
    b.kernels.put_in_order(
        (-(-world.agents // block),), b.agents, b.tiles, b.clock,
        world.agents, across, -(-world.height // TILE), world.fraction_bits,
    )  # fmt: skip


def _timed_order(b: Buffers, parity: int) -> None:
    _mark(b, "order")
    _order(b, parity)
    _mark(b, "ordered")


def _round(b: Buffers, parity: int) -> None:
    _order(b, parity)
    for _ in range(ORDER_EVERY // 2):
        _pair(b, parity)


def _show(b: Buffers, parity: int) -> None:
    grid = -(-b.world.width // FIELD["COLUMNS"]), b.world.height
    b.kernels.show(grid, b.trails[parity], b.surface, b.world.width)


# What the GPU is asked for at once, by name: functions of the state and the parity of the step.
MOVES: dict[str, Callable[[Buffers, int], None]] = {
    "step": _step,
    "shown step": functools.partial(_step, shown=True),
    "timed step": _timed_step,
    "timed shown step": functools.partial(_timed_step, shown=True),
    "pair": _pair,
    "order": _order,
    "timed order": _timed_order,
    "round": _round,
    "show": _show,
}
BEFORE_ODD_STEPS = "order", "timed order", "round"
CAPTURED = [
    (move, parity)
    for move in MOVES
    for parity in (0, 1)
    if move != "show" and (parity or move not in BEFORE_ODD_STEPS)
]


def _mark(b: Buffers, name: str) -> None:
    if b.watch:
        b.watch.mark(name)
