"""The panel's looks: their pictures, a click on one, and saving and deleting one's own."""

from pathlib import Path

import pytest
from imgui_bundle import imgui
from overlay_scene import overlay as overlay  # fixtures
from overlay_scene import show
from overlay_scene import window as window

from app.backend import Choice
from app.overlay import Overlay
from app.panel_looks import COLUMNS, LooksPanel
from app.studio import Studio
from kernels.world import World
from presets import Preset, looks
from presets.looks import Look, look_folder

SHIPPED = looks.shipped()


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    folder = tmp_path / "presets"
    looks.save(Look("", "Mine", params=SHIPPED[0].params), look_folder(folder))
    (look_folder(folder) / "broken.toml").write_text("format = 1")
    return Studio(Preset("own", "Own"), World(32, 24, 50), Choice("reference", False, "", ""), folder)


@pytest.fixture
def pressed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The buttons that are down in each frame, by label; a look's picture by its place in the list."""
    down: list[str] = []
    seen = [0]

    def picture(label: str, area: imgui.ImVec2) -> bool:
        imgui.dummy(area)
        seen[0] += 1
        return f"look {seen[0] - 1}" in down

    def button(label: str, *_: object) -> bool:
        if label.startswith("Save") or label.startswith("Replace"):
            seen[0] = 0  # the list has been drawn
        return label in down

    monkeypatch.setattr(imgui, "invisible_button", picture)
    monkeypatch.setattr(imgui, "button", button)
    return down


def frames(overlay: Overlay, panel: LooksPanel, studio: Studio, count: int = 1) -> None:
    show(overlay, lambda: panel.draw(studio), count)


def test_every_look_has_a_picture_in_a_few_frames(overlay, window, studio) -> None:
    panel = LooksPanel()
    frames(overlay, panel, studio, 30)
    assert set(panel.pictures.held) == {entry.name for entry in studio.wardrobe.entries if entry.preset}
    assert len(studio.wardrobe.entries) == len(SHIPPED) + 2
    assert studio.session.log == []


def test_a_click_puts_a_look_on(overlay, window, studio, pressed) -> None:
    panel = LooksPanel()
    for index in COLUMNS, 2, len(SHIPPED):  # the last is broken
        pressed[:] = [f"look {index}"]
        frames(overlay, panel, studio)
        pressed.clear()
    assert studio.wardrobe.name_of(studio.session.params) == SHIPPED[2].name


def test_ones_own_is_saved_and_deleted_when_one_is_sure(overlay, window, studio, pressed) -> None:
    panel = LooksPanel()
    studio.change(gamma=3.3)
    panel.title = " Third "
    pressed[:] = ["Save as##look"]
    frames(overlay, panel, studio)
    assert panel.title == ""
    assert studio.wardrobe.name_of(studio.session.params) == "third"
    pressed[:] = ["Delete this look of yours"]
    frames(overlay, panel, studio)
    assert studio.wardrobe.entries[-1].name == "third"
    pressed[:] = ["Sure?##look"]
    frames(overlay, panel, studio)
    assert [entry.name for entry in studio.wardrobe.entries[-2:]] == ["broken", "mine"]
    assert studio.session.params.gamma == 3.3
