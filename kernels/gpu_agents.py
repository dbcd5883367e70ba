"""What agents do in a step as Triton functions: the kernel `update_agents`, and what it calls.

The names and the arithmetic are those of `kernels.reference`, whose docstrings hold equations and
sources; `kernels.gpu` owns the memory and launches the kernels. Everything here also runs in
Triton's interpreter. Every launch needs `enable_fp_fusion=False`: a fused multiply-add gives other bits.

Nothing a slider touches is `tl.constexpr` or an argument, so that a move neither compiles a kernel nor
makes a captured graph stale: the numbers of a step lie in memory at `values_ptr`, in the order of
`contract.SLOTS`, and the step's own at `clock_ptr`, in that of `gpu_layout.CLOCK`. What `contract.Features`
says is constant: what is off is not compiled. An int32 indexes agents and the cells of a field: a world
holds at most 2**30 of each.

Arguments keep their meaning throughout: `*_ptr` are arrays in the device's memory, and `kernels.gpu_build`
finds their types by their names.
"""

# ruff: noqa: N803  (constants are upper-case in Triton, arguments or not)
import triton
import triton.language as tl

from kernels import contract
from kernels.gpu_layout import CLOCK
from kernels.gpu_math import (
    SLOTS,
    cell_of,
    cells_of,
    displace,
    halves_of,
    luck_of,
    own_numbers,
    place_of,
    plane_of,
    sincos,
    species_of,
    word_of,
)
from kernels.gpu_rules import claim, crowded_out, join, move_by_rules, noticed, respond, smell_at, waver
from kernels.gpu_window import close_window, count_in_window, open_window

SENSOR_AHEAD = tl.constexpr(contract.SLOT["sensor_ahead"])
SENSOR_COS = tl.constexpr(contract.SLOT["sensor_cos"])
SENSOR_SIN = tl.constexpr(contract.SLOT["sensor_sin"])
TURN = tl.constexpr(contract.SLOT["turn"])
TURN_COS = tl.constexpr(contract.SLOT["turn_cos"])
TURN_SIN = tl.constexpr(contract.SLOT["turn_sin"])
STEP = tl.constexpr(contract.SLOT["step"])

KEY, WHICH_HALF = tl.constexpr(CLOCK.index("key")), tl.constexpr(CLOCK.index("half"))
CLAIM, SETTLE = tl.constexpr(1), tl.constexpr(2)  # the two passes where a cell holds one agent


@triton.jit
def sense(smell_ptr, x, y, cos, sin, sensors, field, mask, EDGES: tl.constexpr, SENSOR: tl.constexpr):
    """What agents smell [BLOCK] ahead, to the left and to the right."""
    reach, side_cos, side_sin = sensors
    left_x, left_y = cos * side_cos + sin * side_sin, sin * side_cos - cos * side_sin
    right_x, right_y = cos * side_cos - sin * side_sin, sin * side_cos + cos * side_sin
    ahead = smell_at(smell_ptr, x, y, cos * reach, sin * reach, field, mask, EDGES, SENSOR)
    left = smell_at(smell_ptr, x, y, left_x, left_y, field, mask, EDGES, SENSOR)
    right = smell_at(smell_ptr, x, y, right_x, right_y, field, mask, EDGES, SENSOR)
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
def move(x, y, cos, sin, step, field):
    """Coordinates [BLOCK] one `step_size` along the direction, on a torus."""
    x_end, y_end, _, _, _ = field
    return displace(x, cos * step, x_end), displace(y, sin * step, y_end)


@triton.jit
def deposit(counts_ptr, window, x, y, field, mask, near, SHARED: tl.constexpr, SEM: tl.constexpr):
    """Counts one agent on its cell: in the window, if it is one of those `near` it, or else on the grid.

    SEM is "relaxed" but for the benchmark: Triton's default order puts a barrier behind every atomic.
    """
    _, _, width, height, fraction_bits = field
    column = (x >> fraction_bits).to(tl.int32)
    row = (y >> fraction_bits).to(tl.int32)
    if SHARED:
        mask = mask & ~count_in_window(window, column, row, width, height, near)
    tl.atomic_add(counts_ptr + (row * width + column), 1, mask, sem=SEM)


@triton.jit
def plain_numbers(own):
    """What every step reads: (sensor ahead, its cos and sin at the sides), (turn, its cos and sin), step."""
    sensors = (own[SENSOR_AHEAD], own[SENSOR_COS], own[SENSOR_SIN])
    return sensors, (own[TURN].to(tl.int32), own[TURN_COS], own[TURN_SIN]), own[STEP]


@triton.jit
def update_agents(
    agents_ptr, smell_ptr, trail_ptr, counts_ptr, values_ptr, clock_ptr,
    responses_ptr, ground_ptr, mask_ptr, births_ptr, claims_ptr, taken_ptr, arrivals_ptr,
    agents, width, height, fraction_bits,
    BLOCK: tl.constexpr, ROUNDS: tl.constexpr, SHARED: tl.constexpr, SEM: tl.constexpr,
    SPECIES: tl.constexpr, RESPONSES: tl.constexpr, LIFE: tl.constexpr, JOINS: tl.constexpr,
    BOUNDARY: tl.constexpr, GROUND: tl.constexpr, BLEND: tl.constexpr, SENSOR: tl.constexpr,
    CROWDED: tl.constexpr,
):  # fmt: skip
    """Lets BLOCK x ROUNDS agents sense, steer, move and deposit, BLOCK at a time.

    Bytes an agent: 8 read and 8 written in order, 12 read wherever it senses, and 4 added to where it
    stands, in a window in shared memory (SHARED). About 200 instructions, and then a tenth of an atomic.
    One agent a thread (BLOCK = 32 * num_warps): the window wants it so, and with more Triton passes the
    addresses of atomics through shared memory. A window is of one species, that of the program's middle.

    Where a cell holds one agent (CROWDED) this runs twice: agents CLAIM the cells they want, then the same
    comes out again, and they SETTLE where their claim was the highest, or stay.
    """
    agents_ptr += tl.load(clock_ptr + WHICH_HALF).to(tl.int64) * agents
    lanes = tl.arange(0, BLOCK)
    first = tl.program_id(0) * (BLOCK * ROUNDS)
    # A lap's words are asked for one lap before: a load takes as long as a lap.
    coming = tl.load(agents_ptr + first + lanes, first + lanes < agents, 0, eviction_policy="evict_first")
    window = (0, 0, 0)
    cells = width * height
    if SHARED:
        middle = tl.load(agents_ptr + tl.minimum(first + BLOCK * ROUNDS // 2, agents - 1))
        column, row = cells_of(middle, fraction_bits, SPECIES)
        window = open_window(column, row, width, height, lanes)
        middle_low, middle_high = halves_of(middle)
        home = species_of(middle_low, middle_high, SPECIES)
    x_end = (width << fraction_bits).to(tl.uint32)
    y_end = (height << fraction_bits).to(tl.uint32)
    field = (x_end, y_end, width, height, fraction_bits)
    key = tl.load(clock_ptr + KEY).to(tl.uint32)
    if (SPECIES == 1) and (not BLEND):
        own = own_numbers(values_ptr, 0, 0.0, SPECIES, BLEND)

    for lap in tl.range(ROUNDS, num_stages=1):
        index = first + lap * BLOCK + lanes
        mask = index < agents
        word = coming
        after = index + BLOCK
        more = (after < agents) & (lap + 1 < ROUNDS)
        coming = tl.load(agents_ptr + after, more, 0, eviction_policy="evict_first")
        low, high = halves_of(word)
        x, y = place_of(low, high, SPECIES)
        species = species_of(low, high, SPECIES)
        own_smell_ptr = smell_ptr + plane_of(species, cells, SPECIES)
        heading = ((low >> 24) | (high >> 24 << 8)).to(tl.int32)

        cos, sin = sincos(heading)
        share = 0.0
        if BLEND:
            share = tl.load(mask_ptr + cell_of(x, y, field), mask, 0.0)
        if (SPECIES > 1) or BLEND:
            own = own_numbers(values_ptr, species * SLOTS, share, SPECIES, BLEND)
        sensors, turns, step = plain_numbers(own)
        if RESPONSES:
            sensors, turns, step = respond(
                responses_ptr, own_smell_ptr, x, y, cos, sin, species, own, share, field, mask,
                BOUNDARY != "wrap", SPECIES, BLEND,
            )  # fmt: skip
        ahead, left, right = sense(
            own_smell_ptr, x, y, cos, sin, sensors, field, mask, BOUNDARY != "wrap", SENSOR
        )
        luck = luck_of(low, high, key)
        if LIFE:
            ahead, left, right = noticed(ahead, own), noticed(left, own), noticed(right, own)
        if JOINS:
            species = join(trail_ptr, x, y, species, luck, own, field, mask)
        heading, cos, sin = steer(heading, cos, sin, ahead, left, right, (luck >> 31) != 0, turns)
        if LIFE:
            heading = waver(heading, luck, own)
        if RESPONSES or LIFE:
            cos, sin = sincos(heading)
        if (BOUNDARY == "wrap") and not (GROUND or LIFE or CROWDED):
            x, y = move(x, y, cos, sin, step, field)
        else:
            before_x, before_y = x, y
            x, y, heading, stays = move_by_rules(
                ground_ptr, births_ptr, x, y, heading, cos * step, sin * step, luck, low, own, field, mask,
                BOUNDARY, GROUND, LIFE,
            )  # fmt: skip
        if CROWDED == CLAIM:
            claim(claims_ptr, taken_ptr, before_x, before_y, x, y, luck, low, field, mask)
        if CROWDED == SETTLE:
            x, y, heading, stays = crowded_out(
                claims_ptr, taken_ptr, before_x, before_y, x, y, heading, stays, luck, low, field, mask
            )
            own_arrivals_ptr = arrivals_ptr + plane_of(species, cells, SPECIES)
            deposit(own_arrivals_ptr, window, x, y, field, mask & ~stays, mask, False, SEM)
        if CROWDED != CLAIM:
            near = mask
            if SHARED and (SPECIES > 1):
                near = mask & (species == home)
            own_counts_ptr = counts_ptr + plane_of(species, cells, SPECIES)
            deposit(own_counts_ptr, window, x, y, field, mask, near, SHARED, SEM)
            word = word_of(x, y, heading, species, SPECIES)
            tl.store(agents_ptr + index, word, mask, eviction_policy="evict_first")
    if SHARED:
        close_window(counts_ptr + plane_of(home, cells, SPECIES), window, width, height, lanes, SEM)
