"""A preset's TOML text, written: what a person may want to turn, and the rest where it is used."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.items import Table

from kernels.params import SPECS, Params, specs
from kernels.scene import START_SPECS, Food, Map, Start
from kernels.spec import Spec
from presets.pictures import to_base64
from presets.preset import DENSITY, FORMAT, Preset

ALWAYS = "Agents", "Trail", "Picture", "Time"  # groups
UNLESS = "deposit_curve", "deposit_bend", "map_opacity"  # of those groups
FOOD = specs(Food)


def dump(preset: Preset) -> str:
    """The preset's TOML text; `reading.parse` gives the same preset back, to the last bit.

    (Half a surrogate pair in a title, which no file can hold, becomes a question mark.)
    """
    document = tomlkit.document()
    document.add("format", FORMAT)
    document.add("title", preset.title)
    document.add("credit", preset.credit)
    if preset.tags:
        document.add("tags", tomlkit.item(list(preset.tags)))
    document.add("density", tomlkit.item(preset.density).comment(DENSITY.allowed))
    if preset.shares != (1.0,):
        document.add("shares", tomlkit.item(list(preset.shares)).comment("of the agents, one a species"))
    if preset.start != Start():
        document.add("start", _start(preset.start, preset.words))
    if not preset.map.empty:
        document.add("map", _map(preset.map))
    document.add("params", _params(preset.params, len(preset.shares)))
    if preset.other is not None:
        document.add("other", _params(preset.other, len(preset.shares)))
    return tomlkit.dumps(document).encode("utf-8", "replace").decode()


def _params(params: Params, species: int) -> Table:
    shown = {
        name: spec
        for name, spec in SPECS.items()
        if getattr(params, name) != spec.default
        or (spec.group in ALWAYS and spec.trait not in UNLESS and spec.species <= species)
    }
    return _commented(shown, params)


def _start(start: Start, words: str) -> Table:
    table = _commented(START_SPECS, start)
    if start.image is not None:
        if words:
            table.add("text", words)
        table.add("image", to_base64(start.image))
    return table


def _map(scene: Map) -> Table:
    table = tomlkit.table()
    if scene.food:
        lumps = tomlkit.array()
        for lump in scene.food:
            line = tomlkit.inline_table()
            line.update(dataclasses.asdict(lump))
            lumps.append(line)
        ranges = ", ".join(f"{name} {spec.allowed}" for name, spec in FOOD.items())
        table.add(tomlkit.comment(ranges))
        table.add("food", lumps.multiline(True))
    if scene.image is not None:
        table.add("image", to_base64(scene.image))
    return table


def _commented(shown: Mapping[str, Spec], values: Any) -> Table:
    table = tomlkit.table()
    for name, spec in shown.items():
        table.add(name, tomlkit.item(getattr(values, name)).comment(spec.allowed))
    return table
