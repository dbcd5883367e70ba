"""The window. `Window.on_render` is the main loop: start reading here."""

import contextlib
import gc
import sys
import time
from pathlib import Path
from typing import Any

from moderngl_window.context.base import KeyModifiers, WindowConfig

from app import keys
from app.ahead import Ahead, FirstSteps
from app.backend import Choice
from app.captures import Captures
from app.files import state_folder, user_folder
from app.frame_times import FrameTimes
from app.keeper import Keeper
from app.moment_pictures import keep_and_draw
from app.overlay import Overlay, ini_name
from app.pace import TwoFrames
from app.panel import Panel
from app.places import frames_of, on_a_screen, place_of
from app.pointer import Pointer
from app.record import Record
from app.recording import Recorder
from app.settings import Settings
from app.stage import Stage
from app.studio import Studio
from app.thumbs import Thumbs
from kernels.world import World
from presets import Preset

MINIMISED_SECONDS = 0.05  # between frames that nobody sees
PATIENCE = 0.015  # seconds that a frame waits for a step beside it: others would only take its time


class Window(WindowConfig):
    """Shows a studio and hands it what people do.

    moderngl-window makes it; `begin` then says what to show.
    """

    title = "Physarium"
    gl_version = 3, 3
    window_size = 1280, 720
    aspect_ratio = None  # type: ignore[assignment]  # the picture fills whatever shape the window has
    resizable = True
    clear_color = None  # type: ignore[assignment]  # every frame draws every pixel
    log_level = 30  # warnings; moderngl-window tells about itself at 20

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.wnd.exit_key = None  # Esc asks first
        self.overlay = Overlay(self.ctx, self.wnd, None)
        self.panel = Panel()
        self.captures = Captures()
        self.recorder = Recorder()
        self.studio: Studio | None = None  # these two, until the kernels are compiled
        self.stage: Stage | None = None
        self.thumbs: Thumbs | None = None
        self.ahead: Ahead | None = None
        self.settings = Settings()
        self.keeper: Keeper | None = None
        self.shortcuts = keys.codes(self.wnd.keys)
        self.frame_limit: int | None = None
        self.frames = 0
        self.pace = TwoFrames(self.ctx) if self.wnd.name == "headless" else None
        self.frame_times = FrameTimes()  # of a run with a limit; others would fill the memory in time

    def begin(self, source: Preset | Record, world: World, choice: Choice, fullscreen: bool) -> None:
        """Starts compiling; the world appears as soon as that is done."""
        self.source, self.world, self.choice = source, world, choice
        self.fullscreen_at_start = fullscreen
        if choice.backend == "cuda" and not self.pace:  # or steps would pile up where a screen does not wait
            self.pace = TwoFrames(self.ctx)
        self.first_steps = FirstSteps(source, choice)

    def remember(self, settings: Settings) -> None:
        """Brings the window's place back, and keeps that, the panel's and the session from now on."""
        self.settings = settings
        if settings.path:
            self.overlay.io.set_ini_filename(ini_name(settings.path.with_name("imgui.ini")))
        if settings.place and on_a_screen(self.wnd, settings.place):
            self.wnd.position = settings.place

    def run_frames(self) -> None:
        """Shows frames until the window is closed.

        moderngl-window's own loop destroys a headless context at its end, before `release`.
        """
        self.timer.start()
        while not self.wnd.is_closing:
            self.show_frame(*self.timer.next_frame())
            if not self.wnd.visible:
                time.sleep(MINIMISED_SECONDS)

    def show_frame(self, now: float, seconds: float) -> None:
        """Makes a frame and hands it to the screen, if there is one.

        Args:
            now: Seconds since the loop began.
            seconds: Since the frame before.
        """
        self.wnd.use()
        with self.pace.frame() if self.pace else contextlib.nullcontext():
            self.wnd.render(now, seconds)
        if self.wnd.name != "headless":
            self.wnd.swap_buffers()

    def on_render(self, _time: float, frame_seconds: float) -> None:
        """One frame: step the world, draw it, take captures, draw the panel."""
        if self.studio is None or self.stage is None or self.thumbs is None:
            self._wait_for_compiler(frame_seconds)
            return
        self._follow(self.studio)
        if not self.overlay.buttons:  # after a lost focus too: the releases go to another window then
            self.pointer.let_go()
        self.pointer.paint(time.monotonic())
        self.studio.go_on_with_replay()
        self.studio.go_on_with_morph()
        self._live(self.studio, self.stage, frame_seconds)
        self.thumbs.follow(self.studio)
        self.wnd.use()
        if not self.studio.surveying or self.studio.recording:  # a film goes on behind a wall or a map
            self.stage.display.draw(self.studio.view, self.studio.session.look)
        self.recorder.follow(self.studio, self.wnd.fbo, time.monotonic(), self.wnd.visible)
        if self.studio.layer == "mask" and not self.studio.surveying:
            self.stage.veil.draw(self.studio.view, self.studio.session.living)
        with self.overlay.frame(frame_seconds):
            pictures = {at: self.overlay.texture_id(each) for at, each in self.thumbs.textures.items()}
            self.panel.draw(self.studio, pictures)
        if self.keeper:
            self.keeper.follow(time.monotonic())
        self._count_frame()

    def _live(self, studio: Studio, stage: Stage, frame_seconds: float) -> None:
        """Steps the world and looks at it; while a step is under way beside the frames, nothing is new."""
        session, now = studio.session, time.monotonic()
        steps = self._steps_due(frame_seconds)
        if session.under_way(PATIENCE):
            return
        beside = studio.governor.beside
        if not studio.surveying:  # while it waits, there is nothing to bring to the screen
            stage.step(session, 0 if beside else steps)
        studio.look_after(now)
        if self.ahead:
            self.ahead.follow(session.simulation, now)
        self.captures.serve(studio, stage.display)
        if not self.frame_limit:
            keep_and_draw(studio, stage.display, now)
        if beside and steps:
            studio.governor.began_beside()
            session.step_beside()

    def _steps_due(self, frame_seconds: float) -> int:
        """With a limit on frames each shows the same steps, so that a test can repeat them."""
        assert self.studio
        return self.studio.steps_due(1 / 60) if self.frame_limit else self.studio.steps_allowed(frame_seconds)

    def _follow(self, studio: Studio) -> None:
        """Makes the window what the studio says it is."""
        if studio.fullscreen != self.wnd.fullscreen:
            self.wnd.fullscreen = studio.fullscreen
        title = f"{studio.session.preset.title} - Physarium"
        if self.wnd.title != title:
            self.wnd.title = title
        if studio.quitting:
            self.wnd.is_closing = True  # not close(): the frame still needs its context

    def _wait_for_compiler(self, frame_seconds: float) -> None:
        self.wnd.clear(0.03, 0.03, 0.03, 1.0)
        with self.overlay.frame(frame_seconds):
            self.panel.draw_preparing()
        if self.first_steps.done():
            self._open()

    def _open(self) -> None:
        """Brings the world and what people do with it to life."""
        self.stage = Stage(self.ctx, self.choice, self.world)
        self.thumbs = Thumbs(self.ctx, self.stage.choice)
        largest = self.ctx.info["GL_MAX_TEXTURE_SIZE"]
        studio = Studio(self.source, self.world, self.choice, user_folder(), largest, self.settings)
        studio.fullscreen = self.fullscreen_at_start
        studio.view.target = self.wnd.buffer_size
        studio.screen_frames = frames_of(self.wnd)
        studio.how = self.stage.how
        studio.notices.say(self.stage.how)
        self.pointer = Pointer(studio)
        self.studio = studio
        if self.settings.path:
            self.keeper = Keeper(studio, state_folder(), lambda: place_of(self.wnd))
        if not self.frame_limit:  # it stays, so that what comes later is worth compiling
            self.ahead = Ahead(self.choice, studio.notices)
        gc.freeze()  # looking through all that Numba and others hold would stall some later frame by 0.1 s

    def _count_frame(self) -> None:
        self.frames += 1
        if self.frame_limit:
            self.frame_times.note()
            if self.frames >= self.frame_limit:
                self.wnd.is_closing = True

    # Events: the panel first, the picture only with what the panel does not want.

    def on_resize(self, width: int, height: int) -> None:
        """The framebuffer has a new size; minimised windows may say 0."""
        self.overlay.on_resize(width, height)
        if self.studio and width and height:
            self.studio.view.target = width, height

    def on_key_event(self, key: Any, action: Any, modifiers: KeyModifiers) -> None:
        """Keys of `app.keys`."""
        if self.overlay.on_key_event(key, action, modifiers) or not self.studio:
            return
        shortcut = self.shortcuts.get((key, bool(modifiers.ctrl)))
        if shortcut and action == self.wnd.keys.ACTION_PRESS and not modifiers.alt:
            getattr(self.studio, shortcut.action)(*shortcut.arguments(modifiers.shift))

    def on_unicode_char_entered(self, char: str) -> None:
        """Text for the panel's fields."""
        self.overlay.on_unicode_char_entered(char)

    def on_mouse_position_event(self, x: int, y: int, dx: int, dy: int) -> None:
        """The mouse moved with no button held."""
        self.overlay.on_mouse_position_event(x, y, dx, dy)
        self._point(x, y)

    def on_mouse_drag_event(self, x: int, y: int, dx: int, dy: int) -> None:
        """The mouse moved with a button held."""
        self.overlay.on_mouse_drag_event(x, y, dx, dy)
        self._point(x, y)

    def on_mouse_press_event(self, x: int, y: int, button: int) -> None:
        """A button went down."""
        if not self.overlay.on_mouse_press_event(x, y, button) and self.studio:
            self._point(x, y)
            self.pointer.press(button, time.monotonic())

    def on_mouse_release_event(self, x: int, y: int, button: int) -> None:
        """A button went up."""
        self.overlay.on_mouse_release_event(x, y, button)
        if self.studio:
            self.pointer.release(button)

    def on_mouse_scroll_event(self, x_offset: float, y_offset: float) -> None:
        """The wheel turned."""
        if not self.overlay.on_mouse_scroll_event(x_offset, y_offset) and self.studio:
            self.pointer.scroll(y_offset)

    def on_files_dropped_event(self, x: int, y: int, paths: list[Any]) -> None:
        """Files were dropped; the last one is opened."""
        if self.studio and paths:
            self.studio.open(Path(paths[-1]))

    def on_close(self) -> None:
        """The window is closing; `app.show` releases everything."""

    def _point(self, x: int, y: int) -> None:
        if self.studio:
            across = self.wnd.buffer_size[0] / max(1, self.wnd.size[0])
            down = self.wnd.buffer_size[1] / max(1, self.wnd.size[1])
            # The middle of the pixel; pyglet windows of moderngl-window count y from 1.
            self.pointer.move((x + 0.5) * across, (y - 0.5) * down)

    def release(self) -> None:
        """Finishes captures and frees the GPU: sharing first, then textures, then the context."""
        gc.unfreeze()
        if self.ahead:
            self.ahead.close()
        outcomes = self.captures.close() + self.recorder.close()
        problems = [problem for _, problem in outcomes if problem]
        problems += self.studio.close_disk() if self.studio else []
        for problem in problems + (self.keeper.close() if self.keeper else []):
            print(problem, file=sys.stderr)  # there is no panel any more to say it
        self.panel.close()
        if self.thumbs:
            self.thumbs.release()
        if self.stage:
            self.stage.release()
        self.overlay.close()
