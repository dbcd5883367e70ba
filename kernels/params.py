"""Every live parameter, declared once.

One line of `Params` is all there is to a parameter: preset files, sliders, tooltips, the command
line (`--set decay=0.2`), the numbers the kernels read and README's table all come from it. A line that
says `trait` stands for one parameter of each species: `decay` is the first one's, `decay_2` the second's.
"""

import dataclasses
import functools
from collections.abc import Mapping
from typing import TypeVar

from kernels.spec import Spec, Value, param, trait

T = TypeVar("T")

MAX_SPECIES = 4

PALETTES = (
    "embers", "lichen", "abyss", "frost", "bone", "copper", "petri", "neon", "ink",
    "inferno", "magma", "viridis", "cividis",
)  # fmt: skip

TONES = ("exponential", "none", "reinhard", "filmic", "aces", "agx")
COLOUR_BY = ("density", "age", "heading", "distance")

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
    auto_exposure: float = param(0.0, 0.0, 1.0, "", "Picture", "How far the exposure follows the trail by itself: at 1 its brightest parts stay as bright, whatever becomes of it. Measured every 32 steps, so that a run repeats its pictures.")
    tone: str = param("exponential", group="Picture", help="How ever denser trails come to the palette's end. exponential: as light fades in ink. none: straight, then cut off. reinhard: slowly, much is left for crowds. filmic, aces: with a dark toe and a bright shoulder. agx: very gently.", choices=TONES)
    gamma: float = param(1.0, 0.2, 5.0, "", "Picture", "Above 1 lifts faint trails, below 1 sinks them.", "log")
    contrast: float = param(1.0, 0.2, 5.0, "", "Picture", "How steep the middle tones are. High: poster-like, trails or ground and little between. Low: flat and soft.", "log")
    palette: str = trait("embers", group="Picture", help="The colours, from empty ground to the strongest trail.", choices=PALETTES, gradient=True)
    colour_by: str = param("density", group="Picture", help="What takes a colour from the palette; density always says how strong it is. age: how long a trail has been there. heading: which way a vein runs. distance: how far from the middle of the field.", choices=COLOUR_BY)
    age_memory: float = param(240.0, 16.0, 10000.0, "steps", "Picture", "Where colour is by age: how long it takes for a trail to count as old.", "log")
    map_opacity: float = param(0.4, 0.0, 1.0, "", "Picture", "How much of the map's food and walls is seen in the picture.")
    bloom: float = param(0.0, 0.0, 4.0, "", "Light", "How much the bright parts glow into their surroundings. On a light ground, ink bleeds.")
    bloom_threshold: float = param(0.3, 0.0, 2.0, "", "Light", "How far a colour must stand out from the ground to glow.")
    bloom_knee: float = param(0.5, 0.0, 1.0, "", "Light", "How softly the glow sets in at the threshold. 0: at once.")
    bloom_radius: float = param(3.0, 0.2, 20.0, "%", "Light", "How far the glow reaches, in hundredths of the picture's height.", "log")
    sparkle: float = param(0.0, 0.0, 4.0, "", "Light", "How much the agents themselves are seen, as grains on their trails. With little exposure: agents alone.")
    ridge: float = param(0.0, 0.0, 1.0, "", "Light", "How much a lamp lights the trail as if it were a landscape.")
    ridge_height: float = param(4.0, 0.1, 50.0, "px", "Light", "How high the landscape of the trail stands, in pixels of the field.", "log")
    ridge_gloss: float = param(0.3, 0.0, 2.0, "", "Light", "How much the landscape shines, as if wet.")
    lamp_direction: float = param(135.0, 0.0, 360.0, "°", "Light", "Where the lamp stands: 0 right, 90 above, 180 left, 270 below.")
    lamp_height: float = param(35.0, 2.0, 90.0, "°", "Light", "How high the lamp stands. Low: long, hard relief. High: flat.")
    grain: float = param(0.0, 0.0, 1.0, "", "Finish", "Grain as of film, another in each step.")
    vignette: float = param(0.0, 0.0, 1.0, "", "Finish", "How much the picture's corners sink back to the ground.")
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
LOOK = tuple(
    spec.name for spec in SPECS.values() if spec.group in ("Picture", "Light", "Finish")
)  # no kernel reads these
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
