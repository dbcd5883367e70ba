"""The parts of a step that a plain one leaves out, as Triton functions that `update_agents` calls.

They are those of `kernels.reference_rules` and `reference_moves`, operation by operation. Coordinates are
uint32, and so are those beyond an edge: they are large then. `own` is the tuple of an agent's numbers,
`contract.SLOTS`.
"""

# ruff: noqa: N803  (constants are upper-case in Triton, arguments or not)
import triton
import triton.language as tl

from kernels import contract, curves, world
from kernels.gpu_math import PLACE, cell_of, chance, displace, draw, halves_of, mixed, sincos, whole

BARRIER = tl.constexpr(contract.BARRIER)
PIECES = tl.constexpr(curves.PIECES)
TABLES = tl.constexpr(len(contract.RESPONSES))
BIRTHS = tl.constexpr(world.BIRTHS)
HALF_TURN = tl.constexpr(32768)

SENSE_SCALE = tl.constexpr(contract.SLOT["sense_scale"])
SENSE_OFFSET = tl.constexpr(contract.SLOT["sense_offset"])
SENSE_THRESHOLD = tl.constexpr(contract.SLOT["sense_threshold"])
WANDER = tl.constexpr(contract.SLOT["wander"])
TURN_CHANCE = tl.constexpr(contract.SLOT["turn_chance"])
RESPAWN_CHANCE = tl.constexpr(contract.SLOT["respawn_chance"])
LIFETIME_CHANCE = tl.constexpr(contract.SLOT["lifetime_chance"])
JOINED = tl.constexpr(contract.SLOT["joins"])
JOIN_THRESHOLD = tl.constexpr(contract.SLOT["join_threshold"])
JOIN_CHANCE = tl.constexpr(contract.SLOT["join_chance"])

DRAW_WANDER = tl.constexpr(contract.DRAW["wander"])
DRAW_TURN = tl.constexpr(contract.DRAW["turn"])
DRAW_HEADING = tl.constexpr(contract.DRAW["heading"])
DRAW_RESPAWN = tl.constexpr(contract.DRAW["respawn"])
DRAW_LIFETIME = tl.constexpr(contract.DRAW["lifetime"])
DRAW_X = tl.constexpr(contract.DRAW["x"])
DRAW_Y = tl.constexpr(contract.DRAW["y"])
DRAW_JUMP = tl.constexpr(contract.DRAW["jump"])
DRAW_BIRTH = tl.constexpr(contract.DRAW["birth"])
DRAW_JOINS = tl.constexpr(contract.DRAW["joins"])
DRAW_BLOCKED = tl.constexpr(contract.DRAW["blocked"])


@triton.jit
def smell_at(smell_ptr, x, y, dx, dy, field, mask, EDGES: tl.constexpr, SENSOR: tl.constexpr):
    """What agents smell [BLOCK] at an offset (dx, dy) in units; beyond an edge, if there is one, BARRIER.

    A sensor of more cells (SENSOR a side) takes the mean over them.
    """
    x_end, y_end, width, height, fraction_bits = field
    column = displace(x, dx, x_end) >> fraction_bits
    row = displace(y, dy, y_end) >> fraction_bits
    if SENSOR == 1:
        found = tl.load(smell_ptr + (row * width + column), mask, 0.0)
    else:
        found = tl.zeros(x.shape, tl.float32)
        for down in range(-(SENSOR // 2), SENSOR - SENSOR // 2):
            start = near(row.to(tl.int32) + down, height, EDGES) * width
            for right in tl.static_range(-(SENSOR // 2), SENSOR - SENSOR // 2):
                cell = start + near(column.to(tl.int32) + right, width, EDGES)
                found = found + tl.load(smell_ptr + cell, mask, 0.0)
        found = found * (1 / (SENSOR * SENSOR))
    if EDGES:
        out = (shifted(x, dx) >= x_end) | (shifted(y, dy) >= y_end)
        found = tl.where(out, BARRIER, found)
    return found


@triton.jit
def near(cell, side, EDGES: tl.constexpr):
    """Rows or columns [BLOCK] a few cells off, brought back onto the field."""
    if EDGES:
        cell = tl.minimum(tl.maximum(cell, 0), side - 1)
    else:
        cell = tl.where(cell < 0, cell + side, cell)
        cell = tl.where(cell >= side, cell - side, cell)
    return cell


@triton.jit
def shifted(place, by):
    """Coordinates [BLOCK] moved by an offset in units; those below 0 are large."""
    return place + whole(by).to(tl.uint32)


@triton.jit
def respond(
    responses_ptr, smell_ptr, x, y, cos, sin, species, own, share, field, mask,
    EDGES: tl.constexpr, SPECIES: tl.constexpr, BLEND: tl.constexpr,
):  # fmt: skip
    """Lengths and angles of agents by the trail they smell, as `gpu_agents.plain_numbers` gives them.

    Tables [SETS, SPECIES, PIECES, TABLES]: what one agent reads of them lies side by side.
    """
    ahead = own[SENSE_OFFSET]
    s = own[SENSE_SCALE] * smell_at(smell_ptr, x, y, cos * ahead, sin * ahead, field, mask, EDGES, 1)
    s = tl.where(s > 0, tl.where(s < 1, s, 1.0), 0.0)
    p = s * PIECES
    piece = tl.minimum(p.to(tl.int32), PIECES - 1)
    along = p - piece.to(tl.float32)
    entry = responses_ptr + (species * PIECES + piece) * TABLES
    distance = response(entry, 0, along, share, SPECIES, BLEND)
    angle = response(entry, 1, along, share, SPECIES, BLEND)
    turn = response(entry, 2, along, share, SPECIES, BLEND)
    step = response(entry, 3, along, share, SPECIES, BLEND)
    side_cos, side_sin = sincos(whole(angle) & 0xFFFF)
    return (distance, distance * side_cos, distance * side_sin), (whole(turn), 1.0, 0.0), step


@triton.jit
def response(entry_ptr, TABLE: tl.constexpr, along, share, SPECIES: tl.constexpr, BLEND: tl.constexpr):
    """A table's value [BLOCK] so far along a straight piece of it."""
    value = on_piece(tl.load(entry_ptr + TABLE), along)
    if BLEND:
        second = on_piece(tl.load(entry_ptr + (SPECIES * PIECES * TABLES + TABLE)), along)
        value = mixed(value, second, share)
    return value


@triton.jit
def on_piece(pair, along):
    """The value [BLOCK] from where a piece begins (low half) and how far it rises (high half)."""
    begin, rise = halves_of(pair)
    return begin.to(tl.float32, bitcast=True) + rise.to(tl.float32, bitcast=True) * along


@triton.jit
def noticed(smell, own):
    """What agents make of a smell [BLOCK]: nothing of one below their threshold, liked or not."""
    threshold = own[SENSE_THRESHOLD]
    return tl.where((smell < threshold) & (smell > -threshold), 0.0, smell)


@triton.jit
def join(trail_ptr, x, y, species, luck, own, field, mask):
    """Species [BLOCK], of which some join the one they may, on enough of its trail."""
    _, _, width, height, _ = field
    wanted = own[JOINED].to(tl.int32)
    plane = tl.maximum(wanted, 0).to(tl.int64) * (width * height)
    found = tl.load(trail_ptr + plane + cell_of(x, y, field), mask, 0.0)
    won = (wanted >= 0) & (found > own[JOIN_THRESHOLD]) & chance(luck, DRAW_JOINS, own[JOIN_CHANCE])
    return tl.where(won, wanted, species)


@triton.jit
def waver(heading, luck, own):
    """Headings [BLOCK] off by up to `wander` to either side; some by `turn_chance` any other."""
    by = (draw(luck, DRAW_WANDER) >> 16).to(tl.int32) - HALF_TURN
    heading = (heading + ((by * whole(own[WANDER])) >> 15)) & 0xFFFF
    anew = chance(luck, DRAW_TURN, own[TURN_CHANCE])
    return tl.where(anew, any_heading(luck, DRAW_HEADING), heading)


@triton.jit
def any_heading(luck, NUMBER: tl.constexpr):
    """A heading [BLOCK] at random."""
    return (draw(luck, NUMBER) & 0xFFFF).to(tl.int32)


@triton.jit
def move_by_rules(
    ground_ptr, births_ptr, x, y, heading, dx, dy, luck, low, own, field, mask,
    BOUNDARY: tl.constexpr, GROUND: tl.constexpr, LIFE: tl.constexpr,
):  # fmt: skip
    """Moves agents by an offset, and by the rules of edges, walls and jumps, in that order.

    Returns coordinates and headings [BLOCK], and which could not leave their place [BLOCK].
    """
    before_x, before_y = x, y
    x, y, heading, stays, jumps = cross(x, y, heading, dx, dy, field, BOUNDARY)
    if GROUND:
        stays = stays | (tl.load(ground_ptr + cell_of(x, y, field), mask, 0.0) < 0)
        # Only somebody painted over stands on a wall, and cannot leave it by steps.
        walled = tl.load(ground_ptr + cell_of(before_x, before_y, field), mask & stays, 0.0) < 0
        jumps = jumps | (stays & walled)
    x, y, heading = stay(x, y, heading, before_x, before_y, stays, luck)
    if LIFE:
        jumps = jumps | chance(luck, DRAW_RESPAWN, own[RESPAWN_CHANCE])
    x, y, heading = jump(x, y, heading, jumps, luck, low, field)
    if LIFE:
        dies = chance(luck, DRAW_LIFETIME, own[LIFETIME_CHANCE])
        x, y, heading = be_born(births_ptr, x, y, heading, dies, luck, low, mask)
    return x, y, heading, stays & ~jumps


@triton.jit
def cross(x, y, heading, dx, dy, field, BOUNDARY: tl.constexpr):
    """Moves agents by an offset shorter than the field, and over its edges by the boundary's rule.

    Returns coordinates and headings [BLOCK], who must stay where they were, and who must jump [BLOCK].
    """
    x_end, y_end, _, _, _ = field
    nobody = tl.full(x.shape, 0, tl.int1)
    stays, jumps = nobody, nobody
    to_x, to_y = shifted(x, dx), shifted(y, dy)
    if BOUNDARY == "wrap":
        x, y = displace(x, dx, x_end), displace(y, dy, y_end)
    elif BOUNDARY == "reflect":
        heading = tl.where(to_x >= x_end, HALF_TURN - heading, heading)
        heading = tl.where(to_y >= y_end, -heading, heading) & 0xFFFF
        x, y = mirrored(to_x, x_end), mirrored(to_y, y_end)
    else:
        out = (to_x >= x_end) | (to_y >= y_end)
        x, y = tl.where(out, x, to_x), tl.where(out, y, to_y)
        if BOUNDARY == "turn":
            stays = out
        else:
            jumps = out
    return x, y, heading, stays, jumps


@triton.jit
def mirrored(place, end):
    """Coordinates [BLOCK] less than a field away from it, mirrored at its edges."""
    # Of a coordinate below 0, of one inside and of one beyond, -1 - place is the small unsigned number only
    # of the first, and 2 * end - 1 - place is below `end` only of the last.
    place = tl.minimum(place, 0xFFFFFFFF - place)
    return tl.minimum(place, 2 * end - 1 - place)


@triton.jit
def stay(x, y, heading, before_x, before_y, stays, luck):
    """Puts some agents back where they were, with a new heading, any one."""
    heading = tl.where(stays, any_heading(luck, DRAW_BLOCKED), heading)
    return tl.where(stays, before_x, x), tl.where(stays, before_y, y), heading


@triton.jit
def jump(x, y, heading, jumps, luck, low, field):
    """Puts some agents anywhere, with any heading."""
    x_end, y_end, _, _, _ = field
    x = tl.where(jumps, tl.umulhi(draw(luck, DRAW_X), x_end), x)
    y = tl.where(jumps, tl.umulhi(draw(luck, DRAW_Y), y_end), y)
    return x, y, tl.where(jumps, any_heading(luck ^ low, DRAW_JUMP), heading)


@triton.jit
def be_born(births_ptr, x, y, heading, dies, luck, low, mask):
    """Puts some agents where others began, but for the last 8 bits of each number."""
    place = (draw(luck ^ low, DRAW_BIRTH) % BIRTHS).to(tl.int32)
    first, second = halves_of(tl.load(births_ptr + place, mask & dies, 0))
    born_x = (first & (PLACE & ~0xFF)) | (draw(luck, DRAW_X) & 0xFF)
    born_y = (second & (PLACE & ~0xFF)) | (draw(luck, DRAW_Y) & 0xFF)
    born_heading = ((second >> 24 << 8) | (draw(luck ^ low, DRAW_JUMP) & 0xFF)).to(tl.int32)
    return tl.where(dies, born_x, x), tl.where(dies, born_y, y), tl.where(dies, born_heading, heading)


@triton.jit
def claim(claims_ptr, taken_ptr, before_x, before_y, x, y, luck, low, field, mask):
    """Marks the cells agents stand on, and claims those they would leave them for."""
    here, there = cell_of(before_x, before_y, field), cell_of(x, y, field)
    tl.store(taken_ptr + here, 1, mask)
    claims = (luck.to(tl.uint64) << 32) | low.to(tl.uint64)
    tl.atomic_max(claims_ptr + there, claims, mask & (here != there), sem="relaxed")


@triton.jit
def crowded_out(claims_ptr, taken_ptr, before_x, before_y, x, y, heading, stays, luck, low, field, mask):
    """Agents after all claims are made, of which some stay: coordinates, headings and who stays [BLOCK]."""
    here, there = cell_of(before_x, before_y, field), cell_of(x, y, field)
    claims = (luck.to(tl.uint64) << 32) | low.to(tl.uint64)
    highest = tl.load(claims_ptr + there, mask, 0)
    taken = tl.load(taken_ptr + there, mask, 0) != 0
    failed = (here != there) & (taken | (highest != claims))
    x, y, heading = stay(x, y, heading, before_x, before_y, failed, luck)
    return x, y, heading, stays | failed
