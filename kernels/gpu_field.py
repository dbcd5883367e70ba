"""What the trail does in a step as Triton functions: the kernel `diffuse`, and what it calls.

Another kernel works on the trail, `paint`. The rules are those of `kernels.gpu_agents`.
"""

# ruff: noqa: N803  (constants are upper-case in Triton, arguments or not)
import triton
import triton.language as tl

from kernels import contract, curves
from kernels.gpu_layout import CLOCK
from kernels.gpu_math import SLOTS, mixed, pcg
from kernels.gpu_mix import scent_of_one, store_to_surface

TINY = tl.constexpr(contract.TINY)
ENTRIES = tl.constexpr(curves.CROWDS)
DEPOSIT = tl.constexpr(contract.SLOT["deposit"])
DEPOSIT_SLOPE = tl.constexpr(contract.SLOT["deposit_slope"])
KEEP_CENTRE = tl.constexpr(contract.SLOT["keep_centre"])
KEEP_RING = tl.constexpr(contract.SLOT["keep_ring"])
NUMBER, KEY = tl.constexpr(CLOCK.index("number")), tl.constexpr(CLOCK.index("key"))
SEED_LOW, SEED_HIGH = tl.constexpr(CLOCK.index("seed_low")), tl.constexpr(CLOCK.index("seed_high"))


@triton.jit
def read_row(trail_ptr, counts_ptr, mask_ptr, row, columns, mask, width, height,
             EDGES: tl.constexpr, BLEND: tl.constexpr):  # fmt: skip
    """Trail, counts and mask of one row's cells and of their neighbours to both sides, as they lie in memory.

    Beyond an edge the field goes on at the other side, or with the same cell (EDGES).
    """
    if EDGES:
        start = tl.minimum(tl.maximum(row, 0), height - 1) * width
    else:
        row = tl.where(row < 0, row + height, row)
        start = tl.where(row >= height, row - height, row) * width
    left, middle, right = columns
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
    shares = (0.0, 0.0, 0.0)
    if BLEND:
        shares = (
            tl.load(mask_ptr + (start + left), mask, 0.0),
            tl.load(mask_ptr + (start + middle), mask, 0.0),
            tl.load(mask_ptr + (start + right), mask, 0.0),
        )
    return trail, counts, shares


@triton.jit
def number(values_ptr, SLOT: tl.constexpr, share, SPECIES: tl.constexpr, BLEND: tl.constexpr):
    """One of `contract.SLOTS`, for cells that the mask holds so far for the second set."""
    value = tl.load(values_ptr + SLOT)
    if BLEND:
        value = mixed(value, tl.load(values_ptr + (SPECIES * SLOTS + SLOT)), share)
    return value


@triton.jit
def crowd(crowds_ptr, values_ptr, counts, share, SPECIES: tl.constexpr, BLEND: tl.constexpr):
    """What so many agents leave on each cell, by their species' table, straight on beyond it."""
    within = tl.minimum(counts, ENTRIES - 1)
    left = tl.load(crowds_ptr + within)
    if BLEND:
        left = mixed(left, tl.load(crowds_ptr + (SPECIES * ENTRIES + within)), share)
    slope = number(values_ptr, DEPOSIT_SLOPE, share, SPECIES, BLEND)
    return left + slope * (counts - within).to(tl.float32)


@triton.jit
def with_deposit(trail, counts, share, amount, crowds_ptr, values_ptr,
                 SPECIES: tl.constexpr, CROWDS: tl.constexpr, BLEND: tl.constexpr):  # fmt: skip
    """Trail of some cells with what their agents leave: so much each, or what the table says (CROWDS)."""
    if CROWDS:
        left = crowd(crowds_ptr, values_ptr, counts, share, SPECIES, BLEND)
    else:
        left = amount * counts.to(tl.float32)
    return trail + left


@triton.jit
def with_deposits(row, amount, crowds_ptr, values_ptr,
                  SPECIES: tl.constexpr, CROWDS: tl.constexpr, BLEND: tl.constexpr):  # fmt: skip
    """Trail with deposits [STRIPS, COLUMNS], and the sums of each cell and both neighbours."""
    t, n, s = row
    west = with_deposit(t[0], n[0], s[0], amount, crowds_ptr, values_ptr, SPECIES, CROWDS, BLEND)
    here = with_deposit(t[1], n[1], s[1], amount, crowds_ptr, values_ptr, SPECIES, CROWDS, BLEND)
    east = with_deposit(t[2], n[2], s[2], amount, crowds_ptr, values_ptr, SPECIES, CROWDS, BLEND)
    return here, (west + here) + east


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
    crowds_ptr, ground_ptr, mask_ptr, scent_ptr,
    width, height,
    STRIPS: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, SHOWN: tl.constexpr,
    SPECIES: tl.constexpr, CROWDS: tl.constexpr, BLEND: tl.constexpr, EDGES: tl.constexpr,
    GROUND: tl.constexpr, SCENT: tl.constexpr,
):  # fmt: skip
    """Deposits on, blurs and decays STRIPS strips of COLUMNS x ROWS cells, and clears the next counts.

    Walks down the rows, keeps the horizontal sums of three in registers, and asks for a row one turn before
    it is worked on. Bytes a cell: 8 read, 8 written; 4 more if SHOWN, where the CUDA surface at
    `surface_ptr` takes the new trail as well, and 4 more for what agents smell of it (SCENT) and for each
    map that is read. The first program also sets the clock to the next step; nothing else in this launch
    reads it. Species are the third dimension of the launch.
    """
    if SPECIES > 1:
        species = tl.program_id(2)
        plane = species.to(tl.int64) * (width * height)
        trail_ptr += plane
        counts_ptr += plane
        next_trail_ptr += plane
        next_counts_ptr += plane
        values_ptr += species * SLOTS
        crowds_ptr += species * ENTRIES
    middle = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    first = tl.program_id(1) * ROWS
    if STRIPS > 1:  # for the interpreter: with two dimensions some Tritons keep rows in shared memory
        middle = middle[None, :]
        first = (tl.program_id(1) * STRIPS + tl.arange(0, STRIPS))[:, None] * ROWS
    if EDGES:
        left = tl.maximum(middle - 1, 0)
        right = tl.minimum(middle + 1, width - 1)
    else:
        left = tl.where(middle == 0, width - 1, middle - 1)
        right = tl.where(middle == width - 1, 0, middle + 1)
    columns = (left, middle, right)
    wide = middle < width
    mask = wide & (first < height)
    one = read_row(trail_ptr, counts_ptr, mask_ptr, first - 1, columns, mask, width, height, EDGES, BLEND)
    two = read_row(trail_ptr, counts_ptr, mask_ptr, first, columns, mask, width, height, EDGES, BLEND)
    coming = read_row(trail_ptr, counts_ptr, mask_ptr, first + 1, columns, mask, width, height, EDGES, BLEND)
    amount = tl.load(values_ptr + DEPOSIT)
    if not BLEND:
        keep_centre = tl.load(values_ptr + KEEP_CENTRE)
        keep_ring = tl.load(values_ptr + KEEP_RING)
    if SHOWN:
        surface = tl.load(surface_ptr)

    _, above = with_deposits(one, amount, crowds_ptr, values_ptr, SPECIES, CROWDS, BLEND)
    here, level = with_deposits(two, amount, crowds_ptr, values_ptr, SPECIES, CROWDS, BLEND)
    if BLEND:
        share = two[2][1]
    for down in range(ROWS):
        row = first + down
        under, below = with_deposits(coming, amount, crowds_ptr, values_ptr, SPECIES, CROWDS, BLEND)
        if BLEND:
            keep_centre = number(values_ptr, KEEP_CENTRE, share, SPECIES, BLEND)
            keep_ring = number(values_ptr, KEEP_RING, share, SPECIES, BLEND)
            share = coming[2][1]
        more = wide & (row + 1 < height) & (down + 1 < ROWS)
        coming = read_row(
            trail_ptr, counts_ptr, mask_ptr, row + 2, columns, more, width, height, EDGES, BLEND
        )
        faded = here * keep_centre + ((above + level) + below) * keep_ring
        faded = tl.where(faded < TINY, 0.0, faded)
        cell = row * width + middle
        mask = wide & (row < height)
        ground = 0.0
        if GROUND:
            ground = tl.load(ground_ptr + cell, mask, 0.0)
            faded = tl.where(ground < 0, 0.0, faded)
        tl.store(next_trail_ptr + cell, faded, mask)
        tl.store(next_counts_ptr + cell, 0, mask)
        if SCENT:
            tl.store(scent_ptr + cell, scent_of_one(values_ptr, faded, ground, GROUND), mask)
        if SHOWN:
            store_to_surface(surface, middle, row, faded)
        above, level, here = level, below, under

    leads = (tl.program_id(0) == 0) & (tl.program_id(1) == 0)
    if SPECIES > 1:
        leads = leads & (species == 0)
    if leads:
        tick(clock_ptr)


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
