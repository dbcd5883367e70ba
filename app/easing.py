"""From one value to another: how time is eased, and what lies between two looks."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from app.palette_mix import mix_palettes
from kernels.params import SPECS, Params
from kernels.spec import Spec, Value

FULL_TURN = 360.0  # degrees

# How far the way is done [0, 1] when a share [0, 1] of the time is over.
EASINGS: dict[str, Callable[[float], float]] = {
    "linear": lambda t: t,
    "smooth": lambda t: t * t * (3 - 2 * t),
    "in": lambda t: t * t,
    "out": lambda t: t * (2 - t),
    "hold": lambda t: float(t >= 1),
}


def morph(a: Params, b: Params, t: float) -> Params:
    """The look that lies between two: numbers move in their natural scales, palettes run into one another.

    Other words switch halfway.

    Args:
        a: The look at t = 0.
        b: The look at t = 1.
        t: How far the way is done; below 0 it is 0, above 1 it is 1.
    """
    mixed: dict[str, Any] = {
        name: mix(spec, getattr(a, name), getattr(b, name), t) for name, spec in SPECS.items()
    }
    return dataclasses.replace(a, **mixed)


def mix(spec: Spec, a: Value, b: Value, t: float) -> Value:
    """The value that lies between two values of a parameter; exactly `a` at 0 and `b` at 1.

    Numbers in between are rounded to six digits, as sliders do: a film's log holds one for each frame.
    """
    if a == b or t <= 0:
        return a
    if t >= 1:
        return b
    if isinstance(a, str) or isinstance(b, str):
        if spec.gradient:
            return mix_palettes(str(a), str(b), t)
        return a if t < 0.5 else b
    value = _between(spec, float(a), float(b), t)
    rounded = round(value) if isinstance(spec.default, int) else float(f"{value:.6g}")
    return type(spec.default)(min(max(rounded, spec.low), spec.high))


def _between(spec: Spec, a: float, b: float, t: float) -> float:
    if is_cyclic(spec):
        way = (b - a + FULL_TURN / 2) % FULL_TURN - FULL_TURN / 2
        return (a + way * t) % FULL_TURN
    if spec.scale == "log" and a > 0 and b > 0:
        return a * math.pow(b / a, t)
    if (
        is_wait(spec) and min(a, b) == 0
    ):  # from never to every 100 steps by way of every 1000, not of each step
        return a / (1 - t) if a else b / t
    return a + (b - a) * t


def is_cyclic(spec: Spec) -> bool:
    """Whether a parameter is a direction, whose ends are the same; they are reached the short way."""
    return (spec.unit, spec.low, spec.high) == ("°", 0, FULL_TURN)


def is_wait(spec: Spec) -> bool:
    """Whether a parameter is how long something takes on average, where 0 stands for never."""
    return (spec.unit, spec.low) == ("steps", 0)
