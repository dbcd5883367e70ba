"""One step as Triton functions: two kernels, `update_agents` and `diffuse`, and what they call.

The names and the arithmetic are those of `kernels.reference`, whose docstrings hold equations and
sources; `kernels.gpu` owns the memory and launches the kernels. Everything here also runs in
Triton's interpreter. Every launch needs `enable_fp_fusion=False`: a fused multiply-add gives other bits.

Nothing a slider touches is `tl.constexpr` or an argument, so that a move neither compiles a kernel nor
makes a captured graph stale: the numbers of a step lie in memory at `values_ptr`, in the order of
`contract.SLOTS`, and the step's own at `clock_ptr`, in that of `CLOCK`. An int32 indexes agents and
cells: a world holds at most 2**30 of each.
"""

# ruff: noqa: N803  (constants are upper-case in Triton, arguments or not)
import triton
import triton.language as tl

from kernels import contract
from kernels.world import GOLDEN as GOLDEN_RATIO

S0, S1, S2, S3 = map(tl.constexpr, contract.SIN)
C0, C1, C2, C3 = map(tl.constexpr, contract.COS)
ROUND = tl.constexpr(contract.ROUND)
ROUND_BITS = tl.constexpr(0x4B400000)  # ROUND as a float32 lies in memory
TINY = tl.constexpr(contract.TINY)
MULTIPLY = tl.constexpr(contract.PCG_MULTIPLY)
ADD = tl.constexpr(contract.PCG_ADD)
SCRAMBLE = tl.constexpr(contract.PCG_SCRAMBLE)
GOLDEN = tl.constexpr(GOLDEN_RATIO)

SENSOR_AHEAD = tl.constexpr(contract.SLOT["sensor_ahead"])
SENSOR_COS = tl.constexpr(contract.SLOT["sensor_cos"])
SENSOR_SIN = tl.constexpr(contract.SLOT["sensor_sin"])
TURN = tl.constexpr(contract.SLOT["turn"])
TURN_COS = tl.constexpr(contract.SLOT["turn_cos"])
TURN_SIN = tl.constexpr(contract.SLOT["turn_sin"])
STEP = tl.constexpr(contract.SLOT["step"])
DEPOSIT = tl.constexpr(contract.SLOT["deposit"])
KEEP_CENTRE = tl.constexpr(contract.SLOT["keep_centre"])
KEEP_RING = tl.constexpr(contract.SLOT["keep_ring"])

# What a step reads besides: its number, its key (`contract.step_key`) and the seed's two words.
CLOCK = ("number", "key", "seed_low", "seed_high")
NUMBER, KEY, SEED_LOW, SEED_HIGH = (tl.constexpr(CLOCK.index(name)) for name in CLOCK)


@triton.jit
def pcg(value):
    """The PCG hash of each uint32; `contract.pcg` says whose it is."""
    state = value * MULTIPLY + ADD
    word = ((state >> ((state >> 28) + 4)) ^ state) * SCRAMBLE
    return (word >> 22) ^ word


@triton.jit
def random_side(low, high, key):
    """A coin [BLOCK] for each agent, from the two halves of its word and the step's key."""
    return (pcg(low + high * GOLDEN + key) >> 31) != 0


@triton.jit
def sincos(heading):
    """The direction (cos, sin) [BLOCK] of a heading in 65536ths of a circle."""
    quarter = (heading + 8192) >> 14
    t = (((heading + 8192) & 16383) - 8192).to(tl.float32) * (1 / 8192)
    u = t * t
    sin = t * (((S3 * u + S2) * u + S1) * u + S0)
    cos = ((C3 * u + C2) * u + C1) * u + C0
    swap = (quarter & 1) != 0
    c = tl.where(swap, sin, cos)
    s = tl.where(swap, cos, sin)
    return tl.where(((quarter + 1) & 2) != 0, -c, c), tl.where((quarter & 2) != 0, -s, s)


@triton.jit
def displace(place, by, end):
    """Coordinates [BLOCK] uint32 moved by an offset in units, rounded and wrapped to 0 .. end - 1."""
    # Where ROUND + by lies, one unit in the last place is 1: the difference of the bits is the whole number.
    whole = (by + ROUND).to(tl.int32, bitcast=True) - ROUND_BITS
    moved = place + whole.to(tl.uint32)
    # Of the place and the place one lap on or back, the one inside the field is the smaller unsigned number.
    moved = tl.minimum(moved, moved + end)
    return tl.minimum(moved, moved - end)


@triton.jit
def sense_at(trail_ptr, x, y, dx, dy, x_end, y_end, width, fraction_bits, mask):
    """The trail [BLOCK] on the cell at an offset (dx, dy) in units."""
    column = displace(x, dx, x_end) >> fraction_bits
    row = displace(y, dy, y_end) >> fraction_bits
    return tl.load(trail_ptr + (row * width + column), mask, 0.0)


@triton.jit
def sense(trail_ptr, x, y, cos, sin, values_ptr, x_end, y_end, width, fraction_bits, mask):
    """The trail [BLOCK] ahead, to the left and to the right."""
    reach = tl.load(values_ptr + SENSOR_AHEAD)
    side_cos = tl.load(values_ptr + SENSOR_COS)
    side_sin = tl.load(values_ptr + SENSOR_SIN)
    left_x, left_y = cos * side_cos + sin * side_sin, sin * side_cos - cos * side_sin
    right_x, right_y = cos * side_cos - sin * side_sin, sin * side_cos + cos * side_sin
    ahead = sense_at(trail_ptr, x, y, cos * reach, sin * reach, x_end, y_end, width, fraction_bits, mask)
    left = sense_at(trail_ptr, x, y, left_x, left_y, x_end, y_end, width, fraction_bits, mask)
    right = sense_at(trail_ptr, x, y, right_x, right_y, x_end, y_end, width, fraction_bits, mask)
    return ahead, left, right


@triton.jit
def steer(heading, cos, sin, ahead, left, right, right_hand, values_ptr):
    """New heading [BLOCK] and direction (cos, sin) [BLOCK] by Jones's rule."""
    best = (ahead > left) & (ahead > right)
    worst = (ahead < left) & (ahead < right)
    to_right = tl.where(worst, right_hand, right > left) & ~best
    to_left = tl.where(worst, ~right_hand, left > right) & ~best

    turn = tl.load(values_ptr + TURN).to(tl.int32)
    turn_cos = tl.load(values_ptr + TURN_COS)
    turn_sin = tl.load(values_ptr + TURN_SIN)
    heading = (heading + tl.where(to_right, turn, 0) - tl.where(to_left, turn, 0)) & 0xFFFF
    c = tl.where(to_right | to_left, turn_cos, 1.0)
    s = tl.where(to_right, turn_sin, tl.where(to_left, -turn_sin, 0.0))
    return heading, cos * c - sin * s, sin * c + cos * s


@triton.jit
def move(x, y, cos, sin, values_ptr, x_end, y_end):
    """Coordinates [BLOCK] one `step_size` along the direction, on a torus."""
    step = tl.load(values_ptr + STEP)
    return displace(x, cos * step, x_end), displace(y, sin * step, y_end)


@triton.jit
def deposit(counts_ptr, x, y, width, fraction_bits, mask):
    """Counts one agent on its cell. Relaxed: the default order puts a barrier behind every atomic."""
    cell = (y >> fraction_bits) * width + (x >> fraction_bits)
    tl.atomic_add(counts_ptr + cell, 1, mask, sem="relaxed")


@triton.jit(do_not_specialize=["agents", "width", "height", "fraction_bits"])
def update_agents(
    agents_ptr, trail_ptr, counts_ptr, values_ptr, clock_ptr,
    agents, width, height, fraction_bits, BLOCK: tl.constexpr,
):  # fmt: skip
    """Lets BLOCK agents sense, steer, move and deposit.

    Bytes an agent: 8 read and 8 written in order, 12 read and 4 added to wherever it senses and stands.
    One agent a thread (BLOCK = 32 * num_warps): with more, Triton passes the addresses of the atomics
    through shared memory.
    """
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = index < agents
    word = tl.load(agents_ptr + index, mask, 0, eviction_policy="evict_first")
    low = word.to(tl.uint32)
    high = (word >> 32).to(tl.uint32)
    x = low & 0xFFFFFF
    y = high & 0xFFFFFF
    heading = ((low >> 24) | (high >> 24 << 8)).to(tl.int32)
    x_end = (width << fraction_bits).to(tl.uint32)
    y_end = (height << fraction_bits).to(tl.uint32)

    cos, sin = sincos(heading)
    ahead, left, right = sense(
        trail_ptr, x, y, cos, sin, values_ptr, x_end, y_end, width, fraction_bits, mask
    )
    right_hand = random_side(low, high, tl.load(clock_ptr + KEY).to(tl.uint32))
    heading, cos, sin = steer(heading, cos, sin, ahead, left, right, right_hand, values_ptr)
    x, y = move(x, y, cos, sin, values_ptr, x_end, y_end)
    deposit(counts_ptr, x, y, width, fraction_bits, mask)

    turned = heading.to(tl.uint32)
    low = x | ((turned & 0xFF) << 24)
    high = y | (turned >> 8 << 24)
    word = (low.to(tl.uint64) | (high.to(tl.uint64) << 32)).to(tl.int64)
    tl.store(agents_ptr + index, word, mask, eviction_policy="evict_first")


@triton.jit
def fresh_row(trail_ptr, counts_ptr, row, left, middle, right, mask, amount, width, height):
    """Rows of trail with their deposits [STRIPS, COLUMNS], and the sums of each cell and both neighbours."""
    row = tl.where(row < 0, row + height, row)
    start = tl.where(row >= height, row - height, row) * width
    west = tl.load(trail_ptr + (start + left), mask, 0.0)
    here = tl.load(trail_ptr + (start + middle), mask, 0.0)
    east = tl.load(trail_ptr + (start + right), mask, 0.0)
    west += amount * tl.load(counts_ptr + (start + left), mask, 0).to(tl.float32)
    here += amount * tl.load(counts_ptr + (start + middle), mask, 0).to(tl.float32)
    east += amount * tl.load(counts_ptr + (start + right), mask, 0).to(tl.float32)
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


@triton.jit(do_not_specialize=["surface", "height"])
def diffuse(
    trail_ptr, counts_ptr, next_trail_ptr, next_counts_ptr, values_ptr, clock_ptr,
    surface: tl.int64, width, height,
    STRIPS: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Deposits on, blurs and decays STRIPS strips of COLUMNS x ROWS cells, and clears the next counts.

    Walks down the rows and keeps the horizontal sums of three in registers. Bytes a cell: 8 read, 8
    written; 4 more where `surface` is not 0, which takes the new trail as well. The first program
    also sets the clock to the next step; nothing else in this launch reads it.
    """
    middle = (tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS))[None, :]
    left = tl.where(middle == 0, width - 1, middle - 1)
    right = tl.where(middle == width - 1, 0, middle + 1)
    first = (tl.program_id(1) * STRIPS + tl.arange(0, STRIPS))[:, None] * ROWS
    mask = (middle < width) & (first < height)
    amount = tl.load(values_ptr + DEPOSIT)
    keep_centre = tl.load(values_ptr + KEEP_CENTRE)
    keep_ring = tl.load(values_ptr + KEEP_RING)

    _, above = fresh_row(trail_ptr, counts_ptr, first - 1, left, middle, right, mask, amount, width, height)
    here, level = fresh_row(trail_ptr, counts_ptr, first, left, middle, right, mask, amount, width, height)
    for down in range(ROWS):
        row = first + down
        mask = (middle < width) & (row < height)
        under, below = fresh_row(
            trail_ptr, counts_ptr, row + 1, left, middle, right, mask, amount, width, height
        )
        faded = here * keep_centre + ((above + level) + below) * keep_ring
        faded = tl.where(faded < TINY, 0.0, faded)
        cell = row * width + middle
        tl.store(next_trail_ptr + cell, faded, mask)
        tl.store(next_counts_ptr + cell, 0, mask)
        if surface != 0:
            store_to_surface(surface, middle, row, faded)
        above, level, here = level, below, under

    if (tl.program_id(0) == 0) & (tl.program_id(1) == 0):
        tick(clock_ptr)


@triton.jit(do_not_specialize=["surface"])
def show(trail_ptr, surface: tl.int64, width, COLUMNS: tl.constexpr):
    """Copies COLUMNS cells of one row of the trail into a surface. Bytes a cell: 4 read, 4 written."""
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    row = tl.program_id(1)
    value = tl.load(trail_ptr + (row * width + column), column < width, 0.0)
    if surface != 0:
        store_to_surface(surface, column, row, value)
