"""Looks made from looks: mutated, drawn anew, bred."""

import random
import statistics

import numpy as np
import pytest
from any_preset import PARAMS
from hypothesis import given, settings
from hypothesis import strategies as st

import presets
from app.mutate import PARTS, breed, is_promising, mutate, names_of, randomise
from app.palette import light_of, to_oklab
from app.recolour import recoloured
from kernels.contract import features
from kernels.params import LOOK, MAX_SPECIES, PALETTES, SPECS, Params, check_params, of_species
from kernels.world import World

SEEDS = st.integers(0, 10**6)
PART = st.sampled_from(PARTS)
SPECIES = st.integers(1, MAX_SPECIES)
LOCKS = st.sets(st.sampled_from(list(SPECS)), max_size=40)


def values(params: Params) -> dict:
    return {name: getattr(params, name) for name in SPECS}


def differing(a: Params, b: Params) -> set[str]:
    return {name for name in SPECS if getattr(a, name) != getattr(b, name)}


def rules(params: Params, species: int, ground: bool = False, mask: bool = False):
    return features(params, Params(), World(32, 32, 9, shares=(1.0,) * species), ground, mask)


@given(PARAMS, st.floats(0, 1), LOCKS, SEEDS, PART, SPECIES, st.booleans())
@settings(deadline=None, max_examples=60)
def test_a_mutation_is_allowed_and_repeats_and_leaves_locks_and_rules(
    look, strength, locked, seed, part, species, wake
) -> None:
    how = {"part": part, "species": species, "wake": wake}
    made = mutate(look, strength, locked, seed, **how)
    assert check_params(values(made)) == made
    assert mutate(look, strength, locked, seed, **how) == made
    changed = differing(look, made)
    assert not changed & locked
    assert changed <= set(names_of(part, species))
    if not wake:
        for ground in (False, True):
            assert rules(made, species, ground, ground) == rules(look, species, ground, ground)


@given(PARAMS, LOCKS, SEEDS, PART, SPECIES, st.booleans())
@settings(deadline=None, max_examples=40)
def test_a_look_drawn_anew_is_allowed_and_repeats_and_leaves_locks_and_rules(
    look, locked, seed, part, species, wake
) -> None:
    how = {"part": part, "species": species, "wake": wake}
    made = randomise(look, locked, seed, **how)
    assert check_params(values(made)) == made
    assert randomise(look, locked, seed, **how) == made
    changed = differing(look, made)
    assert not changed & locked
    assert changed <= set(names_of(part, species))
    if not wake:
        assert rules(made, species) == rules(look, species)


@given(PARAMS, PARAMS, LOCKS, SEEDS, SPECIES)
@settings(deadline=None, max_examples=40)
def test_a_child_has_its_parents_values_or_what_lies_between(a, b, locked, seed, species) -> None:
    child = breed(a, b, seed, locked, species=species)
    assert check_params(values(child)) == child
    assert breed(a, b, seed, locked, species=species) == child
    assert not differing(a, child) & locked
    assert rules(child, species) in (rules(a, species), rules(b, species))
    for name in SPECS:
        ends, value = (getattr(a, name), getattr(b, name)), getattr(child, name)
        if isinstance(value, str):
            assert value in ends
        elif SPECS[name].trait not in ("lamp_direction", "respawn", "lifetime"):  # round, or by way of never
            assert min(ends) <= value <= max(ends)


@given(PARAMS, SEEDS, SPECIES, st.booleans())
@settings(deadline=None, max_examples=30)
def test_strength_0_is_the_look_itself(look, seed, species, wake) -> None:
    assert mutate(look, 0, (), seed, species=species, wake=wake) == look


def test_children_take_after_both() -> None:
    a, b = presets.find("veins").params, presets.find("cells").params
    child = breed(a, b, 1, species=1)
    assert differing(child, a)
    assert differing(child, b)
    assert breed(a, b, 2, species=1) != child
    assert breed(a, a, 1) == a


def test_a_lock_leaves_the_others_moves_as_they_are() -> None:
    look = presets.find("veins").params
    free, held = (mutate(look, 0.5, locked, "x", species=1) for locked in ((), ("decay",)))
    assert differing(free, held) == {"decay"}


def test_parts_are_apart_and_time_and_absent_species_are_in_none() -> None:
    for species in range(1, MAX_SPECIES + 1):
        behaviour, look, both = (set(names_of(part, species)) for part in PARTS)
        assert behaviour | look == both
        assert not behaviour & look
        assert look <= set(LOOK)
        assert "steps_per_frame" not in both
        assert {SPECS[name].species for name in both} == set(range(species + 1))
        liked = {name for name in both if name.startswith("attraction_to_")}
        assert len(liked) == (species**2 if species > 1 else 0)


def test_stronger_mutations_go_farther() -> None:
    look = presets.find("veins").params

    def moved(strength: float) -> float:
        made = [mutate(look, strength, (), seed, part="behaviour", species=1) for seed in range(40)]
        return statistics.mean(abs(np.log(each.sensor_distance / look.sensor_distance)) for each in made)

    assert moved(0.05) < moved(0.2) < moved(0.6)


@pytest.mark.parametrize("name", ["sensor_distance", "step_size", "decay"])
def test_logarithmic_parameters_move_by_factors(name) -> None:
    look = Params()
    factors = [
        getattr(mutate(look, 0.2, (), seed, species=1), name) / getattr(look, name) for seed in range(300)
    ]
    smaller = sum(factor < 1 for factor in factors)
    assert 110 < smaller < 190  # half as often as not it shrinks, by as much as it grows
    assert abs(statistics.mean(np.log(factors))) < 3 * statistics.pstdev(np.log(factors)) / 300**0.5


def test_what_is_off_stays_off_unless_it_is_asked_for() -> None:
    look = presets.find("veins").params
    off = [name for name in names_of("both", 1) if getattr(look, name) == SPECS[name].default == 0]
    assert {"respawn", "sensor_angle_amplitude", "bloom"} <= set(off)
    for made in (mutate(look, 1.0, (), 1, species=1), randomise(look, (), 1, species=1)):
        assert all(getattr(made, name) == 0 for name in off)
    woken = [randomise(look, (), seed, species=1, wake=True) for seed in range(12)]
    on = {name for made in woken for name in off if getattr(made, name)}
    assert len(on) > len(off) / 2
    assert any(any(getattr(made, name) == 0 for name in off) for made in woken)


def test_looks_drawn_anew_differ_and_seldom_lie_at_the_ends() -> None:
    look = presets.find("veins").params
    drawn = [randomise(look, (), seed, species=1) for seed in range(60)]
    for name in names_of("both", 1):
        spec = SPECS[name]
        found = [getattr(made, name) for made in drawn]
        if isinstance(spec.default, float) and spec.default != 0 and spec.trait != "deposit":
            assert len(set(found)) > 30, name
            assert sum(value in (spec.low, spec.high) for value in found) < 10, name
    assert all(is_promising(made) for made in drawn)
    brightness = [made.deposit * made.exposure for made in drawn]
    usual = look.deposit * look.exposure
    assert usual / 12 < min(brightness) < usual < max(brightness) < usual * 12


def test_each_species_is_promising() -> None:
    rivals = presets.find("chambers")
    for seed in range(5):
        made = randomise(rivals.params, (), seed, species=len(rivals.shares))
        assert all(is_promising(of_species(made, k)) for k in range(len(rivals.shares)))


@given(st.sampled_from(PALETTES), st.floats(0.05, 1), SEEDS)
@settings(deadline=None, max_examples=40)
def test_colours_near_a_palette_keep_its_order_from_ground_to_trail(palette, strength, seed) -> None:
    made = recoloured(palette, strength, random.Random(seed))
    assert SPECS["palette"].check(made) == made
    before, after = (to_oklab(light_of(name))[[0, -1], 0] for name in (palette, made))
    assert (after[1] > after[0]) == (before[1] > before[0])
    again = recoloured(made, strength, random.Random(seed))
    assert again.count(",") == made.count(",")


def test_weak_recolouring_is_near() -> None:
    near, far = (
        statistics.mean(
            np.abs(to_oklab(light_of(recoloured("embers", strength, random.Random(seed)))) - here).mean()
            for seed in range(20)
        )
        for here in [to_oklab(light_of("embers"))]
        for strength in (0.05, 1.0)
    )
    assert near < 0.01 < far
    assert recoloured("embers", 0, random.Random(1)) == "embers"


def test_a_number_next_to_nothing_can_be_moved() -> None:
    look = check_params({"rotation_angle": 5e-324, "wander": 1e-300})
    made = mutate(look, 1.0, (), 0, species=1)
    assert 0 < abs(made.rotation_angle) < 1
    assert 0 < made.wander < 1


def test_a_drawn_curve_moves_its_handles_up_and_down() -> None:
    look = check_params({"sensor_angle_curve": "0 0, 0.5 1, 1 0.2", "sensor_angle_amplitude": 20.0})
    made = mutate(look, 0.5, (), 3, species=1).sensor_angle_curve
    assert made != look.sensor_angle_curve
    assert [part.split()[0] for part in made.split(", ")] == ["0", "0.5", "1"]
