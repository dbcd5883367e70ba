"""The panel's line on how many frames the show is to keep."""

from imgui_bundle import imgui

from app.settings import Settings
from app.sliders import tip

HIGHEST = 240  # frames/s
CLAMPED = imgui.SliderFlags_.always_clamp


def draw_pace(settings: Settings) -> None:
    """A slider of frames/s; at its left end, as many as the screen shows."""
    shown = "%d" if settings.frames else "as the screen"
    _, settings.frames = imgui.slider_int("frames/s", settings.frames, 0, HIGHEST, shown, CLAMPED)
    tip("What the show keeps up by doing fewer steps a frame where the machine is too slow for all of them.")
