"""One agent per cell, after Jones 2010: the reference beside the rule as one tells it, agent by agent."""

import dataclasses

import numpy as np
import pytest
from numpy.typing import NDArray

from kernels import contract
from kernels.contract import DRAW, SLOT, step_key
from kernels.params import Params
from kernels.simulation import Simulation
from kernels.world import GOLDEN, World

CROWDED = Params(crowding="one per cell", decay=0.05)


def halves(word: int) -> tuple[int, int]:
    """The low and high half of an agent's word."""
    return word & 0xFFFFFFFF, word >> 32


def cell(word: int, world: World) -> tuple[int, int]:
    """Row and column of an agent."""
    low, high = halves(word)
    return (high & 0xFFFFFF) >> world.fraction_bits, (low & 0xFFFFFF) >> world.fraction_bits


def places(word: int) -> tuple[int, int]:
    """The coordinates of an agent."""
    low, high = halves(word)
    return low & 0xFFFFFF, high & 0xFFFFFF


def literal_moves(
    before: list[int], wishes: list[int], world: World, step: int
) -> tuple[list[int], dict[tuple[int, int], int]]:
    """Agents one after the other, by their luck: each takes the cell it wants, if nobody stands there.

    Returns:
        The words after the step, and how many agents deposit on each cell.
    """
    key, luck = step_key(world.seed_words, step), []
    for word in before:
        low, high = halves(word)
        luck.append(contract.pcg((low + high * GOLDEN + key) & 0xFFFFFFFF))
    occupied = {cell(word, world) for word in before}
    after, deposits = list(before), dict[tuple[int, int], int]()
    for i in sorted(range(len(before)), key=lambda i: (luck[i], halves(before[i])[0]), reverse=True):
        here, there = cell(before[i], world), cell(wishes[i], world)
        if here != there and there in occupied:  # it stays, and looks elsewhere
            heading = contract.pcg((luck[i] + DRAW["blocked"] * GOLDEN) & 0xFFFFFFFF) & 0xFFFF
            x, y = places(before[i])
            after[i] = x | (heading & 0xFF) << 24 | y << 32 | (heading >> 8) << 56
            continue
        occupied.add(there)
        after[i] = wishes[i]
        if places(wishes[i]) != places(before[i]):  # who was stopped by an edge did not move
            deposits[there] = deposits.get(there, 0) + 1
    return after, deposits


def literal_trail(
    trail: NDArray[np.float32], deposits: dict[tuple[int, int], int], params: Params, world: World
) -> NDArray[np.float32]:
    """The next trail [H, W], cell by cell."""
    values = contract.numbers(params, world).values[0, 0]
    d = trail.copy()
    for place, count in deposits.items():
        d[place] += values[SLOT["deposit"]] * np.float32(count)
    height, width = trail.shape
    result = np.zeros_like(trail)
    for y in range(height):
        for x in range(width):
            rows = []
            for row in (y - 1, y, y + 1):
                total = np.float32(0)
                for column in (x - 1, x, x + 1):
                    if params.boundary == "wrap":
                        total += d[row % height, column % width]
                    else:
                        total += d[min(max(row, 0), height - 1), min(max(column, 0), width - 1)]
                rows.append(total)
            ring = (rows[0] + rows[1]) + rows[2]
            faded = d[y, x] * values[SLOT["keep_centre"]] + ring * values[SLOT["keep_ring"]]
            result[y, x] = 0 if faded < contract.TINY else faded
    return result


@pytest.mark.parametrize("boundary", ["wrap", "turn"])
def test_the_reference_does_what_the_literal_rule_says(boundary: str) -> None:
    world, params = World(24, 20, 260), dataclasses.replace(CROWDED, boundary=boundary)
    crowded = Simulation(world, params, "reference")
    free = Simulation(world, dataclasses.replace(params, crowding="free"), "reference")
    blocked = 0
    for step in range(40):
        before, trail = [int(word) for word in crowded.buffers.agents], crowded.trail[0].copy()
        free.buffers.agents, free.buffers.trail, free.buffers.step = crowded.buffers.agents, trail[None], step
        free.step()  # where all would go, were they alone
        crowded.step()
        after, deposits = literal_moves(before, [int(word) for word in free.buffers.agents], world, step)
        assert after == [int(word) for word in crowded.buffers.agents]
        assert (crowded.trail[0] == literal_trail(trail, deposits, params, world)).all()
        blocked += len(before) - sum(deposits.values())
    assert blocked > 500


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_one_agent_per_cell_always_once_so(backend: str) -> None:
    """Wherever agents begin, cells empty of all but one; and none is entered by a second."""
    simulation = Simulation(World(40, 30, 600), CROWDED, backend)
    most = simulation.world.agents
    for _ in range(300):
        simulation.step()
        now = int(simulation.counts().max())
        assert now <= most
        most = now
    assert most == 1
