"""What a captured picture carries: all that is needed to come back to the moment it shows."""

import dataclasses
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app import png
from kernels.params import SPECS, Value, brief, is_text, refusal
from kernels.stroke import MAX_NUMBER, Stroke
from kernels.world import World
from presets import Preset, dump, find, parse, slug
from presets.disk import opened, sentence, told
from presets.preset import nearest

FORMAT = 1
MAX_STEP = 2**31 - 1
MAX_INT = 2**31 - 1
MAX_EVENTS = 200_000  # more than the largest log holds that is ever stored; they take seconds to read
LEFT_OUT = "the log was too long to store"
KEYS = (
    "format", "name", "preset", "width", "height", "agents", "seed",
    "step", "digest", "backend", "version", "log",
)  # fmt: skip


class RecordError(ValueError):
    """One plain sentence: the file, and why it brings no run back."""


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """Parameters changed by hand.

    Attributes:
        step: How many steps had been done by then.
        values: The new values by name; what is not named stayed as it was.
    """

    step: int
    values: Mapping[str, Value]


@dataclasses.dataclass(frozen=True, slots=True)
class Paint:
    """A dab of the brush.

    Attributes:
        step: How many steps had been done by then.
        stroke: The dab.
    """

    step: int
    stroke: Stroke


Event = Change | Paint


@dataclasses.dataclass(frozen=True, slots=True)
class Record:
    """A moment of a run.

    Attributes:
        preset: The look; its parameters are those the run started with.
        world: Size, agents and seed.
        step: The moment, 0 to 2**31 - 1.
        digest: Of the field then, "sha256:<hex>", or "" where it was not computed.
        backend: What computed it, such as "cpu".
        version: The version of Physarium that did.
        events: All that changed on the way, in order; each step at most `step`.
        complete: False when the log was too long to store, and `events` is empty for that reason.
    """

    preset: Preset
    world: World
    step: int
    digest: str
    backend: str
    version: str
    events: tuple[Event, ...] = ()
    complete: bool = True

    @property
    def lacks(self) -> str:
        """A sentence on what it cannot bring back; "" for nothing."""
        if self.complete:
            return ""
        return "The changes made on the way are not in this picture: their log was too long to store."


def encode_png(rgb: NDArray[np.uint8], record: Record) -> bytes:
    """A PNG [H, W, 3] that carries its record, without the log if that is too long to store."""
    packed = png.pack(to_text(record))
    if packed is None:
        packed = png.pack(to_text(dataclasses.replace(record, events=(), complete=False)))
    if packed is None:
        raise RecordError("The picture's record is too long to store: its title or credit is.")
    out = io.BytesIO()
    png.write(out, rgb, packed)
    return out.getvalue()


def read(path: Path) -> Record:
    """The record a PNG carries; looks at no pixel.

    Raises:
        RecordError: It cannot be read, is no PNG, or carries none.
    """
    try:
        with opened(path) as file:
            text = png.read_text(file)
    except OSError as error:
        raise RecordError(sentence(path, error, "read")) from error
    except ValueError as error:
        raise RecordError(f"{told(path)}: {error}") from error
    return from_text(text, told(path))


def read_any(path: str | Path, user_folder: Path | None = None) -> Preset | Record:
    """What a file holds, a picture's record or a preset; or the preset of that name.

    Raises:
        RecordError: It is a PNG without a record.
        PresetError: It is neither.
    """
    file = Path(path)
    try:
        with opened(file) as content:
            pictured = content.read(len(png.SIGNATURE)) == png.SIGNATURE
    except OSError:  # not a file, so perhaps a name; if it is neither, the reader below says so
        pictured = False
    return read(file) if pictured or file.suffix.lower() == ".png" else find(path, user_folder)


def to_text(record: Record) -> str:
    """The record as JSON, in ASCII so that every tool leaves it as it is, one event a line."""
    head = {
        "format": FORMAT,
        "name": record.preset.name,
        "preset": dump(record.preset),
        "width": record.world.width,
        "height": record.world.height,
        "agents": record.world.agents,
        "seed": record.world.seed,
        "step": record.step,
        "digest": record.digest,
        "backend": record.backend,
        "version": record.version,
    }
    # Event by event: one call for the whole log would keep the frame's thread waiting.
    log = "[" + ",\n".join(map(_event_text, record.events)) + "]" if record.complete else json.dumps(LEFT_OUT)
    return json.dumps(head)[:-1] + f', "log": {log}}}'


def _event_text(event: Event) -> str:
    if isinstance(event, Change):
        line: list[Any] = [event.step, "set", dict(event.values)]
    else:
        stroke = event.stroke
        line = [event.step, "paint", [stroke.x, stroke.y, stroke.radius, stroke.strength]]
    return json.dumps(line, separators=(",", ":"))


def from_text(text: str, where: str) -> Record:
    """Reads what `to_text` wrote, trusting nothing in it.

    Args:
        text: The JSON, at most 8 MiB, which is less than half a million events.
        where: The file as error sentences name it.

    Raises:
        RecordError: One sentence with file, key, value and allowed range.
    """
    try:
        return _record(_table(text))
    except ValueError as error:
        raise RecordError(f"{where}: {error}") from error


def _table(text: str) -> dict[str, Any]:
    if len(text) > png.MAX_TEXT:
        raise ValueError("the run in it is too long to read.")
    try:
        table = json.loads(text)
    except (ValueError, RecursionError):  # damaged, nested without end, or numbers of thousands of digits
        raise ValueError("the run in it is damaged: it is not valid JSON.") from None
    if not isinstance(table, dict) or type(table.get("format")) is not int:
        raise ValueError("the run in it is damaged: it has no format.")
    version = table["format"]
    if version > FORMAT:
        raise ValueError(
            f"format = {brief(version)} needs a newer Physarium; this one reads format {FORMAT}."
        )
    if version != FORMAT:
        raise refusal("format", version, str(FORMAT))
    for key in KEYS:
        if key not in table:
            raise ValueError(f"the run in it is damaged: {key} is missing.")
    for key in table:
        if key not in KEYS:
            raise ValueError(f"unknown key {brief(key)} in the run; {nearest(key, KEYS)}")
    return table


def _record(table: dict[str, Any]) -> Record:
    step = _whole(table["step"], "step", 0, MAX_STEP)
    size = {key: _whole(table[key], key, 0, MAX_INT) for key in ("width", "height", "agents")}
    digest = _word(table, "digest", 80)
    if not re.fullmatch(r"(sha256:[0-9a-f]{64})?", digest):
        raise refusal("digest", digest, "sha256: and 64 hexadecimal digits")
    complete = table["log"] != LEFT_OUT
    return Record(
        preset=parse(_word(table, "preset", png.MAX_TEXT), "its preset", _name(_word(table, "name", 1000))),
        world=World(**size, seed=_word(table, "seed", 200)),
        step=step,
        digest=digest,
        backend=_word(table, "backend", 40),
        version=_word(table, "version", 40),
        events=_events(table["log"], step) if complete else (),
        complete=complete,
    )


def _events(log: object, last: int) -> tuple[Event, ...]:
    if not isinstance(log, list):
        raise refusal("log", log, "a list of events")
    if len(log) > MAX_EVENTS:
        raise refusal("log", f"{len(log)} events", f"at most {MAX_EVENTS} events")
    events: list[Event] = []
    first = 0
    for number, line in enumerate(log, 1):
        try:
            event = _event(line, first, last)
        except ValueError as error:
            raise ValueError(f"event {number} of the log: {error}") from error
        first = event.step
        events.append(event)
    return tuple(events)


def _event(line: object, first: int, last: int) -> Event:
    match line:
        case [step, "paint", [x, y, radius, strength]]:
            stroke = Stroke(
                _whole(x, "x", -MAX_NUMBER, MAX_NUMBER),
                _whole(y, "y", -MAX_NUMBER, MAX_NUMBER),
                _whole(radius, "radius", 1, MAX_NUMBER),
                _whole(strength, "strength", -MAX_NUMBER, MAX_NUMBER),
            )
            return Paint(_whole(step, "step", first, last), stroke)
        case [step, "set", dict(values)]:
            return Change(
                _whole(step, "step", first, last), {key: _value(key, values[key]) for key in values}
            )
    raise ValueError('it takes [step, "set", {parameters}] or [step, "paint", [x, y, radius, strength]].')


def _value(name: str, value: object) -> Value:
    if name not in SPECS:
        raise ValueError(f"unknown parameter {brief(name)}; {nearest(name, SPECS)}")
    return SPECS[name].check(value)


def _whole(value: object, name: str, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise refusal(name, value, f"a whole number from {low} to {high}")
    return value


def _word(table: dict[str, Any], key: str, longest: int) -> str:
    value = table[key]
    if not is_text(value, longest):
        raise refusal(key, value, f"a text of at most {longest} characters")
    return value


def _name(name: str) -> str:
    """A preset's name that may become part of a file name, whoever wrote the picture."""
    return name if re.fullmatch(r"[\w-][\w .-]{,99}|", name) else slug(name)
