"""The presets there are: those shipped with Physarium, and a person's own in a folder."""

import dataclasses
import hashlib
import importlib.resources
import os
import re
import unicodedata
from importlib.resources.abc import Traversable
from pathlib import Path

from kernels.spec import brief
from presets.disk import PresetError, sentence, told, write_atomically
from presets.preset import Preset, nearest
from presets.reading import load, parse
from presets.writing import dump

# The order they are shown in, the default first; a shipped file not named here comes after, by name.
ORDER = (
    "veins", "tissue", "arteries", "silk", "highways", "estuary", "petri-dish",
    "loops", "lace", "filigree", "scaffold", "synapses", "beads", "mesh", "threads",
    "cells", "sponge", "xylem", "craters", "islands", "ladders", "foam",
    "labyrinth", "caterpillars", "circuits", "weave",
    "feathers", "caustics", "surf", "chevrons", "flames",
    "rings", "corona", "spring", "sparks", "fireflies", "colonies", "spores",
    "hive", "rivals", "frontiers", "streams", "leaves", "embryo", "chambers", "storm", "larvae",
    "noodles", "suns", "lanterns", "pebbles", "eyes", "pond",
    "cities",
)  # fmt: skip

SHIPPED = importlib.resources.files("presets")

# Windows takes these for devices, whatever the suffix.
RESERVED = re.compile(r"con|prn|aux|nul|com\d|lpt\d")
MAX_SLUG = 48


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """A line of the preset list.

    Attributes:
        name: What commands call it.
        path: Its file.
        own: True for one of the person's own, which may be deleted.
        preset: The preset; None when its file is broken.
        error: Why it is broken, in one sentence.
    """

    name: str
    path: Path
    own: bool
    preset: Preset | None
    error: str | None = None


def shipped() -> list[Preset]:
    """The shipped presets in a fixed order; the first is the default."""
    return [_shipped(name) for name in shipped_names()]


def shipped_names() -> list[str]:
    """Their names, in the same order."""
    names = {file.name.removesuffix(".toml") for file in SHIPPED.iterdir() if file.name.endswith(".toml")}
    return [name for name in ORDER if name in names] + sorted(names.difference(ORDER))


def listing(user_folder: Path | None = None) -> list[Entry]:
    """All presets, shipped ones first; a broken file is listed with its error and hides no other."""
    entries = [Entry(look.name, Path(str(_file(look.name))), False, look) for look in shipped()]
    taken = shipped_names()
    for name, path in _own(user_folder).items():
        try:
            if name in taken:
                raise PresetError(
                    f"{told(path)} has the name of a shipped preset; rename the file to use it."
                )
            entries.append(Entry(name, path, True, load(path)))
        except PresetError as error:
            entries.append(Entry(name, path, True, None, str(error)))
    return entries


def find(name: str | Path, user_folder: Path | None = None) -> Preset:
    """The preset of that name, or in that file.

    A name, in any case, means a shipped preset first, then one of the person's own. A path has a
    separator or ends in .toml; any other file is found when no preset has its name.

    Raises:
        PresetError: There is none (with the nearest names), or its file is broken.
    """
    text = str(name)
    if isinstance(name, Path) or Path(text).name != text or text.lower().endswith(".toml"):
        return load(Path(name))
    wanted = "-".join(text.casefold().split())
    if wanted in shipped_names():
        return _shipped(wanted)
    own = _own(user_folder)
    for stem, path in own.items():
        if stem in (text, wanted):
            return load(path)
    if os.path.isfile(text):  # Path.is_file raises where a name is too long for a file
        return load(Path(text))
    raise PresetError(f"There is no preset called {brief(text)}; {nearest(wanted, [*shipped_names(), *own])}")


def save(preset: Preset, folder: Path, overwrite: bool = False) -> Path:
    """Writes a preset into a folder, made if need be, under a file name made from its title.

    Args:
        preset: What to write.
        folder: The person's own presets.
        overwrite: Replace a preset of that name; a file that cannot be read is never replaced.

    Returns:
        The file; its stem is the saved preset's name.

    Raises:
        PresetError: Nothing was written, and why.
    """
    name = slug(preset.title)
    path = folder / f"{name}.toml"
    if name in shipped_names():
        raise PresetError(f"A shipped preset is called {name}; choose another title.")
    text = dump(preset)
    parse(text, "This preset cannot be saved", name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if overwrite and path.exists():
            load(path)
        return write_atomically(path, text.encode(), "replace" if overwrite else "refuse")
    except PresetError as error:
        raise PresetError(f"{error} It is left as it is; choose another title.") from error
    except FileExistsError as error:
        raise PresetError(f"{told(path)} exists already; choose another title, or overwrite it.") from error
    except OSError as error:
        raise PresetError(sentence(path, error, "written")) from error


def delete(name: str, user_folder: Path) -> None:
    """Deletes one of the person's own presets.

    Raises:
        PresetError: It is none of theirs, or the system refuses.
    """
    path = _own(user_folder).get(name)
    if path is None:
        reason = "is shipped with Physarium" if name in shipped_names() else "is none of your presets"
        raise PresetError(f"{brief(name)} {reason}, so it cannot be deleted.")
    try:
        path.unlink()
    except OSError as error:
        raise PresetError(sentence(path, error, "deleted")) from error


def slug(title: str) -> str:
    """A file name, without suffix, that every system takes, from any text: a-z, 0-9 and hyphens.

    "Fine Mesh" becomes "fine-mesh". Where letters are lost, the name is too long or reserved, a short
    hash of the text keeps different titles apart.
    """
    plain = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    stem = "-".join(re.findall(r"[a-z0-9]+", plain))[:MAX_SLUG].rstrip("-")
    if stem == "-".join(title.casefold().split()) and stem and not RESERVED.fullmatch(stem):
        return stem
    mark = hashlib.sha256(title.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{stem or 'preset'}-{mark}"


def _shipped(name: str) -> Preset:
    return parse(_file(name).read_text("utf-8"), f"{name}.toml", name)


def _file(name: str) -> Traversable:
    return SHIPPED.joinpath(f"{name}.toml")


def _own(folder: Path | None) -> dict[str, Path]:
    try:
        files = sorted(folder.iterdir()) if folder else []
    except OSError:  # none saved yet, or not ours to read: there are none then
        return {}
    return {told(file.stem): file for file in files if file.suffix.lower() == ".toml"}
