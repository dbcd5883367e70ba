"""The world a run lives in: its size, its agents, its seed, and where agents start."""

import dataclasses
import hashlib
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from kernels.params import is_text, refusal

POSITION_BITS = 24  # of each coordinate in an agent's word, whole pixels and fraction together
FRACTION_BITS = 13  # at most: finer gains nothing, and longer lengths would leave float32's exact range
MIN_SIDE, MAX_SIDE = 16, 32768  # px; an int32 can index all their cells
MAX_SEED = 200  # characters
GOLDEN = 0x9E3779B1  # 2**32 / golden ratio, odd: mixes numbers one-to-one
CHUNK = 2**16  # agents scattered at a time: their numbers stay in a core's caches
MAX_AGENTS = 2**30  # which `scatter` can still tell apart


@dataclasses.dataclass(frozen=True, slots=True)
class World:
    """What a run is built on; changing any of it rebuilds the run.

    Attributes:
        width: Field width in pixels (cells), 16 to 32768.
        height: Field height in pixels (cells), 16 to 32768.
        agents: How many agents live in it, 1 to 2**30.
        seed: Any text; numbers are written as text. The same seed gives the same run.
    """

    width: int
    height: int
    agents: int
    seed: str = "1"

    def __post_init__(self) -> None:
        for side in ("width", "height"):
            pixels = getattr(self, side)
            if not MIN_SIDE <= pixels <= MAX_SIDE:
                raise refusal(side, pixels, f"from {MIN_SIDE} to {MAX_SIDE} px")
        if not 1 <= self.agents <= MAX_AGENTS:
            raise refusal("agents", self.agents, f"from 1 to {MAX_AGENTS}")
        if not is_text(self.seed, MAX_SEED):
            raise refusal("seed", self.seed, f"a text of at most {MAX_SEED} characters")

    @property
    def density(self) -> float:
        """Agents per field pixel."""
        return self.agents / (self.width * self.height)

    @property
    def fraction_bits(self) -> int:
        """Bits behind the point of a coordinate; one unit is 2**-fraction_bits px."""
        whole_bits = (max(self.width, self.height) - 1).bit_length()
        return min(FRACTION_BITS, POSITION_BITS - whole_bits)

    @property
    def seed_words(self) -> tuple[int, int]:
        """Two unsigned 32-bit words made from the seed's text, whatever it is."""
        digest = hashlib.sha256(self.seed.encode()).digest()
        return int.from_bytes(digest[:4], "little"), int.from_bytes(digest[4:8], "little")


def pack(x: NDArray[np.uint32], y: NDArray[np.uint32], heading: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Agent words [N] from coordinates in units and headings in 65536ths of a circle.

    The low half holds x and the heading's low byte, the high half y and its high byte, so that a
    backend unpacks both halves with 32-bit operations only.
    """
    low = (x | (heading & 0xFF) << 24).astype(np.uint64)
    high = (y | (heading >> 8) << 24).astype(np.uint64)
    return low | high << np.uint64(32)


def scatter(world: World) -> NDArray[np.uint64]:
    """Agent words [N], spread evenly over the field with headings all round.

    No two agents are alike, whatever the seed: 30 bits that are a one-to-one mixture of the agent's
    number sit in the low bits of x, y and heading. (Random numbers depend on the agent's state
    alone, so two equal agents would stay together for ever.)
    """
    words = np.empty(world.agents, np.uint64)
    parts = [slice(start, start + CHUNK) for start in range(0, world.agents, CHUNK)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # NumPy lets go of Python while it computes
        list(pool.map(lambda part: _scatter(world, words, part), parts))
    return words


def _scatter(world: World, words: NDArray[np.uint64], part: slice) -> None:
    """Fills in the agents of one part."""
    u = np.uint64
    seed_low, seed_high = (u(word) for word in world.seed_words)
    number = np.arange(part.start, min(part.stop, len(words)), dtype=u)
    random = _mix(_mix(number + (seed_low << u(32))) + seed_high)
    x = (random >> u(32)) * u(world.width << world.fraction_bits) >> u(32)
    y = (random & u(0xFFFFFFFF)) * u(world.height << world.fraction_bits) >> u(32)
    own = number * u(GOLDEN) & u(MAX_AGENTS - 1)  # an odd factor: one-to-one
    x = x & ~u(0xFF) | own & u(0xFF)
    y = y & ~u(0xFF) | own >> u(8) & u(0xFF)
    heading = own >> u(16) | _mix(random) >> u(62) << u(14)
    words[part] = pack(*(number.astype(np.uint32) for number in (x, y, heading)))


def _mix(v: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The SplitMix64 finalizer (Steele, Lea and Flood, OOPSLA 2014): one-to-one on 64 bits."""
    v = v + np.uint64(0x9E3779B97F4A7C15)
    v = (v ^ v >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    v = (v ^ v >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return v ^ v >> np.uint64(31)
