"""Whole frames on a GPU while every slider moves: `pytest -m gpu tests/test_gpu_frames.py`.

What must not happen is counted and asserted; how long frames took is printed, for a person to judge.
"""

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import moderngl_window
import numpy as np
import pytest

from app.backend import BackendError, choose, nvidia_gpus
from app.frame_times import FrameTimes
from app.window import Window
from kernels.params import SPECS, Params
from kernels.simulation import Simulation
from kernels.spec import Spec, Value
from kernels.world import World
from presets import shipped

pytestmark = pytest.mark.gpu
try:
    nvidia_gpus()
except BackendError as missing:
    pytest.skip(str(missing), allow_module_level=True)
driver: Any = pytest.importorskip("cuda.bindings.driver")
runtime: Any = pytest.importorskip("cuda.bindings.runtime")

WORLD = World(1920, 1080, 2_000_000, "frames")
WARM_UP, SWEEP = 200, 2000  # frames


@pytest.fixture
def window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Window]:
    """A window as large as its field, off the screen, whose frames each show the same steps."""
    monkeypatch.setattr("app.window.user_folder", lambda: tmp_path)
    choice = choose("cuda")  # before OpenGL, see `app.backend`
    size = f"{WORLD.width}x{WORLD.height}"
    args = ["--window", "headless", "--backend", "egl", "--vsync", "false", "--size", size]
    window = moderngl_window.create_window_config_instance(Window, args=args)
    assert isinstance(window, Window)
    window.frame_limit = 10**9
    window.begin(shipped()[0], WORLD, choice, fullscreen=False)
    while window.studio is None:
        window.show_frame(0.0, 1 / 60)
    yield window
    window.release()
    window.wnd.destroy()


def frames(window: Window, count: int, change: Callable[[float], object]) -> np.ndarray:
    """Shows frames, each after a change, and returns how long each took in ms.

    Args:
        window: The window.
        count: How many frames.
        change: What is done before a frame, given how far along it is, from 0 to 1.
    """
    window.frame_times = FrameTimes()
    window.frame_times.note()
    for frame in range(count):
        change(frame / max(1, count - 1))
        window.show_frame(0.0, 1 / 60)
    return np.diff(window.frame_times.ends) * 1000


def value_at(spec: Spec, along: float) -> Value:
    """Where a slider stands that is pulled from one end to the other."""
    if spec.curve:
        return "" if along < 0.5 else "0 1, 1 0"
    if spec.choices:
        return spec.choices[min(int(along * len(spec.choices)), len(spec.choices) - 1)]
    if spec.scale == "log":
        low = spec.low or 1e-3
        value = low * (spec.high / low) ** along
    else:
        value = spec.low + (spec.high - spec.low) * along
    return spec.check(type(spec.default)(min(max(value, spec.low), spec.high)))


def told(name: str, taken: np.ndarray) -> str:
    median, late = np.percentile(taken, (50, 99))
    return f"{name:<16} {median:8.3f} {late:8.3f} {taken.max():8.3f} {taken.max() / median:8.2f}"


def meet(window: Window, swept: list[Spec]) -> None:
    """Turns on every rule that a sweep comes by: it is prepared when it first is."""
    studio = window.studio
    assert studio is not None
    for spec in swept:
        before = getattr(studio.session.params, spec.name)
        for along in np.linspace(0, 1, 1 + int(spec.high - spec.low) if isinstance(spec.default, int) else 5):
            studio.change(**{spec.name: value_at(spec, float(along))})
            window.show_frame(0.0, 1 / 60)
        studio.change(**{spec.name: before})


def test_a_sweep_of_every_slider_loads_captures_and_allocates_nothing(
    window: Window, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    studio = window.studio
    assert studio is not None
    assert studio.panel
    lines = [f"{'ms a frame':<16} {'median':>8} {'99 %':>8} {'longest':>8} {'/ median':>8}"]
    swept = [spec for spec in SPECS.values() if spec.name != "steps_per_frame" and spec.species <= 1]
    meet(window, swept)
    frames(window, WARM_UP, lambda _: None)
    lines.append(told("at rest", frames(window, WARM_UP, lambda _: None)))
    counts: dict[str, int] = {}

    def count(owner: Any, name: str) -> None:
        function = getattr(owner, name)
        counts[name] = 0

        @functools.wraps(function)
        def counted(*args: Any) -> Any:
            counts[name] += 1
            return function(*args)

        monkeypatch.setattr(owner, name, counted)

    for name in "cudaStreamBeginCapture", "cudaMalloc", "cudaMallocHost":
        count(runtime, name)
    count(driver, "cuModuleLoadData")
    everything = []
    for spec in swept:
        before = studio.session.params

        def pull(along: float, spec: Spec = spec) -> None:
            studio.change(**{spec.name: value_at(spec, along)})

        everything.append(frames(window, SWEEP // len(swept), pull))
        lines.append(told(spec.name, everything[-1]))
        studio.change(**{spec.name: getattr(before, spec.name)})
    lines.append(told("all of these", np.concatenate(everything)))
    # More steps are more work: what one of them costs is told, and it is no part of the sweep above.
    steps = np.arange(1, 65)
    taken = frames(window, len(steps), lambda along: studio.change(steps_per_frame=1 + round(63 * along)))
    lines.append(f"steps_per_frame: {np.polyfit(steps, taken, 1)[0]:.4f} ms for each further step")
    with capsys.disabled():
        print("", *lines, sep="\n")
    assert studio.session.params.steps_per_frame == 64
    assert counts == dict.fromkeys(counts, 0)

    other = Simulation(World(401, 257, 30_011), Params(), "cuda")
    assert other.trail.shape == (1, 257, 401)
    del counts["cuModuleLoadData"]  # at the start every kernel was loaded, for every kind of world
    assert min(counts.values()) > 0, "all else that is counted happens in a new world"
