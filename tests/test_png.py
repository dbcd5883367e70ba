"""A run in a PNG: found among other chunks, and nothing hostile gets through."""

import io
import struct
import tracemalloc
import zlib
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from test_record import PICTURE, RECORD

from app import png
from app.record import RecordError, encode_png, read, to_text


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


IHDR = chunk(b"IHDR", struct.pack(">IIBBBBB", 16384, 16384, 8, 2, 0, 0, 0))
IEND = chunk(b"IEND", b"")


def itxt(text: str, keyword: bytes = b"physarium", compressed: bool = True) -> bytes:
    data = zlib.compress(text.encode()) if compressed else text.encode()
    return chunk(b"iTXt", keyword + (b"\0\1\0" if compressed else b"\0\0\0") + b"en\0Physarium\0" + data)


def picture(*chunks: bytes) -> bytes:
    return png.SIGNATURE + b"".join((IHDR, *chunks, IEND))


def refused(path: Path) -> str:
    with pytest.raises(RecordError) as caught:
        read(path)
    sentence = str(caught.value)
    assert path.name in sentence
    assert "\n" not in sentence
    assert len(sentence) < 500
    return sentence


@pytest.mark.parametrize(
    "content",
    [
        picture(itxt(to_text(RECORD))),
        picture(itxt(to_text(RECORD), compressed=False)),
        picture(chunk(b"IDAT", b"x" * 100), itxt(to_text(RECORD))),
        picture(itxt("{}", b"Comment"), itxt(to_text(RECORD))),
        picture(itxt(to_text(RECORD)), itxt("another", b"physarium")),
        picture(chunk(b"tEXt", b"physarium\0{}"), chunk(b"iTXt", b"phys"), itxt(to_text(RECORD))),
        picture(itxt(to_text(RECORD)), chunk(b"IDAT", b"x" * 100))[:-50],
    ],
    ids=["plain", "uncompressed", "behind pixels", "other tools", "two", "short ones", "cut behind it"],
)
def test_our_chunk_is_found(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(content)
    assert read(tmp_path / "a.png") == RECORD


GOOD = itxt(to_text(RECORD))


@pytest.mark.parametrize(
    ("content", "essential"),
    [
        (b"", "not a PNG"),
        (b"GIF89a", "not a PNG"),
        (b'format = 1\ntitle = "Veins"', "not a PNG"),
        (picture(), "carries no Physarium run"),
        (picture(itxt("{}", b"Workflow")), "carries no Physarium run"),
        (picture(itxt("{}", b"physarium2")), "carries no Physarium run"),
        (picture(itxt("{}", b"physariu")), "carries no Physarium run"),
        (picture(chunk(b"zTXt", b"physarium\0\0" + zlib.compress(b"{}"))), "carries no Physarium run"),
        (png.SIGNATURE, "cut short"),
        (png.SIGNATURE + IHDR, "cut short"),
        (png.SIGNATURE + IHDR + GOOD[:-5], "cut short"),
        (png.SIGNATURE + IHDR + b"\xff\xff\xff\xffIDAT" + b"x" * 99, "cut short"),
        (picture(GOOD[:40] + bytes([GOOD[40] ^ 1]) + GOOD[41:]), "checksum"),
        (picture(chunk(b"iTXt", png.HEADER + b"not zlib")), "damaged"),
        (picture(chunk(b"iTXt", png.HEADER + zlib.compress(b"x" * 999)[:-6])), "damaged"),
        (picture(chunk(b"iTXt", png.HEADER)), "damaged"),
        (picture(itxt("é")), "damaged"),
        (picture(itxt("")), "not valid JSON"),
        (picture(chunk(b"iTXt", png.HEADER + b"x" * (png.MAX_PACKED + 1))), "too long to read"),
        (picture(chunk(b"IDAT", b"") * (png.MAX_CHUNKS + 1)), "too many to look through"),
    ],
)
def test_a_picture_that_brings_nothing_back_says_why(content: bytes, essential: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.png"
    path.write_bytes(content)
    assert essential in refused(path)
    assert path.read_bytes() == content


def test_a_missing_picture_and_a_folder(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "none.png")
    assert "folder" in refused(tmp_path)


def bomb() -> bytes:
    """A gigabyte of zeros in less than a megabyte: 64 times the same 16 MiB."""
    stream = zlib.compressobj(9)
    first = stream.compress(bytes(1 << 24)) + stream.flush(zlib.Z_FULL_FLUSH)
    return first + first[2:] * 63  # without the header's two bytes


@pytest.mark.parametrize(
    "wrap",
    [
        lambda data: chunk(b"iTXt", png.HEADER + data),
        lambda data: chunk(b"zTXt", b"physarium\0\0" + data),
        lambda data: chunk(b"iCCP", b"physarium\0\0" + data),
    ],
)
def test_a_bomb_is_refused_in_little_memory(wrap, tmp_path: Path) -> None:
    path = tmp_path / "bomb.png"
    data = bomb()
    assert len(data) < png.MAX_PACKED
    path.write_bytes(picture(wrap(data)))
    tracemalloc.start()
    sentence = refused(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "too long" in sentence or "carries no" in sentence
    assert peak < 10_000_000


def test_the_largest_picture_costs_no_memory(tmp_path: Path) -> None:
    """16384 x 16384, with more than 4 GiB of pixels before our chunk, as a file full of holes."""
    path = tmp_path / "large.png"
    with open(path, "wb") as file:
        file.write(png.SIGNATURE + IHDR)
        for _ in range(3):
            file.write(struct.pack(">I", 2**31 - 1) + b"IDAT")
            file.seek(2**31 - 1 + 4, 1)
        file.write(GOOD + IEND)
    assert path.stat().st_size > 2**32
    tracemalloc.start()
    record = read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert record == RECORD
    assert peak < 2_000_000


def test_pillow_refuses_what_we_read(tmp_path: Path) -> None:
    path = tmp_path / "large.png"
    path.write_bytes(picture(GOOD, chunk(b"IDAT", b"")))
    with pytest.raises(Image.DecompressionBombError):
        Image.open(path)
    assert read(path) == RECORD


def test_another_tools_picture(tmp_path: Path) -> None:
    info = PngInfo()
    info.add_itxt("Software", "Another", zip=True)
    Image.fromarray(PICTURE).save(tmp_path / "a.png", pnginfo=info)
    assert "carries no Physarium run" in refused(tmp_path / "a.png")


def test_a_run_saved_again_by_pillow_is_still_there(tmp_path: Path) -> None:
    with Image.open(io.BytesIO(encode_png(PICTURE, RECORD))) as image:
        info = PngInfo()
        info.add_itxt("physarium", image.text["physarium"])
        image.save(tmp_path / "a.png", pnginfo=info)
    assert read(tmp_path / "a.png") == RECORD


RANDOM = np.random.default_rng(3)
# One that packs as differences, and one that packs as it is.
SMOOTH = np.add.outer(np.arange(61), np.arange(47) * 5)[..., None] * np.array([1, 3, 7])
FEW = RANDOM.choice([0, 9, 200], (61, 47, 3))


def decoded(data: bytes, bits: int) -> np.ndarray:
    """Pixels [H, W, 3] as FFmpeg reads them; Pillow cuts 16 bits down to 8."""
    with av.open(io.BytesIO(data)) as file:
        return next(file.decode(video=0)).to_ndarray(format="rgb24" if bits == 8 else "rgb48le")


def written(picture: np.ndarray, cuts: list[int]) -> bytes:
    out = io.BytesIO()
    size, bits = (picture.shape[1], picture.shape[0]), 8 * picture.itemsize
    png.write(out, size, np.split(picture, cuts), png.pack("a run"), bits)
    return out.getvalue()


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
@pytest.mark.parametrize("picture", [SMOOTH, FEW, SMOOTH[:1, :1], SMOOTH[:, :1], FEW[:1]])
def test_bands_make_one_picture(picture: np.ndarray, kind: type) -> None:
    picture = (picture * (257 if kind == np.uint16 else 1)).astype(kind)
    whole = written(picture, [])
    for data in (whole, written(picture, [len(picture) // 3, len(picture) // 2])):
        np.testing.assert_array_equal(decoded(data, 8 * picture.itemsize), picture)
        with Image.open(io.BytesIO(data)) as image:
            assert image.info["physarium"] == "a run"
            image.verify()  # the checksums


def test_each_picture_is_packed_as_packs_better() -> None:
    few, smooth = (len(written(picture.astype(np.uint8), [])) for picture in (FEW, SMOOTH))
    assert few < 61 * 47 * 3 / 3
    assert smooth < 61 * 47 * 3 / 10


@pytest.mark.parametrize(
    "bands",
    [
        [np.zeros((3, 5, 3), np.uint8)],
        [np.zeros((4, 5, 3), np.uint8)] * 2,
        [np.zeros((4, 6, 3), np.uint8)],
        [np.zeros((4, 5, 4), np.uint8)],
        [np.zeros((4, 5, 3), np.uint16)],
    ],
    ids=["too few rows", "too many", "too wide", "alpha", "other bits"],
)
def test_bands_that_are_not_the_picture_are_refused(bands: list[np.ndarray]) -> None:
    with pytest.raises(ValueError, match="rows"):
        png.write(io.BytesIO(), (5, 4), bands, png.pack(""))
