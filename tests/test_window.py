"""The real window on a real X server (Xvfb), with real key and mouse events."""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hand import SCREEN
from PIL import Image
from visit import CANVAS, LOOK, SIZE, WORLD, Visit
from visit import hand as hand  # fixtures
from visit import screen as screen
from visit import visit as visit

from app.record import read
from kernels.params import Params


def test_keys(visit: Visit) -> None:
    studio = visit.studio
    visit.key("space")
    assert studio.paused
    step = studio.session.steps
    visit.frames()
    assert studio.session.steps == step
    visit.key("period")
    assert studio.session.steps == step + 1
    visit.key("space")
    assert not studio.paused
    visit.key("r")
    assert 0 < studio.session.steps <= 3
    assert studio.session.world == WORLD
    visit.key("n")
    assert studio.session.world.seed != WORLD.seed
    for name, attribute in (("Tab", "panel"), ("h", "help")):
        before = getattr(studio, attribute)
        visit.key(name)
        assert getattr(studio, attribute) != before
    visit.key("Escape")
    assert not studio.help
    visit.key("Escape")
    assert studio.asking_to_quit
    visit.key("Escape")
    assert not studio.asking_to_quit
    visit.key("f")
    assert visit.window.wnd.fullscreen
    visit.until(lambda: studio.view.target == SCREEN)
    visit.key("Escape")
    assert not visit.window.wnd.fullscreen
    assert not visit.window.wnd.is_closing


def test_brackets_walk_through_the_presets(visit: Visit) -> None:
    studio = visit.studio
    names = [entry.preset.name for entry in studio.presets]
    visit.key("bracketright")
    assert studio.session.preset.name == names[0]
    visit.key("bracketright")
    assert studio.session.preset.name == names[1]
    visit.key("bracketleft")
    assert studio.session.preset.name == names[0]
    steps = studio.session.steps
    agents = studio.session.world.agents
    visit.key("bracketright", held="Shift_L")
    assert studio.session.preset.name == names[1]
    assert studio.session.steps > steps
    assert studio.session.world.agents == agents


def test_mouse_on_the_picture(visit: Visit) -> None:
    studio = visit.studio
    visit.key("space")
    before = studio.session.simulation.trail.sum()
    visit.drag(1, CANVAS, (820, 420))
    painted = studio.session.simulation.trail.sum()
    assert painted > before
    assert len(studio.session.log) > 3
    visit.drag(3, CANVAS, (820, 420))
    assert studio.session.simulation.trail.sum() < painted
    log = len(studio.session.log)

    middle = CANVAS[0] + 0.5, CANVAS[1] + 0.5
    under = studio.view.field_at(*middle)
    visit.hand.move(*CANVAS)
    visit.hand.press(4)  # the wheel, up
    visit.hand.release(4)
    visit.frames()
    assert studio.view.zoom > 1
    assert studio.view.field_at(*middle) == pytest.approx(under)
    visit.drag(2, CANVAS, (740, 330))
    assert studio.view.field_at(740.5, 330.5) == pytest.approx(under)
    for _ in range(2):
        visit.hand.press(1)
        visit.hand.release(1)
        visit.frames(1)
    assert studio.view.zoom == 1
    assert len(studio.session.log) == log


def test_a_slider_drag_turns_the_parameter_and_paints_nothing(visit: Visit) -> None:
    studio = visit.studio
    x, y = visit.places["sensor_angle"]
    visit.drag(1, (x, y), (x + 60, y))
    assert studio.session.params.sensor_angle > 45.0
    assert {type(event).__name__ for event in studio.session.log} == {"Change"}
    visit.hand.move(x, y)
    visit.frames()
    visit.hand.press(3)
    visit.frames()
    visit.hand.release(3)
    visit.frames()
    assert studio.session.params.sensor_angle == Params().sensor_angle


def test_typing_in_the_panel_reaches_no_shortcut(visit: Visit) -> None:
    studio = visit.studio
    x, y = visit.places["sensor_angle"]
    visit.hand.move(x, y)
    visit.frames()
    for _ in range(2):
        visit.hand.press(1)
        visit.frames(1)
        visit.hand.release(1)
        visit.frames(1)
    assert studio.session.params.sensor_angle == LOOK.params.sensor_angle  # a double click moves nothing
    for name in ("0", "period", "2", "r", "n", "h", "Return"):
        visit.key(name)
    assert studio.session.params.sensor_angle == pytest.approx(0.2)
    assert studio.session.world.seed == WORLD.seed
    assert not studio.help
    assert not studio.paused


def test_the_panel_leaves_the_picture_as_it_is(visit: Visit) -> None:
    visit.key("space")
    visit.hand.move(990, 690)
    visit.frames()
    time.sleep(0.1)
    visit.studio.notices.shown.clear()
    visit.frames()
    shown = visit.hand.look()
    visit.key("Tab")
    hidden = visit.hand.look()
    right = np.s_[0:500, 500:900]
    np.testing.assert_array_equal(shown[right], hidden[right])
    assert (shown[:500, :300] != hidden[:500, :300]).any()
    assert hidden[right].std() > 5


def test_resizes_down_to_nothing(visit: Visit) -> None:
    for width, height in ((640, 480), (1, 1), (33, 700), (900, 20), (1, 1), (900, 600)):
        visit.window.wnd.size = width, height
        visit.frames(4)
    visit.until(lambda: visit.studio.view.target == SIZE)
    assert visit.studio.session.world == WORLD


def test_a_tweaked_and_painted_run_comes_back_from_its_picture(visit: Visit, tmp_path: Path) -> None:
    studio = visit.studio
    x, y = visit.places["sensor_distance"]
    visit.drag(1, (x, y), (x + 40, y))
    visit.drag(1, CANVAS, (850, 500))
    visit.key("bracketright", held="Shift_L")
    visit.drag(3, (600, 500), (800, 200))
    visit.frames(20)
    visit.key("c")
    visit.until(lambda: any("Saved" in text for text in studio.notices.current()), frames=2000)
    (picture,) = tmp_path.glob("*.png")
    record = read(picture)
    assert len(record.events) > 10
    again = tmp_path / "again" / "again.png"
    again.parent.mkdir()
    command = ["render", str(picture), "--backend", "cpu", "--threads", "1", "--out", str(again)]
    physarium = [sys.executable, "-c", "import sys; from app.cli import main; sys.exit(main())"]
    done = subprocess.run([*physarium, *command], capture_output=True, text=True)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"digest {record.digest}"), done.stderr

    visit.window.on_files_dropped_event(0, 0, [str(again)])
    assert studio.offer
    studio.accept_offer()
    visit.until(lambda: studio.replay is None)
    assert studio.session.simulation.digest() == record.digest
    assert "bit for bit" in " ".join(studio.notices.current())


@pytest.mark.parametrize("name", ["bad.toml", "bad.png", "missing.toml", "folder"])
def test_a_bad_file_dropped_is_a_notice(visit: Visit, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name == "folder":
        path.mkdir()
    elif "bad" in name:
        path.write_bytes(b"\x89PNG\r\n\x1a\nnonsense = [")
    before = visit.studio.session.world
    visit.window.on_files_dropped_event(0, 0, [str(path)])
    visit.frames()
    assert name in " ".join(visit.studio.notices.current())
    assert visit.studio.session.world == before


def test_walls_are_painted_and_taken_back(visit: Visit) -> None:
    studio = visit.studio
    maps = lambda: studio.session.simulation.maps  # noqa: E731
    visit.key("3")
    assert studio.layer == "wall"
    visit.drag(1, CANVAS, (820, 420))
    once = maps().wall.copy()
    assert once.any()
    visit.drag(3, (760, 360), (820, 420))
    assert maps().wall.sum() < once.sum()
    visit.key("2")
    visit.drag(1, (500, 500), (560, 500))
    assert maps().food.any()
    visit.key("z", held="Control_L")
    assert not maps().food.any()
    visit.key("z", held="Control_L")
    np.testing.assert_array_equal(maps().wall, once)
    visit.key("z", held="Control_L")
    visit.key("z")  # without Ctrl it is nothing
    assert not maps().wall.any()
    visit.key("z", held="Control_L")
    assert "nothing" in studio.notices.current()[-1]


def test_the_mask_is_seen_while_its_brush_is_chosen_and_never_captured(visit: Visit, tmp_path: Path) -> None:
    visit.key("space")
    visit.key("4")
    bare = visit.hand.look()
    visit.drag(1, (600, 200), (800, 200))
    veiled = visit.hand.look()
    assert (veiled[200, 620:780] != bare[200, 620:780]).any(1).all()
    for number, layer in enumerate(("4", "1"), 1):
        visit.key(layer)
        visit.key("c")
        visit.until(lambda number=number: len([*tmp_path.glob("*.png")]) == number)
    np.testing.assert_array_equal(*(np.asarray(Image.open(path)) for path in tmp_path.glob("*.png")))
    np.testing.assert_array_equal(visit.hand.look()[200, 620:740], bare[200, 620:740])  # left of the brush


def test_ctrl_in_a_text_field_stays_there(visit: Visit) -> None:
    studio = visit.studio
    visit.key("3")
    visit.drag(1, CANVAS, (820, 420))
    walls = studio.session.simulation.maps.wall.copy()
    x, y = visit.places["sensor_angle"]
    visit.hand.move(x, y)
    visit.frames()
    for _ in range(2):
        visit.hand.press(1)
        visit.frames(1)
        visit.hand.release(1)
        visit.frames(1)
    visit.key("7")
    visit.key("z", held="Control_L")
    visit.key("Escape")
    np.testing.assert_array_equal(studio.session.simulation.maps.wall, walls)
    assert studio.layer == "wall"


def test_a_dropped_picture_becomes_walls(visit: Visit, tmp_path: Path) -> None:
    studio = visit.studio
    picture = np.zeros((30, 45), np.uint8)
    picture[:, :20] = 255
    Image.fromarray(picture).save(tmp_path / "left.png")
    visit.window.on_files_dropped_event(0, 0, [str(tmp_path / "left.png")])
    visit.frames()
    assert studio.picture
    studio.use_picture("wall")
    visit.frames()
    assert studio.session.simulation.maps.wall[:, :190].all()
    assert not studio.session.simulation.maps.wall[:, 210:].any()


def test_species_are_added_and_shown(visit: Visit) -> None:
    studio = visit.studio
    colours = len(np.unique(visit.hand.look()[50:550, 400:880].reshape(-1, 3), axis=0))
    studio.add_species()
    visit.frames(40)
    studio.notices.shown.clear()
    visit.frames()
    assert len(np.unique(visit.hand.look()[50:550, 400:880].reshape(-1, 3), axis=0)) > colours
    studio.species = 1
    visit.frames()
    x, y = visit.places["sensor_angle_2"]
    visit.drag(1, (x, y), (x + 60, y))
    assert studio.session.params.sensor_angle_2 > studio.session.params.sensor_angle == 45.0
