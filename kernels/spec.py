"""How a parameter is declared: its range, unit and help, and how values are checked and refused."""

import dataclasses
import math
from typing import Any, Literal, TypeGuard

from kernels.gradients import check_gradient
from kernels.handles import check_curve

Value = float | int | str

CURVE_ALLOWED = "nothing, or 2 to 8 points such as '0 0, 0.5 1, 1 0.2', each from 0 to 1, from left to right"
GRADIENT_ALLOWED = "or 2 to 12 stops such as '#0b0709 0, #c2421a 0.6, #fde9a9 1', a colour and its place each"


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
        curve: Whether it is a curve, drawn with handles: a text that `kernels.handles` reads.
        gradient: Whether colours of one's own are allowed beside `choices`: see `kernels.gradients`.
        species: Whose it is, 1 to 4; 0 for what all share.
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
    curve: bool = False
    gradient: bool = False
    species: int = 0

    @property
    def trait(self) -> str:
        """The name of the parameter in the first species, whosever it is."""
        return self.name.removesuffix(f"_{self.species}") if self.species > 1 else self.name

    @property
    def allowed(self) -> str:
        """The allowed values in words, for error messages and tooltips."""
        if self.curve:
            return CURVE_ALLOWED
        if self.choices:
            words = "one of " + ", ".join(self.choices)
            return f"{words}, {GRADIENT_ALLOWED}" if self.gradient else words
        unit = f" {self.unit}" if self.unit else ""
        whole = "a whole number " if isinstance(self.default, int) else ""
        return f"{whole}from {self.low:g} to {self.high:g}{unit}"

    def check(self, value: object) -> Value:
        """Returns `value` in the parameter's own type.

        Raises:
            ValueError: With one plain sentence naming parameter, value and allowed range.
        """
        if self.curve:
            if isinstance(value, str) and (curve := check_curve(value)) is not None:
                return curve
            raise refusal(self.name, value, self.allowed)
        if self.gradient and isinstance(value, str) and (gradient := check_gradient(value)) is not None:
            return gradient
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
        if self.choices or self.curve:
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
    curve: bool = False,
    gradient: bool = False,
    species: int = 0,
) -> Any:
    """Declares one parameter; the arguments are those of `Spec`."""
    spec = Spec("", default, low, high, unit, group, help, scale, choices, curve, gradient, species)
    return dataclasses.field(default=default, metadata={"spec": spec})


def trait(*arguments: Any, **named: Any) -> Any:
    """Declares one parameter of each species, as `param` does one of all."""
    return param(*arguments, **{**named, "species": 1})
