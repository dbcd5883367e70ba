"""The specification: one step of Physarum as plain array code. Slow, short, and always right.

Five things happen in a step, in this order, after Jeff Jones, "Characteristics of pattern formation
and evolution in approximations of Physarum transport networks", Artificial Life 16(2), 2010, and
Sage Jenson's description (https://cargocollective.com/sagejenson/physarum): agents sense the trail,
steer, move and deposit; the trail diffuses and decays. `kernels.cpu` and `kernels.gpu` do the same
operations on the same numbers in the same order; tests demand equality of every bit.

Arithmetic rules are those of `kernels.contract`. Shapes: N agents, H x W cells.
"""

import dataclasses

import numpy as np
from numpy.typing import NDArray

from kernels.contract import (
    COS,
    PCG_ADD,
    PCG_MULTIPLY,
    PCG_SCRAMBLE,
    ROUND,
    SIN,
    SLOT,
    SLOTS,
    TINY,
    step_key,
)
from kernels.world import GOLDEN, World, pack

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Words = NDArray[np.uint64]
Bools = NDArray[np.bool_]


@dataclasses.dataclass
class Buffers:
    """The state of a run.

    Attributes:
        world: Size and seed.
        values: The numbers of `contract.SLOTS`.
        agents: Agent words [N], see `world.pack`.
        trail: Scent [H, W].
        counts: How many agents stood on each cell after the last move [H, W].
        step: Steps done since the start.
        step_seconds: What a step took lately; not measured here.
        pass_seconds: What each of `contract.PASSES` took in the step last sampled, shared out over the
            steps it serves; empty before one was, as always here.
    """

    world: World
    values: Floats
    agents: Words
    trail: Floats
    counts: Ints
    step: int = 0
    step_seconds: float = 0.0
    pass_seconds: dict[str, float] = dataclasses.field(default_factory=dict)


def bytes_needed(world: World) -> int:
    """Memory that `allocate` and `load` take for a world: agents twice, a trail and counts."""
    return 16 * world.agents + 8 * world.width * world.height


def allocate(world: World) -> Buffers:
    """An empty state; `load` brings it to life."""
    shape = world.height, world.width
    return Buffers(
        world,
        np.zeros(len(SLOTS), np.float32),
        np.zeros(world.agents, np.uint64),
        np.zeros(shape, np.float32),
        np.zeros(shape, np.int32),
    )


def load(b: Buffers, world: World, agents: Words) -> None:
    """Starts over with the given agents on an empty field; only the seed of `world` may be new."""
    b.world = world
    b.agents = agents.copy()
    b.trail[:] = 0
    b.counts[:] = 0
    b.step = 0


def set_values(b: Buffers, values: Floats) -> None:
    """Takes over new numbers for the steps to come."""
    b.values[:] = values


def advance(b: Buffers, steps: int) -> None:
    """Does `steps` steps."""
    for _ in range(steps):
        x, y, heading = unpack(b.agents)
        direction = sincos(heading)
        sensed = sense(b.trail, x, y, direction, b.values, b.world)
        heading, direction = steer(heading, direction, sensed, random_side(b), b.values)
        x, y = move(x, y, direction, b.values, b.world)
        b.agents = pack(x.view(np.uint32), y.view(np.uint32), heading.view(np.uint32))
        b.counts = deposit(x, y, b.world)
        b.trail = diffuse(b.trail, b.counts, b.values)
        b.step += 1


def sample(b: Buffers) -> None:
    """Asks that a step soon be timed pass by pass, for `pass_seconds`; here nothing is."""


def bandwidth() -> float:
    """Bytes per second, read and written, of the device's copies of large arrays; 0 as none is timed here."""
    return 0.0


def wait(b: Buffers) -> None:
    """Returns when all steps asked for are done; here they always are."""


def fetch(b: Buffers) -> tuple[Floats, Ints, Words]:
    """Trail [H, W], counts [H, W] and agent words [N] as arrays."""
    return b.trail, b.counts, b.agents


def fetch_trail(b: Buffers) -> Floats:
    """The trail [H, W] alone."""
    return b.trail


def fetch_counts(b: Buffers) -> Ints:
    """The counts [H, W] alone."""
    return b.counts


def paint(b: Buffers, rows: Ints, columns: Ints, gain: Floats, lift: Floats) -> None:
    """Paints one dab: trail = trail * gain + lift, on the cells rows x columns."""
    patch = np.ix_(rows, columns)
    b.trail[patch] = b.trail[patch] * gain + lift


def unpack(agents: Words) -> tuple[Ints, Ints, Ints]:
    """Coordinates x, y [N] in units and heading [N] in 65536ths of a circle; see `world.pack`."""
    low = agents.astype(np.uint32)
    high = (agents >> np.uint64(32)).astype(np.uint32)
    heading = low >> 24 | high >> 24 << 8
    return (low & 0xFFFFFF).view(np.int32), (high & 0xFFFFFF).view(np.int32), heading.view(np.int32)


def sincos(heading: Ints) -> tuple[Floats, Floats]:
    """The direction (cos, sin) [N] of a heading in 65536ths of a circle.

    The heading is folded to a quarter circle centred on an axis, where t = angle / (pi/4) is an exact
    float32 in [-1, 1); two short polynomials follow, then the quarter turns them back.
    """
    quarter = (heading + 8192) >> 14
    t = ((heading + 8192 & 16383) - 8192).astype(np.float32) * np.float32(1 / 8192)
    u = t * t
    s0, s1, s2, s3 = (np.float32(a) for a in SIN)
    c0, c1, c2, c3 = (np.float32(a) for a in COS)
    sin = t * (((s3 * u + s2) * u + s1) * u + s0)
    cos = ((c3 * u + c2) * u + c1) * u + c0
    swap = quarter & 1 != 0
    c = np.where(swap, sin, cos)
    s = np.where(swap, cos, sin)
    return np.where(quarter + 1 & 2 != 0, -c, c), np.where(quarter & 2 != 0, -s, s)


def sense(
    trail: Floats, x: Ints, y: Ints, direction: tuple[Floats, Floats], values: Floats, world: World
) -> tuple[Floats, Floats, Floats]:
    """The trail [N] ahead, to the left and to the right, each on the nearest cell.

    The sensors stand `sensor_distance` away at -`sensor_angle`, 0 and +`sensor_angle` from the
    heading (y points down, so positive is to the right on the screen).
    """
    cos, sin = direction
    reach, side_cos, side_sin = (values[SLOT[n]] for n in ("sensor_ahead", "sensor_cos", "sensor_sin"))
    ahead = cos * reach, sin * reach
    left = cos * side_cos + sin * side_sin, sin * side_cos - cos * side_sin
    right = cos * side_cos - sin * side_sin, sin * side_cos + cos * side_sin

    def at(offset: tuple[Floats, Floats]) -> Floats:
        sx, sy = displace(x, y, offset, world)
        found: Floats = trail[sy >> world.fraction_bits, sx >> world.fraction_bits]
        return found

    return at(ahead), at(left), at(right)


def steer(
    heading: Ints,
    direction: tuple[Floats, Floats],
    sensed: tuple[Floats, Floats, Floats],
    right_hand: Bools,
    values: Floats,
) -> tuple[Ints, tuple[Floats, Floats]]:
    """New heading [N] and direction [N] by Jones's rule.

    Ahead strictly best: straight on. Ahead strictly worst: to a random side. Otherwise to the
    better side, and straight on when both sides are equal. The new direction is the old one rotated,
    which saves a second sine.
    """
    ahead, left, right = sensed
    best = (ahead > left) & (ahead > right)
    worst = (ahead < left) & (ahead < right)
    to_right = np.where(worst, right_hand, right > left) & ~best
    to_left = np.where(worst, ~right_hand, left > right) & ~best

    turn = values[SLOT["turn"]].astype(np.int32)
    heading = (heading + np.where(to_right, turn, 0) - np.where(to_left, turn, 0)) & 0xFFFF
    one, zero = np.float32(1), np.float32(0)
    turn_sin = values[SLOT["turn_sin"]]
    c = np.where(to_right | to_left, values[SLOT["turn_cos"]], one)
    s = np.where(to_right, turn_sin, np.where(to_left, -turn_sin, zero))
    cos, sin = direction
    return heading.astype(np.int32), (cos * c - sin * s, sin * c + cos * s)


def move(
    x: Ints, y: Ints, direction: tuple[Floats, Floats], values: Floats, world: World
) -> tuple[Ints, Ints]:
    """Coordinates [N] one `step_size` along the direction, on a torus."""
    step = values[SLOT["step"]]
    return displace(x, y, (direction[0] * step, direction[1] * step), world)


def deposit(x: Ints, y: Ints, world: World) -> Ints:
    """How many agents stand on each cell [H, W]. Integers, so their order cannot matter."""
    cell = (y >> world.fraction_bits) * world.width + (x >> world.fraction_bits)
    counts = np.bincount(cell, minlength=world.width * world.height)
    return counts.astype(np.int32).reshape(world.height, world.width)


def diffuse(trail: Floats, counts: Ints, values: Floats) -> Floats:
    """The next trail [H, W]: deposit, blur towards the mean of 3 x 3 cells, decay, on a torus.

    trail' = (1 - decay) * ((1 - diffusion) * d + diffusion * mean3x3(d)),  d = trail + deposit * counts,
    with the two products of constants taken beforehand. Sums run (left + middle) + right, then
    (above + middle) + below.
    """
    d = trail + values[SLOT["deposit"]] * counts.astype(np.float32)
    row = (np.roll(d, 1, 1) + d) + np.roll(d, -1, 1)
    total = (np.roll(row, 1, 0) + row) + np.roll(row, -1, 0)
    faded = d * values[SLOT["keep_centre"]] + total * values[SLOT["keep_ring"]]
    return np.where(faded < np.float32(TINY), np.float32(0), faded)


def displace(x: Ints, y: Ints, offset: tuple[Floats, Floats], world: World) -> tuple[Ints, Ints]:
    """Coordinates [N] moved by an offset in units, rounded to the nearest unit and wrapped.

    An offset is shorter than the field, so one comparison each way is enough; whole numbers cannot
    round up to the field's edge as a float wrap does.
    """
    moved = []
    for place, by, side in ((x, offset[0], world.width), (y, offset[1], world.height)):
        end = np.int32(side << world.fraction_bits)
        p = place + ((by + np.float32(ROUND)).astype(np.int32) - np.int32(ROUND))
        p = np.where(p < 0, p + end, p)
        moved.append(np.where(p >= end, p - end, p))
    return moved[0], moved[1]


def random_side(b: Buffers) -> Bools:
    """A coin [N] for each agent: the top bit of a PCG hash of (seed, step, the agent's 64 bits).

    It depends on the agent's state and not on its place in memory, so a backend may sort agents.
    """
    key = np.uint32(step_key(b.world.seed_words, b.step))
    low = b.agents.astype(np.uint32)
    high = (b.agents >> np.uint64(32)).astype(np.uint32)
    coin: Bools = pcg(low + high * np.uint32(GOLDEN) + key) >> 31 != 0
    return coin


def pcg(value: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The PCG hash of each number; `contract.pcg` says whose it is."""
    state = value * np.uint32(PCG_MULTIPLY) + np.uint32(PCG_ADD)
    word = (state >> (state >> 28) + 4 ^ state) * np.uint32(PCG_SCRAMBLE)
    return (word >> 22 ^ word).astype(np.uint32, copy=False)
