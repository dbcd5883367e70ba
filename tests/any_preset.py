"""Strategies that several tests share: any parameters, and any preset that a file can hold."""

from hypothesis import strategies as st
from looks import texts

from kernels.params import SPECS, check_params, specs
from kernels.scene import START_SPECS, STARTS, Food, Layers, Map, Picture, Start
from kernels.spec import Spec
from presets import DENSITY, Preset
from presets.preset import MAX_TAG, MAX_TAGS, MAX_TEXT

CURVES = "", "0 0, 1 1", "0 1, 0.25 0.5, 0.3333 0, 1 0.0001"


def values(spec: Spec) -> st.SearchStrategy:
    if spec.curve:
        return st.sampled_from(CURVES)
    if spec.choices:
        return st.sampled_from(spec.choices)
    if isinstance(spec.default, int):
        return st.integers(int(spec.low), int(spec.high))
    return st.floats(spec.low, spec.high)


@st.composite
def some_values(draw: st.DrawFn) -> dict:
    """A few of the parameters: drawing all of them would take too long."""
    names = draw(st.lists(st.sampled_from(list(SPECS)), unique=True, max_size=9))
    return {name: draw(values(SPECS[name])) for name in names}


@st.composite
def images(draw: st.DrawFn, kind: type, layers: int):
    width, height = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    size = width * height * layers
    pixels = draw(st.binary(min_size=size, max_size=size).filter(any))
    return kind(width, height, pixels)


def built(made: type, declared: dict[str, Spec], **more: st.SearchStrategy) -> st.SearchStrategy:
    return st.builds(made, **{name: values(spec) for name, spec in declared.items()} | more)


SHAPES = st.sampled_from([kind for kind in STARTS if kind != "image"])
IMAGES = images(Picture, 1)
BEGINNINGS = st.one_of(
    built(Start, START_SPECS, kind=SHAPES, image=st.none()),
    built(Start, START_SPECS, kind=st.just("image"), image=IMAGES),
)
FOOD = st.lists(built(Food, specs(Food)), max_size=3).map(tuple)
MAPS = st.builds(Map, FOOD, st.none() | images(Layers, 3))
SHARES = st.lists(st.floats(0.001, 1000.0), min_size=1, max_size=4).map(tuple)
PARAMS = some_values().map(check_params)
LINES = texts(MAX_TEXT)
PRESETS = st.builds(
    Preset,
    name=st.just("look"),
    title=LINES,
    credit=LINES,
    density=values(DENSITY),
    params=PARAMS,
    tags=st.lists(texts(MAX_TAG).filter(str.strip), max_size=MAX_TAGS).map(tuple),
    shares=SHARES,
    start=BEGINNINGS,
    map=MAPS,
    other=st.none() | PARAMS,
)
