"""Food, walls and the mask as a person paints, fills, loads and saves them."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from app import keys
from app.backend import Choice
from app.painter import PAINTED
from app.record import encode_png
from app.studio import Studio
from kernels.params import Brush, Params
from kernels.scene import LAYERS
from kernels.world import World
from presets import Preset

WORLD = World(64, 48, 600, "studio")


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    look = Preset(name="look", title="Look", density=0.2, params=Params(decay=0.2))
    return Studio(look, WORLD, Choice("reference", False, "NumPy", "for a test"), tmp_path)


def test_digits_choose_the_layer_in_the_order_it_is_shown() -> None:
    chosen = {key.label: key.argument for key in keys.KEYS if key.action == "use_layer"}
    assert tuple(chosen) == tuple(str(number + 1) for number in range(len(PAINTED)))
    assert tuple(chosen.values()) == PAINTED


@pytest.mark.parametrize("layer", LAYERS)
def test_a_gesture_on_the_map_is_painted_and_taken_back(studio, layer) -> None:
    studio.use_layer(layer)
    cells = lambda: getattr(studio.session.simulation.maps, layer).copy()  # noqa: E731
    for x in (20.0, 24.0):
        studio.paint([(x, 20.0)], erase=False, begins=x == 20.0)
    once = cells()
    assert once[20, 22] > 0
    studio.paint([(20.0, 20.0)], erase=True, begins=True)
    assert cells()[20, 20] == 0
    studio.undo()
    np.testing.assert_array_equal(cells(), once)
    studio.undo()
    assert not cells().any()
    studio.undo()
    assert "nothing" in studio.notices.current()[-1]


def test_the_brush_says_how_much(studio) -> None:
    studio.use_layer("food")
    studio.brush = Brush(radius=8.0, hardness=100.0, value=50.0)
    studio.paint([(30.5, 20.5)], erase=False, begins=True)
    assert set(np.unique(studio.session.simulation.maps.food)) == {0, 128}


def test_what_was_painted_outlives_a_restart_and_is_saved(studio) -> None:
    studio.use_layer("wall")
    studio.paint([(30.0, 20.0)], erase=False, begins=True)
    walls = studio.session.simulation.maps.wall.copy()
    studio.session.advance(3)
    studio.restart()
    np.testing.assert_array_equal(studio.session.simulation.maps.wall, walls)
    assert studio.session.log == []
    studio.use_layer("mask")
    studio.fill("radial")
    mask = studio.session.simulation.maps.mask.copy()
    studio.blend_with(Params(decay=0.5))
    assert studio.save_preset("Walled")
    studio.load_preset(studio.presets[0].preset)
    assert not studio.session.simulation.maps.wall.any()
    studio.load_preset(next(entry.preset for entry in studio.presets if entry.name == "walled"))
    np.testing.assert_array_equal(studio.session.simulation.maps.wall, walls)
    np.testing.assert_array_equal(studio.session.simulation.maps.mask, mask)
    assert studio.session.other == Params(decay=0.5)


def test_a_dropped_picture_is_asked_about_and_used(studio, tmp_path) -> None:
    path = tmp_path / "half.jpg"
    image = np.zeros((48, 64), np.uint8)
    image[:, 32:] = 255
    Image.fromarray(image).save(path, quality=100)
    for use, layer in (("food", "food"), ("wall", "wall"), ("mask", "mask")):
        studio.open(path)
        assert studio.picture == path
        assert studio.use_picture(use)
        assert studio.picture is None
        cells = getattr(studio.session.simulation.maps, layer)
        assert cells[:, 40:].min() > 240
        assert cells[:, :24].max() < 16
    assert studio.session.simulation.maps.food.any()  # each layer left the others as they were
    studio.open(path)
    assert studio.use_picture("start")
    assert studio.session.world.start.kind == "image"
    assert studio.session.simulation.maps.wall.any()
    studio.open(path)
    studio.escape()
    assert (studio.picture, studio.asking_to_quit) == (None, False)


def test_a_picture_that_cannot_be_read_is_not_asked_about(studio, tmp_path) -> None:
    for name in ("bad.png", "bad.jpg"):
        (tmp_path / name).write_bytes(b"nonsense")
        studio.open(tmp_path / name)
        assert studio.picture is None
        assert name in studio.notices.current()[-1]
    assert not studio.use_picture("food", tmp_path / "missing.png")
    assert "missing.png" in studio.notices.current()[-1]


def test_a_damaged_capture_is_not_taken_for_any_picture(studio, tmp_path) -> None:
    record = studio.session.record("")
    data = encode_png(np.zeros((8, 8, 3), np.uint8), record)
    at = data.index(b"physarium") + 40
    (tmp_path / "run.png").write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    studio.open(tmp_path / "run.png")
    assert studio.picture is None
    assert "damaged" in studio.notices.current()[-1]
