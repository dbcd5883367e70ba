"""What the GPU's memory holds for a run: what every world has, and what only some features need."""

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.contract import SETS, SLOTS, Features, Numbers
from kernels.curves import CROWDS, PIECES
from kernels.gpu_device import device
from kernels.gpu_layout import BAND, CLOCK, ORDER_EVERY, TILE
from kernels.gpu_watch import Stopwatch
from kernels.world import BIRTHS, World

Shape = tuple[int, ...]


@dataclasses.dataclass
class Buffers:
    """The state of a run. Step s reads trail and counts s % 2 and writes trail 1 - s % 2.

    Attributes:
        world: Size, species and seed.
        values: The numbers of `contract.SLOTS` [SETS, C, SLOTS], float32.
        clock: The numbers of `CLOCK`, uint32 in int32.
        surface: The handle of the CUDA surface that shows the trail, int64.
        agents: Agent words [2, N], uint64 in int64, see `world.pack`; they are in one half at a time.
        trails: Scent [C, H, W] before and after a step, float32.
        counts: How many agents stood on each cell after a move [C, H, W], int32.
        tiles: How many agents of each species stand on each tile, then where they begin, int32.
        more: What only some features need, by the names of `shapes`; it stays once it is there.
        dab: Room for what `paint` is given.
        features: What the kernels and the graphs are for.
        kernels: What steps it, a `gpu_launch.Kernels`; None before any numbers were set.
        graphs: What was captured, by the name of a move and the parity of its first step.
        ready: The kernels and graphs of all features there have been.
        watch: Times the steps.
        coming: Numbers that are not on the GPU yet.
        maps: Ground and mask that are not on the GPU yet, by name; None for one that is empty.
        stale: Whether the scent is not that of the trail as it is.
        every: Steps from one order to the next.
        half: The half agents are in.
        shown: The surface's handle, as it lies in `surface`.
        step: Steps done since the start.
    """

    world: World
    values: Any
    clock: Any
    surface: Any
    agents: Any
    trails: tuple[Any, Any]
    counts: tuple[Any, Any]
    tiles: Any
    more: dict[str, Any] = dataclasses.field(default_factory=dict)
    dab: dict[str, Any] = dataclasses.field(default_factory=dict)
    features: Features = Features()  # noqa: RUF009  (it is frozen)
    kernels: Any = None
    graphs: dict[tuple[str, int], Any] = dataclasses.field(default_factory=dict)
    ready: dict[Features, tuple[Any, dict[tuple[str, int], Any]]] = dataclasses.field(default_factory=dict)
    watch: Stopwatch | None = None
    coming: Numbers | None = None
    maps: dict[str, NDArray[np.float32] | None] = dataclasses.field(default_factory=dict)
    stale: bool = True
    every: int = ORDER_EVERY
    half: int = 0
    shown: int = 0
    step: int = 0

    def some(self, name: str) -> Any:
        """Memory that some features need; where they do not, any, as nobody looks at it."""
        return self.more.get(name, self.values)

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


def plain_shapes(world: World) -> dict[str, tuple[Shape, type]]:
    """What every run has: the shape and the type of each array."""
    across, down = tiles_of(world)
    cells = world.species, world.height, world.width
    return {
        "values": ((SETS, world.species, len(SLOTS)), np.float32),
        "clock": ((len(CLOCK),), np.int32),
        "surface": ((1,), np.int64),
        "agents": ((2, world.agents), np.int64),
        "trails": ((2, *cells), np.float32),
        "counts": ((2, *cells), np.int32),
        "tiles": ((world.species * across * down,), np.int32),
    }


def shapes(world: World, features: Features) -> dict[str, tuple[Shape, type]]:
    """What a run with some features needs besides: the shape and the type of each array."""
    field = world.height, world.width
    cells = world.species, *field
    found: dict[str, tuple[Shape, type]] = {}
    if features.scent:
        found["scent"] = cells, np.float32
    if features.ground:
        found["ground"] = field, np.float32
    if features.blend:
        found["mask"] = field, np.float32
    if features.responses:
        found["responses"] = (SETS, world.species, PIECES, 4), np.int64
    if features.crowds:
        found["crowds"] = (SETS, world.species, CROWDS), np.float32
    if features.life:
        found["births"] = (BIRTHS,), np.int64
    if features.crowded:
        found |= {"claims": (field, np.uint64), "taken": (field, np.int32), "arrivals": (cells, np.int32)}
    return found


def bytes_needed(world: World) -> int:
    """Memory on the GPU that a world takes, with its map, whatever its agents do but crowding.

    Two trails and counts a cell and species, two words an agent, a number a tile; and what the map needs.
    """
    mapped = Features(species=world.species, ground=not world.map.empty, blend=world.map.image is not None)
    return sum(map(_size, (plain_shapes(world) | shapes(world, mapped)).values()))


def allocate(world: World) -> Buffers:
    """An empty state without kernels.

    Raises:
        MemoryError: The world does not fit into the GPU's memory.
    """
    memory = reserve(world, plain_shapes(world))
    return Buffers(world, **memory)


def equip(b: Buffers, features: Features) -> None:
    """Sees to it that the memory is there that some features need; what there is stays.

    Raises:
        MemoryError: It does not fit into the GPU's memory.
    """
    missing = {name: what for name, what in shapes(b.world, features).items() if name not in b.more}
    b.more |= reserve(b.world, missing)


def reserve(world: World, wanted: dict[str, tuple[Shape, type]]) -> dict[str, Any]:
    """Empty arrays on the GPU, by name.

    Raises:
        MemoryError: They do not fit into the GPU's memory.
    """
    try:
        found = {}
        for name, (shape, dtype) in wanted.items():
            if name in ("trails", "counts"):
                found[name] = device.zeros(shape[1:], dtype), device.zeros(shape[1:], dtype)
            else:
                found[name] = device.zeros(shape, dtype)
    except MemoryError as error:
        needed = sum(map(_size, wanted.values())) / 2**30
        raise MemoryError(
            f"{world.width}x{world.height} px with {world.agents} agents needs "
            f"{needed:.1f} GiB of GPU memory, more than is free."
        ) from error
    return found


def _size(what: tuple[Shape, type]) -> int:
    shape, dtype = what
    return math.prod(shape) * np.dtype(dtype).itemsize
