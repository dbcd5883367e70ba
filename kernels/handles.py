"""Curves drawn with handles, as texts such as "0 0, 0.5 1, 1 0.2"."""

import itertools
import re

MOST_POINTS = 8
POINT = re.compile(r"\s*(\d(?:\.\d{1,6})?)\s+(\d(?:\.\d{1,6})?)\s*")

Points = tuple[tuple[float, float], ...]


def check_curve(text: str) -> str | None:
    """A drawn curve's text in its one form, such as "0 0, 0.5 1, 1 0.2"; None where it is none.

    It has 2 to 8 points, x and y from 0 to 1, x growing. The empty text stands for no curve.
    """
    if not text.strip():
        return ""
    found = [POINT.fullmatch(part) for part in text.split(",", MOST_POINTS)]
    if not 2 <= len(found) <= MOST_POINTS:
        return None
    points = [(float(match[1]), float(match[2])) for match in found if match]
    rising = all(left[0] < right[0] for left, right in itertools.pairwise(points))
    if len(points) < len(found) or not rising or max(max(point) for point in points) > 1:
        return None
    return to_text(tuple(points))


def to_text(points: Points) -> str:
    """Points as `check_curve` gives them, rounded to four digits."""
    return ", ".join(f"{x:.4g} {y:.4g}" for x, y in points)


def points_of(text: str) -> Points:
    """The points of a text that `check_curve` took."""
    return tuple((float(x), float(y)) for x, y in (part.split() for part in text.split(",") if part.strip()))
