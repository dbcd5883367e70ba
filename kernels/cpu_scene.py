"""What a step does and by which numbers, as compiled code reads it.

A rule that is off costs one comparison for each chunk of agents, or for each row of the field.
"""

import numpy as np
from numpy.typing import NDArray

from kernels.contract import BARRIER, DRAW, Features, Numbers
from kernels.cpu_model import SHAPE, f32, jit, pcg, u32
from kernels.params import SPECS
from kernels.world import GOLDEN

# `contract.Features` behind the numbers of `SHAPE`.
RULES = (
    "species", "responses", "life", "joins", "crowds", "boundary", "ground", "blend", "scent", "crowded",
    "sensor_width",
)  # fmt: skip
SPECIES, RESPONSES, LIFE, JOINS, CROWDS, BOUNDARY, GROUND, BLEND, SCENT, CROWDED, SENSOR_WIDTH = range(
    len(SHAPE), len(SHAPE) + len(RULES)
)
WRAP, REFLECT, JUMP_OVER = (SPECS["boundary"].choices.index(name) for name in ("wrap", "reflect", "respawn"))

NOTHING = f32(BARRIER)
DRAWS = {name: u32(number * GOLDEN & 0xFFFFFFFF) for name, number in DRAW.items()}


def rules_of(what: Features) -> list[int]:
    """The numbers of `RULES`."""
    numbers = {name: int(getattr(what, name)) for name in RULES if name != "boundary"}
    numbers["boundary"] = SPECS["boundary"].choices.index(what.boundary)
    return [numbers[name] for name in RULES]


def values_of(numbers: Numbers) -> NDArray[np.float32]:
    """A species' numbers of `contract.SLOTS`, and how far the second set's lie from them [C, 2, SLOTS]."""
    first, second = numbers.values
    more = second - first if numbers.features.blend else np.zeros_like(first)
    return np.stack([first, more], 1)


@jit
def drawn(luck, which):
    """Another random number of an agent, one of `DRAWS`."""
    return pcg(u32(luck + which))


@jit
def chance(luck, which, likely):
    """Whether something happens, with a chance in 2**-24ths."""
    return f32(np.int32(drawn(luck, which) >> u32(8))) < likely
