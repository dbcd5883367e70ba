"""The CUDA backend without one of its ideas: what `physarium bench --ablate` times against the whole.

Each variant is a `Simulation` whose buffers were changed before its first step: other kernels in the place
of the backend's, captured anew, or no order, or no graphs.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from app.bench.moment import Moment
from kernels import gpu
from kernels.contract import Features
from kernels.gpu_buffers import Buffers
from kernels.gpu_build import Recipe
from kernels.gpu_device import INTERPRETED, device
from kernels.gpu_launch import AGENTS, CELLS, WARPS, agent_constants
from kernels.params import Params
from kernels.reference import unpack
from kernels.simulation import Simulation, State
from kernels.world import World, pack

ABLATED = "app.bench.ablated_kernels"
BLOCK = 2**11 if INTERPRETED else CELLS  # of agents or cells, where a kernel does little with each
ROWS, COLUMNS = (32, 64) if INTERPRETED else (1, 512)  # of a program of `blur`


def _agents(module: str, name: str, **constants: Any) -> Recipe:
    """What takes the place of `update_agents`, built as the backend builds it but for these constants."""
    return Recipe(module, name, AGENTS["BLOCK"] // 32, tuple((AGENTS | constants).items()), full=True)


def _backends_own(**constants: Any) -> Recipe:
    """The backend's `update_agents`, with some constants changed."""
    return _agents("kernels.gpu_agents", "update_agents", **(agent_constants(Features()) | constants))


def _ablated(name: str, **constants: int) -> Recipe:
    return Recipe(ABLATED, name, WARPS, tuple(constants.items()))


STRICT = _backends_own(SEM="acq_rel")  # Triton's default order of atomics
DIRECT = _backends_own(SHARED=False)
UNPACKED = _agents(ABLATED, "update_unpacked_agents")
PACK = _ablated("pack_agents", BLOCK=BLOCK)
UNPACK = _ablated("unpack_agents", BLOCK=BLOCK)
ADD_DEPOSITS = _ablated("add_deposits", BLOCK=BLOCK)
BLUR = _ablated("blur", ROWS=ROWS, COLUMNS=COLUMNS)
DECAY = _ablated("decay", BLOCK=BLOCK)


@dataclasses.dataclass(frozen=True)
class Several:
    """Kernels that together take the place of one among `gpu_launch.Kernels`.

    Attributes:
        kernels: What `launch` launches.
        launch: Takes the arguments of the one: the grid, then arrays and numbers.
    """

    kernels: tuple[Any, ...]
    launch: Callable[..., None]

    def load(self) -> None:
        """Loads them all, see `kernels.cuda.Kernel`."""
        for kernel in self.kernels:
            kernel.load()

    def __call__(self, grid: tuple[int, ...], *args: Any) -> None:
        """Launches them one after the other."""
        self.launch(grid, *args)


def changed(change: Callable[[Buffers], None], world: World, params: Params, moment: Moment) -> Simulation:
    """A simulation that a change to its buffers comes before the first step of.

    Args:
        change: What to do to the buffers.
        world: Size and seed.
        params: What the steps use.
        moment: How far to step.
    """
    simulation = Simulation(world, params, "cuda")
    change(simulation.buffers)
    simulation.step(moment.step)
    return simulation


def relaxed_atomics(b: Buffers) -> None:
    """Puts a barrier about every atomic, as Triton does unless asked not to."""
    _replace(b, update_agents=device.Kernel(STRICT))


def window(b: Buffers) -> None:
    """Lets every agent add to the grid itself: an atomic an agent."""
    _replace(b, update_agents=device.Kernel(DIRECT))


def order(b: Buffers) -> None:
    """Leaves agents where they start in memory, which is anywhere on the field."""
    b.every = 1  # orders come where a step's number leaves 1 when divided by this: so never


def graphs(b: Buffers) -> None:
    """Launches every kernel by itself."""
    b.graphs.clear()


def fused_field(b: Buffers) -> None:
    """Adds deposits, blurs and decays one after the other; bytes a cell: 36 instead of 16."""
    even = b.world.width % 16 == 0
    add_deposits, blur, decay = kernels = (
        device.Kernel(ADD_DEPOSITS),
        device.Kernel(dataclasses.replace(BLUR, even=even)),
        device.Kernel(DECAY),
    )

    def diffuse(
        _: tuple[int, ...], trail: Any, counts: Any, next_trail: Any, next_counts: Any, values: Any,
        clock: Any, *args: Any,
    ) -> None:  # fmt: skip
        *_unused, width, height = args
        blocks, cells = (-(-width * height // BLOCK),), width * height
        add_deposits(blocks, trail, counts, next_counts, values, cells)
        blur((-(-width // COLUMNS), -(-height // ROWS)), trail, next_trail, width, height)
        decay(blocks, trail, next_trail, values, clock, cells)

    _replace(b, diffuse=Several(kernels, diffuse))


CHANGES: dict[str, Callable[[Buffers], None]] = {
    "without relaxed atomics": relaxed_atomics,
    "without the window": window,
    "without order": order,
    "without the fused field pass": fused_field,
    "without graphs": graphs,
}


class Unpacked:
    """A running world whose agents are three arrays: x, y and heading, int32.

    To be put in order they are packed into words, and unpacked again: 40 bytes an agent every 16 steps,
    which is a tenth of what the arrays cost in each.

    Args:
        world: Size and seed.
        params: What the steps use.
        moment: How far to step.
    """

    def __init__(self, world: World, params: Params, moment: Moment) -> None:
        self._simulation = Simulation(world, params, "cuda")
        words = self._simulation.state()[2]
        # Three allocations, since kernels take for granted that an array begins at a multiple of 16 bytes.
        self._parts = tuple(device.zeros(world.agents, np.int32) for _ in range(3))
        for part, numbers in zip(self._parts, unpack(words), strict=True):
            device.send(part, numbers)
        b = self._simulation.buffers
        _replace(b, **_unpacked_kernels(self._parts, b.kernels.put_in_order))
        self.step(moment.step)

    def step(self, n: int = 1) -> None:
        """Asks for `n` steps."""
        self._simulation.step(n)

    def wait(self) -> None:
        """Returns when all steps asked for are done."""
        self._simulation.wait()

    def state(self) -> State:
        """Trail [C, H, W], counts [C, H, W] and agent words [N]."""
        trail, counts, _ = self._simulation.state()
        x, y, heading = (device.fetch(part).view(np.uint32) for part in self._parts)
        return trail, counts, pack(x, y, heading)


def _unpacked_kernels(parts: tuple[Any, ...], order_words: Any) -> dict[str, Several]:
    """What works on agents, by its name in `Kernels`, for agents in three arrays.

    Args:
        parts: x, y and heading.
        order_words: The backend's `put_in_order`.
    """
    update, pack_agents, unpack_agents = (device.Kernel(recipe) for recipe in (UNPACKED, PACK, UNPACK))

    def update_agents(
        grid: tuple[int, ...], _words: Any, _smell: Any, trail: Any, counts: Any, values: Any, clock: Any,
        *args: Any,
    ) -> None:  # fmt: skip
        update(grid, *parts, trail, counts, values, clock, *args[-4:])  # and not what features would need

    def put_in_order(
        grid: tuple[int, ...], words: Any, tiles: Any, clock: Any, agents: int, *args: int
    ) -> None:
        blocks = (-(-agents // BLOCK),)
        pack_agents(blocks, words, clock, *parts, agents)
        order_words(grid, words, tiles, clock, agents, *args)
        unpack_agents(blocks, words, clock, *parts, agents)

    return {
        "update_agents": Several((update,), update_agents),
        "put_in_order": Several((pack_agents, order_words, unpack_agents), put_in_order),
    }


def _replace(b: Buffers, **kernels: Any) -> None:
    """Puts kernels into the place of the backend's, and captures the graphs anew."""
    b.kernels = dataclasses.replace(b.kernels, **kernels)
    b.graphs = {}  # should nothing be captured, then nothing of the backend's is launched
    if not INTERPRETED:
        gpu.prepare(b)
