"""The panel as a whole: everything is on it, once, whatever the number of species."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from imgui_bundle import imgui
from looks import another
from overlay_scene import overlay as overlay  # fixtures
from overlay_scene import window as window

import presets
from app.backend import Choice
from app.overlay import Overlay
from app.painter import PAINTED
from app.panel import OWN, Panel, group_specs
from app.panel_map import BRUSH, SETTINGS
from app.panel_species import joining
from app.panel_world import KINDS, WorldPanel
from app.studio import Studio
from kernels.params import MAX_SPECIES, SPECS, Params, check_params
from kernels.scene import START_SPECS, STARTS, Start
from kernels.spec import Spec, Value
from kernels.world import World
from presets import Preset
from presets.pictures import draw_text

WORLD = World(64, 48, 600, "panel")
CHOICE = Choice("reference", False, "", "")


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    return Studio(Preset("look", "Look"), WORLD, CHOICE, tmp_path)


def draw(overlay: Overlay, panel: Panel, studio: Studio, frames: int = 1) -> None:
    for _ in range(frames):
        with overlay.frame(1 / 60):
            panel.draw(studio)


@pytest.fixture
def drawn(monkeypatch) -> list[str]:
    """All groups opened, and the names of the parameters whose widgets were drawn."""
    names: list[str] = []

    def note(spec: Spec, value: Value, label: str = "") -> Value:
        names.append(spec.name)
        return value

    def note_curve(name: str, curve: str, *_: object) -> str:
        names.append(name)
        return curve

    for place in ("sliders", "panel_response", "panel_world"):
        monkeypatch.setattr(f"app.{place}.draw_spec", note)
    monkeypatch.setattr("app.panel_species.draw_attraction", note)
    monkeypatch.setattr("app.panel_response.edit_curve", note_curve)
    monkeypatch.setattr("app.panel._group", lambda name, label="": True)
    monkeypatch.setattr(imgui, "tree_node_ex", lambda label, _: imgui.tree_push(label) or True)
    return names


def test_every_parameter_is_on_the_panel(overlay, studio, drawn) -> None:
    panel, found = Panel(), set()
    for _ in range(MAX_SPECIES - 1):
        studio.add_species()
    for shown in range(MAX_SPECIES):
        for layer in PAINTED:
            studio.species, studio.layer = shown, layer
            drawn.clear()
            draw(overlay, panel, studio)
            assert len(drawn) == len(set(drawn))
            found |= set(drawn)
    assert found == {*SPECS, *BRUSH, "kind"}  # a uniform start has no radius
    assert studio.session.log == []


def test_one_species_sees_nothing_of_the_others(overlay, studio, drawn) -> None:
    draw(overlay, Panel(), studio)
    there = {name for name in drawn if name in SPECS}
    assert {SPECS[name].species for name in there} == {0, 1}
    hidden = {name for name, spec in SPECS.items() if spec.species < 2} - there
    assert hidden == {"attraction_to_2", "attraction_to_3", "attraction_to_4"} | {
        "joins",
        "join_threshold",
        "join_chance",
    }


def test_what_nobody_touches_keeps_all_its_digits(overlay, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("app.panel._group", lambda name, label="": True)
    monkeypatch.setattr(imgui, "tree_node_ex", lambda label, _: imgui.tree_push(label) or True)
    odd = {s.name: another(s) for s in SPECS.values()} | {"decay": 0.12345678, "rotation_angle": 137.50776405}
    look = Preset("look", "Look", params=check_params(odd), shares=(1.0, 3.0))
    studio = Studio(look, dataclasses.replace(WORLD, shares=look.shares), CHOICE, tmp_path)
    for studio.species in 0, 1:
        draw(overlay, Panel(), studio, 3)
    assert studio.session.log == []
    assert studio.session.params == look.params


def test_the_last_species_shown_goes_and_another_is_shown(overlay, studio) -> None:
    panel = Panel()
    studio.add_species()
    studio.species = 1
    draw(overlay, panel, studio)
    assert studio.species == 1
    studio.load_preset(studio.presets[0].preset)
    draw(overlay, panel, studio)
    assert (studio.species, studio.session.world.species) == (0, 1)


def test_groups_of_traits_show_one_species_and_the_others_all() -> None:
    assert {"Agents", "Trail", "Response", "Life", "Species"} == OWN
    assert {spec.species for spec in group_specs("Agents", 3, 1)} == {2}
    palettes = [spec.name for spec in group_specs("Picture", 3, 1) if spec.trait == "palette"]
    assert palettes == ["palette", "palette_2", "palette_3"]


def test_what_the_parts_say_of_declarations_is_declared() -> None:
    assert tuple(SETTINGS) == PAINTED
    assert {name for names in SETTINGS.values() for name in names} == set(BRUSH)
    assert set(KINDS) <= set(START_SPECS)
    assert {kind for kinds in KINDS.values() for kind in kinds} <= set(STARTS)


@pytest.mark.parametrize("species", [1, 4])
def test_a_draft_of_the_world_is_the_world_until_it_is_changed(overlay, studio, species) -> None:
    for _ in range(species - 1):
        studio.add_species()
    panel = Panel().world
    with overlay.frame(1 / 60):
        panel.draw(studio)
    assert panel._world() == studio.session.world
    panel.start["kind"] = "image"
    with pytest.raises(ValueError, match="image"):
        panel._world()
    with overlay.frame(1 / 60):
        panel.draw(studio)


@pytest.fixture
def restart(overlay, studio, monkeypatch) -> Callable[..., None]:
    """Restarts from the World section, once a kind of start or some words are chosen there."""
    pressed: list[str] = []
    typed: list[str] = []
    monkeypatch.setattr(
        "app.panel_world._draw_field",
        lambda label, hint, text: 2 * (typed.pop(),) if typed and label == "text" else ("", text),
    )
    monkeypatch.setattr(imgui, "button", lambda label, *_: label in pressed)

    def frame(panel: WorldPanel) -> None:
        with overlay.frame(1 / 60):
            panel.draw(studio)

    def restart(panel: WorldPanel, kind: str = "image", words: str = "") -> None:
        frame(panel)
        panel.start["kind"] = kind
        typed.extend([words] if words else [])
        frame(panel)
        pressed.append("Restart")
        frame(panel)
        pressed.clear()
        assert not typed

    return restart


def test_words_that_agents_start_on_are_saved_and_come_back(overlay, studio, restart, tmp_path) -> None:
    panel, session = WorldPanel(), studio.session
    studio.load_preset(_on_words("ONE"))
    with overlay.frame(1 / 60):
        panel.draw(studio)
    assert (panel.text, panel.picture) == ("ONE", draw_text("ONE"))

    restart(panel, words="TWO")
    assert (session.preset.words, session.world.start.image) == ("TWO", draw_text("TWO"))
    studio.restart()
    studio.new_seed()
    assert studio.save_preset("Mine")
    saved = presets.load(tmp_path / "mine.toml")
    assert (saved.words, saved.start) == ("TWO", session.world.start)

    studio.load_preset(_on_words("ONE"))
    studio.load_preset(saved)
    with overlay.frame(1 / 60):
        panel.draw(studio)
    assert (session.preset.words, panel.text, panel.picture) == ("TWO", "TWO", saved.start.image)

    restart(panel, "disc")
    assert (session.preset.words, session.world.start.kind) == ("", "disc")
    assert studio.save_preset("Mine", overwrite=True)
    assert presets.load(tmp_path / "mine.toml").words == ""


def _on_words(words: str) -> Preset:
    return Preset("look", "Look", start=Start("image", image=draw_text(words)), words=words)


def test_words_that_cannot_be_drawn_change_nothing(studio, restart) -> None:
    panel = WorldPanel()
    studio.load_preset(_on_words("ONE"))
    studio.notices.shown.clear()
    restart(panel, words="\U0010fffd")
    assert "cannot be drawn" in studio.notices.current()[0]
    assert (studio.session.preset.words, studio.session.world.start.image) == ("ONE", draw_text("ONE"))


def test_an_image_to_start_on_has_no_words(studio, restart) -> None:
    panel = WorldPanel()
    studio.load_preset(_on_words("ONE"))
    restart(panel)
    panel._take(studio, lambda: draw_text("from a file"))
    restart(panel)
    assert (studio.session.preset.words, panel.text) == ("", "")


def test_a_restart_from_the_panel_ends_a_revival(studio, restart) -> None:
    studio.watch.cure = {"wander": (0.0, 20.0)}
    studio.session.change(wander=20.0)
    restart(WorldPanel(), "disc")
    assert studio.session.world.start.kind == "disc"
    assert studio.session.params.wander == 0.0


@pytest.mark.parametrize(
    ("species", "shown", "now", "offered"),
    [
        (2, 0, "none", ["none", "2"]),
        (3, 1, "3", ["none", "1", "3"]),
        (4, 3, "none", ["none", "1", "2", "3"]),
        (2, 0, "4", ["none", "2", "4"]),  # of a file: it is shown, so that nothing else is
        (3, 1, "2", ["none", "1", "2", "3"]),
    ],
)
def test_only_species_that_there_are_can_be_joined(species, shown, now, offered) -> None:
    whom, *more = joining(species, shown, now)
    assert list(whom.choices) == offered
    assert [spec.trait for spec in (whom, *more)] == ["joins", "join_threshold", "join_chance"]
    assert {spec.species for spec in (whom, *more)} == {shown + 1}


@pytest.mark.parametrize("species", [1, 2, 4])
def test_the_grid_has_the_species_that_there_are(overlay, studio, drawn, species) -> None:
    for _ in range(species - 1):
        studio.add_species()
    drawn.clear()
    draw(overlay, Panel(), studio)
    cells = [SPECS[name] for name in drawn if SPECS.get(name) and "attraction" in name]
    there = range(1, species + 1)
    assert [(cell.species, cell.trait) for cell in cells] == [
        (who, f"attraction_to_{whose}") for who in there for whose in there
    ]


def test_a_look_whose_mask_blends_another_says_which(overlay, studio) -> None:
    panel = Panel().map
    declared = group_specs("Map", 1, 0)
    for other, name in (
        (studio.presets[2].preset.params, studio.presets[2].preset.title),
        (Params(decay=0.77), "another look"),
    ):
        studio.blend_with(other)
        with overlay.frame(1 / 60):
            panel.draw(studio, declared)
        assert panel.blended == name


def test_the_watch_is_plotted_and_its_warning_shown(overlay, studio, monkeypatch) -> None:
    monkeypatch.setattr("app.panel._group", lambda name, label="": name == "Watch")
    texts: list[str] = []
    monkeypatch.setattr(imgui, "text_wrapped", texts.append)
    studio.watch.coverage, studio.watch.entropy, studio.watch.motion = [0.1, 0.2], [0.5, 0.5], [0.0, 0.0]
    studio.watch.warning = "The picture has frozen."
    studio.notices.shown.clear()
    draw(overlay, Panel(), studio)
    assert texts == ["The picture has frozen."]
    assert np.isfinite(studio.watch.coverage).all()
