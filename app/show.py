"""Opens the window and stays until it is closed."""

import contextlib
import signal

import moderngl_window

from app.backend import Choice
from app.display import DisplayError
from app.files import config_folder
from app.record import Record
from app.settings import Settings
from app.window import Window
from kernels.world import World
from presets import Preset

LARGEST_UNSEEN = 4096  # px, of a side of the framebuffer that a headless run draws into


def show(
    source: Preset | Record,
    world: World,
    choice: Choice,
    *,
    fullscreen: bool = False,
    headless: bool = False,
    frames: int | None = None,
) -> int:
    """Opens the window and stays until it is closed.

    Args:
        source: The preset, or the record of a run to come back to.
        world: Size, agents and seed.
        choice: The backend.
        fullscreen: Go fullscreen once the window stands.
        headless: Draw into an off-screen framebuffer through EGL, as large as the field but at most 4096 px
            a side.
        frames: Stop after so many frames, each of `steps_per_frame` steps, and print how long they and the
            start took, and the digest.

    Returns:
        The exit status.

    Raises:
        DisplayError: There is no screen, or OpenGL cannot show this world.
    """
    # What nobody watches to its end by hand neither remembers anything nor goes by what was remembered.
    settings = Settings(None if headless or frames else config_folder())
    size = settings.size or Window.window_size
    if headless:
        size = min(world.width, LARGEST_UNSEEN), min(world.height, LARGEST_UNSEEN)
    unseen = ["--window", "headless", "--backend", "egl"]
    kind = [*(unseen if headless else ["--window", "pyglet"]), "--size", f"{size[0]}x{size[1]}"]
    vsync = ["--vsync", "false" if frames else "true"]
    try:
        window = moderngl_window.create_window_config_instance(Window, args=kind + vsync)
    except Exception as error:  # pyglet, glcontext and drivers raise whatever they like
        raise DisplayError(f"No window with OpenGL 3.3 can be opened here ({error}).") from error
    assert isinstance(window, Window)
    before = None
    with contextlib.suppress(ValueError):  # signals belong to the main thread
        before = signal.signal(signal.SIGTERM, lambda *_: setattr(window.wnd, "is_closing", True))
    window.frame_limit = frames
    window.remember(settings)
    window.begin(source, world, choice, fullscreen)
    try:
        window.run_frames()
        if window.frame_times.ends and window.studio:
            window.ctx.finish()
            print(window.frame_times.report())
            print(f"digest {window.studio.session.simulation.digest()}")
    finally:
        window.release()
        window.wnd.destroy() if headless else window.wnd.close()
        if before is not None:
            signal.signal(signal.SIGTERM, before)
    return 0
