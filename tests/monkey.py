"""Someone who tries everything at random: `python tests/monkey.py --minutes 20 --seed 1`.

A real window on an X server of its own, the CPU backend, and folders of its own. What it does comes from
its seed; the events go to the window's own handlers, and through them to the panel's widgets. It ends with
status 1 at the first exception or OpenGL error, and says what was done last; each minute it says how much
memory the program takes.
"""

import argparse
import dataclasses
import gc
import os
import random
import sys
import tempfile
import time
import traceback
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from moderngl_window.context.base import KeyModifiers

ROOT = Path(__file__).parent.parent
SIZES = (900, 600), (1000, 700), (640, 480), (320, 200), (760, 690)
REMEMBERED = 30  # acts that are told of at the end
GROWTH = 1.1  # of the memory over the second half of a run: more is a leak


@contextmanager
def folders() -> Iterator[None]:
    """A home that nobody else has; set before anything looks for one."""
    with tempfile.TemporaryDirectory() as home:
        for name in "CONFIG", "STATE", "PICTURES":
            os.environ[f"XDG_{name}_{'DIR' if name == 'PICTURES' else 'HOME'}"] = f"{home}/{name.lower()}"
        yield


def memory() -> float:
    """What this process takes, in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


class Monkey:
    """Hands on a window.

    Args:
        window: Where to.
        seed: Of all that is done.
    """

    def __init__(self, window, seed: int) -> None:
        self.window, self.studio = window, window.studio
        self.random = random.Random(seed)
        self.acts: deque[str] = deque(maxlen=REMEMBERED)
        self.count = self.frames_done = 0
        known = window.shortcuts.items()
        self.keys = [(code, key) for code, key in known if key.action != "toggle_fullscreen"]
        self.studio.quit = lambda: self.acts.append("(quit was refused)")  # type: ignore[method-assign]
        self.ways = {
            self.click: 8, self.drag: 8, self.key: 6, self.turn: 6, self.wheel: 2, self.type: 1, self.undo: 2,
            self.preset: 1, self.resize: 0.3, self.rest: 2, self.sober_up: 0.5,
        }  # fmt: skip

    def act(self) -> None:
        """Does one thing."""
        (way,) = self.random.choices(list(self.ways), list(self.ways.values()))
        self.acts.append(way.__name__)
        self.acts.append(f"{way.__name__} {way() or ''}")
        self.acts.remove(way.__name__)
        self.count += 1
        self.frames(self.random.randint(1, 3))

    def frames(self, count: int = 1) -> None:
        window = self.window
        for _ in range(count):
            window.show_frame(*window.timer.next_frame())
            error = window.ctx.error
            assert error == "GL_NO_ERROR", error
            self.frames_done += 1

    def place(self) -> tuple[int, int]:
        """Somewhere on the window; most often on the panel."""
        width, height = self.window.wnd.size
        across = self.random.uniform(0, width if self.random.random() < 0.4 else min(width, 340))
        return int(across), int(self.random.uniform(1, height))

    def press(self, button: int, at: tuple[int, int]) -> None:
        self.window.on_mouse_position_event(*at, 0, 0)
        self.frames()
        self.window.on_mouse_press_event(*at, button)
        self.frames()

    def click(self) -> str:
        at, button = self.place(), self.random.choice((1, 1, 1, 1, 2, 3))
        self.press(button, at)
        self.window.on_mouse_release_event(*at, button)
        return f"{button} at {at}"

    def drag(self) -> str:
        start, end = self.place(), self.place()
        if self.random.random() < 0.7:  # along a slider
            end = end[0], start[1]
        button = self.random.choice((1, 1, 1, 2, 3))
        self.press(button, start)
        for along in (0.3, 0.6, 1.0):
            x, y = (round(a + (b - a) * along) for a, b in zip(start, end, strict=True))
            self.window.on_mouse_drag_event(x, y, 0, 0)
            self.frames()
        self.window.on_mouse_release_event(*end, button)
        return f"{button} from {start} to {end}"

    def key(self) -> str:
        (code, ctrl), key = self.random.choice(self.keys)
        modifiers, names = KeyModifiers(), self.window.wnd.keys
        modifiers.shift, modifiers.ctrl = self.random.random() < 0.3, ctrl
        for action in names.ACTION_PRESS, names.ACTION_RELEASE:
            self.window.on_key_event(code, action, modifiers)
            self.frames()
        return f"{key.action} {'with Shift' * modifiers.shift}"

    def turn(self) -> str:
        """A parameter to any allowed value, as its slider would."""
        from kernels.params import SPECS

        spec = self.random.choice(list(SPECS.values()))
        now = getattr(self.studio.session.params, spec.name)
        if spec.choices:
            value: object = self.random.choice(spec.choices)
        elif isinstance(now, str):
            return "nothing"
        else:
            span = min(spec.high, max(10.0, 4 * abs(spec.default)))
            value = type(now)(self.random.uniform(max(spec.low, -span), span))
        self.studio.change(**{spec.name: value})
        return f"{spec.name} {value!r}"

    def wheel(self) -> str:
        at, by = self.place(), self.random.choice((-1.0, 1.0, -3.0, 3.0))
        self.window.on_mouse_position_event(*at, 0, 0)
        self.window.on_mouse_scroll_event(0.0, by)
        return f"{by} at {at}"

    def type(self) -> str:
        text = "".join(self.random.choice("0123456789abcxyz.- é") for _ in range(5))
        for char in text:
            self.window.on_unicode_char_entered(char)
        return repr(text)

    def preset(self) -> str:
        usable = [entry.preset for entry in self.studio.presets if entry.preset]
        preset = self.random.choice(usable)
        keep = self.random.random() < 0.5
        self.studio.load_preset(preset, keep_agents=keep)
        return f"{preset.name} {'keeping agents' * keep}"

    def resize(self) -> str:
        size = self.random.choice(SIZES)
        self.window.wnd.size = size
        return str(size)

    def undo(self) -> str:
        for _ in range(count := self.random.randint(1, 4)):
            (self.studio.undo if self.random.random() < 0.7 else self.studio.redo)()
        return str(count)

    def rest(self) -> str:
        self.frames(count := self.random.randint(1, 30))
        return f"for {count} frames"

    def sober_up(self) -> str:
        """Back to a world that can be watched: nothing paused, no wall, not too slow."""
        studio = self.studio
        studio.paused = False
        studio.close_survey()
        world = studio.session.world
        if world.width * world.height > 1 << 18 or world.agents > 100_000:
            studio.rebuild(dataclasses.replace(self.window.world, seed=str(self.count)))
            return "in a small world"
        return ""


def begun(seconds_to_open: float = 300):
    """A window whose world lives."""
    import moderngl_window

    from app.backend import choose
    from app.files import config_folder
    from app.settings import Settings
    from app.window import Window
    from kernels.world import World
    from presets import shipped

    args = ["--window", "pyglet", "--vsync", "false", "--size", "900x600"]
    window = moderngl_window.create_window_config_instance(Window, args=args)
    window.remember(Settings(config_folder()))
    window.begin(shipped()[0], World(320, 200, 10_000, "monkey"), choose("cpu"), False)
    window.timer.start()
    until = time.monotonic() + seconds_to_open
    while window.studio is None:
        window.show_frame(*window.timer.next_frame())
        assert time.monotonic() < until, "the kernels were not compiled in time"
    return window


def run(minutes: float, seed: int) -> int:
    """Lets one loose; returns the exit status."""
    window = begun()
    monkey = Monkey(window, seed)
    taken: list[float] = []
    start = time.monotonic()
    try:
        while (now := time.monotonic()) < start + 60 * minutes:
            if now >= start + 60 * len(taken):
                gc.collect()
                taken.append(memory())
                steps = monkey.studio.session.steps
                print(
                    f"minute {len(taken) - 1}: {taken[-1]:.0f} MiB, {monkey.count} acts, "
                    f"{monkey.frames_done} frames, step {steps}",
                    flush=True,
                )
            monkey.act()
        problems = window.release()
        window.wnd.close()
    except BaseException:
        traceback.print_exc()
        print(f"seed {seed}, act {monkey.count}; the last ones:", *monkey.acts, sep="\n  ", file=sys.stderr)
        return 1
    assert not problems
    gc.collect()
    print(f"{monkey.count} acts, {monkey.frames_done} frames, {max(taken):.0f} MiB at the most")
    half = taken[len(taken) // 2 :]
    if len(half) >= 5 and half[-1] > GROWTH * half[0]:
        print(f"memory grew from {half[0]:.0f} to {half[-1]:.0f} MiB over the second half", file=sys.stderr)
        return 1
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]
    with folders():
        from hand import x_server

        with x_server():
            return run(asked.minutes, asked.seed)


if __name__ == "__main__":
    sys.exit(main())
