"""What may change a run: small events with their step, and the lines they are in a picture's log."""

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from kernels.maps import FILLS, Mark
from kernels.params import MAX_SPECIES, SPECS, Params, check_params
from kernels.scene import LAYERS
from kernels.spec import Value, brief, refusal
from kernels.stroke import MAX_NUMBER, Stroke
from presets.preset import nearest

LINES = (
    '[step, "set", {parameters}], [step, "paint", [x, y, radius, strength]], '
    '[step, "draw", layer, [x, y, radius, hardness, value], begins], [step, "fill", layer, kind], '
    '[step, "other", {parameters}] or [step, "undo"]'
)


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """Parameters changed by hand.

    Attributes:
        step: How many steps had been done by then.
        values: The new values by name; what is not named stayed as it was.
    """

    step: int
    values: Mapping[str, Value]


@dataclasses.dataclass(frozen=True, slots=True)
class Paint:
    """A dab of the brush on a trail.

    Attributes:
        step: How many steps had been done by then.
        stroke: The dab.
    """

    step: int
    stroke: Stroke


@dataclasses.dataclass(frozen=True, slots=True)
class Draw:
    """A dab of the brush on a layer of the maps.

    Attributes:
        step: How many steps had been done by then.
        mark: The dab.
        begins: Whether a gesture begins with it, which `UndoMap` takes back as a whole.
    """

    step: int
    mark: Mark
    begins: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Fill:
    """A layer of the maps filled.

    Attributes:
        step: How many steps had been done by then.
        layer: One of `LAYERS`.
        kind: One of `maps.FILLS`.
    """

    step: int
    layer: str
    kind: str


@dataclasses.dataclass(frozen=True, slots=True)
class Other:
    """Another look for the mask to blend in.

    Attributes:
        step: How many steps had been done by then.
        params: The look; None for none.
    """

    step: int
    params: Params | None


@dataclasses.dataclass(frozen=True, slots=True)
class UndoMap:
    """The last gesture on the maps taken back.

    Attributes:
        step: How many steps had been done by then.
    """

    step: int


Event = Change | Paint | Draw | Fill | Other | UndoMap


def to_line(event: Event) -> str:
    """An event as JSON."""
    return json.dumps([event.step, *_parts(event)], separators=(",", ":"))


def _parts(event: Event) -> list[object]:
    match event:
        case Change():
            return ["set", dict(event.values)]
        case Paint(stroke=stroke):
            species = [stroke.species] if stroke.species else []
            return ["paint", [stroke.x, stroke.y, stroke.radius, stroke.strength, *species]]
        case Draw(mark=mark):
            numbers = [mark.x, mark.y, mark.radius, mark.hardness, mark.value]
            return ["draw", mark.layer, numbers, event.begins]
        case Fill():
            return ["fill", event.layer, event.kind]
        case Other(params=None):
            return ["other", None]
        case Other(params=params):
            values = {name: getattr(params, name) for name in SPECS}
            return ["other", {name: value for name, value in values.items() if value != SPECS[name].default}]
        case UndoMap():
            return ["undo"]


def from_line(line: object, first: int, last: int) -> Event:
    """Reads a line of a log, trusting nothing in it.

    Args:
        line: What the JSON held.
        first: The least step it may name.
        last: The greatest.

    Raises:
        ValueError: One sentence with key, value and allowed range.
    """
    match line:
        case [step, "set", dict(values)]:
            return Change(whole(step, "step", first, last), _values(values))
        case [step, "paint", [x, y, radius, strength, *species]] if len(species) < 2:
            stroke = Stroke(
                whole(x, "x", -MAX_NUMBER, MAX_NUMBER),
                whole(y, "y", -MAX_NUMBER, MAX_NUMBER),
                whole(radius, "radius", 1, MAX_NUMBER),
                whole(strength, "strength", -MAX_NUMBER, MAX_NUMBER),
                *(whole(number, "species", 0, MAX_SPECIES - 1) for number in species),
            )
            return Paint(whole(step, "step", first, last), stroke)
        case [step, "draw", layer, [x, y, radius, hardness, value], bool(begins)]:
            numbers: Any = x, y, radius, hardness, value  # whatever they are: `Mark` checks them
            mark = Mark(_word(layer, "layer", LAYERS), *numbers)
            return Draw(whole(step, "step", first, last), mark, begins)
        case [step, "fill", layer, kind]:
            words = _word(layer, "layer", LAYERS), _word(kind, "fill", FILLS)
            return Fill(whole(step, "step", first, last), *words)
        case [step, "other", None]:
            return Other(whole(step, "step", first, last), None)
        case [step, "other", dict(values)]:
            return Other(whole(step, "step", first, last), check_params(_values(values)))
        case [step, "undo"]:
            return UndoMap(whole(step, "step", first, last))
    raise ValueError(f"it takes {LINES}.")


def whole(value: object, name: str, low: int, high: int) -> int:
    """A whole number in a range, or a `ValueError` in a sentence."""
    if type(value) is not int or not low <= value <= high:
        raise refusal(name, value, f"a whole number from {low} to {high}")
    return value


def _word(value: object, name: str, known: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in known:
        raise refusal(name, value, "one of " + ", ".join(known))
    return value


def _values(values: Mapping[str, object]) -> dict[str, Value]:
    for name in values:
        if name not in SPECS:
            raise ValueError(f"unknown parameter {brief(name)}; {nearest(name, SPECS)}")
    return {name: SPECS[name].check(value) for name, value in values.items()}
