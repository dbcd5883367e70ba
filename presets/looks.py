"""Looks: how the trail becomes a picture, as TOML files apart from what the agents do."""

import dataclasses
import importlib.resources
from collections.abc import Callable, Mapping
from operator import attrgetter
from pathlib import Path, PurePath
from typing import Any

import tomlkit

from kernels.params import LOOK, SPECS, Params, check_params
from kernels.spec import Value, brief
from presets import shelf
from presets.disk import PresetError
from presets.preset import FORMAT
from presets.tables import Warn, known, parsed, read_text, section, tags, text

KEYS = "format", "title", "credit", "tags", "look"
FOLDER = "looks"  # beside a person's presets

# The order they are shown in; a shipped file not named here comes after, by name.
ORDER = (
    "embers-glow", "deep-sea", "neon-night", "stardust", "x-ray", "silver-gelatin", "thermal",
    "growth", "compass", "iris", "moonlight", "gold-leaf", "copper-plate", "lichen-macro", "porcelain",
    "ink-on-paper", "charcoal", "sanguine", "linocut", "risograph", "pastel-print", "agar-dish", "blueprint",
)  # fmt: skip

values_of: Callable[[Params], tuple[Value, ...]] = attrgetter(*LOOK)


@dataclasses.dataclass(frozen=True, slots=True)
class Look:
    """Exposure, tone, palettes, light and finish, for any preset.

    Attributes:
        name: What commands call it: the stem of its file.
        title: What people call it; any text of at most 500 characters.
        credit: Who made it.
        tags: What it is like, at most 8 words.
        params: Its values, those named in `LOOK`; all others are the defaults.
        warnings: Sentences about what its file said and this version does not know.
    """

    name: str
    title: str
    credit: str = ""
    tags: tuple[str, ...] = ()
    params: Params = dataclasses.field(default_factory=Params)
    warnings: tuple[str, ...] = dataclasses.field(default=(), compare=False)

    @property
    def values(self) -> dict[str, Value]:
        """What it sets: every parameter of the picture."""
        return {name: getattr(self.params, name) for name in LOOK}

    def apply(self, params: Params) -> Params:
        """Other parameters, seen in this look."""
        return dataclasses.replace(params, **self.values)  # type: ignore[arg-type]

    def shows(self, params: Params) -> bool:
        """Whether those parameters are seen in this look already."""
        return values_of(params) == values_of(self.params)


def look_of(params: Params, title: str) -> Look:
    """The look that parameters are seen in, under a title."""
    return Look("", title, params=Look("", "", params=params).apply(Params()))


def parse(source: str, where: str, name: str | None = None) -> Look:
    """Reads a look's TOML text; what it leaves out takes its default.

    Args:
        source: The TOML.
        where: The file as sentences name it.
        name: The look's name; the stem of `where` when left out.

    Returns:
        The look; its `warnings` name the keys that are unknown.

    Raises:
        PresetError: One sentence with file, key, value and allowed range.
    """
    name = PurePath(where).stem if name is None else name
    warnings: list[str] = []
    try:
        return _look(parsed(source, "look"), name, lambda said: warnings.append(f"{where}: {said}"), warnings)
    except ValueError as error:
        raise PresetError(f"{where}: {error}") from error


def is_look(path: Path) -> bool:
    """Whether a file is a look, perhaps a broken one, rather than anything else."""
    if path.suffix.lower() != ".toml":
        return False
    try:
        return "look" in parsed(read_text(path), "look")
    except ValueError:
        return False


def _look(table: Mapping[str, Any], name: str, warn: Warn, warnings: list[str]) -> Look:
    if "look" not in table:
        what = "this is a preset" if "params" in table else "it says nothing"
        raise ValueError(f"{what}, and no look: the heading [look] is missing.")
    for key in table:
        if key in LOOK:
            raise ValueError(f"{key} belongs under the heading [look].")
    table = known(table, KEYS, "", warn)
    values = section(table, "look")
    for key in values:
        if key in SPECS and key not in LOOK:
            raise ValueError(f"[look] {key} = {brief(values[key])} is not allowed; it belongs into a preset.")
    return Look(
        name=name,
        title=text(table, "title", name),
        credit=text(table, "credit", ""),
        tags=tags(table),
        params=check_params(known(values, LOOK, " in [look]", warn)),
        warnings=tuple(warnings),
    )


def dump(look: Look) -> str:
    """The look's TOML text: what it does otherwise than the default; `parse` gives the same look back.

    (Half a surrogate pair in a title, which no file can hold, becomes a question mark.)
    """
    document = tomlkit.document()
    document.add("format", FORMAT)
    document.add("title", look.title)
    document.add("credit", look.credit)
    if look.tags:
        document.add("tags", tomlkit.item(list(look.tags)))
    table = tomlkit.table()
    for name, value in look.values.items():
        if value != SPECS[name].default:
            table.add(name, tomlkit.item(value).comment(SPECS[name].allowed))
    document.add("look", table)
    return tomlkit.dumps(document).encode("utf-8", "replace").decode()


def look_folder(user_folder: Path) -> Path:
    """Where a person's own looks lie, beside their presets."""
    return user_folder.parent / FOLDER


Entry = shelf.Entry[Look]
LOOKS = shelf.Shelf("look", importlib.resources.files("presets") / "looks", ORDER, parse, dump)

shipped, shipped_names = LOOKS.shipped, LOOKS.shipped_names
listing, find, save, delete = LOOKS.listing, LOOKS.find, LOOKS.save, LOOKS.delete
load = LOOKS.load
