"""The world a run lives in: its size, its agents, its seed, and where agents start."""

import dataclasses
import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.params import MAX_SPECIES
from kernels.scene import Map, Start
from kernels.spec import is_text, refusal
from kernels.start import place

POSITION_BITS = 24  # of a coordinate in an agent's word, whole pixels and fraction; the species takes one
FRACTION_BITS = 13  # at most: finer gains nothing, and longer lengths would leave float32's exact range
MIN_SIDE, MAX_SIDE = 16, 32768  # px; an int32 can index all their cells
MAX_SEED = 200  # characters
GOLDEN = 0x9E3779B1  # 2**32 / golden ratio, odd: mixes numbers one-to-one
CHUNK = 2**16  # agents scattered at a time: their numbers stay in a core's caches
MAX_AGENTS = 2**30  # which `scatter` can still tell apart
LEAST_SHARE, MOST_SHARE = 0.001, 1000.0
BIRTHS = 2**16  # places where agents are born again
SPECIES_BIT = POSITION_BITS - 1

Halves = NDArray[np.uint32]
Places = NDArray[np.int32]


@dataclasses.dataclass(frozen=True, slots=True)
class World:
    """What a run is built on; changing any of it rebuilds the run.

    Attributes:
        width: Field width in pixels (cells), 16 to 32768.
        height: Field height in pixels (cells), 16 to 32768.
        agents: How many agents live in it, 1 to 2**30.
        seed: Any text; numbers are written as text. The same seed gives the same run.
        shares: How the agents are dealt out to species, 1 to 4 numbers above 0; only their ratios matter.
        start: Where they begin.
        map: The food, walls and mask that the field begins with.
    """

    width: int
    height: int
    agents: int
    seed: str = "1"
    shares: tuple[float, ...] = (1.0,)
    start: Start = dataclasses.field(default_factory=Start)
    map: Map = dataclasses.field(default_factory=Map)

    def __post_init__(self) -> None:
        for side in ("width", "height"):
            pixels = getattr(self, side)
            if not MIN_SIDE <= pixels <= MAX_SIDE:
                raise refusal(side, pixels, f"from {MIN_SIDE} to {MAX_SIDE} px")
        if not 1 <= self.agents <= MAX_AGENTS:
            raise refusal("agents", self.agents, f"from 1 to {MAX_AGENTS}")
        if not is_text(self.seed, MAX_SEED):
            raise refusal("seed", self.seed, f"a text of at most {MAX_SEED} characters")
        if not 1 <= len(self.shares) <= MAX_SPECIES:
            raise refusal("shares", f"{len(self.shares)} numbers", f"1 to {MAX_SPECIES} of them")
        for share in self.shares:
            if not LEAST_SHARE <= share <= MOST_SHARE:
                raise refusal("shares", share, f"numbers from {LEAST_SHARE} to {MOST_SHARE}")

    @property
    def species(self) -> int:
        """How many species live in it, 1 to 4."""
        return len(self.shares)

    @property
    def bounds(self) -> list[int]:
        """Numbers of each species' first agent, and of all agents; species follow one another."""
        total, so_far, bounds = sum(self.shares), 0.0, [0]
        for share in self.shares:
            so_far += share
            bounds.append(round(self.agents * (so_far / total)))
        return bounds

    @property
    def density(self) -> float:
        """Agents per field pixel."""
        return self.agents / (self.width * self.height)

    @property
    def fraction_bits(self) -> int:
        """Bits behind the point of a coordinate; one unit is 2**-fraction_bits px."""
        whole_bits = (max(self.width, self.height) - 1).bit_length()
        return min(FRACTION_BITS, self.position_bits - whole_bits)

    @property
    def position_bits(self) -> int:
        """Bits of a coordinate in an agent's word; with several species the last two name the agent's."""
        return POSITION_BITS - (self.species > 1)

    @property
    def seed_words(self) -> tuple[int, int]:
        """Two unsigned 32-bit words made from the seed's text, whatever it is."""
        digest = hashlib.sha256(self.seed.encode()).digest()
        return int.from_bytes(digest[:4], "little"), int.from_bytes(digest[4:8], "little")


def pack(
    x: Halves, y: Halves, heading: Halves, species: NDArray[np.integer[Any]] | int = 0
) -> NDArray[np.uint64]:
    """Agent words [N] from coordinates in units, headings in 65536ths of a circle, and species from 0.

    The low half holds x and the heading's low byte, the high half y and its high byte, so that a
    backend unpacks both halves with 32-bit operations only. Where there are several species, the last
    bit of each coordinate holds one of the species' two.
    """
    kind = np.asarray(species, np.uint32)
    low = (x | (kind & 1) << SPECIES_BIT | (heading & 0xFF) << 24).astype(np.uint64)
    high = (y | kind >> 1 << SPECIES_BIT | heading >> 8 << 24).astype(np.uint64)
    return low | high << np.uint64(32)


def unpack(agents: NDArray[np.uint64], position_bits: int = POSITION_BITS) -> tuple[Places, Places, Places]:
    """Coordinates x, y [N] in units and heading [N] in 65536ths of a circle; see `pack`."""
    low = agents.astype(np.uint32)
    high = (agents >> np.uint64(32)).astype(np.uint32)
    heading = low >> 24 | high >> 24 << 8
    place = np.uint32((1 << position_bits) - 1)
    return (low & place).view(np.int32), (high & place).view(np.int32), heading.view(np.int32)


def species_of(agents: NDArray[np.uint64], world: World) -> Places:
    """Each agent's species [N], from 0."""
    if world.species == 1:
        return np.zeros(len(agents), np.int32)
    first, second = (agents >> np.uint64(bit) & np.uint64(1) for bit in (SPECIES_BIT, 32 + SPECIES_BIT))
    return (first | second << np.uint64(1)).astype(np.int32)


def scatter(world: World) -> NDArray[np.uint64]:
    """Agent words [N] where the world's start wants them, with headings all round if it does not say.

    No two agents are alike, whatever the seed: 30 bits that are a one-to-one mixture of the agent's
    number sit in the low bits of x, y and heading. (Random numbers depend on the agent's state
    alone, so two equal agents would stay together for ever.)
    """
    words = np.empty(world.agents, np.uint64)
    parts = [slice(start, start + CHUNK) for start in range(0, world.agents, CHUNK)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # NumPy lets go of Python while it computes
        list(pool.map(lambda part: _scatter(world, words, part), parts))
    return words


def births(world: World) -> NDArray[np.uint64]:
    """Agent words [BIRTHS] of the first species, from which agents that died take a place and a heading."""
    one = dataclasses.replace(world, agents=BIRTHS, seed=f"births of {world.seed}"[:MAX_SEED])
    return _without_species(scatter(one), world)


def _without_species(words: NDArray[np.uint64], world: World) -> NDArray[np.uint64]:
    if world.species == 1:
        return words
    bits = np.uint64(1 << SPECIES_BIT | 1 << 32 + SPECIES_BIT)
    return words & ~bits


def _scatter(world: World, words: NDArray[np.uint64], part: slice) -> None:
    """Fills in the agents of one part."""
    u = np.uint64
    seed_low, seed_high = (u(word) for word in world.seed_words)
    number = np.arange(part.start, min(part.stop, len(words)), dtype=u)
    random = _mix(_mix(number + (seed_low << u(32))) + seed_high)
    more = _mix(random)
    x, y, heading = place(world.start, world.width, world.height, world.fraction_bits, random, more)
    own = number * u(GOLDEN) & u(MAX_AGENTS - 1)  # an odd factor: one-to-one
    if heading is None:
        bits, heading = 8, own >> u(16) | more >> u(62) << u(14)
    else:  # it keeps its upper half, and the coordinates take the rest
        bits, heading = 11, heading & u(0xFF00) | own >> u(22)
    x = _with_low_bits(x, own, bits, world.width << world.fraction_bits)
    y = _with_low_bits(y, own >> u(bits), bits, world.height << world.fraction_bits)
    species = np.searchsorted(np.array(world.bounds[1:-1], u), number, "right")
    words[part] = pack(x.astype(np.uint32), y.astype(np.uint32), heading.astype(np.uint32), species)


def _with_low_bits(
    place: NDArray[np.uint64], low: NDArray[np.uint64], bits: int, end: int
) -> NDArray[np.uint64]:
    """Coordinates [N] with other low bits, still below `end`."""
    mask = np.uint64((1 << bits) - 1)
    place = place & ~mask | low & mask
    return np.where(place < np.uint64(end), place, place - np.uint64(1 << bits))


def _mix(v: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The SplitMix64 finalizer (Steele, Lea and Flood, OOPSLA 2014): one-to-one on 64 bits."""
    v = v + np.uint64(0x9E3779B97F4A7C15)
    v = (v ^ v >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    v = (v ^ v >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return v ^ v >> np.uint64(31)
