import dataclasses
import io
import json
import struct
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from looks import texts
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from test_presets import PRESETS, values

import presets
from app import png
from app.record import (
    LEFT_OUT,
    Change,
    Paint,
    Record,
    RecordError,
    encode_png,
    from_text,
    read,
    read_any,
    to_text,
)
from kernels.params import SPECS, Params
from kernels.stroke import Stroke
from kernels.world import World
from presets import Preset, PresetError

PICTURE = np.random.default_rng(7).integers(0, 256, (37, 53, 3), np.uint8)
DIGEST = "sha256:" + "0123456789abcdef" * 4
LOOK = Preset("look", "名 é 🦠 \u202eabc", "Physarium", 0.25, Params(decay=0.1 + 0.2))
RECORD = Record(
    preset=LOOK,
    world=World(401, 257, 30011, "naïve 🌱"),
    step=500,
    digest=DIGEST,
    backend="cpu",
    version="0.1.0",
    events=(
        Change(0, {"sensor_angle": 45.5, "palette": "neon"}),
        Paint(17, Stroke(-300, 70000, 6144, -100)),
        Paint(17, Stroke(1, 2, 3, 4)),
        Change(500, {"steps_per_frame": 3}),
    ),
)

WHOLE = st.integers(-(2**40), 2**40)
STROKES = st.builds(Stroke, WHOLE, WHOLE, st.integers(1, 2**40), WHOLE)
SETTINGS = st.fixed_dictionaries({}, optional={name: values(spec) for name, spec in SPECS.items()})
EVENTS = st.one_of(
    st.builds(Change, st.integers(0, 2**31 - 1), SETTINGS),
    st.builds(Paint, st.integers(0, 2**31 - 1), STROKES),
)


@st.composite
def records(draw: st.DrawFn) -> Record:
    events = sorted(draw(st.lists(EVENTS, max_size=8)), key=lambda event: event.step)
    last = events[-1].step if events else 0
    return Record(
        preset=draw(PRESETS),
        world=World(draw(st.integers(16, 32768)), 16, draw(st.integers(1, 2**30)), draw(texts(200))),
        step=draw(st.integers(last, 2**31 - 1)),
        digest=draw(st.sampled_from(["", DIGEST])),
        backend=draw(st.sampled_from(["cpu", "cuda", "reference"])),
        version=draw(texts(40)),
        events=tuple(events),
    )


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


@settings(deadline=None, max_examples=60)
@given(records())
def test_a_record_comes_back_the_same(record: Record) -> None:
    text = to_text(record)
    assert text.isascii()
    assert from_text(text, "a.png") == record


def test_a_seed_may_be_any_text() -> None:
    record = dataclasses.replace(RECORD, world=World(64, 64, 9, '\u202e\n"\\'))
    assert from_text(to_text(record), "a.png") == record


def test_a_picture_brings_its_record_and_its_pixels(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(encode_png(PICTURE, RECORD))
    assert read(path) == RECORD
    with Image.open(path) as image:
        assert np.array_equal(np.asarray(image), PICTURE)
        assert image.mode == "RGB"
        assert image.info["srgb"] == 0
        assert "gamma" not in image.info
        assert json.loads(image.text["physarium"])["log"][1] == [17, "paint", [-300, 70000, 6144, -100]]


@pytest.mark.parametrize("view", [PICTURE[::-1], PICTURE[:, ::2], np.asfortranarray(PICTURE)])
def test_rows_stay_in_order_however_they_lie_in_memory(view: np.ndarray) -> None:
    with Image.open(io.BytesIO(encode_png(view, RECORD))) as image:
        assert np.array_equal(np.asarray(image), view)


@pytest.mark.parametrize("wrong", [PICTURE[..., 0], PICTURE.astype(float), np.zeros((4, 4, 4), np.uint8)])
def test_only_a_picture_is_taken_for_one(wrong: np.ndarray) -> None:
    with pytest.raises(ValueError, match="uint8"):
        encode_png(wrong, RECORD)


def test_a_log_too_long_to_store_is_left_out_and_the_picture_says_so(tmp_path: Path) -> None:
    numbers = np.random.default_rng(1).integers(0, 2**31 - 1, (70_000, 4)).tolist()
    record = dataclasses.replace(RECORD, events=tuple(Paint(9, Stroke(*four)) for four in numbers))
    path = tmp_path / "a.png"
    path.write_bytes(encode_png(PICTURE, record))
    stored = read(path)
    assert stored == dataclasses.replace(record, events=(), complete=False)
    with Image.open(path) as image:
        assert json.loads(image.text["physarium"])["log"] == LEFT_OUT == "the log was too long to store"
    assert from_text(to_text(stored), "a.png") == stored


def test_a_long_log_that_fits_is_kept(tmp_path: Path) -> None:
    events = tuple(Paint(step, Stroke(step * 300, 70_000 - step, 6144, 200)) for step in range(50_000))
    record = dataclasses.replace(RECORD, step=60_000, events=events)
    (tmp_path / "a.png").write_bytes(encode_png(PICTURE, record))
    assert read(tmp_path / "a.png") == record


def test_a_record_too_long_even_without_its_log_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png, "MAX_PACKED", 100)
    with pytest.raises(RecordError, match="too long to store"):
        encode_png(PICTURE, RECORD)


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


TEXT = json.loads(to_text(RECORD))
HUGE = "9" * 5000


@pytest.mark.parametrize(
    ("changes", "essentials"),
    [
        ({"format": 2}, ["format = 2", "newer"]),
        ({"format": 0}, ["format = 0", "takes 1"]),
        ({"format": True}, ["no format"]),
        ({"extra": 1}, ["unknown key 'extra'"]),
        ({"step": -1}, ["step = -1", "0 to 2147483647"]),
        ({"step": 2**31}, ["step = 2147483648", "0 to 2147483647"]),
        ({"step": 1.0}, ["step = 1.0", "a whole number"]),
        ({"step": True}, ["step = true"]),
        ({"step": 400}, ["event 4", "step = 500", "from 17 to 400"]),
        ({"width": 15}, ["width = 15", "16 to 32768"]),
        ({"width": 10**30}, ["width = a whole number above 10^20"]),
        ({"width": "64"}, ["width = '64'"]),
        ({"width": 32768, "height": 32769}, ["height = 32769"]),
        ({"width": 32768, "height": 32768, "agents": 0}, ["agents = 0"]),
        ({"seed": 7}, ["seed = 7", "a text"]),
        ({"seed": "x" * 201}, ["seed", "at most 200 characters"]),
        ({"digest": "sha256:abc"}, ["digest = 'sha256:abc'", "64 hexadecimal digits"]),
        ({"backend": None}, ["backend = null", "a text"]),
        ({"version": "v" * 41}, ["version", "at most 40 characters"]),
        ({"preset": "format = 1\n[params]\ndecay = 7"}, ["its preset", "decay = 7", "0.001 to 0.95"]),
        ({"preset": {}}, ["preset = a table", "a text"]),
        ({"log": None}, ["log = null", "a list of events"]),
        ({"log": "short"}, ["log = 'short'"]),
        ({"log": [[5, "set", {"decay": 7}]]}, ["event 1", "decay = 7", "0.001 to 0.95"]),
        ({"log": [[5, "set", {"decya": 0.5}]]}, ["event 1", "'decya'", "did you mean decay"]),
        ({"log": [[5, "set", []]]}, ["event 1", '[step, "set"']),
        ({"log": [[5, "jump", {}]]}, ["event 1", '[step, "set"']),
        ({"log": [5]}, ["event 1", '[step, "set"']),
        ({"log": [[5, "set", {}], [4, "set", {}]]}, ["event 2", "step = 4", "from 5 to 500"]),
        ({"log": [[-1, "set", {}]]}, ["event 1", "step = -1", "from 0 to 500"]),
        ({"log": [[501, "set", {}]]}, ["event 1", "step = 501", "from 0 to 500"]),
        ({"log": [[True, "set", {}]]}, ["event 1", "step = true"]),
        ({"log": [[5, "paint", [1, 2, 0, 4]]]}, ["event 1", "radius = 0", "1 to 1099511627776"]),
        ({"log": [[5, "paint", [1, 2.5, 3, 4]]]}, ["event 1", "y = 2.5", "a whole number"]),
        ({"log": [[5, "paint", [2**41, 2, 3, 4]]]}, ["event 1", "x = 2199023255552"]),
        ({"log": [[5, "paint", [1, 2, 3, -(2**41)]]]}, ["event 1", "strength = -2199023255552"]),
        ({"log": [[5, "paint", [1, 2, 3]]]}, ["event 1", '"paint", [x, y, radius, strength]']),
    ],
)
def test_nothing_in_a_record_is_trusted(changes: dict, essentials: list[str]) -> None:
    with pytest.raises(RecordError) as caught:
        from_text(json.dumps(TEXT | changes), "bad.png")
    sentence = str(caught.value)
    assert sentence.startswith("bad.png: ")
    assert len(sentence) < 400
    for essential in essentials:
        assert essential in sentence


@pytest.mark.parametrize("key", TEXT)
def test_every_key_is_needed(key: str) -> None:
    text = json.dumps({name: value for name, value in TEXT.items() if name != key})
    with pytest.raises(RecordError, match=rf"bad\.png: .* {key}"):
        from_text(text, "bad.png")


@pytest.mark.parametrize(
    ("text", "essential"),
    [
        ("[" * 1_000_000, "not valid JSON"),
        ('{"a":' * 1_000_000, "not valid JSON"),
        (json.dumps(TEXT).replace("500", HUGE, 1), "not valid JSON"),
        (json.dumps(TEXT).replace('"step": 500', '"step": NaN'), "step = nan"),
        (json.dumps(TEXT).replace("45.5", "1e999"), "sensor_angle = inf"),
        (" " * (png.MAX_TEXT + 1), "too long to read"),
        ("[]", "no format"),
        ("null", "no format"),
    ],
)
def test_hostile_json_is_refused(text: str, essential: str) -> None:
    with pytest.raises(RecordError) as caught:
        from_text(text, "bad.png")
    assert essential in str(caught.value)


@pytest.mark.parametrize(
    "name", ["../../x", "/etc/passwd", "a\\b", "C:x", "..", "x" * 300, "a\nb", "\u202eabc"]
)
def test_a_name_from_a_picture_leads_nowhere(name: str) -> None:
    kept = from_text(json.dumps(TEXT | {"name": name}), "a.png").preset.name
    assert kept == presets.slug(name)


@pytest.mark.parametrize("name", ["veins", "fine-mesh", "own look", "名", "a.b", ""])
def test_a_usual_name_stays(name: str) -> None:
    assert from_text(json.dumps(TEXT | {"name": name}), "a.png").preset.name == name


def test_reading_whatever_it_is(tmp_path: Path) -> None:
    captured, saved = tmp_path / "a.png", presets.save(Preset("", "Mine"), tmp_path)
    captured.write_bytes(encode_png(PICTURE, RECORD))
    assert read_any(captured) == read_any(str(captured)) == RECORD
    assert read_any(saved) == presets.load(saved)
    assert read_any("mine", tmp_path) == presets.load(saved)
    assert read_any("veins") == presets.find("veins")
    renamed = captured.rename(tmp_path / "a.toml")  # what it holds counts
    assert read_any(renamed) == RECORD
    for path, error, essential in (
        (tmp_path / "none.png", RecordError, "no such file"),
        (tmp_path / "none.toml", PresetError, "no such file"),
        (tmp_path, PresetError, "folder"),
        ("viens", PresetError, "did you mean veins"),
    ):
        with pytest.raises(error, match=essential):
            read_any(path, tmp_path)


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
