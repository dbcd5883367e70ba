"""The model on an NVIDIA GPU: memory, launches and CUDA graphs around the kernels of `kernels.gpu_step`.

Equal to `kernels.reference` bit for bit, and the same interface. With TRITON_INTERPRET=1 it runs
without a GPU, on CPU memory: slow, to test the kernels' arithmetic.
"""

import contextlib
import dataclasses
import gc
import logging
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch  # before Triton asks for its driver: from then on both launch on torch's current stream
import triton
from numpy.typing import NDArray

from kernels.contract import SLOTS, step_key
from kernels.gpu_step import CLOCK, diffuse, show, update_agents
from kernels.world import World

INTERPRETED = bool(triton.knobs.runtime.interpret)
GRAPH_STEPS = 2  # of a captured graph; even, since trails and counts swap roles with every step

# Blocks of agents, and of cells; `diffuse` was quickest so from 1024 x 1024 to 4096 x 4096 on an H200.
# The interpreter runs one program after the other: there, few large ones are.
BLOCK = 1 << 15 if INTERPRETED else 128
STRIPS, ROWS, COLUMNS = 128 if INTERPRETED else 1, 4, 512
WARPS = 4

_log = logging.getLogger(__name__)


@dataclasses.dataclass
class Buffers:
    """The state of a run. Step s reads trail and counts s % 2 and writes trail 1 - s % 2.

    Attributes:
        world: Size and seed.
        values: The numbers of `contract.SLOTS`, float32.
        clock: The numbers of `gpu_step.CLOCK`, uint32 in int32.
        agents: Agent words [N], uint64 in int64, see `world.pack`.
        trails: Scent [H, W] before and after a step, float32.
        counts: How many agents stood on each cell after a move [H, W], int32.
        graphs: `GRAPH_STEPS` captured from an even and from an odd step; empty where none may be used.
        watch: Times the steps.
        step: Steps done since the start.
    """

    world: World
    values: torch.Tensor
    clock: torch.Tensor
    agents: torch.Tensor
    trails: tuple[torch.Tensor, torch.Tensor]
    counts: tuple[torch.Tensor, torch.Tensor]
    graphs: tuple[torch.cuda.CUDAGraph, ...] = ()
    watch: "Stopwatch | None" = None
    step: int = 0

    @property
    def step_seconds(self) -> float:
        """What a step took lately on the GPU; 0 before anything is known."""
        return self.watch.seconds if self.watch else 0.0


class Stopwatch:
    """Times steps on the GPU by events, without ever waiting for it.

    Attributes:
        seconds: What a step took, of the last steps known to be done.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._steps = 0
        self._start, self._stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    @contextlib.contextmanager
    def timing(self, steps: int) -> Iterator[None]:
        """Measures the block, which asks for so many steps, unless the last measurement still runs."""
        if self._steps and not self._stop.query():
            yield
            return
        if self._steps:
            self.seconds = self._start.elapsed_time(self._stop) / 1000 / self._steps
        self._start.record()
        yield
        self._stop.record()
        self._steps = steps


def bytes_needed(world: World) -> int:
    """Memory on the GPU that `allocate` takes for a world: agents, and two trails and counts."""
    return 8 * world.agents + 16 * world.width * world.height


def allocate(world: World) -> Buffers:
    """An empty state with its kernels compiled and captured; `load` brings it to life.

    Raises:
        RuntimeError: torch finds no GPU.
        MemoryError: The world does not fit into the GPU's memory.
    """
    if not INTERPRETED and not torch.cuda.is_available():
        raise RuntimeError("The CUDA backend needs an NVIDIA GPU; torch finds none.")
    device = "cpu" if INTERPRETED else "cuda"
    cells = world.height, world.width

    def zeros(shape: int | tuple[int, int], kind: torch.dtype) -> torch.Tensor:
        return torch.zeros(shape, dtype=kind, device=device)

    try:
        b = Buffers(
            world,
            zeros(len(SLOTS), torch.float32),
            zeros(len(CLOCK), torch.int32),
            zeros(world.agents, torch.int64),
            (zeros(cells, torch.float32), zeros(cells, torch.float32)),
            (zeros(cells, torch.int32), zeros(cells, torch.int32)),
        )
    except torch.OutOfMemoryError as error:
        raise MemoryError(
            f"{world.width}x{world.height} px with {world.agents} agents needs "
            f"{bytes_needed(world) / 2**30:.1f} GiB of GPU memory, more than is free."
        ) from error
    if not INTERPRETED:
        _warm_up(b)
    return b


def load(b: Buffers, world: World, agents: NDArray[np.uint64]) -> None:
    """Starts over with the given agents on an empty field; only the seed of `world` may be new."""
    b.world = world
    b.agents.copy_(torch.from_numpy(agents.view(np.int64)))
    for grid in b.trails + b.counts:
        grid.zero_()
    clock = np.array([0, step_key(world.seed_words, 0), *world.seed_words], np.uint32)
    b.clock.copy_(torch.from_numpy(clock.view(np.int32)))
    b.step = 0


def set_values(b: Buffers, values: NDArray[np.float32]) -> None:
    """Takes over new numbers for the steps to come, without waiting for those under way."""
    _send(b.values, values)


def advance(b: Buffers, steps: int, surface: int = 0) -> None:
    """Does `steps` steps; returns before the GPU has.

    Args:
        b: The state.
        steps: How many, 0 or more.
        surface: A CUDA surface object [H, W] float32, mapped on `stream()`, that takes the trail
            after the last step as well (with 0 steps, the trail as it is); 0 for none.
    """
    if steps == 0:
        if surface:
            _show(b, surface)
        return
    last = b.step + steps
    with b.watch.timing(steps) if b.watch else contextlib.nullcontext():
        while b.step < last:
            left = last - b.step
            if b.graphs and left >= GRAPH_STEPS + bool(surface):  # a graph knows no surface
                b.graphs[b.step % 2].replay()
                b.step += GRAPH_STEPS
            else:
                _step(b, b.step, surface if left == 1 else 0, b.world.agents)
                b.step += 1


def wait(b: Buffers) -> None:
    """Returns when all steps asked for are done."""
    if not INTERPRETED:
        torch.cuda.current_stream().synchronize()


def fetch(b: Buffers) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.uint64]]:
    """Trail [H, W], counts [H, W] and agent words [N], copied from the GPU once its steps are done."""
    return fetch_trail(b), _fetched(b.counts[(b.step + 1) % 2]), _fetched(b.agents).view(np.uint64)


def fetch_trail(b: Buffers) -> NDArray[np.float32]:
    """The trail [H, W] alone, for a display that shares no memory with CUDA."""
    return _fetched(b.trails[b.step % 2])


def paint(
    b: Buffers,
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    gain: NDArray[np.float32],
    lift: NDArray[np.float32],
) -> None:
    """Paints one dab: trail = trail * gain + lift, on the cells rows x columns."""
    trail = b.trails[b.step % 2]
    patch = _sent(rows, trail)[:, None], _sent(columns, trail)[None, :]
    # Two operations, never one fused: torch.addcmul would round once.
    trail[patch] = trail[patch].mul_(_sent(gain, trail)).add_(_sent(lift, trail))


def stream() -> int:
    """The handle of the CUDA stream that steps run on; to map a shared texture on."""
    return int(torch.cuda.current_stream().cuda_stream)


def _step(b: Buffers, step: int, surface: int, agents: int) -> None:
    world, this, other = b.world, step % 2, 1 - step % 2
    update_agents[(triton.cdiv(max(agents, 1), BLOCK),)](
        b.agents, b.trails[this], b.counts[this], b.values, b.clock,
        agents, world.width, world.height, world.fraction_bits,
        BLOCK=BLOCK, num_warps=WARPS, enable_fp_fusion=False,
    )  # fmt: skip
    diffuse[(triton.cdiv(world.width, COLUMNS), triton.cdiv(world.height, STRIPS * ROWS))](
        b.trails[this], b.counts[this], b.trails[other], b.counts[other], b.values, b.clock,
        surface, world.width, world.height,
        STRIPS=STRIPS, ROWS=ROWS, COLUMNS=COLUMNS, num_warps=WARPS, enable_fp_fusion=False,
    )  # fmt: skip


def _show(b: Buffers, surface: int) -> None:
    world = b.world
    show[(triton.cdiv(world.width, COLUMNS), world.height)](
        b.trails[b.step % 2], surface, world.width,
        COLUMNS=COLUMNS, num_warps=WARPS, enable_fp_fusion=False,
    )  # fmt: skip


def _warm_up(b: Buffers) -> None:
    """Compiles and loads every kernel by launching it, on no agents; then captures the graphs."""
    _step(b, 0, 0, 0)
    _show(b, 0)
    # A collection while capturing could free CUDA memory, which ends the capture.
    collecting = gc.isenabled()
    gc.disable()
    try:
        b.graphs = _captured(b, 0), _captured(b, 1)
    except RuntimeError as error:
        _log.warning("CUDA graphs cannot be used here, steps are launched one by one: %s", error)
    finally:
        if collecting:
            gc.enable()
    b.watch = Stopwatch()


def _captured(b: Buffers, start: int) -> torch.cuda.CUDAGraph:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        for step in range(start, start + GRAPH_STEPS):
            _step(b, step, 0, b.world.agents)
    return graph


def _fetched(tensor: torch.Tensor) -> NDArray[Any]:
    """A copy in pinned memory, which torch keeps for the next call: much faster than in any other."""
    if INTERPRETED:
        return tensor.numpy()
    return torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True).copy_(tensor).numpy()


def _sent(array: NDArray[np.generic], to: torch.Tensor) -> torch.Tensor:
    """A copy of an array on the device of `to`."""
    host = torch.from_numpy(array)
    copy = torch.empty(host.shape, dtype=host.dtype, device=to.device)
    _send(copy, array)
    return copy


def _send(target: torch.Tensor, array: NDArray[np.generic]) -> None:
    """Copies without waiting: torch keeps the pinned copy until the GPU has read it."""
    host = torch.from_numpy(array)
    target.copy_(host if INTERPRETED else host.pin_memory(), non_blocking=True)
