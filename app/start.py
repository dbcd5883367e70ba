"""From what was asked on the command line to what a run starts with."""

import argparse
import dataclasses
from typing import TypeVar

from app.backend import Choice, check_memory, choose
from app.look import asked_look, asks_for_another, find
from app.record import Record
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
        world: Size, agents, seed, shares, start and map.
        choice: The backend.
        steps: Where `render` stops.
        digest: What the field must be there, "sha256:<hex>"; "" when nobody knows.
        notes: Sentences on what a picture cannot bring back, and on what a file says that is unknown.
    """

    source: Preset | Record
    world: World
    choice: Choice
    steps: int
    digest: str = ""
    notes: tuple[str, ...] = ()


def start(asked: argparse.Namespace) -> Start:
    """Finds the source, builds the world and chooses the backend.

    A picture brings its run back. Asked for another world or another look than the recorded ones, it
    only lends its look, as it was when it was captured.

    Raises:
        PresetError: There is no such preset, the file is not one, or an image cannot be read.
        RecordError: The PNG carries no run.
        ValueError: A size or a number of agents is out of range.
        BackendError: The backend cannot be had, or the world does not fit its memory.
    """
    source = find(asked.preset)
    if isinstance(source, Record) and not _asks_for_another_run(source.world, asked):
        choice = _choice(source.world, asked)
        steps = _first(asked.steps, source.step)
        notes = (*source.preset.warnings, *([source.lacks] if source.lacks else []))
        digest = source.digest if source.complete and steps == source.step else ""
        return Start(source, source.world, choice, steps, digest, notes)
    look = asked_look(source, asked)
    world = _world(look, source, asked)
    choice = _choice(world, asked)
    usual = source.step if isinstance(source, Record) else STEPS
    return Start(look, world, choice, _first(asked.steps, usual), notes=look.warnings)


def _choice(world: World, asked: argparse.Namespace) -> Choice:
    choice = choose(asked.backend, interop=not asked.no_interop)
    check_memory(world, choice)
    return choice


def _asks_for_another_run(recorded: World, asked: argparse.Namespace) -> bool:
    size = recorded.width, recorded.height
    wanted = (
        _first(asked.size, size),
        _first(asked.agents, recorded.agents),
        _first(asked.seed, recorded.seed),
    )
    return asks_for_another(asked) or wanted != (size, recorded.agents, recorded.seed)


def _world(look: Preset, source: Preset | Record, asked: argparse.Namespace) -> World:
    size, seed = SIZE, SEED
    agents: int | None = None
    if isinstance(source, Record):
        recorded = source.world
        size, seed = (recorded.width, recorded.height), recorded.seed
        agents = recorded.agents if _first(asked.size, size) == size else None
    width, height = _first(asked.size, size)
    return look.world(width, height, _first(asked.seed, seed), _first(asked.agents, agents))


def _first(asked: T | None, otherwise: T) -> T:
    return otherwise if asked is None else asked
