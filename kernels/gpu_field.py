"""What the trail does in a step as Triton functions: the kernel `diffuse`, and what it calls.

Two more kernels work on the trail, `show` and `paint`. The rules are those of `kernels.gpu_agents`.
"""

# ruff: noqa: N803  (constants are upper-case in Triton, arguments or not)
import triton
import triton.language as tl

from kernels import contract
from kernels.gpu_agents import pcg
from kernels.gpu_layout import CLOCK

TINY = tl.constexpr(contract.TINY)
DEPOSIT = tl.constexpr(contract.SLOT["deposit"])
KEEP_CENTRE = tl.constexpr(contract.SLOT["keep_centre"])
KEEP_RING = tl.constexpr(contract.SLOT["keep_ring"])
NUMBER, KEY = tl.constexpr(CLOCK.index("number")), tl.constexpr(CLOCK.index("key"))
SEED_LOW, SEED_HIGH = tl.constexpr(CLOCK.index("seed_low")), tl.constexpr(CLOCK.index("seed_high"))


@triton.jit
def read_row(trail_ptr, counts_ptr, row, left, middle, right, mask, width, height):
    """Trail and counts of one row's cells and of their neighbours to both sides, as they lie in memory."""
    row = tl.where(row < 0, row + height, row)
    start = tl.where(row >= height, row - height, row) * width
    trail = (
        tl.load(trail_ptr + (start + left), mask, 0.0),
        tl.load(trail_ptr + (start + middle), mask, 0.0),
        tl.load(trail_ptr + (start + right), mask, 0.0),
    )
    counts = (
        tl.load(counts_ptr + (start + left), mask, 0),
        tl.load(counts_ptr + (start + middle), mask, 0),
        tl.load(counts_ptr + (start + right), mask, 0),
    )
    return trail, counts


@triton.jit
def with_deposits(row, amount):
    """Trail with deposits [STRIPS, COLUMNS], and the sums of each cell and both neighbours."""
    trail, counts = row
    west = trail[0] + amount * counts[0].to(tl.float32)
    here = trail[1] + amount * counts[1].to(tl.float32)
    east = trail[2] + amount * counts[2].to(tl.float32)
    return here, (west + here) + east


@triton.jit
def store_to_surface(surface, column, row, value):
    """Stores float32 values into a CUDA surface; cells outside it are left out."""
    tl.inline_asm_elementwise(
        "sust.b.2d.b32.zero [$1, {$2, $3}], {$4}; mov.b32 $0, 0;",
        "=r,l,r,r,f",
        [surface, column * 4, row, value],  # x counts bytes
        dtype=tl.int32,
        is_pure=False,
        pack=1,
    )


@triton.jit
def tick(clock_ptr):
    """Sets the clock to the next step."""
    number = tl.load(clock_ptr + NUMBER) + 1
    seed_low = tl.load(clock_ptr + SEED_LOW).to(tl.uint32)
    seed_high = tl.load(clock_ptr + SEED_HIGH).to(tl.uint32)
    key = pcg(pcg(number.to(tl.uint32) + seed_low) ^ seed_high)
    tl.store(clock_ptr + NUMBER, number)
    tl.store(clock_ptr + KEY, key.to(tl.int32))


@triton.jit
def diffuse(
    trail_ptr, counts_ptr, next_trail_ptr, next_counts_ptr, values_ptr, clock_ptr, surface_ptr,
    width, height,
    STRIPS: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, SHOWN: tl.constexpr,
):  # fmt: skip
    """Deposits on, blurs and decays STRIPS strips of COLUMNS x ROWS cells, and clears the next counts.

    Walks down the rows, keeps the horizontal sums of three in registers, and asks for a row one turn before
    it is worked on. Bytes a cell: 8 read, 8 written; 4 more if SHOWN, where the CUDA surface at
    `surface_ptr` takes the new trail as well. The first program also sets the clock to the next step;
    nothing else in this launch reads it.
    """
    middle = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    first = tl.program_id(1) * ROWS
    if STRIPS > 1:  # for the interpreter: with two dimensions some Tritons keep rows in shared memory
        middle = middle[None, :]
        first = (tl.program_id(1) * STRIPS + tl.arange(0, STRIPS))[:, None] * ROWS
    left = tl.where(middle == 0, width - 1, middle - 1)
    right = tl.where(middle == width - 1, 0, middle + 1)
    wide = middle < width
    mask = wide & (first < height)
    one = read_row(trail_ptr, counts_ptr, first - 1, left, middle, right, mask, width, height)
    two = read_row(trail_ptr, counts_ptr, first, left, middle, right, mask, width, height)
    coming = read_row(trail_ptr, counts_ptr, first + 1, left, middle, right, mask, width, height)
    amount = tl.load(values_ptr + DEPOSIT)
    keep_centre = tl.load(values_ptr + KEEP_CENTRE)
    keep_ring = tl.load(values_ptr + KEEP_RING)
    if SHOWN:
        surface = tl.load(surface_ptr)

    _, above = with_deposits(one, amount)
    here, level = with_deposits(two, amount)
    for down in range(ROWS):
        row = first + down
        under, below = with_deposits(coming, amount)
        more = wide & (row + 1 < height) & (down + 1 < ROWS)
        coming = read_row(trail_ptr, counts_ptr, row + 2, left, middle, right, more, width, height)
        faded = here * keep_centre + ((above + level) + below) * keep_ring
        faded = tl.where(faded < TINY, 0.0, faded)
        cell = row * width + middle
        mask = wide & (row < height)
        tl.store(next_trail_ptr + cell, faded, mask)
        tl.store(next_counts_ptr + cell, 0, mask)
        if SHOWN:
            store_to_surface(surface, middle, row, faded)
        above, level, here = level, below, under

    if (tl.program_id(0) == 0) & (tl.program_id(1) == 0):
        tick(clock_ptr)


@triton.jit
def show(trail_ptr, surface_ptr, width, COLUMNS: tl.constexpr):
    """Copies COLUMNS cells of one row of the trail into a surface. Bytes a cell: 4 read, 4 written."""
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    row = tl.program_id(1)
    value = tl.load(trail_ptr + (row * width + column), column < width, 0.0)
    store_to_surface(tl.load(surface_ptr), column, row, value)


@triton.jit
def paint(trail_ptr, rows_ptr, columns_ptr, gain_ptr, lift_ptr, cells, columns, width, BLOCK: tl.constexpr):
    """Paints BLOCK cells of one dab: trail = trail * gain + lift."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = index < cells
    row = tl.load(rows_ptr + index // columns, mask, 0)
    column = tl.load(columns_ptr + index % columns, mask, 0)
    place = trail_ptr + (row * width + column)
    gain = tl.load(gain_ptr + index, mask, 0.0)
    lift = tl.load(lift_ptr + index, mask, 0.0)
    tl.store(place, tl.load(place, mask, 0.0) * gain + lift, mask)
