"""Kernels without one of the backend's ideas, as Triton functions; `app.bench.without` launches them.

Agents that are three numbers instead of one word, and a field that is passed over three times instead of
once. The arithmetic is the backend's own, operation by operation, and the rules are those of
`kernels.gpu_agents`: so the results have the same bits, and only the time differs.
"""

# ruff: noqa: N803  (constants are upper-case in Triton, arguments or not)
import triton
import triton.language as tl

from kernels.gpu_agents import (
    KEY,
    WHICH_HALF,
    deposit,
    move,
    plain_numbers,
    sense,
    steer,
)
from kernels.gpu_field import DEPOSIT, KEEP_CENTRE, KEEP_RING, TINY, tick
from kernels.gpu_math import luck_of, own_numbers, sincos
from kernels.gpu_window import close_window, open_window


@triton.jit
def read_agents(x_ptr, y_ptr, heading_ptr, index, mask):
    """Coordinates in units and headings [BLOCK], int32 as they lie in memory."""
    x = tl.load(x_ptr + index, mask, 0, eviction_policy="evict_first")
    y = tl.load(y_ptr + index, mask, 0, eviction_policy="evict_first")
    heading = tl.load(heading_ptr + index, mask, 0, eviction_policy="evict_first")
    return x, y, heading


@triton.jit
def packed(x, y, heading):
    """The two halves [BLOCK] uint32 of agents' words; see `kernels.world.pack`."""
    return x | ((heading & 0xFF) << 24), y | (heading >> 8 << 24)


@triton.jit
def update_unpacked_agents(
    x_ptr, y_ptr, heading_ptr, trail_ptr, counts_ptr, values_ptr, clock_ptr,
    agents, width, height, fraction_bits,
    BLOCK: tl.constexpr, ROUNDS: tl.constexpr, SHARED: tl.constexpr, SEM: tl.constexpr,
):  # fmt: skip
    """Does what `kernels.gpu_agents.update_agents` does, with agents in three arrays.

    Bytes an agent: 12 read and 12 written in order instead of 8 and 8. The words' halves are needed all
    the same, for random numbers.
    """
    lanes = tl.arange(0, BLOCK)
    first = tl.program_id(0) * (BLOCK * ROUNDS)
    coming = read_agents(x_ptr, y_ptr, heading_ptr, first + lanes, first + lanes < agents)
    window = (0, 0, 0)
    if SHARED:
        middle = tl.minimum(first + BLOCK * ROUNDS // 2, tl.maximum(agents - 1, 0))
        column = tl.load(x_ptr + middle) >> fraction_bits
        row = tl.load(y_ptr + middle) >> fraction_bits
        window = open_window(column, row, width, height, lanes)
    x_end = (width << fraction_bits).to(tl.uint32)
    y_end = (height << fraction_bits).to(tl.uint32)
    key = tl.load(clock_ptr + KEY).to(tl.uint32)
    field = (x_end, y_end, width, height, fraction_bits)
    sensors, turns, step = plain_numbers(own_numbers(values_ptr, 0, 0.0, 1, False))

    for lap in tl.range(ROUNDS, num_stages=1):
        index = first + lap * BLOCK + lanes
        mask = index < agents
        x, y, heading = coming
        after = index + BLOCK
        more = (after < agents) & (lap + 1 < ROUNDS)
        coming = read_agents(x_ptr, y_ptr, heading_ptr, after, more)
        x = x.to(tl.uint32)
        y = y.to(tl.uint32)

        cos, sin = sincos(heading)
        ahead, left, right = sense(trail_ptr, x, y, cos, sin, sensors, field, mask, False, 1)
        low, high = packed(x, y, heading.to(tl.uint32))
        right_hand = (luck_of(low, high, key) >> 31) != 0
        heading, cos, sin = steer(heading, cos, sin, ahead, left, right, right_hand, turns)
        x, y = move(x, y, cos, sin, step, field)
        deposit(counts_ptr, window, x, y, field, mask, mask, SHARED, SEM)

        tl.store(x_ptr + index, x.to(tl.int32), mask, eviction_policy="evict_first")
        tl.store(y_ptr + index, y.to(tl.int32), mask, eviction_policy="evict_first")
        tl.store(heading_ptr + index, heading, mask, eviction_policy="evict_first")
    if SHARED:
        close_window(counts_ptr, window, width, height, lanes, SEM)


@triton.jit
def pack_agents(agents_ptr, clock_ptr, x_ptr, y_ptr, heading_ptr, agents, BLOCK: tl.constexpr):
    """Packs BLOCK agents into the half that `put_in_order` reads. Bytes an agent: 12 read, 8 written."""
    agents_ptr += (1 - tl.load(clock_ptr + WHICH_HALF)).to(tl.int64) * agents
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = index < agents
    x, y, heading = read_agents(x_ptr, y_ptr, heading_ptr, index, mask)
    low, high = packed(x.to(tl.uint32), y.to(tl.uint32), heading.to(tl.uint32))
    tl.store(agents_ptr + index, (low.to(tl.uint64) | (high.to(tl.uint64) << 32)).to(tl.int64), mask)


@triton.jit
def unpack_agents(agents_ptr, clock_ptr, x_ptr, y_ptr, heading_ptr, agents, BLOCK: tl.constexpr):
    """Unpacks BLOCK agents from the half that `put_in_order` wrote. Bytes an agent: 8 read, 12 written."""
    agents_ptr += tl.load(clock_ptr + WHICH_HALF).to(tl.int64) * agents
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = index < agents
    word = tl.load(agents_ptr + index, mask, 0)
    low = word.to(tl.uint32)
    high = (word >> 32).to(tl.uint32)
    tl.store(x_ptr + index, (low & 0xFFFFFF).to(tl.int32), mask)
    tl.store(y_ptr + index, (high & 0xFFFFFF).to(tl.int32), mask)
    tl.store(heading_ptr + index, ((low >> 24) | (high >> 24 << 8)).to(tl.int32), mask)


@triton.jit
def add_deposits(trail_ptr, counts_ptr, next_counts_ptr, values_ptr, cells, BLOCK: tl.constexpr):
    """Deposits on BLOCK cells in place, and clears the next counts. Bytes a cell: 8 read, 8 written."""
    cell = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cell < cells
    counts = tl.load(counts_ptr + cell, mask, 0)
    trail = tl.load(trail_ptr + cell, mask, 0.0) + tl.load(values_ptr + DEPOSIT) * counts.to(tl.float32)
    tl.store(trail_ptr + cell, trail, mask)
    tl.store(next_counts_ptr + cell, 0, mask)


@triton.jit
def sum_of_three(trail_ptr, row, left, middle, right, mask, width):
    """The sums of a row's cells and both their neighbours, for each of the rows."""
    start = row * width
    west = tl.load(trail_ptr + (start + left), mask, 0.0)
    here = tl.load(trail_ptr + (start + middle), mask, 0.0)
    return (west + here) + tl.load(trail_ptr + (start + right), mask, 0.0)


@triton.jit
def blur(trail_ptr, next_trail_ptr, width, height, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Adds up the 3 x 3 cells about each of ROWS x COLUMNS cells on a torus, with nine loads a cell.

    Bytes a cell: 4 read if caches hold what is read again, 4 written.
    """
    middle = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    row = tl.program_id(1)
    if ROWS > 1:  # for the interpreter, as in `kernels.gpu_field.diffuse`
        middle = middle[None, :]
        row = (row * ROWS + tl.arange(0, ROWS))[:, None]
    mask = (middle < width) & (row < height)
    left = tl.where(middle == 0, width - 1, middle - 1)
    right = tl.where(middle == width - 1, 0, middle + 1)
    over = tl.where(row == 0, height - 1, row - 1)
    under = tl.where(row == height - 1, 0, row + 1)
    above = sum_of_three(trail_ptr, over, left, middle, right, mask, width)
    level = sum_of_three(trail_ptr, row, left, middle, right, mask, width)
    below = sum_of_three(trail_ptr, under, left, middle, right, mask, width)
    tl.store(next_trail_ptr + (row * width + middle), (above + level) + below, mask)


@triton.jit
def decay(trail_ptr, next_trail_ptr, values_ptr, clock_ptr, cells, BLOCK: tl.constexpr):
    """Mixes BLOCK cells with their sums, which the new trail replaces, and sets the clock to the next step.

    Bytes a cell: 8 read, 4 written.
    """
    cell = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = cell < cells
    here = tl.load(trail_ptr + cell, mask, 0.0)
    total = tl.load(next_trail_ptr + cell, mask, 0.0)
    faded = here * tl.load(values_ptr + KEEP_CENTRE) + total * tl.load(values_ptr + KEEP_RING)
    tl.store(next_trail_ptr + cell, tl.where(faded < TINY, 0.0, faded), mask)
    if tl.program_id(0) == 0:
        tick(clock_ptr)
