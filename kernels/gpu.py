"""The model on an NVIDIA GPU, with CUDA graphs of kernels written in Triton.

Equal to `kernels.reference` bit for bit, and the same interface. A step is two launches, `update_agents`
(`kernels.gpu_agents`) and `diffuse` (`kernels.gpu_field`); now and then three more put agents in order
(`kernels.gpu_order`). Nothing a slider moves is part of them, so they are captured once and replayed.

With TRITON_INTERPRET=1 it runs without a GPU, on CPU memory: slow, to test the kernels' arithmetic.
"""

import contextlib
import dataclasses
import functools
import gc
import itertools
import logging
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.contract import SLOT, SLOTS, step_key
from kernels.gpu_device import INTERPRETED, device
from kernels.gpu_launch import (
    CAPTURED,
    CELLS,
    DRIFT,
    MOVES,
    ORDER_EVERY,
    ORDER_LEAST,
    Buffers,
    kernels_for,
    tiles_of,
)
from kernels.gpu_layout import CLOCK
from kernels.gpu_watch import Stopwatch
from kernels.world import World

_log = logging.getLogger(__name__)


def bytes_needed(world: World) -> int:
    """Memory on the GPU that `allocate` takes: agents, two trails and counts, and a number a tile."""
    across, down = tiles_of(world)
    return 16 * world.agents + 16 * world.width * world.height + 4 * across * down


def allocate(world: World) -> Buffers:
    """An empty state with its kernels compiled and captured; `load` brings it to life.

    Raises:
        RuntimeError: There is no GPU to be had.
        MemoryError: The world does not fit into the GPU's memory.
    """
    cells = world.height, world.width
    across, down = tiles_of(world)
    try:
        b = Buffers(
            world,
            kernels_for(world),
            device.zeros(len(SLOTS), np.float32),
            device.zeros(len(CLOCK), np.int32),
            device.zeros(1, np.int64),
            device.zeros((2, world.agents), np.int64),
            (device.zeros(cells, np.float32), device.zeros(cells, np.float32)),
            (device.zeros(cells, np.int32), device.zeros(cells, np.int32)),
            device.zeros(across * down, np.int32),
        )
    except MemoryError as error:
        raise MemoryError(
            f"{world.width}x{world.height} px with {world.agents} agents needs "
            f"{bytes_needed(world) / 2**30:.1f} GiB of GPU memory, more than is free."
        ) from error
    if not INTERPRETED:
        prepare(b)
    return b


def prepare(b: Buffers) -> None:
    """Loads every kernel, compiled or kept; then captures the graphs."""
    for field in dataclasses.fields(b.kernels):
        getattr(b.kernels, field.name).load()
    b.watch = Stopwatch()
    # A collection while capturing could free CUDA memory, which ends the capture.
    collecting = gc.isenabled()
    gc.disable()
    try:
        b.graphs = {
            (move, parity): device.capture(functools.partial(MOVES[move], b, parity))
            for move, parity in CAPTURED
        }
    except (RuntimeError, MemoryError) as error:
        _log.warning("CUDA graphs cannot be used here, steps are launched one by one: %s", error)
    finally:
        if collecting:
            gc.enable()


def load(b: Buffers, world: World, agents: NDArray[np.uint64]) -> None:
    """Starts over with the given agents on an empty field; only the seed of `world` may be new."""
    b.world = world
    device.send(b.agents[0], agents.view(np.int64))
    for grid in b.trails + b.counts:
        device.clear(grid)
    set_clock(b, 0)


def set_clock(b: Buffers, step: int) -> None:
    """Makes `step` the number of the next one, with the agents in the first half of their memory."""
    clock = [step & 0xFFFFFFFF, step_key(b.world.seed_words, step), *b.world.seed_words, 0]
    device.send(b.clock, np.array(clock, np.uint32).view(np.int32))
    b.step, b.half = step, 0


def set_values(b: Buffers, values: NDArray[np.float32]) -> None:
    """Takes over new numbers for the steps to come, without waiting for those under way."""
    b.coming = values  # sent with the next steps: alone, the GPU would turn from OpenGL to CUDA for it
    pixels = float(values[SLOT["step"]]) / (1 << b.world.fraction_bits)
    b.every = ORDER_EVERY
    while b.every > ORDER_LEAST and b.every * pixels > DRIFT:
        b.every //= 2


def advance(b: Buffers, steps: int, surface: int = 0) -> None:
    """Does `steps` steps; returns before the GPU has.

    Args:
        b: The state.
        steps: How many, 0 or more.
        surface: A CUDA surface object [H, W] float32, mapped on `stream()`, that takes the trail
            after the last step as well (with 0 steps, the trail as it is); 0 for none.
    """
    if b.coming is not None:
        device.send(b.values, b.coming)
        b.coming = None
    if surface and surface != b.shown:
        device.send(b.surface, np.array([surface], np.int64))
        b.shown = surface
    if steps == 0:
        if surface:
            _do(b, "show", b.step % 2)
        return
    last = b.step + steps
    with b.watch.timing(steps) if b.watch else contextlib.nullcontext():
        while b.step < last:
            unseen = last - b.step - bool(surface)
            _do_some(b, unseen, b.watch.wanted if b.watch else set())


def sample(b: Buffers) -> None:
    """Asks that a step soon be timed pass by pass, for `pass_seconds`."""
    if b.watch:
        b.watch.sample()


@functools.cache
def bandwidth() -> float:
    """Bytes per second, read and written, of copies of 256 MiB on the GPU: the median of nine."""
    if INTERPRETED:
        return 0.0
    source, target = device.zeros(2**28, np.uint8), device.zeros(2**28, np.uint8)
    marks = [device.Event() for _ in range(11)]
    for mark in marks:
        device.copy(target, source)
        mark.record()
    device.synchronize()
    spans = [later.seconds_since(mark) for mark, later in itertools.pairwise(marks[1:])]
    return float(2 * source.nbytes / sorted(spans)[len(spans) // 2])


def wait(b: Buffers) -> None:
    """Returns when all steps asked for are done."""
    device.synchronize()


def fetch(b: Buffers) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.uint64]]:
    """Trail [H, W], counts [H, W] and agent words [N], copied from the GPU once its steps are done."""
    agents = device.fetch(b.agents[b.half]).view(np.uint64)
    return fetch_trail(b), fetch_counts(b), agents


def fetch_trail(b: Buffers) -> NDArray[np.float32]:
    """The trail [H, W] alone, for a display that shares no memory with CUDA."""
    trail: NDArray[np.float32] = device.fetch(b.trails[b.step % 2])
    return trail


def fetch_counts(b: Buffers) -> NDArray[np.int32]:
    """The counts [H, W] alone."""
    counts: NDArray[np.int32] = device.fetch(b.counts[(b.step + 1) % 2])
    return counts


def paint(
    b: Buffers,
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    gain: NDArray[np.float32],
    lift: NDArray[np.float32],
) -> None:
    """Paints one dab: trail = trail * gain + lift, on the cells rows x columns."""
    dab = [_sent(b, *part) for part in (("rows", rows), ("columns", columns), ("gain", gain), ("lift", lift))]
    blocks = -(-gain.size // CELLS)
    b.kernels.paint((blocks,), b.trails[b.step % 2], *dab, gain.size, len(columns), b.world.width)


def stream() -> int:
    """The handle of the CUDA stream that steps run on; to map a shared texture on."""
    return int(device.stream())


def _sent(b: Buffers, name: str, host: NDArray[Any]) -> Any:
    """An array on the device with these numbers, in room that is kept for the next ones."""
    room = b.dab.get(name)
    if room is None or room.shape[0] < host.size:
        room = b.dab[name] = device.zeros(2 * host.size, host.dtype)
    device.send(room, host)
    return room


def _do_some(b: Buffers, unseen: int, wanted: set[str]) -> None:
    """Does the largest move that fits: 16 steps with their order, 2, or 1.

    Args:
        b: The state.
        unseen: Steps left that no surface takes.
        wanted: What has to be done on its own, to be timed.
    """
    due = b.step % b.every == 1  # odd, so that an order always finds the counts in the same grid
    if due and b.every == ORDER_EVERY and unseen >= ORDER_EVERY and not wanted:
        _do(b, "round", 1, ORDER_EVERY)
        b.half = 1 - b.half
        return
    if due:
        _do(b, "timed order" if "order" in wanted else "order", 1)
        b.half = 1 - b.half
    if unseen >= 2 and (b.step + 1) % b.every != 1 and "step" not in wanted:
        _do(b, "pair", b.step % 2, 2)
    else:
        move = "step" if unseen else "shown step"
        _do(b, f"timed {move}" if "step" in wanted else move, b.step % 2, 1)


def _do(b: Buffers, move: str, parity: int, steps: int = 0) -> None:
    graph = b.graphs.get((move, parity))
    if graph:
        graph.launch()
    else:
        MOVES[move](b, parity)
    if b.watch and move.startswith("timed"):
        b.watch.asked("order" if move == "timed order" else "step")
    b.step += steps
