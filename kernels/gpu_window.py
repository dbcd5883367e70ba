"""Windows in shared memory: where a program counts what its agents do, before it tells the grid.

Agents in order of place (see `kernels.gpu_order`) stand near one another, many on the same cell. So a
program counts its agents on a window of the field in shared memory and adds every cell's sum to the
grid once. On developed fields that leaves a tenth of the atomics; without it they are the largest part
of a step (0.5 of 0.6 ms for 16 M agents on an H200, 0.14 of 0.23 with it).

Triton gives no shared memory to index, hence the few lines of PTX, which run once a thread: every tensor
here has as many elements as the program has threads. Its interpreter knows no PTX, so callers have a
path without a window, which is also the path of agents outside one.
"""

# ruff: noqa: N803  (constants are upper-case in Triton, arguments or not)
import triton
import triton.language as tl

from kernels.gpu_layout import AGENT_THREADS

WINDOW = tl.constexpr(64)  # cells, of a side: the agents of a program fill about as much, or less
HALF_WINDOW = tl.constexpr(32)
THREADS = tl.constexpr(AGENT_THREADS)  # each clears 16 bytes, and tells the grid of 4 words
ROWS = tl.constexpr(AGENT_THREADS // 32)  # of a window that the threads reach at once, two cells each

# A word holds two cells half a window apart, so that lanes tell the grid of neighbouring cells, and 16 bits
# are enough for each: a program has fewer agents.
OPEN = tl.constexpr("""{
    .shared .align 16 .b8 window[8192];
    .reg .u32 own;
    mov.u32 $0, window;
    mov.u32 own, %tid.x;
    shl.b32 own, own, 4;
    add.u32 own, own, $0;
    st.shared.v4.u32 [own], {0, 0, 0, 0};
    bar.sync 0;
}""")
COUNT = tl.constexpr("""{
    .reg .pred inside;
    setp.ne.u32 inside, $3, 0;
    @inside red.shared.add.u32 [$1], $2;
    mov.u32 $0, 0;
}""")
THREAD = tl.constexpr("mov.u32 $0, %tid.x;")
MEET = tl.constexpr("bar.sync 0; mov.u32 $0, $1;")
READ = tl.constexpr("ld.shared.u32 $0, [$1];")


@triton.jit
def thread_of(lanes):
    """The number of each thread, which no tensor tells."""
    return tl.inline_asm_elementwise(THREAD, "=r,r", [lanes], dtype=tl.int32, is_pure=True, pack=1)


@triton.jit
def open_window(column, row, width, height, lanes):
    """An empty window about a cell: its address [THREADS] in shared memory, and its first column and row."""
    left = column - HALF_WINDOW
    top = row - HALF_WINDOW
    left = tl.maximum(tl.where(left < 0, left + width, left), 0)  # a small field lies all in the window
    top = tl.maximum(tl.where(top < 0, top + height, top), 0)
    address = tl.inline_asm_elementwise(OPEN, "=&r,r", [lanes], dtype=tl.int32, is_pure=False, pack=1)
    return address, left, top


@triton.jit
def count_in_window(window, column, row, width, height, mask):
    """Counts one agent [THREADS] where it is inside; tells which are."""
    address, left, top = window
    # Of the distance and the distance one lap on, the one inside the field is the smaller unsigned number.
    across = (column - left).to(tl.uint32)
    across = tl.minimum(across, across + width.to(tl.uint32))
    down = (row - top).to(tl.uint32)
    down = tl.minimum(down, down + height.to(tl.uint32))
    inside = (across < WINDOW) & (down < WINDOW) & mask
    word = address + ((down * HALF_WINDOW + (across & (HALF_WINDOW - 1))) * 4).to(tl.int32)
    one = tl.where(across >= HALF_WINDOW, 1 << 16, 1)
    tl.inline_asm_elementwise(
        COUNT, "=r,r,r,r", [word, one, inside.to(tl.int32)], dtype=tl.int32, is_pure=False, pack=1
    )
    return inside


@triton.jit
def close_window(counts_ptr, window, width, height, lanes, SEM: tl.constexpr):
    """Adds the window's counts to the grid, once all agents of the program are counted."""
    address, left, top = window
    thread = thread_of(lanes)
    address = tl.inline_asm_elementwise(MEET, "=r,r", [address], dtype=tl.int32, is_pure=False, pack=1)
    near = left + (thread & (HALF_WINDOW - 1))
    far = near + HALF_WINDOW
    near = tl.where(near >= width, near - width, near)
    far = tl.where(far >= width, far - width, far)
    for band in tl.static_range(WINDOW // ROWS):
        row = top + band * ROWS + (thread >> 5)
        start = tl.where(row >= height, row - height, row) * width
        place = address + (band * THREADS + thread) * 4
        both = tl.inline_asm_elementwise(READ, "=r,r", [place], dtype=tl.int32, is_pure=False, pack=1)
        agents = both & 0xFFFF
        tl.atomic_add(counts_ptr + (start + near), agents, agents != 0, sem=SEM)
        agents = (both >> 16) & 0xFFFF
        tl.atomic_add(counts_ptr + (start + far), agents, agents != 0, sem=SEM)
