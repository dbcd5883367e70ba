"""A recorded run on its way back to its picture, a little each frame."""

import time

from app.record import Record
from app.session import Session
from kernels.simulation import digest


class Replay:
    """Repeats a record in a session.

    Args:
        session: Where it happens, just restarted with the record's world, look and events.
        record: The run, and the step to come back to.
    """

    def __init__(self, session: Session, record: Record) -> None:
        self.session = session
        self.record = record
        self.steps_per_second = 1.0
        session.advance(0)  # what was done before the first step

    @property
    def done(self) -> float:
        """How far it is, 0 to 1."""
        return self.session.steps / self.record.step if self.record.step else 1.0

    def advance(self, seconds: float) -> None:
        """Does about as many steps as fit in the time given, at least one."""
        started = time.perf_counter()
        left = self.record.step - self.session.steps
        steps = min(left, max(1, round(self.steps_per_second * seconds)))
        self.session.advance(steps)
        self.session.simulation.wait()
        self.steps_per_second = steps / max(time.perf_counter() - started, 1e-6)

    def verdict(self) -> str:
        """Whether the picture's field is back, in a sentence."""
        step, made_by = self.record.step, self.record.version
        if self.record.lacks:
            return self.record.lacks
        if not self.record.digest:
            return f"Step {step:,} is back; the picture has no digest to compare it with."
        if digest(self.session.simulation.state()) == self.record.digest:
            return f"Step {step:,} is back, bit for bit."
        return f"Step {step:,} differs from the recorded one, which version {made_by} made."

    def cancel(self) -> None:
        """Stops here: events still to come are forgotten."""
        self.session.script.clear()
