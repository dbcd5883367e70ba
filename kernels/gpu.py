"""The model on an NVIDIA GPU, with CUDA graphs of kernels written in Triton.

Equal to `kernels.reference` bit for bit, and the same interface. A step is two launches, `update_agents`
(`kernels.gpu_agents`) and `diffuse` (`kernels.gpu_field`), with several species three (`kernels.gpu_mix`);
now and then three more put agents in order (`kernels.gpu_order`). Nothing a slider moves is part of them, so
they are captured once for each set of `contract.Features` and replayed.

With TRITON_INTERPRET=1 it runs without a GPU, on CPU memory: slow, to test the kernels' arithmetic.
"""

import contextlib
import functools
import gc
import itertools
import logging
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.contract import RESPONSES, SLOT, Features, Numbers
from kernels.gpu_buffers import Buffers, allocate, bytes_needed, equip
from kernels.gpu_device import INTERPRETED, device
from kernels.gpu_launch import CAPTURED, CELLS, MOVES, kernels_for
from kernels.gpu_layout import DRIFT, ORDER_EVERY, ORDER_LEAST
from kernels.gpu_state import fetched, load, restore, set_clock, snapshot
from kernels.gpu_watch import Stopwatch
from kernels.world import births

# These are of a backend's functions as well, and the clock is set by tests.
__all__ = ["allocate", "bytes_needed", "fetched", "load", "restore", "set_clock", "snapshot"]

_log = logging.getLogger(__name__)


def prepare(b: Buffers) -> None:
    """Loads every kernel, compiled or kept; then captures the graphs."""
    kernels = [kernel for kernel in vars(b.kernels).values() if kernel]
    device.compile_ahead(kernels)
    for kernel in kernels:
        kernel.load()
    b.watch = b.watch or Stopwatch()
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


def set_numbers(b: Buffers, numbers: Numbers) -> None:
    """Takes over new numbers for the steps to come, without waiting for those under way.

    Other features need other kernels, which are compiled the first time, and other graphs.

    Raises:
        MemoryError: What the features need does not fit into the GPU's memory; all stays as it was.
    """
    if b.kernels is None or numbers.features != b.features:
        _become(b, numbers.features)
    b.coming = numbers  # sent with the next steps: alone, the GPU would turn from OpenGL to CUDA for it
    b.stale = True
    pixels = _longest_step(numbers) / (1 << b.world.fraction_bits)
    b.every = ORDER_EVERY
    while b.every > ORDER_LEAST and b.every * pixels > DRIFT:
        b.every //= 2


def set_maps(b: Buffers, ground: NDArray[np.float32], mask: NDArray[np.float32]) -> None:
    """Takes over food and walls, and the mask [H, W], for the steps to come; the arrays stay as they are."""
    b.maps = {name: part if part.any() else None for name, part in (("ground", ground), ("mask", mask))}
    b.stale = True


def advance(b: Buffers, steps: int, surface: int = 0) -> None:
    """Does `steps` steps; returns before the GPU has.

    Args:
        b: The state.
        steps: How many, 0 or more.
        surface: A CUDA surface object [H, W] of one float32, or of four where there are several species,
            mapped on `stream()`, that takes the trail after the last step as well (with 0 steps, the trail
            as it is); 0 for none.
    """
    _send(b)
    if surface and surface != b.shown:
        device.send(b.surface, np.array([surface], np.int64))
        b.shown = surface
    if steps == 0:
        if surface:
            _do(b, "show", b.step % 2)
        return
    if b.features.scent and b.stale:
        _do(b, "mix", b.step % 2)
    b.stale = False
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
    """Trail [C, H, W], counts [C, H, W] and agent words [N], copied from the GPU once its steps are done."""
    agents = device.fetch(b.agents[b.half]).view(np.uint64)
    return fetch_trail(b), fetch_counts(b), agents


def fetch_trail(b: Buffers) -> NDArray[np.float32]:
    """The trail [C, H, W] alone, for a display that shares no memory with CUDA."""
    trail: NDArray[np.float32] = device.fetch(b.trails[b.step % 2])
    return trail


def fetch_counts(b: Buffers) -> NDArray[np.int32]:
    """The counts [C, H, W] alone."""
    counts: NDArray[np.int32] = device.fetch(b.counts[(b.step + 1) % 2])
    return counts


def show_counts(b: Buffers, image: int) -> None:
    """Copies the counts into a CUDA array [C * H, W] of int32, such as OpenGL's texture."""
    device.copy_to_image(image, b.counts[(b.step + 1) % 2])


def glimpse(b: Buffers, rows: slice, columns: slice) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Trail and counts [C, rows, columns] of a part of the field; no more than that is copied."""
    trail = device.fetch_part(b.trails[b.step % 2], rows, columns)
    return trail, device.fetch_part(b.counts[(b.step + 1) % 2], rows, columns)


def glimpse_trail(b: Buffers, rows: slice, columns: slice) -> NDArray[np.float32]:
    """The trail [C, rows, columns] of a part of the field; no more than that is copied."""
    trail: NDArray[np.float32] = device.fetch_part(b.trails[b.step % 2], rows, columns)
    return trail


def paint(
    b: Buffers,
    species: int,
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    gain: NDArray[np.float32],
    lift: NDArray[np.float32],
) -> None:
    """Paints one dab of a species' trail: trail = trail * gain + lift, on the cells rows x columns."""
    dab = [_sent(b, *part) for part in (("rows", rows), ("columns", columns), ("gain", gain), ("lift", lift))]
    blocks = -(-gain.size // CELLS)
    trail = b.trails[b.step % 2][species]
    b.kernels.paint((blocks,), trail, *dab, gain.size, len(columns), b.world.width)
    b.stale = True


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


def _become(b: Buffers, features: Features) -> None:
    """Takes the kernels and the graphs for other features, and the memory they need.

    What was there before stays: steps under way use it, and the way back is short.
    """
    unborn = features.life and "births" not in b.more
    equip(b, features)
    if unborn:
        device.send(b.more["births"], births(b.world).view(np.int64))
    b.features = features
    if features in b.ready:
        b.kernels, b.graphs = b.ready[features]
        return
    b.kernels, b.graphs = kernels_for(b.world, features), {}
    if not INTERPRETED:
        prepare(b)
    b.ready[features] = b.kernels, b.graphs


def _send(b: Buffers) -> None:
    """Sends what was set since the last steps, as far as they read it."""
    features = b.features
    for name in [name for name in b.maps if name in b.more]:
        host = b.maps.pop(name)
        if host is None:
            device.clear(b.more[name])
        else:
            device.send(b.more[name], host)
    if b.coming is None:
        return
    device.send(b.values, b.coming.values)
    if features.responses:  # so that an agent's entries in the tables lie side by side
        pairs = np.ascontiguousarray(b.coming.responses.swapaxes(2, 3)).view(np.int64)
        device.send(b.more["responses"], pairs)
    if features.crowds:
        device.send(b.more["crowds"], b.coming.crowds)
    b.coming = None


def _longest_step(numbers: Numbers) -> float:
    """In units, of all species."""
    if numbers.features.responses:
        begin, rise = np.moveaxis(numbers.responses[:, :, RESPONSES.index("step_size")], -1, 0)
        return float(max(np.abs(begin).max(), np.abs(begin + rise).max()))
    return float(numbers.values[0, :, SLOT["step"]].max())


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
