"""Lengths and angles of agents by the trail they smell, as loops over a chunk of agents.

The rule is `reference_rules.respond`. Looking up and computing stand in loops of their own: LLVM makes
SIMD code of those that only compute.
"""

from kernels.contract import RESPONSES, SLOT
from kernels.cpu_model import (
    END_X,
    END_Y,
    FRACTION_BITS,
    NONE,
    ONE,
    PLACE,
    TWO,
    WIDTH,
    ZERO,
    cell,
    displace,
    f32,
    i32,
    jit,
    sincos,
    u32,
    u64,
)
from kernels.cpu_rules import (
    BEYOND,
    COS,
    MASK,
    REACH,
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
DISTANCE_TABLE, ANGLE_TABLE, TURN_TABLE, STEP_TABLE = (u64(k) for k in range(len(RESPONSES)))
LAST, SCALE = i32(PIECES - 1), f32(PIECES)
SENSE_OFFSET, SENSE_SCALE = SLOT["sense_offset"], SLOT["sense_scale"]


@jit
def respond(words, smell, own, tables, shape, places, numbers):
    """Sensors, turn and step of each agent, by the trail it smells."""
    agents = u64(len(words) >> 1)
    peer(words, smell, own, shape, places, numbers)
    look_up(tables[0], agents, places, numbers)
    if shape[BLEND]:
        blend_in(tables[1], agents, places, numbers)
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
def look_up(tables, agents, places, numbers):
    """Distance, angle, turn and step from the tables [RESPONSES, PIECES, 2] of one set."""
    for i in range(u64(agents)):
        piece, rest = u64(places[Y + i]), numbers[REST + i]
        numbers[REACH + i] = interpolated(tables, DISTANCE_TABLE, piece, rest)
        numbers[ANGLE + i] = interpolated(tables, ANGLE_TABLE, piece, rest)
        numbers[TURNING + i] = interpolated(tables, TURN_TABLE, piece, rest)
        numbers[STRIDE + i] = interpolated(tables, STEP_TABLE, piece, rest)


@jit
def blend_in(tables, agents, places, numbers):
    """The same of the second set, as far as the mask says."""
    for i in range(u64(agents)):
        piece, rest, mask = u64(places[Y + i]), numbers[REST + i], numbers[MASK + i]
        numbers[REACH + i] += (interpolated(tables, DISTANCE_TABLE, piece, rest) - numbers[REACH + i]) * mask
        numbers[ANGLE + i] += (interpolated(tables, ANGLE_TABLE, piece, rest) - numbers[ANGLE + i]) * mask
        numbers[TURNING + i] += (interpolated(tables, TURN_TABLE, piece, rest) - numbers[TURNING + i]) * mask
        numbers[STRIDE + i] += (interpolated(tables, STEP_TABLE, piece, rest) - numbers[STRIDE + i]) * mask


@jit
def part(agents, numbers):
    """The outer sensors' places from distance and angle."""
    for i in range(u64(agents)):
        cos, sin = sincos(u32(whole(numbers[ANGLE + i])))
        reach = numbers[REACH + i]
        numbers[SIDE_COS + i], numbers[SIDE_SIN + i] = reach * cos, reach * sin


@jit
def interpolated(tables, which, piece, rest):
    """The value of one response."""
    return tables[which, piece, 0] + tables[which, piece, 1] * rest
