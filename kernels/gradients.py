"""Gradients as texts such as "#0b0709 0, #c2421a 0.6, #fde9a9 1": colours and where they lie."""

import itertools
import re

MOST_STOPS = 12
STOP = re.compile(r"\s*(#[0-9a-fA-F]{6})\s+(\d(?:\.\d{1,6})?)\s*")

Stops = tuple[tuple[str, float], ...]


def check_gradient(text: str) -> str | None:
    """A gradient's text in its one form; None where it is none.

    It has 2 to 12 stops, each a colour "#rrggbb" (sRGB) and its place from 0, empty ground, to 1, the
    strongest trail; places grow. Before the first stop and after the last, the colour stays.
    """
    found = [STOP.fullmatch(part) for part in text.split(",", MOST_STOPS)]
    if not 2 <= len(found) <= MOST_STOPS:
        return None
    stops = tuple((match[1].lower(), float(match[2])) for match in found if match)
    rising = all(left[1] < right[1] for left, right in itertools.pairwise(stops))
    if len(stops) < len(found) or not rising or stops[-1][1] > 1:
        return None
    return to_text(stops)


def to_text(stops: Stops) -> str:
    """Stops as `check_gradient` gives them, their places rounded to four digits."""
    return ", ".join(f"{colour} {place:.4g}" for colour, place in stops)


def stops_of(text: str) -> Stops:
    """The stops of a text that `check_gradient` took."""
    return tuple((colour, float(place)) for colour, place in (part.split() for part in text.split(",")))
