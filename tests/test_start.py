"""Starts: where agents begin, on any field, and the same bits on any machine."""

import dataclasses
import functools
import hashlib
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels import start as start_module
from kernels.direction import sincos
from kernels.scene import START_SPECS, STARTS, Picture, Start
from kernels.start import CIRCLE, place

SIZES = [(16, 16), (17, 4001), (401, 257), (320, 180), (32768, 16), (16, 32768), (32768, 32768), (32767, 17)]
FACING = ("ring in", "ring out", "spiral", "line")
AGENTS = 40_000
BITS = 13


@functools.cache
def numbers(count: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Two independent 64-bit random numbers for each agent, by SplitMix64."""
    v = np.arange(1, 2 * count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    v = (v ^ v >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    v = (v ^ v >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    v = v ^ v >> np.uint64(31)
    return v[:count], v[count:]


PICTURE = Picture(3, 2, bytes([0, 10, 0, 30, 0, 60]))


def start_of(kind: str, **values: float) -> Start:
    return Start(kind, image=PICTURE if kind == "image" else None, **values)  # type: ignore[arg-type]


def fraction_bits(width: int, height: int) -> int:
    return min(BITS, 24 - (max(width, height) - 1).bit_length())


def from_centre(start: Start, width: int, height: int):
    """Offsets (x, y) [N] in px from the field's centre, and angles [N] of the headings, or None."""
    x, y, heading = place(start, width, height, BITS, *numbers(AGENTS))
    angle = None if heading is None else heading / CIRCLE * math.tau
    return x / 2**BITS - width / 2, y / 2**BITS - height / 2, angle


def even(values: NDArray[np.float64], bins: int = 16) -> bool:
    """Whether numbers from 0 to 1 are spread evenly, within 5 deviations."""
    assert values.min() >= 0
    assert values.max() <= 1
    expected = len(values) / bins
    counts = np.bincount(np.minimum(values * bins, bins - 1).astype(int), minlength=bins)
    return bool(np.abs(counts - expected).max() < 5 * math.sqrt(expected))


DIGESTS = {
    "uniform": "1a928bad5e1a71d9",
    "disc": "1b17554c0f1ba001",
    "ring in": "464e8ffd28db4c55",
    "ring out": "8b0d263fb2dcd036",
    "point": "02fa6c260464734e",
    "discs": "3ba7f192fa2b3154",
    "spiral": "3920bf70c85c3d4a",
    "line": "16531d79b5fb42f8",
    "image": "6d06f166a69c5e81",
}


@pytest.mark.parametrize("kind", STARTS)
def test_places_are_pinned(kind: str) -> None:
    """The bits, so that a machine with another idea of arithmetic is noticed."""
    digest = hashlib.sha256()
    for width, height in ((401, 257), (32768, 17)):
        for part in place(start_of(kind), width, height, fraction_bits(width, height), *numbers(AGENTS)):
            digest.update(b"-" if part is None else part.astype("<u8").tobytes())
    assert digest.hexdigest()[:16] == DIGESTS[kind]


@settings(deadline=None, derandomize=True, max_examples=200)
@given(
    st.sampled_from(STARTS),
    st.sampled_from(SIZES),
    st.floats(0.01, 1),
    st.integers(1, 64),
    st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=8),
)
def test_agents_begin_inside(
    kind: str, size: tuple[int, int], radius: float, count: int, drawn: list
) -> None:
    width, height = size
    bits = fraction_bits(*size)
    corners = [*drawn, 0, 2**64 - 1, 2**63, 2**32, 2**32 - 1]
    random = np.array(corners, np.uint64)
    start = start_of(kind, radius=radius, count=count)
    for more in (random, random[::-1]):
        x, y, heading = place(start, width, height, bits, random, more)
        assert x.dtype == y.dtype == np.uint64
        assert x.shape == y.shape == random.shape
        assert x.max() < width << bits
        assert y.max() < height << bits
        assert (heading is None) == (kind not in FACING)
        if heading is not None:
            assert heading.dtype == np.uint64
            assert heading.max() < CIRCLE


@pytest.mark.parametrize("kind", STARTS)
def test_agents_are_placed_one_by_one(kind: str) -> None:
    """Parts give what the whole gives."""
    random, more = numbers(AGENTS)
    whole = place(start_of(kind), 401, 257, BITS, random, more)
    part = slice(1000, 1003)
    parts = place(start_of(kind), 401, 257, BITS, random[part], more[part])
    for one, all_of_them in zip(parts, whole, strict=True):
        assert one is all_of_them is None or np.array_equal(one, all_of_them[part])


@pytest.mark.parametrize("kind", [kind for kind in STARTS if kind not in FACING])
def test_headings_that_are_left_to_the_caller_have_bits_of_their_own(kind: str) -> None:
    random, more = numbers(1000)
    other = more ^ np.uint64(0xFFFF << 48)
    for one, two in zip(
        place(start_of(kind), 401, 257, BITS, random, more),
        place(start_of(kind), 401, 257, BITS, random, other),
        strict=True,
    ):
        assert np.array_equal(one, two)


# Shapes


def test_uniform_is_even() -> None:
    x, y, _ = from_centre(Start(), 401, 257)
    assert even(x / 401 + 0.5)
    assert even(y / 257 + 0.5)


@pytest.mark.parametrize(("kind", "radius"), [("disc", 0.3 * 180), ("point", 1.0)])
def test_discs_are_even(kind: str, radius: float) -> None:
    """As many agents on every ring of equal area, and in every direction."""
    x, y, _ = from_centre(Start(kind, radius=0.3), 320, 180)
    unit = 2**-BITS
    assert np.hypot(x, y).max() < radius + 2 * unit
    inner = np.hypot(x + unit / 2, y + unit / 2) / radius
    assert even(np.minimum(inner, 1) ** 2)
    assert even(np.arctan2(y, x) / math.tau % 1)


@pytest.mark.parametrize(("kind", "sign"), [("ring in", -1), ("ring out", 1)])
def test_rings_face_their_way(kind: str, sign: int) -> None:
    x, y, angle = from_centre(Start(kind, radius=0.4), 320, 180)
    assert np.hypot(x, y) == pytest.approx(np.full(AGENTS, 72), abs=0.001)
    assert even(angle / math.tau)
    outward = (x * np.cos(angle) + y * np.sin(angle)) / 72
    assert outward == pytest.approx(np.full(AGENTS, sign), abs=1e-5)


@pytest.mark.parametrize(
    ("size", "count", "rows"),
    [((320, 180), 7, [4, 3]), ((180, 320), 6, [2, 2, 2]), ((100, 100), 1, [1]), ((6400, 16), 64, [64])],
)
def test_discs_stand_in_a_grid(size: tuple[int, int], count: int, rows: list[int]) -> None:
    x, y, _ = from_centre(Start("discs", radius=0.3, count=count), *size)
    spacing = min(size[0] / max(rows), size[1] / len(rows))
    centres = [
        ((column - (in_row - 1) / 2) * size[0] / max(rows), (row - (len(rows) - 1) / 2) * size[1] / len(rows))
        for row, in_row in enumerate(rows)
        for column in range(in_row)
    ]
    distances = np.stack([np.hypot(x - cx, y - cy) for cx, cy in centres])
    assert distances.min(0).max() < 0.3 * spacing + 0.001
    shared = np.bincount(distances.argmin(0), minlength=count)
    assert np.abs(shared - AGENTS / count).max() < 5 * math.sqrt(AGENTS / count)
    assert even((distances.min(0) / (0.3 * spacing + 0.001)) ** 2)


def test_one_disc_of_a_grid_is_the_disc() -> None:
    one, disc = (place(Start(kind, count=1), 401, 257, BITS, *numbers(AGENTS)) for kind in ("discs", "disc"))
    assert np.array_equal(one[:2], disc[:2])


@pytest.mark.parametrize("count", [1, 2, 7])
def test_spirals_wind_outward(count: int) -> None:
    """Each agent is on an arm r = R * turns, and heads along it."""
    x, y, angle = from_centre(Start("spiral", radius=0.4, count=count), 3200, 1800)
    out = np.hypot(x, y) / 720
    assert out.max() <= 1.0001
    assert even(np.minimum(out, 1) ** 2)
    turned = np.arctan2(y, x) / math.tau - out  # on which arm
    arm = turned * count % count
    far = out > 0.05
    assert (np.abs(arm - np.round(arm)) < 0.01 * count)[far].all()
    assert even((arm + 0.5) % count / count, count)
    along = np.arctan2(y, x) + np.arctan(math.tau * out)
    assert np.cos(angle - along)[far].min() > 0.9999


@pytest.mark.parametrize("count", [1, 2, 5])
def test_lines_lie_level(count: int) -> None:
    x, y, angle = from_centre(Start("line", radius=0.25, count=count), 400, 200)
    assert even(x / 200 + 0.5)
    expected = [(line + 0.5) / count * 200 - 100 for line in range(count)]
    assert sorted(set(y.tolist())) == pytest.approx(expected, abs=0.001)
    assert set(angle.tolist()) == {math.pi / 2, math.pi * 3 / 2}
    down = np.count_nonzero(angle < math.pi)
    assert abs(down - AGENTS / 2) < 5 * math.sqrt(AGENTS / 4)


@pytest.mark.parametrize(("width", "height"), [(401, 257), (32768, 16)])
def test_images_are_weighed_by_brightness(width: int, height: int) -> None:
    bits = fraction_bits(width, height)
    x, y, _ = place(start_of("image"), width, height, bits, *numbers(AGENTS))
    across, down = x / (width << bits) * 3, y / (height << bits) * 2
    counts = np.bincount(down.astype(int) * 3 + across.astype(int), minlength=6)
    expected = np.frombuffer(PICTURE.pixels, np.uint8) / 100 * AGENTS
    assert (counts[expected == 0] == 0).all()
    assert np.abs(counts - expected).max() < 5 * math.sqrt(AGENTS / 4)
    assert even(across % 1)
    assert even(down % 1)


def test_an_image_of_the_fields_size_is_exact() -> None:
    pixels = np.zeros((48, 64), np.uint8)
    pixels[[0, 3, 47], [0, 63, 20]] = 1, 255, 7
    x, y, _ = place(Start("image", image=Picture(64, 48, pixels.tobytes())), 64, 48, BITS, *numbers(AGENTS))
    cells = set(zip((y >> np.uint64(BITS)).tolist(), (x >> np.uint64(BITS)).tolist(), strict=True))
    assert cells == {(0, 0), (3, 63), (47, 20)}


def test_the_largest_image_is_drawn_from() -> None:
    bright = Picture(1024, 1024, b"\xff" * 1024**2)
    x, y, _ = place(Start("image", image=bright), 32768, 32768, 9, *numbers(AGENTS))
    assert even(x / 2**24)
    assert even(y / 2**24)


def test_slopes_rise_so_that_they_can_be_looked_up() -> None:
    slopes = start_module._slopes()
    assert (np.diff(slopes) > 0).all()
    assert np.arctan(slopes) == pytest.approx(np.arange(CIRCLE // 4) / CIRCLE * math.tau, abs=1e-6)


def test_sincos_of_every_heading() -> None:
    cos, sin = sincos(np.arange(CIRCLE, dtype=np.int32))
    angle = np.arange(CIRCLE) / CIRCLE * math.tau
    assert np.abs(cos - np.cos(angle)).max() < 1.5e-7
    assert np.abs(sin - np.sin(angle)).max() < 1.5e-7


# What is refused


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"kind": "square"}, "kind = 'square' is not allowed; it takes one of uniform, disc, "),
        ({"radius": 0.0}, "radius = 0.0 is not allowed; it takes from 0.01 to 1 of the field's"),
        ({"radius": math.nan}, "radius = nan is not allowed"),
        ({"radius": "1"}, "radius = '1' is not allowed"),
        ({"count": 65}, "count = 65 is not allowed; it takes a whole number from 1 to 64"),
        ({"count": 2.5}, "count = 2.5 is not allowed"),
        ({"count": True}, "count = true is not allowed"),
        ({"kind": "image"}, "takes an image if it is of the kind"),
        ({"image": PICTURE}, "takes an image if it is of the kind"),
    ],
)
def test_what_a_start_refuses(values: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Start(**values)


@pytest.mark.parametrize(
    ("width", "height", "pixels", "words"),
    [
        (0, 1, b"", "picture width = 0 is not allowed; it takes from 1 to 1024 px"),
        (1, 1025, b"", "picture height = 1025 is not allowed"),
        (2, 3, b"12345", "A picture of 2 x 3 px cannot be made of 5 bytes."),
        (2, 3, bytes(6), "The picture is all black"),
    ],
)
def test_what_a_picture_refuses(width: int, height: int, pixels: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Picture(width, height, pixels)


def test_starts_are_values() -> None:
    start = Start("disc", radius=1, count=3.0)  # type: ignore[arg-type]
    assert (type(start.radius), type(start.count)) == (float, int)
    assert start == Start("disc", 1.0, 3)
    assert {start, Start("disc", 1.0, 3)} == {start}
    assert len({start_of("image"), dataclasses.replace(start_of("image"), radius=0.5)}) == 2
    assert list(START_SPECS) == ["kind", "radius", "count"]
