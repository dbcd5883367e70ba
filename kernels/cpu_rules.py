"""What agents do by rules that a plain step leaves out, until they know where to go.

Loops over a chunk of agents, all of one species, as in `cpu_model`. The rules are those of
`kernels.reference_rules`. Instead of a number that all agents share, each has its own in a row of scratch.
Which of these loops a chunk needs, `cpu_agents` says.
"""

from kernels.contract import SLOT
from kernels.cpu_model import (
    AHEAD,
    END_X,
    END_Y,
    FRACTION_BITS,
    KINDS,
    LANE,
    LEFT,
    NONE,
    ONE,
    PLACE,
    RIGHT,
    ROUND_BITS,
    ROUND_UP,
    SPECIES_SHIFT,
    STEP,
    TURN,
    TURN_COS,
    TURN_SIN,
    TWO,
    WIDTH,
    ZERO,
    cell,
    displace,
    f32,
    i32,
    jit,
    kind,
    luck,
    sincos,
    steer,
    u32,
    u64,
)
from kernels.cpu_model import SIDE_COS as SLOT_SIDE_COS
from kernels.cpu_model import SIDE_SIN as SLOT_SIDE_SIN
from kernels.cpu_scene import DRAWS, NOTHING, chance, drawn
from kernels.params import MAX_SPECIES

# Rows of scratch, `numbers`: direction; sensors, and in their place what they smell; turn, step and mask.
COS, SIN, REACH, SIDE_COS, SIDE_SIN, TURNING, STRIDE, MASK = (u64(k * LANE) for k in range(8))
FRONT, LEFTHAND, RIGHTHAND = REACH, SIDE_COS, SIDE_SIN

# And `places`: the cells of three sensors; in their place coordinates and heading; luck, fate and species.
X, Y, HEADING, LUCK, FATE, KIND = (u64(k * LANE) for k in range(6))

BEYOND, WITHIN = u32(1 << 31), u32((1 << 31) - 1)  # beside a sensor's cell: it lies over an edge

THRESHOLD = SLOT["sense_threshold"]
JOINS, JOIN_THRESHOLD, JOIN_CHANCE = (SLOT[name] for name in ("joins", "join_threshold", "join_chance"))
WANDER, TURN_CHANCE = SLOT["wander"], SLOT["turn_chance"]
BY_WANDER, BY_TURN, BY_HEADING, BY_JOINS = (DRAWS[name] for name in ("wander", "turn", "heading", "joins"))


@jit
def alike(words, shape):
    """How many agents at the head of a chunk are of the species of the first."""
    agents = u64(len(words) >> 1)
    if shape[KINDS] == NONE:
        return agents
    differ, bit = NONE, u32(u32(1) << SPECIES_SHIFT)
    for i in range(agents):
        differ = u32(differ | unlike(words, i))
    if u32(differ & bit) == NONE:
        return agents
    same = ONE
    while u32(unlike(words, same) & bit) == NONE:
        same += ONE
    return same


@jit
def group(words, shape, places):
    """Puts a chunk in order of species, where it is not all of one: joining mixes them between two sorts."""
    agents, n = u64(len(words) >> 1), u64(0)
    if alike(words, shape) == agents:
        return
    for species in range(MAX_SPECIES):
        for i in range(agents):  # without a choice: each is written down, and stays if it is the one meant
            low, high = words[TWO * i], words[TWO * i + ONE]
            places[TWO * n], places[TWO * n + ONE] = low, high
            n += u64(kind(low, high, shape) == u32(species))
    for i in range(TWO * agents):
        words[i] = places[i]


@jit
def unlike(words, i):
    """The bits in which either half of an agent's word differs from the first one's."""
    return u32(u32(words[TWO * i] ^ words[0]) | u32(words[TWO * i + ONE] ^ words[1]))


@jit
def whole(number):
    """The nearest whole number, see `reference_rules.whole`."""
    return i32(u32(f32(number + ROUND_UP).view(u32) - ROUND_BITS))


@jit
def weigh(words, field_mask, shape, numbers):
    """How far the second set of numbers holds where each agent stands, into its row."""
    place, width, bits = shape[PLACE], shape[WIDTH], u32(shape[FRACTION_BITS] & u32(31))
    for i in range(u64(len(words) >> 1)):
        x, y = u32(words[TWO * i] & place), u32(words[TWO * i + ONE] & place)
        numbers[MASK + i] = field_mask[cell(x, y, width, bits)]


@jit
def equip(agents, own, numbers):
    """Sensors, turn and step of all alike."""
    values = own[0]
    reach, side_cos, side_sin = values[AHEAD], values[SLOT_SIDE_COS], values[SLOT_SIDE_SIN]
    turn, step = values[TURN], values[STEP]
    for i in range(u64(agents)):
        numbers[REACH + i], numbers[SIDE_COS + i], numbers[SIDE_SIN + i] = reach, side_cos, side_sin
        numbers[TURNING + i], numbers[STRIDE + i] = turn, step


@jit
def beyond(x, y, dx, dy, end_x, end_y, edge):
    """`edge` where an offset leads over one, else 0. Coordinates below 0 are huge, as they are unsigned.

    Without a choice, which would keep LLVM from SIMD code.
    """
    over_x = u32(u32(u32(x - ROUND_BITS) + f32(dx + ROUND_UP).view(u32)) >= end_x)
    over_y = u32(u32(u32(y - ROUND_BITS) + f32(dy + ROUND_UP).view(u32)) >= end_y)
    return u32(u32(u32(over_x | over_y) << u32(31)) & edge)


@jit
def smelled(smell, place):
    """The smell on a cell that may be marked."""
    found = smell[u32(place & WITHIN)]
    return found if place < BEYOND else NOTHING


@jit
def aim(words, shape, places, numbers):
    """The cells of each agent's sensors, ahead, left and right, into `places` 0, 1 and 2."""
    place, width, bits = shape[PLACE], shape[WIDTH], u32(shape[FRACTION_BITS] & u32(31))
    end_x, end_y = shape[END_X], shape[END_Y]
    for i in range(u64(len(words) >> 1)):
        x, y = u32(words[TWO * i] & place), u32(words[TWO * i + ONE] & place)
        cos, sin, reach = numbers[COS + i], numbers[SIN + i], numbers[REACH + i]
        side_cos, side_sin = numbers[SIDE_COS + i], numbers[SIDE_SIN + i]
        places[X + i] = cell(displace(x, cos * reach, end_x), displace(y, sin * reach, end_y), width, bits)
        dx, dy = cos * side_cos + sin * side_sin, sin * side_cos - cos * side_sin
        places[Y + i] = cell(displace(x, dx, end_x), displace(y, dy, end_y), width, bits)
        dx, dy = cos * side_cos - sin * side_sin, sin * side_cos + cos * side_sin
        places[HEADING + i] = cell(displace(x, dx, end_x), displace(y, dy, end_y), width, bits)


@jit
def mark(words, shape, places, numbers):
    """Marks those of the cells that lie beyond an edge."""
    place, end_x, end_y = shape[PLACE], shape[END_X], shape[END_Y]
    for i in range(u64(len(words) >> 1)):
        x, y = u32(words[TWO * i] & place), u32(words[TWO * i + ONE] & place)
        cos, sin, reach = numbers[COS + i], numbers[SIN + i], numbers[REACH + i]
        side_cos, side_sin = numbers[SIDE_COS + i], numbers[SIDE_SIN + i]
        places[X + i] |= beyond(x, y, cos * reach, sin * reach, end_x, end_y, BEYOND)
        dx, dy = cos * side_cos + sin * side_sin, sin * side_cos - cos * side_sin
        places[Y + i] |= beyond(x, y, dx, dy, end_x, end_y, BEYOND)
        dx, dy = cos * side_cos - sin * side_sin, sin * side_cos + cos * side_sin
        places[HEADING + i] |= beyond(x, y, dx, dy, end_x, end_y, BEYOND)


@jit
def sense(smell, agents, places, numbers):
    """What they smell there, ahead, left and right, or beyond an edge."""
    for i in range(u64(agents)):
        numbers[FRONT + i] = smelled(smell, places[X + i])
    for i in range(u64(agents)):
        numbers[LEFTHAND + i] = smelled(smell, places[Y + i])
    for i in range(u64(agents)):
        numbers[RIGHTHAND + i] = smelled(smell, places[HEADING + i])


@jit
def notice(agents, own, numbers):
    """A smell below an agent's threshold is none, liked or not."""
    first, more = own[0, THRESHOLD], own[1, THRESHOLD]
    if first == ZERO and more == ZERO:
        return
    for row in (FRONT, LEFTHAND, RIGHTHAND):
        for i in range(u64(agents)):
            smell, threshold = numbers[row + i], first + more * numbers[MASK + i]
            faint = ZERO if smell > -threshold else smell
            numbers[row + i] = faint if smell < threshold else smell


@jit
def turn(words, own, key, species, places, numbers):
    """Each agent's luck, its heading and direction after Jones's rule, and its species so far."""
    turn_cos, turn_sin = own[0, TURN_COS], own[0, TURN_SIN]
    for i in range(u64(len(words) >> 1)):
        low, high = words[TWO * i], words[TWO * i + ONE]
        by_luck = luck(low, high, key)
        heading, cos, sin = steer(
            u32(u32(low >> u32(24)) | u32(u32(high >> u32(24)) << u32(8))),
            numbers[COS + i], numbers[SIN + i],
            numbers[FRONT + i], numbers[LEFTHAND + i], numbers[RIGHTHAND + i],
            RIGHT if i32(by_luck) < i32(0) else LEFT, whole(numbers[TURNING + i]), turn_cos, turn_sin,
        )  # fmt: skip
        places[LUCK + i], places[HEADING + i], places[KIND + i] = by_luck, heading, species
        numbers[COS + i], numbers[SIN + i] = cos, sin


@jit
def join(words, trail, own, shape, places, numbers):
    """Agents on enough trail of the species they may join become its own."""
    place, width, bits = shape[PLACE], shape[WIDTH], u32(shape[FRACTION_BITS] & u32(31))
    first, more = own[0, JOINS], own[1, JOINS]
    if first < ZERO and first + more < ZERO:
        return
    threshold, threshold_more = own[0, JOIN_THRESHOLD], own[1, JOIN_THRESHOLD]
    likely, likely_more = own[0, JOIN_CHANCE], own[1, JOIN_CHANCE]
    for i in range(u64(len(words) >> 1)):
        mask = numbers[MASK + i]
        other = i32(first + more * mask)
        if other >= 0:
            x, y = u32(words[TWO * i] & place), u32(words[TWO * i + ONE] & place)
            found = trail[u32(other), cell(x, y, width, bits)]
            won = found > threshold + threshold_more * mask
            if won and chance(places[LUCK + i], BY_JOINS, likely + likely_more * mask):
                places[KIND + i] = u32(other)


@jit
def waver(agents, own, places, numbers):
    """Turns by up to `wander` to either side; or a new heading by `turn_chance`."""
    first, more = own[0, WANDER], own[1, WANDER]
    if first != ZERO or more != ZERO:
        for i in range(u64(agents)):
            by = i32(i32(drawn(places[LUCK + i], BY_WANDER) >> u32(16)) - i32(32768))
            most = whole(first + more * numbers[MASK + i])
            places[HEADING + i] = u32(places[HEADING + i] + u32(i32(i32(by * most) >> i32(15))))
    first, more = own[0, TURN_CHANCE], own[1, TURN_CHANCE]
    if first != ZERO or more != ZERO:
        for i in range(u64(agents)):
            by_luck = places[LUCK + i]
            anew = chance(by_luck, BY_TURN, first + more * numbers[MASK + i])
            places[HEADING + i] = drawn(by_luck, BY_HEADING) if anew else places[HEADING + i]


@jit
def look_ahead(agents, places, numbers):
    """Makes the direction that of the heading."""
    for i in range(u64(agents)):
        numbers[COS + i], numbers[SIN + i] = sincos(places[HEADING + i])
