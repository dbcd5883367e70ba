"""On the way from one look to another, by changes at definite steps, which a replay repeats."""

from app.easing import EASINGS, mix
from kernels.params import SPECS, Params
from kernels.spec import Value
from presets import Preset

FRAMES = 60  # a second, of `steps_per_frame` steps each: the pace of life
FRAMES_APART = 2  # between changes: the log of a run stays small


class Morph:
    """What is to be changed on the way, and when.

    Time is that of the world: it stands while that is paused, and where steps take long, so does the morph.

    Attributes:
        done: How much of the time is over, 0 to 1.
        seen: The step of the run when that was so.

    Args:
        first: The look there is.
        target: The look to come to, exactly.
        seconds: How long it takes, 0 or more.
        easing: One of `EASINGS`.
        step: How many steps the run has done.
    """

    def __init__(self, first: Params, target: Preset, seconds: float, easing: str, step: int) -> None:
        self.first, self.target = first, target
        self.seconds, self.easing = seconds, EASINGS[easing]
        self.frames, self.done = 0.0, 0.0 if seconds else 1.0
        self.seen = self.changed_at = step
        self.turned = False
        self.set = {
            name: now for name in SPECS if (now := getattr(first, name)) != getattr(target.params, name)
        }

    def changes(self, now: Params, step: int) -> dict[str, Value]:
        """What to change at this step; call it for each frame.

        A parameter that somebody else has changed since is theirs from then on.

        Args:
            now: The parameters as they are.
            step: How many steps the run has done, never fewer than before.
        """
        self.set = {name: value for name, value in self.set.items() if getattr(now, name) == value}
        frame = now.steps_per_frame
        if step > self.seen and self.done < 1:
            self.frames += (step - self.seen) / frame
            self.done = min(1.0, self.frames / (FRAMES * self.seconds))
        self.seen = step
        if self.done < 1 and step - self.changed_at < FRAMES_APART * frame:
            return {}
        self.changed_at = step
        before, way = self.set, self.easing(self.done)
        first, last = self.first, self.target.params
        self.set = {name: mix(SPECS[name], getattr(first, name), getattr(last, name), way) for name in before}
        return {name: value for name, value in self.set.items() if value != before[name]}

    def turns(self) -> bool:
        """Whether the middle of the way has just been passed, where words switch."""
        before, self.turned = self.turned, self.easing(self.done) >= 0.5
        return self.turned and not before
