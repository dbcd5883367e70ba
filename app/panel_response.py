"""The panel's section on how agents answer to the trail under them: four curves over s."""

import numpy as np
from imgui_bundle import imgui
from numpy.typing import NDArray

from app.curve_editor import edit_curve
from app.lock_marks import draw_lock
from app.sliders import draw_spec, draw_specs, tip
from kernels.contract import RESPONSES
from kernels.params import SPECS, Params, own_name
from kernels.spec import Value

HINT = (
    "The value over s, and below it where agents' s lies now. Click to add a handle, drag to move one, "
    "right-click to remove one."
)


def draw_responses(
    params: Params, species: int, histogram: NDArray[np.float64], locked: set[str]
) -> dict[str, Value]:
    """The section's content for a species, counted from 0.

    Args:
        params: All parameters.
        species: Whose responses to show.
        histogram: How often that species' s is where, from 0 to 1 [n]; may be empty.
        locked: Names of the parameters that are locked.

    Returns:
        The values a person changed in this frame.
    """
    shared = [SPECS[own_name(name, species)] for name in ("sense_scale", "sense_offset")]
    changed = draw_specs(shared, params, locked)
    if histogram.size and not histogram.any():
        imgui.text_disabled("None of its agents is in the middle of the field, where")
        imgui.text_disabled("s is measured: nothing to show under the curves.")
    for name in RESPONSES:
        changed |= _draw_response(name, params, species, histogram, locked)
    return changed


def _draw_response(
    name: str, params: Params, species: int, histogram: NDArray[np.float64], locked: set[str]
) -> dict[str, Value]:
    """One curve, folded to a line that says from where to where it goes."""
    base, amplitude, exponent, curve = (
        SPECS[own_name(name + part, species)] for part in ("", "_amplitude", "_exponent", "_curve")
    )
    start, added = (float(getattr(params, spec.name)) for spec in (base, amplitude))
    ends = f"{start:.4g} {base.unit}", f"{start + added:.4g} {base.unit}"
    title = name.replace("_", " ") + (f": {start:.4g} to {ends[1]}" if added else f": {ends[0]}")
    imgui.set_next_item_open(added != 0, imgui.Cond_.once)
    if not imgui.tree_node_ex(f"{title}###{base.name} response", imgui.TreeNodeFlags_.span_avail_width):
        return {}
    changed: dict[str, Value] = {}
    text = getattr(params, curve.name)
    for spec in (amplitude, exponent):
        imgui.begin_disabled(spec is exponent and bool(text))
        value = getattr(params, spec.name)
        if (new := draw_spec(spec, value, spec.trait.removeprefix(f"{name}_"))) != value:
            changed[spec.name] = new
        imgui.end_disabled()
        draw_lock(spec.name, locked)
    drawn = edit_curve(curve.name, text, getattr(params, exponent.name), ends, added < 0, histogram)
    tip(HINT)
    if text and imgui.button("Back to the power", imgui.ImVec2(-1, 0)):
        drawn = ""
    if drawn != text:
        changed[curve.name] = drawn
    imgui.tree_pop()
    return changed
