"""A preset's TOML text, read: strict where a value is wrong, with a warning where a key is unknown."""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from kernels.params import SPECS, Params, check_params, specs
from kernels.scene import MAX_FOOD, START_SPECS, Food, Layers, Map, Picture, Start
from kernels.spec import refusal
from presets import looks
from presets.disk import PresetError
from presets.pictures import from_base64
from presets.preset import DENSITY, Preset
from presets.tables import Warn, known, parsed, section, tags, text

KEYS = (
    "format", "title", "credit", "tags", "density", "shares", "start", "map", "look", "params", "other",
)  # fmt: skip


def parse(source: str, where: str, name: str | None = None) -> Preset:
    """Reads a preset's TOML text; what it leaves out takes its default.

    Args:
        source: The TOML.
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
        return _preset(
            parsed(source, "preset"), name, lambda said: warnings.append(f"{where}: {said}"), warnings
        )
    except ValueError as error:
        raise PresetError(f"{where}: {error}") from error


def _preset(table: dict[str, Any], name: str, warn: Warn, warnings: list[str]) -> Preset:
    if isinstance(table.get("look"), dict):
        raise ValueError("this is a look, and no preset: it goes with one, as --look.")
    for key in table:
        if key in SPECS:
            raise ValueError(f"{key} belongs under the heading [params].")
    table = known(table, KEYS, "", warn)
    start, words = _start(table, warn)
    return Preset(
        name=name,
        title=text(table, "title", name),
        credit=text(table, "credit", ""),
        density=float(DENSITY.check(table.get("density", DENSITY.default))),
        params=check_params(known(section(table, "params"), SPECS, " in [params]", warn), _base(table)),
        tags=tags(table),
        shares=_shares(table.get("shares", [1.0])),
        start=start,
        map=_map(table, warn),
        other=_other(table, warn),
        words=words,
        warnings=tuple(warnings),
    )


def _base(table: Mapping[str, Any]) -> Params:
    """What is left out takes its value from here: a shipped look that is named, and else the defaults."""
    name = table.get("look")
    if name is None:
        return Params()
    if not isinstance(name, str) or name not in looks.shipped_names():
        raise refusal("look", name, "the name of a shipped look")
    return looks.find(name).apply(Params())


@contextlib.contextmanager
def _under(heading: str) -> Iterator[None]:
    """Names the heading in what is wrong under it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"[{heading}] {error}") from error


def _start(table: Mapping[str, Any], warn: Warn) -> tuple[Start, str]:
    found = known(section(table, "start"), (*START_SPECS, "image", "text"), " in [start]", warn)
    with _under("start"):
        words = text(found, "text", "")
        found.pop("text", None)
        if "image" in found:
            found["image"] = from_base64(found["image"], Picture)
        start = Start(**found)
        return start, words if start.image else ""


def _map(table: Mapping[str, Any], warn: Warn) -> Map:
    found = known(section(table, "map"), ("food", "image"), " in [map]", warn)
    with _under("map"):
        image = from_base64(found["image"], Layers) if "image" in found else None
        lumps = found.get("food", [])
        if not isinstance(lumps, list):
            raise refusal("food", lumps, "a list of tables")
        if len(lumps) > MAX_FOOD:
            raise refusal("food", f"{len(lumps)} lumps", f"at most {MAX_FOOD}")
        return Map(tuple(_food(lump, number, warn) for number, lump in enumerate(lumps, 1)), image)


def _food(lump: object, number: int, warn: Warn) -> Food:
    if not isinstance(lump, dict):
        raise refusal(f"food {number}", lump, "a table such as {x = 0.5, y = 0.5}")
    try:
        return Food(**known(lump, specs(Food), f" in food {number}", warn))
    except ValueError as error:
        raise ValueError(f"food {number}: {error}") from error


def _other(table: Mapping[str, Any], warn: Warn) -> Params | None:
    if "other" not in table:
        return None
    found = known(section(table, "other"), SPECS, " in [other]", warn)
    with _under("other"):
        return check_params(found)


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
