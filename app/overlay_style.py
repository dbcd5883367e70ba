"""The look of the panel: dark, quiet, legible over a bright picture."""

from pathlib import Path

import imgui_bundle
import numpy as np
from imgui_bundle import imgui, implot

FONT = Path(imgui_bundle.__file__).parent / "assets/fonts/Roboto/Roboto-Regular.ttf"
FONT_SIZE = 16.0  # window units at a scale of 1

ACCENT = (0.93, 0.72, 0.25)
COLOURS = {
    "text": (0.92, 0.93, 0.92, 1.0),
    "window_bg": (0.07, 0.075, 0.08, 0.94),
    "popup_bg": (0.09, 0.095, 0.10, 0.98),
    "title_bg": (0.07, 0.075, 0.08, 1.0),
    "title_bg_active": (0.12, 0.125, 0.13, 1.0),
    "title_bg_collapsed": (0.07, 0.075, 0.08, 0.8),
    "border": (1.0, 1.0, 1.0, 0.1),
    "check_mark": (*ACCENT, 1.0),
    "slider_grab": (*ACCENT, 0.75),
    "slider_grab_active": (*ACCENT, 1.0),
    "text_selected_bg": (*ACCENT, 0.35),
    "text_link": (*ACCENT, 1.0),
    "nav_cursor": (*ACCENT, 1.0),
    "plot_lines": (*ACCENT, 1.0),
    "plot_histogram": (*ACCENT, 0.9),
    "tab_selected": (1.0, 1.0, 1.0, 0.2),
    "tab_selected_overline": (*ACCENT, 1.0),
    "checkbox_selected_bg": (1.0, 1.0, 1.0, 0.08),
}
# What can be held is one white veil: (at rest, under the mouse, held).
VEIL = {"": 0.08, "_hovered": 0.14, "_active": 0.2}
VEILED = ("frame_bg", "button", "header", "separator", "resize_grip", "tab")
COLOURS |= {part + state: (1.0, 1.0, 1.0, alpha) for part in VEILED for state, alpha in VEIL.items()}

# What the plots of a name show, in the order it is drawn.
PLOTS = {
    "passes": {
        "order": (0.60, 0.42, 0.62),
        "field": (0.24, 0.58, 0.60),
        "agents": ACCENT,
        "floor": (1.0, 1.0, 1.0),
    },
    "frames": {"mean frame": (0.42, 0.44, 0.46), "longest frame": (1.0, 1.0, 1.0)},
}
PLOT_COLOURS = {
    "frame_bg": (0.0, 0.0, 0.0, 0.0),
    "plot_bg": (1.0, 1.0, 1.0, 0.04),
    "plot_border": (1.0, 1.0, 1.0, 0.1),
    "axis_grid": (1.0, 1.0, 1.0, 0.14),
    "axis_text": (0.92, 0.93, 0.92, 0.6),
    "legend_bg": (0.0, 0.0, 0.0, 0.0),
    "legend_border": (0.0, 0.0, 0.0, 0.0),
}


def style() -> None:
    """Sets font, sizes and colours of the current imgui and ImPlot contexts."""
    look = imgui.get_style()
    known = imgui.Col_.__members__  # older imgui versions lack some
    for name in COLOURS.keys() & known.keys():
        look.set_color_(known[name], imgui.ImVec4(*COLOURS[name]))
    look.window_rounding = look.popup_rounding = 6.0
    look.frame_rounding = look.grab_rounding = 4.0
    look.window_padding = imgui.ImVec2(12, 10)
    look.frame_padding = imgui.ImVec2(8, 4)
    look.item_spacing = imgui.ImVec2(8, 6)
    look.grab_min_size = 12.0
    look.font_size_base = FONT_SIZE
    if FONT.is_file():
        imgui.get_io().fonts.add_font_from_file_ttf(str(FONT), FONT_SIZE)
    _style_plots()


def _style_plots() -> None:
    look = implot.get_style()
    for name, colour in PLOT_COLOURS.items():
        look.set_color_(implot.Col_[name], imgui.ImVec4(*colour))
    look.plot_padding = imgui.ImVec2(0, 4)
    look.legend_padding = look.legend_inner_padding = imgui.ImVec2(0, 2)
    for name, colours in PLOTS.items():
        implot.add_colormap(name, np.array([(*colour, 1.0) for colour in colours.values()], np.float32))


def rescale(scale: float) -> None:
    """Makes text and spacing `scale` times what `style` set, whatever the scale was."""
    look = imgui.get_style()
    look.scale_all_sizes(scale / look.font_scale_dpi)
    look.font_scale_dpi = scale
