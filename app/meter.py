"""Automatic exposure: how bright the trail is, measured at fixed steps so that a run repeats its pictures."""

import math

import numpy as np

from kernels.contract import mean_trail
from kernels.params import SPECS, Params
from kernels.simulation import Simulation

STEPS_APART = 32  # between measurements, which are at the multiples of this
MEMORY = 96.0  # steps until all but 1/e of an old measurement is forgotten
SIDE = 512  # cells of the sample, in the middle of the field
BRIGHT = 98.0  # the percentile that counts: veins rather than the ground between them
WANTED = 2.0  # what it is to be exposed to, on the scale of the tone curve


class Meter:
    """Follows how bright a world's trail is.

    Attributes:
        level: The bright parts of the trail, relative to its mean in balance; None before a measurement.
    """

    def __init__(self) -> None:
        self.level: float | None = None

    def exposure(self, params: Params) -> float:
        """The exposure as it is to be shown: so far as `auto_exposure` says, one that suits the level."""
        if not (params.auto_exposure and self.level):
            return params.exposure
        logs = math.log(params.exposure), math.log(WANTED / self.level)
        mixed = math.exp(logs[0] + params.auto_exposure * (logs[1] - logs[0]))
        return min(max(mixed, SPECS["exposure"].low), SPECS["exposure"].high)

    def measure(self, simulation: Simulation) -> None:
        """Looks at the trail now."""
        trail, _ = simulation.glimpse(SIDE)
        params, world = simulation.params, simulation.world
        means = [mean_trail(params, world, species) * world.species for species in range(world.species)]
        level = float(np.percentile(np.tensordot(1 / np.array(means), trail, 1), BRIGHT))
        if level <= 0:
            return  # nothing there: as it was
        if self.level:
            share = 1 - math.exp(-STEPS_APART / MEMORY)
            level = math.exp(math.log(self.level) + share * (math.log(level) - math.log(self.level)))
        self.level = level
