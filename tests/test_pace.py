"""`TwoFrames` on queries that only take notes."""

from typing import Any

from app.pace import TwoFrames


class Notes:
    """What was done with the queries of a context, in order, with the number of the frame they measured."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.frames = self.queries = 0

    def query(self, time: bool) -> Any:
        assert time
        self.queries += 1
        return Query(self)


class Query:
    frame = -1

    def __init__(self, notes: Notes) -> None:
        self.notes = notes

    def __enter__(self) -> None:
        self.frame = self.notes.frames
        self.notes.frames += 1
        self.notes.done.append(f"begin {self.frame}")

    def __exit__(self, *_: object) -> None:
        self.notes.done.append(f"end {self.frame}")

    @property
    def elapsed(self) -> int:
        self.notes.done.append(f"wait for {self.frame}")
        return 0


def test_a_frame_waits_for_the_one_before_the_last_and_no_other() -> None:
    notes = Notes()
    pace = TwoFrames(notes)  # type: ignore[arg-type]
    for frame in range(50):
        before = len(notes.done)
        with pace.frame():
            notes.done.append(f"ask {frame}")
        waited = [f"wait for {frame - 2}"] if frame >= 2 else []
        assert notes.done[before:] == [*waited, f"begin {frame}", f"ask {frame}", f"end {frame}"]
    assert notes.queries == 2
