"""The command `physarium`. Nothing heavy is imported before a command needs it: help is instant."""

import argparse
import io
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app import film_arguments
from app.arguments import COMMANDS, UsageError, command_line
from app.files import user_folder

if TYPE_CHECKING:
    from app.start import Start
    from app.stills import Still

FAILED, REFUSED, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141  # the last two as a shell counts signals


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        argv: The words after `physarium`; left out, those of this process.

    Returns:
        The exit status: 0, 1 for a failure while running, 2 for what cannot be done as asked.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a pipe on Windows has an older encoding
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        status = _dispatch([word for word in words if word != "--debug"])
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except Exception as problem:
        if "--debug" in words:
            traceback.print_exc()
        print(f"physarium: {_sentence(problem)}", file=sys.stderr)
        return REFUSED if isinstance(problem, UsageError) else FAILED


def _dispatch(words: list[str]) -> int:
    if not words or words[0] not in {*COMMANDS, "-h", "--help", "--version"}:
        words.insert(0, "run")
    try:
        asked = command_line().parse_args(words)
    except SystemExit as done:  # after --help and --version
        return int(done.code or 0)
    commands = {
        "run": _run, "render": _render, "presets": _presets, "looks": _looks,
        "bench": _bench, "doctor": _doctor,
    }  # fmt: skip
    return commands[asked.command](asked)


def _sentence(problem: Exception) -> str:
    if isinstance(problem, UsageError):
        return str(problem)
    if isinstance(problem, OSError) and problem.filename:
        return f"{problem.filename}: {problem.strerror}."
    if isinstance(problem, MemoryError):
        return str(problem) or "there is not enough memory."
    return f"{type(problem).__name__}: {problem} (--debug shows where)."


def _run(asked: argparse.Namespace) -> int:
    start = _start(asked)
    if asked.headless and not asked.frames:
        raise UsageError("--headless shows nothing and would run for ever; add --frames N.")
    if not asked.headless and sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
        raise UsageError(
            "There is no display for a window (DISPLAY is not set); physarium render needs none."
        )
    _tell(start)
    from app.display import DisplayError
    from app.show import show

    try:
        return show(
            start.source,
            start.world,
            start.choice,
            fullscreen=asked.fullscreen,
            headless=asked.headless,
            frames=asked.frames,
        )
    except DisplayError as problem:
        raise UsageError(str(problem)) from problem


def _render(asked: argparse.Namespace) -> int:
    if film_arguments.asked_for(asked):
        return _film(asked)
    if options := film_arguments.given(asked):
        raise UsageError(f"{options[0]} is for films; --out film.mp4 makes one.")
    start = _start(asked)
    _tell(start)
    from app.display import DisplayError
    from app.render import render

    still = _still(asked, start)
    try:
        digest = render(start.source, start.world, start.choice, steps=start.steps, still=still)
    except DisplayError as problem:
        raise UsageError(str(problem)) from problem
    print(asked.out)
    print(f"digest {digest}")
    if start.digest not in ("", digest):
        print(f"physarium: {asked.preset} recorded another digest, {start.digest}.", file=sys.stderr)
        return FAILED
    return 0


def _film(asked: argparse.Namespace) -> int:
    start = _start(asked)
    _tell(start)
    from app.backend import BackendError
    from app.display import DisplayError
    from app.film import asked_film, make
    from app.video import FilmError

    try:
        film = asked_film(asked, start.world, start.choice)
        done = make(film, start.source, start.world, start.choice, lambda said: print(said, file=sys.stderr))
    except (ValueError, BackendError, DisplayError) as problem:
        raise UsageError(str(problem)) from problem
    except FilmError as problem:
        print(f"physarium: {problem}", file=sys.stderr)
        return FAILED
    if done.frames:
        print(asked.out)
    if done.digest:
        print(f"digest {done.digest}")
    if not done.stopped:
        return 0
    print(f"Stopped after {done.frames:,} of {film.frames:,} frames.", file=sys.stderr)
    return INTERRUPTED


def _still(asked: argparse.Namespace, start: "Start") -> "Still":
    """What to write, once it is known that this machine can."""
    from app.backend import GIB, BackendError
    from app.stills import asked_still, check

    try:
        still = asked_still(asked, start.world)
        needed = check(still, start.world, start.choice)
    except (ValueError, BackendError) as problem:
        raise UsageError(str(problem)) from problem
    if needed > GIB:
        print(f"This takes up to {needed / GIB:.1f} GiB of main memory.", file=sys.stderr)
    return still


def _start(asked: argparse.Namespace) -> "Start":
    _set_threads(asked)
    from app.backend import BackendError
    from app.start import start

    try:
        return start(asked)
    except (ValueError, BackendError) as problem:
        raise UsageError(str(problem)) from problem


def _set_threads(asked: argparse.Namespace) -> None:
    if asked.threads:
        os.environ["NUMBA_NUM_THREADS"] = str(asked.threads)  # read when numba is imported


def _tell(start: "Start") -> None:
    """Says on stderr what was chosen, and what a file cannot bring back."""
    print(start.choice.reason, *start.notes, sep="\n", file=sys.stderr)


def _presets(asked: argparse.Namespace) -> int:
    if asked.what and not asked.name:
        wanted = "NAME of a preset" if asked.what == "show" else "FILE of another program"
        raise UsageError(f"presets {asked.what} takes the {wanted}.")
    if asked.out and asked.what != "import":
        raise UsageError("--out belongs to presets import; it is the folder to write to.")
    try:
        {None: _list, "show": _show, "import": _import}[asked.what](asked)
    except ValueError as problem:
        raise UsageError(str(problem)) from problem
    return 0


def _list(asked: argparse.Namespace) -> None:
    """Prints all presets, a family at a time: its name is their first tag."""
    import presets
    from presets.disk import told

    entries = presets.listing(user_folder())
    width = max(len(entry.name) for entry in entries)
    families: dict[str, list[presets.Entry]] = {}
    for entry in entries:
        tags = entry.preset.tags if entry.preset else ()
        families.setdefault(tags[0] if tags else "others", []).append(entry)
        _warn(entry.preset.warnings if entry.preset else ())
    for family, members in families.items():
        print(f"{told(family)}:")
        for entry in members:
            title = told(entry.preset.title if entry.preset else str(entry.error))
            more = ", ".join(entry.preset.tags[1:]) if entry.preset else ""
            owner = " (yours)" if entry.own else ""
            print(f"  {entry.name:<{width}}  {title}{f' [{told(more)}]' if more else ''}{owner}")


def _show(asked: argparse.Namespace) -> None:
    import presets

    preset = presets.find(asked.name, user_folder())
    _warn(preset.warnings)
    print(presets.dump(preset), end="")


def _import(asked: argparse.Namespace) -> None:
    """Saves each look of a file as a preset and prints where."""
    import presets
    from presets import importer

    for preset in importer.read(Path(asked.name)):
        _warn(preset.warnings)
        print(presets.save(preset, Path(asked.out) if asked.out else user_folder()))


def _warn(warnings: Sequence[str]) -> None:
    for warning in warnings:
        print(f"physarium: {warning}", file=sys.stderr)


def _looks(asked: argparse.Namespace) -> int:
    if asked.what and not asked.name:
        raise UsageError("looks show takes the NAME of a look.")
    from app.looks_command import listed, shown

    try:
        text, warnings = shown(asked.name) if asked.what else listed()
    except ValueError as problem:
        raise UsageError(str(problem)) from problem
    _warn(warnings)
    print(text, end="")
    return 0


def _bench(asked: argparse.Namespace) -> int:
    _set_threads(asked)
    from app.backend import BackendError
    from app.bench.command import bench

    try:
        return bench(asked)
    except BackendError as problem:
        raise UsageError(str(problem)) from problem


def _doctor(asked: argparse.Namespace) -> int:
    from app.doctor import doctor

    return doctor()


if __name__ == "__main__":
    sys.exit(main())
