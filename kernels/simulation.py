"""A running world on one of the backends."""

import dataclasses
import hashlib
import importlib
import itertools
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels import maps
from kernels.contract import numbers
from kernels.maps import ALL, WALL, Maps, Mark, Patch, dish
from kernels.params import Params
from kernels.stroke import Stroke, dab
from kernels.world import World, scatter

State = tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.uint64]]

VERSIONS = itertools.count(1)  # of maps, of all simulations

BACKENDS = {"cpu": "kernels.cpu", "cuda": "kernels.gpu", "reference": "kernels.reference"}


@dataclasses.dataclass(frozen=True, slots=True)
class Snapshot:
    """A copy of a state, which lies where its backend keeps its own: on a device, or in main memory.

    Attributes:
        step: How many steps had been done.
        parts: Trail [C, H, W], counts [C, H, W] and agent words [N], in the backend's arrays or NumPy's.
    """

    step: int
    parts: tuple[Any, Any, Any]

    @property
    def nbytes(self) -> int:
        """What it takes."""
        return sum(int(part.nbytes) for part in self.parts)


class Simulation:
    """Agents and trail of one world, stepped by one backend.

    A backend is a module with the functions of `kernels.reference` from `bytes_needed` to `paint`. All
    give the same bits.

    Args:
        world: Size, agents, seed, species, start and map.
        params: What the first steps use; change it with `set`.
        backend: "cpu", "cuda" or "reference".
        other: The look that the mask blends in; change it with `set_other`.

    Attributes:
        maps: Food, walls and mask as they are now; change them with `mark` and `fill`.
        maps_version: Another number whenever they, or the dish, have changed; no two simulations share one.

    Raises:
        ImportError: The backend's libraries are not installed.
        RuntimeError: The backend finds no device it can use.
        MemoryError: The world does not fit.
    """

    def __init__(
        self, world: World, params: Params, backend: str = "cpu", other: Params | None = None
    ) -> None:
        self.world = world
        self.params = params
        self.other = other
        self.backend_name = backend
        self.backend: ModuleType = importlib.import_module(BACKENDS[backend])
        self.buffers: Any = self.backend.allocate(world)
        self.reset()

    def reset(self, world: World | None = None) -> None:
        """Back to step 0, with the parameters as they are; the memory is used again.

        Args:
            world: Another world of the same size, agents and shares; left out, the same one.
        """
        self.world = world or self.world
        self.backend.load(self.buffers, self.world, scatter(self.world))
        self.set_maps(maps.rasterise(self.world.map, self.world.width, self.world.height))

    def fits(self, world: World) -> bool:
        """Whether `reset` may begin that world in the memory there is."""
        ours, theirs = ((w.width, w.height, w.agents, w.shares) for w in (self.world, world))
        return ours == theirs

    def set(self, params: Params) -> None:
        """Takes effect with the next step; costs one small upload."""
        edge_before, self.params = self.params.boundary, params
        if "dish" in (edge_before, params.boundary) and edge_before != params.boundary:
            self.set_maps(self.maps)
        else:
            self._set_numbers()

    def set_other(self, other: Params | None) -> None:
        """The look that the mask blends in, from the next step on; None for none."""
        self.other = other
        self._set_numbers()

    def set_maps(self, maps: Maps) -> None:
        """Other food, walls and mask from the next step on."""
        self.maps = maps
        self._ground, self._blend = self._ground_at(ALL), maps.blend()
        self.has_ground, self.has_mask = bool(self._ground.any()), bool(self._blend.any())
        self._hand_over()
        self._set_numbers()

    def mark(self, *marks: Mark) -> None:
        """Paints food, walls or the mask between two steps."""
        before = self.has_ground, self.has_mask
        ground = mask = None  # the cells of each that were touched last
        for mark in marks:
            patch = maps.mark(self.maps, mark)
            if mark.layer == "mask":
                self._blend[patch], mask = self.maps.blend(patch), patch
            else:
                self._ground[patch], ground = self._ground_at(patch), patch
        if ground is not None:
            self.has_ground = _any(self._ground, ground)
        if mask is not None:
            self.has_mask = _any(self._blend, mask)
        self._hand_over()
        if (self.has_ground, self.has_mask) != before:
            self._set_numbers()

    def fill(self, layer: str, kind: str) -> None:
        """Fills a layer of the maps with one of `maps.FILLS`."""
        maps.fill(self.maps, layer, kind)
        self.set_maps(self.maps)

    def _ground_at(self, patch: Patch) -> NDArray[np.float32]:
        """Food and walls of some cells, the dish among them."""
        ground = self.maps.ground(patch)
        if self.params.boundary == "dish":
            ground[dish(self.world.width, self.world.height, patch)] = WALL
        return ground

    def _hand_over(self) -> None:
        self.maps_version = next(VERSIONS)
        self.backend.set_maps(self.buffers, self._ground, self._blend)

    def _set_numbers(self) -> None:
        found = numbers(self.params, self.world, self.other, self.has_ground, self.has_mask)
        self.backend.set_numbers(self.buffers, found)

    def step(self, n: int = 1, surface: int = 0) -> None:
        """Does `n` steps.

        Args:
            n: How many, 0 or more.
            surface: CUDA only: a surface object [H, W] of one float32, or of four where there are several
                species, that the last step's trail is stored into as well; 0 for none.
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
        """Adds or erases a species' trail between two steps; nothing where there is no such species."""
        if stroke.species < self.world.species:
            self.backend.paint(self.buffers, stroke.species, *dab(stroke, self.world))

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
        """The trail [C, H, W]: a view to read only on the CPU, a copy of what lives on a device."""
        return self.backend.fetch_trail(self.buffers)  # type: ignore[no-any-return]

    def counts(self) -> NDArray[np.int32]:
        """How many agents stood on each cell [C, H, W] after the last move."""
        return self.backend.fetch_counts(self.buffers)  # type: ignore[no-any-return]

    def show_counts(self, image: int) -> None:
        """CUDA only: copies the counts into a CUDA array [C * H, W] of int32, species by species."""
        self.backend.show_counts(self.buffers, image)

    def glimpse(self, side: int = 256) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Copies of trail and counts [C, h, w] of a square in the middle, at most so many cells a side."""
        return self.backend.glimpse(self.buffers, *self._middle(side))  # type: ignore[no-any-return]

    def glimpse_trail(self, side: int = 256) -> NDArray[np.float32]:
        """A copy of that square's trail [C, h, w] alone: on the CPU, counts cost a look at every agent."""
        return self.backend.glimpse_trail(self.buffers, *self._middle(side))  # type: ignore[no-any-return]

    def _middle(self, side: int) -> list[slice]:
        cut = []
        for cells in (self.world.height, self.world.width):
            first = max(0, (cells - side) // 2)
            cut.append(slice(first, min(cells, first + side)))
        return cut

    def state(self) -> State:
        """Trail [C, H, W], counts [C, H, W] and agent words [N]: views on the CPU, copies from a device."""
        return self.backend.fetch(self.buffers)  # type: ignore[no-any-return]

    def snapshot(self) -> Snapshot:
        """A copy of the state, for `restore`. One on a device stays there, and no step is waited for.

        Raises:
            MemoryError: There is no room for it.
        """
        return Snapshot(self.steps, self.backend.snapshot(self.buffers))

    def restore(
        self, snapshot: Snapshot, world: World, params: Params, other: Params | None, maps: Maps
    ) -> None:
        """Goes on from a snapshot, bit for bit as the run that it was taken of.

        Args:
            snapshot: Made by this backend, or in NumPy's arrays; it stays as it is.
            world: The run's; it has to fit, see `fits`.
            params: Its parameters then.
            other: The look that its mask blended in.
            maps: Its food, walls and mask, which are painted on from now on.
        """
        self.world, self.params, self.other = world, params, other
        self.set_maps(maps)
        self.backend.restore(self.buffers, world, snapshot.step, *snapshot.parts)

    def fetched(self, snapshot: Snapshot) -> State:
        """What a snapshot by this backend holds, as `state` has it; it stays as it is."""
        if isinstance(snapshot.parts[0], np.ndarray):
            return snapshot.parts
        return self.backend.fetched(*snapshot.parts)  # type: ignore[no-any-return]

    def digest(self) -> str:
        """SHA-256 of the trail, the counts and the sorted agent words, as "sha256:<hex>"."""
        return digest(self.state())


def _any(cells: NDArray[np.float32], patch: Patch) -> bool:
    """Whether any of all cells is not 0; looks at a patch first, where one is likely."""
    return bool(cells[patch].any() or cells.any())


def digest(state: State) -> str:
    """What `Simulation.digest` gives, for a copy of a state; fit for another thread."""
    trail, counts, agents = state
    sha = hashlib.sha256()
    for part, kind in ((trail, "<f4"), (counts, "<i4"), (np.sort(agents), "<u8")):
        sha.update(np.ascontiguousarray(part, kind).data)
    return "sha256:" + sha.hexdigest()
