"""How many of the steps asked for a frame gets, so that frames stay as many as wanted.

What it decides is no event and need not be: a run depends on the numbers of its steps, not on when they were
done.
"""

import math

WINDOW = 0.25  # seconds of frames that a decision looks back on
FEWEST = 3  # frames, where they are long
LATE = 1.12  # times the frame that is wanted: clocks and screens differ by a few percent
LEAST_SHARE = 0.5  # of a frame that steps always get: what is late for other reasons they do not make up for
NEAR = 1.06  # between a number of steps known to fit and one known not to: no need to look closer
CHEAPER = 0.7  # of what a step cost when too many were too much: it has to be found out anew
PATIENCE = 5.0, 80.0  # seconds until more is tried again, at first and at the most


class Governor:
    """Adapts the steps of a frame to what the machine can do.

    It closes in on the most that fits: between a number that was in time and one that was late it tries the
    middle. Now and then it tries more, each time later if that was too much. Where not even one step fits,
    steps go beside the frames.

    Attributes:
        asked: The steps due in the last frame.
        done: How many of them it had, or of those beside, their share.
        beside: Whether steps are to be done in a thread, for they are longer than frames.
    """

    def __init__(self) -> None:
        self.asked = 0
        self.done = 0.0
        self.beside = False
        self._limit = math.inf  # steps a frame
        self._fits, self._late, self._cost = 1.0, math.inf, 0.0  # the last: of a step, when that was late
        self._patience = PATIENCE[0]
        self._held = 0.0  # seconds since the limit was settled
        self._waited = 0  # frames since a step was begun beside them
        self._begin()

    def _begin(self) -> None:
        self._frames = self._seconds = self._steps = self._stepping = 0.0

    @property
    def told(self) -> str:
        """What was adapted, for people; "" for nothing."""
        if self.done >= self.asked:
            return ""
        return f"{self.done:.2g} of {self.asked} steps a frame"

    def let(self, due: int) -> int:
        """Lets a frame have the steps that are due, however long they take."""
        self.asked, self.done, self.beside = due, due, False
        self._begin()
        return due

    def allow(
        self, due: int, frame_seconds: float, step_seconds: float, wanted: float, may_go_beside: bool = False
    ) -> int:
        """Call it for each frame; how many steps it is to have, at least 1 of those due.

        Args:
            due: The steps asked for.
            frame_seconds: What the frame before took, from its beginning to this one's.
            step_seconds: What a step took lately; 0 before anything is known.
            wanted: How long a frame is to take at the most.
            may_go_beside: Whether steps can be done in a thread.
        """
        self.asked = due
        self.beside = may_go_beside and step_seconds > (wanted / 2 if self.beside else wanted)
        if self.beside:
            self._waited += 1
            self._begin()
            return min(due, 1)
        self._frames += 1
        self._seconds += frame_seconds
        self._steps += self.done
        self._stepping += self.done * step_seconds
        if self._frames >= FEWEST and self._seconds >= WINDOW:
            self._decide(wanted, step_seconds)
            self._begin()
        allowed = min(due, int(max(1.0, min(self._limit, due))))
        self.done = allowed
        return allowed

    def began_beside(self) -> None:
        """Notes that a step was begun beside the frames."""
        self.done, self._waited = 1 / max(1, self._waited), 0

    def _decide(self, wanted: float, step_seconds: float) -> None:
        """Looks back on some frames and sets the limit."""
        frame, steps = self._seconds / self._frames, self._steps / self._frames
        stepping = self._stepping / self._frames
        self._held += self._seconds
        if not steps or not step_seconds:
            return
        if step_seconds < CHEAPER * self._cost:
            self._late = math.inf
        if frame <= LATE * wanted:
            self._be_in_time(steps)
        elif stepping > LEAST_SHARE * wanted:
            fit = max(wanted - (frame - stepping), LEAST_SHARE * wanted) / step_seconds
            self._be_late(steps, fit)
            self._cost = step_seconds

    def _be_in_time(self, steps: float) -> None:
        if self._limit == math.inf or steps < int(self._limit):  # all that was due
            return
        self._fits = max(self._fits, self._limit)
        if self._late > NEAR * self._fits and self._late - self._fits > 1:
            self._limit = min(2 * self._limit, (self._fits + self._late) / 2)
            self._held = 0.0
        elif self._held > self._patience:  # it may be that more fits by now
            self._late, self._held = math.inf, 0.0
            self._patience = min(2 * self._patience, PATIENCE[1])
            self._limit = self._limit * NEAR + 1

    def _be_late(self, steps: float, fit: float) -> None:
        self._late = min(self._late, steps)
        if self._fits >= self._late:  # what fitted does no longer
            self._fits, self._patience = 1.0, PATIENCE[0]
        middle = (self._fits + self._late) / 2 if self._fits > 1 else fit
        self._limit = max(1.0, min(middle, self._late - 1))
        self._held = 0.0
