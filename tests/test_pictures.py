"""Pictures in presets: from files, from words, and as base64 in TOML."""

import base64
import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from any_preset import IMAGES, images
from hypothesis import given
from PIL import Image

from kernels.scene import Layers, Picture
from presets import PresetError
from presets.pictures import draw_layers, draw_text, from_base64, read_brightness, read_layers, to_base64

RANDOM = np.random.default_rng(11)
COLOURS = RANDOM.integers(0, 256, (30, 40, 3), np.uint8)
LAYERS = images(Layers, 3)


def brightness(picture: Picture) -> np.ndarray:
    return np.frombuffer(picture.pixels, np.uint8).reshape(picture.height, picture.width)


def refused(path: Path) -> str:
    with pytest.raises(PresetError) as caught:
        read_brightness(path)
    sentence = str(caught.value)
    assert path.name in sentence
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


@given(IMAGES)
def test_a_picture_comes_back_from_base64(picture: Picture) -> None:
    assert from_base64(to_base64(picture), Picture) == picture


@given(LAYERS)
def test_a_map_comes_back_from_base64(layers: Layers) -> None:
    assert from_base64(to_base64(layers), Layers) == layers


def test_base64_may_stand_on_several_lines() -> None:
    text = to_base64(Picture(3, 2, bytes(range(6))))
    assert from_base64("\n".join((text[:20], text[20:])), Picture).pixels == bytes(range(6))


def png(width: int, height: int, data: bytes = b"", text: bytes = b"") -> str:
    parts = b"\x89PNG\r\n\x1a\n"
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    for kind, content in ((b"IHDR", head), (b"zTXt", text), (b"IDAT", data), (b"IEND", b"")):
        if content or kind == b"IEND":
            parts += struct.pack(">I", len(content)) + kind + content
            parts += struct.pack(">I", zlib.crc32(kind + content))
    return base64.b64encode(parts).decode()


def gif() -> str:
    out = io.BytesIO()
    Image.new("L", (2, 2), 9).save(out, "GIF")
    return base64.b64encode(out.getvalue()).decode()


@pytest.mark.parametrize(
    ("text", "essential"),
    [
        (5, "image = 5 is not allowed; it takes base64 of a PNG of at most 1024 x 1024 px"),
        ("", "it takes base64"),
        ("***", "image = '***'"),
        ("AAAA", "it takes base64"),
        ("é", "it takes base64"),
        (gif(), "it takes base64 of a PNG"),
        (png(1, 1)[:40], "it takes base64"),
        (png(2, 2), "damaged"),
        (png(2, 2, b"no zlib"), "damaged"),
        (png(1025, 1), "image = '1025 x 1 px' is not allowed"),
        (png(2**31 - 1, 2**31 - 1), "is not allowed"),
        (png(0, 5), "is not allowed"),
        (png(2, 2, text=b"a\0\0" + zlib.compress(bytes(9_000_000))), "is not allowed"),
        (png(2, 2, zlib.compress(bytes(6))), "all black"),
    ],
)
def test_hostile_base64_is_refused_in_a_sentence(text: object, essential: str) -> None:
    with pytest.raises(ValueError, match=r"\.$") as caught:
        from_base64(text, Picture)
    assert essential in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("suffix", ["png", "bmp", "gif", "tiff", "webp", "jpg"])
def test_any_format_is_read(suffix: str, tmp_path: Path) -> None:
    smooth = np.add.outer(np.arange(30) * 4, np.arange(40) * 3).astype(np.uint8)
    Image.fromarray(smooth).save(tmp_path / f"a.{suffix}")
    picture = read_brightness(tmp_path / f"a.{suffix}")
    assert (picture.width, picture.height) == (40, 30)
    assert np.abs(brightness(picture).astype(int) - smooth).max() <= (8 if suffix in ("jpg", "webp") else 0)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "I", "F"])
def test_any_depth_is_read(mode: str, tmp_path: Path) -> None:
    grey = np.tile(np.array([0, 255], np.uint8), (8, 4))
    if mode in ("I;16", "I"):
        image = Image.fromarray(grey.astype(np.uint16) * 257)
        image = image if mode == "I;16" else image.convert("I")
    elif mode == "F":
        image = Image.fromarray(grey.astype(np.float32) / 255)
    else:
        image = Image.fromarray(grey).convert(mode)
    image.save(tmp_path / "a.tiff")
    assert np.array_equal(brightness(read_brightness(tmp_path / "a.tiff")), grey)


def test_what_is_transparent_counts_as_black(tmp_path: Path) -> None:
    pixels = np.full((4, 4, 4), 255, np.uint8)
    pixels[:, :2, 3] = 0
    Image.fromarray(pixels).save(tmp_path / "a.png")
    assert np.array_equal(brightness(read_brightness(tmp_path / "a.png"))[0], [0, 0, 255, 255])


def test_a_picture_is_turned_as_its_camera_held_it(tmp_path: Path) -> None:
    image = Image.new("L", (40, 20))
    image.paste(255, (0, 0, 40, 10))
    exif = image.getexif()
    exif[0x0112] = 6  # the top of the scene is on the right
    image.save(tmp_path / "a.png", exif=exif)
    picture = read_brightness(tmp_path / "a.png")
    assert (picture.width, picture.height) == (20, 40)
    assert brightness(picture)[0, 19] == 255
    assert brightness(picture)[0, 0] == 0


@pytest.mark.parametrize(
    ("size", "scaled"), [((2000, 1000), (512, 256)), ((9000, 3), (512, 1)), ((511, 512), (511, 512))]
)
def test_a_large_picture_is_scaled_down(
    size: tuple[int, int], scaled: tuple[int, int], tmp_path: Path
) -> None:
    Image.new("L", size, 200).save(tmp_path / "a.png")
    picture = read_brightness(tmp_path / "a.png")
    assert (picture.width, picture.height) == scaled
    assert set(picture.pixels) == {200}


def test_files_that_bring_nothing_say_why(tmp_path: Path) -> None:
    whole = io.BytesIO()
    Image.fromarray(COLOURS).save(whole, "PNG")
    contents = {
        "empty.png": (b"", "no image"),
        "text.jpg": (b"hello", "no image"),
        "cut.png": (whole.getvalue()[:500], "damaged"),
        "bomb.png": (base64.b64decode(png(60000, 60000)), "too many pixels"),
        "wide.png": (base64.b64decode(png(17000, 17000)), "too many pixels"),
        "black.png": (base64.b64decode(png(2, 2, zlib.compress(bytes(6)))), "all black"),
    }
    for name, (content, essential) in contents.items():
        (tmp_path / name).write_bytes(content)
        assert essential in refused(tmp_path / name)
    assert "no such file" in refused(tmp_path / "none.png")
    assert "folder" in refused(tmp_path)


def test_a_colour_image_is_a_map_of_all_layers(tmp_path: Path) -> None:
    Image.fromarray(COLOURS).save(tmp_path / "a.png")
    assert read_layers(tmp_path / "a.png") == Layers(40, 30, COLOURS.tobytes())


@pytest.mark.parametrize("layer", ["food", "wall", "mask"])
def test_an_images_brightness_is_one_layer(layer: str, tmp_path: Path) -> None:
    Image.fromarray(COLOURS[..., 0]).save(tmp_path / "a.png")
    pixels = np.frombuffer(read_layers(tmp_path / "a.png", layer).pixels, np.uint8).reshape(30, 40, 3)
    for index, name in enumerate(("food", "wall", "mask")):
        assert np.array_equal(pixels[..., index], COLOURS[..., 0] * (name == layer))


def test_words_are_drawn_in_the_middle_of_a_field() -> None:
    drawn = brightness(draw_text("  Slime \n mould  "))
    assert drawn.shape[1] / drawn.shape[0] == pytest.approx(16 / 9, rel=0.01)
    rows, columns = np.flatnonzero(drawn.any(1)), np.flatnonzero(drawn.any(0))
    for ends, side in ((rows, drawn.shape[0]), (columns, drawn.shape[1])):
        assert 10 < ends[0] < side / 4
        assert abs(ends[0] - (side - 1 - ends[-1])) <= 3
    assert not np.array_equal(drawn, brightness(draw_text("Slime\nmoult")))
    assert max(draw_text("x" * 100).width, draw_text("\n".join("x" * 50)).height) <= 1024


@pytest.mark.parametrize("text", ["", "   ", "\n", "x" * 101, "a\0b", "\ud800", "日本"])
def test_words_that_cannot_be_drawn_are_refused(text: str) -> None:
    with pytest.raises(PresetError, match=r"^text = .*\.$"):
        draw_text(text)


def test_words_become_one_layer_of_a_map() -> None:
    drawn, layers = draw_text("Hi"), draw_layers("Hi", "mask")
    assert (layers.width, layers.height) == (drawn.width, drawn.height)
    assert layers.pixels[2::3] == drawn.pixels
    assert not any(layers.pixels[0::3])
    assert not any(layers.pixels[1::3])
