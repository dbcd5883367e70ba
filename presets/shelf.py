"""Files of one kind: those shipped with Physarium, and a person's own in a folder."""

import dataclasses
import hashlib
import os
import re
import unicodedata
from collections.abc import Callable
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from kernels.spec import brief
from presets.disk import PresetError, sentence, told, write_atomically
from presets.preset import nearest
from presets.tables import read_text

# Windows takes these for devices, whatever the suffix.
RESERVED = re.compile(r"con|prn|aux|nul|com\d|lpt\d")
MAX_SLUG = 48


class Titled(Protocol):
    """A preset or a look."""

    @property
    def name(self) -> str:
        """What commands call it."""

    @property
    def title(self) -> str:
        """What people call it."""


T = TypeVar("T", bound=Titled)


@dataclasses.dataclass(frozen=True, slots=True)
class Entry(Generic[T]):
    """A line of a list.

    Attributes:
        name: What commands call it.
        path: Its file.
        own: True for one of the person's own, which may be deleted.
        preset: The preset, or the look; None when its file is broken.
        error: Why it is broken, in one sentence.
    """

    name: str
    path: Path
    own: bool
    preset: T | None
    error: str | None = None


class Shelf(Generic[T]):
    """Lists, finds, saves and deletes files of one kind.

    Args:
        kind: What sentences call one: "preset".
        files: The folder of those that are shipped.
        order: The order they are shown in; one not named here comes after, by name.
        parse: Reads a text; takes the file as sentences name it, and the name.
        dump: Writes one as a text.
    """

    def __init__(
        self,
        kind: str,
        files: Traversable,
        order: tuple[str, ...],
        parse: Callable[[str, str, str], T],
        dump: Callable[[T], str],
    ) -> None:
        self.kind, self.files, self.order = kind, files, order
        self.parse, self.dump = parse, dump

    def load(self, path: Path) -> T:
        """Reads a file.

        Raises:
            PresetError: It cannot be read, or is none of this kind.
        """
        return self.parse(read_text(path), told(path), told(path.stem))

    def shipped(self) -> list[T]:
        """The shipped ones in a fixed order; the first is the default."""
        return [self._shipped(name) for name in self.shipped_names()]

    def shipped_names(self) -> list[str]:
        """Their names, in the same order."""
        files = (file.name for file in self.files.iterdir())
        names = {name.removesuffix(".toml") for name in files if name.endswith(".toml")}
        return [name for name in self.order if name in names] + sorted(names.difference(self.order))

    def listing(self, user_folder: Path | None = None) -> list[Entry[T]]:
        """All there are, shipped ones first; a broken file is listed with its error and hides no other."""
        entries = [Entry(each.name, Path(str(self._file(each.name))), False, each) for each in self.shipped()]
        taken = self.shipped_names()
        for name, path in _own(user_folder).items():
            try:
                if name in taken:
                    raise PresetError(
                        f"{told(path)} has the name of a shipped {self.kind}; rename the file to use it."
                    )
                entries.append(Entry(name, path, True, self.load(path)))
            except PresetError as error:
                entries.append(Entry(name, path, True, None, str(error)))
        return entries

    def find(self, name: str | Path, user_folder: Path | None = None) -> T:
        """The one of that name, or in that file.

        A name, in any case, means a shipped one first, then one of the person's own. A path has a
        separator or ends in .toml; any other file is found when none has its name.

        Raises:
            PresetError: There is none (with the nearest names), or its file is broken.
        """
        text = str(name)
        if isinstance(name, Path) or Path(text).name != text or text.lower().endswith(".toml"):
            return self.load(Path(name))
        wanted = "-".join(text.casefold().split())
        if wanted in self.shipped_names():
            return self._shipped(wanted)
        own = _own(user_folder)
        for stem, path in own.items():
            if stem in (text, wanted):
                return self.load(path)
        if os.path.isfile(text):  # Path.is_file raises where a name is too long for a file
            return self.load(Path(text))
        raise PresetError(
            f"There is no {self.kind} called {brief(text)}; " + nearest(wanted, [*self.shipped_names(), *own])
        )

    def save(self, what: T, folder: Path, overwrite: bool = False) -> Path:
        """Writes one into a folder, made if need be, under a file name made from its title.

        Args:
            what: What to write.
            folder: The person's own.
            overwrite: Replace one of that name; a file that cannot be read is never replaced.

        Returns:
            The file; its stem is the name of what was saved.

        Raises:
            PresetError: Nothing was written, and why.
        """
        name = slug(what.title)
        path = folder / f"{name}.toml"
        if name in self.shipped_names():
            raise PresetError(f"A shipped {self.kind} is called {name}; choose another title.")
        text = self.dump(what)
        self.parse(text, f"This {self.kind} cannot be saved", name)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if overwrite and path.exists():
                self.load(path)
            return write_atomically(path, text.encode(), "replace" if overwrite else "refuse")
        except PresetError as error:
            raise PresetError(f"{error} It is left as it is; choose another title.") from error
        except FileExistsError as error:
            raise PresetError(
                f"{told(path)} exists already; choose another title, or overwrite it."
            ) from error
        except OSError as error:
            raise PresetError(sentence(path, error, "written")) from error

    def delete(self, name: str, user_folder: Path) -> None:
        """Deletes one of the person's own.

        Raises:
            PresetError: It is none of theirs, or the system refuses.
        """
        path = _own(user_folder).get(name)
        if path is None:
            shipped = name in self.shipped_names()
            reason = "is shipped with Physarium" if shipped else f"is none of your {self.kind}s"
            raise PresetError(f"{brief(name)} {reason}, so it cannot be deleted.")
        try:
            path.unlink()
        except OSError as error:
            raise PresetError(sentence(path, error, "deleted")) from error

    def _shipped(self, name: str) -> T:
        return self.parse(self._file(name).read_text("utf-8"), f"{name}.toml", name)

    def _file(self, name: str) -> Traversable:
        return self.files.joinpath(f"{name}.toml")


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


def _own(folder: Path | None) -> dict[str, Path]:
    try:
        files = sorted(folder.iterdir()) if folder else []
    except OSError:  # none saved yet, or not ours to read: there are none then
        return {}
    return {told(file.stem): file for file in files if file.suffix.lower() == ".toml"}
