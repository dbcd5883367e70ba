"""One line declares a parameter: a declared one that is missing anywhere fails here.

Pictures are in `test_display.py`, the panel is in `test_panel.py`, README's table in `test_readme.py`.
"""

import dataclasses
import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from looks import another

from app.arguments import command_line
from kernels.contract import RESPONSES, SLOT, numbers
from kernels.params import LOOK, MAX_SPECIES, SPECS, TRAITS, Params, check_params, of_species, own_name
from kernels.scene import Food, Map
from kernels.simulation import Simulation
from kernels.spec import Spec
from kernels.world import World
from presets import Preset, dump, parse

WORLD = World(320, 200, 6400)
PICTURE = {*LOOK, "steps_per_frame"}

# A world and a look in which nothing is switched off, so that every parameter can be seen at work.
BUSY = World(64, 48, 900, shares=(1.0,) * MAX_SPECIES, map=Map(food=(Food(radius=15.0),)))
AT_WORK = {
    "deposit_curve": "power",
    "deposit_bend": 1.0,
    **{f"{name}_amplitude": 3.0 for name in RESPONSES},
    "wander": 20.0,
    "turn_chance": 0.1,
    "respawn": 20.0,
    "lifetime": 20.0,
    "join_threshold": 0.1,
    "join_chance": 0.5,
}
BASE = check_params(
    {own_name(name, k): value for name, value in AT_WORK.items() for k in range(MAX_SPECIES)}
    | {own_name("joins", k): str((k + 1) % MAX_SPECIES + 1) for k in range(MAX_SPECIES)}
)


def changed(name: str, base: Params = BASE) -> Params:
    """The look with another value of one parameter."""
    spec = SPECS[name]
    value = another(spec)
    return dataclasses.replace(base, **{name: spec.default if value == getattr(base, name) else value})


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_a_line_is_whole(spec: Spec) -> None:
    assert spec.check(spec.default) == spec.default
    assert spec.help.endswith(".")
    assert spec.group
    assert spec.choices or spec.curve or spec.low < spec.high
    assert spec.scale == "linear" or spec.low >= 0


def test_every_species_has_its_own_traits() -> None:
    assert len(TRAITS) * MAX_SPECIES + sum(spec.species == 0 for spec in SPECS.values()) == len(SPECS)
    for trait in TRAITS:
        for species in range(MAX_SPECIES):
            spec = SPECS[own_name(trait, species)]
            assert (spec.trait, spec.species) == (trait, species + 1)
            assert (spec.help, spec.allowed) == (SPECS[trait].help, SPECS[trait].allowed)


@pytest.mark.parametrize("species", range(MAX_SPECIES))
def test_a_species_own_parameters_are_told_by_the_first_ones_names(species: int) -> None:
    name = own_name("decay", species)
    params = dataclasses.replace(Params(), **{name: 0.5})
    assert [of_species(params, k).decay for k in range(MAX_SPECIES)].index(0.5) == species
    assert of_species(params, species).gamma == params.gamma


@pytest.mark.parametrize("name", SPECS)
def test_the_kernels_numbers_follow_it(name: str) -> None:
    before, after = (numbers(params, BUSY, ground=True) for params in (BASE, changed(name)))
    same = before.features == after.features and all(
        np.array_equal(getattr(before, part), getattr(after, part))
        for part in ("values", "responses", "crowds")
    )
    assert same == (SPECS[name].trait in PICTURE)


@functools.cache
def busy_digest(params: Params) -> str:
    simulation = Simulation(BUSY, params, "reference")
    simulation.step(6)
    return simulation.digest()


@pytest.mark.parametrize("name", [name for name, spec in SPECS.items() if spec.trait not in PICTURE])
def test_the_model_uses_it(name: str) -> None:
    assert busy_digest(changed(name)) != busy_digest(BASE)


def test_every_number_of_the_kernels_comes_from_a_parameter() -> None:
    before = numbers(BASE, BUSY).values
    moved = np.zeros(before.shape, bool)
    for name in SPECS:
        moved |= numbers(changed(name), BUSY).values != before
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


NUMBERS = [spec for spec in SPECS.values() if not (spec.choices or spec.curve)]


@given(st.sampled_from(NUMBERS), st.floats(allow_nan=True, allow_infinity=True))
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


FLOATS = {spec.name: st.floats(spec.low, spec.high) for spec in NUMBERS if spec.name in TRAITS}
LENGTHS = [SLOT[name] for name in ("sensor_ahead", "sensor_cos", "sensor_sin", "step", "sense_offset")]


@given(st.builds(dict, **FLOATS))
def test_the_kernels_numbers_are_always_finite(values: dict[str, float]) -> None:
    params = check_params(values)
    for world in (WORLD, World(16, 32768, 1), World(32768, 16, 1)):
        found = numbers(params, world)
        for part in (found.values, found.responses, found.crowds):
            assert np.isfinite(part).all()
        assert np.abs(found.values[..., LENGTHS]).max() < 2**22
        assert np.abs(found.responses[..., 0]).max() < 2**22
