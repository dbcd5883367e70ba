"""How agents move where there are edges, walls, jumps and births, as loops over a chunk of agents.

The rules are those of `kernels.reference_moves.move_by_rules`. Most agents meet none of them: fast loops move
all and mark those with a fate, and one that branches sees to the marked ones, if a chunk has any.
"""

from kernels.contract import SLOT
from kernels.cpu_model import (
    BLOCK_BITS,
    CELLS,
    END_X,
    END_Y,
    FRACTION_BITS,
    NONE,
    ONE,
    PLACE,
    ROUND_BITS,
    ROUND_UP,
    TWO,
    WIDTH,
    ZERO,
    block,
    cell,
    displace,
    f32,
    i32,
    jit,
    joined,
    luck,
    u32,
    u64,
    unpack,
)
from kernels.cpu_rules import COS, FATE, HEADING, KIND, LUCK, MASK, SIN, STRIDE, X, Y
from kernels.cpu_scene import BOUNDARY, DRAWS, GROUND, JUMP_OVER, LIFE, REFLECT, WRAP, chance, drawn

STAYS, JUMPS, DIES = u32(1), u32(2), u32(4)  # bits of a fate
HALF_TURN, ONE_UNIT = u32(32768), u32(1)
WALL = u32(1 << 31)  # the sign of what lies on a cell
UPPER, LOWER = u32(0xFFFFFF00), u32(0xFF)
RESPAWN, LIFETIME = u64(SLOT["respawn_chance"]), u64(SLOT["lifetime_chance"])
BY_RESPAWN, BY_LIFETIME, BY_X, BY_Y, BY_JUMP, BY_BIRTH, BY_BLOCKED = (
    DRAWS[name] for name in ("respawn", "lifetime", "x", "y", "jump", "birth", "blocked")
)


@jit
def move(words, ground, births, own, shape, places, numbers):
    """Coordinates after the step, by all rules but those of a crowded field, and the fates that led there."""
    agents, boundary = u64(len(words) >> 1), shape[BOUNDARY]
    if boundary == WRAP:
        fates = wrap(words, shape, places, numbers)
    elif boundary == REFLECT:
        fates = reflect(words, shape, places, numbers)
    else:
        fates = stop(words, shape, JUMPS if boundary == JUMP_OVER else STAYS, places, numbers)
    if shape[GROUND]:
        fates |= bump(agents, ground, shape, places)
    if shape[LIFE]:
        fates |= fall(agents, own, RESPAWN, BY_RESPAWN, JUMPS, places, numbers)
        fates |= fall(agents, own, LIFETIME, BY_LIFETIME, DIES, places, numbers)
    if fates != NONE:
        meet(words, ground, births, shape, places)


@jit
def wrap(words, shape, places, numbers):
    """One step on a torus."""
    place, end_x, end_y = shape[PLACE], shape[END_X], shape[END_Y]
    for i in range(u64(len(words) >> 1)):
        step = numbers[STRIDE + i]
        places[X + i] = displace(u32(words[TWO * i] & place), numbers[COS + i] * step, end_x)
        places[Y + i] = displace(u32(words[TWO * i + ONE] & place), numbers[SIN + i] * step, end_y)
        places[FATE + i] = NONE
    return NONE


@jit
def reflect(words, shape, places, numbers):
    """One step, mirrored at the edges together with the heading."""
    place, end_x, end_y = shape[PLACE], shape[END_X], shape[END_Y]
    for i in range(u64(len(words) >> 1)):
        step, heading = numbers[STRIDE + i], places[HEADING + i]
        x = shifted(u32(words[TWO * i] & place), numbers[COS + i] * step)
        y = shifted(u32(words[TWO * i + ONE] & place), numbers[SIN + i] * step)
        heading = u32(HALF_TURN - heading) if x >= end_x else heading
        places[HEADING + i] = u32(NONE - heading) if y >= end_y else heading
        places[X + i], places[Y + i] = mirrored(x, end_x), mirrored(y, end_y)
        places[FATE + i] = NONE
    return NONE


@jit
def stop(words, shape, fate, places, numbers):
    """One step, or none and the given fate for those whose step leads over an edge."""
    place, end_x, end_y, fates = shape[PLACE], shape[END_X], shape[END_Y], NONE
    for i in range(u64(len(words) >> 1)):
        step = numbers[STRIDE + i]
        x, y = u32(words[TWO * i] & place), u32(words[TWO * i + ONE] & place)
        to_x, to_y = shifted(x, numbers[COS + i] * step), shifted(y, numbers[SIN + i] * step)
        own = fate if to_x >= end_x else NONE
        own = fate if to_y >= end_y else own
        places[X + i] = to_x if own == NONE else x
        places[Y + i] = to_y if own == NONE else y
        places[FATE + i] = own
        fates = u32(fates | own)
    return fates


@jit
def shifted(place, by):
    """A coordinate moved by an offset in units; below 0 it is huge, as it is unsigned."""
    return u32(u32(place - ROUND_BITS) + f32(by + ROUND_UP).view(u32))


@jit
def mirrored(place, end):
    """A coordinate less than a field away from it, mirrored at its edges."""
    place = u32(NONE - ONE_UNIT - place) if i32(place) < i32(0) else place
    return u32(u32(end + end) - ONE_UNIT - place) if place >= end else place


@jit
def bump(agents, ground, shape, places):
    """Those who would enter a wall stay."""
    fates = NONE
    width, bits = shape[WIDTH], u32(shape[FRACTION_BITS] & u32(31))
    for i in range(agents):
        fate = STAYS if ground[cell(places[X + i], places[Y + i], width, bits)] < ZERO else NONE
        places[FATE + i] = u32(places[FATE + i] | fate)
        fates = u32(fates | fate)
    return fates


@jit
def fall(agents, own, slot, which, fate, places, numbers):
    """A fate that comes by chance."""
    first, more = own[0, slot], own[1, slot]
    fates = NONE
    if first != ZERO or more != ZERO:
        for i in range(agents):
            falls = chance(places[LUCK + i], which, first + more * numbers[MASK + i])
            own = fate if falls else NONE
            places[FATE + i] = u32(places[FATE + i] | own)
            fates = u32(fates | own)
    return fates


@jit
def meet(words, ground, births, shape, places):
    """Those with a fate meet it: they stay, jump or are born again, the last of these that applies."""
    width, bits = shape[WIDTH], u32(shape[FRACTION_BITS] & u32(31))
    for i in range(u64(len(words) >> 1)):
        fate, by_luck = places[FATE + i], places[LUCK + i]
        own = u32(by_luck ^ words[TWO * i])
        if fate & STAYS:
            x, y = u32(words[TWO * i] & shape[PLACE]), u32(words[TWO * i + ONE] & shape[PLACE])
            places[X + i], places[Y + i], places[HEADING + i] = x, y, drawn(by_luck, BY_BLOCKED)
            if shape[GROUND] and ground[cell(x, y, width, bits)] < ZERO:  # painted over
                fate = u32(fate | JUMPS)
                places[FATE + i] = fate
        if fate & JUMPS:
            places[X + i], places[Y + i], places[HEADING + i] = anywhere(by_luck, own, shape)
        if fate & DIES:
            word = births[u64(drawn(own, BY_BIRTH)) % u64(len(births))]
            x, y, heading = unpack(u32(word), u32(word >> u64(32)))
            places[X + i] = u32(u32(x & UPPER) | u32(drawn(by_luck, BY_X) & LOWER))
            places[Y + i] = u32(u32(y & UPPER) | u32(drawn(by_luck, BY_Y) & LOWER))
            places[HEADING + i] = u32(u32(heading & UPPER) | u32(drawn(own, BY_JUMP) & LOWER))


@jit
def anywhere(by_luck, own, shape):
    """Coordinates and a heading, all alike likely."""
    x = u32(u64(drawn(by_luck, BY_X)) * u64(shape[END_X]) >> u64(32))
    y = u32(u64(drawn(by_luck, BY_Y)) * u64(shape[END_Y]) >> u64(32))
    return x, y, drawn(own, BY_JUMP)


@jit
def struck(ground, agents, places):
    """Whether any agent of a chunk has come into a wall."""
    signs = NONE
    for i in range(u64(agents)):
        signs = u32(signs | f32(ground[places[i]]).view(u32))
    return signs >= WALL


@jit
def hold(words, before, ground, shape, key, species, places):
    """Puts those who have come into a wall back to where their words `before` had them, or anywhere.

    Returns:
        The blocks of rows they stand in, as a mask.
    """
    width, bits = shape[WIDTH], u32(shape[FRACTION_BITS] & u32(31))
    block_bits, blocks = u32(shape[BLOCK_BITS] & u32(31)), NONE
    for i in range(u64(len(words) >> 1)):
        if ground[places[i]] < ZERO:
            low, high = before[TWO * i], before[TWO * i + ONE]
            by_luck = luck(low, high, key)
            x, y, heading = u32(low & shape[PLACE]), u32(high & shape[PLACE]), drawn(by_luck, BY_BLOCKED)
            if ground[cell(x, y, width, bits)] < ZERO:  # painted over
                x, y, heading = anywhere(by_luck, u32(by_luck ^ low), shape)
            words[TWO * i], words[TWO * i + ONE] = joined(x, y, heading, species)
            places[i] = cell(x, y, width, bits)
            blocks = u32(blocks | block(y, block_bits))
    return blocks


@jit
def settle(out, agents, shape, places):
    """The agents' new words into `out`, and the cells of their species they stand on into `places` 0.

    Returns:
        The blocks of rows they stand in, as a mask.
    """
    width, bits, cells = shape[WIDTH], u32(shape[FRACTION_BITS] & u32(31)), shape[CELLS]
    block_bits, blocks = u32(shape[BLOCK_BITS] & u32(31)), NONE
    for i in range(u64(agents)):
        x, y, species = places[X + i], places[Y + i], places[KIND + i]
        low, high = joined(x, y, places[HEADING + i], species)
        out[TWO * i], out[TWO * i + ONE] = low, high
        places[X + i] = u32(u32(species * cells) + cell(x, y, width, bits))
        blocks = u32(blocks | block(y, block_bits))
    return blocks
