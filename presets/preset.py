"""What a preset is, and its TOML text: read strictly, written so that it reads back exactly."""

import dataclasses
import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath
from typing import Any

import tomlkit

from kernels.params import SPECS, Params, Spec, brief, is_text, refusal
from presets.disk import opened, sentence, told

FORMAT = 1
MAX_BYTES = 16 * 1024
MAX_DOTS = 600  # on a line: tomllib takes quadratic time and memory over a dotted key, seconds for 16 KiB
MAX_TEXT = 500  # characters of a title or a credit
DENSITY = Spec("density", 0.4, 0.001, 50.0, "agents per px", "World", "How crowded the field is.", "log")
KEYS = ("format", "title", "credit", "density", "params")


class PresetError(ValueError):
    """One plain sentence: the file, and what is wrong in it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Preset:
    """A look: parameters, and how crowded a world they were made for.

    Attributes:
        name: What commands call it: the stem of its file.
        title: What people call it; any text of at most 500 characters.
        credit: Who made it.
        density: Agents per field pixel, 0.001 to 50, so that it looks alike at any size.
        params: The parameters.
    """

    name: str
    title: str
    credit: str = ""
    density: float = 0.4
    params: Params = dataclasses.field(default_factory=Params)

    def with_density(self, density: float) -> "Preset":
        """The same look for another density, or the nearest one that a preset may have."""
        return dataclasses.replace(self, density=min(max(density, DENSITY.low), DENSITY.high))

    def agents(self, width: int, height: int) -> int:
        """How many agents a field of this size in pixels takes."""
        return max(1, round(self.density * width * height))


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
    """Reads a preset's TOML text; parameters it leaves out take their defaults.

    Args:
        text: The TOML.
        where: The file as error sentences name it.
        name: The preset's name; the stem of `where` when left out.

    Raises:
        PresetError: One sentence with file, key, value and allowed range.
    """
    name = PurePath(where).stem if name is None else name
    try:
        table = _table(text)
        _check_keys(table)
        params = {key: SPECS[key].check(value) for key, value in table.get("params", {}).items()}
        return Preset(
            name=name,
            title=_line(table, "title", name),
            credit=_line(table, "credit", ""),
            density=float(DENSITY.check(table.get("density", DENSITY.default))),
            params=Params(**params),  # type: ignore[arg-type]
        )
    except ValueError as error:
        raise PresetError(f"{where}: {error}") from error


def dump(preset: Preset) -> str:
    """The preset's TOML text; `parse` gives the same preset back, to the last bit.

    (Half a surrogate pair in a title, which no file can hold, becomes a question mark.)
    """
    document = tomlkit.document()
    document.add("format", FORMAT)
    document.add("title", preset.title)
    document.add("credit", preset.credit)
    document.add("density", tomlkit.item(preset.density).comment(DENSITY.allowed))
    params = tomlkit.table()
    for name, spec in SPECS.items():
        params.add(name, tomlkit.item(getattr(preset.params, name)).comment(spec.allowed))
    document.add("params", params)
    return tomlkit.dumps(document).encode("utf-8", "replace").decode()


def nearest(word: str, known: Iterable[str]) -> str:
    """Ends a sentence about an unknown word: what was meant, or else what there is."""
    known = list(known)
    near = difflib.get_close_matches(word.casefold(), known, 3, 0.6)
    return f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}."


def _table(text: str) -> dict[str, Any]:
    if len(text) > MAX_BYTES:
        raise ValueError(f"the file is too large for a preset; it takes at most {MAX_BYTES // 1024} KiB.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("it is not valid Unicode text.")  # nor could a panel show it
    for number, line in enumerate(text.split("\n"), 1):
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


def _check_keys(table: Mapping[str, Any]) -> None:
    version = table.get("format")
    if version is None:
        raise ValueError(f"this is no preset: the line format = {FORMAT} is missing.")
    if isinstance(version, int) and version > FORMAT:
        raise ValueError(
            f"format = {brief(version)} needs a newer Physarium; this one reads presets of format {FORMAT}."
        )
    if type(version) is not int or version != FORMAT:
        raise refusal("format", version, str(FORMAT))
    for key in table:
        if key in SPECS:
            raise ValueError(f"{key} belongs under the heading [params].")
        if key not in KEYS:
            raise ValueError(f"unknown key {brief(key)}; {nearest(key, KEYS)}")
    params = table.get("params", {})
    if not isinstance(params, dict):
        raise refusal("params", params, "a table")
    for key in params:
        if key not in SPECS:
            raise ValueError(f"unknown parameter {brief(key)}; {nearest(key, SPECS)}")


def _line(table: Mapping[str, Any], key: str, default: str) -> str:
    value = table.get(key, default)
    if not is_text(value, MAX_TEXT):
        raise refusal(key, value, f"a text of at most {MAX_TEXT} characters")
    return value
