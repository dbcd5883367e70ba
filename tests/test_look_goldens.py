"""Every shipped look and every tone curve on a small developed field of two species, as kept pictures."""

import dataclasses
from collections.abc import Iterator

import moderngl
import pytest

from app.backend import Choice
from app.session import Session
from app.stage import Stage
from kernels.params import TONES, Params, own_name
from kernels.world import World
from presets import Preset, looks
from presets.looks import Look

WORLD = World(96, 54, 5000, "looks", (2.0, 1.0))
STEPS = 144  # nine looks of the memory that colours by age


@pytest.fixture(scope="module")
def stage() -> Iterator[tuple[Stage, Session]]:
    values = {own_name("sensor_distance", species): 6.0 for species in range(2)}
    params = dataclasses.replace(Params(), **values, sensor_angle=45.0, rotation_angle=45.0)
    seen = dataclasses.replace(params, auto_exposure=1.0, colour_by="age", age_memory=64.0, sparkle=1.0)
    session = Session(Preset("golden", "Golden", params=seen), WORLD, "reference")
    context = moderngl.create_context(standalone=True, require=330, backend="egl")
    stage = Stage(context, Choice("reference", False, "", ""), WORLD)
    stage.step(session, STEPS)
    yield stage, session
    stage.release()
    context.release()


@pytest.mark.parametrize("look", looks.shipped(), ids=looks.shipped_names())
def test_a_look(stage: tuple[Stage, Session], look: Look, golden) -> None:
    shown, session = stage
    golden(f"look-{look.name}", shown.display.picture(session.meter.adapted(look.apply(session.params))))


@pytest.mark.parametrize("tone", TONES)
def test_a_tone_curve(stage: tuple[Stage, Session], tone: str, golden) -> None:
    shown, session = stage
    params = dataclasses.replace(session.params, colour_by="density", sparkle=0.0, tone=tone, palette="bone")
    golden(f"tone-{tone}", shown.display.picture(session.meter.adapted(params)))
