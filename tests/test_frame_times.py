import numpy as np
import pytest

from app import frame_times
from app.frame_times import FrameTimes


def noted(monkeypatch: pytest.MonkeyPatch, ends: list[float]) -> FrameTimes:
    times = FrameTimes()
    for end in ends:
        monkeypatch.setattr(frame_times.time, "perf_counter", lambda end=end: end)
        times.note()
    return times


def test_the_first_tenth_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = [0.5] * 10 + [0.001] * 88 + [0.002] * 2
    times = noted(monkeypatch, [100.0, *(100 + np.cumsum(taken))])
    np.testing.assert_allclose(times.milliseconds, [1.0] * 88 + [2.0] * 2)
    monkeypatch.setattr(frame_times, "STARTED", 98.75)
    rate, spread, start = times.report().splitlines()
    assert rate == "101 frames, 19.6 frames/s"
    assert spread.startswith("1.000 ms a frame (median), 2.000 ms (99th percentile), 2.000 ms (longest)")
    assert start == "first frame 1.25 s after Python had started"


@pytest.mark.parametrize(("count", "lines"), [(1, 2), (2, 3)])
def test_the_shortest_runs(monkeypatch: pytest.MonkeyPatch, count: int, lines: int) -> None:
    times = noted(monkeypatch, [1.0, 1.5][:count])
    monkeypatch.setattr(frame_times.time, "perf_counter", lambda: 2.0)
    assert len(times.report().splitlines()) == lines
