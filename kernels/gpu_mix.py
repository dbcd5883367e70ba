"""What agents smell, and what is shown, of all species' trails together, as Triton functions.

Agents sense on one array however many trails, maps and attractions there are: `mix` computes it for each
species once a step, which is far less than every agent's three sensors would ask for. With one species
`gpu_field.diffuse` does so on its way. The rules are those of `kernels.gpu_agents`.
"""

# ruff: noqa: N803  (constants are upper-case in Triton, arguments or not)
import triton
import triton.language as tl

from kernels import contract
from kernels.gpu_math import SLOTS

BARRIER = tl.constexpr(contract.BARRIER)
ATTRACTION = tl.constexpr(contract.SLOT["attraction_0"])  # of the species that follow in the next slots
FOOD = tl.constexpr(contract.SLOT["food"])


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
def store_four_to_surface(surface, column, row, values):
    """Stores four float32 values a cell, as `store_to_surface` does one."""
    tl.inline_asm_elementwise(
        "sust.b.2d.v4.b32.zero [$1, {$2, $3}], {$4, $5, $6, $7}; mov.b32 $0, 0;",
        "=r,l,r,r,f,f,f,f",
        [surface, column * 16, row, values[0], values[1], values[2], values[3]],
        dtype=tl.int32,
        is_pure=False,
        pack=1,
    )


@triton.jit
def with_food(values_ptr, total, ground, GROUND: tl.constexpr):
    """What is smelled of trails in sum, and of the map."""
    if GROUND:
        total = tl.where(ground < 0, BARRIER, total + tl.load(values_ptr + FOOD) * ground)
    return total


@triton.jit
def scent_of_one(values_ptr, trail, ground, GROUND: tl.constexpr):
    """What agents smell where there is one species."""
    return with_food(values_ptr, tl.load(values_ptr + ATTRACTION) * trail, ground, GROUND)


@triton.jit
def trails_of(trail_ptr, cell, mask, cells, SPECIES: tl.constexpr):
    """All species' trails of some cells, as a tuple of four; 0 for species there are not."""
    one = tl.load(trail_ptr + cell, mask, 0.0)
    two, three, four = tl.zeros_like(one), tl.zeros_like(one), tl.zeros_like(one)
    if SPECIES > 1:
        two = tl.load(trail_ptr + tl.cast(1, tl.int64) * cells + cell, mask, 0.0)
    if SPECIES > 2:
        three = tl.load(trail_ptr + tl.cast(2, tl.int64) * cells + cell, mask, 0.0)
    if SPECIES > 3:
        four = tl.load(trail_ptr + tl.cast(3, tl.int64) * cells + cell, mask, 0.0)
    return one, two, three, four


@triton.jit
def mix(
    trail_ptr, scent_ptr, values_ptr, ground_ptr, surface_ptr, width, height,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
    SPECIES: tl.constexpr, GROUND: tl.constexpr, SHOWN: tl.constexpr,
):  # fmt: skip
    """What each species smells on ROWS x COLUMNS cells: all trails by its attractions, and the map.

    Bytes a cell: 4 read and 4 written for each species, and 16 written if SHOWN, into a surface of four
    numbers a cell.
    """
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    row = tl.program_id(1)
    if ROWS > 1:  # for the interpreter, as in `gpu_field.diffuse`
        column = column[None, :]
        row = (row * ROWS + tl.arange(0, ROWS))[:, None]
    cells = width * height
    cell = row * width + column
    mask = (column < width) & (row < height)
    trails = trails_of(trail_ptr, cell, mask, cells, SPECIES)
    ground = 0.0
    if GROUND:
        ground = tl.load(ground_ptr + cell, mask, 0.0)
    for own in tl.static_range(SPECIES):
        own_values_ptr = values_ptr + own * SLOTS
        total = tl.load(own_values_ptr + ATTRACTION) * trails[0]
        for other in tl.static_range(1, SPECIES):
            total = total + tl.load(own_values_ptr + ATTRACTION + other) * trails[other]
        total = with_food(own_values_ptr, total, ground, GROUND)
        tl.store(scent_ptr + tl.cast(own, tl.int64) * cells + cell, total, mask)
    if SHOWN:
        store_four_to_surface(tl.load(surface_ptr), column, row, trails)


@triton.jit
def show(trail_ptr, surface_ptr, width, height, COLUMNS: tl.constexpr, SPECIES: tl.constexpr):
    """Copies COLUMNS cells of one row of the trail into a surface: one number a cell, or four of them."""
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    row = tl.program_id(1)
    cell = row * width + column
    if SPECIES == 1:
        value = tl.load(trail_ptr + cell, column < width, 0.0)
        store_to_surface(tl.load(surface_ptr), column, row, value)
    else:
        trails = trails_of(trail_ptr, cell, column < width, width * height, SPECIES)
        store_four_to_surface(tl.load(surface_ptr), column, row, trails)
