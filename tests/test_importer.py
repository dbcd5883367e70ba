"""Looks of other programs. All numbers here are our own."""

import json
import math
from pathlib import Path

import pytest

from kernels.params import Params
from presets import PresetError, dump, parse
from presets.importer import COLUMNS, read

ROW = [9.5, 2.5, 0.1, 0.5, 4.0, -0.25, 1.25, 0.5, 0.125, 1.75, 3.0, 0.004, 0.0, 6.0, 20.0]
POINT = dict(zip(COLUMNS, ROW, strict=True))
PARAMS = Params(
    sensor_distance=9.5, sensor_distance_exponent=2.5, sensor_distance_amplitude=25.0,
    sensor_angle=math.degrees(0.5), sensor_angle_exponent=4.0, sensor_angle_amplitude=math.degrees(-0.25),
    rotation_angle=math.degrees(1.25), rotation_angle_exponent=0.5,
    rotation_angle_amplitude=math.degrees(0.125),
    step_size=1.75, step_size_exponent=3.0, step_size_amplitude=1.0,
    sense_offset=6.0, sense_scale=0.06,
    deposit=1.0, deposit_curve="power", deposit_bend=1.0, decay=0.25, diffusion=1.0, respawn=1000.0,
    exposure=0.3,
)  # fmt: skip


@pytest.fixture
def file(tmp_path: Path):
    def write(text: str, name: str = "mine.txt") -> Path:
        (tmp_path / name).write_text(text, "utf-8")
        return tmp_path / name

    return write


def refused(path: Path) -> str:
    with pytest.raises(PresetError) as caught:
        read(path)
    sentence = str(caught.value)
    assert path.name in sentence
    assert "\n" not in sentence
    assert len(sentence) < 400
    return sentence


BRACES = "{" + ", ".join(f"{number:.3f}" for number in ROW) + "}\n"
PLAIN = " ".join(map(str, ROW))
PORT = {"base": {"current": POINT, "increment": POINT}, "fft": [{"current": POINT, "increment": POINT}]}


@pytest.mark.parametrize(
    "text",
    [
        BRACES,
        PLAIN,
        f"\ufeff{PLAIN}\r\n",
        f"// a comment with 3 numbers\n{BRACES[:-1]}, // and 7 more\n",
        "{" + ",".join(f"{number}f" for number in ROW) + "};",
        json.dumps(ROW),
        json.dumps(POINT),
        json.dumps([PORT]),
        json.dumps(PORT, indent=2),
    ],
)
def test_a_point_becomes_a_preset(text: str, file) -> None:
    (look,) = read(file(text))
    assert (look.name, look.title, look.tags) == ("mine", "mine", ("imported",))
    assert "mine.txt" in look.credit
    assert look.warnings == ()
    assert look.params == PARAMS
    assert parse(dump(look), "mine.toml") == look


def test_several_points_are_numbered(file) -> None:
    rows, port = read(file(BRACES * 3)), read(file(json.dumps([PORT, PORT]), "many.json"))
    assert [look.title for look in rows] == ["mine 1", "mine 2", "mine 3"]
    assert [look.title for look in port] == ["many 1", "many 2"]
    assert {look.params for look in rows + port} == {PARAMS}


def test_what_is_out_of_range_is_held_to_it_with_a_warning(file) -> None:
    path = file(json.dumps(POINT | {"sd0": -3.0, "ra0": 9.0, "mde": 0.0, "sb1": 5.0, "dsf": 1e300}))
    (look,) = read(path)
    assert (look.params.sensor_distance, look.params.rotation_angle) == (0.5, 180.0)
    assert (look.params.step_size_exponent, look.params.sense_scale) == (0.02, 100.0)
    said = "\n".join(look.warnings)
    assert len(look.warnings) == 5
    assert f"{path}: mine: sensor_distance = -3 is held to 0.5; it takes from 0.5 to 200 px." in said
    assert "rotation_angle = 515.662 is held to 180" in said
    assert "sb1 = 5 is left out" in said


@pytest.mark.parametrize(
    ("text", "essential"),
    [
        ("", "1 to 1000"),
        ("\n// nothing\n", "1 to 1000"),
        ("[]", "1 to 1000"),
        ("1 2 3", "line 1 has 3 numbers; a point has 15"),
        (f"{PLAIN} 1", "line 1 has 16 numbers"),
        (f"{PLAIN}\nhello", "line 2 is no row of 15 numbers, nor is the file JSON"),
        ("x" * 5000, "line 1 is no row"),
        (f"{PLAIN} ".replace("9.5", "1e999"), "sd0 = inf in line 1 is not allowed"),
        (BRACES * 1001, "1 to 1000"),
        ("null", "point 1 = null"),
        ("[[]]", "point 1 = a list"),
        ('["a"]', "point 1 = 'a'"),
        ("{}", "sd0 is missing in point 1"),
        ('{"base": {"current": 4}}', "point 1 = 4"),
        (json.dumps(POINT | {"sa0": "x"}), "sa0 = 'x' in point 1 is not allowed; it takes a number"),
        (json.dumps(POINT | {"sa0": True}), "sa0 = true"),
        (json.dumps(POINT | {"sa0": None}), "sa0 = null"),
        (json.dumps(POINT | {"sa0": 10**400}), "sa0 = a whole number above 10^20"),
        (json.dumps(POINT).replace("9.5", "NaN"), "sd0 = nan"),
        ("[" * 100_000, "no points; 1 to 1000 can be imported"),
        (json.dumps([POINT] * 1001), "1 to 1000"),
    ],
)
def test_what_is_none_is_refused_in_a_sentence(text: str, essential: str, file) -> None:
    assert essential in refused(file(text))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe")
    (tmp_path / "large.txt").write_bytes(b"1 " * 5_000_000)
    assert "UTF-8" in refused(tmp_path / "binary.txt")
    assert "too large" in refused(tmp_path / "large.txt")
    assert "no such file" in refused(tmp_path / "none.txt")
    assert "folder" in refused(tmp_path)
