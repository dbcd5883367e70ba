"""The wall of presets, the sensor lens and the help in a real window, with real key and mouse events."""

import dataclasses
import itertools
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui
from visit import CANVAS, LOOK, Visit
from visit import hand as hand  # fixtures
from visit import screen as screen
from visit import visit as visit

import presets
from app import panel_gallery, panel_pictures
from app.lens import agents
from app.panel_help import lines
from app.panel_lens import TINTS
from app.settings import Settings
from kernels.params import Params

WALL = 20, 590  # a spot of the wall without a card


@pytest.fixture
def wall(visit: Visit, tmp_path: Path, monkeypatch) -> panel_gallery.GalleryPanel:
    """The wall, open, with the middle of each card that is seen."""
    monkeypatch.setattr("app.thumbnails._started", lambda folder, paths: None)
    visit.studio.user_folder.mkdir(exist_ok=True)
    presets.save(dataclasses.replace(LOOK, title="Mine"), visit.studio.user_folder)
    (visit.studio.user_folder / "torn.toml").write_text("format = [")
    visit.studio.refresh_presets()
    visit.hand.move(*WALL)
    visit.key("p")
    visit.frames(8)
    return visit.window.panel.gallery


def places(visit: Visit, monkeypatch) -> dict[str, tuple[imgui.ImVec2, imgui.ImVec2]]:
    """Where cards are on the screen: their corner and size."""
    found = {}
    draw = panel_gallery.draw_words

    def note(card, on, whole, corner, area) -> None:
        found[card.name] = corner, area
        draw(card, on, whole, corner, area)

    monkeypatch.setattr(panel_gallery, "draw_words", note)
    visit.frames(2)
    return found


def click(visit: Visit, x: float, y: float, held: str = "") -> None:
    visit.hand.move(round(x), round(y))
    visit.frames()
    with_key(visit, held, lambda: visit.hand.press(1))
    visit.hand.release(1)
    visit.frames()


def with_key(visit: Visit, held: str, act: Callable[[], None]) -> None:
    """Does something while a key is held, and lets a frame see it."""
    from Xlib import XK, X
    from Xlib.ext import xtest

    display = visit.hand.display
    code = display.keysym_to_keycode(XK.string_to_keysym(held)) if held else 0
    if code:
        xtest.fake_input(display, X.KeyPress, code)
        display.sync()
        visit.frames()
    act()
    visit.frames()
    visit.hand.release(1)
    visit.frames()
    if code:
        xtest.fake_input(display, X.KeyRelease, code)
        display.sync()
        visit.frames()


def test_keys_walk_over_the_wall_and_start_presets(visit: Visit, wall) -> None:
    studio = visit.studio
    assert studio.gallery
    names = [card.name for card in wall.cards]
    assert names[-2:] == ["mine", "torn"]
    assert wall.at == 0  # the look that is shown has no file
    visit.key("Right")
    visit.key("Right")
    assert wall.at == 2
    visit.key("Left")
    visit.key("Return")
    assert (studio.session.preset.name, studio.gallery) == (names[1], False)

    visit.key("p")
    assert wall.at == 1  # where one is
    visit.key("Down")
    below = wall.at
    assert below == 1 + len(wall.rows[0])
    agents, steps = studio.session.world.agents, studio.session.steps
    visit.key("Return", held="Shift_L")
    assert studio.session.preset.name == names[below]
    assert studio.session.world.agents == agents
    assert studio.session.steps > steps

    visit.key("p")
    visit.key("End")
    assert wall.cards[wall.at].preset is None
    visit.key("Return")  # a broken file cannot be started
    visit.key("f")  # nor be a favourite
    assert studio.gallery
    assert not studio.settings.favourites
    visit.key("Home")
    assert wall.at == 0
    visit.key("p")
    assert not studio.gallery


def test_keys_on_the_wall_reach_nothing_else(visit: Visit, wall) -> None:
    studio = visit.studio
    seed, layer = studio.session.world.seed, studio.layer
    for name in ("n", "h", "space", "3", "c", "r"):
        visit.key(name)
    assert (studio.session.world.seed, studio.help, studio.paused, studio.layer) == (
        seed,
        False,
        False,
        layer,
    )
    assert studio.captures == 0
    visit.key("f")
    assert studio.settings.favourites == {"veins"}
    assert not visit.window.wnd.fullscreen
    visit.key("f")
    assert not studio.settings.favourites
    visit.key("Escape")
    assert (studio.gallery, studio.asking_to_quit) == (False, False)
    visit.key("Escape")
    assert studio.asking_to_quit


def test_words_are_found_while_they_are_typed(visit: Visit, wall) -> None:
    studio = visit.studio
    visit.key("slash")
    everything = len(wall.cards)
    for letter in "fp":  # which do something else outside of the field
        visit.key(letter)
    assert wall.wanted.words == "fp"
    assert wall.cards == []
    visit.key("Return")  # nothing to start
    assert studio.gallery
    visit.key("slash")
    for _ in "fp":
        visit.key("BackSpace")
    for letter in "lab":
        visit.key(letter)
    assert {"labyrinths" in card.preset.tags or "lab" in card.name for card in wall.cards} == {True}
    assert 1 < len(wall.cards) < everything
    visit.key("Right")  # moves in the field
    assert wall.at == 0
    visit.key("Return")
    assert (studio.session.preset.name, studio.gallery) == (wall.cards[0].name, False)
    visit.key("p")
    assert wall.wanted.words == ""
    assert not studio.settings.favourites


def test_the_mouse_starts_morphs_and_marks(visit: Visit, wall, monkeypatch) -> None:
    studio = visit.studio
    spots = places(visit, monkeypatch)
    corner, area = spots["tissue"]
    star = corner.x + area.x - 8, corner.y + 8
    click(visit, *star)
    assert studio.settings.favourites == {"tissue"}
    assert studio.gallery
    click(visit, corner.x + area.x / 2, corner.y + area.x / 4)
    assert (studio.session.preset.name, studio.gallery) == ("tissue", False)

    visit.key("p")
    corner, area = spots["arteries"]
    world = studio.session.world
    click(visit, corner.x + area.x / 2, corner.y + area.x / 4, held="Shift_L")
    assert (studio.session.preset.name, studio.gallery) == ("arteries", False)
    assert studio.session.world.agents == world.agents

    visit.key("p")
    corner, area = spots["veins"]
    click(visit, corner.x + area.x / 2, corner.y + area.x / 4, held="Control_L")
    assert not studio.gallery
    assert studio.morph is not None
    assert studio.session.world.agents == world.agents


def test_pictures_come_a_few_a_frame_and_go_with_the_wall(visit: Visit) -> None:
    pictures = visit.window.panel.gallery.pictures
    visit.hand.move(*WALL)
    visit.hand.key("p")
    seen = [0]
    while seen[-1] < 6:
        visit.frames(1)
        seen.append(len(pictures.held))
        assert len(seen) < 60
    assert max(b - a for a, b in itertools.pairwise(seen)) <= panel_pictures.A_FRAME
    visit.key("p")
    visit.frames(2)
    assert not pictures.held
    assert not pictures.leaving
    visit.key("p")
    visit.frames(2)
    assert pictures.held


def test_a_broken_preset_says_why_on_its_card(visit: Visit, wall, monkeypatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(panel_gallery, "draw_error", lambda error, corner, end: told.append(error))
    visit.key("End")
    visit.frames(5)
    assert "torn.toml" in told[-1]


def ring(before: np.ndarray, after: np.ndarray, side: int) -> tuple[float, float]:
    """Where on the screen a sensor's ring appeared."""
    tint = np.array(TINTS[side]) * 255
    new = (np.abs(after - tint).max(2) < 6) & (np.abs(before - tint).max(2) > 12)
    assert new.sum() > 10
    y, x = np.nonzero(new)
    here = np.hypot(x - np.median(x), y - np.median(y)) < 14  # not the dots where the drawing is in truth
    return float(x[here].mean()), float(y[here].mean())


@pytest.mark.parametrize("zoom", [0.3, 1.0, 2.5])
def test_the_lens_is_drawn_to_scale_while_a_slider_is_hovered_or_dragged(visit: Visit, zoom: float) -> None:
    studio = visit.studio
    visit.key("space")
    studio.notices.shown.clear()
    studio.settings.groups["Presets"] = False  # folded: the sliders are in sight then
    studio.view.zoom = zoom
    studio.change(sensor_angle=50.0, sensor_distance=40.0, step_size=0.05, rotation_angle=0.0)
    visit.hand.move(*CANVAS)
    visit.frames()
    bare = visit.hand.look().astype(int)
    x, y = visit.places["sensor_distance"]
    visit.hand.move(x, y)
    visit.frames()
    seen = visit.hand.look().astype(int)
    (left, at), (right, _), (middle, above) = (ring(bare, seen, side) for side in (-1, 1, 0))
    scale = studio.view.scale
    apart = 2 * 40 * math.sin(math.radians(50.0))
    factor = (right - left) / (apart * scale)
    assert factor == pytest.approx(2 ** round(math.log2(factor)), rel=0.02)
    assert (left + right) / 2 == pytest.approx(middle, abs=1)
    assert at - above == pytest.approx(40 * (1 - math.cos(math.radians(50.0))) * scale * factor, abs=1.5)
    assert left > 352  # beside the panel

    visit.hand.press(1)
    visit.frames()
    visit.hand.move(*CANVAS)  # dragged away from its slider it is still held
    visit.frames()
    assert studio.session.params.sensor_distance != 40.0
    ring(bare, visit.hand.look().astype(int), -1)
    visit.hand.release(1)
    visit.hand.move(*CANVAS)
    visit.frames()
    np.testing.assert_array_equal(visit.hand.look()[:, 400:], bare[:, 400:])


def test_the_help_fits_the_window_and_says_what_is_so_now(visit: Visit) -> None:
    studio = visit.studio
    visit.hand.move(*CANVAS)
    visit.key("h")
    window = imgui.internal.find_window_by_name("Help")
    assert window.active
    assert (window.pos.x >= 0, window.pos.y >= 0) == (True, True)
    assert window.pos.x + window.size.x <= 900
    assert window.pos.y + window.size.y <= 600
    studio.change(sensor_distance_amplitude=9.0)  # two agents then
    visit.frames()
    visit.key("Escape")
    assert not studio.help

    shown = agents(studio.session.params, 0)
    told = "\n".join(lines(studio, shown))
    assert told.count("\n") == 5
    for part in ("20,000 agents", "10 to 19 px", "45°", "to the better side, by 30°", "1 px", "0.1 of it"):
        assert part in told
    studio.change(rotation_angle=-20.0)
    assert "away from the better side, by 20°" in "\n".join(lines(studio, agents(studio.session.params, 0)))
    studio.change(rotation_angle_amplitude=50.0)
    turns = lines(studio, agents(studio.session.params, 0))[2]
    assert turns.endswith("to the better side, by -20 to 30°, below 0 away from it.")


def test_the_first_time_a_line_says_how_to_ask(visit: Visit, tmp_path: Path) -> None:
    def welcomed() -> bool:
        window = imgui.internal.find_window_by_name("##welcome")
        return bool(window and window.active)

    studio = visit.studio
    assert not welcomed()
    studio.settings = Settings(tmp_path / "config")
    visit.frames()
    assert welcomed()
    visit.key("p")
    visit.key("p")
    assert not welcomed()
    visit.window.panel.help.welcomed = False
    studio.settings.size = 900, 600  # as after the first time
    visit.frames()
    assert not welcomed()
    studio.settings.close()


def test_favourites_stand_first_in_the_panels_list(visit: Visit, monkeypatch) -> None:
    order: list[str] = []
    draw = visit.window.panel.presets._draw_entry
    monkeypatch.setattr(
        visit.window.panel.presets,
        "_draw_entry",
        lambda studio, entry: order.append(entry.name) or draw(studio, entry),
    )
    visit.studio.settings.favourites = {"storm", "foam"}
    visit.frames(1)
    assert order[:3] == ["foam", "storm", "veins"]
    assert len(order) == len(visit.studio.presets)


def test_nothing_is_drawn_of_a_zero_but_a_zero() -> None:
    from app.sliders import _format

    assert (_format("px", 0.0), _format("", 0.0)) == ("%.0f px", "%.0f")
    assert _format("px", 0.25) == "%.3f px"
    assert Params().sense_offset == 0
