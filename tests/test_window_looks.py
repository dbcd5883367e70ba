"""Looks at a real window."""

import numpy as np
from visit import Visit
from visit import hand as hand  # fixtures
from visit import screen as screen
from visit import visit as visit

from presets import looks

SHIPPED = looks.shipped()


def test_l_goes_through_the_looks_and_they_are_seen(visit: Visit) -> None:
    studio = visit.studio
    first = studio.session.params
    shown = [visit.hand.look()]
    for name, held in (("l", ""), ("l", ""), ("l", "Shift_L")):
        visit.key(name, held)
        shown.append(visit.hand.look())
    assert studio.session.params == SHIPPED[0].apply(first)
    assert np.abs(shown[1].astype(int) - shown[0])[:, 450:].mean() > 5
    assert np.abs(shown[2].astype(int) - shown[1])[:, 450:].mean() > 5
    for _ in range(3):
        visit.key("z", "Control_L")
    assert studio.session.params == first
