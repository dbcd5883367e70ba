"""Sessions kept for after a crash, without a window."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app import autosave
from app.autosave import KEPT, LIVE, MOST_KEPT, SECONDS_APART, Autosave, lock_of, read
from app.backend import Choice
from app.locks import lock
from app.session import Session
from app.studio import Studio
from app.view import View
from kernels.params import Params
from kernels.world import World
from presets import Preset

ROOT = Path(__file__).parent.parent
WORLD = World(48, 40, 400, "autosave")
LOOK = Preset("look", "Look", params=Params(sensor_angle=45.0))


def session(steps: int = 10) -> Session:
    ours = Session(LOOK, WORLD, "reference")
    ours.advance(steps // 2)
    ours.change(decay=0.3)
    ours.advance(steps - steps // 2)
    return ours


def view() -> View:
    return View((48, 40), (96, 80), (7.0, 30.0), 2.0, 15.0)


def names(folder: Path) -> list[str]:
    return sorted(path.name.split("-")[0] + "-*" + path.suffix for path in folder.iterdir())


def crash(keeps: Autosave, ours: Session | None = None) -> None:
    """Saves, and ends as a killed process does: only its lock goes."""
    keeps._save(ours or session(), view())
    keeps.writer.close()
    assert keeps.held
    keeps.held.close()


def test_it_saves_every_so_often_if_anything_has_changed(tmp_path: Path) -> None:
    keeps, ours, seen = Autosave(tmp_path / "state"), session(), view()
    assert keeps.lost is None
    assert not (tmp_path / "state").exists()
    saved: list[float] = []

    class Noted:
        def submit(self, job: object) -> bool:
            saved.append(now)
            return True

        def poll(self) -> list[object]:
            return []

    keeps.writer = Noted()  # type: ignore[assignment]
    for now in range(1000, 1200):
        if now == 1100:
            seen.zoom = 3.0
        if now == 1150:
            ours.advance(1)
        keeps.follow(ours, seen, float(now))
    assert saved == [1000 + SECONDS_APART, 1000 + 4 * SECONDS_APART, 1000 + 5 * SECONDS_APART]


def test_what_a_crash_leaves_is_offered_once(tmp_path: Path) -> None:
    ours = session()
    crash(Autosave(tmp_path), ours)
    assert names(tmp_path) == [f"{LIVE}*.json", f"{LIVE}*.lock"]
    after = Autosave(tmp_path)
    assert after.lost
    assert after.lost.record == ours.record("")
    assert Autosave(tmp_path).lost is None, "another start leaves it to the first"
    fresh = View((48, 40), (96, 80))
    after.lost.look_at(fresh)
    assert fresh == view()
    after.leave()
    assert names(tmp_path) == [f"{KEPT}*.json"]
    assert Autosave(tmp_path).lost is None


def test_what_nobody_has_answered_is_offered_again(tmp_path: Path) -> None:
    crash(Autosave(tmp_path))
    Autosave(tmp_path).close(session(3), view())
    assert names(tmp_path) == [f"{KEPT}*.json", f"{LIVE}*.json", f"{LIVE}*.lock"]
    found = Autosave(tmp_path).lost
    assert found
    assert found.record.step == 10


def test_a_session_closed_in_good_order_is_kept_and_not_offered(tmp_path: Path) -> None:
    for number in range(MOST_KEPT + 2):
        keeps = Autosave(tmp_path)
        assert keeps.lost is None
        assert keeps.close(session(number), view()) == []
    kept = sorted(tmp_path.iterdir())
    assert [read(path)[0].step for path in kept] == list(range(2, MOST_KEPT + 2))
    assert names(tmp_path) == [f"{KEPT}*.json"] * MOST_KEPT


def test_a_studio_comes_back_bit_for_bit(tmp_path: Path) -> None:
    ours = session(40)
    crash(Autosave(tmp_path), ours)
    studio = Studio(
        Preset("other", "Other"), World(30, 30, 90, "x"), Choice("reference", False, "", ""), tmp_path
    )
    studio.autosave = Autosave(tmp_path)
    studio.restore_lost()
    assert studio.autosave.lost is None
    while studio.replay:
        studio.go_on_with_replay()
    assert studio.session.simulation.digest() == ours.simulation.digest()
    assert studio.session.params == ours.params
    assert (studio.view.field, studio.view.centre, studio.view.angle) == ((48, 40), (7.0, 30.0), 15.0)


def test_a_crash_on_the_way_back_loses_nothing(tmp_path: Path) -> None:
    crash(Autosave(tmp_path), session(40))
    keeps = Autosave(tmp_path)
    assert keeps.restore()
    half = session(20)
    for now in range(0, 300, 10):
        keeps.follow(half, view(), float(now), settled=False)
    keeps.close(half, view(), settled=False)
    again = Autosave(tmp_path)
    assert again.lost
    assert again.lost.record.step == 40
    assert again.restore()
    again.close(session(40), view())
    assert names(tmp_path) == [f"{KEPT}*.json"] * 2


def test_two_programs_leave_each_other_alone(tmp_path: Path) -> None:
    first, second = Autosave(tmp_path), Autosave(tmp_path)
    first._save(session(4), view())
    second._save(session(6), view())
    first.writer.close()
    second.writer.close()
    assert Autosave(tmp_path).lost is None
    assert [read(keeps.path)[0].step for keeps in (first, second)] == [4, 6]
    first.close(session(5), view())
    assert read(second.path)[0].step == 6
    assert second.held
    second.held.close()
    found = Autosave(tmp_path).lost
    assert found
    assert found.record.step == 6


def test_of_several_crashes_the_newest_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running = [Autosave(tmp_path) for _ in range(3)]
    for number, keeps in enumerate(running):
        monkeypatch.setattr("app.autosave.time.time", lambda at=number: 1e9 - at)
        crash(keeps, session(number))
    after = Autosave(tmp_path)
    assert after.lost
    assert after.lost.record.step == 0
    assert names(tmp_path) == [f"{KEPT}*.json"] * 2 + [f"{LIVE}*.json", f"{LIVE}*.lock"]


DAMAGED = {
    "empty": (b"", "it is not valid JSON"),
    "cut": (b'{"format": 1, "rec', "it is not valid JSON"),
    "no table": (b"[]", "no session of format 1"),
    "newer": (b'{"format": 2}', "no session of format 1"),
    "no run": (b'{"format": 1, "view": [0, 0, 1, 0], "saved": 1}', "it holds no run"),
    "no view": (b'{"format": 1, "record": "{}", "view": [0, 0, 0, 0], "saved": 1}', "view = a list"),
    "no time": (b'{"format": 1, "record": "{}", "view": [0, 0, 1, 0], "saved": 1e300}', "saved = 1e+300"),
    "bad run": (b'{"format": 1, "record": "{}", "view": [0, 0, 1, 0], "saved": 1}', "it has no format"),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_a_damaged_file_is_named_and_set_aside(tmp_path: Path, what: str) -> None:
    content, said = DAMAGED[what]
    path = tmp_path / f"{LIVE}1-a.json"
    path.write_bytes(content)
    keeps = Autosave(tmp_path)
    assert keeps.lost is None
    (problem,) = keeps.problems
    assert problem.startswith(f"{path} is damaged: ")
    assert said in problem
    assert problem.endswith(f"It was set aside as {path.name}.broken-1.")
    assert [file.name for file in tmp_path.iterdir()] == [f"{path.name}.broken-1"]
    assert (tmp_path / f"{path.name}.broken-1").read_bytes() == content
    assert Autosave(tmp_path).problems == []


def test_a_full_disk_is_told_of_once_until_it_works_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = True
    write = autosave.write_atomically

    def on_a_disk(path: Path, data: bytes) -> Path:
        if full:
            raise OSError(28, "No space left on device", str(path))
        return write(path, data)

    monkeypatch.setattr(autosave, "write_atomically", on_a_disk)
    keeps, ours = Autosave(tmp_path), session()
    told: list[str] = []

    def half_an_hour(start: float) -> None:
        for second in range(0, 1800, 10):
            ours.advance(1)
            keeps.follow(ours, view(), start + second)
            keeps.writer.close()
            keeps._hear()
            keeps.writer = autosave.Writer(1)
            told.extend(keeps.problems)
            keeps.problems.clear()

    half_an_hour(0.0)
    assert len(told) == 1
    assert str(keeps.path) in told[0]
    assert "the disk is full" in told[0]
    full = False
    half_an_hour(2000.0)
    assert len(told) == 1
    assert read(keeps.path)[0].step > 180
    full = True
    half_an_hour(4000.0)
    assert len(told) == 2


def test_a_run_too_long_to_be_read_again_leaves_its_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(autosave, "MAX_EVENTS", 0)
    ours = session()
    crash(Autosave(tmp_path), ours)
    found = Autosave(tmp_path).lost
    assert found
    assert (found.record.step, found.record.events) == (0, ())
    assert found.record.preset.params == ours.params == dataclasses.replace(LOOK.params, decay=0.3)


KILLED = """
import sys, time
from pathlib import Path
sys.path.insert(0, "tests")
from test_autosave import Autosave, session, view
keeps = Autosave(Path(sys.argv[1]))
ours = session(6)
keeps._save(ours, view())
while not keeps.path.exists():
    time.sleep(0.01)
print("saved", flush=True)
while True:
    ours.advance(1)
    keeps._save(ours, view())
"""


def test_a_killed_program_leaves_a_whole_file_and_no_lock(tmp_path: Path) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE
    )
    assert program.stdout
    assert program.stdout.readline() == b"saved\n"
    assert Autosave(tmp_path).lost is None, "it runs"
    os.kill(program.pid, signal.SIGKILL)
    program.wait()
    program.stdout.close()
    found = Autosave(tmp_path)
    assert found.problems == []
    assert found.lost
    assert found.lost.record.step >= 6
    assert json.loads(found.lost.path.read_text())["format"] == 1


def test_a_lock_is_held_by_one(tmp_path: Path) -> None:
    path = lock_of(tmp_path / "a.json")
    held = lock(path)
    assert held
    assert lock(path) is None
    held.close()
    again = lock(path)
    assert again
    again.close()
    assert lock(tmp_path / "no folder" / "a.lock") is None
