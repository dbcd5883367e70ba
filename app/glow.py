"""What the bright parts of a picture shed around themselves."""

import math

import moderngl

from app.programs import Covering, Target

LARGEST = 960  # px, of the longest side of what glows: it is soft anyway, and as soft at any size
MOST_LEVELS = 9
SPREAD = 0.7  # how much of each level comes from the one below


class Glow:
    """A chain of ever smaller pictures, gone down and up again: a wide blur for little.

    The first holds what glows. It is drawn apart from the picture and at a size of its own, so that a
    picture glows the same at any size, and in tiles.

    Args:
        ctx: The OpenGL context.
    """

    def __init__(self, ctx: moderngl.Context) -> None:
        self.ctx = ctx
        self.stage = Covering(ctx, "bloom.frag", units={"image": 0, "level": 1})
        self.down: list[Target] = []
        self.up: list[Target] = []

    def size_for(self, target: tuple[int, int]) -> tuple[int, int]:
        """The size of what glows in a picture of that size."""
        shrink = max(2.0, max(target) / LARGEST)
        return max(1, round(target[0] / shrink)), max(1, round(target[1] / shrink))

    def begin(self, size: tuple[int, int], wraps: bool) -> None:
        """Binds what takes the bright parts, to be drawn now.

        Args:
            size: See `size_for`.
            wraps: Whether the picture shows exactly one field, whose edges meet: so does the glow then.
        """
        if not self.down or self.down[0].size != size:
            self._release_levels()
            width, height = size
            for level in range(MOST_LEVELS):
                shape = max(1, width >> level), max(1, height >> level)
                self.down.append(Target(self.ctx, shape, 4, "f2"))
                self.up.append(Target(self.ctx, shape, 4, "f2"))
                if max(shape) <= 2:
                    break
        for each in (*self.down, *self.up):
            each.texture.repeat_x = each.texture.repeat_y = wraps
        self.down[0].framebuffer.use()

    def finish(self, radius: float) -> moderngl.Texture:
        """Blurs what has been drawn; it is the texture to add.

        Args:
            radius: How far it reaches, as a share of the height.
        """
        reach = max(0.0, math.log2(max(1.0, radius * self.down[0].size[1])))
        levels = min(len(self.down) - 1, math.ceil(reach))
        for level in range(1, levels + 1):
            self._run("DOWN", self.down[level], image=self.down[level - 1].texture)
        below = self.down[levels].texture
        part = reach - math.floor(reach) or 1.0  # the last level comes in gradually
        for level in reversed(range(levels)):
            spread = SPREAD * (part if level == levels - 1 and levels == math.ceil(reach) else 1.0)
            self._run("UP", self.up[level], image=below, level=self.down[level].texture, spread=spread)
            below = self.up[level].texture
        return below

    def _run(
        self,
        way: str,
        into: Target,
        image: moderngl.Texture,
        level: moderngl.Texture | None = None,
        spread: float = 0.0,
    ) -> None:
        into.framebuffer.use()
        image.use(0)
        if level:
            level.use(1)
        pixel = 1 / image.width, 1 / image.height
        self.stage.draw((way,), {"pixel": pixel, "size": into.size, "spread": spread})

    def _release_levels(self) -> None:
        for level in (*self.down, *self.up):
            level.release()
        self.down, self.up = [], []

    def release(self) -> None:
        """Frees what it holds on the GPU."""
        self._release_levels()
        self.stage.release()
