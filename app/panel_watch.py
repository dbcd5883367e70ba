"""The panel's section on how the picture fares: coverage, entropy and motion of the last minutes."""

import numpy as np
from imgui_bundle import imgui

from app.sliders import tip
from app.studio import Studio
from kernels.params import SPECS
from kernels.spec import Value

HEIGHT = 2.6  # of a plot, in font sizes
# What is plotted, up to where, and what it says.
PLOTTED = {
    "coverage": (1.0, "The share of the field with more than half the mean trail."),
    "entropy": (1.0, "How evenly all tones are used. 0: one tone. 1: all alike."),
    "motion": (None, "How different the picture is from the one before. 0: it is frozen."),
}
WARNING = imgui.ImVec4(1.0, 0.55, 0.35, 1.0)


def draw_watch(studio: Studio) -> None:
    """The section's content."""
    watch = studio.watch
    width = imgui.calc_item_width()
    for name, (top, meaning) in PLOTTED.items():
        values = np.asarray(getattr(watch, name), np.float32)
        if len(values):
            high = top or max(0.05, float(values.max()) * 1.1)
            size = imgui.ImVec2(width, HEIGHT * imgui.get_font_size())
            imgui.plot_lines(f"{name} {values[-1]:.2f}###{name}", values, 0, "", 0.0, high, size)
            tip(meaning)
    if not len(watch.coverage):
        imgui.text_disabled("Looking at the picture ...")
    changed, watch.revive = imgui.checkbox("revive a dead picture", watch.revive)
    if changed and not watch.revive:
        watch.settle(studio.session)
    tip("Where it is empty, frozen or striped, agents wander and respawn for a while; the log repeats it.")
    if watch.reviving:
        imgui.text_disabled("Reviving ...")


def draw_warning(studio: Studio) -> None:
    """What is wrong with the picture and what helps, where the panel begins; nothing while it is alive."""
    watch = studio.watch
    if not watch.warning:
        return
    imgui.push_style_color(imgui.Col_.text, WARNING)
    imgui.text_wrapped(watch.warning)
    imgui.pop_style_color()
    params = studio.session.params
    remedy = [(SPECS[name], value) for name, value in watch.remedy.items() if getattr(params, name) != value]
    if remedy:
        label = ", ".join(f"{spec.name.replace('_', ' ')} {shown(value)}" for spec, value in remedy)
        if imgui.button(f"Try {label}###cure", imgui.ImVec2(-1, 0)):
            studio.cure()
        tip("Changes that now. Undo takes it back.")


def shown(value: Value) -> str:
    """A value as a button shows it."""
    return f"{value:.3g}" if isinstance(value, float) else str(value)
