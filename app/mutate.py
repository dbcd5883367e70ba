"""Other looks from a look: mutated, drawn anew, or bred from two. Everything follows from a seed.

Each parameter moves in the scale its declaration gives it: geometrically where it is logarithmic, signed
or a measure whose 0 means off; round the circle where it is a direction; else along its range. What is off
stays off and what is on stays on, so that no rule (`kernels.contract.Features`) comes or goes and nothing has
to be compiled in the middle of a show, unless it is asked for.
"""

import dataclasses
import functools
import math
import random
from collections.abc import Callable, Collection, Iterable
from typing import Any

from app.easing import FULL_TURN, is_cyclic, is_wait, mix
from app.recolour import recoloured
from kernels.contract import Features, features
from kernels.handles import points_of, to_text
from kernels.params import LOOK, MAX_SPECIES, SPECS, Params, check_params, of_species
from kernels.spec import Spec, Value
from kernels.world import MIN_SIDE, World

PARTS = "behaviour", "look", "both"

ALONG, GEOMETRIC = 0.25, 0.14  # standard deviation of a move at strength 1, as a share of the natural range
# What the picture's brightness hangs on moves so many times less, and from what it is: it must not go black.
SHY = {"deposit": 0.0, "exposure": 0.2, "gamma": 0.5, "contrast": 0.5}
FROM_ZERO = 1e4  # the range, as a factor, of what is logarithmic but may be 0;
FROM_OFF = 1e2  # and of what is not, but whose sign or 0 means something
WORD, SIGN, WAKE = 0.25, 0.1, 0.25  # chances at strength 1: of another word, another sign, on or off
ATTEMPTS = 20  # at drawing a promising species
LEAST = 1e-12  # of the end of a range: a smaller number is nearly 0, and no factor leads from there
DIGITS = 4  # of a new number: it stands in logs and presets

Draw = random.Random


@functools.cache
def names_of(part: str, species: int = MAX_SPECIES) -> tuple[str, ...]:
    """The parameters of one of `PARTS` that mean something where there are so many species.

    Those on time are of none: they say how fast a look lives, not what it is.
    """
    others = range(
        species if species > 1 else 0, MAX_SPECIES
    )  # liking one's own trail less is a rule of its own
    absent = tuple(f"attraction_to_{whose + 1}" for whose in others)
    return tuple(
        spec.name
        for spec in SPECS.values()
        if spec.group != "Time"
        and part in ("both", "look" if spec.name in LOOK else "behaviour")
        and spec.species <= species
        and spec.trait not in absent
    )


def mutate(
    params: Params,
    strength: float,
    locked: Collection[str] = (),
    seed: object = 0,
    *,
    part: str = "both",
    species: int = MAX_SPECIES,
    wake: bool = False,
) -> Params:
    """A look near another.

    Args:
        params: The look.
        strength: How far each parameter moves: 0 not at all, 1 over a good part of its range.
        locked: Parameters that stay as they are.
        seed: Anything that prints; each parameter's move follows from it alone, whatever else is locked.
        part: What moves, of `PARTS`.
        species: How many there are.
        wake: Whether what is off may come on, and what is on go off.
    """

    def moved(spec: Spec, value: Value, draw: Draw) -> Value:
        return _moved(spec, value, strength, draw, species, wake)

    made = check_params(_draws(params, names_of(part, species), locked, seed, moved), params)
    return made if wake else _with_rules_of(params, made, species)


def randomise(
    params: Params,
    locked: Collection[str] = (),
    seed: object = 0,
    *,
    part: str = "both",
    species: int = MAX_SPECIES,
    wake: bool = False,
) -> Params:
    """A look drawn anew: about the declared defaults, which are a living look, and seldom near an end.

    What is on, of all that is off by default, is drawn about what it is. A species that would hardly live is
    drawn again. The arguments are those of `mutate`.
    """

    def drawn(spec: Spec, value: Value, draw: Draw) -> Value:
        if spec.gradient:
            return recoloured(draw.choice(spec.choices), 1.0, draw)
        begun = value if spec.trait in SHY else spec.default or value
        return _moved(spec, begun, 1.0, draw, species, wake and not spec.default)

    made = params
    for whose in range(species + 1):  # 0: what all share
        names = [name for name in names_of(part, species) if SPECS[name].species == whose]
        for attempt in range(ATTEMPTS if whose and part != "look" else 1):
            values = _draws(params, names, locked, f"{seed}.{attempt}", drawn)
            more = check_params(values, made)
            if whose and is_promising(of_species(more, whose - 1)):
                break
        made = more
    return made if wake else _with_rules_of(params, made, species)


def is_promising(own: Params) -> bool:
    """Whether the first species' agents are likely to grow something that lives; a hunch.

    Of 80 looks drawn without it 47 were alive after 1,500 steps on 320 x 180 (`kernels.statistics.verdict`).
    """
    stirred = own.wander or own.turn_chance or own.respawn or own.lifetime
    freezes = own.diffusion > 7 * own.decay and not stirred  # broad, lasting trails end as a few thick trunks
    blind = own.step_size * 1.5 > own.sensor_distance  # they step beyond what they smell
    scatters = own.rotation_angle < 0 and own.sensor_angle < 60  # from whatever lies ahead
    return not (freezes or blind or scatters)


def breed(
    a: Params, b: Params, seed: object = 0, locked: Collection[str] = (), *, species: int = MAX_SPECIES
) -> Params:
    """A child of two looks: of each parameter it has one parent's value, or one between them.

    Its rules are those of a parent. Locked parameters, and those on time, are the first one's.
    """

    def inherited(spec: Spec, value: Value, draw: Draw) -> Value:
        other: Value = getattr(b, spec.name)
        return mix(spec, value, other, draw.choice((0.0, 0.0, 1.0, 1.0, draw.random())))

    child = check_params(_draws(a, names_of("both", species), locked, seed, inherited), a)
    rules = [_rules(params, species) for params in (a, b, child)]
    return child if rules[2] in rules[:2] else _with_rules_of(a, child, species)


def _draws(
    params: Params,
    names: Iterable[str],
    locked: Collection[str],
    seed: object,
    become: Callable[[Spec, Value, Draw], Value],
) -> dict[str, Value]:
    """What parameters become, each drawn from the seed and its own name."""
    return {
        name: become(SPECS[name], getattr(params, name), random.Random(f"{seed} {name}"))
        for name in names
        if name not in locked
    }


def _rules(params: Params, species: int) -> Features:
    """What is compiled for a look; where that is equal for two, it is equal on any map as well."""
    return features(params, None, World(MIN_SIDE, MIN_SIDE, 1, shares=(1.0,) * species), False, False)


def _with_rules_of(model: Params, made: Params, species: int) -> Params:
    """A look without those of its differences from a model that change the rules."""
    rules = _rules(model, species)
    if _rules(made, species) == rules:
        return made
    changed = {name: value for name in SPECS if (value := getattr(made, name)) != getattr(model, name)}
    names = sorted(changed, key=lambda name: not isinstance(changed[name], float))  # rules are words, mostly

    def add(kept: Params, names: list[str]) -> Params:
        values: Any = {name: changed[name] for name in names}
        more = dataclasses.replace(kept, **values)
        if _rules(more, species) == rules:
            return more
        half = len(names) // 2
        return add(add(kept, names[:half]), names[half:]) if half else kept

    return add(model, names)


def _moved(spec: Spec, value: Value, strength: float, draw: Draw, species: int, wake: bool) -> Value:
    """A value moved at random."""
    if isinstance(value, str):
        return _moved_word(spec, value, strength, draw, species)
    if spec.default == 0 and wake and draw.random() < WAKE * strength:
        return _fresh(spec, draw) if value == 0 else 0.0
    way = draw.gauss() * strength * SHY.get(spec.trait, 1.0)
    if way == 0:
        return value
    if is_cyclic(spec):
        return _rounded(spec, (value + way * ALONG * FULL_TURN) % FULL_TURN)
    if not _is_geometric(spec):
        return _rounded(spec, _folded(value + way * ALONG * (spec.high - spec.low), spec.low, spec.high))
    if value == 0:
        return value
    least = spec.low if spec.low > 0 else min(spec.high / _range(spec), max(abs(value), spec.high * LEAST))
    steps = math.log(abs(value) / least) + way * GEOMETRIC * math.log(_range(spec))
    size = least * math.exp(_folded(steps, 0, math.log(spec.high / least)))
    turned = spec.low < 0 and draw.random() < SIGN * strength
    return _rounded(spec, size if (value > 0) != turned else -size)


def _moved_word(spec: Spec, value: str, strength: float, draw: Draw, species: int) -> str:
    """Another word now and then; of a palette, nearby colours; of a curve, its handles up and down."""
    if spec.gradient:
        return recoloured(value, strength, draw)
    if spec.curve:
        points = points_of(value)
        return to_text(tuple((x, _folded(y + draw.gauss() * strength * ALONG, 0, 1)) for x, y in points))
    known = [word for word in spec.choices if not word.isdigit() or int(word) <= species]
    return draw.choice(known) if draw.random() < WORD * strength else value


def _is_geometric(spec: Spec) -> bool:
    return spec.scale == "log" or spec.low < 0 or spec.default == 0


def _range(spec: Spec) -> float:
    """How many times its least useful value a geometric parameter's greatest is."""
    if spec.low > 0:
        return spec.high / spec.low
    return FROM_ZERO if spec.scale == "log" else FROM_OFF


def _fresh(spec: Spec, draw: Draw) -> Value:
    """A value for what was off: well below the end of its range, above or below 0 where both are."""
    # Chance and deafness dissolve what there is long before their ranges end; light does not.
    down = 0.35 if spec.name in LOOK else 0.5 if spec.low < 0 or is_wait(spec) else 0.8
    size = spec.high * _range(spec) ** -_folded(down + draw.gauss() * GEOMETRIC, 0, 1)
    return _rounded(spec, -size if spec.low < 0 and draw.random() < 0.5 else size)


def _folded(value: float, low: float, high: float) -> float:
    """A number that went past an end of its range, on its way back from there."""
    width = high - low
    return high - abs(width - (value - low) % (2 * width)) if width else low


def _rounded(spec: Spec, value: float) -> Value:
    rounded = round(value) if isinstance(spec.default, int) else float(f"{value:.{DIGITS}g}")
    return type(spec.default)(min(max(rounded, spec.low), spec.high))
