"""The CUDA backend side by side with the reference: on a GPU, or in Triton's interpreter."""

import dataclasses
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.backend import BackendError, nvidia_gpus
from kernels.maps import Mark
from kernels.params import Params
from kernels.reference import unpack
from kernels.simulation import Simulation
from kernels.stroke import Stroke
from kernels.world import World, pack, species_of

Words = NDArray[np.uint64]

AWKWARD = World(401, 257, 30_011, "7")


def gpu_modules(*names: str) -> list[Any]:
    """Modules of the kernels that need a GPU; skips the module that asks where there is none."""
    try:
        nvidia_gpus()
    except BackendError as missing:
        pytest.skip(str(missing), allow_module_level=True)
    for library in ("triton", "cuda.bindings.runtime"):  # Triton before any OpenGL, see `app.backend`
        pytest.importorskip(library)
    return [importlib.import_module(f"kernels.{name}") for name in names]


def hurry_interpreter() -> None:
    """Halves the time Triton's interpreter takes, and more, in a process of its own.

    Compiled kernels do not check integers for overflow either; and within a kernel, the language is
    patched already, which the interpreter does anew for every function that is called.
    """
    from triton.runtime import interpreter

    builder: Any = interpreter.interpreter_builder
    builder.options = dataclasses.replace(builder.options, sanitize_overflow=False)
    patched_call = interpreter.InterpretedFunction.__call__

    def call(function: Any, *args: object, **named: object) -> Any:
        if function.fn.__module__.startswith("triton"):
            return patched_call(function, *args, **named)
        return function.rewrite()(*args, **named)

    interpreter.InterpretedFunction.__call__ = call


class Pair:
    """One world on both, compared in every bit.

    Args:
        world: Size, agents and seed.
        params: What the first steps use.
        agents: Agent words [N] to start from; left out, those of `world.scatter`.
        other: The look that the mask blends in.
    """

    def __init__(
        self, world: World, params: Params, agents: Words | None = None, other: Params | None = None
    ) -> None:
        self.ours, self.expected = (Simulation(world, params, name, other) for name in ("cuda", "reference"))
        self.both = self.ours, self.expected
        for simulation in self.both if agents is not None else ():
            simulation.backend.load(simulation.buffers, world, agents)

    def run(self, *script: int | Params | Stroke | Mark) -> None:
        """Does so many steps, takes other parameters, paints a stroke or a mark; compares after each."""
        for entry in script:
            for simulation in self.both:
                if isinstance(entry, Params):
                    simulation.set(entry)
                elif isinstance(entry, Stroke):
                    simulation.paint(entry)
                elif isinstance(entry, Mark):
                    simulation.mark(entry)
                else:
                    simulation.step(entry)
            self.compare()

    def compare(self) -> None:
        """Asserts that trail, counts, what is seen of them and the sorted agent words are equal in bits."""
        assert self.ours.steps == self.expected.steps
        states = (simulation.state() for simulation in self.both)
        for name, here, there in zip(("trail", "counts", "agents"), *states, strict=True):
            assert (here.dtype, here.shape) == (there.dtype, there.shape)
            if name == "agents":
                here, there = np.sort(here), np.sort(there)
            differ = np.argwhere(here != there)
            assert len(differ) == 0, (
                f"{len(differ)} {name} differ after step {self.ours.steps}, the first at {differ[0]}"
            )
        for here, there in zip(*(simulation.glimpse(39) for simulation in self.both), strict=True):
            assert np.array_equal(here, there)


def gathered(world: World, left: int, top: int, side: int) -> Words:
    """Agent words [N], spread over a square that may reach over the field's edges.

    Args:
        world: The field, and how many agents.
        left: The square's first column in px.
        top: Its first row in px.
        side: Its side in px.
    """
    random = np.random.default_rng(1)
    bits = world.fraction_bits
    x, y = (
        ((start << bits) + random.integers(0, side << bits, world.agents)) % (end << bits)
        for start, end in ((left, world.width), (top, world.height))
    )
    heading = random.integers(0, 65536, world.agents)
    return pack(*(part.astype(np.uint32) for part in (x, y, heading)))


def alternating(world: World) -> Words:
    """Agent words [N] on two cells far apart, in turns: one window holds half of them at most."""
    near, far = gathered(world, 3, 5, 1), gathered(world, world.width // 2, world.height // 2, 1)
    return np.where(np.arange(world.agents) % 2 == 0, near, far)


# Where agents may start that makes windows and counters as full, or as useless, as they can be.
STARTS: dict[str, Callable[[World], Words]] = {
    "square": lambda world: gathered(world, world.width // 2, world.height // 2, 30),
    "corner": lambda world: gathered(world, -15, -15, 30),
    "cell": lambda world: gathered(world, world.width - 1, world.height // 3, 1),
    "two cells": alternating,
}


def tiles_in_order(world: World, agents: Words) -> NDArray[np.int32]:
    """The number [N] of each agent's tile of 16 x 16 px in the order `kernels.gpu_order` makes.

    Tiles are numbered down and then along bands of four rows of tiles, and on with the next species.
    """
    x, y, _ = unpack(agents, world.position_bits)
    column, row = x >> world.fraction_bits >> 4, y >> world.fraction_bits >> 4
    across = -(-world.width // 16)
    bands = -(-world.height // 64)
    number: NDArray[np.int32] = (
        (species_of(agents, world) * bands + row // 4) * across + column
    ) * 4 + row % 4
    return number
