"""Every live parameter, declared once.

One line of `Params` is all there is to a parameter: preset files, sliders, tooltips, the command
line (`--set decay=0.2`), the numbers the kernels read and README's table all come from it. A line that
says `trait` stands for one parameter of each species: `decay` is the first one's, `decay_2` the second's.
"""

import dataclasses
import functools
import math
from collections.abc import Mapping
from typing import Any, Literal, TypeGuard, TypeVar

from kernels.handles import check_curve

Value = float | int | str
T = TypeVar("T")

MAX_SPECIES = 4

PALETTES = (
    "embers", "lichen", "abyss", "frost", "bone", "copper", "petri", "neon", "ink",
    "inferno", "magma", "viridis", "cividis",
)  # fmt: skip


CURVE_ALLOWED = "nothing, or 2 to 8 points such as '0 0, 0.5 1, 1 0.2', each from 0 to 1, from left to right"


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
            return "one of " + ", ".join(self.choices)
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
    species: int = 0,
) -> Any:
    """Declares one parameter; the arguments are those of `Spec`."""
    spec = Spec("", default, low, high, unit, group, help, scale, choices, curve, species)
    return dataclasses.field(default=default, metadata={"spec": spec})


def trait(*arguments: Any, **named: Any) -> Any:
    """Declares one parameter of each species, as `param` does one of all."""
    return param(*arguments, **{**named, "species": 1})


# Where a further species starts from other values than the first: it is seen, and keeps to itself.
OTHERWISE: dict[str, Value] = {
    "palette_2": "frost", "palette_3": "lichen", "palette_4": "magma",
    "attraction_to_1_2": -0.5, "attraction_to_2_2": 1.0,
    "attraction_to_1_3": -0.5, "attraction_to_3_3": 1.0,
    "attraction_to_1_4": -0.5, "attraction_to_4_4": 1.0,
}  # fmt: skip


def with_species(declared: type[T]) -> type[T]:
    """The class with the traits of the second to fourth species added, each named trait_species."""
    more = []
    for field in dataclasses.fields(declared):  # type: ignore[arg-type]
        for species in range(2, MAX_SPECIES + 1) if field.metadata["spec"].species else ():
            name = f"{field.name}_{species}"
            spec = dataclasses.replace(
                field.metadata["spec"], species=species, default=OTHERWISE.get(name, field.default)
            )
            more.append((name, field.type, dataclasses.field(default=spec.default, metadata={"spec": spec})))
    namespace = {"__doc__": declared.__doc__, "__module__": declared.__module__}
    made: type[T] = dataclasses.make_dataclass(
        declared.__name__, more, bases=(declared,), namespace=namespace, frozen=True, slots=True
    )
    return made


# The lines are long on purpose: one parameter, one line.
# ruff: noqa: E501
# fmt: off
@with_species
@dataclasses.dataclass(frozen=True, slots=True)
class Params:
    """Everything a person may turn while a world runs, in the units people think in.

    Angles are degrees, lengths are field pixels, rates are per step. Model after Jeff Jones,
    "Characteristics of pattern formation and evolution in approximations of Physarum transport
    networks", Artificial Life 16(2), 2010, and Sage Jenson's description of it
    (https://cargocollective.com/sagejenson/physarum). That lengths and angles answer to the trail, by
    base + amplitude * s ** exponent, is Sage Jenson's idea as well (https://www.sagejenson.com/36points/).
    """

    sensor_angle: float = trait(30.0, 0.0, 180.0, "°", "Agents", "How far to each side the two outer sensors look. Small: straight, fast veins. Large: cells, spots and mazes.")
    sensor_distance: float = trait(10.0, 0.5, 200.0, "px", "Agents", "How far ahead agents smell. Sets the scale of the pattern: larger makes wider meshes and thicker veins.", "log")
    rotation_angle: float = trait(30.0, -180.0, 180.0, "°", "Agents", "How sharply agents turn to the strongest scent. Small: smooth curves. Large: knots and dots. Negative: they flee it.")
    step_size: float = trait(1.0, 0.05, 20.0, "px", "Agents", "How far agents move in a step. Larger: faster, looser, with softer edges.", "log")
    deposit: float = trait(1.0, 0.01, 100.0, "per agent", "Trail", "How much scent each agent leaves on its cell. Brightens the picture; the pattern itself follows the ratios, unless responses or thresholds are on.", "log")
    decay: float = trait(0.1, 0.001, 0.95, "per step", "Trail", "The share of the trail that fades each step. Low: long memory and thick trunks. High: thin, restless lines.", "log")
    diffusion: float = trait(1.0, 0.0, 1.0, "", "Trail", "How much of the trail blurs into its eight neighbours each step. Low: crisp and grainy. High: soft and smooth.")
    deposit_curve: str = trait("linear", group="Trail", help="What many agents on one cell leave: linear, each as much; capped, never more than the bend; logarithmic and power, ever less each.", choices=("linear", "capped", "logarithmic", "power"))
    deposit_bend: float = trait(8.0, 0.1, 1000.0, "agents", "Trail", "How many agents on a cell it takes for the deposit curve to bend. Small: crowds hardly show, and thin veins hold out beside thick ones.", "log")
    sense_scale: float = trait(0.2, 0.001, 100.0, "", "Response", "How strongly agents answer to the trail under them: s is this times the trail, at most 1. All four responses follow s.", "log")
    sense_offset: float = trait(0.0, -100.0, 100.0, "px", "Response", "Where s is sensed: so far ahead of the agent, or behind it.")
    sensor_distance_amplitude: float = trait(0.0, -200.0, 200.0, "px", "Response", "Added to the sensor distance where s is 1, and so far as the curve goes before. Makes meshes of two scales at once.")
    sensor_distance_exponent: float = trait(1.0, 0.02, 200.0, "", "Response", "The power of s. Below 1: it acts on the faintest trail. Above 10: on the strongest alone.", "log")
    sensor_distance_curve: str = trait("", group="Response", help="A curve over s drawn by hand, in place of the power.", curve=True)
    sensor_angle_amplitude: float = trait(0.0, -180.0, 180.0, "°", "Response", "Added to the sensor angle where s is 1, and so far as the curve goes before. Opens or closes agents' view on strong trails.")
    sensor_angle_exponent: float = trait(1.0, 0.02, 200.0, "", "Response", "The power of s. Below 1: it acts on the faintest trail. Above 10: on the strongest alone.", "log")
    sensor_angle_curve: str = trait("", group="Response", help="A curve over s drawn by hand, in place of the power.", curve=True)
    rotation_angle_amplitude: float = trait(0.0, -360.0, 360.0, "°", "Response", "Added to the rotation angle where s is 1, and so far as the curve goes before. Where the sum is below 0 they flee crowds.")
    rotation_angle_exponent: float = trait(1.0, 0.02, 200.0, "", "Response", "The power of s. Below 1: it acts on the faintest trail. Above 10: on the strongest alone.", "log")
    rotation_angle_curve: str = trait("", group="Response", help="A curve over s drawn by hand, in place of the power.", curve=True)
    step_size_amplitude: float = trait(0.0, -20.0, 20.0, "px", "Response", "Added to the step size where s is 1, and so far as the curve goes before. Where the sum is below 0 they walk backwards.")
    step_size_exponent: float = trait(1.0, 0.02, 200.0, "", "Response", "The power of s. Below 1: it acts on the faintest trail. Above 10: on the strongest alone.", "log")
    step_size_curve: str = trait("", group="Response", help="A curve over s drawn by hand, in place of the power.", curve=True)
    sense_threshold: float = trait(0.0, 0.0, 1000.0, "", "Life", "Trail fainter than this is not smelled at all. High: agents walk straight until they cross a strong vein.", "log")
    wander: float = trait(0.0, 0.0, 180.0, "°", "Life", "Each step turns by up to so much, at random. A little keeps patterns from freezing; a lot dissolves them.")
    turn_chance: float = trait(0.0, 0.0, 1.0, "per step", "Life", "How often an agent takes a new direction, any one, at random.", "log")
    respawn: float = trait(0.0, 0.0, 100000.0, "steps", "Life", "How long until an agent jumps to any place of the field, on average; 0: never. Keeps empty ground alive.", "log")
    lifetime: float = trait(0.0, 0.0, 100000.0, "steps", "Life", "How long until an agent dies and is born where agents start, on average; 0: never. A start that is a ring or a word becomes a spring.", "log")
    attraction_to_1: float = trait(1.0, -2.0, 2.0, "", "Species", "How much agents like the first species' trail. Below 0 they flee it.")
    attraction_to_2: float = trait(-0.5, -2.0, 2.0, "", "Species", "How much agents like the second species' trail. Below 0 they flee it.")
    attraction_to_3: float = trait(-0.5, -2.0, 2.0, "", "Species", "How much agents like the third species' trail. Below 0 they flee it.")
    attraction_to_4: float = trait(-0.5, -2.0, 2.0, "", "Species", "How much agents like the fourth species' trail. Below 0 they flee it.")
    joins: str = trait("none", group="Species", help="The species whose strong trails win agents over. Three that join one another in a circle hunt each other for ever.", choices=("none", "1", "2", "3", "4"))
    join_threshold: float = trait(1.0, 0.0, 1000.0, "", "Species", "How much of that species' trail under an agent wins it over.", "log")
    join_chance: float = trait(0.1, 0.0, 1.0, "per step", "Species", "How likely it then is in each step.", "log")
    food: float = trait(20.0, -1000.0, 1000.0, "", "Map", "How strongly the map's food smells, beside the trail. Below 0 it repels.")
    boundary: str = param("wrap", group="Map", help="What happens at the field's edge. wrap: it goes on at the other side. reflect: agents bounce. turn: they take any new direction. dish: a round wall. respawn: they go on at a random place.", choices=("wrap", "reflect", "turn", "dish", "respawn"))
    crowding: str = param("free", group="Map", help="Whether a cell holds any number of agents, or one, as in Jones's paper: there a step to a taken cell fails, leaves no scent and ends in a new direction.", choices=("free", "one per cell"))
    sensor_width: int = param(1, 1, 9, "cells", "Map", "How wide each sensor is: it smells the mean over a square so wide. Wide sensors make smoother, slower patterns.")
    exposure: float = param(1.0, 0.001, 1000.0, "x", "Picture", "Brightness of the picture before the palette. Changes nothing in the world.", "log")
    gamma: float = param(1.0, 0.2, 5.0, "", "Picture", "Contrast of the dark tones: above 1 lifts faint trails, below 1 sinks them.", "log")
    palette: str = trait("embers", group="Picture", help="The colours, from empty ground to the strongest trail.", choices=PALETTES)
    map_opacity: float = param(0.4, 0.0, 1.0, "", "Picture", "How much of the map's food and walls is seen in the picture.")
    steps_per_frame: int = param(1, 1, 64, "steps", "Time", "Steps of the model for each 1/60 second shown: the speed of life.")


@dataclasses.dataclass(frozen=True, slots=True)
class Brush:
    """What the mouse paints with. A tool, not part of a look: presets leave it alone."""

    radius: float = param(24.0, 1.0, 256.0, "px", "Brush", "How wide the mouse paints or erases, in field pixels.", "log")
    strength: float = param(2.0, 0.01, 100.0, "x", "Brush", "How much trail a stroke adds at its centre, and how firmly it erases.", "log")
    hardness: float = param(50.0, 0.0, 100.0, "%", "Brush", "How much of the radius takes the whole value, where food, walls or the mask are painted. Low: soft edges.")
    value: float = param(100.0, 0.0, 100.0, "%", "Brush", "What food or the mask becomes under the brush.")
# fmt: on


def specs(declared: type = Params) -> dict[str, Spec]:
    """The declarations of a parameter class by name, in their order."""
    return {
        field.name: dataclasses.replace(field.metadata["spec"], name=field.name)
        for field in dataclasses.fields(declared)
        if "spec" in field.metadata
    }


SPECS = specs()
TRAITS = tuple(spec.name for spec in SPECS.values() if spec.species == 1)


def own_name(trait: str, species: int) -> str:
    """What a species' trait is called, for species counted from 0: `decay`, `decay_2`, ..."""
    return f"{trait}_{species + 1}" if species else trait


@functools.lru_cache(maxsize=64)
def of_species(params: Params, species: int) -> Params:
    """The parameters with a species' traits in the place of the first one's; species are counted from 0."""
    own = {name: getattr(params, own_name(name, species)) for name in TRAITS}
    return dataclasses.replace(params, **own)


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
