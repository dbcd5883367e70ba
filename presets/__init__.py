"""Presets: looks as TOML files, shipped and a person's own."""

from presets.disk import PresetError
from presets.library import Entry, delete, find, listing, load, save, shipped, shipped_names
from presets.preset import DENSITY, FORMAT, Preset
from presets.reading import parse
from presets.shelf import slug
from presets.writing import dump

__all__ = [
    "DENSITY",
    "FORMAT",
    "Entry",
    "Preset",
    "PresetError",
    "delete",
    "dump",
    "find",
    "listing",
    "load",
    "parse",
    "save",
    "shipped",
    "shipped_names",
    "slug",
]
