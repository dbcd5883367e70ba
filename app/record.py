"""What a captured picture carries: all that is needed to come back to the moment it shows."""

import dataclasses
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app import exr, png
from app.events import Event, from_line, to_line, whole
from kernels.scene import Map, Start
from kernels.spec import brief, is_text, refusal
from kernels.world import World
from presets import Preset, dump, find, parse, slug
from presets.disk import opened, sentence, told

# 2 has presets and events that a reader of 1 would call damaged; by the number it can say it is too old.
FORMAT = 2
READABLE = 1, 2
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
class Record:
    """A moment of a run.

    Attributes:
        preset: The look; parameters, other look, shares, start and map are those the run started with.
        world: Size, agents and seed, and the preset's shares, start and map.
        step: The moment, 0 to 2**31 - 1.
        digest: Of the field then, "sha256:<hex>", or "" where it was not computed.
        backend: What computed it, such as "cpu".
        version: The version of Physarium that did.
        events: All that changed on the way, in order; each step at most `step`.
        complete: False when it was too long to store: there are no events then, and perhaps no images in
            map and start.
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
        return (
            "This picture does not bring all of its run back: "
            "the log of changes, or an image in its map or start, was too long to store."
        )


def encode_png(rgb: NDArray[np.uint8] | NDArray[np.uint16], record: Record) -> bytes:
    """A PNG [H, W, 3] of 8 or 16 bits that carries its record, as far as that can be stored."""
    out = io.BytesIO()
    bits = 16 if rgb.dtype == np.uint16 else 8
    png.write(out, (rgb.shape[1], rgb.shape[0]), [rgb], storable(record)[1], bits)
    return out.getvalue()


def storable(record: Record) -> tuple[str, bytes]:
    """What a picture holds of a record: all, or without its log or images if those are too long to store.

    Returns:
        The text, and how a PNG packs it.

    Raises:
        RecordError: Even the rest is too long.
    """
    for part in (_whole_record, _without_log, _without_images):
        text = to_text(part(record))
        chunk = png.pack(text)
        if chunk is not None:
            return text, chunk
    raise RecordError("The picture's record is too long to store: its title or credit is.")


def _whole_record(record: Record) -> Record:
    return record


def _without_log(record: Record) -> Record:
    return dataclasses.replace(record, events=(), complete=False)


def _without_images(record: Record) -> Record:
    preset, world = record.preset, record.world
    start = Start() if preset.start.image else preset.start
    preset = dataclasses.replace(preset, start=start, map=Map(preset.map.food))
    world = preset.world(world.width, world.height, world.seed, world.agents)
    return dataclasses.replace(_without_log(record), preset=preset, world=world)


def read(path: Path) -> Record:
    """The record a PNG or an EXR carries; looks at no pixel.

    Raises:
        RecordError: It cannot be read, is no such picture, or carries none.
    """
    try:
        with opened(path) as file:
            pictured = file.read(len(exr.MAGIC)) == exr.MAGIC
            file.seek(0)
            text = exr.read_text(path) if pictured else png.read_text(file)
    except OSError as error:
        raise RecordError(sentence(path, error, "read")) from error
    except ValueError as error:
        raise RecordError(f"{told(path)}: {error}") from error
    return from_text(text, told(path))


def read_any(path: str | Path, user_folder: Path | None = None) -> Preset | Record:
    """What a file holds, a picture's record or a preset; or the preset of that name.

    Raises:
        RecordError: It is a PNG or an EXR without a record.
        PresetError: It is neither.
    """
    file = Path(path)
    try:
        with opened(file) as content:
            pictured = content.read(len(png.SIGNATURE)).startswith((png.SIGNATURE, exr.MAGIC))
    except OSError:  # not a file, so perhaps a name; if it is neither, the reader below says so
        pictured = False
    return read(file) if pictured or file.suffix.lower() in (".png", ".exr") else find(path, user_folder)


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
    log = "[" + ",\n".join(map(to_line, record.events)) + "]" if record.complete else json.dumps(LEFT_OUT)
    return json.dumps(head)[:-1] + f', "log": {log}}}'


def from_text(text: str, where: str) -> Record:
    """Reads what `to_text` wrote, trusting nothing in it.

    Args:
        text: The JSON, at most 8 MiB, which is less than half a million events.
        where: The file as error sentences name it.

    Raises:
        RecordError: One sentence with file, key, value and allowed range.
    """
    try:
        return _record(_table(text), where)
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
            f"format = {brief(version)} needs a newer Physarium; this one reads formats up to {FORMAT}."
        )
    if version not in READABLE:
        raise refusal("format", version, " or ".join(map(str, READABLE)))
    for key in KEYS:
        if key not in table:
            raise ValueError(f"the run in it is damaged: {key} is missing.")
    return table


def _record(table: dict[str, Any], where: str) -> Record:
    step = whole(table["step"], "step", 0, MAX_STEP)
    size = {key: whole(table[key], key, 0, MAX_INT) for key in ("width", "height", "agents")}
    digest = _word(table, "digest", 80)
    if not re.fullmatch(r"(sha256:[0-9a-f]{64})?", digest):
        raise refusal("digest", digest, "sha256: and 64 hexadecimal digits")
    complete = table["log"] != LEFT_OUT
    preset = parse(_word(table, "preset", png.MAX_TEXT), "its preset", _name(_word(table, "name", 1000)))
    unknown = [key for key in table if key not in KEYS]
    said = [*(f"unknown key {brief(key)} in the run is left out." for key in unknown[:3]), *preset.warnings]
    return Record(
        preset=dataclasses.replace(preset, warnings=tuple(f"{where}: {warning}" for warning in said)),
        world=preset.world(**size, seed=_word(table, "seed", 200)),
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
            event = from_line(line, first, last)
        except ValueError as error:
            raise ValueError(f"event {number} of the log: {error}") from error
        first = event.step
        events.append(event)
    return tuple(events)


def _word(table: dict[str, Any], key: str, longest: int) -> str:
    value = table[key]
    if not is_text(value, longest):
        raise refusal(key, value, f"a text of at most {longest} characters")
    return value


def _name(name: str) -> str:
    """A preset's name that may become part of a file name, whoever wrote the picture."""
    return name if re.fullmatch(r"[\w-][\w .-]{,99}|", name) else slug(name)
