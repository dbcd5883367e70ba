"""Films as files: their colours, sides and rates."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import moderngl
import numpy as np
import pytest
from commands import Run, digest_of, empty_home, runner
from film_commands import SHORT, TINY, decoded, frames

from app.planes import LAYOUTS, Layout, Planes
from app.readback import Readback
from app.video import Video


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = empty_home(tmp_path, monkeypatch)
    return home


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(capsys)


# Colours


def bt709(rgb: np.ndarray) -> np.ndarray:
    """Y, Cb and Cr in limited range, unrounded, after ITU-R BT.709."""
    red, green, blue = np.moveaxis(rgb / 255, -1, 0)
    luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    cb, cr = (blue - luma) / 1.8556, (red - luma) / 1.5748
    return np.stack([16 + 219 * luma, 128 + 224 * cb, 128 + 224 * cr])


def write(gl: moderngl.Context, video: Video, pictures: Iterable[np.ndarray]) -> None:
    """Films pictures [H, W, 3]."""

    def frames() -> Iterator[tuple[int, np.ndarray]]:
        for number, picture in enumerate(pictures):
            yield number, planes(gl, picture, video.layout)

    video.write(frames())


def planes(gl: moderngl.Context, picture: np.ndarray, layout: Layout) -> np.ndarray:
    """What a picture [H, W, 3] becomes on the GPU."""
    height, width, _ = picture.shape
    texture = gl.texture((width, height), 3, picture[::-1].tobytes(), alignment=1)
    bound = gl.detect_framebuffer()
    planes = Planes(gl, (width, height), layout)
    planes.convert(texture)
    found: list[np.ndarray] = []
    readback = Readback()
    readback.send(planes.framebuffer, 1, layout.dtype, found.append)
    readback.drain()
    bound.use()  # for what is bound must not be freed
    for each in (readback, planes, texture):
        each.release()
    return found[0]


@pytest.mark.parametrize("pixels", LAYOUTS)
def test_conversion_is_that_of_bt709(gl: moderngl.Context, pixels: str) -> None:
    layout = LAYOUTS[pixels]
    colours = np.random.default_rng(1).integers(0, 256, (24, 32, 3), np.uint8)
    colours[0, :2] = [[0, 0, 0], [255, 255, 255]]
    luma, *chroma = layout.split(planes(gl, colours.repeat(8, 0).repeat(8, 1), layout))
    wanted, codes = bt709(colours), 2 ** (layout.bits - 8)
    assert np.abs(luma[4::8, 4::8] - codes * wanted[0]).max() < 0.501  # 0.5 is the rounding
    for plane, right in zip(chroma, wanted[1:], strict=True):
        assert plane.shape == (192 // layout.tall, 128)
        assert np.abs(plane[4 // layout.tall :: 8 // layout.tall, 2::4] - codes * right).max() < 0.501
    assert (luma[4, 4], luma[4, 12]) == (16 * codes, 235 * codes)


def test_chroma_stands_on_left_columns_between_rows(gl: moderngl.Context) -> None:
    """A quarter from the column to each side, and half from its own; both rows alike."""
    picture = np.random.default_rng(2).integers(0, 256, (6, 10, 3), np.uint8)
    _, cb, cr = LAYOUTS["yuv420p"].split(planes(gl, picture, LAYOUTS["yuv420p"]))
    rows = picture.reshape(3, 2, 10, 3).mean(1)
    left = np.pad(rows, ((0, 0), (1, 0), (0, 0)), "edge")
    wanted = bt709((left[:, :-1:2] + 2 * rows[:, ::2] + rows[:, 1::2]) / 4)
    assert np.abs(cb - wanted[1]).max() < 0.501
    assert np.abs(cr - wanted[2]).max() < 0.501


@pytest.mark.parametrize(
    ("suffix", "encoder", "bound"),
    [(".mp4", "libx264", 2), (".webm", "libvpx-vp9", 2), (".mov", "prores_ks", 3)],
)
def test_a_known_ramp_comes_back(gl: moderngl.Context, suffix: str, encoder: str, bound: int) -> None:
    """Greys, and each primary, in squares; rounding twice to 8 bits of limited range alone takes up to 2."""
    if encoder not in av.codecs_available:
        pytest.skip(f"this FFmpeg has no {encoder}")
    ramp = np.linspace(0, 255, 16).round().astype(np.uint8)
    colours = np.zeros((4, 16, 3), np.uint8)
    colours[0] = ramp[:, None]
    for row, channel in ((1, 0), (2, 1), (3, 2)):
        colours[row, :, channel] = ramp
    picture = colours.repeat(16, 0).repeat(16, 1)
    path = Path(f"ramp{suffix}")
    video = Video(path, (256, 64), Fraction(30), encoder, 100, say=lambda said: None)
    write(gl, video, [picture] * 3)
    with av.open(str(path)) as film:
        codec = film.streams.video[0].codec_context
        assert (codec.color_primaries, codec.color_trc, codec.colorspace) == (1, 1, 1)
        assert codec.color_range == 1 or encoder == "prores_ks"  # which has no other
    shown = decoded(path)
    assert len(shown) == 3
    for frame in shown:
        assert np.abs(frame[8::16, 8::16].astype(int) - colours).max() <= bound


@pytest.mark.parametrize("size", [(33, 17), (32, 17), (33, 16), (2, 2)])
def test_odd_sides_become_even_and_the_picture_stays_upright(
    gl: moderngl.Context, size: tuple[int, int]
) -> None:
    width, height = size
    picture = np.zeros((height, width, 3), np.uint8)
    picture[: height // 2] = 255
    picture[:, -1] = 128
    said: list[str] = []
    video = Video(Path("a.mp4"), size, Fraction(30), "libx264", 100, say=said.append)
    write(gl, video, [picture])
    (shown,) = decoded("a.mp4")
    assert shown.shape == (height + height % 2, width + width % 2, 3)
    assert any("even sides" in line for line in said) == bool(width % 2 or height % 2)
    assert shown[0, 0].min() > 240
    assert shown[-1, 0].max() < 16
    assert np.abs(shown[:, -1].astype(int) - 128).max() < 16


def test_a_film_is_what_its_frames_are(run: Run) -> None:
    """Within what 8 bits of limited range and the finest quality leave of each colour."""
    asked = *SHORT, "--picture", "256x192", "--steps", "100", "--set", "palette=bone"
    digest_of(run(*asked, "--out", "a/%d.png"))
    digest_of(run(*asked, "--out", "a.mp4", "--quality", "100"))
    for picture, shown in zip(frames("a"), decoded("a.mp4"), strict=True):
        assert np.abs(picture - shown).mean() < 2


def test_a_film_has_its_frames_at_its_rate(run: Run) -> None:
    digest_of(run(*TINY[:-1], "30000/1001", "--seconds", "0.5", "--picture", "99x75", "--out", "a.mp4"))
    with av.open("a.mp4") as film:
        stream = film.streams.video[0]
        times = [frame.pts * stream.time_base for frame in film.decode(video=0)]
        assert (stream.average_rate, stream.width, stream.height) == (Fraction(30000, 1001), 100, 76)
    assert times == [Fraction(1001 * number, 30000) for number in range(15)]


def test_what_is_needed_first_stands_first(run: Run) -> None:
    digest_of(run(*SHORT, "--out", "a.mp4"))
    data = Path("a.mp4").read_bytes()
    assert 0 < data.index(b"moov") < data.index(b"mdat")


def test_supersampling_looks_alike(run: Run) -> None:
    digest_of(run(*SHORT, "--steps", "60", "--out", "a/%d.png"))
    digest_of(run(*SHORT, "--steps", "60", "--supersample", "2", "--out", "b/%d.png"))
    assert 0 < np.abs(frames("a")[0] - frames("b")[0]).mean() < 12
