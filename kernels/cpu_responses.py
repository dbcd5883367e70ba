"""Lengths and angles of agents by the trail they smell, as loops over a chunk of agents.

The rule is `reference_rules.respond`. Looking up and computing stand in loops of their own: LLVM makes
SIMD code of those that only compute.
"""

from kernels.contract import RESPONSES, SLOT
from kernels.cpu_model import (
    BLOCK_BITS,
    END_X,
    END_Y,
    FRACTION_BITS,
    LANE,
    LEFT,
    NONE,
    ONE,
    PLACE,
    RIGHT,
    TWO,
    WIDTH,
    ZERO,
    block,
    cell,
    choose,
    displace,
    f32,
    i32,
    jit,
    joined,
    luck,
    move,
    sincos,
    u32,
    u64,
    unpack,
)
from kernels.cpu_rules import (
    BEYOND,
    COS,
    FRONT,
    HEADING,
    LEFTHAND,
    MASK,
    REACH,
    RIGHTHAND,
    SIDE_COS,
    SIDE_SIN,
    SIN,
    STRIDE,
    TURNING,
    X,
    Y,
    beyond,
    smelled,
    whole,
)
from kernels.cpu_scene import BLEND, BOUNDARY, WRAP
from kernels.curves import PIECES

ANGLE, REST = SIDE_COS, SIDE_SIN  # rows before there are sensors
FOUR = u64(len(RESPONSES))
PIECE, PIECE_2, PIECE_3, PIECE_4 = (u64(HEADING + k * LANE) for k in range(len(RESPONSES)))  # of `places`
ROW, ROW_2, ROW_3 = (u64(k * LANE // 2) for k in range(1, len(RESPONSES)))  # from one to the next, in 64 bits
THREE = u64(3)
LAST, SCALE = i32(PIECES - 1), f32(PIECES)
SENSE_OFFSET, SENSE_SCALE = SLOT["sense_offset"], SLOT["sense_scale"]


@jit
def respond(words, smell, own, tables, shape, places, numbers):
    """Sensors, turn and step of each agent, by the trail it smells."""
    agents = u64(len(words) >> 1)
    peer(words, smell, own, shape, places, numbers)
    look_up(tables[0], agents, places)
    interpolate(agents, places, numbers)
    if shape[BLEND]:
        look_up(tables[1], agents, places)
        blend_in(agents, places, numbers)
    part(agents, numbers)


@jit
def peer(words, smell, own, shape, places, numbers):
    """The piece of the tables that each agent's smell falls into, and how far it lies along it."""
    offset, offset_more = own[0, SENSE_OFFSET], own[1, SENSE_OFFSET]
    scale, scale_more = own[0, SENSE_SCALE], own[1, SENSE_SCALE]
    place, width, bits = shape[PLACE], shape[WIDTH], u32(shape[FRACTION_BITS] & u32(31))
    end_x, end_y, edge = shape[END_X], shape[END_Y], NONE if shape[BOUNDARY] == WRAP else BEYOND
    if offset == ZERO and offset_more == ZERO:
        for i in range(u64(len(words) >> 1)):
            places[X + i] = cell(u32(words[TWO * i] & place), u32(words[TWO * i + ONE] & place), width, bits)
    else:
        for i in range(u64(len(words) >> 1)):
            x, y = u32(words[TWO * i] & place), u32(words[TWO * i + ONE] & place)
            ahead = offset + offset_more * numbers[MASK + i]
            dx, dy = numbers[COS + i] * ahead, numbers[SIN + i] * ahead
            at = cell(displace(x, dx, end_x), displace(y, dy, end_y), width, bits)
            places[X + i] = u32(at | beyond(x, y, dx, dy, end_x, end_y, edge))
    for i in range(u64(len(words) >> 1)):
        numbers[REST + i] = smelled(smell, places[X + i])
    for i in range(u64(len(words) >> 1)):
        s = (scale + scale_more * numbers[MASK + i]) * numbers[REST + i]
        s = s if s < f32(1) else f32(1)
        p = (s if s > ZERO else ZERO) * SCALE
        piece = i32(p)
        piece = piece if piece < LAST else LAST
        places[Y + i] = u32(piece)
        numbers[REST + i] = p - f32(piece)


@jit
def look_up(table, agents, places):
    """Each agent's piece of all tables: where it begins and how far it rises, 64 bits in one go."""
    pieces = places[PIECE:].view(u64)
    for i in range(u64(agents)):
        at = u64(u64(places[Y + i]) * FOUR)
        pieces[i] = table[at]
        pieces[ROW + i] = table[at + ONE]
        pieces[ROW_2 + i] = table[at + TWO]
        pieces[ROW_3 + i] = table[at + THREE]


@jit
def interpolate(agents, places, numbers):
    """Distance, angle, turn and step along those pieces."""
    for i in range(u64(agents)):
        rest = numbers[REST + i]
        numbers[REACH + i] = along(places, PIECE, i, rest)
        numbers[ANGLE + i] = along(places, PIECE_2, i, rest)
        numbers[TURNING + i] = along(places, PIECE_3, i, rest)
        numbers[STRIDE + i] = along(places, PIECE_4, i, rest)


@jit
def blend_in(agents, places, numbers):
    """The same of the second set, as far as the mask says."""
    for i in range(u64(agents)):
        rest, mask = numbers[REST + i], numbers[MASK + i]
        numbers[REACH + i] += (along(places, PIECE, i, rest) - numbers[REACH + i]) * mask
        numbers[ANGLE + i] += (along(places, PIECE_2, i, rest) - numbers[ANGLE + i]) * mask
        numbers[TURNING + i] += (along(places, PIECE_3, i, rest) - numbers[TURNING + i]) * mask
        numbers[STRIDE + i] += (along(places, PIECE_4, i, rest) - numbers[STRIDE + i]) * mask


@jit
def along(places, row, i, rest):
    """The value of a response part of the way along a piece."""
    begin, rise = u32(places[row + TWO * i]), u32(places[row + TWO * i + ONE])
    return begin.view(f32) + rise.view(f32) * rest


@jit
def part(agents, numbers):
    """The outer sensors' places from distance and angle."""
    for i in range(u64(agents)):
        cos, sin = sincos(u32(whole(numbers[ANGLE + i])))
        reach = numbers[REACH + i]
        numbers[SIDE_COS + i], numbers[SIDE_SIN + i] = reach * cos, reach * sin


@jit
def steer_and_move(words, shape, key, species, places, numbers):
    """`cpu_model.steer_and_move` where each agent has a turn and a step of its own.

    Returns:
        The blocks of rows they stand in, as a mask.
    """
    width, end_x, end_y, bits = shape[WIDTH], shape[END_X], shape[END_Y], u32(shape[FRACTION_BITS] & u32(31))
    place, block_bits, blocks = shape[PLACE], u32(shape[BLOCK_BITS] & u32(31)), NONE
    for i in range(u64(len(words) >> 1)):
        low, high = words[TWO * i], words[TWO * i + ONE]
        _, _, heading = unpack(low, high)
        coin = RIGHT if i32(luck(low, high, key)) < i32(0) else LEFT
        side = choose(numbers[FRONT + i], numbers[LEFTHAND + i], numbers[RIGHTHAND + i], coin)
        heading = u32(heading + u32(i32(side * whole(numbers[TURNING + i]))))
        cos, sin = sincos(heading)
        x, y = u32(low & place), u32(high & place)
        x, y = move(x, y, cos, sin, numbers[STRIDE + i], end_x, end_y)
        places[i] = cell(x, y, width, bits)
        blocks = u32(blocks | block(y, block_bits))
        words[TWO * i], words[TWO * i + ONE] = joined(x, y, heading, species)
    return blocks
