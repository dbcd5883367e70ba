"""What all backends agree on: the numbers a step reads, and the constants of its arithmetic.

Inside a step there are integers, and float32 with +, -, * and compare; nothing else. Every
backend does the same operations in the same order and none fuses a multiply with an add, which is
why their results are equal bit for bit and not merely close.
"""

import math

import numpy as np
from numpy.typing import NDArray

from kernels.params import Params
from kernels.world import MIN_SIDE, World

# sin(pi/4 t) = t * (SIN[0] + SIN[1] u + ...), cos(pi/4 t) = COS[0] + COS[1] u + ..., u = t * t:
# Chebyshev fits over -1 <= t <= 1, right to 1.1e-7 when evaluated in float32 by Horner's rule.
SIN = (0.7853981852531433, -0.08074543625116348, 0.0024900068528950214, -3.5954399209003896e-05)
COS = (1.0, -0.3084242641925812, 0.01584991253912449, -0.00031887899967841804)

# Adding 1.5 * 2**23 rounds a float32 of magnitude below 2**22 to the nearest whole number (ties to
# even) and leaves it exactly convertible: the same on every machine, unlike floor and rint.
ROUND = 12582912.0
MAX_LENGTH = 2**22 - 1  # in units: the longest offset ROUND may be used on

TINY = 1e-20  # trail below this becomes 0: denormals are slow on CPUs and flushed by some GPU instructions

# pcg_rxs_m_xs_32 as a hash (Jarzynski and Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020).
PCG_MULTIPLY, PCG_ADD, PCG_SCRAMBLE = 747796405, 2891336453, 277803737


def step_values(params: Params, world: World) -> NDArray[np.float32]:
    """The numbers a step reads, float32 in the order of `SLOTS`, as they lie in every backend's buffer."""
    return np.array(list(_step_values(params, world).values()), np.float32)


def _step_values(params: Params, world: World) -> dict[str, float]:
    """The one place where degrees and pixels become inside units.

    Lengths become units of 2**-fraction_bits px and are held below the field's shorter side, so that
    one comparison wraps them; angles become 65536ths of a circle. Products are taken in float64 and
    rounded once. Parameters that only concern the picture have no number here.
    """
    unit = float(1 << world.fraction_bits)
    longest = min((min(world.width, world.height) - 1) * unit, MAX_LENGTH)
    distance = min(params.sensor_distance * unit, longest)
    angle = math.radians(params.sensor_angle)
    turn = round(params.rotation_angle / 360 * 65536)
    turned = turn / 65536 * math.tau
    keep = 1 - params.decay
    return {
        "sensor_ahead": distance,
        "sensor_cos": distance * math.cos(angle),
        "sensor_sin": distance * math.sin(angle),
        "turn": turn,
        "turn_cos": math.cos(turned),
        "turn_sin": math.sin(turned),
        "step": min(params.step_size * unit, longest),
        "deposit": params.deposit,
        "keep_centre": keep * (1 - params.diffusion),
        "keep_ring": keep * params.diffusion / 9,
    }


SLOTS = tuple(_step_values(Params(), World(MIN_SIDE, MIN_SIDE, 1)))
SLOT = {name: index for index, name in enumerate(SLOTS)}


# What a step consists of: agents sense, steer, move and deposit; the trail takes the deposits, diffuses
# and decays; and now and then a backend puts agents in order of place, which changes no result.
PASSES = ("agents", "field", "order")


def floor_bytes(world: World) -> dict[str, int]:
    """Bytes that each pass of a step must move at least, read and written.

    An agent's word, and a cell's trail, are read and written; a cell's count is read and cleared. What
    agents sense and count is left out: at best caches hold it. Order is a choice, and costs 0 here.
    """
    return {"agents": 16 * world.agents, "field": 16 * world.width * world.height, "order": 0}


def mean_trail(decay: float, world: World) -> float:
    """The trail's mean over the field once deposit (of 1) and decay are in balance.

    The picture is exposed relative to it, so that a look keeps its brightness at any size and
    density, and when decay is turned. From mean' = (1 - decay) * (mean + agents per cell).
    """
    return (1 - decay) / decay * world.density


def step_key(seed_words: tuple[int, int], step: int) -> int:
    """The 32-bit key that makes a step's random numbers its own."""
    return pcg(pcg(step + seed_words[0]) ^ seed_words[1])


def pcg(value: int) -> int:
    """The PCG hash of an unsigned 32-bit number, in plain integers."""
    state = (value * PCG_MULTIPLY + PCG_ADD) & 0xFFFFFFFF
    word = ((state >> ((state >> 28) + 4) ^ state) * PCG_SCRAMBLE) & 0xFFFFFFFF
    return word >> 22 ^ word
