"""The panel's section on speed, with a world whose passes take what the test says."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from imgui_bundle import imgui
from moderngl_window.context.headless import Window
from overlay_scene import inside, panel, pixels, show
from overlay_scene import overlay as overlay  # fixtures
from overlay_scene import window as window

from app.backend import Choice
from app.overlay import Overlay
from app.overlay_style import PLOTS
from app.panel import Panel
from app.profile import FRAME_SERIES, SAMPLES, SERIES, History, Profile, table
from app.studio import Studio
from kernels.contract import PASSES
from kernels.simulation import Simulation
from kernels.world import World
from presets import Preset

WORLD = World(64, 48, 600, "profile")
TIMES = {"agents": 0.004, "field": 0.001, "order": 0.0005}


class Clock:
    """What a timed backend would say, and how often it was asked."""

    def __init__(self) -> None:
        self.samples = self.bandwidths = 0
        self.seconds = TIMES

    def bandwidth(self) -> float:
        self.bandwidths += 1
        return 1e9


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(Simulation, "sample", lambda _: setattr(clock, "samples", clock.samples + 1))
    monkeypatch.setattr(Simulation, "pass_seconds", property(lambda _: dict(clock.seconds)))
    monkeypatch.setattr(Simulation, "bandwidth", lambda _: clock.bandwidth())
    return clock


@pytest.fixture
def studio(tmp_path: Path) -> Studio:
    look = Preset("look", "Look", density=0.2)
    return Studio(look, WORLD, Choice("reference", False, "NumPy", "for a test"), tmp_path)


def watch(overlay: Overlay, profile: Profile, studio: Studio, seconds: float, steps: int = 1) -> None:
    """Frames of 50 ms with the section open."""
    for _ in range(round(seconds * 20)):
        studio.session.advance(steps)
        with overlay.frame(0.05):
            panel(lambda: profile.draw(studio))


def test_history_keeps_the_last_minute_in_the_same_memory() -> None:
    history = History()
    memory = history.values
    for sample in range(SAMPLES + 7):
        history.add({name: sample / 1000 + place for place, name in enumerate(SERIES)})
        assert history.count == min(sample + 1, SAMPLES)
    assert history.values is memory
    for place, name in enumerate(SERIES):
        np.testing.assert_allclose(history.of(name), np.arange(7, SAMPLES + 7) + 1000 * place)
    np.testing.assert_allclose(history.stacked[2], history.of("agents") * 3 + 3000)


def test_figures_of_the_passes() -> None:
    rows = table(TIMES, World(1000, 500, 100_000), 2e10)
    assert rows == [
        ("agents", "4.00", "1.60", "0.400", "2 %"),
        ("field", "1.00", "8.00", "8.00", "40 %"),
        ("order", "0.500", "-", "-", "-"),
        ("step", "5.50", "9.60", "1.75", "9 %"),
    ]


@pytest.mark.parametrize("seconds", [0.0, 1e-9, 1e3])
def test_figures_of_odd_times(seconds: float) -> None:
    rows = table(dict.fromkeys(PASSES, seconds), World(16, 16, 1), 0.0)
    assert [row[0] for row in rows] == [*PASSES, "step"]
    assert {row[4] for row in rows} == {"-"}, "without a bandwidth there is no floor"


def test_colours_follow_what_is_drawn() -> None:
    assert tuple(PLOTS["passes"]) == (*reversed(PASSES), "floor")
    assert tuple(PLOTS["frames"]) == FRAME_SERIES


def test_closed_it_measures_nothing(overlay: Overlay, studio: Studio, clock: Clock) -> None:
    whole = Panel()
    for _ in range(10):
        with overlay.frame(0.5):
            whole.draw(studio)
    assert (clock.samples, clock.bandwidths) == (0, 0)


def test_open_it_samples_four_times_a_second(overlay: Overlay, studio: Studio, clock: Clock) -> None:
    profile = Profile()
    watch(overlay, profile, studio, 4.0)
    assert clock.bandwidths == 1
    assert 14 <= clock.samples <= 16
    assert profile.history.count == clock.samples - 1, "the first was only asked for"
    np.testing.assert_allclose(profile.history.stacked[:, -1], [4.0, 5.0, 5.5])
    np.testing.assert_allclose(profile.history.of("floor"), (16 * 600 + 16 * 64 * 48) / 1e6)
    np.testing.assert_allclose(profile.history.of("mean frame"), 50.0)


def test_the_message_is_on_the_screen_before_the_memory_is_measured(
    overlay: Overlay, studio: Studio, clock: Clock
) -> None:
    profile = Profile()
    watch(overlay, profile, studio, 0.1)
    assert clock.bandwidths == 0
    watch(overlay, profile, studio, 0.1)
    assert clock.bandwidths == 1


def test_memory_that_cannot_be_measured_is_a_notice(
    overlay: Overlay, studio: Studio, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Any) -> float:
        raise MemoryError("No memory for a large copy.")

    monkeypatch.setattr(Simulation, "bandwidth", refuse)
    profile = Profile()
    watch(overlay, profile, studio, 2.0)
    assert studio.notices.current() == ["No memory for a large copy."]
    assert profile.history.count > 3
    assert (profile.history.of("floor") == 0).all()


def test_a_longest_frame_is_seen(overlay: Overlay, studio: Studio, clock: Clock) -> None:
    profile = Profile()
    watch(overlay, profile, studio, 1.0)
    with overlay.frame(0.2):
        profile.draw(studio)
    watch(overlay, profile, studio, 0.5)
    assert profile.history.of("longest frame").max() == pytest.approx(200.0)


def test_a_paused_world_adds_nothing(overlay: Overlay, studio: Studio, clock: Clock) -> None:
    profile = Profile()
    watch(overlay, profile, studio, 1.0)
    watch(overlay, profile, studio, 0.5, steps=0)  # what was asked for before is still taken
    count, samples = profile.history.count, clock.samples
    assert count > 2
    watch(overlay, profile, studio, 2.0, steps=0)
    assert (profile.history.count, clock.samples) == (count, samples)


def test_before_a_time_is_known_nothing_is_told(overlay: Overlay, studio: Studio, clock: Clock) -> None:
    clock.seconds = {}
    profile = Profile()
    watch(overlay, profile, studio, 1.0)
    assert profile.history.count == 0
    assert clock.samples > 2


@pytest.mark.parametrize("known", ["agents", "field", "order"])
def test_a_step_is_told_whole(overlay: Overlay, studio: Studio, clock: Clock, known: str) -> None:
    clock.seconds = {known: 0.001}
    profile = Profile()
    watch(overlay, profile, studio, 1.0)
    assert (profile.history.count, profile.rows) == (0, [])


def test_an_order_may_still_be_to_come(overlay: Overlay, studio: Studio, clock: Clock) -> None:
    clock.seconds = {"agents": 0.004, "field": 0.001}
    profile = Profile()
    watch(overlay, profile, studio, 1.0)
    assert profile.rows[2] == ("order", "-", "-", "-", "-")
    assert profile.rows[3][:2] == ("step", "5.00")
    np.testing.assert_allclose(profile.history.stacked[:, -1], [4.0, 5.0, 5.0])
    clock.seconds = TIMES
    watch(overlay, profile, studio, 1.0)
    assert profile.rows[2][1] == "0.500"


def test_history_outlives_a_preset_and_not_a_new_size(overlay: Overlay, studio: Studio, clock: Clock) -> None:
    profile = Profile()
    watch(overlay, profile, studio, 2.0)
    count = profile.history.count
    studio.load_preset(Preset("dense", "Dense", density=1.0))
    assert studio.session.world.agents > WORLD.agents
    watch(overlay, profile, studio, 1.0)
    assert profile.history.count > count
    assert profile.history.of("floor")[-1] > profile.history.of("floor")[0]
    studio.rebuild(dataclasses.replace(WORLD, width=80))
    watch(overlay, profile, studio, 1.0)
    assert 0 < profile.history.count < count


def test_the_plots_are_drawn(window: Window, overlay: Overlay, studio: Studio, clock: Clock) -> None:
    profile = Profile()
    watch(overlay, profile, studio, 1.0)
    for _ in range(SAMPLES):
        profile.history.add(TIMES | dict.fromkeys(SERIES[3:], 0.001))
    pictures = []
    for scroll in (0.0, 150.0):

        def scrolled(scroll: float = scroll) -> None:
            imgui.set_scroll_y(scroll)
            profile.draw(studio)

        show(overlay, scrolled, frames=2)
        pictures.append(inside(pixels(window))[..., :3])
    for name in PASSES:
        colour = np.round(np.array(PLOTS["passes"][name]) * 255)
        assert max((picture == colour).all(axis=2).sum() for picture in pictures) > 200, name
    assert window.ctx.error == "GL_NO_ERROR"


def test_a_real_world(overlay: Overlay, tmp_path: Path) -> None:
    studio = Studio(Preset("look", "Look"), WORLD, Choice("cpu", False, "", ""), tmp_path)
    profile = Profile()
    watch(overlay, profile, studio, 1.5)
    assert profile.bandwidth is not None
    assert profile.bandwidth > 1e8
    assert profile.history.count > 0
    assert (profile.history.of("agents") > 0).all()
    assert [row[0] for row in profile.rows] == [*PASSES, "step"]
