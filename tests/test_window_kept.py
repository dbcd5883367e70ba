"""What a real window on a real X server (Xvfb) brings back: its place, its panel, and a lost session."""

import gc
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import moderngl_window
from hand import Hand
from imgui_bundle import imgui
from test_autosave import KILLED, session
from visit import LOOK, WORLD, Visit
from visit import hand as hand  # fixtures
from visit import screen as screen

from app.backend import choose
from app.files import config_folder, state_folder
from app.settings import Settings
from app.window import Window

ROOT = Path(__file__).parent.parent


@contextmanager
def start(hand: Hand) -> Iterator[Visit]:
    """The program from its start to its end."""
    settings = Settings(config_folder())
    width, height = settings.size or (900, 600)
    args = ["--window", "pyglet", "--vsync", "false", "--size", f"{width}x{height}"]
    window = moderngl_window.create_window_config_instance(Window, args=args)
    window.remember(settings)
    window.begin(LOOK, WORLD, choose("reference"), fullscreen=False)
    visit = Visit(window, hand)
    visit.until(lambda: window.studio is not None, frames=10_000)
    visit.frames()
    try:
        yield visit
    finally:
        window.release()
        window.wnd.close()
        gc.collect()


def click(visit: Visit, label: str, widget: str = "button") -> None:
    """Clicks a button or another widget, wherever it is."""
    found: list[tuple[int, int]] = []
    draw = getattr(imgui, widget)

    def noted(name: str, *more: object) -> bool:
        pressed = draw(name, *more)
        if name.split("###")[0] == label:
            low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
            found.append((round((low.x + high.x) / 2), round((low.y + high.y) / 2)))
        return bool(pressed)

    setattr(imgui, widget, noted)
    try:
        visit.frames(2)
        x, y = visit.window.wnd.position
        visit.hand.move(found[-1][0] + x, found[-1][1] + y)
        visit.frames()
        visit.hand.press(1)
        visit.frames()
        visit.hand.release(1)
        visit.frames()
    finally:
        setattr(imgui, widget, draw)


def killed() -> None:
    """A program that has saved its session and is killed."""
    command = [sys.executable, "-c", KILLED, str(state_folder())]
    program = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert program.stdout
    assert program.stdout.readline() == b"saved\n"
    program.kill()
    program.wait()
    program.stdout.close()


def test_a_lost_session_is_offered_and_restored(hand: Hand) -> None:
    killed()
    with start(hand) as visit:
        studio = visit.studio
        assert studio.autosave.lost
        step = studio.autosave.lost.record.step
        click(visit, "Restore")
        visit.until(lambda: not studio.replay)
        assert studio.autosave.lost is None
        expected = session(6)
        expected.advance(step - 6)
        assert studio.session.simulation.digest() == expected.simulation.digest()
    with start(hand) as visit:
        assert visit.studio.autosave.lost is None


def test_a_lost_session_can_be_left(hand: Hand) -> None:
    killed()
    with start(hand) as visit:
        click(visit, "Start fresh")
        assert visit.studio.autosave.lost is None
        assert visit.studio.session.world == WORLD
        assert not visit.studio.replay
    with start(hand) as visit:
        assert visit.studio.autosave.lost is None


def test_window_and_panel_stand_as_they_were_left(hand: Hand) -> None:
    with start(hand) as visit:
        visit.window.wnd.size = 640, 480
        visit.window.wnd.position = 70, 50
        visit.until(lambda: visit.window.wnd.size == (640, 480))
        visit.frames(10)
        visit.studio.toggle_panel()
        visit.studio.capture_kind = 2
        visit.studio.settings.toggle_favourite("veins")
        visit.studio.toggle_panel()
        visit.frames()
        for heading in "Presets", "Agents":
            click(visit, heading, "collapsing_header")
        assert visit.studio.settings.groups == {"Presets": False, "Agents": False}
        visit.studio.toggle_panel()
    with start(hand) as visit:
        visit.frames(10)
        assert visit.window.wnd.size == visit.studio.view.target == (640, 480)
        assert visit.window.wnd.position == (70, 50)
        assert not visit.studio.panel
        assert visit.studio.capture_kind == 2
        assert visit.studio.settings.favourites == {"veins"}
        visit.studio.toggle_panel()
        visit.frames()
        assert visit.studio.settings.groups == {"Presets": False, "Agents": False}


def test_a_place_on_no_screen_is_not_gone_to(hand: Hand) -> None:
    settings = Settings(config_folder())
    settings.place = 5000, 50
    settings.close()
    with start(hand) as visit:
        assert visit.window.wnd.position[0] < 1000
