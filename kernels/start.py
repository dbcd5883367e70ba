"""Where agents begin: shapes drawn with integers, float64 + - * / and sqrt, the same on every machine."""

import functools
import math

import numpy as np
from numpy.typing import NDArray

from kernels.direction import sincos
from kernels.scene import Picture, Start

POINT_RADIUS = 1.0  # px: how wide "point" is
TURNS = 1.0  # of an arm of "spiral", from the centre to its end
CIRCLE = 65536  # headings
QUARTER = CIRCLE // 4

Words = NDArray[np.uint64]
Doubles = NDArray[np.float64]


def place(
    start: Start, width: int, height: int, fraction_bits: int, random: Words, more: Words
) -> tuple[Words, Words, Words | None]:
    """Where agents begin on a torus of width x height px.

    Each agent's place depends on its own two random numbers alone, so agents may be placed in parts.
    Where headings are to be all round, the upper 16 bits of `more` are unused and left to the caller.

    Args:
        start: The shape.
        width: Of the field, in px.
        height: Of the field, in px.
        fraction_bits: A unit is 2**-fraction_bits px; both sides have at most 2**24 units.
        random: 64 random bits for each agent [N].
        more: 64 more [N].

    Returns:
        x [N] and y [N] in units, from 0 to below the side; headings [N] in 65536ths of a circle, or
        None where they should be all round.
    """
    sides = width << fraction_bits, height << fraction_bits
    if start.kind == "uniform":
        return _part(random >> np.uint64(32), sides[0], 32), _part(_low(random, 32), sides[1], 32), None
    if start.image is not None:
        return *_bright(start.image, sides, random, more), None

    share = (random >> np.uint64(32)).astype(np.float64) / 2**32  # from 0 to below 1
    turn = _low(random >> np.uint64(16), 16)
    which = _part(_low(random, 16), start.count, 16)
    radius = start.radius * min(width, height)
    x, y = width / 2, height / 2
    heading = None
    match start.kind:
        case "ring in" | "ring out":
            dx, dy = _polar(radius, turn)
            heading = turn if start.kind == "ring out" else turn + np.uint64(CIRCLE // 2)
        case "spiral":
            out = np.sqrt(share)  # as many agents on a stretch far from the centre as on one near it
            turn = (out * (TURNS * CIRCLE)).astype(np.uint64) + which * np.uint64(CIRCLE // start.count)
            dx, dy = _polar(radius * out, turn)
            heading = turn + np.searchsorted(_slopes(), math.tau * TURNS * out).astype(np.uint64)
        case "line":
            dx = start.radius * width * (2 * share - 1)
            dy = ((which.astype(np.float64) + 0.5) / start.count - 0.5) * height
            heading = QUARTER + (more >> np.uint64(63)) * np.uint64(CIRCLE // 2)
        case "discs":
            (cx, cy), spacing = _grid(start.count, width, height, which)
            dx, dy = _polar(start.radius * spacing * np.sqrt(share), turn)
            dx, dy = cx + dx, cy + dy
        case kind:
            dx, dy = _polar((POINT_RADIUS if kind == "point" else radius) * np.sqrt(share), turn)
    if heading is not None:
        heading = _low(heading, 16)
    return _units(x + dx, sides[0], fraction_bits), _units(y + dy, sides[1], fraction_bits), heading


def _low(bits: Words, count: int) -> Words:
    """The lowest `count` bits of each number."""
    return bits & np.uint64((1 << count) - 1)


def _part(random: Words, whole: int, bits: int) -> Words:
    """Evenly from 0 to below `whole`, out of as many random bits; together they have at most 64."""
    return random * np.uint64(whole) >> np.uint64(bits)


def _units(pixels: Doubles, side: int, fraction_bits: int) -> Words:
    """Coordinates in px, anywhere, as units on a torus with so many to a side."""
    return (np.floor(pixels * (1 << fraction_bits)).astype(np.int64) % side).astype(np.uint64)


def _polar(radius: Doubles | float, turn: Words) -> tuple[Doubles, Doubles]:
    """Offsets (x, y) [N] of points so far away, in a direction in 65536ths of a circle."""
    cos, sin = sincos(_low(turn, 16).astype(np.int32))
    return radius * cos.astype(np.float64), radius * sin.astype(np.float64)


def _grid(count: int, width: int, height: int, which: Words) -> tuple[tuple[Doubles, Doubles], float]:
    """A grid of `count` places whose spacing is as even as it gets; a short last row stands centred.

    Returns:
        Offsets (x, y) [N] in px of the places `which` [N] from the field's centre, and their spacing.
    """

    def rows(columns: int) -> int:
        return -(-count // columns)

    def spacing(columns: int) -> float:
        return min(width / columns, height / rows(columns))

    columns = max(range(1, count + 1), key=spacing)
    last = count - columns * (rows(columns) - 1)
    row, column = np.divmod(which.astype(np.int64), columns)
    in_row = np.where(row == rows(columns) - 1, last, columns)
    x = (column - (in_row - 1) / 2) * (width / columns)
    y = (row - (rows(columns) - 1) / 2) * (height / rows(columns))
    return (x, y), spacing(columns)


@functools.cache
def _slopes() -> Doubles:
    """Slopes [QUARTER] of the headings in the first quarter; looking a slope up gives its heading."""
    cos, sin = sincos(np.arange(QUARTER, dtype=np.int32))
    return sin.astype(np.float64) / cos.astype(np.float64)


def _bright(picture: Picture, sides: tuple[int, int], random: Words, more: Words) -> tuple[Words, Words]:
    """Coordinates (x, y) [N] in units, as likely on a pixel as it is bright, evenly inside it."""
    upto = _brightness_upto(picture)
    drawn = _part(random >> np.uint64(32), int(upto[-1]), 32)
    order = np.argsort(drawn)  # searched for in order, they are found in a core's caches
    pixel = np.empty_like(drawn)
    pixel[order] = np.searchsorted(upto, drawn[order], "right")
    row, column = np.divmod(pixel, np.uint64(picture.width))
    inside = _low(more, 24), _low(more >> np.uint64(24), 24)

    def spread(pixel: Words, within: Words, pixels: int, side: int) -> Words:
        return _part(pixel << np.uint64(24) | within, side, 24) // np.uint64(pixels)

    return (
        spread(column, inside[0], picture.width, sides[0]),
        spread(row, inside[1], picture.height, sides[1]),
    )


@functools.lru_cache(maxsize=1)
def _brightness_upto(picture: Picture) -> Words:
    """The brightness of all pixels up to each, itself included [height * width]."""
    return np.cumsum(np.frombuffer(picture.pixels, np.uint8), dtype=np.uint64)
