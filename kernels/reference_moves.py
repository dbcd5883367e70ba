"""The specification of how agents move where more than the plain rule holds: edges, walls, jumps, full cells.

`reference.move` comes here. Shapes: N agents, H x W cells.
"""

import dataclasses

import numpy as np

from kernels.reference_rules import (
    TURN,
    Agents,
    Bools,
    Ints,
    Scene,
    Vectors,
    Words,
    beyond,
    cell_of,
    displace,
    outside,
    shifted,
)
from kernels.world import POSITION_BITS, World, unpack


def move_by_rules(agents: Agents, offset: Vectors, scene: Scene) -> None:
    """Moves agents by an offset, and by the rules of edges, walls, jumps and full cells, in that order."""
    what, world = scene.numbers.features, scene.world
    before = dataclasses.replace(agents)
    stays, jumps = cross(agents, offset, what.boundary, world)
    if what.ground:
        stays |= scene.ground[cell_of(agents.x, agents.y, world)] < 0
        jumps |= stays & (scene.ground[cell_of(before.x, before.y, world)] < 0)  # painted over
    stay(agents, before, stays)
    if what.life:
        jumps |= agents.chance("respawn", agents.own["respawn_chance"])
    jump(agents, jumps, world)
    if what.life:
        be_born(agents, agents.chance("lifetime", agents.own["lifetime_chance"]), scene.births)
    if what.crowded:
        failed = crowded_out(agents, before, world)
        agents.leaves = ~(stays & ~jumps | failed)
        stay(agents, before, failed)


def cross(agents: Agents, offset: Vectors, boundary: str, world: World) -> tuple[Bools, Bools]:
    """Moves agents by an offset shorter than the field, and over its edges by the boundary's rule.

    Returns:
        Which must stay where they were, and which must jump [N].
    """
    x, y = shifted(agents, offset)
    nobody = np.zeros(len(x), bool)
    if boundary == "wrap":
        agents.x, agents.y = displace(agents.x, agents.y, offset, world)
        return nobody, nobody.copy()
    if boundary == "reflect":
        for_x, for_y = outside(x, world.width, world), outside(y, world.height, world)
        heading = np.where(for_x, TURN // 2 - agents.heading, agents.heading)
        agents.turn_to(np.where(for_y, -heading, heading))
        agents.x, agents.y = _mirrored(x, world.width, world), _mirrored(y, world.height, world)
        return nobody, nobody.copy()
    out = beyond(x, y, world)
    agents.x, agents.y = np.where(out, agents.x, x), np.where(out, agents.y, y)
    return (out, nobody) if boundary == "turn" else (nobody, out)


def stay(agents: Agents, before: Agents, stays: Bools) -> None:
    """Puts some agents back where they were, with a new heading, any one."""
    agents.x, agents.y = np.where(stays, before.x, agents.x), np.where(stays, before.y, agents.y)
    agents.turn_to(np.where(stays, agents.draw("blocked") & TURN - 1, agents.heading))


def jump(agents: Agents, jumps: Bools, world: World) -> None:
    """Puts some agents anywhere, with any heading."""
    for axis, side in (("x", world.width), ("y", world.height)):
        end = np.uint64(side << world.fraction_bits)
        place = (agents.draw(axis) * end >> np.uint64(32)).astype(np.int32)
        setattr(agents, axis, np.where(jumps, place, getattr(agents, axis)))
    agents.turn_to(np.where(jumps, agents.draw("jump") & TURN - 1, agents.heading))


def be_born(agents: Agents, dies: Bools, births: Words) -> None:
    """Puts some agents where others began, but for the last 8 bits of each number: no two are alike."""
    x, y, heading = unpack(births[agents.draw("birth") % len(births)], POSITION_BITS)
    new = {"x": x, "y": y, "jump": heading}
    x, y, heading = (part & ~0xFF | (agents.draw(name) & 0xFF).astype(np.int32) for name, part in new.items())
    agents.x, agents.y = np.where(dies, x, agents.x), np.where(dies, y, agents.y)
    agents.turn_to(np.where(dies, heading, agents.heading))


def crowded_out(agents: Agents, before: Agents, world: World) -> Bools:
    """Who cannot enter the cell it wants [N], as one agent fills a cell (Jones 2010).

    A cell somebody stood on before the step is taken, even if that one leaves it now. Of those who want
    a free cell, the one with the largest (luck, low half of its word) gets it: no two have the same.
    """
    here, there = (_number(*cell_of(who.x, who.y, world), world) for who in (before, agents))
    leaves = here != there
    taken = np.zeros(world.width * world.height, bool)
    taken[here] = True
    claims = agents.luck.astype(np.uint64) << np.uint64(32) | agents.low.astype(np.uint64)
    highest = np.zeros(len(taken), np.uint64)
    np.maximum.at(highest, there[leaves], claims[leaves])
    failed: Bools = leaves & (taken[there] | (highest[there] != claims))
    return failed


def _mirrored(place: Ints, side: int, world: World) -> Ints:
    """Coordinates [N] less than a field away from it, mirrored at its edges."""
    end = np.int32(side << world.fraction_bits)
    place = np.where(place < 0, -1 - place, place)
    return np.where(place >= end, 2 * end - 1 - place, place)


def _number(row: Ints, column: Ints, world: World) -> Ints:
    return row * np.int32(world.width) + column
