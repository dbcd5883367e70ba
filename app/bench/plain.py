"""The plain step in PyTorch, operation by operation: what `physarium bench` races against.

It is how one would write it first, and write it well: agents are tensors of x, y and heading, every
line works on all of them, nothing is copied without need, and nothing is compiled. Of several ways that
give the same bits the quickest was taken: a table for sine and cosine, `%` to wrap, `index_select` to
look up, `scatter_add_` to count. Random numbers are `kernels.contract`'s, so that the digests are equal.
"""

import numpy as np
import torch
from numpy.typing import NDArray

from app.bench.moment import Moment
from kernels.contract import PCG_ADD, PCG_MULTIPLY, PCG_SCRAMBLE, SLOTS, TINY, numbers, step_key
from kernels.direction import sincos
from kernels.params import Params
from kernels.reference import unpack
from kernels.simulation import State
from kernels.world import GOLDEN, World, pack

Pair = tuple[torch.Tensor, torch.Tensor]


def bytes_needed(world: World) -> int:
    """Memory that a step takes at its peak, about (measured): all of its intermediate tensors."""
    return 160 * world.agents + 40 * world.width * world.height


class Plain:
    """A running world; does what `kernels.simulation.Simulation` does.

    Args:
        world: Size and seed.
        params: What the steps use.
        moment: Where to go on from.
        device: "cpu" or "cuda".
    """

    def __init__(self, world: World, params: Params, moment: Moment, device: str) -> None:
        self.world = world
        self.steps = moment.step
        self.values = dict(zip(SLOTS, numbers(params, world).values[0, 0].tolist(), strict=True))
        self.device = device
        self.trail = self._sent(moment.trail[0])  # [H, W]
        self.counts = torch.zeros_like(self.trail, dtype=torch.int32)  # [H, W]
        self.x, self.y, self.heading = (self._sent(part) for part in unpack(moment.agents))  # [N] each
        self.cos, self.sin = (self._sent(part) for part in sincos(np.arange(65536, dtype=np.int32)))
        self.ones = torch.ones(world.agents, dtype=torch.int32, device=device)

    def step(self, n: int = 1) -> None:
        """Does `n` steps; on CUDA it only asks for them."""
        for _ in range(n):
            direction = self.cos.index_select(0, self.heading), self.sin.index_select(0, self.heading)
            direction = self._steer(direction, self._sense(direction), self._random_side())
            reach = self.values["step"]
            self.x, self.y = self._displaced((direction[0] * reach, direction[1] * reach))
            self._deposit()
            self._diffuse()
            self.steps += 1

    def wait(self) -> None:
        """Returns when all steps asked for are done."""
        if self.device == "cuda":
            torch.cuda.synchronize()

    def state(self) -> State:
        """Trail [1, H, W], counts [1, H, W] and agent words [N]."""
        x, y, heading = (part.cpu().numpy().view(np.uint32) for part in (self.x, self.y, self.heading))
        return self.trail.cpu().numpy()[None], self.counts.cpu().numpy()[None], pack(x, y, heading)

    def _sent(self, array: NDArray[np.generic]) -> torch.Tensor:
        return torch.from_numpy(array.copy()).to(self.device)

    def _sense(self, direction: Pair) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        (cos, sin), v = direction, self.values
        ahead = self._smell((cos * v["sensor_ahead"], sin * v["sensor_ahead"]))
        along, across = (
            (cos * v["sensor_cos"], sin * v["sensor_cos"]),
            (cos * v["sensor_sin"], sin * v["sensor_sin"]),
        )
        left = self._smell((along[0] + across[1], along[1] - across[0]))
        right = self._smell((along[0] - across[1], along[1] + across[0]))
        return ahead, left, right

    def _smell(self, offset: Pair) -> torch.Tensor:
        return self.trail.view(-1).index_select(0, self._cell(*self._displaced(offset)))

    def _displaced(self, offset: Pair) -> Pair:
        bits = self.world.fraction_bits
        x = (self.x + offset[0].round().int()) % (self.world.width << bits)
        return x, (self.y + offset[1].round().int()) % (self.world.height << bits)

    def _cell(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        bits = self.world.fraction_bits
        return (y >> bits) * self.world.width + (x >> bits)

    def _steer(self, direction: Pair, sensed: tuple[torch.Tensor, ...], to_right: torch.Tensor) -> Pair:
        (cos, sin), (ahead, left, right) = direction, sensed
        best = (ahead > left) & (ahead > right)
        worst = (ahead < left) & (ahead < right)
        side = (right > left).int() - (left > right).int()
        side = torch.where(worst, to_right, side).masked_fill_(best, 0)
        self.heading = (self.heading + side * int(self.values["turn"])) & 0xFFFF
        c = torch.where(side == 0, 1.0, self.values["turn_cos"])
        s = side * self.values["turn_sin"]
        return cos * c - sin * s, sin * c + cos * s

    def _random_side(self) -> torch.Tensor:
        """A coin [N] of -1 or 1: the top bit of a PCG hash, in int32, which wraps as uint32 does."""
        low = self.x | (self.heading & 0xFF) << 24
        high = self.y | (self.heading >> 8) << 24
        key = step_key(self.world.seed_words, self.steps)
        state = (low + high * _signed(GOLDEN) + _signed(key)) * _signed(PCG_MULTIPLY) + _signed(PCG_ADD)
        shift = ((state >> 28) & 15) + 4
        shifted = (state >> shift) & (0x7FFFFFFF >> (shift - 1))  # as if unsigned
        return ((shifted ^ state) * _signed(PCG_SCRAMBLE) < 0).int() * 2 - 1

    def _deposit(self) -> None:
        self.counts = torch.zeros_like(self.counts)
        self.counts.view(-1).scatter_add_(0, self._cell(self.x, self.y).long(), self.ones)

    def _diffuse(self) -> None:
        d = self.trail + self.values["deposit"] * self.counts
        row = (d.roll(1, 1) + d) + d.roll(-1, 1)
        total = (row.roll(1, 0) + row) + row.roll(-1, 0)
        faded = d * self.values["keep_centre"] + total * self.values["keep_ring"]
        self.trail = faded.masked_fill_(faded < TINY, 0)


def _signed(word: int) -> int:
    """An unsigned 32-bit number as int32 holds it."""
    return word - 2**32 if word >= 2**31 else word
