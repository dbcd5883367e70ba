"""The watch on the picture: what it finds, when it warns, and how it brings life back."""

import dataclasses
from collections import deque
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from app.cures import WARNINGS
from app.session import Session
from app.watch import BARS, CURE_STEPS, HOLD, KEPT, YOUNG, Watch, responses, see
from kernels.params import Params, check_params
from kernels.simulation import Simulation
from kernels.statistics import STEPS_APART
from kernels.world import World
from presets import Preset

Floats = NDArray[np.float32]


def spots(shift: int = 0) -> Floats:
    """A still picture [64, 64], or that picture moved."""
    y, x = np.mgrid[:64, :64] * (2 * np.pi / 16)
    return np.roll(np.maximum(np.sin(x) + np.sin(y), 0), shift, 1).astype(np.float32)


@dataclasses.dataclass
class Run:
    """Stands in for a session: a picture for each step, and parameters that may be changed."""

    picture: Callable[[int], Floats]
    params: Params = dataclasses.field(default_factory=Params)
    steps: int = 0
    script: deque[object] = dataclasses.field(default_factory=deque)
    changes: list[tuple[int, dict[str, float]]] = dataclasses.field(default_factory=list)
    glimpses: int = 0
    counts: int = 0

    @property
    def simulation(self) -> "Run":
        return self

    @property
    def look(self) -> Params:
        return self.params

    @property
    def world(self) -> World:
        """Whose exposure suits the pictures."""
        species = len(np.atleast_3d(self.picture(0).T).T)
        return World(64, 64, 900, "watch", (1.0,) * species)

    def glimpse(self, side: int) -> tuple[Floats, NDArray[np.int32]]:
        self.counts += 1
        trail = self.glimpse_trail(side)
        return trail, np.ones(trail.shape, np.int32)

    def glimpse_trail(self, side: int) -> Floats:
        self.glimpses += 1
        return np.atleast_3d(self.picture(self.steps).T).T

    def change(self, **values: float) -> None:
        self.changes.append((self.steps, values))
        self.params = check_params(values, self.params)


def live(watch: Watch, run: Run, seconds: float, may_change: bool = True, start: float = 0.0) -> float:
    """Frames of 1/20 s and 5 steps, each after what the thread is at; returns when they end."""
    for frame in range(round(seconds * 20)):
        run.steps += 5
        if watch.pending:
            watch.pending.result()
        watch.look(run, start + frame / 20, may_change)  # type: ignore[arg-type]
    return start + seconds


def still(steps: int) -> Floats:
    return spots()


def drifting(steps: int) -> Floats:
    return spots(steps // 5)


OLD = YOUNG / 100  # seconds, at 100 steps a second


def test_a_living_picture_is_left_alone_and_remembered() -> None:
    watch, run = Watch(), Run(drifting)
    watch.revive = True
    live(watch, run, OLD + HOLD + 10)
    assert watch.warning == ""
    assert not run.changes
    seconds = OLD + HOLD + 10
    assert seconds - 3 <= len(watch.motion) == len(watch.coverage) == len(watch.entropy) <= seconds
    assert min(watch.motion) > 0.1
    assert run.glimpses <= 2 * seconds + 2
    assert run.counts <= run.glimpses / 2, "agents are counted in the second half of a look alone"
    live(watch, run, 2 * KEPT, start=seconds)
    assert len(watch.motion) == KEPT


def test_a_paused_world_is_not_looked_at_again() -> None:
    watch, run = Watch(), Run(drifting)
    for frame in range(100):
        watch.look(run, frame)  # type: ignore[arg-type]
    assert run.glimpses == 1
    run.steps = STEPS_APART - 1
    watch.look(run, 100)  # type: ignore[arg-type]
    assert run.glimpses == 1
    run.steps += 1
    watch.look(run, 101)  # type: ignore[arg-type]
    assert run.glimpses == 2


def test_people_are_told_of_what_lasts() -> None:
    watch, run = Watch(), Run(still)
    now = live(watch, run, OLD + HOLD - 1)
    assert watch.warning == ""
    now = live(watch, run, 3, start=now)
    assert watch.warning == WARNINGS["frozen"]
    run.picture = drifting
    live(watch, run, 3, start=now)
    assert watch.warning == ""
    assert not run.changes  # it was not asked to


def test_a_restart_begins_anew() -> None:
    watch, run = Watch(), Run(still)
    now = live(watch, run, OLD + HOLD + 3)
    assert watch.warning
    assert watch.motion
    run.steps = 0
    live(watch, run, 0.1, start=now)
    assert (watch.warning, watch.motion, watch.histogram) == ("", [], [])


def test_a_revival_stirs_for_a_while_and_puts_everything_back() -> None:
    watch, run = Watch(), Run(still, Params(wander=3, respawn=5000))
    watch.revive = True
    now = live(watch, run, OLD + HOLD + 3)
    (began, values), *more = run.changes
    assert not more
    assert values == {"wander": 20.0, "respawn": 150.0}
    assert watch.reviving
    live(watch, run, CURE_STEPS / 100 + 1, start=now)
    assert not watch.reviving
    assert run.changes[1:] == [(began + CURE_STEPS, {"wander": 3.0, "respawn": 5000.0})]
    assert run.params == Params(wander=3, respawn=5000)


def test_a_revival_leaves_what_a_person_has_turned_since() -> None:
    watch, run = Watch(), Run(still)
    watch.revive = True
    live(watch, run, OLD + HOLD + 3)
    run.change(wander=45.0)
    watch.settle(run)  # type: ignore[arg-type]
    assert (run.params.wander, run.params.respawn) == (45.0, 0.0)
    assert not watch.reviving
    watch.settle(run)  # type: ignore[arg-type]
    assert len(run.changes) == 3


@pytest.mark.parametrize("how", ["may not", "script"])
def test_a_replay_is_never_changed(how: str) -> None:
    watch, run = Watch(), Run(still)
    watch.revive = True
    if how == "script":
        run.script.append("an event still to come")
    live(watch, run, OLD + HOLD + 5, may_change=how != "may not")
    assert watch.warning
    assert not run.changes


def test_a_fault_of_the_parameters_is_not_stirred() -> None:
    rng = np.random.default_rng(3)
    watch, run = Watch(), Run(lambda steps: rng.random((64, 64), np.float32))
    watch.revive = True
    live(watch, run, OLD + HOLD + 5)
    assert watch.warning == WARNINGS["noise"]
    assert not run.changes


def test_only_the_species_that_fail_are_revived() -> None:
    watch, run = Watch(), Run(lambda steps: np.stack([0.001 * drifting(steps), spots()]))
    watch.revive = True
    live(watch, run, OLD + HOLD + 3)
    assert run.changes[0][1].keys() == {"wander_2", "respawn_2"}


def test_without_one_that_fails_alone_all_are_concerned() -> None:
    pictures = np.stack([spots(), spots(4)])
    world = World(64, 64, 900, "watch", (1.0, 1.0))
    sight = see(pictures, pictures, np.ones((2, 64, 64), np.int32), Params(), world, Params())
    assert sight.failing == [0, 1]


def test_the_histogram_weighs_by_agents() -> None:
    trail = np.zeros((2, 16, 16), np.float32)
    counts = np.zeros((2, 16, 16), np.int32)
    trail[0, 0, :2] = 2.0, 100.0
    counts[0, 0, :3] = 3, 1, 4
    params = Params(sense_scale=0.25, sense_scale_2=0.25, attraction_to_1_2=1)
    first, second = responses(trail, counts, params)
    assert first.shape == (BARS,)
    assert first[[0, BARS // 2, -1]].tolist() == [0.5, 0.375, 0.125]
    assert not second.any()
    counts[1, 0, 0] = 7
    assert responses(trail, counts, params)[1][BARS // 2] == 1  # it smells the first one's trail


def test_a_revival_of_a_session_is_repeated_by_its_log(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(48, 40, 400, "watch", (1.0, 1.0))
    session, again = (Session(Preset("", "Still"), world, "reference") for _ in range(2))
    seen = np.stack([spots(), spots()]), np.ones((2, 64, 64), np.int32)
    monkeypatch.setattr(session.simulation, "glimpse", lambda side: seen)
    monkeypatch.setattr(session.simulation, "glimpse_trail", lambda side: seen[0])
    watch = Watch()
    watch.revive = True
    for second in range(32):
        session.advance(50)
        if watch.pending:
            watch.pending.result()
        watch.look(session, float(second))
    assert len(session.log) == 2
    again.script.extend(session.log)
    again.advance(session.steps)
    assert again.params == session.params == Params()
    assert again.simulation.digest() == session.simulation.digest()
    plain = Simulation(world, Params(), "reference")
    plain.step(session.steps)
    assert plain.digest() != session.simulation.digest()
