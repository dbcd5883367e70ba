import dataclasses
import io
import json
from pathlib import Path

import numpy as np
import pytest
from any_preset import PRESETS, some_values
from hypothesis import given, settings
from hypothesis import strategies as st
from looks import texts
from PIL import Image

import presets
from app import png
from app.events import Change, Draw, Fill, Other, Paint, UndoMap
from app.record import (
    LEFT_OUT,
    Record,
    RecordError,
    encode_png,
    from_text,
    read,
    read_any,
    to_text,
)
from kernels.maps import FILLS, Mark
from kernels.params import Params, check_params
from kernels.scene import LAYERS, Layers, Map, Picture, Start
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
STEPS = st.integers(0, 2**31 - 1)
RADII = st.integers(1, 2**40)
STROKES = st.builds(Stroke, WHOLE, WHOLE, RADII, WHOLE, st.integers(0, 3))
MARKS = st.builds(
    Mark, st.sampled_from(LAYERS), WHOLE, WHOLE, RADII, st.integers(0, 100), st.integers(0, 255)
)
EVENTS = st.one_of(
    st.builds(Change, STEPS, some_values()),
    st.builds(Paint, STEPS, STROKES),
    st.builds(Draw, STEPS, MARKS, st.booleans()),
    st.builds(Fill, STEPS, st.sampled_from(LAYERS), st.sampled_from(FILLS)),
    st.builds(Other, STEPS, st.none() | some_values().map(check_params)),
    st.builds(UndoMap, STEPS),
)


@st.composite
def records(draw: st.DrawFn) -> Record:
    events = sorted(draw(st.lists(EVENTS, max_size=8)), key=lambda event: event.step)
    last = events[-1].step if events else 0
    preset = draw(PRESETS)
    width, agents = draw(st.integers(16, 32768)), draw(st.integers(1, 2**30))
    return Record(
        preset=preset,
        world=preset.world(width, 16, draw(texts(200)), agents),
        step=draw(st.integers(last, 2**31 - 1)),
        digest=draw(st.sampled_from(["", DIGEST])),
        backend=draw(st.sampled_from(["cpu", "cuda", "reference"])),
        version=draw(texts(40)),
        events=tuple(events),
    )


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


TEXT = json.loads(to_text(RECORD))
HUGE = "9" * 5000


@pytest.mark.parametrize(
    ("changes", "essentials"),
    [
        ({"format": 3}, ["format = 3", "newer", "up to 2"]),
        ({"format": 0}, ["format = 0", "takes 1 or 2"]),
        ({"format": True}, ["no format"]),
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
    ],
)
def test_nothing_in_a_record_is_trusted(changes: dict, essentials: list[str]) -> None:
    with pytest.raises(RecordError) as caught:
        from_text(json.dumps(TEXT | changes), "bad.png")
    sentence = str(caught.value)
    assert sentence.startswith("bad.png: ")
    assert len(sentence) < 500
    for essential in essentials:
        assert essential in sentence


OLD = """{"format": 1, "name": "old", "preset": "format = 1\\ntitle = \\"Old\\"\\n[params]\\ndecay = 0.5\\n",
"width": 64, "height": 48, "agents": 99, "seed": "7", "step": 9, "digest": "", "backend": "cpu",
"version": "0.1.0", "log": [[3,"set",{"decay":0.25}],
[5,"paint",[-300,70000,6144,-100]]]}"""


def test_a_record_from_before_species_is_read() -> None:
    old = from_text(OLD, "old.png")
    assert old.preset == Preset("old", "Old", params=Params(decay=0.5))
    assert old.world == World(64, 48, 99, "7")
    assert old.events == (Change(3, {"decay": 0.25}), Paint(5, Stroke(-300, 70000, 6144, -100)))
    assert (old.preset.warnings, old.lacks) == ((), "")


def test_unknown_keys_are_left_out_with_a_warning() -> None:
    newer = TEXT | {"music": 3, "preset": TEXT["preset"] + "speed = 3\n"}
    record = from_text(json.dumps(newer), "newer.png")
    assert record == RECORD
    assert record.preset.warnings == (
        "newer.png: unknown key 'music' in the run is left out.",
        "newer.png: its preset: unknown key 'speed' in [params] is left out.",
    )


def test_images_too_large_to_store_are_left_out(tmp_path: Path) -> None:
    noise = np.random.default_rng(5).bytes(3 * 700**2)
    start = Start("image", image=Picture(700, 700, noise[: 700**2]))
    look = dataclasses.replace(LOOK, start=start, map=Map(image=Layers(700, 700, noise)))
    record = dataclasses.replace(RECORD, preset=look, world=look.world(64, 48))
    (tmp_path / "a.png").write_bytes(encode_png(PICTURE, record))
    stored = read(tmp_path / "a.png")
    assert stored.preset == LOOK
    assert stored.world == LOOK.world(64, 48)
    assert (stored.events, stored.complete) == ((), False)
    assert "image" in stored.lacks


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
