"""A known ramp of grey, from the trail through every kind of file and back."""

from fractions import Fraction
from pathlib import Path

import moderngl
import numpy as np
import pytest
from film_commands import decoded
from test_png import decoded as pixels

from app.backend import Choice
from app.canvas import Canvas
from app.display import Display
from app.palette import light_of, to_srgb
from app.planes import Planes
from app.readback import Readback
from app.stills import Still, draw, save
from app.studio import Studio
from app.timeline import Camera
from app.video import Video
from kernels.contract import mean_trail
from kernels.params import Params
from kernels.world import World
from presets import Preset

WORLD = World(256, 32, 1000, "ramp")
GREY = Params(palette="#000000 0, #ffffff 1", tone="none", exposure=1.0)
RAMP = np.linspace(0, 1, WORLD.width)


@pytest.fixture
def display(gl: moderngl.Context):
    """Shows the ramp from left to right."""
    display = Display(gl, WORLD)
    trail = 2 * mean_trail(GREY, WORLD, 0) * RAMP  # without a tone curve, twice the mean is white
    display.upload(np.broadcast_to(trail.astype(np.float32), (1, WORLD.height, WORLD.width)))
    yield display
    display.release()


def wanted() -> np.ndarray:
    """The sRGB value of each column, from 0 to 1: lightness in OKLab grows as the trail does."""
    light = light_of(GREY.palette)[:, 0]
    return to_srgb(np.interp(RAMP, np.linspace(0, 1, len(light)), light))


@pytest.mark.parametrize(("suffix", "bits", "bound"), [(".png", 8, 1 / 255), (".png", 16, 80 / 65535)])
def test_stills(display: Display, tmp_path: Path, suffix: str, bits: int, bound: float) -> None:
    """8 bits: rounded twice, for the look-up table holds bytes. 16: what its 2,048 entries leave out."""
    still = Still(tmp_path / f"ramp{suffix}", display.size, bits)
    studio = Studio(Preset("ramp", "Ramp", params=GREY), WORLD, Choice("reference", False, "", ""), tmp_path)
    save(still, studio.session.record(""), bands=draw(display, GREY, still))
    found = pixels(still.path.read_bytes(), bits) / (2**bits - 1)
    assert found.shape == (WORLD.height, WORLD.width, 3)
    assert np.abs(found - wanted()[:, None]).max() <= bound


def test_h264(gl: moderngl.Context, display: Display, tmp_path: Path) -> None:
    """Within 3 of 255 at the best quality: 1 of the picture, 2 of rounding to limited range and back."""
    canvas = Canvas(gl, display.size)
    video = Video(tmp_path / "ramp.mp4", display.size, Fraction(30), "libx264", 100, say=lambda said: None)
    planes, readback, found = Planes(gl, display.size, video.layout), Readback(), []
    canvas.draw(display, GREY, Camera())
    planes.convert(canvas.texture)
    readback.send(planes.framebuffer, 1, video.layout.dtype, found.append)
    readback.drain()
    video.write(enumerate(found))
    (shown,) = decoded(video.path)
    assert np.abs(shown - 255 * wanted()[:, None]).max() <= 3
    for each in (canvas, readback, planes):
        each.release()
