"""A preset's TOML text, read: strict where a value is wrong, with a warning where a key is unknown.

A key this version does not know may be a newer one's, so the rest of the file still counts.
"""

import contextlib
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

from kernels.params import SPECS, Params, check_params, specs
from kernels.scene import MAX_FOOD, START_SPECS, Food, Layers, Map, Picture, Start
from kernels.spec import brief, is_text, refusal
from presets.disk import PresetError, opened, sentence, told
from presets.pictures import from_base64
from presets.preset import DENSITY, FORMAT, MAX_TAG, MAX_TAGS, MAX_TEXT, Preset, near

MAX_BYTES = 2 * 1024 * 1024  # of a file, with its pictures
MAX_PLAIN = 64 * 1024  # and without: tomllib takes seconds for megabytes of tables
MAX_DOTS = 600  # on a line: tomllib takes quadratic time and memory over a dotted key
MOST_WARNINGS = 5  # of unknown keys in a table
PICTURE = re.compile(r"""^([ \t]*image[ \t]*=[ \t]*)(["'])[A-Za-z0-9+/=]*\2""", re.MULTILINE)
KEYS = (
    "format", "title", "credit", "tags", "density", "shares", "start", "map", "params", "other",
)  # fmt: skip

Warn = Callable[[str], None]


def load(path: Path) -> Preset:
    """Reads a preset file.

    Raises:
        PresetError: It cannot be read, or is not a preset.
    """
    try:
        with opened(path) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise PresetError(sentence(path, error, "read")) from error
    try:
        text = data.decode("utf-8-sig")  # editors on Windows put a byte order mark before it
    except UnicodeDecodeError as error:
        if len(data) <= MAX_BYTES:
            raise PresetError(f"{told(path)} is not UTF-8 text (byte {error.start}).") from error
        text = data.decode("latin-1")
    return parse(text, told(path), told(path.stem))


def parse(text: str, where: str, name: str | None = None) -> Preset:
    """Reads a preset's TOML text; what it leaves out takes its default.

    Args:
        text: The TOML.
        where: The file as sentences name it.
        name: The preset's name; the stem of `where` when left out.

    Returns:
        The preset; its `warnings` name the keys that are unknown.

    Raises:
        PresetError: One sentence with file, key, value and allowed range.
    """
    name = PurePath(where).stem if name is None else name
    warnings: list[str] = []
    try:
        return _preset(_table(text), name, lambda said: warnings.append(f"{where}: {said}"), warnings)
    except ValueError as error:
        raise PresetError(f"{where}: {error}") from error


def _preset(table: dict[str, Any], name: str, warn: Warn, warnings: list[str]) -> Preset:
    _check_format(table)
    for key in table:
        if key in SPECS:
            raise ValueError(f"{key} belongs under the heading [params].")
    table = _known(table, KEYS, "", warn)
    start, words = _start(table, warn)
    return Preset(
        name=name,
        title=_text(table, "title", name),
        credit=_text(table, "credit", ""),
        density=float(DENSITY.check(table.get("density", DENSITY.default))),
        params=check_params(_known(_section(table, "params"), SPECS, " in [params]", warn)),
        tags=_tags(table.get("tags", [])),
        shares=_shares(table.get("shares", [1.0])),
        start=start,
        map=_map(table, warn),
        other=_other(table, warn),
        words=words,
        warnings=tuple(warnings),
    )


def _known(table: Mapping[str, Any], known: Iterable[str], where: str, warn: Warn) -> dict[str, Any]:
    """What a table says under keys that are known; warns of all others."""
    known = list(known)
    unknown = [key for key in table if key not in known]
    for key in unknown[:MOST_WARNINGS]:
        hint = near(key, known)
        warn(f"unknown key {brief(key)}{where} is left out{f'; {hint}' if hint else '.'}")
    if len(unknown) > MOST_WARNINGS:
        warn(f"{len(unknown) - MOST_WARNINGS} more unknown keys{where} are left out.")
    return {key: value for key, value in table.items() if key in known}


def _section(table: Mapping[str, Any], key: str) -> dict[str, Any]:
    section = table.get(key, {})
    if not isinstance(section, dict):
        raise refusal(key, section, "a table")
    return section


@contextlib.contextmanager
def _under(heading: str) -> Iterator[None]:
    """Names the heading in what is wrong under it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"[{heading}] {error}") from error


def _start(table: Mapping[str, Any], warn: Warn) -> tuple[Start, str]:
    section = _known(_section(table, "start"), (*START_SPECS, "image", "text"), " in [start]", warn)
    with _under("start"):
        words = _text(section, "text", "")
        section.pop("text", None)
        if "image" in section:
            section["image"] = from_base64(section["image"], Picture)
        start = Start(**section)
        return start, words if start.image else ""


def _map(table: Mapping[str, Any], warn: Warn) -> Map:
    section = _known(_section(table, "map"), ("food", "image"), " in [map]", warn)
    with _under("map"):
        image = from_base64(section["image"], Layers) if "image" in section else None
        lumps = section.get("food", [])
        if not isinstance(lumps, list):
            raise refusal("food", lumps, "a list of tables")
        if len(lumps) > MAX_FOOD:
            raise refusal("food", f"{len(lumps)} lumps", f"at most {MAX_FOOD}")
        return Map(tuple(_food(lump, number, warn) for number, lump in enumerate(lumps, 1)), image)


def _food(lump: object, number: int, warn: Warn) -> Food:
    if not isinstance(lump, dict):
        raise refusal(f"food {number}", lump, "a table such as {x = 0.5, y = 0.5}")
    try:
        return Food(**_known(lump, specs(Food), f" in food {number}", warn))
    except ValueError as error:
        raise ValueError(f"food {number}: {error}") from error


def _other(table: Mapping[str, Any], warn: Warn) -> Params | None:
    if "other" not in table:
        return None
    section = _known(_section(table, "other"), SPECS, " in [other]", warn)
    with _under("other"):
        return check_params(section)


def _tags(tags: object) -> tuple[str, ...]:
    wanted = f"a list of at most {MAX_TAGS} words of at most {MAX_TAG} characters"
    if not isinstance(tags, list) or len(tags) > MAX_TAGS:
        raise refusal("tags", tags, wanted)
    for tag in tags:
        if not is_text(tag, MAX_TAG) or not tag.strip():
            raise refusal("tags", tag, wanted)
    return tuple(tags)


def _shares(shares: object) -> tuple[float, ...]:
    if not isinstance(shares, list):
        raise refusal("shares", shares, "a list of numbers, one for each species")
    for share in shares:
        if isinstance(share, bool) or not isinstance(share, int | float):
            raise refusal("shares", share, "numbers alone")
    if shares != [1.0]:
        from kernels.world import MIN_SIDE, World  # which knows their range, and brings NumPy with it

        World(MIN_SIDE, MIN_SIDE, 1, shares=tuple(shares))
    return tuple(float(share) for share in shares)


def _text(table: Mapping[str, Any], key: str, default: str) -> str:
    value = table.get(key, default)
    if not is_text(value, MAX_TEXT):
        raise refusal(key, value, f"a text of at most {MAX_TEXT} characters")
    return value


def _check_format(table: Mapping[str, Any]) -> None:
    version = table.get("format")
    if version is None:
        raise ValueError(f"this is no preset: the line format = {FORMAT} is missing.")
    if isinstance(version, int) and version > FORMAT:
        raise ValueError(
            f"format = {brief(version)} needs a newer Physarium; this one reads presets of format {FORMAT}."
        )
    if type(version) is not int or version != FORMAT:
        raise refusal("format", version, str(FORMAT))


def _table(text: str) -> dict[str, Any]:
    if len(text) > MAX_BYTES:
        raise ValueError(f"the file is too large for a preset; it takes at most {MAX_BYTES >> 20} MiB.")
    plain = PICTURE.sub(r'\1""', text)
    if len(plain) > MAX_PLAIN:
        raise ValueError(
            f"the file is too large for a preset; beside its pictures it takes {MAX_PLAIN >> 10} KiB."
        )
    if any("\ud800" <= character <= "\udfff" for character in plain):
        raise ValueError("it is not valid Unicode text.")  # nor could a panel show it
    for number, line in enumerate(plain.split("\n"), 1):
        if line.count(".") > MAX_DOTS:
            raise ValueError(f"line {number} has too many dots for a preset.")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, _, place = str(error).rpartition(" (at ")
        if "line" not in place:
            place = f"the end, line {text.count(chr(10)) + 1}"
        reason = reason if len(reason) <= 120 else reason[:117] + "..."
        raise ValueError(f"not valid TOML at {place.rstrip(')')}: {reason}.") from error
    except RecursionError:
        raise ValueError("not valid TOML: it is nested too deeply.") from None
    except ValueError:  # int() refuses more than 4300 digits
        place = f"line {_line_of_digits(text)}"
        raise ValueError(f"not valid TOML at {place}: a number has too many digits.") from None


def _line_of_digits(text: str) -> int:
    long = re.search(r"[\d_]{4000,}", text)
    return text.count("\n", 0, long.start() if long else 0) + 1
