import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.view import CLOSEST, FARTHEST, View

sides = st.integers(16, 4000)
targets = st.integers(1, 4000)


def test_at_first_the_field_covers_the_target() -> None:
    view = View((400, 300), (800, 900))
    assert view.scale == 3
    assert view.field_at(400, 450) == (200, 150)


def test_at_the_same_size_a_pixel_is_a_cell() -> None:
    view = View((401, 257), (401, 257))
    assert view.scale == 1
    assert view.field_at(0.5, 0.5) == pytest.approx((0.5, 0.5))
    assert view.field_at(400.5, 256.5) == pytest.approx((400.5, 256.5))


@given(sides, sides, targets, targets, st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 100))
def test_zoom_keeps_what_is_under_the_cursor(w, h, tw, th, fx, fy, factor) -> None:
    view = View((w, h), (tw, th))
    x, y = fx * tw, fy * th
    before = view.field_at(x, y)
    view.zoom_at(x, y, factor)
    for now, then, side in zip(view.field_at(x, y), before, (w, h), strict=True):
        apart = abs(now - then)
        assert min(apart, side - apart) < 1e-3 * side
    assert min(FARTHEST, view.cover) * 0.999 <= view.scale <= max(CLOSEST, view.cover) * 1.001


@given(sides, sides, st.floats(-1e5, 1e5), st.floats(-1e5, 1e5))
def test_positions_stay_inside_the_field(w, h, dx, dy) -> None:
    view = View((w, h), (640, 480))
    view.pan(dx, dy)
    x, y = view.field_at(dx, dy)
    assert 0 <= x <= w
    assert 0 <= y <= h


def test_pan_moves_the_picture_with_the_cursor() -> None:
    view = View((640, 480), (640, 480))
    under = view.field_at(100, 100)
    view.pan(30, -20)
    assert view.field_at(130, 80) == pytest.approx(under)


def test_a_copy_shows_the_same() -> None:
    view = View((640, 480), (320, 480))
    view.zoom_at(3, 4, 7)
    assert dataclasses.replace(view) == view
    assert dataclasses.replace(view).zoom == pytest.approx(7)


def test_reset_undoes_zoom_and_pan() -> None:
    view = View((640, 480), (320, 480))
    view.zoom_at(3, 4, 7)
    view.pan(100, 50)
    view.reset()
    assert view == View((640, 480), (320, 480))


@given(sides, sides, targets, targets)
def test_zooming_in_never_zooms_out(w, h, tw, th) -> None:
    view = View((w, h), (tw, th))
    before = view.scale
    view.zoom_at(1, 1, 1.15)
    assert view.scale >= before * 0.999
    view.reset()
    view.zoom_at(1, 1, 1 / 1.15)
    assert view.scale <= before * 1.001
