"""Films frame by frame: repeatable, resumed, looped."""

import itertools
from pathlib import Path

import moderngl
import numpy as np
import pytest
from commands import Run, digest_of, empty_home, runner
from film_commands import SHORT, TINY, frames, names
from PIL import Image

from app.canvas import Canvas
from app.record import read

TIMELINE = """
[[key]]
time = 0.3
preset = "cells"
zoom = 2
angle = 40
centre = [0.7, 0.4]
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = empty_home(tmp_path, monkeypatch)
    (home / "t.toml").write_text(TIMELINE, "utf-8")
    return home


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


# Frames


def test_twice_the_same_film(run: Run) -> None:
    asked = *SHORT, "--timeline", "t.toml", "--loop", "0.1", "--steps", "20"
    first = digest_of(run(*asked, "--out", "a/%02d.png"))
    assert digest_of(run(*asked, "--out", "b/%02d.png")) == first
    assert names("a") == [f"{number:02}.png" for number in range(8)]
    assert [Path("a", name).read_bytes() for name in names("a")] == [
        Path("b", name).read_bytes() for name in names("b")
    ]
    assert digest_of(run(*asked, "--out", "a.mp4")) == first


def test_a_frame_brings_its_run_back(run: Run) -> None:
    last = digest_of(run(*SHORT, "--timeline", "t.toml", "--steps", "9", "--out", "a/%d.png"))
    assert read(Path("a/7.png")).step == 9 + 8 * 3  # veins do one step for each 1/60 s
    assert digest_of(run("render", "a/7.png", "--backend", "cpu", "--out", "b.png")) == last


def test_a_frame_is_the_still_of_its_step(run: Run) -> None:
    """Also where the picture depends on what came before: trails have ages, and exposure follows them."""
    look = "--set", "colour_by=age", "--set", "auto_exposure=1", "--set", "grain=0.5"
    film, still = TINY, TINY[:-2]
    digest = digest_of(run(*film, *look, "--seconds", "0.1", "--steps", "94", "--out", "a/%d.png"))
    assert digest_of(run(*still, *look, "--steps", "100", "--out", "still.png")) == digest
    assert digest_of(run(*still, *look, "--steps", "100", "--set", "age_memory=16", "--out", "b.png"))
    frame, shown, other = (
        np.asarray(Image.open(each)).astype(int) for each in ("a/1.png", "still.png", "b.png")
    )
    assert np.abs(frame - shown).max() <= 1
    assert np.abs(frame - other).max() > 10, "else ages do not matter"


def test_steps_for_a_frame(run: Run) -> None:
    for rate, steps, more in (("60", 1, ()), ("24", 2.5, ()), ("24", 4, ("--steps-per-frame", "4"))):
        asked = *TINY[:-1], rate, "--seconds", "1/4", *more
        digest_of(run(*asked, "--out", "a/%d.png"))
        found = [read(Path(f"a/{number}.png")).step for number in range(len(names("a")))]
        assert found == [int(number * steps) for number in range(1, int(rate) // 4 + 1)]
        for name in names("a"):
            Path("a", name).unlink()


def test_a_film_is_as_long_as_its_timeline(run: Run) -> None:
    digest_of(run(*TINY, "--timeline", "t.toml", "--out", "a/%d.png"))
    assert len(names("a")) == 6


def test_what_a_film_begins_with_has_grown_by_its_first_keys(run: Run) -> None:
    Path("first.toml").write_text("[[key]]\ntime = 0\ndecay = 0.3", "utf-8")
    asked = *TINY, "--seconds", "0.05", "--steps", "40"  # one frame, three steps later
    film = digest_of(run(*asked, "--timeline", "first.toml", "--out", "a/%d.png"))
    assert digest_of(run(*TINY[:-2], "--set", "decay=0.3", "--steps", "43", "--out", "b.png")) == film
    assert digest_of(run(*TINY[:-2], "--steps", "43", "--out", "c.png")) != film


def test_a_sequence_goes_on_where_it_stopped(run: Run) -> None:
    asked = *SHORT, "--timeline", "t.toml", "--loop", "0.2", "--out", "a/%d.png"
    digest = digest_of(run(*asked))
    whole = {name: Path("a", name).read_bytes() for name in names("a")}
    for gone in ((7,), (3, 5, 6), range(8)):
        for number in gone:
            Path(f"a/{number}.png").unlink()
        status, out, err = run(*asked)
        assert status == 0, err
        assert (digest in out) == (7 in gone)
        assert {name: Path("a", name).read_bytes() for name in names("a")} == whole
    status, out, err = run(*asked)
    assert (status, out) == (0, "a/%d.png\n")
    assert "All 8 frames are there already" in err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--seed", "2"), "a/0.png is not of this film: its seed is 1, not 2."),
        (("--agents", "1k"), "its number of agents is 2000, not 1000."),
        (("--set", "decay=0.3"), "its look, start or map is another."),
        (("--steps", "5"), "it shows step 3, not 8."),
        (("--timeline", "t.toml"), "its parameters had been changed otherwise by then."),
        (("--picture", "32x24"), "a/6.png is not of this film: it is 64x48."),
        (("--loop", "0.3"), "it shows step 3, not 21."),
        (("--timeline", "zoom.toml"), "a/6.png is not of this film: it looks otherwise."),
    ],
)
def test_a_sequence_of_another_run_is_left_alone(run: Run, more: tuple[str, ...], said: str) -> None:
    Path("zoom.toml").write_text("[[key]]\ntime = 0\nzoom = 2", "utf-8")
    digest_of(run(*SHORT, "--out", "a/%d.png"))
    Path("a/7.png").unlink()
    whole = {name: Path("a", name).read_bytes() for name in names("a")}
    status, out, err = run(*SHORT, *more, "--out", "a/%d.png")
    assert (status, out) == (1, "")
    assert said in err.splitlines()[-1]
    assert {name: Path("a", name).read_bytes() for name in names("a")} == whole


def test_a_sequence_does_not_go_on_from_other_pictures(run: Run) -> None:
    Path("a").mkdir()
    Image.new("RGB", (64, 48)).save("a/3.png")
    status, _, err = run(*SHORT, "--out", "a/%d.png")
    assert status == 1
    assert err.splitlines()[-1].startswith(
        "physarium: The film cannot go on from the frames that are there: a/3"
    )


def test_a_loop_has_no_seam(run: Run) -> None:
    digest_of(run(*TINY, "--seconds", "2", "--loop", "1", "--steps", "60", "--out", "a/%02d.png"))
    shown = frames("a")
    assert len(shown) == 40
    ways = [np.abs(a - b).mean() for a, b in itertools.pairwise([*shown, shown[0]])]
    assert ways[-1] < 1.5 * max(ways[:-1])
    assert np.abs(shown[0] - shown[19]).mean() > 2 * ways[-1], "else any two frames would do"


def test_a_fade_mixes_light(gl: moderngl.Context) -> None:
    canvas = Canvas(gl, (16, 16))
    every = np.arange(256, dtype=np.uint8).repeat(4).tobytes()
    black, white = bytes(4 * 256), bytes([255]) * 4 * 256
    mixed = []
    for share in (0, 0.2140, 0.5, 1):
        canvas.drawn.texture.write(black)
        canvas.fade(white, share)
        mixed.append(canvas.picture()[0, 0, 0])
    assert mixed == [0, 127, 188, 255]  # 0.2140 of the light is half of sRGB's codes
    canvas.drawn.texture.write(every)
    canvas.fade(every, 0.3)
    assert canvas.keep()[::4] == every[::4]
    canvas.release()
