"""TOML texts of presets and looks, read: bounded, strict on wrong values, with a warning on unknown keys.

A key this version does not know may be a newer one's, so the rest of the file still counts.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from kernels.spec import brief, is_text, refusal
from presets.disk import PresetError, opened, sentence, told
from presets.preset import FORMAT, MAX_TAG, MAX_TAGS, MAX_TEXT, near

MAX_BYTES = 2 * 1024 * 1024  # of a file, with its pictures
MAX_PLAIN = 64 * 1024  # and without: tomllib takes seconds for megabytes of tables
MAX_DOTS = 600  # on a line: tomllib takes quadratic time and memory over a dotted key
MOST_WARNINGS = 5  # of unknown keys in a table
PICTURE = re.compile(r"""^([ \t]*image[ \t]*=[ \t]*)(["'])[A-Za-z0-9+/=]*\2""", re.MULTILINE)

Warn = Callable[[str], None]


def read_text(path: Path) -> str:
    """The text of a file, or as much of it as tells that it is too large.

    Raises:
        PresetError: It cannot be read, or is no text.
    """
    try:
        with opened(path) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise PresetError(sentence(path, error, "read")) from error
    try:
        return data.decode("utf-8-sig")  # editors on Windows put a byte order mark before it
    except UnicodeDecodeError as error:
        if len(data) <= MAX_BYTES:
            raise PresetError(f"{told(path)} is not UTF-8 text (byte {error.start}).") from error
        return data.decode("latin-1")


def known(table: Mapping[str, Any], names: Iterable[str], where: str, warn: Warn) -> dict[str, Any]:
    """What a table says under keys that are known; warns of all others."""
    names = list(names)
    unknown = [key for key in table if key not in names]
    for key in unknown[:MOST_WARNINGS]:
        hint = near(key, names)
        warn(f"unknown key {brief(key)}{where} is left out{f'; {hint}' if hint else '.'}")
    if len(unknown) > MOST_WARNINGS:
        warn(f"{len(unknown) - MOST_WARNINGS} more unknown keys{where} are left out.")
    return {key: value for key, value in table.items() if key in names}


def section(table: Mapping[str, Any], key: str) -> dict[str, Any]:
    """What stands under a heading; nothing where it is missing."""
    found = table.get(key, {})
    if not isinstance(found, dict):
        raise refusal(key, found, "a table")
    return found


def text(table: Mapping[str, Any], key: str, default: str) -> str:
    """A title, a credit, or words."""
    value = table.get(key, default)
    if not is_text(value, MAX_TEXT):
        raise refusal(key, value, f"a text of at most {MAX_TEXT} characters")
    return value


def tags(table: Mapping[str, Any]) -> tuple[str, ...]:
    """What it is like, in words."""
    found = table.get("tags", [])
    wanted = f"a list of at most {MAX_TAGS} words of at most {MAX_TAG} characters"
    if not isinstance(found, list) or len(found) > MAX_TAGS:
        raise refusal("tags", found, wanted)
    for tag in found:
        if not is_text(tag, MAX_TAG) or not tag.strip():
            raise refusal("tags", tag, wanted)
    return tuple(found)


def parsed(source: str, kind: str) -> dict[str, Any]:
    """A file's TOML, of the format that this version reads.

    Args:
        source: The text.
        kind: What it is to be, "preset" or "look".

    Raises:
        ValueError: It is too large, not TOML, or of another format; one sentence.
    """
    table = _table(source, kind)
    version = table.get("format")
    if version is None:
        raise ValueError(f"this is no {kind}: the line format = {FORMAT} is missing.")
    if isinstance(version, int) and version > FORMAT:
        raise ValueError(
            f"format = {brief(version)} needs a newer Physarium; this one reads {kind}s of format {FORMAT}."
        )
    if type(version) is not int or version != FORMAT:
        raise refusal("format", version, str(FORMAT))
    return table


def _table(source: str, kind: str) -> dict[str, Any]:
    if len(source) > MAX_BYTES:
        raise ValueError(f"the file is too large for a {kind}; it takes at most {MAX_BYTES >> 20} MiB.")
    plain = PICTURE.sub(r'\1""', source)
    if len(plain) > MAX_PLAIN:
        raise ValueError(
            f"the file is too large for a {kind}; beside its pictures it takes {MAX_PLAIN >> 10} KiB."
        )
    if any("\ud800" <= character <= "\udfff" for character in plain):
        raise ValueError("it is not valid Unicode text.")  # nor could a panel show it
    for number, line in enumerate(plain.split("\n"), 1):
        if line.count(".") > MAX_DOTS:
            raise ValueError(f"line {number} has too many dots for a {kind}.")
    try:
        return tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        reason, _, place = str(error).rpartition(" (at ")
        if "line" not in place:
            place = f"the end, line {source.count(chr(10)) + 1}"
        reason = reason if len(reason) <= 120 else reason[:117] + "..."
        raise ValueError(f"not valid TOML at {place.rstrip(')')}: {reason}.") from error
    except RecursionError:
        raise ValueError("not valid TOML: it is nested too deeply.") from None
    except ValueError:  # int() refuses more than 4300 digits
        place = f"line {_line_of_digits(source)}"
        raise ValueError(f"not valid TOML at {place}: a number has too many digits.") from None


def _line_of_digits(source: str) -> int:
    long = re.search(r"[\d_]{4000,}", source)
    return source.count("\n", 0, long.start() if long else 0) + 1
