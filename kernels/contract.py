"""What all backends agree on: the numbers a step reads, and the constants of its arithmetic.

Inside a step there are integers, and float32 with +, -, * and compare; nothing else. Every
backend does the same operations in the same order and none fuses a multiply with an add, which is
why their results are equal bit for bit and not merely close.
"""

import dataclasses
import functools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from kernels import curves
from kernels.params import MAX_SPECIES, Params, of_species
from kernels.world import MIN_SIDE, World

# Adding 1.5 * 2**23 rounds a float32 of magnitude below 2**22 to the nearest whole number (ties to
# even) and leaves it exactly convertible: the same on every machine, unlike floor and rint.
ROUND = 12582912.0
MAX_LENGTH = 2**22 - 1  # in units: the longest offset ROUND may be used on

TINY = 1e-20  # trail below this becomes 0: denormals are slow on CPUs and flushed by some GPU instructions

# pcg_rxs_m_xs_32 as a hash (Jarzynski and Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020).
PCG_MULTIPLY, PCG_ADD, PCG_SCRAMBLE = 747796405, 2891336453, 277803737


# A cell that nobody enters smells so, and so does everything beyond an edge that does not wrap.
BARRIER = -1e30

# Numbers that make an agent's draws in one step differ: draw n is pcg(hash + n * GOLDEN), and the hash itself
# tosses the coin of `steer`.
DRAWS = (
    "wander", "turn", "heading", "respawn", "lifetime", "x", "y", "jump", "birth", "joins", "blocked",
)  # fmt: skip
DRAW = {name: index + 1 for index, name in enumerate(DRAWS)}
OWN_DRAWS = "jump", "birth"  # these stir in the agent's word, see `reference_rules.Agents.draw`
CHANCE_BITS = 24  # of a chance: a draw without its last 8 bits is compared with chance * 2**24

Table = Callable[[Params, World], NDArray[np.float32]]

# The lengths and angles that may follow the trail, in the order of their tables.
RESPONSES = "sensor_distance", "sensor_angle", "rotation_angle", "step_size"
LIFE = "sense_threshold", "wander", "turn_chance", "respawn", "lifetime"

SETS = 2  # of parameters: a mask may blend those of a second look in


@dataclasses.dataclass(frozen=True, slots=True)
class Features:
    """What a step has to do beyond the plain rule. What is off is not compiled in, and costs nothing.

    Attributes:
        species: How many there are.
        responses: Lengths and angles follow the trail, by tables.
        life: Agents wander, take new directions, have a threshold, jump or die.
        joins: Agents may join another species.
        crowds: The deposit is not linear, so it comes from a table.
        boundary: One of the parameter's choices, but for "dish": that is "turn", and a wall.
        ground: There is food, or a wall.
        blend: A mask blends in a second set of parameters; then `responses` and `crowds` are on too.
        attraction: Agents do not just like their own trail.
        crowded: A cell holds one agent.
        sensor_width: Of the square a sensor smells, in cells.
    """

    species: int = 1
    responses: bool = False
    life: bool = False
    joins: bool = False
    crowds: bool = False
    boundary: str = "wrap"
    ground: bool = False
    blend: bool = False
    attraction: bool = False
    crowded: bool = False
    sensor_width: int = 1

    @property
    def scent(self) -> bool:
        """Whether what agents smell is something else than the one trail there is."""
        return self.species > 1 or self.ground or self.attraction

    @property
    def plain(self) -> bool:
        """Whether agents go by the plain rule, whatever crowds leave."""
        rules = self.species > 1 or self.scent or self.responses or self.joins or self.sensor_width > 1
        return self.free and not rules

    @property
    def free(self) -> bool:
        """Whether a step ends where its direction leads, on a torus."""
        return self.boundary == "wrap" and not (self.ground or self.life or self.crowded)


def features(params: Params, other: Params | None, world: World, ground: bool, mask: bool) -> Features:
    """What a step has to do.

    Args:
        params: The parameters of all species.
        other: The look that the mask blends in, if any.
        world: How many species there are.
        ground: Whether there is any food or wall.
        mask: Whether there is anything of a mask.
    """
    blend = mask and other is not None
    looks = [params, other] if other is not None and blend else [params]
    own = [of_species(look, k) for look in looks for k in range(world.species)]
    return Features(
        species=world.species,
        responses=blend or any(getattr(p, f"{name}_amplitude") for p in own for name in RESPONSES),
        life=any(getattr(p, name) for p in own for name in LIFE),
        joins=world.species > 1 and any(p.joins != "none" and p.join_chance > 0 for p in own),
        crowds=blend or any(p.deposit_curve != "linear" for p in own),
        boundary="turn" if params.boundary == "dish" else params.boundary,
        ground=ground or params.boundary == "dish",
        blend=blend,
        attraction=world.species == 1 and params.attraction_to_1 != 1,
        crowded=params.crowding != "free",
        sensor_width=params.sensor_width,
    )


@dataclasses.dataclass(frozen=True)
class Numbers:
    """All that a step reads, as it lies in every backend's memory.

    Attributes:
        features: What a step has to do.
        values: The numbers of `SLOTS` [SETS, species, SLOTS], float32.
        responses: Tables [SETS, species, RESPONSES, pieces, 2] of what `RESPONSES` names, float32 (see
            `curves.response`): distance and step in units, angles in 65536ths of a circle.
        crowds: Tables [SETS, species, CROWDS] of what so many agents leave on a cell, float32.
    """

    features: Features
    values: NDArray[np.float32]
    responses: NDArray[np.float32]
    crowds: NDArray[np.float32]


def numbers(
    params: Params, world: World, other: Params | None = None, ground: bool = False, mask: bool = False
) -> Numbers:
    """The numbers of the steps to come; the arguments are those of `features`."""
    looks = params, other or params
    sets = [[of_species(look, k) for k in range(world.species)] for look in looks]
    what = features(params, other, world, ground, mask)
    values = np.array([[list(_step_values(p, world).values()) for p in own] for own in sets], np.float32)
    values[1, :, SLOT["joins"]] = values[0, :, SLOT["joins"]]  # a species' number: half of it is another's
    return Numbers(
        what,
        values,
        _tables(sets, what.responses, _responses, world),
        _tables(sets, what.crowds, _crowds, world),
    )


def _tables(sets: list[list[Params]], needed: bool, table: Table, world: World) -> NDArray[np.float32]:
    """A table for each species of each set; where no step reads them, one stands for all."""
    if not needed:
        return _plain_tables(table, world, len(sets[0]))
    return np.array([[table(p, world) for p in own] for own in sets], np.float32)


@functools.lru_cache(maxsize=8)
def _plain_tables(table: Table, world: World, species: int) -> NDArray[np.float32]:
    return np.array([[table(Params(), world)] * species] * SETS, np.float32)


def _longest(world: World) -> float:
    """The longest offset in units: shorter than the field, so that one comparison wraps it."""
    return float(min((min(world.width, world.height) - 1) << world.fraction_bits, MAX_LENGTH))


def _step_values(params: Params, world: World) -> dict[str, float]:
    """The one place where degrees and pixels become inside units, for the first species of `params`.

    Lengths become units of 2**-fraction_bits px and are held below the field's shorter side, so that
    one comparison wraps them; angles become 65536ths of a circle, chances 2**-24ths. Products are taken in
    float64 and rounded once. Parameters that only concern the picture have no number here.
    """
    unit, longest = float(1 << world.fraction_bits), _longest(world)
    distance = min(params.sensor_distance * unit, longest)
    angle = math.radians(params.sensor_angle)
    turn = round(params.rotation_angle / 360 * 65536)
    turned = turn / 65536 * math.tau
    keep = 1 - params.decay
    crowd = curves.crowd(params.deposit_curve, params.deposit_bend)
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
        "deposit_slope": params.deposit * (crowd[-1] - crowd[-2]),
        "sense_scale": params.sense_scale,
        "sense_offset": max(-longest, min(params.sense_offset * unit, longest)),
        "sense_threshold": params.sense_threshold,
        "wander": round(params.wander / 360 * 65536),
        "turn_chance": _chance(params.turn_chance),
        "respawn_chance": _chance(1 / max(params.respawn, 1.0) if params.respawn else 0.0),
        "lifetime_chance": _chance(1 / max(params.lifetime, 1.0) if params.lifetime else 0.0),
        **{f"attraction_{k}": getattr(params, f"attraction_to_{k + 1}") for k in range(MAX_SPECIES)},
        "food": params.food,
        "joins": _joined(params, world),
        "join_threshold": params.join_threshold,
        "join_chance": _chance(params.join_chance),
    }


def _chance(chance: float) -> int:
    return round(chance * (1 << CHANCE_BITS))


def _joined(params: Params, world: World) -> int:
    """The species, from 0, whose trail wins agents over; -1 for none."""
    species = 0 if params.joins == "none" else int(params.joins)
    return species - 1 if species <= world.species else -1


def _responses(params: Params, world: World) -> NDArray[np.float32]:
    """Tables [RESPONSES, pieces, 2] of base + amplitude * s ** exponent in inside units, over s."""
    unit, longest = float(1 << world.fraction_bits), _longest(world)
    tables = []
    for name in RESPONSES:
        base, amplitude = getattr(params, name), getattr(params, f"{name}_amplitude")
        gone = curves.shape(getattr(params, f"{name}_curve"), getattr(params, f"{name}_exponent"))
        people = base + amplitude * gone
        inside = people / 360 * 65536 if "angle" in name else np.clip(people * unit, -longest, longest)
        tables.append(curves.response(inside))
    return np.array(tables, np.float32)


def _crowds(params: Params, _world: World) -> NDArray[np.float32]:
    """The table [CROWDS] of what so many agents leave on a cell."""
    return (params.deposit * curves.crowd(params.deposit_curve, params.deposit_bend)).astype(np.float32)


SLOTS = tuple(_step_values(Params(), World(MIN_SIDE, MIN_SIDE, 1)))
SLOT = {name: index for index, name in enumerate(SLOTS)}


# What a step consists of: agents sense, steer, move and deposit; the trail takes the deposits, diffuses
# and decays; and now and then a backend puts agents in order of place, which changes no result.
PASSES = ("agents", "field", "order")


def floor_bytes(world: World) -> dict[str, int]:
    """Bytes that each pass of a step must move at least, read and written.

    An agent's word, and a cell's trails, are read and written; a cell's counts are read and cleared. What
    agents sense and count is left out: at best caches hold it. Order is a choice, and costs 0 here.
    """
    cells = world.width * world.height
    return {"agents": 16 * world.agents, "field": 16 * cells * world.species, "order": 0}


def mean_trail(params: Params, world: World, species: int = 0) -> float:
    """The mean over the field of a species' trail once deposit (of 1, linear) and decay are in balance.

    The picture is exposed relative to it, so that a look keeps its brightness at any size and
    density, and when decay is turned. From mean' = (1 - decay) * (mean + agents per cell).
    """
    decay = of_species(params, species).decay
    return (1 - decay) / decay * world.density * world.shares[species] / sum(world.shares)


def step_key(seed_words: tuple[int, int], step: int) -> int:
    """The 32-bit key that makes a step's random numbers its own."""
    return pcg(pcg(step + seed_words[0]) ^ seed_words[1])


def pcg(value: int) -> int:
    """The PCG hash of an unsigned 32-bit number, in plain integers."""
    state = (value * PCG_MULTIPLY + PCG_ADD) & 0xFFFFFFFF
    word = ((state >> ((state >> 28) + 4) ^ state) * PCG_SCRAMBLE) & 0xFFFFFFFF
    return word >> 22 ^ word
