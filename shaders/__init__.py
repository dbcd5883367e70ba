"""GLSL 330 sources, found as package data."""

from importlib.resources import files


def source(name: str) -> str:
    """The text of a shader file, such as "display.frag"."""
    return (files(__name__) / name).read_text("utf-8")
