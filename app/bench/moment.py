"""The state of a run between two steps, to go on from on any backend."""

import dataclasses
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kernels.simulation import Simulation, State


class Stepping(Protocol):
    """What is timed: a `kernels.simulation.Simulation`, or another way of doing the same."""

    def step(self, n: int = 1) -> None:
        """Does `n` steps, or asks for them."""

    def wait(self) -> None:
        """Returns when all steps asked for are done."""

    def state(self) -> State:
        """Trail [C, H, W], counts [C, H, W] and agent words [N]."""


@dataclasses.dataclass(frozen=True, slots=True)
class Moment:
    """A copy of the state of a run.

    Attributes:
        step: Steps done since the start.
        trail: Scent [C, H, W].
        agents: Agent words [N], see `kernels.world.pack`.
    """

    step: int
    trail: NDArray[np.float32]
    agents: NDArray[np.uint64]


def moment_of(simulation: Simulation) -> Moment:
    """Where a simulation stands."""
    trail, _, agents = simulation.state()
    return Moment(simulation.steps, trail.copy(), agents.copy())


def resume(simulation: Simulation, moment: Moment) -> None:
    """Goes on from a moment, on a backend whose state is arrays in main memory: "cpu" or "reference"."""
    b = simulation.buffers
    simulation.backend.load(b, simulation.world, moment.agents)
    b.trail[:] = moment.trail
    b.step = moment.step
