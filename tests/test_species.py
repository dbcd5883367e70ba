"""Species that come and go in a running studio."""

from pathlib import Path

import numpy as np
import pytest

from app.backend import Choice
from app.studio import Studio
from kernels.params import Params, of_species
from kernels.world import World
from presets import Preset

WORLD = World(64, 48, 600, "studio")


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    look = Preset(name="look", title="Look", density=0.2, params=Params(decay=0.2))
    return Studio(look, WORLD, Choice("reference", False, "NumPy", "for a test"), tmp_path)


def test_species_come_and_go(studio) -> None:
    studio.change(sensor_angle=70.0, attraction_to_1=0.3)
    for species in (2, 3, 4):
        studio.add_species()
        world, params = studio.session.world, studio.session.params
        assert (world.species, world.agents, studio.session.steps) == (species, WORLD.agents, 0)
        own = of_species(params, species - 1)
        assert own.sensor_angle == 70.0
        palettes = {of_species(params, k).palette for k in range(species)}
        assert len(palettes) == species
        studio.session.advance(2)
        assert (studio.session.simulation.counts().sum((1, 2)) > 0).all()
    studio.change(decay_3=0.3, attraction_to_4_3=0.7, joins_3="4", joins_4="2", joins="1")
    studio.species = 3
    studio.remove_species(1)
    assert studio.shown == 2
    params = studio.session.params
    assert (params.decay_2, params.attraction_to_3_2, params.attraction_to_1) == (0.3, 0.7, 0.3)
    assert (params.joins, params.joins_2, params.joins_3) == ("1", "3", "none")
    assert studio.session.world.species == 3


def test_a_stroke_is_on_the_trail_of_the_species_shown(studio) -> None:
    studio.add_species()
    studio.species = 1
    before = studio.session.simulation.trail.copy()
    studio.paint([(30.0, 20.0)], erase=False, begins=True)
    after = studio.session.simulation.trail
    np.testing.assert_array_equal(after[0], before[0])
    assert (after[1] > before[1]).any()


def test_the_look_blended_in_outlives_a_change_of_species(studio) -> None:
    studio.blend_with(Params(decay=0.5))
    studio.add_species()
    assert studio.session.other == Params(decay=0.5)
    studio.remove_species(0)
    assert studio.session.other == Params(decay=0.5)
