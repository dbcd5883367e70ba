"""Pictures inside imgui's windows, a few loaded a frame, and let go when they are not needed."""

import dataclasses
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from imgui_bundle import imgui

from app.overlay import Overlay, Pixels, Texture

A_FRAME = 3  # pictures loaded in a frame: each takes a millisecond or two
MOST = 400  # held at once, of those that were not drawn lately

Key = TypeVar("Key", bound=Hashable)


@dataclasses.dataclass
class Picture:
    """A picture that can be drawn.

    Attributes:
        held: Its texture.
        since: imgui's time in seconds at which it was loaded.
        drawn: The frame in which it was last asked for.
    """

    held: Texture
    since: float
    drawn: int

    @property
    def texture(self) -> imgui.ImTextureRef:
        """What `imgui.image` and a draw list's `add_image` take, in the frame in which it was asked for."""
        return Overlay.in_frame().texture_id(self.held)


class Pictures(Generic[Key]):
    """Holds pictures while they are shown. Call `begin` in every frame, also after they were let go."""

    def __init__(self) -> None:
        self.held: dict[Key, Picture] = {}
        self.leaving: list[Texture] = []  # until the frame that may have drawn them is over
        self.room = 0  # for pictures still to be loaded in this frame

    def begin(self) -> None:
        """A frame begins."""
        self.room = A_FRAME
        while self.leaving:
            self.leaving.pop().release()
        for key in list(self.held)[: max(0, len(self.held) - MOST)]:
            if self.held[key].drawn < imgui.get_frame_count() - 1:
                self._let_go(key)

    def get(self, key: Key, load: Callable[[], Pixels | None]) -> Picture | None:
        """A picture, loaded when there is room for it in this frame; None until then, or without one.

        Args:
            key: Tells it from the others.
            load: Gives its pixels [H, W, 4]; None where there are none yet.
        """
        picture = self.held.pop(key, None)
        if picture is None:
            if self.room <= 0:
                return None
            self.room -= 1
            if (pixels := load()) is None:
                return None
            picture = Picture(Overlay.in_frame().texture(pixels), imgui.get_time(), 0)
        picture.drawn = imgui.get_frame_count()
        self.held[key] = picture  # as the youngest
        return picture

    def clear(self) -> None:
        """Lets all of them go."""
        for key in list(self.held):
            self._let_go(key)

    def _let_go(self, key: Key) -> None:
        self.leaving.append(self.held.pop(key).held)
