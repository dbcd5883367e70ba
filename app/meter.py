"""Automatic exposure: how bright the trail is, measured at fixed steps so that a run repeats its pictures."""

import dataclasses
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernels.contract import mean_trail
from kernels.params import SPECS, Params
from kernels.simulation import Simulation

STEPS_APART = 32  # between measurements, which are at the multiples of this
MEMORY = 96.0  # steps until all but 1/e of an old measurement is forgotten
SIDE = 512  # cells of the sample, in the middle of the field
BRIGHT = 98.0  # the percentile that counts: veins rather than the ground between them
WANTED = 2.0  # what it is to be exposed to, on the scale of the tone curve
CALM = 0.15  # the median, relative to the bright parts, up to which the tones stay as they are
SINKS = 1.0  # how fast gamma falls above that: what fills the field is ground then
LEAST = 0.3  # of gamma


class Meter:
    """Follows how bright a world's trail is.

    Attributes:
        level: The bright parts of the trail, relative to its mean in balance; None before a measurement.
        middle: The median of the trail, relative to the bright parts.
    """

    def __init__(self) -> None:
        self.level: float | None = None
        self.middle = 0.0

    def adapted(self, params: Params) -> Params:
        """The parameters as they are to be shown: exposed as suits the level, so far as `auto_exposure` says.

        Where trail covers most of the field, gamma sinks as well, or all of it would be bright.
        """
        if not (params.auto_exposure and self.level):
            return params
        share = params.auto_exposure
        logs = math.log(params.exposure), math.log(WANTED / self.level)
        sunk = min(max(1 - SINKS * (self.middle - CALM), LEAST), 1.0)
        return dataclasses.replace(
            params,
            exposure=_inside("exposure", math.exp(logs[0] + share * (logs[1] - logs[0]))),
            gamma=_inside("gamma", round(params.gamma * sunk**share, 2)),  # each makes another table
        )

    def measure(self, simulation: Simulation) -> None:
        """Looks at the trail now."""
        trail = simulation.glimpse_trail(SIDE)
        params, world = simulation.params, simulation.world
        means = [mean_trail(params, world, species) * world.species for species in range(world.species)]
        self.see(np.tensordot(1 / np.array(means), trail, 1))

    def see(self, trail: NDArray[np.floating[Any]]) -> None:
        """Takes the trail of all species together [H, W], relative to its mean, as what is there now."""
        level, middle = np.percentile(trail, (BRIGHT, 50)).tolist()
        if level <= 0:
            return  # nothing there: as it was
        middle /= level
        if self.level:
            share = 1 - math.exp(-STEPS_APART / MEMORY)
            level = math.exp(math.log(self.level) + share * (math.log(level) - math.log(self.level)))
            middle = self.middle + share * (middle - self.middle)
        self.level, self.middle = level, middle


def _inside(name: str, value: float) -> float:
    return min(max(value, SPECS[name].low), SPECS[name].high)
