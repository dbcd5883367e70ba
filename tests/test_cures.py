"""Why pictures die, on worlds that do, and whether what is offered brings them back."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from app.backend import Choice
from app.cures import BLACK, WARNINGS, Fault, exposed, find_fault, tone_of
from app.session import Session
from app.studio import Studio
from app.watch import YOUNG, Sight, see
from kernels.params import SPECS, Params, check_params
from kernels.statistics import STEPS_APART, describe
from kernels.world import World
from presets import Preset, find

WORLD = World(96, 80, 1200, "cures")
ALIVE = find("veins").params


def sight_of(session: Session) -> Sight:
    """A look at a session."""
    before = session.simulation.glimpse_trail(192)
    session.advance(STEPS_APART)
    return see(before, *session.simulation.glimpse(192), session.params, session.world, session.look)


def grown(params: Params, steps: int = 60, world: World = WORLD) -> Session:
    session = Session(Preset("", "Look", params=params), world, "reference")
    session.advance(steps)
    return session


BAD: dict[str, dict[str, object]] = {
    "deposit": {"deposit": 0.01},
    "dark": {"exposure": 0.001},
    "glaring": {"exposure": 1000.0, "diffusion": 1.0, "decay": 0.01},
}


@pytest.mark.parametrize("name", BAD)
def test_what_kills_a_picture_is_found_and_its_cure_helps(name: str) -> None:
    session = grown(check_params(BAD[name], ALIVE))
    fault = sight_of(session).fault
    assert fault.name == name
    assert fault.cure
    session.change(**fault.cure)
    session.advance(60)
    assert sight_of(session).fault.name not in BAD


def test_over_decay_is_told_from_other_noise() -> None:
    grain = np.random.default_rng(3).random((1, 64, 64), np.float32)
    found = describe(grain, grain[:, ::-1])
    for decay, name in ((0.9, "decay"), (0.1, "noise")):
        params = Params(decay=decay, wander=90.0)
        fault = find_fault(found, [0], grain, params, WORLD, params)
        assert fault.name == name
        assert fault.cure
        assert check_params(fault.cure, params) != params


def test_a_living_picture_has_no_fault() -> None:
    fault = sight_of(grown(ALIVE, 300)).fault
    assert fault.name in ("", "noise", "saturated")
    assert fault.name not in BAD


@pytest.mark.parametrize("gamma", [0.2, 1.0, 5.0])
def test_exposures_are_found_whatever_the_tone(gamma: float) -> None:
    session = grown(dataclasses.replace(ALIVE, exposure=0.001, gamma=gamma, auto_exposure=0.0))
    trail = session.simulation.glimpse_trail()
    black = tone_of(np.percentile(exposed(trail, session.look, WORLD), 99.5), session.look) < BLACK
    assert (sight_of(session).fault.name == "dark") == black
    assert black or gamma == 5.0


def test_every_fault_has_its_sentence() -> None:
    for sentence in WARNINGS.values():
        assert sentence.endswith(".")
    assert Fault() == ("", {})
    empty = np.zeros((1, 64, 64), np.float32)
    fault = find_fault(describe(empty, empty), [0], empty, Params(), WORLD, Params())
    assert fault.name == "no trail"
    assert fault.cure == {"respawn": 300.0}


def test_only_those_that_fail_are_cured() -> None:
    empty = np.zeros((2, 64, 64), np.float32)
    world = dataclasses.replace(WORLD, shares=(1.0, 1.0))
    params = Params(deposit_2=0.01)
    fault = find_fault(describe(empty, empty), [1], empty, params, world, params)
    assert fault == ("deposit", {"deposit_2": SPECS["deposit"].default})


def test_a_cure_is_one_click_that_undo_takes_back(tmp_path: Path) -> None:
    studio = Studio(Preset("", "Look", params=ALIVE), WORLD, Choice("reference", False, "", ""), tmp_path)
    studio.session.advance(YOUNG)
    studio.change(exposure=0.001)
    studio.watch.warning, studio.watch.remedy = WARNINGS["dark"], {"exposure": 0.7, "gamma": 1.0}
    studio.history.settle(studio.session)
    studio.cure()
    assert studio.session.params.exposure == 0.7
    assert studio.watch.warning == ""
    studio.session.advance(5)
    studio.undo()
    assert studio.session.params.exposure == 0.001
    assert studio.session.params == dataclasses.replace(ALIVE, exposure=0.001)


def test_a_warning_is_a_notice_where_the_panel_is_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    studio = Studio(Preset("", "Look"), WORLD, Choice("reference", False, "", ""), tmp_path)
    monkeypatch.setattr(studio.watch, "look", lambda *_: setattr(studio.watch, "warning", WARNINGS["dark"]))
    studio.look_after(1.0)
    assert not any(WARNINGS["dark"] in text for text in studio.notices.current())
    studio.watch.warning = ""
    studio.panel = False
    studio.look_after(2.0)
    studio.look_after(3.0)
    assert sum(WARNINGS["dark"] in text for text in studio.notices.current()) == 1
