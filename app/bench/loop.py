"""The obvious way to do it in Numba: one loop over the agents, one over the cells, on one thread.

The functions of a single agent are those of `kernels.cpu_model`; what this lacks is its phases, its
threads and its sort. It is here to show what they are worth.
"""

import numba
import numpy as np

from app.bench.moment import Moment
from kernels.contract import SLOT, TINY, numbers, step_key
from kernels.cpu_model import cell, displace, move, pcg, sincos, steer, unpack
from kernels.params import Params
from kernels.simulation import State
from kernels.world import GOLDEN, World

f32, i32, u32, u64 = np.float32, np.int32, np.uint32, np.uint64
LEFT, RIGHT = i32(-1), i32(1)
AHEAD, SIDE_COS, SIDE_SIN = SLOT["sensor_ahead"], SLOT["sensor_cos"], SLOT["sensor_sin"]
TURN, TURN_COS, TURN_SIN, STEP = SLOT["turn"], SLOT["turn_cos"], SLOT["turn_sin"], SLOT["step"]
DEPOSIT, CENTRE, RING = SLOT["deposit"], SLOT["keep_centre"], SLOT["keep_ring"]
FLOOR, ZERO, MIX = f32(TINY), f32(0), u32(GOLDEN)


class Loop:
    """A running world; does what `kernels.simulation.Simulation` does.

    Args:
        world: Size and seed.
        params: What the steps use.
        moment: Where to go on from.
    """

    def __init__(self, world: World, params: Params, moment: Moment) -> None:
        self.world = world
        self.steps = moment.step
        self.values = numbers(params, world).values[0, 0]
        self.agents = moment.agents.copy()  # [N]
        self.trail = moment.trail[0].copy()  # [H, W]
        self.counts = np.zeros(self.trail.shape, np.int32)  # [H, W]

    def step(self, n: int = 1) -> None:
        """Does `n` steps."""
        bits = self.world.fraction_bits
        for _ in range(n):
            key = u32(step_key(self.world.seed_words, self.steps))
            self.counts[:] = 0
            _move_agents(self.agents, self.trail, self.counts, self.values, u32(bits), key)
            self.trail = _diffused(self.trail, self.counts, self.values)
            self.steps += 1

    def wait(self) -> None:
        """Returns when all steps asked for are done; here they always are."""

    def state(self) -> State:
        """Trail [1, H, W], counts [1, H, W] and agent words [N]."""
        return self.trail[None], self.counts[None], self.agents


@numba.njit(error_model="numpy")
def _move_agents(words, trail, counts, values, bits, key):
    """Each agent senses, steers, moves and deposits, one after the other."""
    height, width = trail.shape
    wide, end_x, end_y = u32(width), u32(u32(width) << bits), u32(u32(height) << bits)
    smell, stand = trail.reshape(-1), counts.reshape(-1)
    for i in range(len(words)):
        low, high = u32(words[i]), u32(words[i] >> u64(32))
        x, y, heading = unpack(low, high)
        cos, sin = sincos(heading)
        at = cell(
            displace(x, cos * values[AHEAD], end_x), displace(y, sin * values[AHEAD], end_y), wide, bits
        )
        ahead = smell[at]
        across, along = cos * values[SIDE_SIN], cos * values[SIDE_COS]
        down, up = sin * values[SIDE_SIN], sin * values[SIDE_COS]
        left = smell[cell(displace(x, along + down, end_x), displace(y, up - across, end_y), wide, bits)]
        right = smell[cell(displace(x, along - down, end_x), displace(y, up + across, end_y), wide, bits)]
        coin = RIGHT if i32(pcg(u32(u32(low + u32(high * MIX)) + key))) < i32(0) else LEFT
        heading, cos, sin = steer(
            heading, cos, sin, ahead, left, right, coin, i32(values[TURN]), values[TURN_COS], values[TURN_SIN]
        )
        x, y = move(x, y, cos, sin, values[STEP], end_x, end_y)
        stand[cell(x, y, wide, bits)] += i32(1)
        words[i] = u64(x | u32(heading << u32(24))) | u64(y | u32(u32(heading >> u32(8)) << u32(24))) << u64(
            32
        )


@numba.njit(error_model="numpy")
def _diffused(trail, counts, values):
    """The next trail: each cell adds up its nine neighbours itself."""
    height, width = trail.shape
    deposit, centre, ring = values[DEPOSIT], values[CENTRE], values[RING]
    out = np.empty_like(trail)
    for y in range(height):
        for x in range(width):
            before, after = x - 1 if x else width - 1, x + 1 if x + 1 < width else 0
            total, own = ZERO, ZERO
            for row in (y - 1 if y else height - 1, y, y + 1 if y + 1 < height else 0):
                middle = trail[row, x] + deposit * f32(counts[row, x])
                left = trail[row, before] + deposit * f32(counts[row, before])
                right = trail[row, after] + deposit * f32(counts[row, after])
                total += (left + middle) + right
                own = middle if row == y else own
            faded = own * centre + total * ring
            out[y, x] = ZERO if faded < FLOOR else faded
    return out
