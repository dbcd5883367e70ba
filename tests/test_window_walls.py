"""The wall of variations and the map of two parameters in a real window, with real key and mouse events."""

from pathlib import Path

import numpy as np
import pytest
from visit import SIZE, Visit
from visit import hand as hand  # fixtures
from visit import screen as screen
from visit import visit as visit

from app import panel_sweep, panel_wall
from app.sweep import Axis
from kernels.params import Params

EDGE, TOP, BOTTOM = 16, 50, 572  # of the pictures
MAP_LEFT, MAP_RIGHT, MAP_BOTTOM = 90, 556, 522


def place(cell: int, side: int) -> tuple[int, int]:
    """The middle of a picture of the wall on the screen."""
    row, column = divmod(cell, side)
    width, height = (SIZE[0] - 2 * EDGE) / side, (BOTTOM - TOP) / side
    return round(EDGE + (column + 0.5) * width), round(TOP + (row + 0.5) * height)


def click(visit: Visit, at: tuple[int, int], times: int = 1) -> None:
    visit.hand.move(*at)
    visit.frames()
    for _ in range(times):
        visit.hand.press(1)
        visit.frames(1)
        visit.hand.release(1)
        visit.frames(1)
    visit.frames(1)


@pytest.fixture
def buttons(monkeypatch) -> dict[str, tuple[int, int]]:
    """Where the choices are on the screen, by their labels."""
    places: dict[str, tuple[int, int]] = {}
    draw = panel_wall.choice

    def draw_and_note(label: str, on: bool) -> bool:
        pressed = draw(label, on)
        low, high = panel_wall.imgui.get_item_rect_min(), panel_wall.imgui.get_item_rect_max()
        places[label] = round((low.x + high.x) / 2), round((low.y + high.y) / 2)
        return pressed

    for module in panel_wall, panel_sweep:
        monkeypatch.setattr(module, "choice", draw_and_note)
    return places


def picture(visit: Visit, cell: int, side: int = 3) -> np.ndarray:
    """What a picture shows, but for its edges and its caption."""
    x, y = place(cell, side)
    return visit.hand.look()[y - 50 : y + 20, x - 80 : x + 80]


def test_a_look_is_chosen_bred_kept_and_taken(visit: Visit, tmp_path: Path) -> None:
    studio = visit.studio
    visit.key("v")
    visit.until(lambda: len(studio.wall.worlds.living) == 9)
    steps = studio.session.steps
    visit.until(lambda: studio.wall.worlds.sessions[0].steps > 30, frames=1000)
    assert studio.session.steps == steps  # the large world waits
    shown = [picture(visit, cell) for cell in range(9)]
    assert all(each.std() > 4 for each in shown)
    assert len({each.tobytes() for each in shown}) == 9

    look = studio.wall.looks[6]
    click(visit, place(6, 3))
    assert (len(studio.wall.generations), studio.wall.looks[4]) == (2, look)
    visit.hand.hold("Shift_L")
    click(visit, place(0, 3))
    assert studio.wall.marked == 0
    click(visit, place(2, 3))
    visit.hand.let_go("Shift_L")
    assert [len(each.parents) for each in studio.wall.generations] == [1, 1, 2]
    visit.key("BackSpace")
    assert len(studio.wall.generations) == 2
    visit.key("z", held="Control_L")
    assert len(studio.wall.generations) == 1

    visit.hand.move(*place(8, 3))
    visit.frames()
    assert studio.wall.hovered == 8
    visit.key("k")
    assert [path.name for path in (tmp_path / "presets").iterdir()] == ["look-variation-1.toml"]
    look = studio.wall.looks[8]
    visit.key("Return")
    assert studio.wall is None
    assert studio.session.params == look
    visit.frames()
    assert studio.session.steps > steps
    assert visit.window.thumbs.textures == {}


def test_a_double_click_takes_what_was_clicked(visit: Visit) -> None:
    studio = visit.studio
    visit.key("v")
    visit.until(lambda: len(studio.wall.worlds.living) == 9)
    look = studio.wall.looks[1]
    click(visit, place(1, 3), times=2)
    assert studio.wall is None
    assert studio.session.params == look


def test_the_wall_has_the_keys_and_the_mouse_for_itself(visit: Visit) -> None:
    studio = visit.studio
    visit.key("v")
    seed, steps = studio.session.world.seed, studio.session.steps
    for name in ("r", "n", "bracketright", "3", "period"):
        visit.key(name)
    visit.drag(3, place(3, 3), place(5, 3))
    assert (studio.session.world.seed, studio.session.steps, studio.session.log) == (seed, steps, [])
    assert studio.layer == "trail"
    visit.key("space")
    assert studio.paused
    visit.key("Escape")
    assert studio.wall is None
    assert not studio.asking_to_quit
    for _ in range(2):
        visit.key("v")
        assert studio.wall
        visit.key("v")
        assert studio.wall is None


def test_walls_of_all_sizes_in_windows_of_all_sizes(visit: Visit, buttons) -> None:
    studio = visit.studio
    visit.key("v")
    for side in (5, 2, 3):
        click(visit, buttons[f"{side} x {side}"])
        visit.until(lambda side=side: len(studio.wall.worlds.living) == side * side)
        assert studio.wall.side == side
    for width, height in ((640, 480), (1, 1), (33, 700), (900, 20), (900, 600)):
        visit.window.wnd.size = width, height
        visit.frames(4)
    visit.until(lambda: studio.view.target == SIZE)
    visit.frames(4)
    assert studio.wall.picture[0] > 250


def test_the_map_fills_and_leads_to_a_look(visit: Visit, buttons) -> None:
    studio = visit.studio
    visit.key("g")
    assert studio.sweep
    studio.survey(Axis("sensor_angle", 20.0, 60.0, 2), Axis("decay", 0.05, 0.2, 2), 40)
    visit.frames()
    sweep, steps = studio.sweep, studio.session.steps
    visit.until(lambda: sweep.done == 1, frames=3000)
    right = MAP_RIGHT - 100, TOP + 100
    visit.hand.move(*right)
    visit.frames()
    assert sweep.hovered == 1
    bare = visit.hand.look()[TOP + 20 : 250, MAP_LEFT + 20 : 300]
    assert bare.std() > 4
    click(visit, buttons["entropy"])
    visit.hand.move(*right)
    visit.frames()
    assert (visit.hand.look()[TOP + 20 : 250, MAP_LEFT + 20 : 300] != bare).any(2).mean() > 0.9
    values = sweep.values(1)
    click(visit, right)
    assert studio.sweep is None
    assert (
        {name: getattr(studio.session.params, name) for name in values}
        == values
        == {
            "sensor_angle": 60.0,
            "decay": 0.2,
        }
    )
    visit.frames()
    assert studio.session.steps > steps
    visit.key("g")
    assert studio.sweep is sweep
    visit.frames(2)
    assert len(visit.window.thumbs.textures) >= 4
    click(visit, buttons["5 x 3"])
    assert (studio.sweep.across.count, studio.sweep.down.count) == (5, 3)
    visit.key("Escape")
    assert studio.sweep is None
    assert studio.session.params.step_size == Params().step_size
