"""A running world on one of the backends."""

import dataclasses
import hashlib
import importlib
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.contract import step_values
from kernels.params import Params
from kernels.stroke import Stroke, dab
from kernels.world import World, scatter

State = tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.uint64]]

BACKENDS = {"cpu": "kernels.cpu", "cuda": "kernels.gpu", "reference": "kernels.reference"}


class Simulation:
    """Agents and trail of one world, stepped by one backend.

    A backend is a module with the functions of `kernels.reference` from `bytes_needed` to `paint`. All
    give the same bits.

    Args:
        world: Size, agents and seed.
        params: What the first steps use; change it with `set`.
        backend: "cpu", "cuda" or "reference".

    Raises:
        ImportError: The backend's libraries are not installed.
        RuntimeError: The backend finds no device it can use.
        MemoryError: The world does not fit.
    """

    def __init__(self, world: World, params: Params, backend: str = "cpu") -> None:
        self.world = world
        self.params = params
        self.backend_name = backend
        self.backend: ModuleType = importlib.import_module(BACKENDS[backend])
        self.buffers: Any = self.backend.allocate(world)
        self.reset()

    def reset(self, seed: str | None = None) -> None:
        """Back to step 0, with the parameters as they are; the memory is used again.

        Args:
            seed: The seed to start from; left out, the same one.
        """
        if seed is not None:
            self.world = dataclasses.replace(self.world, seed=seed)
        self.backend.load(self.buffers, self.world, scatter(self.world))
        self.set(self.params)

    def set(self, params: Params) -> None:
        """Takes effect with the next step; costs one small upload."""
        self.params = params
        self.backend.set_values(self.buffers, step_values(params, self.world))

    def step(self, n: int = 1, surface: int = 0) -> None:
        """Does `n` steps.

        Args:
            n: How many, 0 or more.
            surface: CUDA only: a surface object [H, W] float32 the last step's trail is stored into
                as well; 0 for none.
        """
        if surface:
            self.backend.advance(self.buffers, n, surface)
        else:
            self.backend.advance(self.buffers, n)

    def wait(self) -> None:
        """Returns when all steps asked for are done; only a device lets them run behind."""
        self.backend.wait(self.buffers)

    def stream(self) -> int:
        """CUDA only: the handle of the stream that steps run on."""
        return int(self.backend.stream())

    def paint(self, stroke: Stroke) -> None:
        """Adds or erases trail between two steps."""
        self.backend.paint(self.buffers, *dab(stroke, self.world))

    @property
    def step_seconds(self) -> float:
        """What a step took lately; 0 before anything is known."""
        return float(self.buffers.step_seconds)

    def sample(self) -> None:
        """Asks that a step soon be timed pass by pass, for `pass_seconds`."""
        self.backend.sample(self.buffers)

    @property
    def pass_seconds(self) -> dict[str, float]:
        """What each of `contract.PASSES` took in the step last sampled; empty before one was."""
        return dict(self.buffers.pass_seconds)

    def bandwidth(self) -> float:
        """Bytes per second of large copies on the backend's device, read and written; measured once."""
        return float(self.backend.bandwidth())

    @property
    def steps(self) -> int:
        """Steps done since the start."""
        return int(self.buffers.step)

    @property
    def trail(self) -> NDArray[np.float32]:
        """The trail [H, W]: a view to read only on the CPU, a copy of what lives on a device."""
        return self.backend.fetch_trail(self.buffers)  # type: ignore[no-any-return]

    def counts(self) -> NDArray[np.int32]:
        """How many agents stood on each cell [H, W] after the last move."""
        return self.backend.fetch_counts(self.buffers)  # type: ignore[no-any-return]

    def state(self) -> State:
        """Trail [H, W], counts [H, W] and agent words [N]: views on the CPU, copies from a device."""
        return self.backend.fetch(self.buffers)  # type: ignore[no-any-return]

    def digest(self) -> str:
        """SHA-256 of the trail, the counts and the sorted agent words, as "sha256:<hex>"."""
        return digest(self.state())


def digest(state: State) -> str:
    """What `Simulation.digest` gives, for a copy of a state; fit for another thread."""
    trail, counts, agents = state
    sha = hashlib.sha256()
    for part, kind in ((trail, "<f4"), (counts, "<i4"), (np.sort(agents), "<u8")):
        sha.update(np.ascontiguousarray(part, kind).data)
    return "sha256:" + sha.hexdigest()
