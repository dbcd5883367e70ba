"""How each word of the command line is read. Problems are one plain sentence."""

import argparse
import os
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from kernels.params import SPECS
from kernels.scene import STARTS
from kernels.spec import Value
from presets.preset import nearest

START_KINDS = tuple(kind for kind in STARTS if kind != "image")
WORDS = "text:"  # begins a start that is words
STILLS = {".png": (8, 16), ".exr": (32, 16), ".npy": (32,)}  # bits a file takes; the first, if left out


def size(text: str) -> tuple[int, int]:
    """Width and height in pixels from "1920x1080"."""
    found = re.fullmatch(r"(\d{1,9})[xX](\d{1,9})", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size; it takes WIDTHxHEIGHT such as 1920x1080")
    return int(found[1]), int(found[2])


def count(text: str) -> int:
    """A whole number, with k for thousands and M for millions: "250000", "300k", "1.5M"."""
    found = re.fullmatch(r"(\d{1,12}(?:\.\d{1,12})?)([kKmM]?)", text)
    if found:
        number = Fraction(found[1]) * {"": 1, "k": 1_000, "m": 1_000_000}[found[2].lower()]
        if number.denominator == 1:
            return int(number)
    raise argparse.ArgumentTypeError(
        f"{text!r} is not a whole number; it takes one such as 250000, 300k or 1.5M"
    )


def whole(low: int, high: int) -> Callable[[str], int]:
    """A reader of whole numbers from `low` to `high`."""

    def read(text: str) -> int:
        number = count(text)
        if not low <= number <= high:
            raise argparse.ArgumentTypeError(f"{text} is not allowed; it takes {low} to {high}")
        return number

    return read


def setting(text: str) -> tuple[str, Value]:
    """A parameter and its value from "decay=0.2"."""
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not a setting; it takes NAME=VALUE such as decay=0.2")
    if name not in SPECS:
        raise argparse.ArgumentTypeError(f"{name!r} is not a parameter; {nearest(name, SPECS)}")
    try:
        return name, SPECS[name].parse(value)
    except ValueError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


def beginning(text: str) -> str:
    """A start: a shape, words, or an image that is there."""
    if text in START_KINDS or text.startswith(WORDS) or os.path.isfile(text):
        return text
    raise argparse.ArgumentTypeError(
        f"{text!r} is no start; it takes one of {', '.join(START_KINDS)}, an image file, or {WORDS}HELLO"
    )


def picture(text: str) -> Path:
    """A PNG that can be written."""
    if Path(text).suffix.lower() != ".png":
        raise argparse.ArgumentTypeError(f"{text!r} is not a PNG; the name of the picture ends in .png")
    return writable(text)


def still(text: str) -> Path:
    """A file that `render` can write, as its name ends."""
    if Path(text).suffix.lower() not in STILLS:
        kinds = ", ".join(STILLS)
        raise argparse.ArgumentTypeError(f"{text!r} is no picture; its name ends in one of {kinds}")
    return writable(text)


def writable(text: str) -> Path:
    """A file that can be written: its name, and a folder that is there."""
    path = Path(text)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a folder; it takes the name of a file")
    if path.exists() and not path.is_file():
        raise argparse.ArgumentTypeError(f"{text!r} is a device or a pipe; it takes the name of a file")
    try:
        path = path.resolve()  # through links, to where the picture will lie
    except (OSError, RuntimeError):
        raise argparse.ArgumentTypeError(f"{text!r} cannot be written; its link leads nowhere") from None
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} cannot be written; there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"{text!r} cannot be written; the folder {path.parent} is read-only")
    return Path(text)
