"""The parts of the specification that a plain step leaves out, and what both share.

`contract.Features` says which of them a step needs. Order within a step: agents sense; those who join
another species do (they act once more by their old one's numbers); they steer; they waver; they move,
and bounce or stay at edges and walls; some jump or are born again; on a crowded field the rest is
undone where a cell is taken. Shapes: N agents, C species, H x W cells.
"""

import dataclasses
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.contract import (
    BARRIER,
    DRAW,
    OWN_DRAWS,
    PCG_ADD,
    PCG_MULTIPLY,
    PCG_SCRAMBLE,
    ROUND,
    SLOT,
    Numbers,
)
from kernels.curves import CROWDS, PIECES
from kernels.direction import sincos
from kernels.world import GOLDEN, World, pack, species_of, unpack

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Words = NDArray[np.uint64]
Halves = NDArray[np.uint32]
Bools = NDArray[np.bool_]
Vectors = tuple[Floats, Floats]

TURN = 65536  # headings round a circle


class Scene:
    """What the agents of a step find.

    Attributes:
        world: Size and seed.
        numbers: What the step reads.
        trail: Scent [C, H, W].
        smell: What each species smells of it [C, H, W].
        ground, mask, births: Those of `reference.Buffers`.
    """

    def __init__(
        self, world: World, numbers: Numbers, trail: Floats, ground: Floats, mask: Floats, births: Words
    ) -> None:
        self.world, self.numbers, self.trail = world, numbers, trail
        self.ground, self.mask, self.births = ground, mask, births
        self.smell = scent(trail, ground, numbers) if numbers.features.scent else trail

    def field_values(self) -> dict[str, Floats]:
        """The numbers of `contract.SLOTS` for each species' cells, [C, 1, 1] or blended [C, H, W]."""
        values = self.numbers.values[..., None, None]  # [SETS, C, SLOTS, 1, 1]
        blend = self.numbers.features.blend
        return {
            name: mixed(values[:, :, slot], self.mask) if blend else values[0, :, slot]
            for name, slot in SLOT.items()
        }


@dataclasses.dataclass
class Agents:
    """Agents in the middle of a step.

    Attributes:
        species: From 0 [N].
        x: Units [N].
        y: Units [N].
        heading: In 65536ths of a circle [N].
        low: The low halves of the words they had before the step [N].
        luck: A random number [N], see `reference.luck`.
        own: The numbers of `contract.SLOTS` by name, each agent's own [N].
        direction: (cos, sin) of the heading [N].
        sensors: Distance ahead, and distance * (cos, sin) of the sensor angle, in units [N].
        turn: In 65536ths of a circle [N].
        step: In units [N].
        leaves: Whether it deposits after this step [N].
    """

    species: Ints
    x: Ints
    y: Ints
    heading: Ints
    low: Halves
    luck: Halves
    own: dict[str, Floats]
    direction: Vectors
    sensors: tuple[Floats, Floats, Floats]
    turn: Ints
    step: Floats
    leaves: Bools

    @classmethod
    def of(cls, words: Words, luck: Halves, scene: Scene) -> "Agents":
        """Agents from their words [N] and luck [N], with the numbers they go by in this step."""
        what, values = scene.numbers.features, scene.numbers.values
        species = species_of(words, scene.world)
        x, y, heading = unpack(words, scene.world.position_bits)
        own = values[0, species]  # [N, SLOTS]
        if what.blend:
            here = cell_of(x, y, scene.world)
            own = mixed(values[:, species], scene.mask[here][:, None])
        named = {name: own[:, slot] for name, slot in SLOT.items()}
        sensors = named["sensor_ahead"], named["sensor_cos"], named["sensor_sin"]
        turn, step = named["turn"].astype(np.int32), named["step"]
        low, leaves = words.astype(np.uint32), np.ones(len(words), bool)
        agents = cls(species, x, y, heading, low, luck, named, sincos(heading), sensors, turn, step, leaves)
        if what.responses:
            respond(agents, scene)
        return agents

    def that(self, those: Bools) -> "Agents":
        """Some of the agents, as far as `reference.deposit` needs to know them."""
        return dataclasses.replace(self, species=self.species[those], x=self.x[those], y=self.y[those])

    def words(self) -> Words:
        """Their words after the step [N]."""
        x, y, heading = (part.view(np.uint32) for part in (self.x, self.y, self.heading))
        return pack(x, y, heading, self.species)

    def turn_to(self, heading: NDArray[np.integer[Any]]) -> None:
        """Takes new headings [N], any whole numbers."""
        self.heading = (heading & TURN - 1).astype(np.int32)

    def look_ahead(self) -> None:
        """Makes the direction that of the heading."""
        self.direction = sincos(self.heading)

    def draw(self, name: str) -> Halves:
        """Another random number [N], one of `contract.DRAWS`.

        Some 32-bit numbers are alike among millions of agents. Where one tells an agent's whole next
        state, those of `OWN_DRAWS` stir in its word's low half, so that no two agents become one for ever.
        """
        stirred = self.luck ^ self.low if name in OWN_DRAWS else self.luck
        return pcg(stirred + np.uint32(DRAW[name] * GOLDEN & 0xFFFFFFFF))

    def chance(self, name: str, likely: Floats) -> Bools:
        """Whether it happens [N], with a chance in 2**-24ths."""
        return (self.draw(name) >> 8).astype(np.float32) < likely


def mixed(sets: Floats, mask: Floats) -> Floats:
    """The numbers of the first set [0] blended into those of the second [1] by a mask."""
    first, second = sets
    blended: Floats = first + (second - first) * mask
    return blended


def scent(trail: Floats, ground: Floats, numbers: Numbers) -> Floats:
    """What each species smells [C, H, W]: all trails by its attractions, and food; walls as `BARRIER`.

    Sums run in the order of the species, food comes last.
    """
    smell = []
    for values in numbers.values[0]:
        total = values[SLOT["attraction_0"]] * trail[0]
        for k in range(1, len(trail)):
            total = total + values[SLOT[f"attraction_{k}"]] * trail[k]
        if numbers.features.ground:
            total = np.where(ground < 0, np.float32(BARRIER), total + values[SLOT["food"]] * ground)
        smell.append(total)
    return np.array(smell, np.float32)


def smell_at(agents: Agents, offset: Vectors, scene: Scene, width: int) -> Floats:
    """What agents smell [N] at an offset in units, on the nearest cell; beyond an edge, `BARRIER`.

    A sensor of more cells takes the mean over a square about it: their sum, row by row, * 1 / cells.
    """
    world, boundary = scene.world, scene.numbers.features.boundary
    x, y = displace(agents.x, agents.y, offset, world)
    row, column = cell_of(x, y, world)
    found: Floats = scene.smell[agents.species, row, column]
    if width > 1:
        found = np.zeros(len(x), np.float32)
        span = range(-(width // 2), width - width // 2)
        for rows in (_near(row + down, world.height, boundary) for down in span):
            for columns in (_near(column + right, world.width, boundary) for right in span):
                found = found + scene.smell[agents.species, rows, columns]
        found = found * np.float32(1 / width**2)
    if boundary == "wrap":
        return found
    return np.where(beyond(*shifted(agents, offset), world), np.float32(BARRIER), found)


def _near(cells: Ints, side: int, boundary: str) -> Ints:
    """Rows or columns [N] a few cells off, brought back onto the field."""
    return np.mod(cells, side) if boundary == "wrap" else np.clip(cells, 0, side - 1)


def respond(agents: Agents, scene: Scene) -> None:
    """Lengths and angles of agents by the trail they smell: table[s], s = sense_scale * smell in 0 .. 1.

    The smell is that of one cell, `sense_offset` ahead. Angles are rounded to 65536ths of a circle.
    """
    cos, sin = agents.direction
    ahead = agents.own["sense_offset"]
    s = agents.own["sense_scale"] * smell_at(agents, (cos * ahead, sin * ahead), scene, 1)
    s = np.where(s > 0, np.where(s < 1, s, np.float32(1)), np.float32(0))
    p = s * np.float32(PIECES)
    piece = np.minimum(p.astype(np.int32), PIECES - 1)
    entries = scene.numbers.responses[:, agents.species, :, piece]  # [N, SETS, RESPONSES, 2]
    both = entries[..., 0] + entries[..., 1] * (p - piece.astype(np.float32))[:, None, None]
    values = both[:, 0]
    if scene.numbers.features.blend:
        values = mixed(both.swapaxes(0, 1), scene.mask[cell_of(agents.x, agents.y, scene.world)][:, None])
    distance, angle, turn, agents.step = values.T
    side_cos, side_sin = sincos(whole(angle) & TURN - 1)
    agents.sensors = distance, distance * side_cos, distance * side_sin
    agents.turn = whole(turn)


def noticed(smell: Floats, threshold: Floats) -> Floats:
    """What agents make of a smell [N]: nothing of one below their threshold, liked or not."""
    return np.where((smell < threshold) & (smell > -threshold), np.float32(0), smell)


def join(agents: Agents, scene: Scene) -> None:
    """Agents on enough trail of the species they may join become its own."""
    species = agents.own["joins"].astype(np.int32)
    found = scene.trail[np.maximum(species, 0), *cell_of(agents.x, agents.y, scene.world)]
    won = (species >= 0) & (found > agents.own["join_threshold"])
    won &= agents.chance("joins", agents.own["join_chance"])
    agents.species = np.where(won, species, agents.species)


def waver(agents: Agents) -> None:
    """Turns by up to `wander` to either side, all alike likely; or a new heading by `turn_chance`."""
    by = (agents.draw("wander") >> 16).astype(np.int32) - 32768
    agents.turn_to(agents.heading + (by * whole(agents.own["wander"]) >> 15))
    anew = agents.chance("turn", agents.own["turn_chance"])
    agents.turn_to(np.where(anew, agents.draw("heading") & TURN - 1, agents.heading))
    agents.look_ahead()


def crowd(counts: Ints, scene: Scene) -> Floats:
    """What so many agents leave on each cell [C, H, W], by their species' table, straight on beyond it."""
    species = np.arange(len(counts))[:, None, None]
    within = np.minimum(counts, CROWDS - 1)
    over = (counts - within).astype(np.float32)
    left = scene.numbers.crowds[:, species, within]  # [SETS, C, H, W]
    amount = mixed(left, scene.mask) if scene.numbers.features.blend else left[0]
    return amount + scene.field_values()["deposit_slope"] * over


def displace(x: Ints, y: Ints, offset: Vectors, world: World) -> tuple[Ints, Ints]:
    """Coordinates [N] moved by an offset in units, rounded to the nearest unit and wrapped.

    An offset is shorter than the field, so one comparison each way is enough; whole numbers cannot
    round up to the field's edge as a float wrap does.
    """
    moved = []
    for place, by, side in ((x, offset[0], world.width), (y, offset[1], world.height)):
        end = np.int32(side << world.fraction_bits)
        p = place + whole(by)
        p = np.where(p < 0, p + end, p)
        moved.append(np.where(p >= end, p - end, p))
    return moved[0], moved[1]


def shifted(agents: Agents, offset: Vectors) -> tuple[Ints, Ints]:
    """Coordinates [N] moved by an offset in units, which may lie beyond the field."""
    return agents.x + whole(offset[0]), agents.y + whole(offset[1])


def beyond(x: Ints, y: Ints, world: World) -> Bools:
    """Which coordinates [N] lie outside the field."""
    return outside(x, world.width, world) | outside(y, world.height, world)


def outside(place: Ints, side: int, world: World) -> Bools:
    """Which coordinates [N] lie outside a side in px."""
    return (place < 0) | (place >= side << world.fraction_bits)


def cell_of(x: Ints, y: Ints, world: World) -> tuple[Ints, Ints]:
    """Row and column [N] of coordinates."""
    return y >> world.fraction_bits, x >> world.fraction_bits


def whole(number: Floats) -> Ints:
    """The nearest whole number [N], ties to even, of one between -2**22 and 2**22."""
    return (number + np.float32(ROUND)).astype(np.int32) - np.int32(ROUND)


def pcg(value: Halves) -> Halves:
    """The PCG hash of each number; `contract.pcg` says whose it is."""
    state = value * np.uint32(PCG_MULTIPLY) + np.uint32(PCG_ADD)
    word = (state >> (state >> 28) + 4 ^ state) * np.uint32(PCG_SCRAMBLE)
    return (word >> 22 ^ word).astype(np.uint32, copy=False)
