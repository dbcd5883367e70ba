"""What is measured: how many agents on how large a field, and in what state."""

import dataclasses
import fnmatch
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kernels.params import MAX_SPECIES, Params
from kernels.reference import unpack
from kernels.scene import LAYERS, Layers, Map
from kernels.world import World, pack, scatter
from presets.preset import nearest

STATES = {
    "uniform": "agents everywhere, as a run starts",
    "developed": "after 1,000 steps: most agents on a few veins",
    "clustered": "all agents in a square of 1 % of the cells",
}
DEVELOPED = 1000  # steps


@dataclasses.dataclass(frozen=True, slots=True)
class Feature:
    """What the steps of a case do beyond the plain one.

    Attributes:
        name: What tables call it.
        params: The parameters.
        shares: How the agents are dealt out to species.
        map: Food and walls.
    """

    name: str
    params: Params = dataclasses.field(default_factory=Params)
    shares: tuple[float, ...] = (1.0,)
    map: Map = dataclasses.field(default_factory=Map)


PLAIN = Feature("the plain step")


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """One line of the benchmark.

    Attributes:
        agents: How many agents live in it.
        width: Field width in px.
        height: Field height in px.
        state: One of `STATES`.
        feature: What its steps do beyond the plain one.
    """

    agents: int
    width: int
    height: int
    state: str = "developed"
    feature: Feature = PLAIN

    @property
    def name(self) -> str:
        """Such as "1M-1024x1024-developed"."""
        more = f" with {self.feature.name}" if self.feature != PLAIN else ""
        return f"{short(self.agents)}-{self.width}x{self.height}-{self.state}{more}"

    @property
    def world(self) -> World:
        """Its world, always with the same seed."""
        shares, map = self.feature.shares, self.feature.map
        return World(self.width, self.height, self.agents, shares=shares, map=map)

    @property
    def lead(self) -> int:
        """Steps from its start to its state."""
        return DEVELOPED if self.state == "developed" else 0


STANDARD = (
    Case(1_000_000, 1024, 1024, "uniform"),
    Case(1_000_000, 1024, 1024, "developed"),
    Case(1_000_000, 1024, 1024, "clustered"),
    Case(2_000_000, 1920, 1080),
    Case(10_000_000, 4096, 4096),
    Case(16_000_000, 4096, 4096, "uniform"),
    Case(16_000_000, 4096, 4096, "developed"),
    Case(16_000_000, 4096, 4096, "clustered"),
    Case(100_000_000, 8192, 8192),
    Case(2**30, 16384, 16384),
)

# Two series for the plots: more and more agents on one field, and larger fields of the same density.
OVER_AGENTS = tuple(
    Case(agents, 2048, 2048) for agents in (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 30_000_000)
)
OVER_CELLS = tuple(Case(15_625 * (side // 128) ** 2, side, side) for side in (512, 1024, 2048, 4096, 8192))

# And a third: one world as it grows, over as many steps as a window has, from each of these on.
GROWING = Case(1_000_000, 1024, 1024, "uniform")
MARKS = 0, 100, 300, 1000, 3000

QUICK = STANDARD[1], STANDARD[0], STANDARD[2], OVER_CELLS[0]
COMPARED = STANDARD[1], STANDARD[6]  # by --ablate and --features, unless cases are chosen

ALL = tuple(dict.fromkeys(STANDARD + OVER_AGENTS + OVER_CELLS))


def _rooms() -> Map:
    """Rooms with walls, doors and a lump of food in each, as an image to be stretched over any field."""
    side, room = 64, 16  # px
    place = np.arange(side) % room
    walls = (place == 0) & (place[:, None] != room // 2)
    middle = abs(place - room // 2) < 2
    pixels = np.zeros((side, side, len(LAYERS)), np.uint8)
    pixels[..., LAYERS.index("food")] = 255 * (middle & middle[:, None])
    pixels[..., LAYERS.index("wall")] = 255 * (walls | walls.T)
    return Map(image=Layers(side, side, pixels.tobytes()))


FEATURES = (
    PLAIN,
    Feature(
        "response curves",
        Params(
            sense_scale=0.02,
            sensor_distance_amplitude=10.0,
            sensor_angle_amplitude=30.0,
            rotation_angle_amplitude=30.0,
            step_size_amplitude=1.0,
        ),
    ),
    Feature("four species", shares=(1.0,) * MAX_SPECIES),  # whose attractions make a full matrix
    Feature("walls and food", map=_rooms()),
)


def chosen(patterns: Sequence[str]) -> tuple[Case, ...]:
    """The cases with one of these names; in a name, * stands for anything.

    Raises:
        ValueError: A pattern fits none; the sentence names the nearest.
    """
    for pattern in patterns:
        if not any(_fits(case, pattern) for case in ALL):
            known = nearest(pattern, (case.name for case in ALL))
            raise ValueError(f"--case {pattern}: there is no such case; {known}")
    return tuple(case for case in ALL if any(_fits(case, pattern) for pattern in patterns))


def _fits(case: Case, pattern: str) -> bool:
    return fnmatch.fnmatchcase(case.name.casefold(), pattern.casefold())


def cluster(world: World) -> NDArray[np.uint64]:
    """Agent words [N] in a centred square (or rectangle) of a tenth of the field's width and height.

    They are those of `world.scatter`, drawn together by whole grains of 256 units: what tells them
    apart lies in the low bits of x and y and in the heading, and stays.
    """
    x, y, heading = unpack(scatter(world))
    across, down = (
        _drawn(place, side, world.fraction_bits) for place, side in ((x, world.width), (y, world.height))
    )
    return pack(across, down, heading.view(np.uint32))


def _drawn(place: NDArray[np.int32], side: int, bits: int) -> NDArray[np.uint32]:
    """Coordinates [N] drawn into the middle tenth of a side in px."""
    part = side // 10
    grain = (place.astype(np.int64) >> 8) * part // side
    corner = (side - part) // 2 << bits
    return (corner + (grain << 8 | place & 0xFF)).astype(np.uint32)


def short(number: int) -> str:
    """Such as "300k" or "1.07G"."""
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return str(number)
