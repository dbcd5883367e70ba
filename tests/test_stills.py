"""Stills: the same picture in any format, at any size, in any number of tiles."""

import io
import os
import re
from errno import ENOSPC
from pathlib import Path
from types import SimpleNamespace

import moderngl
import numpy as np
import OpenEXR
import pytest
from commands import Run, empty_home, runner
from PIL import Image
from test_png import decoded

from app import exr, stills
from app.argument_types import STILLS
from app.backend import Choice, WorldTooLarge
from app.display import Display
from app.record import read, read_any
from app.session import Session
from app.stills import Still, averaged, check, draw, encoded, save
from kernels.params import Params
from kernels.world import World
from presets import Preset

WORLD = World(64, 48, 600, "stills")
LOOK = Preset("look", "Look", density=0.2, params=Params(sensor_angle=50.0))
CPU = Choice("cpu", False, "", "")
TINY = "--size", "64x48", "--steps", "30", "--backend", "cpu"


class Painter:
    """Stands in for a display: a picture whose every pixel says where it is."""

    size = 64, 48
    world = SimpleNamespace(species=1)

    def __init__(self, largest: int = 16384) -> None:
        names = "GL_MAX_VIEWPORT_DIMS", "GL_MAX_TEXTURE_SIZE", "GL_MAX_RENDERBUFFER_SIZE"
        self.ctx = SimpleNamespace(info=dict(zip(names, ((largest, largest), largest, largest), strict=True)))
        self.parts: list[tuple[int, int]] = []

    def picture(self, params, view, bits=8, *, within=None) -> np.ndarray:
        x, y, wide, tall = within or (0, 0, *view.target)
        assert 0 <= x < x + wide <= view.target[0]
        assert 0 <= y < y + tall <= view.target[1]
        self.parts.append((wide, tall))
        rows, columns = np.mgrid[y : y + tall, x : x + wide].astype(np.float32)
        light = np.stack([columns / view.target[0], rows / view.target[1], (rows * 7 + columns) % 11 / 5], 2)
        return light if bits == 32 else encoded(light, bits)


@pytest.fixture
def session() -> Session:
    session = Session(LOOK, WORLD, "reference")
    session.advance(30)
    return session


@pytest.fixture
def display(gl: moderngl.Context, session: Session):
    display = Display(gl, WORLD)
    display.upload(session.simulation.trail)
    yield display
    display.release()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return empty_home(tmp_path, monkeypatch)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


def picture(display, still: Still) -> np.ndarray:
    return np.concatenate(list(draw(display, Params(), still)))


@pytest.mark.parametrize("size", [(1, 1), (37, 53), (101, 3), (64, 48)])
@pytest.mark.parametrize(("name", "bits", "times"), [("a.png", 8, 1), ("a.png", 16, 3), ("a.exr", 32, 2)])
def test_tiles_make_the_whole_picture(size, name: str, bits: int, times: int, monkeypatch) -> None:
    still = Still(Path(name), size, bits, times)
    whole = picture(Painter(), still)
    assert whole.shape == (size[1], size[0], 3)
    monkeypatch.setattr(stills, "TILE", 200)
    small = Painter(largest=20)
    np.testing.assert_array_equal(picture(small, still), whole)
    assert all(max(part) <= 20 and part[0] * part[1] <= 400 for part in small.parts)


@pytest.mark.parametrize("size", [(64, 48), (128, 96), (101, 77), (31, 60)])
@pytest.mark.parametrize(("name", "bits", "times"), [("a.png", 8, 1), ("a.png", 16, 2), ("a.exr", 32, 1)])
def test_a_tiled_picture_is_the_untiled_one(display, size, name, bits, times, monkeypatch) -> None:
    still = Still(Path(name), size, bits, times)
    whole = picture(display, still)
    monkeypatch.setattr(stills, "TILE", 1000)
    monkeypatch.setattr(stills, "largest_target", lambda _context: 50)
    np.testing.assert_array_equal(picture(display, still), whole)


def test_a_still_is_the_picture_the_display_draws(display) -> None:
    np.testing.assert_array_equal(
        picture(display, Still(Path("a.png"), (64, 48), 8)), display.picture(Params())
    )


@pytest.mark.parametrize("times", [1, 2, 3])
def test_the_field_goes_on_beyond_a_pictures_edges(display, session, times: int) -> None:
    """A field rolled half round, with its seam in the middle, gives the picture rolled half round."""
    still = Still(Path("a.png"), (64, 48), 8, times)
    before = picture(display, still).astype(int)
    display.upload(np.roll(session.simulation.trail, (24, 32), (1, 2)))
    after = np.roll(picture(display, still), (24, 32), (0, 1))
    assert np.abs(after - before).max() <= 1


def test_the_first_row_is_the_top(display) -> None:
    trail = np.zeros((1, 48, 64), np.float32)
    trail[0, 3, 5] = 100.0  # near the upper left corner
    display.upload(trail)
    for name, bits in (("a.png", 8), ("a.png", 16), ("a.exr", 32)):
        shown = picture(display, Still(Path(name), (64, 48), bits)).astype(float).sum(axis=2)
        assert np.unravel_index(shown.argmax(), shown.shape) == (3, 5)


def test_averaging_is_of_light() -> None:
    black_and_white = np.indices((4, 6)).sum(0)[..., None].repeat(3, 2).astype(np.float32) % 2
    grey = averaged(black_and_white, 2)
    np.testing.assert_array_equal(grey, np.full((2, 3, 3), 0.5, np.float32))
    np.testing.assert_array_equal(encoded(grey, 8), np.full((2, 3, 3), 188))  # not 128


@pytest.mark.parametrize("bits", [8, 16])
def test_codes_decode_to_within_half_a_step(bits: int) -> None:
    light = np.linspace(-0.1, 1.5, 99_999, dtype=np.float32).reshape(-1, 3, 3)
    code = encoded(light, bits).astype(np.float64) / (2**bits - 1)
    half = 0.5 / (2**bits - 1)

    def decode(value: np.ndarray) -> np.ndarray:
        return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)

    low, high = decode(np.maximum(code - half * 1.0001, 0)), decode(code + half * 1.0001)
    clipped = np.clip(light, 0, 1)
    assert ((low <= clipped + 1e-9) & (clipped - 1e-9 <= high)).all()
    assert code.min() == 0
    assert code.max() == 1


@pytest.mark.parametrize(("bits", "kind"), [(32, np.float32), (16, np.float16)])
def test_an_exr_holds_light_and_the_run(tmp_path, session, bits: int, kind: type) -> None:
    still = Still(tmp_path / "a.exr", (37, 53), bits)
    light = picture(Painter(), still)
    assert light.max() > 1  # light beyond white is kept
    record = session.record("")
    assert save(still, record, session.simulation.trail, draw(Painter(), Params(), still)) == still.path
    file = OpenEXR.File(str(still.path))
    assert list(file.channels()) == ["RGB"]  # no alpha
    pixels = file.channels()["RGB"].pixels
    assert pixels.dtype == kind
    np.testing.assert_array_equal(pixels, light.astype(kind))
    np.testing.assert_allclose(file.header()["chromaticities"], exr.PRIMARIES, rtol=1e-6)
    assert read(still.path) == read_any(still.path) == record


def test_light_beyond_what_half_floats_hold_stays_finite(tmp_path, session) -> None:
    still = Still(tmp_path / "a.exr", (2, 1), 16)
    save(still, session.record(""), session.simulation.trail, [np.full((1, 2, 3), 1e6, np.float32)])
    assert (OpenEXR.File(str(still.path)).channels()["RGB"].pixels == np.float16(65504)).all()


def test_an_npy_is_the_trail(tmp_path, session) -> None:
    trail = np.concatenate([session.simulation.trail, 2 * session.simulation.trail])[:, ::-1]
    save(Still(tmp_path / "a.npy", (64, 48), 32), session.record(""), trail)
    loaded = np.load(tmp_path / "a.npy")
    assert loaded.dtype == np.float32
    np.testing.assert_array_equal(loaded, trail)


@pytest.mark.parametrize("kind", STILLS)
def test_a_full_disk_leaves_the_old_file_alone(kind: str, tmp_path, session, monkeypatch) -> None:
    path = tmp_path / f"a{kind}"
    path.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(ENOSPC, os.strerror(ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    still = Still(path, (64, 48), STILLS[kind][0])
    with pytest.raises(OSError, match="No space left") as caught:
        save(still, session.record(""), session.simulation.trail, draw(Painter(), Params(), still))
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_openexr_says_what_the_disk_said() -> None:
    class Full(io.BytesIO):
        def write(self, _data: object) -> int:
            raise OSError(ENOSPC, os.strerror(ENOSPC))

    with pytest.raises(OSError, match="No space left"):
        exr.write(Full(), np.zeros((9, 9, 3), np.float32), "")


def test_memory_is_checked_and_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    world, path = World(16384, 16384, 10**6, "1"), Path("a.exr")
    needed: list[float] = []
    for side, bits in ((16384, 32), (16384, 16), (64, 16)):
        still = Still(path, (side, side), bits)
        monkeypatch.setattr("app.backend.free_memory", lambda _backend: 2**30)
        with pytest.raises(WorldTooLarge) as caught:
            check(still, world, CPU)
        sentence = str(caught.value)
        assert sentence.startswith("size = 16384x16384 with 1000000 agents and a picture of ")
        assert f"{side}x{side} needs " in sentence
        assert sentence.endswith("GiB of main memory; 1.0 GiB are free.")
        needed.append(float(sentence.split(" GiB")[0].split()[-1]))
    assert needed[0] - needed[1] == pytest.approx(16384**2 * 3 * 2 / 2**30, abs=0.11)  # as rounded
    assert needed[1] - needed[2] == pytest.approx(16384**2 * 3 * 2 / 2**30, abs=0.3)
    monkeypatch.setattr("app.backend.free_memory", lambda _backend: 2**50)
    assert check(Still(path, (65536, 65536), 32), world, CPU) > 65536**2 * 3 * 4


def test_what_takes_much_memory_is_told(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.backend.GIB", 2**10)  # as if all were a million times as large
    _, _, err = run("render", "veins", *TINY, "--out", "a.png")
    assert re.search(r"^This takes up to \d+\.\d GiB of main memory\.$", err, re.MULTILINE)


def test_a_poster_as_png_takes_bands_not_its_size() -> None:
    poster, small = (
        stills.bytes_needed(Still(Path("a.png"), (side, side), 16, 2), WORLD, CPU) for side in (16384, 2048)
    )
    assert poster == small < 2**28


def test_render_writes_what_the_name_says(run: Run, home: Path) -> None:
    digests = set()
    for name, *words in (
        ("a.png",),
        ("b.png", "--bits", "16", "--picture", "37x53", "--supersample", "2"),
        ("c.exr", "--bits", "16"),
        ("d.npy",),
    ):
        status, out, _ = run("render", "veins", *TINY, "--out", name, *words)
        assert status == 0
        assert out.splitlines()[0] == name
        digests.add(out.splitlines()[1])
    assert len(digests) == 1
    with Image.open("a.png") as image:
        assert (image.size, image.mode) == ((64, 48), "RGB")
    assert decoded(Path("b.png").read_bytes(), 16).shape == (53, 37, 3)
    assert OpenEXR.File("c.exr").channels()["RGB"].pixels.shape == (48, 64, 3)
    assert np.load("d.npy").shape == (1, 48, 64)
    for captured in ("b.png", "c.exr"):  # both bring the run back
        run("render", captured, "--backend", "cpu", "--out", "again.png")
        assert Path("again.png").read_bytes() == Path("a.png").read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--out", "a.png", "--bits", "32"), ("--bits 32", ".png", "8 or 16")),
        (("--out", "a.exr", "--bits", "8"), ("--bits 8", ".exr", "32 or 16")),
        (("--out", "a.npy", "--picture", "9x9"), (".npy", "--picture")),
        (("--out", "a.npy", "--supersample", "2"), (".npy", "--supersample")),
        (("--out", "a.png", "--picture", "0x9"), ("--picture 0x9", "1 to 65,536")),
        (("--out", "a.png", "--picture", "70000x9"), ("--picture 70000x9", "1 to 65,536")),
        (("--out", "a.png", "--supersample", "9"), ("--supersample", "1 to 8")),
        (("--out", "a.jpg"), ("a.jpg", ".png")),
        (("--out", "none/a.exr"), ("none", "no folder")),
    ],
)
def test_what_cannot_be_written_is_refused_in_a_sentence(run: Run, home: Path, words, said) -> None:
    status, out, err = run("render", "veins", *TINY, *words)
    assert (status, out) == (2, "")
    sentence = err.splitlines()[-1]
    assert sentence.startswith("physarium: ")
    assert all(word in sentence for word in said)
    assert list(home.iterdir()) == []


def test_without_openexr_nothing_is_begun(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named '{name}'")

    monkeypatch.setattr(exr, "importlib", SimpleNamespace(import_module=missing))
    monkeypatch.setattr(Session, "advance", lambda *_: pytest.fail("a long run was begun"))
    status, _, err = run("render", "veins", *TINY, "--out", "a.exr")
    assert status == 2
    assert err.splitlines()[-1] == (
        "physarium: EXR pictures need the package OpenEXR (No module named 'OpenEXR'); "
        "pip install OpenEXR brings it."
    )
