"""The mask over the picture."""

from collections.abc import Iterator

import moderngl
import numpy as np
import pytest

import shaders
from app.palette import colours, food, stone, veil
from app.veil import Veil
from app.view import View
from kernels.maps import Mark
from kernels.params import PALETTES, Params
from kernels.simulation import Simulation
from kernels.world import World

SIZE = 96, 64
MARK = Mark("mask", 30 * 256, 20 * 256, 25 * 256, 100, 255)


@pytest.fixture
def mantle(gl: moderngl.Context) -> Iterator[Veil]:
    veil = Veil(gl)
    yield veil
    veil.release()


def simulation(size: tuple[int, int] = SIZE) -> Simulation:
    return Simulation(World(*size, 10), Params(palette="ink"), "reference")


def seen(veil: Veil, view: View, of: Simulation, alpha: float = 1.0) -> np.ndarray:
    """What it draws over black [H, W, 4], top row first."""
    canvas = veil.ctx.simple_framebuffer(view.target, 4)
    canvas.use()
    canvas.clear(0.0, 0.0, 0.0, alpha)
    veil.draw(view, of)
    pixels = np.frombuffer(canvas.read(components=4), np.uint8).reshape(*view.target[::-1], 4)
    return np.flipud(pixels)


@pytest.mark.parametrize("zoom", [0.5, 1.0, 2.7])
@pytest.mark.parametrize("target", [SIZE, (120, 90), (61, 47)])
def test_it_lies_where_the_mask_is(mantle: Veil, target: tuple[int, int], zoom: float) -> None:
    """Wherever the view looks, over the torus's seam too, and in proportion to the mask."""
    painted = simulation()
    painted.mark(MARK, Mark("mask", 90 * 256, 60 * 256, 10 * 256, 100, 102))
    view = View(SIZE, target)
    view.zoom_at(10, 30, zoom)
    picture = seen(mantle, view, painted).astype(int)
    assert (picture[..., 3] == 255).all()  # the window stays opaque
    places = [[view.field_at(x + 0.5, y + 0.5) for x in range(target[0])] for y in range(target[1])]
    columns, rows = np.moveaxis(np.array(places), 2, 0).astype(int)
    reach = 2 + round(2 / view.scale)  # of filter and line, in cells
    away = [(dy, dx) for dy in range(-reach, reach + 1) for dx in range(-reach, reach + 1)]
    near = [np.roll(painted.maps.mask, shift, (0, 1)) for shift in away]
    flat = np.ptp(np.array(near, int), axis=0)[rows, columns] == 0
    share = painted.maps.mask[rows, columns] / 255
    expected = 0.35 * 255 * share[..., None] * veil("ink")
    assert flat.any()
    assert share[flat].any()
    assert np.abs(picture[..., :3] - expected)[flat].max() <= 1


def test_a_line_shows_where_both_looks_are_even(mantle: Veil) -> None:
    painted = simulation()
    painted.fill("mask", "left to right")
    row = seen(mantle, View(SIZE, SIZE), painted)[30].sum(1).astype(int)
    assert row[47:49].min() > 1.5 * row[-1]
    assert (np.diff(np.delete(row, slice(45, 51))) >= 0).all()


def test_it_follows_the_mask_and_the_field(mantle: Veil) -> None:
    view = View(SIZE, SIZE)
    first, second = simulation(), simulation((40, 30))
    assert not seen(mantle, view, first)[..., :3].any()
    assert mantle.texture is None  # nothing is held for a mask that is not there
    first.mark(MARK)
    before = seen(mantle, view, first)
    assert before[..., :3].any()
    first.mark(Mark("mask", 70 * 256, 40 * 256, 5 * 256, 100, 255))
    assert (seen(mantle, view, first) != before).any()
    second.fill("mask", "radial")
    picture = seen(mantle, View((40, 30), (40, 30)), second)
    assert picture[2, 2, :3].max() < picture[14, 18, :3].max()
    second.fill("mask", "clear")
    assert not seen(mantle, View((40, 30), (40, 30)), second)[..., :3].any()


def test_blending_is_off_afterwards(mantle: Veil) -> None:
    """Left on, it would halve the pictures to come."""
    painted = simulation()
    painted.mark(MARK)
    seen(mantle, View(SIZE, SIZE), painted)
    canvas = mantle.ctx.simple_framebuffer((4, 4), 4)
    canvas.use()
    canvas.clear(1.0, 1.0, 1.0, 1.0)
    fragment = "#version 330\nout vec4 colour; void main() { colour = vec4(0.0); }"
    program = mantle.ctx.program(shaders.source("cover.vert"), fragment)
    mantle.ctx.vertex_array(program, []).render(moderngl.TRIANGLES, vertices=3)
    assert not any(canvas.read(components=4))


@pytest.mark.parametrize("name", PALETTES)
def test_its_colour_is_like_nothing_else_there(name: str) -> None:
    ground = colours(name)[0] / 255
    for other in (ground, food(name), stone(name)):
        assert np.abs(np.subtract(veil(name), other)).max() > 0.15
