"""From what was asked on the command line to what a run starts with."""

import argparse
import dataclasses
from typing import TypeVar

import presets
from app.backend import Choice, check_memory, choose
from app.files import user_folder
from app.record import Change, Record, read_any
from kernels.params import Params, Value, check_params
from kernels.world import World
from presets import Preset

T = TypeVar("T")

SIZE = 1280, 720  # px
SEED = "1"
STEPS = 600  # of a rendered preset: grown, and a few seconds on two cores


@dataclasses.dataclass(frozen=True, slots=True)
class Start:
    """All that a run starts with.

    Attributes:
        source: The look, or the recorded run to repeat.
        world: Size, agents and seed.
        choice: The backend.
        steps: Where `render` stops.
        digest: What the field must be there, "sha256:<hex>"; "" when nobody knows.
        note: A sentence on what the picture cannot bring back; "" for nothing.
    """

    source: Preset | Record
    world: World
    choice: Choice
    steps: int
    digest: str = ""
    note: str = ""


def start(asked: argparse.Namespace) -> Start:
    """Finds the source, builds the world and chooses the backend.

    A picture brings its run back. Asked for another world or other parameters than the recorded ones,
    it only lends its look, as it was when it was captured.

    Raises:
        PresetError: There is no such preset, or the file is not one.
        RecordError: The PNG carries no run.
        ValueError: A size or a number of agents is out of range.
        BackendError: The backend cannot be had, or the world does not fit its memory.
    """
    source = find(asked.preset)
    recorded = source.world if isinstance(source, Record) else None
    look = _look(source, dict(asked.set))
    world = _world(look, recorded, asked)
    choice = choose(asked.backend, interop=not asked.no_interop)
    check_memory(world, choice)
    if not isinstance(source, Record):
        return Start(look, world, choice, _first(asked.steps, STEPS))
    steps = _first(asked.steps, source.step)
    if asked.set or world != recorded:
        return Start(look, world, choice, steps)
    comparable = source.complete and steps == source.step
    return Start(source, world, choice, steps, source.digest if comparable else "", source.lacks)


def find(asked: str | None) -> Preset | Record:
    """What a name or a file stands for; the first preset when nothing is asked for."""
    return presets.shipped()[0] if asked is None else read_any(asked, user_folder())


def _look(source: Preset | Record, settings: dict[str, Value]) -> Preset:
    if isinstance(source, Preset):
        return dataclasses.replace(source, params=check_params(settings, source.params))
    params: Params = source.preset.params
    for event in source.events:
        if isinstance(event, Change):
            params = check_params(event.values, params)
    look = dataclasses.replace(source.preset, params=check_params(settings, params))
    return look.with_density(source.world.density)


def _world(look: Preset, recorded: World | None, asked: argparse.Namespace) -> World:
    base = recorded or World(*SIZE, look.agents(*SIZE), SEED)
    width, height = _first(asked.size, (base.width, base.height))
    if (width, height) != (base.width, base.height):
        base = dataclasses.replace(base, width=width, height=height, agents=look.agents(width, height))
    return dataclasses.replace(
        base, agents=_first(asked.agents, base.agents), seed=_first(asked.seed, base.seed)
    )


def _first(asked: T | None, otherwise: T) -> T:
    return otherwise if asked is None else asked
