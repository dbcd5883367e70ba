"""The memory of the CPU backend: the state of a run, and the scratch of its steps."""

import dataclasses

import numba
import numpy as np
from numpy.typing import NDArray

from kernels.contract import Numbers, numbers
from kernels.cpu_field import ROWS
from kernels.cpu_model import LANE, SHAPE
from kernels.cpu_order import Pace, tiles
from kernels.cpu_scene import RULES
from kernels.params import Params
from kernels.world import BIRTHS, World

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Words = NDArray[np.uint64]
Bits = NDArray[np.uint32]

PAD = 1040  # numbers behind each plane: planes a power of two apart would evict each other from the caches
MAX_PLANES = 2**31  # bytes: where planes for all threads would take more, fewer workers move the agents


@dataclasses.dataclass
class Buffers:
    """The state of a run, as `reference.Buffers` has it, and the scratch memory of its steps.

    Attributes:
        world: Size and seed.
        numbers: What the steps read.
        values: Its numbers, see `cpu_scene.values_of` [C, 2, SLOTS].
        responses: Its tables [C, SETS, PIECES * RESPONSES]: begin and rise of a piece in 64 bits.
        crowds: Its tables [C, SETS, CROWDS].
        agents: Agent words [N], see `world.pack`; their order changes.
        trail: Scent [C, H, W].
        counts: How many agents stood on each cell after the last move [C, H, W], as of the last `fetch`:
            no step needs them, and agents still stand where they were counted.
        ground: Food from 0 to 1, or below 0 a wall [H, W].
        mask: How far the second set of parameters holds, from 0 to 1 [H, W].
        births: Agent words [BIRTHS] where agents that die begin again.
        scent: What each species smells [C, H, W], where that is not just the trail.
        stale: Whether something else than a step changed what `scent` is made of.
        wide: What sensors of several cells smell [C, H, W].
        other_agents: What a sort writes [N]; then it is `agents`. On a crowded field, where agents would go.
        shape: The numbers of `cpu_model.SHAPE`, and of `cpu_scene.RULES`.
        planes: Counts by each worker [workers, C * H * W + PAD]; 0 between steps.
        touched: The blocks of rows each worker counted in, as masks [workers, C].
        starts: Where each worker's agents of each tile go in a sort [workers, tiles].
        places: Scratch for a worker's chunk [workers, 6 * LANE + PAD].
        scratch: Scratch for a worker's chunk [workers, 8 * LANE + PAD].
        tallies: Scratch for a band's row of counts [bands, W].
        sums: Scratch for a band's rows of sums [bands, C, ROWS, W].
        idle: Which agents do not come from their cell, for other reasons than a crowd [N].
        taken: Which cells an agent stands on, on a crowded field [H * W].
        claims: The highest claim on each [H * W].
        pace: When to sort.
        step: Steps done since the start.
        step_seconds: What a step took lately.
        sampling: Whether the next step is to be timed for `pass_seconds`.
        pass_seconds: As `reference.Buffers` has it.
    """

    world: World
    numbers: Numbers
    values: Floats
    responses: Words
    crowds: Floats
    agents: Words
    trail: Floats
    counts: Ints
    ground: Floats
    mask: Floats
    births: Words
    scent: Floats
    wide: Floats
    other_agents: Words
    shape: Bits
    planes: Ints
    touched: Bits
    starts: Bits
    places: Bits
    scratch: Floats
    tallies: Ints
    sums: Floats
    idle: NDArray[np.bool_]
    taken: NDArray[np.bool_]
    claims: Words
    pace: Pace
    stale: bool = True
    step: int = 0
    step_seconds: float = 0.0
    sampling: bool = False
    pass_seconds: dict[str, float] = dataclasses.field(default_factory=dict)


def bytes_needed(world: World) -> int:
    """Memory that `allocate` and `load` take for a world, at most.

    Agents three times (to sort them, and to start them), maps, and for each species trail, counts, two
    kinds of scent, and a plane a worker. What no step asks for, such as claims, takes up no memory.
    """
    cells, workers = world.width * world.height, _workers(world)
    own = (16 + 4 * workers) * world.species
    return 25 * world.agents + (8 + 9 + own) * cells + 4 * workers * tiles(world) + 8 * BIRTHS


def allocated(world: World) -> Buffers:
    """An empty state, for as many threads as Numba may use now.

    Planes only take up memory where their worker counts: with sorted agents, its share of the field.
    """
    height, width, bits = world.height, world.width, world.fraction_bits
    bands = min(numba.get_num_threads(), height)
    workers, species, cells = _workers(world), world.species, width * height
    shape = {
        "width": width,
        "end_x": width << bits,
        "end_y": height << bits,
        "fraction_bits": bits,
        "block_bits": max(bits, ((height << bits) - 1).bit_length() - 5),  # a row lies in one block
        "place": (1 << world.position_bits) - 1,
        "kinds": 3 if species > 1 else 0,
        "cells": cells,
    }
    none = np.zeros(0, np.float32)  # until `cpu.set_numbers`
    return Buffers(
        world=world,
        numbers=numbers(Params(), world),
        values=none,
        responses=none.view(np.uint64),
        crowds=none,
        agents=np.zeros(world.agents, np.uint64),
        trail=np.zeros((species, height, width), np.float32),
        counts=np.zeros((species, height, width), np.int32),
        ground=np.zeros((height, width), np.float32),
        mask=np.zeros((height, width), np.float32),
        births=np.zeros(BIRTHS, np.uint64),
        scent=np.zeros((species, height, width), np.float32),
        wide=np.zeros((species, height, width), np.float32),
        other_agents=np.zeros(world.agents, np.uint64),
        shape=np.array([shape[name] for name in SHAPE] + [0] * len(RULES), np.uint32),
        planes=np.zeros((workers, species * cells + PAD), np.int32),
        touched=np.zeros((workers, species), np.uint32),
        starts=np.zeros((workers, tiles(world)), np.uint32),
        places=np.zeros((workers, 6 * LANE + PAD), np.uint32),
        scratch=np.zeros((workers, 8 * LANE + PAD), np.float32),
        tallies=np.zeros((bands, width), np.int32),
        sums=np.zeros((bands, species, ROWS, width), np.float32),
        idle=np.zeros(world.agents, np.bool_),
        taken=np.zeros(cells, np.bool_),
        claims=np.zeros(cells, np.uint64),
        pace=Pace(),
    )


def _workers(world: World) -> int:
    """One a thread, as far as their planes stay within `MAX_PLANES` bytes."""
    plane = 4 * world.species * world.height * world.width
    threads: int = numba.get_num_threads()
    return max(1, min(threads, MAX_PLANES // plane))
