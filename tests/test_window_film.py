"""A film of a real window on a real X server (Xvfb), recorded while it is played with."""

from pathlib import Path

import numpy as np
import pytest
from film_commands import decoded
from visit import SIZE, Visit
from visit import hand as hand  # fixtures
from visit import screen as screen
from visit import visit as visit


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.recording.capture_folder", lambda: tmp_path)


def record(visit: Visit, frames: int) -> None:
    """Ctrl+R, and so many frames of the film."""
    visit.key("r", held="Control_L")
    recorder = visit.window.recorder
    visit.until(lambda: bool(recorder.film and recorder.film.number >= frames), frames=10_000)


def saved(visit: Visit, folder: Path) -> Path:
    """The only film there is, once it has been said that it is saved."""
    visit.until(lambda: any(said.startswith("Saved ") for said in said_by(visit)), frames=10_000)
    (path,) = folder.glob("*.mp4")
    assert f"Saved {path}: 0:0" in said_by(visit)[-1]
    assert not [name for name in folder.iterdir() if name.suffix == ".tmp"]
    return path


def said_by(visit: Visit) -> list[str]:
    return [notice.text for notice in visit.studio.notices.shown]


def test_ctrl_r_films_the_window_without_panel_and_veil(visit: Visit, tmp_path: Path) -> None:
    studio = visit.studio
    studio.change(palette="bone", exposure=4.0)
    studio.use_layer("mask")
    studio.fill("left to right")
    visit.frames(40)
    visit.key("space")  # pauses
    seen = studio.session.steps
    record(visit, frames=10)
    shown = visit.hand.look()[: SIZE[1], : SIZE[0]].astype(int)
    visit.key("r", held="Control_L")
    assert not studio.recording
    film = decoded(saved(visit, tmp_path))
    assert studio.session.steps == seen, "R alone would have restarted"
    picture = visit.window.stage.display.picture(studio.session.look, studio.view).astype(int)
    visit.window.wnd.use()
    assert np.abs(film[-1] - picture).mean() < 3
    assert np.abs(shown - picture).mean() > 10, "else there was nothing to leave out"
    assert len(film) >= 2


def test_a_film_goes_on_behind_a_wall(visit: Visit, tmp_path: Path) -> None:
    visit.studio.change(palette="bone", exposure=4.0)
    visit.frames(40)
    record(visit, frames=2)
    visit.key("v")
    film = visit.window.recorder.film
    begun = film.number
    steps = visit.studio.session.steps
    visit.until(lambda: film.number > begun + 10, frames=10_000)
    visit.key("r", held="Control_L")
    assert not visit.studio.recording
    found = decoded(saved(visit, tmp_path))
    assert visit.studio.wall
    assert visit.studio.session.steps == steps
    picture = visit.window.stage.display.picture(visit.studio.session.look, visit.studio.view).astype(int)
    visit.window.wnd.use()
    assert np.abs(found[-1] - picture).mean() < 3
    assert np.abs(visit.hand.look()[: SIZE[1], : SIZE[0]] - picture).mean() > 10


def test_a_film_ends_when_the_window_gets_another_size(visit: Visit, tmp_path: Path) -> None:
    record(visit, frames=5)
    visit.window.wnd.size = 701, 503
    visit.until(lambda: visit.studio.view.target == (701, 503))
    path = saved(visit, tmp_path)
    assert said_by(visit)[-1].endswith("It ends there, for the window has another size.")
    assert {frame.shape for frame in decoded(path)} == {(SIZE[1], SIZE[0], 3)}
    assert not visit.studio.recording
    record(visit, frames=5)  # and the next one has odd sides
    visit.studio.toggle_recording()
    visit.until(lambda: not visit.window.recorder.ending and not visit.window.recorder.film, frames=10_000)
    (other,) = set(tmp_path.glob("*.mp4")) - {path}
    assert {frame.shape for frame in decoded(other)} == {(504, 702, 3)}


def test_a_window_closed_while_it_is_filmed_leaves_a_film(visit: Visit, tmp_path: Path) -> None:
    record(visit, frames=8)
    outcomes = visit.window.recorder.close()
    (path,) = tmp_path.glob("*.mp4")
    assert outcomes == [(path, None)]
    assert decoded(path)
