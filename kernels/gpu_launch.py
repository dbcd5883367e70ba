"""What the GPU is asked for at once: a few moves, each some launches, most of them captured as graphs.

`MOVES` names them. The kernels are those of `kernels.gpu_agents`, `gpu_field`, `gpu_mix` and `gpu_order`;
this is how large their programs are, and which arrays they run on.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from kernels.contract import Features
from kernels.gpu_buffers import Buffers, tiles_of
from kernels.gpu_build import Recipe
from kernels.gpu_device import INTERPRETED, device
from kernels.gpu_layout import AGENT_THREADS, ORDER_EVERY, ORDER_THREADS, TILE
from kernels.world import World

# Blocks of agents and of cells, chosen on an H200 at 1 M agents on 1024 x 1024 and 16 M on 4096 x 4096; the
# block of cells matters little from 1024 x 1024 to 8192 x 8192. The interpreter runs one program after the
# other: there, few large ones are quick.
AGENTS: dict[str, Any] = {"BLOCK": AGENT_THREADS, "ROUNDS": 8, "SHARED": True, "SEM": "relaxed"}
ORDER: dict[str, Any] = {"BLOCK": ORDER_THREADS, "ROUNDS": 8, "SHARED": True}
FIELD: dict[str, Any] = {"STRIPS": 1, "ROWS": 8, "COLUMNS": 256}
MIX: dict[str, Any] = {"ROWS": 1, "COLUMNS": 256}
if INTERPRETED:
    ORDER = {"BLOCK": 2**15, "ROUNDS": 1, "SHARED": False}
    AGENTS = ORDER | {"SEM": "relaxed"}
    FIELD = {"STRIPS": 128, "ROWS": 4, "COLUMNS": 512}
    MIX = {"ROWS": 512, "COLUMNS": 512}
TILES = 64 if INTERPRETED else 8  # that a program of `survey` adds up
WARPS = 4  # of a program, where nothing else is said
STARTS, CELLS = 8192, 1024  # that a program of `find_starts` and of `paint` takes at once


@dataclasses.dataclass(frozen=True)
class Kernels:
    """The kernels for fields of one kind, see `kernels_for`; None where they are not needed."""

    claim: Any
    update_agents: Any
    diffuse: Any
    diffuse_and_show: Any
    mix: Any
    mix_and_show: Any
    show: Any
    paint: Any
    survey: Any
    find_starts: Any
    put_in_order: Any


def agent_constants(features: Features) -> dict[str, Any]:
    """What is constant in `update_agents`, but for the sizes of its programs."""
    return {
        "SPECIES": features.species,
        "RESPONSES": features.responses,
        "LIFE": features.life,
        "JOINS": features.joins,
        "BOUNDARY": features.boundary,
        "GROUND": features.ground,
        "BLEND": features.blend,
        "SENSOR": features.sensor_width,
        "CROWDED": 2 if features.crowded else 0,
    }


def field_constants(features: Features) -> dict[str, Any]:
    """What is constant in `diffuse`, but for the sizes of its programs and whether it shows the trail."""
    return {
        "SPECIES": features.species,
        "CROWDS": features.crowds,
        "BLEND": features.blend,
        "EDGES": features.boundary != "wrap",
        "GROUND": features.ground,
        "SCENT": features.scent and features.species == 1,
    }


def kernels_for(world: World, features: Features) -> Kernels:
    """The kernels for fields of a world's kind; none is compiled or loaded yet."""
    even = world.width % 16 == 0
    species: dict[str, Any] = {"SPECIES": features.species}
    several = features.species > 1
    agents, field = AGENTS | agent_constants(features), FIELD | field_constants(features)
    mixed = MIX | species | {"GROUND": features.ground}

    def kernel(
        module: str, name: str, warps: int, even: bool = False, full: bool = False, **constants: Any
    ) -> Any:
        recipe = Recipe(f"kernels.{module}", name, warps, tuple(constants.items()), even, full)
        return device.Kernel(recipe)

    def update_agents(**changed: Any) -> Any:
        constants = agents | changed
        full = features.sensor_width == 1  # what wide sensors have under way takes more registers
        return kernel("gpu_agents", "update_agents", AGENTS["BLOCK"] // 32, full=full, **constants)

    return Kernels(
        claim=update_agents(CROWDED=1, SHARED=False) if features.crowded else None,
        update_agents=update_agents(),
        diffuse=kernel("gpu_field", "diffuse", WARPS, even, SHOWN=False, **field),
        diffuse_and_show=None
        if several
        else kernel("gpu_field", "diffuse", WARPS, even, SHOWN=True, **field),
        mix=kernel("gpu_mix", "mix", WARPS, even, SHOWN=False, **mixed) if features.scent else None,
        mix_and_show=kernel("gpu_mix", "mix", WARPS, even, SHOWN=True, **mixed) if several else None,
        show=kernel("gpu_mix", "show", WARPS, even, COLUMNS=MIX["COLUMNS"], **species),
        paint=kernel("gpu_field", "paint", WARPS, BLOCK=CELLS),
        survey=kernel("gpu_order", "survey", WARPS, even, TILES=TILES, **species),
        find_starts=kernel("gpu_order", "find_starts", 32, BLOCK=STARTS),
        put_in_order=kernel("gpu_order", "put_in_order", ORDER["BLOCK"] // 32, **ORDER, **species),
    )


def _update_agents(b: Buffers, parity: int) -> None:
    world, block = b.world, AGENTS["BLOCK"] * AGENTS["ROUNDS"]
    trail = b.trails[parity]
    args = (
        (-(-world.agents // block),), b.agents, b.more["scent"] if b.features.scent else trail, trail,
        b.counts[parity], b.values, b.clock,
        *map(b.some, ("responses", "ground", "mask", "births", "claims", "taken", "arrivals")),
        world.agents, world.width, world.height, world.fraction_bits,
    )  # fmt: skip
    if b.kernels.claim:
        for name in ("claims", "taken", "arrivals"):
            device.clear(b.more[name])
        b.kernels.claim(*args)
    b.kernels.update_agents(*args)


def _update_field(b: Buffers, parity: int, shown: bool) -> None:
    world, other = b.world, 1 - parity
    several = world.species > 1
    grid = (
        -(-world.width // FIELD["COLUMNS"]), -(-world.height // (FIELD["STRIPS"] * FIELD["ROWS"])),
        world.species,
    )  # fmt: skip
    (b.kernels.diffuse_and_show if shown and not several else b.kernels.diffuse)(
        grid, b.trails[parity], b.more["arrivals"] if b.features.crowded else b.counts[parity],
        b.trails[other], b.counts[other], b.values, b.clock, b.surface,
        *map(b.some, ("crowds", "ground", "mask", "scent")), world.width, world.height,
    )  # fmt: skip
    if several:
        _mix(b, other, shown)


def _mix(b: Buffers, parity: int, shown: bool = False) -> None:
    grid = -(-b.world.width // MIX["COLUMNS"]), -(-b.world.height // MIX["ROWS"])
    (b.kernels.mix_and_show if shown else b.kernels.mix)(
        grid, b.trails[parity], b.some("scent"), b.values, b.some("ground"), b.surface,
        b.world.width, b.world.height,
    )  # fmt: skip


def _step(b: Buffers, parity: int, shown: bool = False) -> None:
    _update_agents(b, parity)
    _update_field(b, parity, shown)


def _timed_step(b: Buffers, parity: int, shown: bool = False) -> None:
    _mark(b, "agents")
    _update_agents(b, parity)
    _mark(b, "field")
    _update_field(b, parity, shown)
    _mark(b, "end")


def _pair(b: Buffers, parity: int) -> None:
    _step(b, parity)
    _step(b, 1 - parity)


def _order(b: Buffers, parity: int) -> None:
    world, block = b.world, ORDER["BLOCK"] * ORDER["ROUNDS"]
    across, down = tiles_of(world)
    tiles = across * down
    b.kernels.survey(
        (-(-across // TILES), down, world.species), b.counts[1 - parity], b.tiles,
        world.width, world.height, across, tiles,
    )  # fmt: skip
    b.kernels.find_starts((1,), b.tiles, b.clock, tiles * world.species)
    b.kernels.put_in_order(
        (-(-world.agents // block),), b.agents, b.tiles, b.clock,
        world.agents, across, -(-world.height // TILE), tiles, world.fraction_bits,
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
    grid = -(-b.world.width // MIX["COLUMNS"]), b.world.height
    b.kernels.show(grid, b.trails[parity], b.surface, b.world.width, b.world.height)


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
    "mix": _mix,
}
BEFORE_ODD_STEPS = "order", "timed order", "round"
SELDOM = "show", "mix"  # so that no graph need be kept for them
CAPTURED = [
    (move, parity)
    for move in MOVES
    for parity in (0, 1)
    if move not in SELDOM and (parity or move not in BEFORE_ODD_STEPS)
]


def _mark(b: Buffers, name: str) -> None:
    if b.watch:
        b.watch.mark(name)
