"""The looks there are, and which one a picture has."""

import dataclasses
from pathlib import Path

from kernels.params import Params
from presets import Preset, looks, slug
from presets.looks import Look, look_of


class Wardrobe:
    """Lists looks, shipped ones and a person's own.

    Args:
        folder: Where a person's own lie.

    Attributes:
        entries: All of them, in the order they are shown in.
        worn: The name of the one that was put on last.
        kept: Whether presets are loaded without their own looks.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.worn = ""
        self.kept = False
        self.refresh()

    def refresh(self) -> None:
        """Reads the list again."""
        self.entries = looks.listing(self.folder)

    def name_of(self, params: Params) -> str:
        """The look that parameters are seen in; "" where it is none of these."""
        found = (entry.name for entry in self.entries if entry.preset and entry.preset.shows(params))
        return next(found, "")

    def neighbour(self, params: Params, by: int) -> Look:
        """The look so many further in the list than the one on, or than the one that was put on last."""
        usable = [entry.preset for entry in self.entries if entry.preset]
        names = [look.name for look in usable]
        here = self.name_of(params) or self.worn
        at = names.index(here) if here in names else -max(by, 0)
        return usable[(at + by) % len(usable)]

    def dressed(self, preset: Preset, params: Params) -> Preset:
        """A preset as it is to be loaded: in the look of these parameters, if that is kept."""
        if not self.kept:
            return preset
        return dataclasses.replace(preset, params=look_of(params, "").apply(preset.params))

    def replaces(self, title: str) -> bool:
        """Whether saving under a title would replace one of the person's own."""
        return any(entry.own and entry.name == slug(title) for entry in self.entries)

    def save(self, params: Params, title: str, overwrite: bool) -> Path:
        """Saves what parameters are seen in, under a title.

        Raises:
            PresetError: It could not be; one sentence.
        """
        path = looks.save(look_of(params, title), self.folder, overwrite)
        self.worn = path.stem
        return path

    def delete(self, name: str) -> None:
        """Deletes one of the person's own.

        Raises:
            PresetError: It is none of theirs, or the system refuses.
        """
        looks.delete(name, self.folder)
