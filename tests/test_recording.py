"""Films recorded beside the show: what is taken, what is dropped, and the bad days."""

import errno
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import av
import moderngl
import numpy as np
import pytest
from film_commands import decoded, names

from app.backend import Choice
from app.recording import ROOM, Recorder
from app.studio import Studio
from app.video import ENCODERS, Video
from kernels.params import Params
from kernels.world import World
from presets import Preset

SIZE = 64, 48
BROKEN = av.error.ExternalError(-1, "it broke")
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Studio:
    (tmp_path / "films").mkdir()
    monkeypatch.setattr("app.recording.capture_folder", lambda: tmp_path / "films")
    look = Preset("look", "Look", density=0.2, params=Params())
    studio = Studio(look, World(*SIZE, 600, "s"), Choice("reference", False, "", ""), tmp_path)
    studio.view.target = SIZE
    return studio


class Show:
    """A window's frames, one grey each, and a clock that is turned by hand."""

    def __init__(self, gl: moderngl.Context, studio: Studio) -> None:
        self.studio, self.recorder = studio, Recorder()
        self.window = gl.framebuffer(gl.renderbuffer(SIZE))
        self.window.use()
        self.now = 100.0

    def frame(self, grey: int = 0, seconds: float = 1 / 60, shown: bool = True) -> None:
        """One frame: its grey above, black below."""
        assert self.window.ctx.fbo is self.window
        self.window.clear(0, 0, 0, 1)
        self.window.scissor = 0, SIZE[1] // 2, SIZE[0], SIZE[1] // 2
        self.window.clear(*3 * [grey / 255], 1)
        self.window.scissor = None
        self.recorder.follow(self.studio, self.window, self.now, shown)
        self.now += seconds

    def begin(self) -> None:
        """Goes on until the encoder is found; nothing is taken before."""
        self.studio.toggle_recording()
        self.frame()
        deadline = time.monotonic() + 60
        while self.recorder.film.video is None and not self.recorder.film.belt.at_rest:
            assert time.monotonic() < deadline
            time.sleep(0.001)

    def end(self) -> str:
        """Ends the film; what is said about it."""
        self.studio.recording = False
        self.frame()
        return self.told()

    def told(self) -> str:
        """What is said once the film is written."""
        (film,) = self.recorder.ending
        while not film.belt.at_rest:
            time.sleep(0.001)
        self.frame()
        assert (self.recorder.film, self.recorder.ending) == (None, [])
        assert (self.studio.recording, self.studio.recorded) == (False, "")
        return self.studio.notices.current()[-1]


@pytest.fixture
def show(gl: moderngl.Context, studio: Studio) -> Show:
    return Show(gl, studio)


def test_a_film_holds_what_was_shown_when_it_was_shown(show: Show, tmp_path: Path) -> None:
    show.begin()
    shown = [(40, 1), (80, 1), (120, 3), (160, 0.3), (255, 0.7), (200, 1)]  # in 60ths of a second
    for grey, ticks in shown:
        show.frame(grey, ticks / 60)
    assert show.studio.recorded == "0:00"
    path = tmp_path / "films" / "look-s-000000.mp4"
    assert show.end() == f"Saved {path}: 0:00."
    assert names(tmp_path / "films") == [path.name]
    with av.open(str(path)) as film:
        times = [frame.pts * frame.time_base * 60 for frame in film.decode(video=0)]
    assert times == [0, 1, 2, 5, 6]  # the frame at 5.3 came before the next was due
    found = decoded(path)
    assert [round(frame[4, 4].mean() / 40) * 40 for frame in found] == [40, 80, 120, 160, 200]
    assert all(frame[-4, 4].max() < 16 for frame in found)


def test_what_the_encoder_has_no_room_for_is_dropped_and_counted(
    show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()
    encode = Video._frame

    def slow(video: Video, planes: np.ndarray) -> av.VideoFrame:
        goes_on.wait()
        return encode(video, planes)

    monkeypatch.setattr(Video, "_frame", slow)
    show.begin()
    for _ in range(60):
        show.frame()
    dropped = show.recorder.film.dropped
    assert 60 - 3 - ROOM - 2 <= dropped <= 60 - 3 - ROOM  # three are on their way, and two are being taken
    assert show.studio.recorded == f"0:01, {dropped} frames dropped"
    goes_on.set()
    said = show.end()
    assert said.endswith("frames dropped.")
    (path,) = Path(said.split()[1]).parent.glob("*.mp4")
    assert len(decoded(path)) == 60 - int(said.split()[-3])


def test_a_second_film_has_a_name_of_its_own(show: Show, tmp_path: Path) -> None:
    for _ in range(2):
        show.begin()
        show.frame()
        show.end()
    assert names(tmp_path / "films") == ["look-s-000000-2.mp4", "look-s-000000.mp4"]


def test_a_picture_that_is_not_seen_is_not_filmed(show: Show, tmp_path: Path) -> None:
    show.begin()
    for shown in (True, False, False, True):
        show.frame(shown=shown)
    show.end()
    assert len(decoded(tmp_path / "films" / "look-s-000000.mp4")) == 2


def test_a_film_that_is_ended_at_once_is_none(show: Show, tmp_path: Path) -> None:
    show.begin()
    assert show.end() == "Nothing was recorded yet."
    assert names(tmp_path / "films") == []


def fails(error: Exception) -> Callable[..., None]:
    def fail(*_args: object, **_options: object) -> None:
        raise error

    return fail


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        (("video.Codec", fails(ValueError("no"))), "libx264 cannot be used here (no); "),
        (("video.Video._frame", fails(BROKEN)), "libx264 stopped after 0 frames (it broke)."),
        (("video.write_atomically", fails(FULL)), "look-s-000000.mp4 cannot be written: the disk is full."),
        (("recording.capture_folder", lambda: Path("/no")), "cannot be written: there is no such"),
    ],
)
def test_bad_days_are_told_in_a_sentence_and_leave_nothing(
    show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patch: tuple[str, object], said: str
) -> None:
    monkeypatch.setattr(f"app.{patch[0]}", patch[1])
    show.begin()
    show.frame()
    for _ in range(2000):
        if show.recorder.ending:
            break
        show.frame()
        time.sleep(0.001)
    assert said in show.told()
    assert show.studio.notices.current()[-1].count("\n") == 0
    assert names(tmp_path / "films") == []


def test_without_pyav_there_is_a_sentence(
    show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "app.video")
    monkeypatch.setitem(sys.modules, "av", None)
    show.begin()
    show.frame()
    assert show.told().startswith("A film cannot be recorded without PyAV (")


def test_a_film_ends_before_it_fills_the_disk(
    show: Show, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = iter([1 << 40, 1 << 20])
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=next(free)))
    show.begin()
    for _ in range(3000):
        if show.recorder.ending:
            break
        show.frame()
        time.sleep(0.001)
    path = tmp_path / "films" / "look-s-000000.mp4"
    said = show.told()
    assert said.startswith(f"Saved {path}: 0:")
    assert said.endswith("It ends there, for the disk is nearly full.")
    assert len(decoded(path)) == 32


def test_what_is_being_filmed_is_finished_at_the_end(show: Show, tmp_path: Path) -> None:
    show.begin()
    for _ in range(5):
        show.frame()
    assert show.recorder.close() == [(tmp_path / "films" / "look-s-000000.mp4", None)]
    assert len(decoded(tmp_path / "films" / "look-s-000000.mp4")) == 5
    assert Recorder().close() == []


@pytest.mark.parametrize(("live", "preset"), [(True, "veryfast"), (False, None)])
def test_an_encoder_beside_the_show_is_told_to_hurry(live: bool, preset: str | None) -> None:
    assert ENCODERS["libx264"].told(70, live).get("preset") == preset
