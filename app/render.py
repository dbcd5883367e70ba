"""Pictures without a window: a run stepped to its end and drawn off screen."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import moderngl
from numpy.typing import NDArray
from tqdm import tqdm

from app.backend import Choice, told_if_slow
from app.display import Display, DisplayError
from app.record import Record
from app.session import Session
from app.stills import Still, draw, save
from kernels.world import World
from presets import Preset

CHUNK_SECONDS = 0.2  # between two movements of the progress bar


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
    with _display(world) if still.is_picture else nullcontext() as display:
        preset = source.preset if isinstance(source, Record) else source
        with told_if_slow():
            session = Session(preset, world, choice.backend)
        if isinstance(source, Record):
            session.restart_from(source)
            steps = source.step if steps is None else steps
        session.advance(0)  # what a record did before its first step
        for chunk in chunks(session, steps or 0):
            session.advance(chunk)
            session.simulation.wait()  # or the bar would run ahead of the GPU
        digest = session.simulation.digest()
        trail = session.simulation.trail
        bands: Iterator[NDArray[Any]] = iter(())
        if display:
            display.upload(trail)
            display.upload_map(session.simulation)
            bands = _told(draw(display, session.look, still), still.size[1])
        save(still, session.record(digest), trail, bands)
    return digest


@contextmanager
def _display(world: World) -> Iterator[Display]:
    """A display without a window."""
    context = offscreen()
    try:
        display = Display(context, world)
        yield display
        display.release()
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
        return moderngl.create_context(standalone=True, require=330, **settings)
    except Exception as error:  # glcontext raises whatever the loader says
        raise DisplayError(
            f"no OpenGL 3.3 without a window ({error}); on Debian and Ubuntu: "
            "apt-get install libegl1 libgl1-mesa-dri"
        ) from error


def chunks(session: Session, steps: int) -> Iterator[int]:
    """Portions of the steps that take a moment each, with a progress bar."""
    calm = 0.1 if sys.stderr.isatty() else 5.0  # seconds between two lines of a log
    with tqdm(total=steps, unit="step", dynamic_ncols=True, mininterval=calm) as bar:
        chunk = 1
        while session.steps < steps:
            chunk = min(chunk, steps - session.steps)
            yield chunk
            bar.update(chunk)
            rate = bar.format_dict["rate"] or (bar.n / max(bar.format_dict["elapsed"], 1e-6))
            chunk = max(1, min(int(rate * CHUNK_SECONDS), 10_000))
