"""Looks from other programs, in the two formats that people have files of.

Both come from programs after Sage Jenson's "36 Points" (https://www.sagejenson.com/36points/), and say
the same 15 numbers of a point, with s = scale * trail, from 0 to 1:

- length or angle = base + amplitude * s ** exponent, for sensor distance, sensor angle, rotation angle
  and move distance; angles in radians, bases of lengths in px, their amplitudes in 250ths of a px;
- where s is sensed: so far down the picture (bias 1), and so far ahead (bias 2), in px; and the scale.

A text holds rows of these numbers: base, exponent and amplitude of each of the four, bias 1, bias 2,
scale. JSON, as of the Rust port, names them sd0, sde, sda and so on, sb1, sb2 and dsf. What such
programs do to all points alike is in `COMMON`.
"""

import json
import math
import re
from pathlib import Path
from typing import Any

from kernels.params import SPECS, check_params
from kernels.spec import Value, brief
from presets.disk import PresetError, opened, sentence, told
from presets.preset import Preset

PARTS = {"sd": "sensor_distance", "sa": "sensor_angle", "ra": "rotation_angle", "md": "step_size"}
COLUMNS = (*(part + end for part in PARTS for end in "0ea"), "sb1", "sb2", "dsf")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?f?")
ROW = re.compile(r"[-+.\deEf,;{}\[\]() \t]*")  # numbers, and what a program's text puts round them
LENGTH_AMPLITUDE = 250.0  # px that an amplitude of 1 stands for
TRAIL = 0.003  # of theirs that one agent leaves, where ours leaves 1
DENSITY = 6.0  # agents per px, about as theirs

# Trail takes 0.003 * sqrt(agents on a cell), blurs by 3 x 3 and keeps 0.75; agents jump every 1,000 steps.
COMMON: dict[str, Value] = {
    "deposit": 1.0, "deposit_curve": "power", "deposit_bend": 1.0,
    "decay": 0.25, "diffusion": 1.0, "respawn": 1000.0, "exposure": 0.3,
}  # fmt: skip

MAX_BYTES = 8 * 1024 * 1024  # five sets of numbers for music stand beside each point in JSON
MAX_LINE = 1000  # characters
MAX_POINTS = 1000  # in a file

Point = dict[str, float]


def read(path: Path) -> list[Preset]:
    """The looks in a file of another program, called after the file, and numbered if there are several.

    Returns:
        The presets; their `warnings` name what had to be held to a range, and what there is no like of.

    Raises:
        PresetError: It cannot be read, or holds none.
    """
    try:
        with opened(path) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise PresetError(sentence(path, error, "read")) from error
    where, stem = told(path), told(path.stem)
    try:
        if len(data) > MAX_BYTES:
            raise ValueError(f"the file is too large; it takes at most {MAX_BYTES >> 20} MiB.")
        points = _points(data.decode("utf-8-sig"))
        if not points or len(points) > MAX_POINTS:
            raise ValueError(f"it holds {len(points) or 'no'} points; 1 to {MAX_POINTS} can be imported.")
        names = [stem] if len(points) == 1 else [f"{stem} {number}" for number in range(1, len(points) + 1)]
        return [_preset(point, name, where) for name, point in zip(names, points, strict=True)]
    except UnicodeDecodeError as error:
        raise PresetError(f"{where} is not UTF-8 text (byte {error.start}).") from error
    except ValueError as error:
        raise PresetError(f"{where}: {error}") from error


def _points(text: str) -> list[Point]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # no JSON, as a row of numbers between braces is none
        return _rows(text)
    if isinstance(value, list) and value and all(_is_number(item) for item in value):
        return [_row(value, "the list")]
    values = value if isinstance(value, list) else [value]
    return [_object(item, f"point {number}") for number, item in enumerate(values[: MAX_POINTS + 1], 1)]


def _rows(text: str) -> list[Point]:
    points: list[Point] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = re.sub(r"//.*|#.*", "", line[: MAX_LINE + 1]).strip()
        if not line.strip("{}[]();, "):
            continue
        if len(line) > MAX_LINE or not ROW.fullmatch(line):
            raise ValueError(f"line {number} is no row of {len(COLUMNS)} numbers, nor is the file JSON.")
        if len(points) > MAX_POINTS:
            break
        points.append(_row([float(word.rstrip("f")) for word in NUMBER.findall(line)], f"line {number}"))
    return points


def _row(numbers: list[Any], where: str) -> Point:
    if len(numbers) != len(COLUMNS):
        raise ValueError(f"{where} has {len(numbers)} numbers; a point has {len(COLUMNS)}.")
    return _checked(dict(zip(COLUMNS, numbers, strict=True)), where)


def _object(item: object, where: str) -> Point:
    """A point of the port: the numbers themselves, or those it calls base and current."""
    for key in ("base", "current"):
        if isinstance(item, dict) and key in item:
            item = item[key]
    if not isinstance(item, dict):
        raise ValueError(
            f"{where} = {brief(item)} is not allowed; it takes an object with {COLUMNS[0]} and so on."
        )
    for column in COLUMNS:
        if column not in item:
            raise ValueError(f"{column} is missing in {where}.")
    return _checked({column: item[column] for column in COLUMNS}, where)


def _checked(point: dict[str, Any], where: str) -> Point:
    for column, number in point.items():
        if not _is_number(number):
            raise ValueError(f"{column} = {brief(number)} in {where} is not allowed; it takes a number.")
    return {column: float(number) for column, number in point.items()}


def _is_number(value: object) -> bool:
    """Whether it is a number that a float holds, as infinity and huge whole numbers are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 1e300


def _preset(point: Point, name: str, where: str) -> Preset:
    values: dict[str, float] = {"sense_offset": point["sb2"], "sense_scale": point["dsf"] * TRAIL}
    for part, response in PARTS.items():
        angle = response.endswith("angle")
        values[response] = math.degrees(point[f"{part}0"]) if angle else point[f"{part}0"]
        amplitude = point[f"{part}a"]
        values[f"{response}_amplitude"] = math.degrees(amplitude) if angle else amplitude * LENGTH_AMPLITUDE
        values[f"{response}_exponent"] = point[f"{part}e"]
    warnings = []
    for key, value in values.items():
        spec = SPECS[key]
        values[key] = min(max(value, spec.low), spec.high)
        if values[key] != value:
            warnings.append(
                f"{where}: {name}: {key} = {value:g} is held to {values[key]:g}; it takes {spec.allowed}."
            )
    if point["sb1"]:
        warnings.append(
            f"{where}: {name}: sb1 = {point['sb1']:g} is left out: nothing here is sensed further down."
        )
    params = check_params({**COMMON, **values})
    return Preset(
        name,
        name,
        f"Imported from {told(Path(where).name)}",
        DENSITY,
        params,
        ("imported",),
        warnings=tuple(warnings),
    )
