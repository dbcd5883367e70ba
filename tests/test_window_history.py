"""Undo, snapshots and the strip in a real window, with real keys and a real mouse."""

from pathlib import Path

import numpy as np
from imgui_bundle import imgui
from PIL import Image
from visit import CANVAS, SIZE, Visit
from visit import hand as hand  # fixtures
from visit import screen as screen
from visit import visit as visit

from app import panel_history
from app.moment_file import read
from app.panel_history import HistoryPanel


def test_keys_undo_and_go_back(visit: Visit, tmp_path: Path, monkeypatch) -> None:
    studio = visit.studio
    monkeypatch.setattr("app.rewinder.capture_folder", lambda: tmp_path)
    studio.moments.seconds = 0.0
    x, y = visit.places["sensor_angle"]
    visit.drag(1, (x, y), (x + 60, y))
    turned = studio.session.params.sensor_angle
    visit.hand.move(*CANVAS)
    visit.key("r")
    visit.drag(1, CANVAS, (820, 420))
    labels = [entry.label.split()[0] for entry in studio.history.entries]
    assert labels == ["sensor_angle", "restart", "painted"]
    visit.key("z", held="Control_L")
    visit.key("z", held="Control_L")
    assert studio.history.at == 1
    assert studio.session.params.sensor_angle == turned
    visit.key("z", held="Control_L")
    assert studio.session.params.sensor_angle == 45.0
    visit.key("y", held="Control_L")
    assert studio.session.params.sensor_angle == turned
    visit.hand.hold("Control_L")
    visit.key("z", held="Shift_L")
    visit.hand.let_go("Control_L")
    assert studio.history.at == 2

    visit.key("s")
    (kept,) = [kept for kept in studio.moments.strip if kept.by == "hand"]
    visit.frames(20)
    assert kept.picture is not None
    assert len(np.unique(kept.picture)) > 20  # veins, not one tone
    visit.key("space")
    visit.key("BackSpace")
    assert studio.session.steps == kept.moment.step
    assert studio.here is kept
    digest = studio.session.simulation.digest()
    visit.key("s", held="Shift_L")
    visit.until(lambda: any("Saved" in text for text in studio.notices.current()))
    (path,) = tmp_path.glob("*.physarium")
    assert read(path).step == kept.moment.step

    visit.key("n")
    studio.open(path)
    visit.frames()
    assert studio.session.simulation.digest() == digest


def test_the_panel_shows_what_was_and_goes_there(visit: Visit, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("app.panel.OPENED", ("History",))
    places: dict[object, tuple[int, int]] = {}
    draw_entry, draw_moment = panel_history._draw_entry, HistoryPanel._draw_moment

    def note(key: object) -> None:
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        places[key] = round((low.x + high.x) / 2), round((low.y + high.y) / 2)

    def entry(number: int, label: str, at: int) -> bool:
        clicked = draw_entry(number, label, at)
        note(number)
        return clicked

    def moment(panel, studio, kept, high) -> bool:
        clicked = draw_moment(panel, studio, kept, high)
        note(kept)
        return clicked

    monkeypatch.setattr(panel_history, "_draw_entry", entry)
    monkeypatch.setattr(HistoryPanel, "_draw_moment", moment)
    visit.window.panel = type(visit.window.panel)()
    studio = visit.studio
    studio.moments.seconds = 0.0
    for number in range(3):
        studio.session.advance(40)
        studio.change(sensor_angle=20.0 + 10 * number)
        studio.snapshot()
        visit.frames(2)
    studio.restart()
    visit.frames(6)
    strip = studio.moments.strip
    assert len(strip) == 4  # the clock's first among them
    click(visit, places[2])
    assert studio.history.at == 2
    assert studio.session.params.sensor_angle == 30.0
    click(visit, places[3])
    assert (studio.history.at, studio.session.params.sensor_angle) == (3, 40.0)
    visit.key("space")
    click(visit, places[strip[-1]])
    assert studio.here is strip[-1]
    assert studio.session.steps == strip[-1].moment.step
    assert studio.history.entries[-1].label.startswith("back to step")
    undone = places[0]
    visit.hand.move(*CANVAS)
    visit.frames()
    picture = visit.hand.look()[: SIZE[1], : SIZE[0]]
    Image.fromarray(picture).save(tmp_path / "history.png")
    accent = picture.astype(int) - np.array([237, 184, 64])
    assert (np.abs(accent).max(2) < 30).sum() > 200  # the frames of what was kept by hand
    click(visit, undone)
    assert studio.history.at == 0
    assert studio.session.params.sensor_angle == 45.0


def click(visit: Visit, place: tuple[int, int]) -> None:
    visit.hand.move(*place)
    visit.frames()
    visit.hand.press(1)
    visit.frames()
    visit.hand.release(1)
    visit.frames()
