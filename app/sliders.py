"""Sliders and choices, made from the declarations of `kernels.params`."""

import functools
import math
from collections.abc import Iterable

from imgui_bundle import imgui

from app.gradient_editor import edit_gradient
from app.lock_marks import draw_lock
from kernels.spec import Spec, Value

LONGEST_UNIT = 12  # characters that fit into a slider; the tooltip tells of longer ones
OWN = "of your own"  # how a combo calls a gradient that a person made
LINEAR = imgui.SliderFlags_.always_clamp
LOG = LINEAR | imgui.SliderFlags_.logarithmic


def draw_specs(specs: Iterable[Spec], values: object, locked: set[str] | None = None) -> dict[str, Value]:
    """The widgets of some parameters, from their declarations.

    Args:
        specs: The declarations. Where they are of several species, labels say whose each is.
        values: What holds the values, such as a `Params`.
        locked: Names of the parameters that are locked; left out, they have no locks.

    Returns:
        The values a person changed in this frame.
    """
    changed: dict[str, Value] = {}
    specs = list(specs)
    several = len({spec.species for spec in specs} - {0}) > 1
    for spec in specs:
        value = getattr(values, spec.name)
        new = draw_spec(spec, value, spec.name if several else spec.trait)
        if locked is not None:
            draw_lock(spec.name, locked)
        if spec.gradient:
            new = edit_gradient(spec.name, str(new))
        if new != value:
            changed[spec.name] = new
    return changed


def draw_spec(spec: Spec, value: Value, label: str = "") -> Value:
    """One slider or choice; drag it, double-click to type, right-click to reset.

    Args:
        spec: The declaration.
        value: What it is now.
        label: What to call it; left out, its name.

    Returns:
        What it becomes.
    """
    changed, new = _draw_widget(spec, value, f"{(label or spec.name).replace('_', ' ')}##{spec.name}")
    if not (changed or imgui.is_item_hovered() or imgui.is_item_active()):
        return value  # as nearly always
    new = inside(spec, new) if changed else value  # what nobody touched keeps all its digits
    if not spec.choices:
        new = _typed_by_double_click(spec, value, new)
    if imgui.is_item_clicked(1):
        new = spec.default
    explain(spec)
    return spec.check(new)


def explain(spec: Spec) -> None:
    """Shows what a parameter does while the mouse rests on its widget, the one before."""
    if not imgui.is_item_active():
        tip(f"{spec.help}\n\n{spec.name}, {spec.allowed}\nDouble-click to type, right-click to reset.")


def _draw_widget(spec: Spec, value: Value, label: str) -> tuple[bool, Value]:
    """What imgui says of the widget: whether it changed, and its value."""
    if spec.choices:
        offered = list(spec.choices) if value in spec.choices else [*spec.choices, OWN]
        at = offered.index(str(value)) if value in spec.choices else len(offered) - 1
        changed, index = imgui.combo(label, at, offered)
        return changed, value if offered[index] == OWN else offered[index]
    if isinstance(value, int):
        return imgui.slider_int(label, value, int(spec.low), int(spec.high), f"%d {spec.unit}")
    number = float(value)
    return imgui.slider_float(
        label, number, spec.low, spec.high, _format(spec.unit, number), LOG if spec.scale == "log" else LINEAR
    )


def _typed_by_double_click(spec: Spec, value: Value, new: Value) -> Value:
    """Turns the slider just drawn into a text field on a double click, which must not move it."""
    before = imgui.get_state_storage()
    key = imgui.get_item_id()
    if imgui.is_item_hovered() and imgui.is_mouse_double_clicked(0):
        imgui.set_keyboard_focus_here(-1)
        return inside(spec, before.get_float(key, float(value)))
    if imgui.is_item_activated():
        before.set_float(key, float(value))
    return new


def inside(spec: Spec, value: Value) -> Value:
    """A widget's number made finite, in range, and rounded to what float32 can show."""
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        return spec.default
    rounded = round(value) if isinstance(spec.default, int) else float(f"{value:.6g}")
    return type(rounded)(min(max(rounded, spec.low), spec.high))


@functools.lru_cache
def _format(unit: str, value: float) -> str:
    """How imgui prints a number: with three digits or so, and its unit where that is short."""
    unit = unit if len(unit) <= LONGEST_UNIT else ""
    decimals = max(0, min(4, 2 - math.floor(math.log10(max(abs(value), 1e-4))))) if value else 0
    return f"%.{decimals}f {unit.replace('%', '%%')}".rstrip()


def tip(text: str) -> None:
    """Explains the widget before it while the mouse rests on it."""
    if imgui.begin_item_tooltip():
        imgui.push_text_wrap_pos(imgui.get_font_size() * 24)
        imgui.text_unformatted(text)
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()
