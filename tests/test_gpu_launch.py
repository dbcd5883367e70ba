"""What is launched and timed on a GPU, with a device that does nothing; `test_gpu.py` has a real one."""

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from app.backend import TRIALS
from kernels.contract import PASSES, Features
from kernels.world import World


class Event:
    """Passes when told to; its moment counts the records of all events."""

    moments = 0

    def __init__(self) -> None:
        self.recorded = self.moment = 0

    def record(self) -> None:
        Event.moments += 1
        self.recorded = Event.moments

    def passed(self) -> bool:
        return self.moment == self.recorded

    def seconds_since(self, earlier: "Event") -> float:
        return float(self.moment - earlier.moment)


MODULES = "kernels.gpu_watch", "kernels.gpu_buffers", "kernels.gpu_launch"


@pytest.fixture
def launch_module(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """`kernels.gpu_launch`, whose kernels are their recipes."""
    found = ModuleType("kernels.gpu_device")
    device = SimpleNamespace(Event=Event, Kernel=lambda recipe: recipe)
    vars(found).update(device=device, INTERPRETED=False)
    monkeypatch.setitem(sys.modules, "kernels.gpu_device", found)
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module("kernels.gpu_launch")
    for name in MODULES:
        sys.modules.pop(name, None)


@pytest.fixture
def watch(launch_module: Any) -> Any:
    return importlib.import_module("kernels.gpu_watch").Stopwatch()


def test_the_trial_builds_every_kernel(launch_module: Any) -> None:
    """Else a later world would import Triton once OpenGL is open, or keep a frame waiting for a compiler."""

    def recipes(world: World) -> set[Any]:
        return set(vars(launch_module.kernels_for(world, Features())).values())

    built = set().union(*map(recipes, TRIALS))
    for width in (16, 17, 401, 1366, 1920, 4096, 32767, 32768):
        assert recipes(World(width, 64, 100)) <= built
    assert recipes(TRIALS[0]) != recipes(TRIALS[1])


def launch(watch: Any, what: str) -> None:
    for name in {"step": ("agents", "field", "end"), "order": ("order", "ordered")}[what]:
        watch.mark(name)
    watch.asked(what)


def run(watch: Any) -> None:
    for event in watch._marks.values():
        event.moment = event.recorded


def test_nothing_is_known_before_a_step_is_timed(watch: Any) -> None:
    assert watch.pass_seconds(16) == {}
    watch.sample()
    assert watch.wanted == {"step", "order"}
    launch(watch, "order")
    run(watch)
    assert watch.pass_seconds(16) == {}


def test_all_passes_are_told_with_the_step(watch: Any) -> None:
    """Also while no order has been timed yet: whoever draws the table finds every pass."""
    watch.sample()
    launch(watch, "step")
    assert watch.pass_seconds(16) == {}
    run(watch)
    assert watch.pass_seconds(16) == dict(zip(PASSES, (1.0, 1.0, 0.0), strict=True))
    launch(watch, "order")
    run(watch)
    assert watch.pass_seconds(16) == dict(zip(PASSES, (1.0, 1.0, 1 / 16), strict=True))


def test_what_is_under_way_is_not_timed_again(watch: Any) -> None:
    """A step that begins anew would mix its beginning with the end of the one before."""
    watch.sample()
    launch(watch, "step")
    watch.sample()
    assert watch.wanted == {"order"}
    run(watch)
    watch.sample()
    assert watch.wanted == {"step", "order"}
