"""What is compiled before the first frame, and then beside the show, for rules that nobody has used yet."""

import dataclasses
import importlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Any

import presets
from app.backend import TRIAL, TRIALS, Choice, gpu_capability
from app.files import user_folder
from app.notices import Notices
from app.palette import colours
from app.record import Record
from kernels.contract import Features, features
from kernels.maps import rasterise
from kernels.params import MAX_SPECIES, PALETTES, SPECS
from kernels.simulation import Simulation
from presets import Preset

FRAMES_SHOWN = 3  # until a message is on the screen
LONG = 4.0  # seconds: what is kept already is found sooner

GENTLY = "import os, sys; getattr(os, 'nice', int)(10); "  # the show comes first
BUILDERS = {
    "cpu": "from kernels.cpu import prepare_rules; prepare_rules()",
    "cuda": "from app.ahead import build_gpu_rules; build_gpu_rules(*sys.argv[1:])",
}
HELD_UP = {"cpu": "half a minute", "cuda": "a few seconds"}  # a frame, for as long as it compiles a rule
COMPILING = "Rules that nothing shown needs yet are being compiled, once. Until that is done, turning one on "
COMPILING += "may hold the picture up for {}."
COMPILED = "The other rules are compiled now."


class FirstSteps:
    """Compiles what a run begins with, while the window says so.

    Args:
        source: The look, or the record of a run.
        choice: The backend.
    """

    def __init__(self, source: Preset | Record, choice: Choice) -> None:
        self.look = source.preset if isinstance(source, Record) else source
        self.backend = choice.backend
        self.frames = 0
        self.failure: BaseException | None = None
        self.thread = threading.Thread(target=self._compile, daemon=True)
        if self.backend != "cuda":  # CUDA belongs to the thread that owns OpenGL
            self.thread.start()

    def done(self) -> bool:
        """Whether all is compiled; call it for each frame that says it is not.

        Raises:
            BaseException: What went wrong with it.
        """
        self.frames += 1
        if self.backend == "cuda" and self.frames > FRAMES_SHOWN:
            self._compile()
        elif self.backend == "cuda" or self.thread.is_alive():
            return False
        if self.failure:
            raise self.failure
        return True

    def _compile(self) -> None:
        try:
            trial = self.look.world(TRIAL.width, TRIAL.height, agents=TRIAL.agents)
            Simulation(trial, self.look.params, self.backend, self.look.other).step(1)
            for palette in PALETTES:
                colours(palette)  # the first use of one takes up to 25 ms
        except BaseException as error:  # raised by the frame that waits for this thread
            self.failure = error


class Ahead:
    """Has rules compiled and kept before a step needs them, by a process beside this one.

    A step that needs what was never compiled holds its frame up: on a CPU for half a minute, once for all
    rules; on a GPU for seconds, for each set of rules. So on a GPU the sets of all presets are asked for, and
    those that are one change away from what is shown.

    Args:
        choice: The backend.
        notices: Where people are told, if it takes long.
    """

    def __init__(self, choice: Choice, notices: Notices) -> None:
        self.backend = choice.backend
        self.notices = notices
        self.asked: set[tuple[str, ...]] = set()
        self.followed: object = None
        self.process: subprocess.Popen[bytes] | None = None
        self.since = 0.0
        self.told = False

    def follow(self, simulation: Simulation, now: float) -> None:
        """Call it for each frame; starts the process when another set of rules is shown.

        Args:
            simulation: What is shown.
            now: Seconds of a clock that never goes back.
        """
        if self.process:
            if self.process.poll() is None:
                if not self.told and now - self.since > LONG:
                    self.notices.say(COMPILING.format(HELD_UP[self.backend]))
                    self.told = True
                return
            if self.told and self.process.returncode == 0:
                self.notices.say(COMPILED)
            self.process, self.told = None, False
        shown = simulation.world.width, self.backend == "cuda" and simulation.buffers.features
        if shown == self.followed or self.backend not in BUILDERS:
            return
        self.followed = shown
        arguments = self._arguments(simulation)
        if arguments is not None and arguments not in self.asked:
            self.asked.add(arguments)
            self.process, self.since = _started(self.backend, arguments), now

    def _arguments(self, simulation: Simulation) -> tuple[str, ...] | None:
        """What the process is told; None where there is nothing to compile."""
        if self.backend == "cpu":
            return None if importlib.import_module("kernels.cpu").rules_are_ready() else ()
        even = simulation.world.width % 16 == 0
        return json.dumps(dataclasses.asdict(simulation.buffers.features)), json.dumps(even)

    def close(self) -> None:
        """Ends the process; what it has compiled is kept."""
        if self.process:
            self.process.terminate()
            self.process.wait()


def _started(backend: str, arguments: tuple[str, ...]) -> "subprocess.Popen[bytes] | None":
    """A process of low priority that builds; None where there is no Python to run it."""
    if getattr(sys, "frozen", False) or not sys.executable:
        return None
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(
        [sys.executable, "-c", GENTLY + BUILDERS[backend], *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=nowhere,
        stdout=nowhere,
        stderr=nowhere,
        creationflags=getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0),  # Windows has no `nice`
    )


def build_gpu_rules(shown: str, even: str) -> None:
    """Compiles for the GPU what is not kept yet, a set of rules at a time; needs no CUDA for it.

    Args:
        shown: The `Features` shown, as JSON.
        even: Whether rows are a multiple of 16 cells, as JSON.
    """
    from kernels.gpu_build import build_ahead
    from kernels.gpu_launch import kernels_for

    capability, world = gpu_capability(), TRIALS[0 if json.loads(even) else 1]
    for rules in dict.fromkeys([*of_presets(), *near(Features(**json.loads(shown)))]):
        kernels = vars(kernels_for(world, rules)).values()
        build_ahead([kernel.recipe for kernel in kernels if kernel], capability)


def of_presets() -> Iterator[Features]:
    """What the steps of each preset have to do."""
    for entry in presets.listing(user_folder()):
        if preset := entry.preset:
            world = preset.world(TRIAL.width, TRIAL.height)
            maps = rasterise(preset.map, TRIAL.width, TRIAL.height)
            ground, mask = bool(maps.ground().any()), bool(maps.blend().any())
            yield features(preset.params, preset.other, world, ground, mask)


def near(shown: Features) -> Iterator[Features]:
    """What steps have to do after one change: a rule on or off, another boundary, a species more or less."""
    width = SPECS["sensor_width"]
    values: dict[str, Iterable[Any]] = {
        "species": range(max(1, shown.species - 1), min(MAX_SPECIES, shown.species + 1) + 1),
        "boundary": [choice for choice in SPECS["boundary"].choices if choice != "dish"],
        "sensor_width": range(int(width.low), int(width.high) + 1),
    }
    for field in dataclasses.fields(shown):
        for value in values.get(field.name, (False, True)):
            changed: dict[str, Any] = {field.name: value}
            yield _sound(dataclasses.replace(shown, **changed))
    yield dataclasses.replace(shown, boundary="turn", ground=True)  # a dish


def _sound(rules: Features) -> Features:
    """The rules as `contract.features` would have them, which knows that some go together."""
    return dataclasses.replace(
        rules,
        responses=rules.responses or rules.blend,
        joins=rules.joins and rules.species > 1,
        crowds=rules.crowds or rules.blend,
        attraction=rules.attraction and rules.species == 1,
    )
