"""Every live parameter, declared once.

One line of `Params` is all there is to a parameter: preset files, sliders, tooltips, the command
line (`--set decay=0.2`), the numbers the kernels read and README's table all come from it.
"""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, Literal, TypeGuard

Value = float | int | str

PALETTES = (
    "embers", "lichen", "abyss", "frost", "bone", "copper", "petri", "neon", "ink",
    "inferno", "magma", "viridis", "cividis",
)  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class Spec:
    """What a parameter's line says about it.

    Attributes:
        name: The field's term, as presets, the command line and the kernels write it.
        default: Value of a fresh `Params`; its type is the parameter's type.
        low: Smallest allowed value (numbers only).
        high: Largest allowed value (numbers only).
        unit: What one means: "°", "px", "per step", or "" for a bare ratio.
        group: The heading it stands under, in the panel and in README.
        help: What turning it up does to the picture.
        scale: "log" where the useful values span decades.
        choices: The allowed words of a text parameter.
    """

    name: str
    default: Value
    low: float
    high: float
    unit: str
    group: str
    help: str
    scale: Literal["linear", "log"] = "linear"
    choices: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """The allowed values in words, for error messages and tooltips."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        unit = f" {self.unit}" if self.unit else ""
        whole = "a whole number " if isinstance(self.default, int) else ""
        return f"{whole}from {self.low:g} to {self.high:g}{unit}"

    def check(self, value: object) -> Value:
        """Returns `value` in the parameter's own type.

        Raises:
            ValueError: With one plain sentence naming parameter, value and allowed range.
        """
        if self.choices:
            fits = isinstance(value, str) and value in self.choices
        elif isinstance(value, bool) or not isinstance(value, int | float):
            fits = False
        else:  # comparisons are false for NaN
            fits = self.low <= value <= self.high and (isinstance(self.default, float) or value == int(value))
        if not fits:
            raise refusal(self.name, value, self.allowed)
        return type(self.default)(value)  # type: ignore[arg-type, call-overload]

    def parse(self, text: str) -> Value:
        """Reads a value a person typed, as `check` does for one from a file."""
        if self.choices:
            return self.check(text.strip())
        try:
            number = float(text)
        except ValueError:
            return self.check(text)
        whole = isinstance(self.default, int) and math.isfinite(number) and number == int(number)
        return self.check(int(number) if whole else number)


def refusal(key: str, value: object, allowed: str) -> ValueError:
    """The error for a value that something does not take: what, the value, and what it takes."""
    return ValueError(f"{key} = {brief(value)} is not allowed; it takes {allowed}.")


def is_text(value: object, longest: int) -> TypeGuard[str]:
    """Whether it is a text that every library and file takes: not too long, no NUL, no half characters."""
    return (
        isinstance(value, str)
        and len(value) <= longest
        and "\0" not in value
        and not any("\ud800" <= letter <= "\udfff" for letter in value)
    )


def brief(value: object) -> str:
    """A value as a sentence shows it: short, on one line, whatever it is."""
    match value:
        case dict():
            return "a table"
        case list():
            return "a list"
        case str():
            return repr(value if len(value) <= 60 else value[:57] + "...")
        case int() if abs(value) >= 10**20:  # not printed: Python refuses to print past 4300 digits
            return "a whole number above 10^20" if value > 0 else "a whole number below -10^20"
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def param(
    default: Value,
    low: float = 0.0,
    high: float = 0.0,
    unit: str = "",
    group: str = "",
    help: str = "",
    scale: Literal["linear", "log"] = "linear",
    choices: tuple[str, ...] = (),
) -> Any:
    """Declares one parameter; the arguments are those of `Spec`."""
    spec = Spec("", default, low, high, unit, group, help, scale, choices)
    return dataclasses.field(default=default, metadata={"spec": spec})


# The lines are long on purpose: one parameter, one line.
# ruff: noqa: E501
# fmt: off
@dataclasses.dataclass(frozen=True, slots=True)
class Params:
    """Everything a person may turn while a world runs, in the units people think in.

    Angles are degrees, lengths are field pixels, rates are per step. Model after Jeff Jones,
    "Characteristics of pattern formation and evolution in approximations of Physarum transport
    networks", Artificial Life 16(2), 2010, and Sage Jenson's description of it
    (https://cargocollective.com/sagejenson/physarum).
    """

    sensor_angle: float = param(30.0, 0.0, 180.0, "°", "Agents", "How far to each side the two outer sensors look. Small: straight, fast veins. Large: cells, spots and mazes.")
    sensor_distance: float = param(10.0, 0.5, 200.0, "px", "Agents", "How far ahead agents smell. Sets the scale of the pattern: larger makes wider meshes and thicker veins.", "log")
    rotation_angle: float = param(30.0, -180.0, 180.0, "°", "Agents", "How sharply agents turn to the strongest scent. Small: smooth curves. Large: knots and dots. Negative: they flee it.")
    step_size: float = param(1.0, 0.05, 20.0, "px", "Agents", "How far agents move in a step. Larger: faster, looser, with softer edges.", "log")
    deposit: float = param(1.0, 0.01, 100.0, "per agent", "Trail", "How much scent each agent leaves on its cell. Brightens the picture; the pattern itself follows the ratios.", "log")
    decay: float = param(0.1, 0.001, 0.95, "per step", "Trail", "The share of the trail that fades each step. Low: long memory and thick trunks. High: thin, restless lines.", "log")
    diffusion: float = param(1.0, 0.0, 1.0, "", "Trail", "How much of the trail blurs into its eight neighbours each step. Low: crisp and grainy. High: soft and smooth.")
    exposure: float = param(1.0, 0.001, 1000.0, "x", "Picture", "Brightness of the picture before the palette. Changes nothing in the world.", "log")
    gamma: float = param(1.0, 0.2, 5.0, "", "Picture", "Contrast of the dark tones: above 1 lifts faint trails, below 1 sinks them.", "log")
    palette: str = param("embers", group="Picture", help="The colours, from empty ground to the strongest trail.", choices=PALETTES)
    steps_per_frame: int = param(1, 1, 64, "steps", "Time", "Steps of the model for each 1/60 second shown: the speed of life.")


@dataclasses.dataclass(frozen=True, slots=True)
class Brush:
    """What the mouse paints with. A tool, not part of a look: presets leave it alone."""

    radius: float = param(24.0, 1.0, 256.0, "px", "Brush", "How wide the mouse paints or erases, in field pixels.", "log")
    strength: float = param(2.0, 0.01, 100.0, "x", "Brush", "How much trail a stroke adds at its centre, and how firmly it erases.", "log")
# fmt: on


def specs(declared: type = Params) -> dict[str, Spec]:
    """The declarations of a parameter class by name, in their order."""
    return {
        field.name: dataclasses.replace(field.metadata["spec"], name=field.name)
        for field in dataclasses.fields(declared)
    }


SPECS = specs()


def check_params(values: Mapping[str, object], base: Params | None = None) -> Params:
    """`base` (the defaults when left out) with the given values, each checked.

    Raises:
        ValueError: One plain sentence for the first unknown name or value that is not allowed.
    """
    for name in values:
        if name not in SPECS:
            raise ValueError(f"{name} is not a parameter; the parameters are " + ", ".join(SPECS) + ".")
    checked = {name: SPECS[name].check(value) for name, value in values.items()}
    return dataclasses.replace(base or Params(), **checked)  # type: ignore[arg-type]
