import pytest

from app.pointer import LEFT, MIDDLE, RIGHT, Pointer
from app.view import View
from kernels.params import Brush


class FakeStudio:
    """Only what a pointer touches."""

    def __init__(self) -> None:
        self.view = View((200, 100), (400, 200))
        self.brush = Brush(radius=12.0)
        self.layer = "trail"
        self.dabs: list[tuple[float, float, bool]] = []
        self.gestures: list[bool] = []

    def paint(self, places: list[tuple[float, float]], erase: bool, begins: bool) -> None:
        self.dabs += [(*place, erase) for place in places]
        self.gestures.append(begins)


@pytest.fixture
def studio() -> FakeStudio:
    return FakeStudio()


@pytest.fixture
def pointer(studio: FakeStudio) -> Pointer:
    return Pointer(studio)  # type: ignore[arg-type]


@pytest.mark.parametrize(("button", "erase"), [(LEFT, False), (RIGHT, True)])
def test_a_drag_paints_an_unbroken_stroke(pointer, studio, button, erase) -> None:
    pointer.move(100, 100)
    pointer.press(button, now=0)
    pointer.move(220, 100)
    pointer.paint(now=0.02)
    assert [d[2] for d in studio.dabs] == [erase] * len(studio.dabs)
    xs = [d[0] for d in studio.dabs]
    assert xs[-1] == 110
    steps = [b - a for a, b in zip([50, *xs], xs, strict=False)]
    assert max(steps) <= 12 / 3 + 1e-9


def test_a_click_alone_paints_nothing_but_holding_does(pointer, studio) -> None:
    pointer.move(50, 50)
    pointer.press(LEFT, now=0)
    pointer.paint(now=0.1)
    assert studio.dabs == []
    pointer.paint(now=0.3)
    assert studio.dabs == [(25, 25, False)]
    pointer.release(LEFT)
    pointer.paint(now=0.4)
    assert len(studio.dabs) == 1


def test_a_stall_does_not_become_endless_work(pointer, studio) -> None:
    studio.brush = Brush(radius=1.0)
    pointer.press(LEFT, now=0)
    pointer.move(4000, 4000)
    pointer.paint(now=5)
    assert len(studio.dabs) <= 64


def test_a_double_click_resets_the_view_and_paints_nothing(pointer, studio) -> None:
    pointer.move(10, 10)
    pointer.scroll(5)
    assert studio.view.zoom > 1
    for now in (0.0, 0.2):
        pointer.press(LEFT, now)
        pointer.paint(now)
        pointer.release(LEFT)
    assert studio.view == View((200, 100), (400, 200))
    assert studio.dabs == []


def test_two_slow_clicks_are_not_a_double_click(pointer, studio) -> None:
    pointer.scroll(5)
    for now in (0.0, 0.6):
        pointer.press(LEFT, now)
        pointer.release(LEFT)
    assert studio.view.zoom > 1


def test_middle_drag_pans(pointer, studio) -> None:
    pointer.move(100, 100)
    under = studio.view.field_at(100, 100)
    pointer.press(MIDDLE, now=0)
    pointer.move(130, 90)
    pointer.paint(now=1)
    assert studio.view.field_at(130, 90) == pytest.approx(under)
    assert studio.dabs == []


def test_the_wheel_keeps_the_spot_under_the_cursor(pointer, studio) -> None:
    pointer.move(300, 40)
    under = studio.view.field_at(300, 40)
    pointer.scroll(3)
    pointer.scroll(-1)
    assert studio.view.field_at(300, 40) == pytest.approx(under)


@pytest.mark.parametrize("hertz", [30, 60, 144, 400])
def test_a_resting_button_paints_at_one_rate_on_any_screen(pointer, studio, hertz) -> None:
    pointer.press(LEFT, now=0)
    for frame in range(2 * hertz):
        pointer.paint(now=frame / hertz)
    assert 0.4 * min(hertz, 60) * 1.8 <= len(studio.dabs) <= 60 * 1.8 * 1.4


def test_a_stroke_ends_when_no_button_is_held_any_more(pointer, studio) -> None:
    pointer.press(LEFT, now=0)
    pointer.let_go()
    pointer.paint(now=1)
    assert studio.dabs == []


def test_a_gesture_begins_with_its_first_dab_alone(pointer, studio) -> None:
    for start in (0.0, 2.0):
        pointer.press(LEFT, now=start)
        for frame in range(1, 4):
            pointer.move(100 * frame, 50 * frame)
            pointer.paint(now=start + frame / 60)
        pointer.release(LEFT)
    assert studio.gestures == 2 * [True, False, False]


def test_another_layer_begins_another_gesture(pointer, studio) -> None:
    pointer.press(LEFT, now=0.0)
    for frame, layer in enumerate(("food", "food", "wall", "wall"), 1):
        studio.layer = layer
        pointer.move(100 * frame, 50 * frame)
        pointer.paint(now=frame / 60)
    assert studio.gestures == [True, False, True, False]
