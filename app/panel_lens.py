"""The sensor lens: one agent's sensors, turn and step, to scale, over the picture.

It stands in the middle of the picture beside the panel and not at the cursor, which is on a slider then:
there it would cover what is being dragged. It is drawn under imgui's windows, so that a slider's tooltip
stays legible.
"""

import math

from imgui_bundle import imgui

from app import lens
from app.lens import Agent, Point, way
from app.panel_cards import colour
from app.studio import Studio
from kernels.contract import RESPONSES
from kernels.params import SPECS

# Of what belongs to each side: left, ahead, right. A turn has the colour of the sensor that asks for it.
TINTS = {-1: (0.36, 0.76, 0.98), 0: (0.98, 0.93, 0.80), 1: (1.0, 0.54, 0.42)}
GLASS, EDGE = (0.045, 0.05, 0.055, 0.88), (1.0, 1.0, 1.0, 0.35)
SHARE, LARGEST = 0.27, 13.0  # a lens's radius, of the free picture's shorter side, and in font sizes
FILLED = 0.43, 0.88  # how much of that radius a drawing takes, at least and at most
CELL = 0.55  # font sizes between lines of the grid, at least
DOT = 0.42  # a sensor's radius, in font sizes, where its true size is less
TRUE = 0.5  # the radius of the ring that shows where the drawing is in truth, at least; font sizes
ASIDE = 52.0  # degrees from straight up to where that ring stands: clear of the words above and below
NAMES = {0.0: "on bare ground (s = 0)", 1.0: "on strong trails (s = 1)"}


def draw_lens(studio: Studio, left: float) -> None:
    """The drawing over the picture.

    Args:
        studio: Whose agents they are.
        left: Where the free picture begins, in points.
    """
    view, display = studio.view, imgui.get_io().display_size
    scale = view.scale * display.x / max(1, view.target[0])
    shown = lens.agents(studio.session.params, studio.shown)
    width = (display.x - left) / len(shown)
    radius = min(
        min(width, display.y) * SHARE * (1.25 if len(shown) > 1 else 1), imgui.get_font_size() * LARGEST
    )
    if radius < imgui.get_font_size() * 2:
        return
    reach = max(agent.reach for agent in shown) * scale
    factor = lens.magnification(reach, FILLED[0] * radius, FILLED[1] * radius)
    draw = imgui.get_background_draw_list()
    for index, agent in enumerate(shown):
        middle = imgui.ImVec2(left + width * (index + 0.5), display.y * 0.46)
        if factor > 1:
            _draw_true(draw, middle, radius, agent, scale, -1 if index == 0 else 1)
        _draw_glass(draw, middle, radius, scale * factor)
        draw_agent(draw, middle, agent, scale * factor)
        if agent.s is not None:
            _write(draw, middle.x, middle.y - radius - imgui.get_font_size() * 1.6, [NAMES[agent.s]])
        _write(
            draw,
            middle.x,
            middle.y + radius + imgui.get_font_size() * 0.5,
            legend(agent),
            note(scale, factor),
        )


def legend(agent: Agent) -> list[str]:
    """The four values of a drawing, two on a line."""
    texts = [f"{name.replace('_', ' ')} {told([agent], name)}" for name in RESPONSES]
    return ["     ".join(texts[:2]), "     ".join(texts[2:])]


def told(shown: list[Agent], name: str) -> str:
    """One of the four values with its unit, and of two agents from which to which it goes."""
    unit = SPECS[name].unit
    numbers = dict.fromkeys(f"{getattr(agent, name):.3g}" for agent in shown)
    return " to ".join(numbers) + ("" if unit == "°" else " ") + unit


def note(scale: float, factor: float) -> str:
    """How large a drawing is."""
    unit = lens.grid(scale * factor, imgui.get_font_size() * CELL)
    return f"a square is {unit} px, {lens.told(factor)}"


def draw_agent(draw: imgui.ImDrawList, middle: imgui.ImVec2, agent: Agent, scale: float) -> None:
    """An agent that heads up, with sensors, turns and steps.

    Args:
        draw: Where to draw.
        middle: Where the middle of the drawing is to be, in points.
        agent: What it does.
        scale: Points per field pixel.
    """
    size, stands = imgui.get_font_size(), imgui.ImVec2(middle.x, middle.y - agent.middle * scale)
    far, step = abs(agent.sensor_distance) * scale, abs(agent.step_size) * scale
    _arc(draw, stands, far * 0.7, -agent.sensor_angle, agent.sensor_angle, colour(1, 1, 1, 0.3), 1.0)
    ring = max(agent.sensor_width / 2 * scale, size * DOT)
    for side, tint in TINTS.items():
        sensor = _placed(stands, agent.sensor(side), scale)
        draw.add_line(stands, sensor, colour(*tint, 0.4), 1.2)
        draw.add_circle_filled(sensor, ring, colour(*tint, 0.22))
        draw.add_circle(sensor, ring, colour(*tint, 1.0), 0, size * 0.13)
    around = max(far * 0.45, step + size * 0.5)
    for side in (-1, 1):
        _arc(draw, stands, around, 0, side * agent.rotation_angle, colour(*TINTS[side], 0.9), size * 0.18)
    for side in (0, -1, 1):
        _draw_arrow(draw, stands, _placed(stands, agent.step(side), scale), colour(*TINTS[side], 1.0))
    draw.add_circle_filled(stands, size * 0.26 + 1.5, colour(*GLASS[:3], 1.0))
    draw.add_circle_filled(stands, size * 0.26, colour(1, 1, 1, 1.0))


def _placed(origin: imgui.ImVec2, point: Point, scale: float) -> imgui.ImVec2:
    return imgui.ImVec2(origin.x + point[0] * scale, origin.y + point[1] * scale)


def _arc(
    draw: imgui.ImDrawList,
    middle: imgui.ImVec2,
    radius: float,
    start: float,
    end: float,
    ink: int,
    thick: float,
) -> None:
    """Part of a circle between two directions in degrees from straight ahead."""
    if radius > 1 and start != end:
        top = math.pi / 2
        draw.path_arc_to(middle, radius, math.radians(start) - top, math.radians(end) - top)
        draw.path_stroke(ink, thickness=thick)


def _draw_arrow(draw: imgui.ImDrawList, start: imgui.ImVec2, end: imgui.ImVec2, ink: int) -> None:
    """An arrow whose head is as large as its length allows."""
    x, y = end.x - start.x, end.y - start.y
    length = math.hypot(x, y)
    if length < 1:
        return
    size = imgui.get_font_size()
    head = min(size * 0.6, length * 0.6)
    x, y = x / length, y / length
    back = imgui.ImVec2(end.x - x * head, end.y - y * head)
    draw.add_line(start, back, ink, size * 0.17)
    wide = head * 0.55
    sides = (
        imgui.ImVec2(back.x - y * wide, back.y + x * wide),
        imgui.ImVec2(back.x + y * wide, back.y - x * wide),
    )
    draw.add_triangle_filled(end, *sides, ink)


def _draw_glass(draw: imgui.ImDrawList, middle: imgui.ImVec2, radius: float, scale: float) -> None:
    """A dark disc, legible on any ground, with the field's pixels as a grid."""
    draw.add_circle(middle, radius + 3, colour(0, 0, 0, 0.25), 0, 6)
    draw.add_circle_filled(middle, radius, colour(*GLASS))
    apart = lens.grid(scale, imgui.get_font_size() * CELL) * scale
    ink = colour(1, 1, 1, 0.07)
    for line in range(-int(radius / apart), int(radius / apart) + 1):
        away = line * apart
        half = math.sqrt(radius**2 - away**2)
        x, y = middle.x + away, middle.y + away
        draw.add_line(imgui.ImVec2(x, middle.y - half), imgui.ImVec2(x, middle.y + half), ink, 1)
        draw.add_line(imgui.ImVec2(middle.x - half, y), imgui.ImVec2(middle.x + half, y), ink, 1)
    draw.add_circle(middle, radius, colour(*EDGE), 0, 1.5)


def _draw_true(
    draw: imgui.ImDrawList, middle: imgui.ImVec2, radius: float, agent: Agent, scale: float, side: int
) -> None:
    """A ring as large as the drawing is in truth, on the picture, and lines from there to the lens."""
    size = imgui.get_font_size()
    small = max(agent.reach * scale + size * 0.25, size * TRUE)
    apart = radius + small + size * 0.6
    x, y = way(side * ASIDE, apart)
    spot = imgui.ImVec2(middle.x + x, middle.y + y)
    along, open_ = math.atan2(y, x), math.acos((radius - small) / apart)
    for turn in (-open_, open_):  # the two outer tangents of both circles
        away = math.cos(along + turn), math.sin(along + turn)
        ends = _placed(spot, away, small), _placed(middle, away, radius)
        draw.add_line(*ends, colour(0, 0, 0, 0.5), 3)
        draw.add_line(*ends, colour(1, 1, 1, 0.5), 1)
    draw.add_circle_filled(spot, small, colour(*GLASS[:3], 0.55))
    draw.add_circle(spot, small, colour(0, 0, 0, 0.6), 0, 3.5)
    draw.add_circle(spot, small, colour(1, 1, 1, 0.9), 0, 1.5)
    for each, tint in TINTS.items():
        x, y = agent.sensor(each)
        at = _placed(spot, (x, y - agent.middle), scale)
        draw.add_circle_filled(at, max(size * 0.13, agent.sensor_width / 2 * scale), colour(*tint, 1.0))


def _write(draw: imgui.ImDrawList, x: float, y: float, lines: list[str], faint: str = "") -> None:
    """Lines about a middle, on glass of their own; the last one faint."""
    size, inset = imgui.get_font_size(), imgui.get_font_size() * 0.6
    texts = [*lines, faint] if faint else lines
    widest = max(imgui.calc_text_size(text).x for text in texts)
    low = imgui.ImVec2(x - widest / 2 - inset, y - inset * 0.5)
    high = imgui.ImVec2(x + widest / 2 + inset, y + len(texts) * size * 1.25 + inset * 0.4)
    draw.add_rect_filled(low, high, colour(*GLASS), inset)
    for index, text in enumerate(texts):
        where = imgui.ImVec2(x - imgui.calc_text_size(text).x / 2, y + index * size * 1.25)
        draw.add_text(where, colour(1, 1, 1, 0.55 if text == faint else 0.95), text)
