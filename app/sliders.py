"""Sliders and choices, made from the declarations of `kernels.params`."""

import functools
import math
from collections.abc import Iterable

from imgui_bundle import imgui

from kernels.params import Spec, Value

LINEAR = imgui.SliderFlags_.always_clamp
LOG = LINEAR | imgui.SliderFlags_.logarithmic


def draw_specs(specs: Iterable[Spec], values: object) -> dict[str, Value]:
    """The widgets of some parameters, from their declarations.

    Args:
        specs: The declarations.
        values: What holds the values, such as a `Params`.

    Returns:
        The values a person changed in this frame.
    """
    changed: dict[str, Value] = {}
    for spec in specs:
        value = getattr(values, spec.name)
        new = draw_spec(spec, value)
        if new != value:
            changed[spec.name] = new
    return changed


def draw_spec(spec: Spec, value: Value) -> Value:
    """One slider or choice; drag it, double-click to type, right-click to reset."""
    changed, new = _draw_widget(spec, value)
    if not (changed or imgui.is_item_hovered() or imgui.is_item_active()):
        return value  # as nearly always
    new = _inside(spec, new) if changed else value  # what nobody touched keeps all its digits
    if not spec.choices:
        new = _typed_by_double_click(spec, value, new)
    if imgui.is_item_clicked(1):
        new = spec.default
    if not imgui.is_item_active():
        tip(f"{spec.help}\n\n{spec.name}, {spec.allowed}\nDouble-click to type, right-click to reset.")
    return spec.check(new)


def _draw_widget(spec: Spec, value: Value) -> tuple[bool, Value]:
    """What imgui says of the widget: whether it changed, and its value."""
    label = spec.name.replace("_", " ")
    if spec.choices:
        changed, index = imgui.combo(label, spec.choices.index(str(value)), list(spec.choices))
        return changed, spec.choices[index]
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
        return _inside(spec, before.get_float(key, float(value)))
    if imgui.is_item_activated():
        before.set_float(key, float(value))
    return new


def _inside(spec: Spec, value: Value) -> Value:
    """A widget's number made finite, in range, and rounded to what float32 can show."""
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        return spec.default
    rounded = round(value) if isinstance(spec.default, int) else float(f"{value:.6g}")
    return type(rounded)(min(max(rounded, spec.low), spec.high))


@functools.lru_cache
def _format(unit: str, value: float) -> str:
    """How imgui prints a number: with three digits or so, and its unit."""
    decimals = max(0, min(4, 2 - math.floor(math.log10(max(abs(value), 1e-4)))))
    return f"%.{decimals}f {unit.replace('%', '%%')}".rstrip()


def tip(text: str) -> None:
    """Explains the widget before it while the mouse rests on it."""
    if imgui.begin_item_tooltip():
        imgui.push_text_wrap_pos(imgui.get_font_size() * 24)
        imgui.text_unformatted(text)
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()
