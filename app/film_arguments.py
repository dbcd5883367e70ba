"""What the command line takes for films."""

import argparse
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from app.argument_types import still, whole, writable

FILMS = ".mp4", ".mov", ".webm"
LONGEST = 24 * 60 * 60  # seconds
FASTEST = 240  # frames a second
MOST_STEPS = 10_000  # per frame
QUALITY = 70  # from 0 to 100

FILM = """\
films:
  film.mp4 and film.mov are H.264, film.webm is VP9; --encoder takes libsvtav1, av1_nvenc, prores_ks.
  frames/%05d.png is a PNG for each frame, with its run in it; the same command goes on where it stopped.
  Ctrl+C ends a film, and what there is of it can be played.

a timeline is a file of keys; a key holds what has come to be at its time, and how it came there:
  [[key]]
  time = 4                  seconds
  preset = "veins"          all parameters of a preset, then those of a look, and then any of them:
  look = "ink-on-paper"
  decay = 0.2
  centre = [0.5, 0.25]      the camera: where its middle lies in the field, 0 to 1 and on beyond the edges,
  zoom = 2                  1 where the field just covers the frame,
  angle = 90                and how far it is turned, in degrees
  easing = "smooth"         or linear, in, out, hold

examples:
  physarium render veins --out veins.mp4 --seconds 20 --steps 300 --loop 2
  physarium render veins --out frames/%05d.png --timeline slow-zoom.toml --fps 30
"""


def film_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that only films have."""
    add = parser.add_argument_group("films").add_argument
    seconds_help = "how long the film is; left out, as long as its timeline, or 20"
    add("--seconds", type=number(Fraction(1, 1000), LONGEST), metavar="S", help=seconds_help)
    add("--fps", type=number(1, FASTEST), metavar="N", help="frames a second, such as 60 or 30000/1001")
    pace_help = "steps from one frame to the next; left out, what the parameter says at 60 frames a second"
    add("--steps-per-frame", type=whole(1, MOST_STEPS), metavar="N", help=pace_help)
    timeline_help = "keys of parameters, presets, looks and the camera; see below"
    add("--timeline", type=Path, metavar="FILE.toml", help=timeline_help)
    loop_help = "fade the last S seconds into what came before the first, so that it repeats without a seam"
    add("--loop", type=number(Fraction(1, 1000), LONGEST), metavar="S", help=loop_help)
    add("--encoder", metavar="NAME", help="such as libx264 or prores_ks; left out, the first that works")
    quality_help = f"0 for small files to 100 for fine ones; left out, {QUALITY}"
    add("--quality", type=whole(0, 100), metavar="N", help=quality_help)


def asked_for(asked: argparse.Namespace) -> bool:
    """Whether `render` is to make a film."""
    return is_film(str(asked.out))


def given(asked: argparse.Namespace) -> list[str]:
    """The options of films that were given."""
    names = "seconds", "fps", "steps_per_frame", "timeline", "loop", "encoder", "quality"
    return [f"--{name.replace('_', '-')}" for name in names if getattr(asked, name) is not None]


def is_film(text: str) -> bool:
    """Whether a file's name is that of a film, or of its frames."""
    return Path(text).suffix.lower() in FILMS or "%" in Path(text).name


def output(text: str) -> Path:
    """What `render` writes: a still, a film, or a pattern for the frames of one."""
    if not is_film(text):
        return still(text)
    name = Path(text).name
    if "%" not in name:
        return writable(text)
    pattern = re.fullmatch(r"[^%]*%(0\d{1,2})?d[^%]*\.png", name, re.IGNORECASE)
    if not pattern:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no pattern for frames; it takes one number and .png, such as frames/%05d.png"
        )
    return Path(text)


def number(low: Fraction | int, high: int) -> Callable[[str], Fraction]:
    """A reader of numbers from `low` to `high`, as exact fractions."""

    def read(text: str) -> Fraction:
        exact = re.fullmatch(r"\d{1,9}(\.\d{1,9}|/[1-9]\d{0,8})?", text)
        value = Fraction(text) if exact else Fraction(-1)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text} is not allowed; it takes {float(low):g} to {high}")
        return value

    return read
