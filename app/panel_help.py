"""The help: how it works, beside a drawing of an agent as it is now, and all keys from `app.keys`."""

from imgui_bundle import imgui

from app import lens
from app.dialogs import FIXED, MARGIN
from app.keys import KEYS, MOUSE, Key
from app.lens import Agent
from app.overlay_style import ACCENT
from app.panel_cards import draw_hints
from app.panel_lens import draw_agent, told
from app.studio import Studio
from kernels.params import of_species

WIDE, COLUMNS = 60.0, 44.0  # font sizes: at most so wide, and two columns of keys from so wide on
DRAWING = 13.0  # the drawing's height, in font sizes
FILLED = 0.42  # of that height, by what is farthest from the drawing's middle
HINT_SECONDS = 90.0
HELP = FIXED | imgui.WindowFlags_.always_auto_resize
HINT = HELP | imgui.WindowFlags_.no_title_bar | imgui.WindowFlags_.no_inputs
WELCOME = (("H", "explains how it works"), ("P", "shows all presets"), ("Space", "pauses"))


class HelpPanel:
    """Shows the help when it is asked for and, when Physarium is new here, how to ask."""

    def __init__(self) -> None:
        self.welcomed = False  # whether the hint has gone

    def draw(self, studio: Studio, left: float) -> None:
        """One frame of it.

        Args:
            studio: What is explained.
            left: Where the free part of the window begins, in points: where there is room, the help stands
            there, and its drawing follows what is dragged in the panel.
        """
        new = studio.settings.path is not None and studio.settings.size is None
        self.welcomed |= studio.help or studio.gallery or imgui.get_time() > HINT_SECONDS
        if studio.help:
            draw_help(studio, left)
        elif new and not self.welcomed:
            _draw_hint(left)


def draw_help(studio: Studio, left: float) -> None:
    """The model in six lines with a drawing of it, then keys and mouse."""
    display, size = imgui.get_main_viewport().size, imgui.get_font_size()
    edge = MARGIN * size
    if display.x - left < COLUMNS * size:
        left = 0  # too little room beside the panel
    wide = min(WIDE * size, display.x - left - 2 * edge)
    imgui.set_next_window_pos(
        imgui.ImVec2((left + display.x) / 2, display.y / 2), pivot=imgui.ImVec2(0.5, 0.5)
    )
    high = max(1.0, display.y - 2 * edge)
    imgui.set_next_window_size_constraints(imgui.ImVec2(wide, 0), imgui.ImVec2(wide, high))
    imgui.begin("Help", None, HELP)
    shown = lens.agents(studio.session.params, studio.shown)
    room = DRAWING * (1 if len(shown) == 1 else 1.5)
    if imgui.begin_table("how", 2):
        imgui.table_setup_column("drawing", imgui.TableColumnFlags_.width_fixed, size * room)
        imgui.table_setup_column("lines", imgui.TableColumnFlags_.width_stretch)
        imgui.table_next_column()
        _draw_agents(shown)
        imgui.table_next_column()
        for number, line in enumerate(lines(studio, shown), 1):
            imgui.dummy(imgui.ImVec2(0, size * 0.05))
            imgui.text_colored(imgui.ImVec4(*ACCENT, 1), str(number))
            imgui.same_line(0, size * 0.7)
            imgui.text_wrapped(line)
        imgui.end_table()
    imgui.separator()
    _draw_keys(2 if wide > COLUMNS * size else 1)
    if imgui.button("Close", imgui.ImVec2(-1, 0)):
        studio.toggle_help()
    imgui.end()


def lines(studio: Studio, shown: list[Agent]) -> list[str]:
    """How it works, in six lines.

    Args:
        studio: Whose values are told, of the species that is shown.
        shown: That species' agent, or both where it follows the trail.
    """
    world, params = studio.session.world, of_species(studio.session.params, studio.shown)
    angle, distance, step = (told(shown, name) for name in ("sensor_angle", "sensor_distance", "step_size"))
    return [
        f"{world.agents:,} agents live on a field of scent, which is what you see.",
        f"Each smells at three places: {distance} ahead, and there {angle} to its left and right.",
        f"Best ahead, it goes straight on. Else it turns {_turn(shown)}.",
        f"It takes a step of {step} and leaves scent on the cell where it stands then.",
        f"The scent blurs into the cells around it, and {params.decay:.3g} of it fades in each step.",
        "So agents follow agents: paths that many take grow, the others fade.",
    ]


def _turn(shown: list[Agent]) -> str:
    """Where to and how far agents turn."""
    turn, away = told(shown, "rotation_angle"), {agent.rotation_angle < 0 for agent in shown}
    if away == {True}:
        return f"away from the better side, by {turn.replace('-', '')}"
    return f"to the better side, by {turn}" + (", below 0 away from it" if True in away else "")


def _draw_agents(shown: list[Agent]) -> None:
    """The agent, or both where it follows the trail, in the window's own drawing."""
    size, corner = imgui.get_font_size(), imgui.get_cursor_screen_pos()
    area = imgui.ImVec2(imgui.get_content_region_avail().x, size * DRAWING)
    side = area.x / len(shown)
    scale = min(side, area.y) * FILLED / max(agent.reach for agent in shown)
    draw = imgui.get_window_draw_list()
    for index, agent in enumerate(shown):
        middle = imgui.ImVec2(corner.x + side * (index + 0.5), corner.y + area.y / 2)
        draw_agent(draw, middle, agent, scale)
        if agent.s is not None:
            name = f"s = {agent.s:g}"
            where = imgui.ImVec2(middle.x - imgui.calc_text_size(name).x / 2, corner.y + area.y - size)
            draw.add_text(where, imgui.get_color_u32(imgui.Col_.text_disabled), name)
    imgui.dummy(area)


def _draw_keys(columns: int) -> None:
    """Keys and mouse, from top to bottom in each column."""
    shown = [*KEYS, *MOUSE]
    rows = -(-len(shown) // columns)
    if imgui.begin_table("keys", 2 * columns):
        for _ in range(columns):
            imgui.table_setup_column("key", imgui.TableColumnFlags_.width_fixed)
            imgui.table_setup_column("help", imgui.TableColumnFlags_.width_stretch)
        for row in range(rows):
            imgui.table_next_row()
            for column, key in enumerate(shown[row::rows]):
                _draw_key(key, 2 * column)
        imgui.end_table()


def _draw_key(key: Key, column: int) -> None:
    imgui.table_set_column_index(column)
    imgui.text(key.label)
    imgui.table_set_column_index(column + 1)
    imgui.push_text_wrap_pos(0.0)
    imgui.text_disabled(key.help)
    imgui.pop_text_wrap_pos()


def _draw_hint(left: float) -> None:
    """A quiet line at the top for those who are here for the first time."""
    display, size = imgui.get_main_viewport().size, imgui.get_font_size()
    where = imgui.ImVec2((left + display.x) / 2, size * MARGIN)
    imgui.set_next_window_pos(where, pivot=imgui.ImVec2(0.5, 0.0))
    imgui.begin("##welcome", None, HINT)
    draw_hints(WELCOME)
    imgui.end()
