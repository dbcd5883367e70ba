"""What agents do in a step as Triton functions: the kernel `update_agents`, and what it calls.

The names and the arithmetic are those of `kernels.reference`, whose docstrings hold equations and
sources; `kernels.gpu` owns the memory and launches the kernels. Everything here also runs in
Triton's interpreter. Every launch needs `enable_fp_fusion=False`: a fused multiply-add gives other bits.

Nothing a slider touches is `tl.constexpr` or an argument, so that a move neither compiles a kernel nor
makes a captured graph stale: the numbers of a step lie in memory at `values_ptr`, in the order of
`contract.SLOTS`, and the step's own at `clock_ptr`, in that of `gpu_layout.CLOCK`. An int32 indexes agents
and cells: a world holds at most 2**30 of each.

Arguments keep their meaning throughout: `*_ptr` are arrays in the device's memory, and `kernels.gpu_build`
finds their types by their names.
"""

# ruff: noqa: N803  (constants are upper-case in Triton, arguments or not)
import triton
import triton.language as tl

from kernels import contract
from kernels.gpu_layout import CLOCK
from kernels.gpu_window import close_window, count_in_window, open_window
from kernels.world import GOLDEN as GOLDEN_RATIO

S0, S1, S2, S3 = map(tl.constexpr, contract.SIN)
C0, C1, C2, C3 = map(tl.constexpr, contract.COS)
ROUND = tl.constexpr(contract.ROUND)
ROUND_BITS = tl.constexpr(0x4B400000)  # ROUND as a float32 lies in memory
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

KEY, WHICH_HALF = tl.constexpr(CLOCK.index("key")), tl.constexpr(CLOCK.index("half"))


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
def sense(trail_ptr, x, y, cos, sin, sensors, x_end, y_end, width, fraction_bits, mask):
    """The trail [BLOCK] ahead, to the left and to the right."""
    reach, side_cos, side_sin = sensors
    left_x, left_y = cos * side_cos + sin * side_sin, sin * side_cos - cos * side_sin
    right_x, right_y = cos * side_cos - sin * side_sin, sin * side_cos + cos * side_sin
    ahead = sense_at(trail_ptr, x, y, cos * reach, sin * reach, x_end, y_end, width, fraction_bits, mask)
    left = sense_at(trail_ptr, x, y, left_x, left_y, x_end, y_end, width, fraction_bits, mask)
    right = sense_at(trail_ptr, x, y, right_x, right_y, x_end, y_end, width, fraction_bits, mask)
    return ahead, left, right


@triton.jit
def steer(heading, cos, sin, ahead, left, right, right_hand, turns):
    """New heading [BLOCK] and direction (cos, sin) [BLOCK] by Jones's rule."""
    best = (ahead > left) & (ahead > right)
    worst = (ahead < left) & (ahead < right)
    to_right = tl.where(worst, right_hand, right > left) & ~best
    to_left = tl.where(worst, ~right_hand, left > right) & ~best

    turn, turn_cos, turn_sin = turns
    heading = (heading + tl.where(to_right, turn, 0) - tl.where(to_left, turn, 0)) & 0xFFFF
    c = tl.where(to_right | to_left, turn_cos, 1.0)
    s = tl.where(to_right, turn_sin, tl.where(to_left, -turn_sin, 0.0))
    return heading, cos * c - sin * s, sin * c + cos * s


@triton.jit
def move(x, y, cos, sin, step, x_end, y_end):
    """Coordinates [BLOCK] one `step_size` along the direction, on a torus."""
    return displace(x, cos * step, x_end), displace(y, sin * step, y_end)


@triton.jit
def deposit(
    counts_ptr, window, x, y, width, height, fraction_bits, mask, SHARED: tl.constexpr, SEM: tl.constexpr
):
    """Counts one agent on its cell: in the window, or else on the grid.

    SEM is "relaxed" but for the benchmark: Triton's default order puts a barrier behind every atomic.
    """
    column = (x >> fraction_bits).to(tl.int32)
    row = (y >> fraction_bits).to(tl.int32)
    if SHARED:
        mask = mask & ~count_in_window(window, column, row, width, height, mask)
    tl.atomic_add(counts_ptr + (row * width + column), 1, mask, sem=SEM)


@triton.jit
def halves_of(word):
    """The two halves of agents' words, as `world.pack` makes them."""
    return word.to(tl.uint32), (word >> 32).to(tl.uint32)


@triton.jit
def cells_of(word, fraction_bits):
    """Column and row of agents, from their words."""
    low, high = halves_of(word)
    column = (low & 0xFFFFFF) >> fraction_bits
    row = (high & 0xFFFFFF) >> fraction_bits
    return column.to(tl.int32), row.to(tl.int32)


@triton.jit
def update_agents(
    agents_ptr, trail_ptr, counts_ptr, values_ptr, clock_ptr,
    agents, width, height, fraction_bits,
    BLOCK: tl.constexpr, ROUNDS: tl.constexpr, SHARED: tl.constexpr, SEM: tl.constexpr,
):  # fmt: skip
    """Lets BLOCK x ROUNDS agents sense, steer, move and deposit, BLOCK at a time.

    Bytes an agent: 8 read and 8 written in order, 12 read wherever it senses, and 4 added to where it
    stands, in a window in shared memory (SHARED). About 200 instructions, and then a tenth of an atomic.
    One agent a thread (BLOCK = 32 * num_warps): the window wants it so, and with more Triton passes the
    addresses of atomics through shared memory.
    """
    agents_ptr += tl.load(clock_ptr + WHICH_HALF).to(tl.int64) * agents
    lanes = tl.arange(0, BLOCK)
    first = tl.program_id(0) * (BLOCK * ROUNDS)
    # A lap's words are asked for one lap before: a load takes as long as a lap.
    coming = tl.load(agents_ptr + first + lanes, first + lanes < agents, 0, eviction_policy="evict_first")
    window = (0, 0, 0)
    if SHARED:
        middle = tl.load(agents_ptr + tl.minimum(first + BLOCK * ROUNDS // 2, agents - 1))
        column, row = cells_of(middle, fraction_bits)
        window = open_window(column, row, width, height, lanes)
    x_end = (width << fraction_bits).to(tl.uint32)
    y_end = (height << fraction_bits).to(tl.uint32)
    key = tl.load(clock_ptr + KEY).to(tl.uint32)
    reach = tl.load(values_ptr + SENSOR_AHEAD)
    side_cos = tl.load(values_ptr + SENSOR_COS)
    side_sin = tl.load(values_ptr + SENSOR_SIN)
    sensors = (reach, side_cos, side_sin)
    turn = tl.load(values_ptr + TURN).to(tl.int32)
    turn_cos = tl.load(values_ptr + TURN_COS)
    turn_sin = tl.load(values_ptr + TURN_SIN)
    turns = (turn, turn_cos, turn_sin)
    step = tl.load(values_ptr + STEP)

    for lap in tl.range(ROUNDS, num_stages=1):
        index = first + lap * BLOCK + lanes
        mask = index < agents
        word = coming
        after = index + BLOCK
        more = (after < agents) & (lap + 1 < ROUNDS)
        coming = tl.load(agents_ptr + after, more, 0, eviction_policy="evict_first")
        low, high = halves_of(word)
        x = low & 0xFFFFFF
        y = high & 0xFFFFFF
        heading = ((low >> 24) | (high >> 24 << 8)).to(tl.int32)

        cos, sin = sincos(heading)
        ahead, left, right = sense(
            trail_ptr, x, y, cos, sin, sensors, x_end, y_end, width, fraction_bits, mask
        )
        right_hand = random_side(low, high, key)
        heading, cos, sin = steer(heading, cos, sin, ahead, left, right, right_hand, turns)
        x, y = move(x, y, cos, sin, step, x_end, y_end)
        deposit(counts_ptr, window, x, y, width, height, fraction_bits, mask, SHARED, SEM)

        turned = heading.to(tl.uint32)
        low = x | ((turned & 0xFF) << 24)
        high = y | (turned >> 8 << 24)
        word = (low.to(tl.uint64) | (high.to(tl.uint64) << 32)).to(tl.int64)
        tl.store(agents_ptr + index, word, mask, eviction_policy="evict_first")
    if SHARED:
        close_window(counts_ptr, window, width, height, lanes, SEM)
