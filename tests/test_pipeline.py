"""The picture from trail to pixels: what is off costs nothing, parts make a whole, and colours are right."""

import dataclasses
import io
from collections.abc import Iterator

import moderngl
import numpy as np
import pytest
from PIL import Image

from app import png
from app.display import Display
from app.palette import light_of, to_srgb
from app.tone import tones
from app.view import View
from kernels.params import SPECS, TONES, Params, check_params
from kernels.simulation import Simulation
from kernels.world import World

WORLD = World(96, 64, 3000, "pipeline")
FIELD = 96, 64
OTHER = (90, 57)  # a picture of odd shape
RAMP = "#000000 0, #ffffff 1"
LIT = [name for name, spec in SPECS.items() if spec.group in ("Light", "Finish")]
EFFECTS = Params(
    exposure=2.0, tone="aces", gamma=1.3, contrast=1.4, colour_by="heading", bloom=1.5, bloom_threshold=0.1,
    ridge=0.8, grain=0.5, vignette=0.6,
)  # fmt: skip
PLAIN = dataclasses.replace(EFFECTS, bloom=0.0, grain=0.0, vignette=0.0)


def view(
    target: tuple[int, int] = FIELD,
    zoom: float = 1.0,
    angle: float = 0.0,
    centre: tuple[float, float] = (48.0, 32.0),
) -> View:
    return View(FIELD, target, centre, zoom, angle)


VIEWS = {
    "exact": view(), "odd": view(OTHER), "near": view(OTHER, 3.3), "far": view(OTHER, 0.4),
    "turned": view(OTHER, 1.5, 27.0),
}  # fmt: skip


@pytest.fixture(scope="module")
def trail() -> np.ndarray:
    simulation = Simulation(WORLD, Params(sensor_angle=45, sensor_distance=6, rotation_angle=45), "reference")
    simulation.step(60)
    return simulation.trail.copy()


@pytest.fixture
def display(gl: moderngl.Context, trail: np.ndarray) -> Iterator[Display]:
    display = Display(gl, WORLD)
    display.upload(trail)
    display.step = 60
    yield display
    display.release()


def test_what_is_off_costs_no_pass(display: Display) -> None:
    display.picture(Params())
    assert list(display.covering.variants) == [("EXACT",)]
    assert display.glow.down == []
    assert display.glow.stage.variants == {}
    display.picture(Params(bloom=1.0, bloom_radius=20.0))
    assert any("FINISH" in variant for variant in display.covering.variants)
    assert display.glow.down
    assert set(display.glow.stage.variants) == {("DOWN",), ("UP",)}


@pytest.mark.parametrize("name", sorted({*LIT} - {"sparkle"}))  # whose agents `app.stage` brings
def test_every_parameter_of_light_and_finish_changes_the_picture(display: Display, name: str) -> None:
    base = EFFECTS if name not in ("grain", "vignette") else PLAIN
    value = getattr(base, name)
    spec = SPECS[name]
    after = check_params({name: (value + spec.high) / 2 if value < spec.high / 2 else spec.low}, base)
    assert (display.picture(after) != display.picture(base)).any()


@pytest.mark.parametrize("bits", [8, 16, 32])
@pytest.mark.parametrize("name", VIEWS)
def test_parts_make_the_whole_bit_for_bit(display: Display, name: str, bits: int) -> None:
    shown = VIEWS[name]
    width, height = shown.target
    whole = display.picture(EFFECTS, shown, bits)
    for x, y, wide, tall in ((0, 0, 40, 31), (40, 0, width - 40, 31), (7, 31, 33, height - 31)):
        part = display.picture(EFFECTS, shown, bits, within=(x, y, wide, tall))
        np.testing.assert_array_equal(part, whole[y : y + tall, x : x + wide])


def test_the_glow_is_as_wide_at_any_size(display: Display) -> None:
    params = dataclasses.replace(PLAIN, bloom=2.0, colour_by="density", ridge=0.0)
    small = display.picture(params, view((192, 128)), 32)
    large = display.picture(params, view((384, 256)), 32)
    halved = large.reshape(128, 2, 192, 2, 3).mean((1, 3))
    assert np.abs(halved - small).mean() < 0.02


def test_the_camera_turns_the_picture(display: Display) -> None:
    square = 64, 64
    params = Params(exposure=2.0)
    upright = display.picture(params, view(square, 64 / 64))
    for quarter in 1, 2, 3:
        turned = display.picture(params, view(square, 1.0, 90.0 * quarter))
        difference = np.abs(turned.astype(int) - np.rot90(upright, -quarter))
        assert difference.mean() < 2
    assert np.abs(np.rot90(upright).astype(int) - upright).mean() > 20


def test_light_from_above_lights_upper_edges(gl: moderngl.Context) -> None:
    display = Display(gl, WORLD)
    bar = np.zeros((1, 64, 96), np.float32)
    bar[0, 28:36] = 40.0
    display.upload(bar)
    params = Params(palette="#808080 0, #808080 1", ridge=1.0, ridge_gloss=0.0, lamp_direction=90.0)
    rows = display.picture(params).mean((1, 2))
    assert rows[27:29].min() > rows[10] > rows[35:37].max()
    display.release()


def test_all_pixels_are_opaque(display: Display) -> None:
    for shown in VIEWS.values():
        display.picture(EFFECTS, shown)
        assert display.canvas
        pixels = np.frombuffer(display.canvas.read(components=4, alignment=1), np.uint8)
        assert (pixels[3::4] == 255).all()


@pytest.mark.parametrize("target", [(1, 1), (2, 1), (3, 5), (17, 33), (97, 63), (5, 200)])
def test_odd_sizes_have_aligned_rows(display: Display, target: tuple[int, int]) -> None:
    flat = dataclasses.replace(EFFECTS, palette="#336699 0, #336699 1", ridge=0.0, grain=0.0)
    flat = dataclasses.replace(flat, colour_by="density")
    picture = display.picture(flat, view(target))
    assert picture.shape == (target[1], target[0], 3)
    assert np.abs(picture.astype(int) - (0x33, 0x66, 0x99)).max() <= 1


@pytest.mark.parametrize("params", [Params(), EFFECTS, dataclasses.replace(EFFECTS, colour_by="density")])
def test_nothing_is_seen_of_the_torus_edge(display: Display, trail: np.ndarray, params: Params) -> None:
    params = dataclasses.replace(params, grain=0.0, vignette=0.0)
    rolled = np.roll(display.picture(params, bits=32), (20, -30), (0, 1))
    display.upload(np.roll(trail, (20, -30), (1, 2)))
    np.testing.assert_allclose(display.picture(params, bits=32), rolled, atol=0.01)


def test_a_view_across_the_edge_shows_the_field_again(display: Display) -> None:
    params = dataclasses.replace(PLAIN, colour_by="density")
    centred = display.picture(params, view(zoom=2.0, centre=(96.0, 0.0)), 32)
    inside = np.roll(display.picture(params, view((192, 128)), 32), (64, 96), (0, 1))[32:96, 48:144]
    np.testing.assert_allclose(centred, inside, atol=0.01)


@pytest.mark.parametrize("zoom", [0.5, 0.25, 0.29, 0.11])
def test_a_field_zoomed_out_is_averaged_and_shows_no_moire(gl: moderngl.Context, zoom: float) -> None:
    display = Display(gl, WORLD)
    rows, columns = np.indices((64, 96))
    mean = 2.0  # of the trail; `exposure` is relative to it
    display.upload(((rows + columns) % 2 * 2 * mean).astype(np.float32)[None])
    picture = display.picture(Params(palette=RAMP), view(zoom=zoom)).astype(int)
    display.upload(np.full((1, 64, 96), mean, np.float32))
    grey = display.picture(Params(palette=RAMP), view(zoom=zoom)).astype(int)
    assert picture.std() < 4
    assert np.abs(picture - grey).max() <= 24
    display.release()


def test_zoomed_in_it_is_smooth(gl: moderngl.Context) -> None:
    display = Display(gl, WORLD)
    spot = np.zeros((1, 64, 96), np.float32)
    spot[0, 32, 48] = 15.0
    display.upload(spot)
    row = display.picture(Params(palette=RAMP, tone="none"), view(zoom=12.0, centre=(48.5, 32.5)), 32)[
        32, :, 0
    ]
    row = np.cbrt(row)  # the ramp is even in OKLab, where grey is a cube root
    assert 0.1 < row.max() < 0.9
    assert np.abs(np.diff(row, 2)).max() < 0.05 * row.max()
    assert np.argmax(row) in (47, 48)
    np.testing.assert_allclose(row, row[::-1], atol=1e-3)
    display.release()


# Colours


@pytest.fixture
def ramp(gl: moderngl.Context) -> Iterator[Display]:
    """A trail that grows from left to right."""
    display = Display(gl, World(512, 16, 512 * 16))
    display.upload(np.tile(np.linspace(0, 6, 512, dtype=np.float32), (1, 16, 1)))
    yield display
    display.release()


def expected(display: Display, params: Params) -> np.ndarray:
    """The sRGB values [512, 3] of the ramp's columns, from tone and palette alone."""
    exposure = display._exposure(params, params.exposure)
    exposed = np.linspace(0, 6, 512) * exposure
    place = np.sqrt(exposed / (1 + exposed)) * (len(tones(params)) - 1)
    tone = np.interp(place, np.arange(len(tones(params))), tones(params))
    light = light_of(params.palette)
    along = tone * (len(light) - 1)
    linear = [np.interp(along, np.arange(len(light)), channel) for channel in light.T]
    return to_srgb(np.stack(linear, 1))


@pytest.mark.parametrize("tone", TONES)
@pytest.mark.parametrize("bits", [8, 16])
def test_a_known_ramp_has_its_colours_in_a_png(ramp: Display, tone: str, bits: int) -> None:
    params = Params(palette="#0b0709 0, #c2421a 0.6, #fde9a9 1", tone=tone, exposure=2.0)
    picture = ramp.picture(params, bits=bits)
    out = io.BytesIO()
    png.write(out, (512, 16), [picture], b"", bits)
    if bits == 8:
        decoded = np.asarray(Image.open(out).convert("RGB"))
        np.testing.assert_array_equal(decoded, picture)
    bound = {8: 1.01 / 255, 16: 0.002}[bits]
    assert np.abs(picture / (2**bits - 1) - expected(ramp, params)).max() <= bound


def test_the_picture_in_light_is_the_picture_in_srgb(ramp: Display) -> None:
    params = dataclasses.replace(EFFECTS, palette=RAMP, grain=0.0, colour_by="density")
    light, shown = (ramp.picture(params, bits=bits) for bits in (32, 16))
    assert np.abs(to_srgb(light.astype(float)) * 65535 - shown).max() <= 4
