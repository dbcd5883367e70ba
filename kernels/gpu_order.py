"""Agents in order of place, as Triton functions: three kernels that `kernels.gpu` launches now and then.

Order changes no result, since random numbers depend on an agent's own bits only. It changes where a
program's agents sense and count: near one another, in the caches and in one window (`kernels.gpu_window`).

It is a counting sort by species and by the tiles of `kernels.gpu_layout`, and the counting is done already:
the grid of counts holds how many agents stand where, and `survey` adds it up by tiles. `find_starts` turns
that into where each tile's agents begin, `put_in_order` copies them there.
"""

# ruff: noqa: N803  (constants are upper-case in Triton, arguments or not)
import triton
import triton.language as tl

from kernels import gpu_layout
from kernels.gpu_math import cells_of, halves_of, species_of
from kernels.gpu_window import thread_of

TILE, TILE_BITS = tl.constexpr(gpu_layout.TILE), tl.constexpr(gpu_layout.TILE_BITS)
BAND, BAND_BITS = tl.constexpr(gpu_layout.BAND), tl.constexpr(gpu_layout.BAND_BITS)
WINDOW_BITS = tl.constexpr(4)
WINDOW = tl.constexpr(16)  # tiles, of a side of a program's window
WHICH_HALF = tl.constexpr(gpu_layout.CLOCK.index("half"))

# What follows ranks the agents of a program by one counter for each tile in shared memory. Lanes of the
# same tile act as one, of which the first adds all: agents in order are mostly of one tile.
OPEN = tl.constexpr(
    """{
    .shared .align 4 .b32 tiles[COUNTERS];
    .reg .u32 own;
    mov.u32 $0, tiles;
    mov.u32 own, %tid.x;
    shl.b32 own, own, 2;
    add.u32 own, own, $0;
    st.shared.u32 [own], 0;
    bar.sync 0;
}""".replace("COUNTERS", str(gpu_layout.ORDER_THREADS))
)
RANK = tl.constexpr("""{
    .reg .pred inside, first;
    .reg .u32 peers, before, rank, many, leader, start;
    setp.ne.u32 inside, $2, 0;
    match.any.sync.b32 peers, $1, 0xffffffff;
    mov.u32 before, %lanemask_lt;
    and.b32 before, before, peers;
    popc.b32 rank, before;
    popc.b32 many, peers;
    brev.b32 leader, peers;
    bfind.shiftamt.u32 leader, leader;
    setp.eq.and.u32 first, rank, 0, inside;
    mov.u32 start, 0;
    @first atom.shared.add.u32 start, [$1], many;
    shfl.sync.idx.b32 start, start, leader, 31, 0xffffffff;
    add.u32 $0, start, rank;
}""")
TAKE = tl.constexpr("bar.sync 0; ld.shared.u32 $0, [$1];")
GIVE = tl.constexpr("st.shared.u32 [$1], $2; bar.sync 0; mov.u32 $0, 0;")


@triton.jit
def tile_number(tile_x, tile_y, tiles_across):
    """Where a tile stands in the order."""
    return (((tile_y >> BAND_BITS) * tiles_across + tile_x) << BAND_BITS) + (tile_y & (BAND - 1))


@triton.jit
def survey(
    counts_ptr, tiles_ptr, width, height, tiles_across, tiles, TILES: tl.constexpr, SPECIES: tl.constexpr
):  # fmt: skip
    """Agents on each of TILES tiles beside one another, of `tiles` for each species. Bytes a cell: 4 read."""
    if SPECIES > 1:
        counts_ptr += tl.program_id(2).to(tl.int64) * (width * height)
        tiles_ptr += tl.program_id(2) * tiles
    tile_x = tl.program_id(0) * TILES + tl.arange(0, TILES)
    tile_y = tl.program_id(1)
    column = (tl.program_id(0) * (TILES * TILE) + tl.arange(0, TILES * TILE))[None, :]
    row = (tile_y * TILE + tl.arange(0, TILE))[:, None]
    agents = tl.load(counts_ptr + (row * width + column), (column < width) & (row < height), 0)
    agents = tl.sum(tl.reshape(tl.sum(agents, 0), (TILES, TILE)), 1)
    tl.store(tiles_ptr + tile_number(tile_x, tile_y, tiles_across), agents, tile_x < tiles_across)


@triton.jit
def find_starts(tiles_ptr, clock_ptr, tiles, BLOCK: tl.constexpr):
    """Agents on each tile of each species become the place of its first; in one program.

    Then the other half is theirs.
    """
    before = 0
    for start in range(0, tiles, BLOCK):
        tile = start + tl.arange(0, BLOCK)
        agents = tl.load(tiles_ptr + tile, tile < tiles, 0)
        tl.store(tiles_ptr + tile, before + tl.cumsum(agents, 0) - agents, tile < tiles)
        before += tl.sum(agents, 0)
    tl.store(clock_ptr + WHICH_HALF, 1 - tl.load(clock_ptr + WHICH_HALF))


@triton.jit
def counter_of(address, tile_x, tile_y, left, top, tiles_across, tiles_down, mask):
    """The address of a tile's counter, and whether the window has one for it."""
    across = (tile_x - left).to(tl.uint32)
    across = tl.minimum(across, across + tiles_across.to(tl.uint32))
    down = (tile_y - top).to(tl.uint32)
    down = tl.minimum(down, down + tiles_down.to(tl.uint32))
    inside = (across < WINDOW) & (down < WINDOW) & mask
    return address + tl.where(inside, down * WINDOW + across, WINDOW * WINDOW).to(tl.int32) * 4, inside


@triton.jit
def rank(counter, inside):
    """Counts each agent in; what its tile's counter was before it."""
    return tl.inline_asm_elementwise(
        RANK, "=r,r,r", [counter, inside.to(tl.int32)], dtype=tl.int32, is_pure=False, pack=1
    )


@triton.jit
def kind_of(word, SPECIES: tl.constexpr):
    """The species of agents, from their words."""
    low, high = halves_of(word)
    return species_of(low, high, SPECIES)


@triton.jit
def window_of_tiles(source_ptr, tiles_ptr, first, agents, tiles_across, tiles_down, tiles, fraction_bits,
                    BLOCK: tl.constexpr, ROUNDS: tl.constexpr, SPECIES: tl.constexpr):  # fmt: skip
    """Counts a program's agents by tiles in shared memory, and takes places for all of them at once.

    Returns the window: the address of its counters, now the places of each tile's next agent, its first
    column and row of tiles, and the species it is for.
    """
    lanes = tl.arange(0, BLOCK)
    middle = tl.load(source_ptr + tl.minimum(first + BLOCK * ROUNDS // 2, agents - 1))
    column, row = cells_of(middle, fraction_bits, SPECIES)
    home = kind_of(middle, SPECIES)
    left = (column >> TILE_BITS) - WINDOW // 2
    top = (row >> TILE_BITS) - WINDOW // 2
    left = tl.maximum(tl.where(left < 0, left + tiles_across, left), 0)
    top = tl.maximum(tl.where(top < 0, top + tiles_down, top), 0)
    address = tl.inline_asm_elementwise(OPEN, "=&r,r", [lanes], dtype=tl.int32, is_pure=False, pack=1)
    for turn in tl.range(ROUNDS, num_stages=1):
        index = first + turn * BLOCK + lanes
        word = tl.load(source_ptr + index, index < agents, 0)
        columns, rows = cells_of(word, fraction_bits, SPECIES)
        near = index < agents
        if SPECIES > 1:
            near = near & (kind_of(word, SPECIES) == home)
        counter, inside = counter_of(
            address,
            columns >> TILE_BITS,
            rows >> TILE_BITS,
            left,
            top,
            tiles_across,
            tiles_down,
            near,
        )
        rank(counter, inside)
    thread = thread_of(lanes)
    own = address + thread * 4
    many = tl.inline_asm_elementwise(TAKE, "=r,r", [own], dtype=tl.int32, is_pure=False, pack=1)
    tile_x = left + (thread & (WINDOW - 1))
    tile_y = top + (thread >> WINDOW_BITS)
    tile_x = tl.where(tile_x >= tiles_across, tile_x - tiles_across, tile_x)
    tile_y = tl.where(tile_y >= tiles_down, tile_y - tiles_down, tile_y)
    tile = tile_number(tile_x, tile_y, tiles_across) + home * tiles
    start = tl.atomic_add(tiles_ptr + tile, many, many != 0, sem="relaxed")
    tl.inline_asm_elementwise(GIVE, "=r,r,r", [own, start], dtype=tl.int32, is_pure=False, pack=1)
    return address, left, top, home


@triton.jit
def put_in_order(
    agents_ptr, tiles_ptr, clock_ptr, agents, tiles_across, tiles_down, tiles, fraction_bits,
    BLOCK: tl.constexpr, ROUNDS: tl.constexpr, SHARED: tl.constexpr, SPECIES: tl.constexpr,
):  # fmt: skip
    """Copies BLOCK x ROUNDS agents to their tiles' places in the other half of their memory.

    Bytes an agent: 8 read twice, the second time from a cache, and 8 written.
    """
    half = tl.load(clock_ptr + WHICH_HALF)
    source_ptr = agents_ptr + (1 - half).to(tl.int64) * agents
    target_ptr = agents_ptr + half.to(tl.int64) * agents
    first = tl.program_id(0) * (BLOCK * ROUNDS)
    if SHARED:
        address, left, top, home = window_of_tiles(
            source_ptr, tiles_ptr, first, agents, tiles_across, tiles_down, tiles, fraction_bits,
            BLOCK, ROUNDS, SPECIES,
        )  # fmt: skip
    for turn in tl.range(ROUNDS, num_stages=1):
        index = first + turn * BLOCK + tl.arange(0, BLOCK)
        mask = index < agents
        word = tl.load(source_ptr + index, mask, 0)
        column, row = cells_of(word, fraction_bits, SPECIES)
        kind = kind_of(word, SPECIES)
        tile_x = column >> TILE_BITS
        tile_y = row >> TILE_BITS
        tile = tiles_ptr + (tile_number(tile_x, tile_y, tiles_across) + kind * tiles)
        if SHARED:
            close = mask
            if SPECIES > 1:
                close = mask & (kind == home)
            counter, inside = counter_of(address, tile_x, tile_y, left, top, tiles_across, tiles_down, close)
            near = rank(counter, inside)
            far = tl.atomic_add(tile, 1, mask & ~inside, sem="relaxed")
            place = tl.where(inside, near, far)
        else:
            place = tl.atomic_add(tile, 1, mask, sem="relaxed")
        tl.store(target_ptr + place, word, mask)
