"""The panel's section on speed: what each pass of a step costs, against the least it could.

While the section is open a step is timed pass by pass some four times a second; closed, nothing is
measured or kept.
"""

import math
from collections.abc import Mapping

import numpy as np
from imgui_bundle import imgui, implot
from numpy.typing import NDArray

from app.sliders import tip
from app.studio import Studio
from kernels.contract import PASSES, floor_bytes
from kernels.simulation import Simulation
from kernels.world import World

SAMPLE_SECONDS = 0.25  # between samples
SAMPLES = 240  # kept: a minute
HEADROOM = 1.12  # of a plot, above the highest value
EVERY_STEP = {"agents", "field"}  # passes; others come now and then, so their time may not be known yet
STEP_SERIES = (*PASSES, "floor")
FRAME_SERIES = ("mean frame", "longest frame")
SERIES = STEP_SERIES + FRAME_SERIES

EXPLAINED = {
    "agents": "Agents smell the trail, turn, walk and leave their scent. At the least, each one's 8 bytes "
    "are read and written.",
    "field": "The trail takes up the scent, blurs and fades. At the least, each cell's trail is read and "
    "written, and its count of agents read and cleared.",
    "order": "Now and then agents are put in order of place, so that neighbours on the field are neighbours "
    "in memory and the other passes run faster. Shared out over the steps it serves; no step needs it, so "
    "it has no floor.",
    "step": "One step: all of its passes.",
    "ms": "Milliseconds a step, when it was last timed.",
    "MB": "Megabytes that must be read and written at the least.",
    "GB/s": "Those bytes in that time, in gigabytes per second.",
    "of floor": "How near this comes to the least time, which is that of moving the bytes once, as fast as "
    "large copies run on this device. At 100 % nothing faster can be; small worlds that fit into caches "
    "may pass it.",
}

STILL = implot.Flags_.no_menus | implot.Flags_.no_box_select | implot.Flags_.no_mouse_text
LOCKED = implot.AxisFlags_.lock | implot.AxisFlags_.no_menus | implot.AxisFlags_.no_highlight
LEGEND = implot.LegendFlags_.horizontal | implot.LegendFlags_.outside | implot.LegendFlags_.no_buttons


class History:
    """What the last `SAMPLES` samples found, in milliseconds, the newest last; in memory of fixed size.

    Attributes:
        count: Samples so far, at most `SAMPLES`.
        values: Time of each of `SERIES` [6, SAMPLES].
        stacked: Time of each of `PASSES` on top of those before it [3, SAMPLES].
        highest_step: Of the steps and their floors.
        highest_frame: Of the frames.
    """

    def __init__(self) -> None:
        self.count = 0
        self.values = np.zeros((len(SERIES), SAMPLES))
        self.stacked = np.zeros((len(PASSES), SAMPLES))
        self.highest_step = self.highest_frame = 0.0

    def add(self, seconds: Mapping[str, float]) -> None:
        """Takes a sample: the seconds of each of `SERIES`; 0 for what is not known."""
        for rows in self.values, self.stacked:
            rows[:, :-1] = rows[:, 1:]
        self.values[:, -1] = [1000 * seconds.get(name, 0.0) for name in SERIES]
        np.cumsum(self.values[: len(PASSES), -1], out=self.stacked[:, -1])
        self.count = min(self.count + 1, SAMPLES)
        self.highest_step = max(self.stacked.max(), self.of("floor").max())
        self.highest_frame = self.of("longest frame").max()

    def of(self, name: str) -> NDArray[np.float64]:
        """The samples of one of `SERIES` [count]: a view, like all that is drawn."""
        return self.values[SERIES.index(name), -self.count :]


class Profile:
    """Draws the section, and has steps sampled while it does."""

    def __init__(self) -> None:
        self.bandwidth: float | None = None  # bytes per second, once it is known
        self.shown = 0  # frames, until then
        self.shape: tuple[int, ...] | None = None  # of the world that `history` is about
        self._restart()

    def draw(self, studio: Studio) -> None:
        """The section's content; call it only while that is to be seen."""
        simulation = studio.session.living  # no frame waits for a step that is done beside it
        if self.bandwidth is None:
            self._measure_bandwidth(studio)
            return
        world = simulation.world
        if self.shape != (shape := (world.species, world.height, world.width)):
            self._restart()
            self.shape = shape
        self._sample(simulation, imgui.get_io().delta_time)
        if not self.rows:
            imgui.text_disabled("Timing a step ...")
            return
        _draw_table(self.rows)
        if self.bandwidth:
            imgui.text_disabled(f"Large copies move {_short(self.bandwidth / 1e9)} GB/s here.")
        _draw_plots(self.history)

    def _restart(self) -> None:
        self.history = History()
        self.rows: list[tuple[str, ...]] = []
        self.seconds = self.longest = 0.0  # of the frames since the last sample
        self.frames = 0
        self.steps = -1  # done when the last sample was asked for

    def _measure_bandwidth(self, studio: Studio) -> None:
        """Says so first: it may take half a second, once."""
        imgui.text_disabled("Measuring how fast memory is ...")
        self.shown += 1
        if self.shown > 2:  # the sentence is on the screen now
            self.bandwidth = 0.0  # should it fail

            def measure() -> None:
                self.bandwidth = studio.session.simulation.bandwidth()

            studio.notices.attempt(measure)

    def _sample(self, simulation: Simulation, frame_seconds: float) -> None:
        """Takes what the last sample found and asks for the next, when it is time."""
        if self.steps < 0:
            self._ask(simulation)
            return
        self.seconds += frame_seconds
        self.longest = max(self.longest, frame_seconds)
        self.frames += 1
        if self.seconds < SAMPLE_SECONDS or simulation.steps == self.steps:  # while paused nothing is new
            return
        seconds = simulation.pass_seconds
        if seconds.keys() >= EVERY_STEP:
            assert self.bandwidth is not None
            self.rows = table(seconds, simulation.world, self.bandwidth)
            least = sum(floor_bytes(simulation.world).values())
            seconds["floor"] = least / self.bandwidth if self.bandwidth else 0.0
            seconds["mean frame"], seconds["longest frame"] = self.seconds / self.frames, self.longest
            self.history.add(seconds)
        self._ask(simulation)

    def _ask(self, simulation: Simulation) -> None:
        simulation.sample()
        self.steps = simulation.steps
        self.seconds = self.longest = 0.0
        self.frames = 0


def table(seconds: Mapping[str, float], world: World, bandwidth: float) -> list[tuple[str, ...]]:
    """The section's figures as texts: pass, ms, MB, GB/s and fraction of the floor; the last row is the sum.

    Args:
        seconds: What each pass took in a step; a pass whose time is not known may be missing.
        world: What was stepped.
        bandwidth: Bytes per second of large copies; 0 when nobody knows.
    """
    least = floor_bytes(world)
    rows = [(name, seconds.get(name, 0.0), least[name]) for name in PASSES]
    rows.append(("step", sum(seconds.values()), sum(least.values())))
    return [(name, _ms(time), *_traffic(time, size, bandwidth)) for name, time, size in rows]


def _ms(seconds: float) -> str:
    return _short(seconds * 1000) if seconds else "-"


def _traffic(seconds: float, size: int, bandwidth: float) -> tuple[str, str, str]:
    if not size or not seconds:
        return "-", "-", "-"
    speed = size / seconds
    return _short(size / 1e6), _short(speed / 1e9), f"{100 * speed / bandwidth:.0f} %" if bandwidth else "-"


def _short(number: float) -> str:
    """A number of three digits or so: 0.0123, 1.23, 123, 12,345."""
    decimals = 2 - math.floor(math.log10(number)) if number > 0 else 0
    return f"{number:,.{min(max(decimals, 0), 4)}f}"


def _draw_table(rows: list[tuple[str, ...]]) -> None:
    if not imgui.begin_table("passes", len(rows[0]), imgui.TableFlags_.sizing_stretch_same):
        return
    for head in "", "ms", "MB", "GB/s", "of floor":
        imgui.table_next_column()
        if head:
            _right(head, dim=True)
            tip(EXPLAINED[head])
    for row in rows:
        imgui.table_next_column()
        imgui.text(row[0])
        tip(EXPLAINED[row[0]])
        for figure in row[1:]:
            imgui.table_next_column()
            _right(figure)
    imgui.end_table()


def _right(text: str, dim: bool = False) -> None:
    """A text at the right of its column."""
    space = imgui.get_content_region_avail().x - imgui.calc_text_size(text).x
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(0.0, space))
    (imgui.text_disabled if dim else imgui.text)(text)


def _draw_plots(history: History) -> None:
    """The last minute of steps, pass upon pass, and of frames."""
    if not implot.begin_aligned_plots("##history"):
        return
    floor, mean, longest = map(history.of, ("floor", *FRAME_SERIES))
    stacked = history.stacked[:, -history.count :]
    start = -(history.count - 1) * SAMPLE_SECONDS
    if _begin_plot("passes", 10, history.highest_step):
        # From the highest down, each in front of the one before: what is left to see of it is its own.
        for name, values in zip(reversed(PASSES), stacked[::-1], strict=True):
            implot.plot_shaded(name, values, 0, SAMPLE_SECONDS, start)
        implot.plot_line("floor", floor, SAMPLE_SECONDS, start)
        _end_plot(history, STEP_SERIES)
    if _begin_plot("frames", 6.5, history.highest_frame):
        implot.plot_shaded("mean frame", mean, 0, SAMPLE_SECONDS, start)
        implot.plot_line("longest frame", longest, SAMPLE_SECONDS, start)
        _end_plot(history, FRAME_SERIES)
    implot.end_aligned_plots()


def _begin_plot(name: str, height: float, top: float) -> bool:
    """A plot of the last minute, from 0 to a little above `top` ms; its height is in font sizes."""
    implot.push_colormap(name)
    if not implot.begin_plot(f"##{name}", imgui.ImVec2(-1, height * imgui.get_font_size()), STILL):
        implot.pop_colormap()
        return False
    implot.setup_axes("", "", LOCKED, LOCKED)
    implot.setup_axis_limits(implot.ImAxis_.x1, -SAMPLES * SAMPLE_SECONDS, 0, implot.Cond_.always)
    implot.setup_axis_limits(implot.ImAxis_.y1, 0, max(top * HEADROOM, 1e-3), implot.Cond_.always)
    implot.setup_axis_format(implot.ImAxis_.x1, "%g s")
    implot.setup_axis_format(implot.ImAxis_.y1, "%g ms")
    implot.setup_legend(implot.Location_.north, LEGEND)
    return True


def _end_plot(history: History, names: tuple[str, ...]) -> None:
    """Ends a plot, after the figures under the mouse."""
    if implot.is_plot_hovered():
        sample = history.count - 1 + round(implot.get_plot_mouse_pos().x / SAMPLE_SECONDS)
        if 0 <= sample < history.count and imgui.begin_tooltip():
            for name in names:
                imgui.text(f"{name}: {_short(history.of(name)[sample])} ms")
            imgui.end_tooltip()
    implot.end_plot()
    implot.pop_colormap()
