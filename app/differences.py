"""What tells two looks apart, in words: the parameter that moved farthest first."""

import math

from app.easing import FULL_TURN, is_cyclic
from kernels.contract import RESPONSES
from kernels.params import SPECS, Params, of_species
from kernels.spec import Spec, Value
from kernels.world import World

OF_WORDS, OF_COLOURS = 0.1, 0.005  # how far two words, or palettes, lie apart, as a share of a range
DECADES = 4  # of a logarithmic range that begins at 0


def differences(a: Params, b: Params, world: World) -> list[str]:
    """What is different in b; what has no effect there, or is of no species there, is left out.

    Args:
        a: The look to compare with.
        b: The other one.
        world: Where both live.
    """
    found = []
    for spec in SPECS.values():
        before, after = getattr(a, spec.name), getattr(b, spec.name)
        if before != after and acts(spec, b, world):
            words = spec.trait.replace("_", " ")
            if spec.species and world.species > 1:
                words += f" ({spec.species})"
            found.append((-_apart(spec, before, after), words + _told(spec, before, after)))
    return [told for _, told in sorted(found)]


def acts(spec: Spec, params: Params, world: World) -> bool:
    """Whether a parameter has an effect in a look, as far as others decide that."""
    if spec.species > world.species:
        return False
    own, trait = of_species(params, max(0, spec.species - 1)), spec.trait
    for response in RESPONSES:
        if trait in (f"{response}_exponent", f"{response}_curve"):
            return bool(getattr(own, f"{response}_amplitude"))
    match trait.split("_"):
        case ["bloom", _]:
            return params.bloom > 0
        case ["ridge", _] | ["lamp", _]:
            return params.ridge > 0
        case ["sense", "scale" | "offset"]:
            return any(getattr(own, f"{response}_amplitude") for response in RESPONSES)
        case ["join", _]:
            return world.species > 1 and own.joins != "none"
        case ["joins"]:
            return world.species > 1
        case ["deposit", "bend"]:
            return own.deposit_curve != "linear"
        case ["attraction", "to", whose]:
            return int(whose) <= world.species
        case ["age", _]:
            return params.colour_by == "age"
        case ["food"] | ["map", _]:
            return not world.map.empty
    return True


def _told(spec: Spec, before: Value, after: Value) -> str:
    """What a parameter has become, as it follows its name."""
    if isinstance(before, str) or isinstance(after, str):
        return "" if spec.curve or "#" in f"{before}{after}" else f" {after}"
    return f" {number(before)} to {number(after)}{unit(spec)}"


def number(value: float) -> str:
    """A number with three digits, or all of those before the point."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def unit(spec: Spec) -> str:
    """A parameter's unit as it follows a number; "" for one that is a sentence."""
    if len(spec.unit) > 5:
        return ""
    return spec.unit if spec.unit in ("", "°", "%") else f" {spec.unit}"


def _apart(spec: Spec, a: Value, b: Value) -> float:
    """How far two values lie apart, as a share of a parameter's range in its natural scale."""
    if isinstance(a, str) or isinstance(b, str):
        return OF_COLOURS if spec.gradient else OF_WORDS
    if is_cyclic(spec):
        return abs((b - a + FULL_TURN / 2) % FULL_TURN - FULL_TURN / 2) / FULL_TURN
    if spec.scale == "log" and a > 0 and b > 0:
        return abs(math.log(b / a)) / math.log(spec.high / spec.low if spec.low > 0 else 10**DECADES)
    return abs(b - a) / (spec.high - spec.low)
