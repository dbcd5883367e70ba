"""Pictures without a window: a run stepped to its end and drawn off screen."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import moderngl
from numpy.typing import NDArray
from tqdm import tqdm

from app.backend import Choice, told_if_slow
from app.display import DisplayError
from app.record import Record
from app.session import Session
from app.shots import advance
from app.stage import Stage
from app.stills import Still, draw, save
from kernels.world import World
from presets import Preset


def render(
    source: Preset | Record,
    world: World,
    choice: Choice,
    *,
    steps: int | None,
    still: Still,
) -> str:
    """Runs a world and writes its picture or its trail, with progress bars on stderr.

    Args:
        source: A look, or a recorded run, whose events are then repeated.
        world: Size, agents, seed, shares, start and map.
        choice: The backend.
        steps: Where to stop; left out, the step of the record.
        still: What to write; a picture carries its own record.

    Returns:
        The digest of the field, "sha256:<hex>".

    Raises:
        DisplayError: OpenGL is missing or cannot show this size.
        OSError: The file cannot be written.
    """
    with _stage(world, choice) if still.is_picture else nullcontext() as stage:
        preset = source.preset if isinstance(source, Record) else source
        with told_if_slow():
            session = Session(preset, world, choice.backend)
        if isinstance(source, Record):
            steps = source.step if steps is None else steps
            session.restart_from(source, steps)
        for _ in advance(session, stage, steps or 0):
            pass
        digest = session.simulation.digest()
        if stage:
            bands = _told(draw(stage.display, session.look, still), still.size[1])
            save(still, session.record(digest), bands=bands)
        else:
            save(still, session.record(digest), session.simulation.trail)
    return digest


@contextmanager
def _stage(world: World, choice: Choice) -> Iterator[Stage]:
    """A stage without a window."""
    context = offscreen()
    try:
        stage = Stage(context, choice, world)
        yield stage
        stage.release()
    finally:
        context.release()


def _told(bands: Iterator[NDArray[Any]], rows: int) -> Iterator[NDArray[Any]]:
    """The bands of a picture, with a progress bar where they take a while."""
    with tqdm(total=rows, unit="row", dynamic_ncols=True, delay=1.0, leave=False) as bar:
        for band in bands:
            yield band
            bar.update(len(band))


def offscreen() -> moderngl.Context:
    """An OpenGL context without a window: EGL on Linux, the system's own elsewhere.

    Raises:
        DisplayError: There is none; the sentence says what to install.
    """
    settings: dict[str, Any] = {"backend": "egl"} if sys.platform.startswith("linux") else {}
    try:
        context = moderngl.create_context(standalone=True, require=330, **settings)
        context.detect_framebuffer().use()  # for passes that come back to what was bound before
        return context
    except Exception as error:  # glcontext raises whatever the loader says
        raise DisplayError(
            f"no OpenGL 3.3 without a window ({error}); on Debian and Ubuntu: "
            "apt-get install libegl1 libgl1-mesa-dri"
        ) from error
