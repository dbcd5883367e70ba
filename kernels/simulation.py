"""A running world on one of the backends."""

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

BACKENDS = {"cpu": "kernels.cpu", "cuda": "kernels.gpu", "reference": "kernels.reference"}


class Simulation:
    """Agents and trail of one world, stepped by one backend.

    A backend is a module with `allocate`, `load`, `set_values`, `advance`, `paint` and `fetch`, as
    `kernels.reference` defines them. All give the same bits.

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

    def reset(self) -> None:
        """Back to step 0 of the same world, with the parameters as they are."""
        self.backend.load(self.buffers, scatter(self.world))
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

    def paint(self, stroke: Stroke) -> None:
        """Adds or erases trail between two steps."""
        self.backend.paint(self.buffers, *dab(stroke, self.world))

    @property
    def steps(self) -> int:
        """Steps done since the start."""
        return int(self.buffers.step)

    @property
    def trail(self) -> NDArray[np.float32]:
        """The trail [H, W]; a copy where it lives on a device, else a view to read only."""
        return self.backend.fetch(self.buffers)[0]  # type: ignore[no-any-return]

    def digest(self) -> str:
        """SHA-256 of the trail, the counts and the sorted agent words, as "sha256:<hex>"."""
        trail, counts, agents = self.backend.fetch(self.buffers)
        sha = hashlib.sha256()
        for part, kind in ((trail, "<f4"), (counts, "<i4"), (np.sort(agents), "<u8")):
            sha.update(np.ascontiguousarray(part, kind).data)
        return "sha256:" + sha.hexdigest()
