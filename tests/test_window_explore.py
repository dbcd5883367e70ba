"""Locks, chance, A and B, morphs and the pad in a real window, by mouse and keys."""

import numpy as np
import pytest
from imgui_bundle import imgui
from visit import CANVAS, Visit
from visit import hand as hand  # fixtures
from visit import screen as screen
from visit import visit as visit

import presets
from app.explorer import CORNERS


@pytest.fixture
def buttons(request, visit: Visit, monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[int, int, int, int]]:
    """Where the panel's buttons are on the screen, by label: left, top, right, bottom.

    Explore is open, but where the sliders below it are wanted.
    """
    found: dict[str, tuple[int, int, int, int]] = {}

    def noting(name: str):
        draw = getattr(imgui, name)

        def drawn(label: str, *size):
            pressed = draw(label, *size)
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            found[label] = round(low.x), round(low.y), round(high.x), round(high.y)
            return pressed

        return drawn

    for name in ("button", "invisible_button"):
        monkeypatch.setattr(imgui, name, noting(name))
    visit.studio.settings.groups |= {"Presets": False, "Explore": "lock" not in request.node.name}
    visit.frames()
    return found


def middle(place: tuple[int, int, int, int]) -> tuple[int, int]:
    left, top, right, bottom = place
    return (left + right) // 2, (top + bottom) // 2


def click(visit: Visit, x: int, y: int) -> None:
    visit.hand.move(x, y)
    visit.frames()
    visit.hand.press(1)
    visit.frames()
    visit.hand.release(1)
    visit.frames()


def test_keys_mutate_randomise_and_flip_and_each_is_undone(visit: Visit) -> None:
    studio = visit.studio
    first, steps = studio.session.params, studio.session.steps
    visit.key("m")
    mutated = studio.session.params
    assert mutated != first
    visit.key("m", held="Shift_L")
    drawn = studio.session.params
    assert drawn not in (first, mutated)
    visit.key("b", held="Shift_L")
    studio.change(palette="frost")
    visit.frames()
    changed = studio.session.params
    visit.key("b")
    assert (studio.session.params, studio.side) == (drawn, 1)
    visit.key("b")
    assert (studio.session.params, studio.side) == (changed, 0)
    for params in (drawn, changed, drawn, mutated, first):
        visit.key("z", held="Control_L")
        assert studio.session.params == params
    assert studio.session.steps > steps


def test_a_lock_is_clicked_beside_its_slider_and_in_its_heading(visit: Visit, buttons) -> None:
    studio = visit.studio
    right = buttons["lock Agents"][2]
    x, y = visit.places["sensor_angle"]
    mark = np.s_[y - 11 : y + 11, right - 16 : right]
    bare = visit.hand.look()[mark]
    visit.hand.move(x, y)
    visit.frames()
    assert (visit.hand.look()[mark] != bare).any()
    click(visit, right - 6, y)
    assert studio.locked == {"sensor_angle"}
    before = studio.session.params
    visit.hand.move(*CANVAS)
    visit.key("m", held="Shift_L")
    assert studio.session.params.sensor_angle == before.sensor_angle
    assert studio.session.params.sensor_distance != before.sensor_distance
    assert (visit.hand.look()[mark] != bare).any()  # though the mouse is elsewhere
    click(visit, right - 6, y)
    assert studio.locked == set()

    agents = {"sensor_angle", "sensor_distance", "rotation_angle", "step_size"}
    click(visit, *middle(buttons["lock Agents"]))
    assert studio.locked == agents
    visit.places.clear()
    visit.frames()
    assert agents <= set(visit.places)  # the heading was not folded
    before = studio.session.params
    visit.hand.move(*CANVAS)
    visit.key("m")
    after = studio.session.params
    assert after.decay != before.decay
    assert all(getattr(after, name) == getattr(before, name) for name in agents)
    click(visit, *middle(buttons["lock Agents"]))
    assert studio.locked == set()


def test_the_pad_is_dragged_between_its_corners(visit: Visit, buttons) -> None:
    studio = visit.studio
    first, entries = studio.session.params, studio.history.at
    visit.hand.move(*middle(buttons["Randomise"]))
    for _ in range(3):  # the wheel, down
        visit.hand.press(5)
        visit.hand.release(5)
        visit.frames(1)
    visit.frames(20)
    left, top, right, bottom = buttons["pad"]
    visit.drag(1, middle(buttons["pad"]), (left - 30, bottom + 30))  # held at the corner, past its edge
    assert studio.pad == (0, 1)
    assert studio.session.params == presets.find(CORNERS[2]).params
    assert studio.history.at == entries + 1
    assert {type(event).__name__ for event in studio.session.log} == {"Change"}
    visit.key("z", held="Control_L")
    assert studio.session.params == first
    click(visit, right - 2, top + 2)
    assert studio.pad[0] > 0.98
    assert studio.pad[1] < 0.03


def test_a_morph_is_seen_on_its_way_and_stopped(visit: Visit, buttons) -> None:
    studio = visit.studio
    entries = studio.history.at
    studio.seconds = 0.5
    cells = next(entry.preset for entry in studio.presets if entry.name == "cells")
    studio.morph_to(cells)
    visit.frames(8)
    assert 0 < studio.morph.done < 1
    click(visit, *middle(buttons["Stop##morph"]))
    assert not studio.morphing
    assert studio.history.at == entries + 1
    part = studio.session.params
    visit.frames(10)
    assert studio.session.params == part != cells.params
    studio.morph_to(cells)
    before = visit.hand.look()
    visit.until(lambda: not studio.morphing)
    visit.frames()
    assert studio.session.params == cells.params
    assert studio.session.preset.title == "Cells"
    assert studio.history.at == entries + 2
    assert np.abs(visit.hand.look()[:, 450:].astype(int) - before[:, 450:]).mean() > 2


def test_a_and_b_are_buttons(visit: Visit, buttons) -> None:
    studio = visit.studio
    click(visit, *middle(buttons["A##side"]))
    assert studio.side == 0
    click(visit, *middle(buttons["B##side"]))
    assert studio.side == 1
    click(visit, *middle(buttons["Mutate"]))
    mutated = studio.session.params
    click(visit, *middle(buttons["A##side"]))
    assert (studio.side, studio.session.params == mutated) == (0, False)
    click(visit, *middle(buttons["Copy A to B"]))
    assert studio.other_side == (studio.session.params, None)
