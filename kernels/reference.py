"""The specification: one step of Physarum as plain array code. Slow, short, and always right.

Five things happen in a step, in this order, after Jeff Jones, "Characteristics of pattern formation
and evolution in approximations of Physarum transport networks", Artificial Life 16(2), 2010, and
Sage Jenson's description (https://cargocollective.com/sagejenson/physarum): agents sense the trail,
steer, move and deposit; the trail diffuses and decays. `kernels.cpu` and `kernels.gpu` do the same
operations on the same numbers in the same order; tests demand equality of every bit.

`contract.Features` says what a step does beyond that, `kernels.reference_rules` and
`kernels.reference_moves` how. Arithmetic rules are those of `kernels.contract`. Shapes: N agents, C
species, H x W cells.
"""

import dataclasses
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from kernels import reference_rules as rules
from kernels.contract import TINY, Numbers, numbers, step_key
from kernels.params import Params
from kernels.reference_moves import move_by_rules
from kernels.reference_rules import Agents, Bools, Floats, Ints, Scene, Words, displace, pcg
from kernels.world import GOLDEN, World, births, unpack

__all__ = ["pcg", "unpack"]  # for those who look for the specification here


@dataclasses.dataclass
class Buffers:
    """The state of a run.

    Attributes:
        world: Size and seed.
        numbers: What the steps read.
        agents: Agent words [N], see `world.pack`.
        trail: Scent [C, H, W].
        counts: How many agents stood on each cell after the last move [C, H, W].
        ground: Food from 0 to 1, or below 0 a wall [H, W].
        mask: How far the second set of parameters holds, from 0 to 1 [H, W].
        births: Agent words [BIRTHS] where agents that die begin again.
        step: Steps done since the start.
        step_seconds: What a step took lately; not measured here.
        pass_seconds: What each of `contract.PASSES` took in the step last sampled, shared out over the
            steps it serves; empty before one was, as always here.
    """

    world: World
    numbers: Numbers
    agents: Words
    trail: Floats
    counts: Ints
    ground: Floats
    mask: Floats
    births: Words
    step: int = 0
    step_seconds: float = 0.0
    pass_seconds: dict[str, float] = dataclasses.field(default_factory=dict)


def bytes_needed(world: World) -> int:
    """Memory that `allocate` and `load` take for a world: agents twice, trails, counts and two maps."""
    return 16 * world.agents + 8 * (world.species + 1) * world.width * world.height


def allocate(world: World) -> Buffers:
    """An empty state; `load` brings it to life."""
    shape = world.height, world.width
    return Buffers(
        world,
        numbers(Params(), world),
        np.zeros(world.agents, np.uint64),
        np.zeros((world.species, *shape), np.float32),
        np.zeros((world.species, *shape), np.int32),
        np.zeros(shape, np.float32),
        np.zeros(shape, np.float32),
        births(world),
    )


def load(b: Buffers, world: World, agents: Words) -> None:
    """Starts over with the given agents on an empty field; of `world`, size, agents and species stay."""
    b.world = world
    b.agents = agents.copy()
    b.births = births(world)
    b.trail[:] = 0
    b.counts[:] = 0
    b.step = 0


def snapshot(b: Buffers) -> tuple[Floats, Ints, Words]:
    """Copies of what `fetch` gives, for `restore`."""
    return b.trail.copy(), b.counts.copy(), b.agents.copy()


def restore(b: Buffers, world: World, step: int, trail: Floats, counts: Ints, agents: Words) -> None:
    """Goes on from a step of a world, with a snapshot's trail, counts and agents, which stay as they are."""
    load(b, world, agents)
    b.trail[:], b.counts[:] = trail, counts
    b.step = step


def set_numbers(b: Buffers, numbers: Numbers) -> None:
    """Takes over new numbers for the steps to come."""
    b.numbers = numbers


def set_maps(b: Buffers, ground: Floats, mask: Floats) -> None:
    """Takes over food and walls, and the mask [H, W], for the steps to come."""
    b.ground = ground.copy()
    b.mask = mask.copy()


def advance(b: Buffers, steps: int) -> None:
    """Does `steps` steps."""
    for _ in range(steps):
        scene = Scene(b.world, b.numbers, b.trail, b.ground, b.mask, b.births)
        what = b.numbers.features
        agents = Agents.of(b.agents, luck(b), scene)
        sensed = sense(agents, scene)
        if what.joins:
            rules.join(agents, scene)
        steer(agents, sensed, what.responses)
        if what.life:
            rules.waver(agents)
        move(agents, scene)
        b.agents = agents.words()
        b.counts = deposit(agents, b.world)
        b.trail = diffuse(b.trail, deposit(agents.that(agents.leaves), b.world), scene)
        b.step += 1


def sample(b: Buffers) -> None:
    """Asks that a step soon be timed pass by pass, for `pass_seconds`; here nothing is."""


def bandwidth() -> float:
    """Bytes per second, read and written, of the device's copies of large arrays; 0 as none is timed here."""
    return 0.0


def wait(b: Buffers) -> None:
    """Returns when all steps asked for are done; here they always are."""


def fetch(b: Buffers) -> tuple[Floats, Ints, Words]:
    """Trail [C, H, W], counts [C, H, W] and agent words [N] as arrays."""
    return b.trail, b.counts, b.agents


def fetch_trail(b: Buffers) -> Floats:
    """The trail [C, H, W] alone."""
    return b.trail


def fetch_counts(b: Buffers) -> Ints:
    """The counts [C, H, W] alone."""
    return b.counts


def glimpse(b: Buffers, rows: slice, columns: slice) -> tuple[Floats, Ints]:
    """Trail and counts [C, rows, columns] of a part of the field, as copies."""
    part = slice(None), rows, columns
    return fetch_trail(b)[part].copy(), fetch_counts(b)[part].copy()


def glimpse_trail(b: Buffers, rows: slice, columns: slice) -> Floats:
    """The trail [C, rows, columns] of a part of the field, as a copy."""
    return fetch_trail(b)[:, rows, columns].copy()


def paint(b: Buffers, species: int, rows: Ints, columns: Ints, gain: Floats, lift: Floats) -> None:
    """Paints one dab of a species' trail: trail = trail * gain + lift, on the cells rows x columns."""
    patch = np.ix_(rows, columns)
    b.trail[species][patch] = b.trail[species][patch] * gain + lift


def luck(b: Buffers) -> NDArray[np.uint32]:
    """A random number [N] for each agent: a PCG hash of (seed, step, the agent's 64 bits).

    It depends on the agent's state and not on its place in memory, so a backend may sort agents.
    """
    key = np.uint32(step_key(b.world.seed_words, b.step))
    low = b.agents.astype(np.uint32)
    high = (b.agents >> np.uint64(32)).astype(np.uint32)
    return pcg(low + high * np.uint32(GOLDEN) + key)


def sense(agents: Agents, scene: Scene) -> tuple[Floats, Floats, Floats]:
    """What agents smell [N] ahead, to the left and to the right, each on the nearest cell.

    The sensors stand `sensor_distance` away at -`sensor_angle`, 0 and +`sensor_angle` from the
    heading (y points down, so positive is to the right on the screen).
    """
    cos, sin = agents.direction
    reach, side_cos, side_sin = agents.sensors
    ahead = cos * reach, sin * reach
    left = cos * side_cos + sin * side_sin, sin * side_cos - cos * side_sin
    right = cos * side_cos - sin * side_sin, sin * side_cos + cos * side_sin
    what = scene.numbers.features
    smelled = (rules.smell_at(agents, offset, scene, what.sensor_width) for offset in (ahead, left, right))
    if what.life:
        smelled = (rules.noticed(smell, agents.own["sense_threshold"]) for smell in smelled)
    front, lefthand, righthand = smelled
    return front, lefthand, righthand


def steer(agents: Agents, sensed: tuple[Floats, Floats, Floats], afresh: bool) -> None:
    """Turns agents by Jones's rule: new headings [N] and directions [N].

    Ahead strictly best: straight on. Ahead strictly worst: to a random side. Otherwise to the
    better side, and straight on when both sides are equal. The new direction is the old one rotated,
    which saves a second sine; only where turns follow the trail it is made `afresh`.
    """
    ahead, left, right = sensed
    right_hand = agents.luck >> 31 != 0
    best = (ahead > left) & (ahead > right)
    worst = (ahead < left) & (ahead < right)
    to_right = np.where(worst, right_hand, right > left) & ~best
    to_left = np.where(worst, ~right_hand, left > right) & ~best
    agents.turn_to(agents.heading + np.where(to_right, agents.turn, 0) - np.where(to_left, agents.turn, 0))
    if afresh:
        agents.look_ahead()
    else:
        agents.direction = _rotated(agents, to_left, to_right)


def _rotated(agents: Agents, to_left: Bools, to_right: Bools) -> tuple[Floats, Floats]:
    """Directions [N] turned to one side or the other by the turn of `contract.SLOTS`."""
    one, zero = np.float32(1), np.float32(0)
    turn_sin = agents.own["turn_sin"]
    c = np.where(to_right | to_left, agents.own["turn_cos"], one)
    s = np.where(to_right, turn_sin, np.where(to_left, -turn_sin, zero))
    cos, sin = agents.direction
    return cos * c - sin * s, sin * c + cos * s


def move(agents: Agents, scene: Scene) -> None:
    """Takes agents one `step_size` along their direction; at an edge, a wall or a full cell by its rule."""
    offset = agents.direction[0] * agents.step, agents.direction[1] * agents.step
    if scene.numbers.features.free:
        agents.x, agents.y = displace(agents.x, agents.y, offset, scene.world)
    else:
        move_by_rules(agents, offset, scene)


def deposit(agents: Agents, world: World) -> Ints:
    """How many agents stand on each cell [C, H, W]. Integers, so their order cannot matter."""
    cell = (agents.y >> world.fraction_bits) * world.width + (agents.x >> world.fraction_bits)
    cells = world.width * world.height
    counts = np.bincount(agents.species * cells + cell, minlength=world.species * cells)
    return counts.astype(np.int32).reshape(world.species, world.height, world.width)


def diffuse(trail: Floats, counts: Ints, scene: Scene) -> Floats:
    """The next trail [C, H, W]: deposit, blur towards the mean of 3 x 3 cells, decay, on a torus.

    trail' = (1 - decay) * ((1 - diffusion) * d + diffusion * mean3x3(d)),  d = trail + deposit * counts,
    with the two products of constants taken beforehand. Sums run (left + middle) + right, then
    (above + middle) + below.
    """
    what = scene.numbers.features
    own = scene.field_values()
    d = trail + (rules.crowd(counts, scene) if what.crowds else own["deposit"] * counts.astype(np.float32))
    edges: Literal["wrap", "edge"] = (
        "wrap" if what.boundary == "wrap" else "edge"
    )  # trail does not cross an edge that agents do not
    padded = np.pad(d, ((0, 0), (1, 1), (1, 1)), edges)
    row = (padded[..., :-2] + padded[..., 1:-1]) + padded[..., 2:]
    total = (row[:, :-2] + row[:, 1:-1]) + row[:, 2:]
    faded = d * own["keep_centre"] + total * own["keep_ring"]
    gone = faded < np.float32(TINY)
    return np.where(gone | (scene.ground < 0) if what.ground else gone, np.float32(0), faded)
