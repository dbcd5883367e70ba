"""A run's state on an NVIDIA GPU: begun, copied, and brought back."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.contract import step_key
from kernels.gpu_buffers import Buffers
from kernels.gpu_device import device
from kernels.world import World, births


def load(b: Buffers, world: World, agents: Any) -> None:
    """Starts over with the given agents on an empty field; of `world`, size, agents and species stay.

    Args:
        b: The state.
        world: What it becomes.
        agents: Words [N], NumPy's or on the GPU.
    """
    b.world = world
    _put(b.agents[0], agents)
    if "births" in b.more:
        device.send(b.more["births"], births(world).view(np.int64))
    for grid in b.trails + b.counts:
        device.clear(grid)
    set_clock(b, 0)
    b.stale = True


def set_clock(b: Buffers, step: int) -> None:
    """Makes `step` the number of the next one, with the agents in the first half of their memory."""
    clock = [step & 0xFFFFFFFF, step_key(b.world.seed_words, step), *b.world.seed_words, 0]
    device.send(b.clock, np.array(clock, np.uint32).view(np.int32))
    b.step, b.half = step, 0


def snapshot(b: Buffers) -> tuple[Any, Any, Any]:
    """Copies of trail, counts and agent words that stay on the GPU, for `restore`; no step is waited for."""
    trail, counts, agents = b.trails[b.step % 2], b.counts[(b.step + 1) % 2], b.agents[b.half]
    return _copy(trail), _copy(counts), _copy(agents)


def restore(b: Buffers, world: World, step: int, trail: Any, counts: Any, agents: Any) -> None:
    """Goes on from a step of a world, with a snapshot's trail, counts and agents: NumPy's, or on the GPU."""
    load(b, world, agents)
    _put(b.trails[step % 2], trail)
    _put(b.counts[(step + 1) % 2], counts)
    set_clock(b, step)


def fetched(
    trail: Any, counts: Any, agents: Any
) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.uint64]]:
    """A snapshot that lies on the GPU, copied from there."""
    return device.fetch(trail), device.fetch(counts), device.fetch(agents).view(np.uint64)


def _copy(part: Any) -> Any:
    copy = device.zeros(part.shape, part.dtype)
    device.copy(copy, part)
    return copy


def _put(target: Any, source: Any) -> None:
    if isinstance(source, np.ndarray):
        numbers: NDArray[Any] = source.view(target.dtype)
        device.send(target, numbers)
    else:
        device.copy(target, source)
