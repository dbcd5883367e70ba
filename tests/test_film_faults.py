"""The bad days of films."""

import collections
import errno
import functools
import io
import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from commands import CHOSEN, Run, digest_of, empty_home, refused, runner
from film_commands import SHORT, decoded, names

import app.film
import app.video
from app.belt import Belt
from app.video import ENCODERS, FilmError, Video
from presets.disk import write_atomically


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = empty_home(tmp_path, monkeypatch)
    return home


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--out", "a.mp4", "--bits", "16"), ("--bits",)),
        (("--out", "a.mp4", "--loop", "1"), ("--loop 1 is longer than the film, 0.4 s",)),
        (("--out", "a.mp4", "--timeline", "no.toml"), ("no.toml cannot be read",)),
        (("--out", "%d.png", "--quality", "5"), ("--encoder and --quality are for films in one file",)),
        (("--out", "%d-%d.png",), ("is no pattern for frames",)),
        (("--out", "%s.png",), ("is no pattern for frames",)),
        (("--out", "no/a.mp4",), ("there is no folder",)),
        (("--out", "a.avi",), ("a.avi", ".png")),
        (("--out", "a.png",), ("--seconds is for films; --out film.mp4 makes one",)),
        (("--out", "a.mp4", "--fps", "0"), ("0 is not allowed; it takes 1 to 240",)),
        (("--out", "a.mp4", "--picture", "20000x20"), ("20000x20 is not allowed for a film", "2 to 16,384",)),
    ],
)  # fmt: skip
def test_what_cannot_be_filmed_is_refused(run: Run, more: tuple[str, ...], said: tuple[str, ...]) -> None:
    refused(run(*SHORT, *more), *said)
    assert names() == []


def test_a_film_too_large_for_the_memory(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.backend.free_memory", lambda backend: 2**30)
    refused(run(*SHORT, "--out", "a.mp4", "--picture", "7680x4320"), "a film of 7680x4320 needs", "are free")


@pytest.mark.parametrize(
    ("encoder", "said"),
    [("nonsense", "--encoder nonsense is not allowed; .mp4 takes one of h264_nvenc, libx264"),
     ("libx264", "a.mp4 cannot be made: libx264 cannot be used here (")],
)  # fmt: skip
def test_a_missing_encoder(run: Run, monkeypatch: pytest.MonkeyPatch, encoder: str, said: str) -> None:
    def missing(name: str, mode: str) -> None:
        raise ValueError("there is none")

    monkeypatch.setattr(app.video, "Codec", missing)
    Path("a.mp4").write_bytes(b"good")
    status, out, err = run(*SHORT, "--encoder", encoder, "--out", "a.mp4")
    assert (status, out) == (1, "")
    assert said in err
    assert Path("a.mp4").read_bytes() == b"good"
    assert names() == ["a.mp4"]


def test_hardware_that_does_not_open_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_unless_nvidia(video: Video, name: str) -> None:
        if "nvenc" in name:
            raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Video, "_try", open_unless_nvidia)
    said: list[str] = []
    Video(Path("a.mp4"), (32, 32), Fraction(30), say=said.append)
    assert said == ["h264_nvenc cannot be used here (Operation not permitted); libx264 encodes."]
    assert names() == []


def dies(after: int, error: Exception) -> Callable[..., av.VideoFrame]:
    real, count = Video._frame, itertools.count()

    def frame(video: Video, planes: np.ndarray) -> av.VideoFrame:
        if next(count) == after:
            raise error
        return real(video, planes)

    return frame


def test_an_encoder_that_dies(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    dying = dies(5, av.error.ExternalError(-542398533, "Generic error in an external library"))
    monkeypatch.setattr(Video, "_frame", dying)
    Path("a.mp4").write_bytes(b"good")
    status, out, err = run(*SHORT, "--encoder", "libx264", "--out", "a.mp4")
    assert (status, out) == (1, "")
    sentence = "libx264 stopped after 5 frames (Generic error in an external library)."
    assert err.splitlines()[-1] == f"physarium: a.mp4 cannot be written: {sentence}"
    assert Path("a.mp4").read_bytes() == b"good"
    assert names() == ["a.mp4"]


class Full(io.FileIO):
    """A file on a disk that takes a few kilobytes."""

    def write(self, data) -> int:
        if self.tell() + len(data) > 4000:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(data)


@pytest.mark.parametrize("name", ["a.mp4", "a.webm"])
def test_a_full_disk(run: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def write(path: Path, data, existing: str) -> Path:
        def fill(file: io.BufferedWriter) -> None:
            with Full(file.name, "r+") as full:
                data(full)

        return write_atomically(path, fill, existing)

    monkeypatch.setattr(app.video, "write_atomically", write)
    Path(name).write_bytes(b"good")
    status, out, err = run(*SHORT, "--seconds", "2", "--out", name)
    assert (status, out) == (1, "")
    assert err.splitlines()[-1] == f"physarium: {name} cannot be written: the disk is full."
    assert Path(name).read_bytes() == b"good"
    assert names() == [name]


def test_a_disk_that_fills_up_with_frames(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(path: Path, data: bytes) -> Path:
        if path.name == "5.png":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return write_atomically(path, data)

    digest = digest_of(run(*SHORT, "--out", "whole/%d.png"))
    with monkeypatch.context() as patch:
        patch.setattr("app.frames.write_atomically", write)
        status, _, err = run(*SHORT, "--out", "a/%d.png")
    assert status == 1
    assert err.splitlines()[-1] == "physarium: a/5.png cannot be written: the disk is full."
    assert "5.png" not in names("a")
    assert digest_of(run(*SHORT, "--out", "a/%d.png")) == digest
    assert [Path("a", name).read_bytes() for name in names("a")] == [
        Path("whole", name).read_bytes() for name in names("whole")
    ]


def test_a_folder_that_cannot_be_made(run: Run) -> None:
    Path("a").write_bytes(b"")
    status, _, err = run(*SHORT, "--out", "a/%d.png")
    assert status == 1
    assert err.removeprefix(CHOSEN) == "physarium: a cannot be made: there is one already.\n"


@pytest.fixture
def pressing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Presses Ctrl+C after so many frames, so many times; as in a terminal, even where a shell ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def press(after: int, times: int = 1, by: int = signal.SIGINT) -> None:
        real = app.film.shots

        def shots(*args) -> Iterator:
            for number, shot in enumerate(real(*args)):
                if number == after:
                    for _ in range(times):
                        signal.raise_signal(by)
                yield shot

        monkeypatch.setattr(app.film, "shots", shots)

    yield press
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("name", ["a.mp4", "a.mov", "a.webm"])
def test_after_ctrl_c_a_film_is_shorter_and_can_be_played(run: Run, pressing, name: str) -> None:
    pressing(4)
    Path(name).write_bytes(b"older")
    before = signal.getsignal(signal.SIGINT)
    status, out, err = run(*SHORT, "--out", name)
    assert status == 130, err
    assert out.startswith(f"{name}\ndigest ")
    assert err.splitlines()[-1] == "Stopped after 5 of 8 frames."
    assert len(decoded(name)) == 5
    assert names() == [name]
    assert signal.getsignal(signal.SIGINT) is before


def test_a_film_that_is_to_end_by_kill_ends_alike(run: Run, pressing) -> None:
    pressing(2, by=signal.SIGTERM)
    assert run(*SHORT, "--out", "a.mp4")[0] == 130
    assert len(decoded("a.mp4")) == 3
    assert names() == ["a.mp4"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_after_ctrl_c_a_sequence_goes_on(run: Run, pressing, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context():
        pressing(4)
        assert run(*SHORT, "--out", "a/%d.png")[0] == 130
    assert names("a") == [f"{number}.png" for number in range(5)]
    monkeypatch.undo()
    empty = run(*SHORT, "--out", str(Path("a/%d.png").absolute()))
    assert empty[0] == 0, empty[2]


def test_a_second_ctrl_c_leaves_nothing(run: Run, pressing) -> None:
    pressing(4, times=2)
    Path("a.mp4").write_bytes(b"good")
    assert run(*SHORT, "--out", "a.mp4")[0] == 130
    assert Path("a.mp4").read_bytes() == b"good"
    assert names() == ["a.mp4"]


def test_ctrl_c_before_the_first_frame_leaves_an_older_film(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.film, "shots", lambda *args: iter(()))
    Path("a.mp4").write_bytes(b"good")
    status, out, _ = run(*SHORT, "--out", "a.mp4")
    assert (status, out) == (130, "")
    assert Path("a.mp4").read_bytes() == b"good"


# The belt


def test_a_belt_keeps_the_order_and_drops_nothing() -> None:
    taken: list[int] = []
    belt: Belt[int] = Belt(taken.extend, room=2)
    for number in range(100):
        belt.put(number)
    belt.finish()
    assert taken == list(range(100))


def test_what_is_offered_to_a_full_belt_is_left() -> None:
    held, taken = threading.Event(), []

    def take(items: Iterator[int]) -> None:
        held.wait()
        taken.extend(items)

    belt: Belt[int] = Belt(take, room=3)
    assert [belt.offer(number) for number in range(5)] == [True, True, True, False, False]
    held.set()
    belt.finish()
    assert belt.at_rest
    assert taken == [0, 1, 2]


def test_what_fails_on_a_belt_is_told_to_who_lays_things_on_it() -> None:
    def fail(items: Iterator[int]) -> None:
        next(items)
        raise FilmError("no")

    belt: Belt[int] = Belt(fail, threads=3, room=1)
    with pytest.raises(FilmError, match="no"):
        collections.deque(map(belt.put, range(10**6)), 0)
    belt.abandon()


def test_every_encoder_knows_its_qualities() -> None:
    for encoder in ENCODERS.values():
        told = functools.partial(encoder.told)
        worst, best = (float(told(quality)[encoder.quality_option]) for quality in (0, 100))
        assert (worst, best) == (encoder.worst, encoder.best)
