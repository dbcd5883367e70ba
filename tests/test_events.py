"""Events, and the lines they are in a log; that any comes back is in `test_record.py`."""

import json

import pytest

from app.events import Draw, Fill, Other, Paint, UndoMap, from_line, to_line
from kernels.maps import Mark
from kernels.params import check_params
from kernels.stroke import Stroke

EVENTS = (
    Paint(1, Stroke(1, 2, 3, 4, 2)),
    Draw(1, Mark("wall", -1, 2, 3, 50, 255), True),
    Fill(2, "mask", "radial"),
    UndoMap(2),
    Other(3, check_params({"decay": 0.5, "wander_2": 9.0})),
    Other(3, None),
)


def test_a_line_of_the_log_is_short() -> None:
    lines = [json.loads(to_line(event)) for event in EVENTS]
    assert lines == [
        [1, "paint", [1, 2, 3, 4, 2]],
        [1, "draw", "wall", [-1, 2, 3, 50, 255], True],
        [2, "fill", "mask", "radial"],
        [2, "undo"],
        [3, "other", {"decay": 0.5, "wander_2": 9.0}],
        [3, "other", None],
    ]


@pytest.mark.parametrize(
    ("line", "essentials"),
    [
        ([5, "paint", [1, 2, 0, 4]], ["radius = 0", "1 to 1099511627776"]),
        ([5, "paint", [1, 2.5, 3, 4]], ["y = 2.5", "a whole number"]),
        ([5, "paint", [2**41, 2, 3, 4]], ["x = 2199023255552"]),
        ([5, "paint", [1, 2, 3, -(2**41)]], ["strength = -2199023255552"]),
        ([5, "paint", [1, 2, 3]], ['"paint", [x, y, radius, strength]']),
        ([5, "paint", [1, 2, 3, 4, 4]], ["species = 4", "from 0 to 3"]),
        ([5, "paint", [1, 2, 3, 4, 0, 0]], ["it takes"]),
        ([5, "draw", "walls", [1, 2, 3, 4, 5], True], ["layer = 'walls'", "food, wall, mask"]),
        ([5, "draw", [], [1, 2, 3, 4, 5], True], ["layer = a list"]),
        ([5, "draw", "wall", [1, 2, 0, 4, 5], True], ["radius = 0"]),
        ([5, "draw", "wall", [1, 2, 3, 101, 5], True], ["hardness = 101", "0 to 100"]),
        ([5, "draw", "wall", [1, 2, 3, 4, None], True], ["value = null", "0 to 255"]),
        ([5, "draw", "wall", [1, {}, 3, 4, 5], True], ["y = a table"]),
        ([5, "draw", "wall", [1, 2, 3, 4, 5], 1], ["it takes"]),
        ([5, "draw", "wall", [1, 2, 3, 4], True], ["it takes"]),
        ([501, "undo"], ["step = 501"]),
        ([5, "undo", 1], ["it takes"]),
        ([5, "fill", "wall", "dots"], ["fill = 'dots'", "clear, left to right"]),
        ([5, "fill", None, "clear"], ["layer = null"]),
        ([5, "other", {"decay": 7}], ["decay = 7"]),
        ([5, "other", 7], ["it takes"]),
    ],
)
def test_a_line_that_is_none_is_refused_in_a_sentence(line: list, essentials: list[str]) -> None:
    with pytest.raises(ValueError, match=r"\.$") as caught:
        from_line(line, 0, 500)
    for essential in essentials:
        assert essential in str(caught.value)
