"""Agents in order of species, and of place, so that those of a worker read and count near one another.

Where agents are spread out, a step takes less than half as long in order as at random, and a third
more again some 10 steps after a sort; where they have gathered on veins, order hardly matters. So
the times of the steps themselves say when to sort.
"""

from numba import prange

from kernels.cpu_model import (
    CHUNK,
    END_X,
    END_Y,
    FRACTION_BITS,
    PLACE,
    i64,
    jit,
    kind,
    parallel,
    share,
    u32,
    u64,
)
from kernels.world import World

# Tiles of 4 x 128 cells are numbered down each block of 128 x 128, and blocks along rows: what the
# agents of a few tiles sense and count stays in the caches as they go down. (Tiles of 16 x 1024, or
# 8 x 64 numbered along the whole row, cost spread-out agents a third and a tenth more.)
BLOCK_BITS, TILE_ROW_BITS = 7, 2
TILES = 1 << BLOCK_BITS - TILE_ROW_BITS  # in a block

SPAN = 4  # steps whose fastest counts, as others wait for whatever else the machine does
LONGEST = 64  # steps from one sort to the next


class Pace:
    """Says when to sort: when disorder has cost as much time as a sort costs, at the latest after `LONGEST`.

    Attributes:
        due: Whether to sort before the next step.
    """

    def __init__(self) -> None:
        self.due = True
        self._sort_seconds = 0.0
        self._served = 0  # steps, by the sort before
        self._steps: list[float] = []  # seconds of each since the sort
        self._lost = 0.0  # seconds

    def sorted(self, seconds: float) -> None:
        """Agents were sorted, which took so long."""
        self.due = False
        self._sort_seconds = seconds
        self._served = len(self._steps)
        self._steps = []
        self._lost = 0.0

    def moved(self, seconds: float) -> None:
        """Agents were moved, which took so long."""
        self._steps.append(seconds)
        if len(self._steps) % SPAN == 0:
            self._lost += SPAN * (min(self._steps[-SPAN:]) - min(self._steps[:SPAN]))
            self.due = self._lost > self._sort_seconds or len(self._steps) >= LONGEST

    @property
    def seconds_a_step(self) -> float:
        """The last sort's time, shared out over the steps it serves."""
        return self._sort_seconds / max(self._served, len(self._steps))


def tiles(world: World) -> int:
    """How many tiles a field has, for all species."""
    across, down = ((side - 1 >> BLOCK_BITS) + 1 for side in (world.width, world.height))
    return across * down * TILES * world.species


@parallel
def sort(agents, starts, shape, places, out):
    """Agents in order of their tiles, by a counting sort: no agent passes another of its tile.

    `starts` [workers, tiles] becomes where each worker's agents of a tile begin in `out`.
    """
    workers = len(starts)
    for w in prange(workers):
        count(agents, starts, shape, places, i64(w))  # w is unsigned in here, and signed outside
    total = u32(0)
    for t in range(u64(starts.shape[1])):
        for w in range(u64(workers)):
            many = starts[w, t]
            starts[w, t] = total
            total = u32(total + many)
    for w in prange(workers):
        place(agents, starts, shape, places, out, i64(w))


@jit
def count(agents, starts, shape, places, worker):
    """How many of a worker's agents stand in each tile."""
    mine, chosen = starts[worker], places[worker]
    for i in range(u64(len(mine))):
        mine[i] = 0
    first, last = share(len(agents), worker, len(starts))
    for begin in range(first, last, CHUNK):
        end = min(begin + CHUNK, last)
        tile(agents[begin:end], shape, chosen)
        for i in range(u64(end - begin)):
            mine[chosen[i]] += u32(1)


@jit
def place(agents, starts, shape, places, out, worker):
    """Moves a worker's agents to where their tiles' next ones belong."""
    mine, chosen = starts[worker], places[worker]
    first, last = share(len(agents), worker, len(starts))
    for begin in range(first, last, CHUNK):
        chunk = agents[begin : min(begin + CHUNK, last)]
        tile(chunk, shape, chosen)
        for i in range(u64(len(chunk))):
            at = mine[chosen[i]]
            mine[chosen[i]] = u32(at + u32(1))
            out[at] = chunk[i]


@jit
def tile(agents, shape, places):
    """The number of each agent's tile into `places`; each species has tiles of its own."""
    bits = u32(shape[FRACTION_BITS] & u32(31))
    block, row = u32(bits + u32(BLOCK_BITS)), u32(bits + u32(TILE_ROW_BITS))
    across = u32(u32(u32(shape[END_X] - u32(1)) >> block) + u32(1))
    down = u32(u32(u32(shape[END_Y] - u32(1)) >> block) + u32(1))
    for i in range(u64(len(agents))):
        low, high = u32(agents[i]), u32(agents[i] >> u64(32))
        x, y = u32(low & shape[PLACE]), u32(high & shape[PLACE])
        number = u32(u32(u32(kind(low, high, shape) * down) + u32(y >> block)) * across)
        number = u32(number + u32(x >> block))
        places[i] = u32(u32(number * u32(TILES)) + u32(u32(y >> row) & u32(TILES - 1)))
