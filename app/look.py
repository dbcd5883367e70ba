"""The look that a command asks for: a preset's or a picture's, and what the options make of it."""

import argparse
import dataclasses
from pathlib import Path

import presets
from app.argument_types import WORDS
from app.events import Change, Other
from app.files import user_folder
from app.gestures import map_after
from app.moment_file import read_any
from app.record import Record
from app.species import with_one_more
from kernels.maps import FULL
from kernels.params import Params, check_params
from kernels.scene import LAYERS, STARTS, Layers, Map
from presets import Preset, looks
from presets.pictures import draw_layers, draw_text, read_brightness, read_layers

MASK = LAYERS.index("mask")
GRADIENT = 256  # px wide, a step of the mask each


def find(asked: str | None) -> Preset | Record:
    """What a name or a file stands for; the first preset when nothing is asked for."""
    return presets.shipped()[0] if asked is None else read_any(asked, user_folder())


def asks_for_another(asked: argparse.Namespace) -> bool:
    """Whether the options change a look."""
    return bool(asked.set or asked.look or asked.start or asked.species or asked.map or asked.blend)


def asked_look(source: Preset | Record, asked: argparse.Namespace) -> Preset:
    """A source's look with the species, picture, parameters, start, map and second look that were asked for.

    Raises:
        ValueError: A file or a value cannot be used; one sentence.
    """
    look = as_captured(source)
    if asked.species:
        look = _with_species(look, asked.species)
    if asked.look:
        picture = looks.find(asked.look, looks.look_folder(user_folder()))
        warnings = (*look.warnings, *picture.warnings)
        look = dataclasses.replace(look, params=picture.apply(look.params), warnings=warnings)
    look = dataclasses.replace(look, params=check_params(dict(asked.set), look.params))
    if asked.start:
        look = _beginning(look, asked.start)
    if asked.map:
        words = asked.map.removeprefix(WORDS)
        image = read_layers(Path(asked.map)) if words == asked.map else draw_layers(words, "mask")
        look = dataclasses.replace(look, map=Map(look.map.food, image))
    if asked.blend:
        other = as_captured(find(asked.blend))
        warnings = (*look.warnings, *other.warnings)
        look = dataclasses.replace(look, other=other.params, map=with_mask(look.map), warnings=warnings)
    return look


def _with_species(look: Preset, species: int) -> Preset:
    """A look of so many species in equal parts; those it lacks take after its last."""
    params = look.params
    for there in range(len(look.shares), species):
        params = with_one_more(params, there)
    return dataclasses.replace(look, shares=(1.0,) * species, params=params)


def as_captured(source: Preset | Record) -> Preset:
    """A preset; or the look of a run, as it was when it was captured."""
    if isinstance(source, Preset):
        return source
    params: Params = source.preset.params
    other = source.preset.other
    for event in source.events:
        if isinstance(event, Change):
            params = check_params(event.values, params)
        elif isinstance(event, Other):
            other = event.params
    painted = map_after(source.world, source.events)
    look = dataclasses.replace(source.preset, params=params, other=other, map=painted)
    return look.with_density(source.world.density)


def _beginning(look: Preset, asked: str) -> Preset:
    """A look that begins as a shape, an image or words."""
    words = ""
    if asked in STARTS:
        start = dataclasses.replace(look.start, kind=asked, image=None)
    else:
        if asked.startswith(WORDS):
            words = asked.removeprefix(WORDS).strip()
            image = draw_text(words)
        else:
            image = read_brightness(Path(asked))
        start = dataclasses.replace(look.start, kind="image", image=image)
    return dataclasses.replace(look, start=start, words=words)


def with_mask(map: Map) -> Map:
    """A map whose mask grows to the right, if it has none."""
    image = map.image or Layers(GRADIENT, 1, bytes(GRADIENT * len(LAYERS)))
    if any(image.pixels[MASK :: len(LAYERS)]):
        return map
    row = bytes(x * FULL // max(1, image.width - 1) for x in range(image.width))
    pixels = bytearray(image.pixels)
    pixels[MASK :: len(LAYERS)] = row * image.height
    return Map(map.food, Layers(image.width, image.height, bytes(pixels)))
