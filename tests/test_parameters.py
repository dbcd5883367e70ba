"""One line declares a parameter: a declared one that is missing anywhere fails here.

Pictures are in `test_display.py`, README's table in `test_readme.py`.
"""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from looks import another
from overlay_scene import Overlay, Window, overlay, window  # noqa: F401

from app.arguments import command_line
from app.backend import Choice
from app.panel import Panel
from app.studio import Studio
from kernels.contract import SLOTS, step_values
from kernels.params import SPECS, Brush, Params, Spec, Value, check_params, specs
from kernels.simulation import Simulation
from kernels.world import World
from presets import Preset, dump, parse

WORLD = World(320, 200, 6400)
PICTURE = {name for name, spec in SPECS.items() if spec.group in ("Picture", "Time")}


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_a_line_is_whole(spec: Spec) -> None:
    assert spec.check(spec.default) == spec.default
    assert spec.help.endswith(".")
    assert spec.group
    assert spec.choices or spec.low < spec.high
    assert spec.scale == "linear" or spec.low > 0


@pytest.mark.parametrize("name", SPECS)
def test_the_kernels_numbers_follow_it(name: str) -> None:
    params = dataclasses.replace(Params(), **{name: another(SPECS[name])})
    same = np.array_equal(step_values(params, WORLD), step_values(Params(), WORLD))
    assert same == (name in PICTURE)


@pytest.mark.parametrize("name", sorted(SPECS.keys() - PICTURE))
def test_the_model_uses_it(name: str) -> None:
    digests = set()
    for params in (Params(), dataclasses.replace(Params(), **{name: another(SPECS[name])})):
        simulation = Simulation(World(64, 48, 600), params, "reference")
        simulation.step(9)
        digests.add(simulation.digest())
    assert len(digests) == 2


def test_every_number_of_the_kernels_comes_from_a_parameter() -> None:
    before = step_values(Params(), WORLD)
    moved = np.zeros(len(SLOTS), bool)
    for name, spec in SPECS.items():
        params = dataclasses.replace(Params(), **{name: another(spec)})
        moved |= step_values(params, WORLD) != before
    assert moved.all()


@pytest.mark.parametrize("name", SPECS)
def test_preset_files_carry_it(name: str) -> None:
    look = Preset("look", "Look", params=dataclasses.replace(Params(), **{name: another(SPECS[name])}))
    assert parse(dump(look), "look.toml") == look


@pytest.mark.parametrize("name", SPECS)
def test_the_command_line_sets_it(name: str) -> None:
    value = another(SPECS[name])
    asked = command_line().parse_args(["run", "--set", f"{name}={value}"])
    assert check_params(dict(asked.set)) == dataclasses.replace(Params(), **{name: value})


def test_the_panel_shows_all_of_them(overlay: Overlay, monkeypatch, tmp_path) -> None:  # noqa: F811
    drawn: list[str] = []

    def note(spec: Spec, value: Value) -> Value:
        drawn.append(spec.name)
        return value

    monkeypatch.setattr("app.sliders.draw_spec", note)
    monkeypatch.setattr("app.panel._group", lambda name, opened=True: True)
    studio = Studio(Preset("look", "Look"), WORLD, Choice("reference", False, "", ""), tmp_path)
    with overlay.frame(1 / 60):
        Panel().draw(studio)
    assert sorted(drawn) == sorted([*SPECS, *specs(Brush)])


def test_what_nobody_touches_keeps_all_its_digits(overlay: Overlay, tmp_path) -> None:  # noqa: F811
    odd = {s.name: another(s) for s in SPECS.values()} | {"decay": 0.12345678, "rotation_angle": 137.50776405}
    look = Preset("look", "Look", params=check_params(odd))
    studio = Studio(look, WORLD, Choice("reference", False, "", ""), tmp_path)
    for _ in range(3):
        with overlay.frame(1 / 60):
            Panel().draw(studio)
    assert studio.session.log == []
    assert studio.session.params == look.params


numbers = [spec for spec in SPECS.values() if not spec.choices]


@given(st.sampled_from(numbers), st.floats(allow_nan=True, allow_infinity=True))
def test_any_number_is_taken_in_range_or_refused_in_a_sentence(spec: Spec, number: float) -> None:
    whole = isinstance(spec.default, int)
    if spec.low <= number <= spec.high and (not whole or number == int(number)):
        assert spec.check(number) == number
        assert type(spec.check(number)) is type(spec.default)
    else:
        with pytest.raises(ValueError, match=f"^{spec.name} = .* is not allowed; it takes .*\\.$"):
            spec.check(number)


@given(st.sampled_from(list(SPECS.values())), st.text())
def test_any_text_is_taken_or_refused(spec: Spec, text: str) -> None:
    said = f"{spec.name} = "
    try:
        value = spec.parse(text)
        assert spec.check(value) == value
    except ValueError as error:
        said = str(error)
    assert said.startswith(f"{spec.name} = ")


@given(st.builds(dict, **{spec.name: st.floats(spec.low, spec.high) for spec in numbers if spec.scale}))
def test_the_kernels_numbers_are_always_finite(values: dict[str, float]) -> None:
    del values["steps_per_frame"]
    for world in (WORLD, World(16, 32768, 1), World(32768, 16, 1)):
        numbers = step_values(check_params(values), world)
        assert np.isfinite(numbers).all()
        assert np.abs(numbers).max() < 2**22
