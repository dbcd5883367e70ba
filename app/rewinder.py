"""A run that can be gone back in: undone step by step, and returned to moments that were kept."""

import dataclasses
import functools
import time
from collections.abc import Iterable
from pathlib import Path

from app import moment_file
from app.backend import Choice, free_memory
from app.events import Draw, Event
from app.files import Writer, capture_folder
from app.history import Entry, Gesture, History, Point, differing
from app.moments import Kept, Moment, Moments
from app.record import Record
from app.run import Run
from kernels.spec import Value
from kernels.world import World
from presets import Preset, slug

SOON = 120  # frames after a return within which the next goes farther back


class Rewinder(Run):
    """What `app.studio.Studio` does to come back to what was.

    Args:
        source: The preset to start with, or the record of a run to come back to.
        world: Size, agents, seed, species, start and map.
        choice: The backend that was chosen.
        largest_side: The longest side in pixels that can be shown.

    Attributes:
        moments: What is kept in memory.
        history: What can be undone, and done again.
        here: The moment last returned to, if it is still kept.
    """

    def __init__(
        self, source: Preset | Record, world: World, choice: Choice, largest_side: int = 16384
    ) -> None:
        super().__init__(source, world, choice, largest_side)
        self.moments = Moments(free_memory(choice.backend))
        self.history = History(self.moments)
        self.here: Kept | None = None
        self._disk: Writer | None = None

    # What is noted

    def change(self, **values: Value) -> None:
        """Changes parameters of the running world; a replay in progress ends there."""
        self._end_replay()
        self.history.touch(self.session)
        super().change(**values)

    def rebuild(self, world: World, preset: Preset | None = None, script: Iterable[Event] = ()) -> bool:
        """Starts a world, see `Run.rebuild`; it can be undone."""
        self.before_restart()
        self.history.settle(self.session)
        self.history.leave(self.session)
        started = super().rebuild(world, preset, script)
        self.history.settle(self.session)
        return started

    def settle(self, busy: bool = False) -> None:
        """Call it for each frame: ends a gesture, and says what was written.

        Args:
            busy: Whether a hand is still at it: a button of the mouse is down, or a widget in use.
        """
        if not busy:
            self.history.settle(self.session)
        for path, problem in self._disk.poll() if self._disk else ():
            self.notices.say(problem or f"Saved {path}.")

    # Undo

    def undo(self) -> None:
        """Takes the last gesture back; a replay in progress ends there."""
        self._begin_to_go()
        if not self.history.at:
            self.notices.say("There is nothing to undo.")
        else:
            self._undo(self.history.entries[self.history.at - 1])

    def redo(self) -> None:
        """Does again what was undone last."""
        self._begin_to_go()
        if self.history.at == len(self.history.entries):
            self.notices.say("There is nothing to do again.")
        else:
            self._redo(self.history.entries[self.history.at])

    def back(self, again: bool = False) -> None:
        """Undoes, or does again what was undone."""
        if again:
            self.redo()
        else:
            self.undo()

    def go_to_entry(self, at: int) -> None:
        """Undoes and redoes until so many of the entries hold."""
        self._begin_to_go()
        history = self.history
        while at < history.at and self._undo(history.entries[history.at - 1]):
            pass
        while at > history.at and self._redo(history.entries[history.at]):
            pass

    def _begin_to_go(self) -> None:
        self._end_replay()
        self.before_restart()
        self.history.settle(self.session)

    def _undo(self, entry: Entry) -> bool:
        if entry.back:
            moment = entry.back.moment  # which the next line may drop
            forth = self.history.hold(self.session)
            if not self._go_back(moment):
                self.moments.forget(forth)
                return False
            entry.forth = forth
        else:
            for _ in entry.gestures:
                if not self.session.undo_map():
                    self.notices.say("What was painted then is part of the map now.")
            self._set_back(entry.after, entry.before)
        self.history.at -= 1
        return True

    def _redo(self, entry: Entry) -> bool:
        if entry.forth:
            if not self._go_back(entry.forth.moment):
                return False
            self.moments.forget(entry.forth)
            entry.forth = None
        else:
            for gesture in entry.gestures:
                self._draw_again(gesture)
            self._set_back(entry.before, entry.after)
        self.history.at += 1
        return True

    def _go_back(self, moment: Moment | Record) -> bool:
        """To a moment; where that was dropped, to the beginning of a run with its look and map."""
        if isinstance(moment, Moment):
            return self.return_to(moment)
        painted = [dataclasses.replace(event, step=0) for event in moment.events]
        begun = super().rebuild(moment.world, moment.preset, painted)
        if begun:
            self.session.advance(0)
            self.notices.say("That moment was dropped to save memory; its look begins again at step 0.")
        return begun

    def _set_back(self, there: Point, to: Point) -> None:
        """Changes what differs between two points to what the second has."""
        if changed := differing(there.params, to.params):
            self.session.change(**changed)
        if there.other != to.other:
            self.session.set_other(to.other)
        if there.preset.title != to.preset.title:
            self.session.name_after(to.preset)

    def _draw_again(self, gesture: Gesture) -> None:
        for event in gesture:
            if not isinstance(event, Draw):
                self.session.fill(event.layer, event.kind)
        if dabs := [event.mark for event in gesture if isinstance(event, Draw)]:
            self.session.mark(*dabs, begins=isinstance(gesture[0], Draw))

    # Moments

    def snapshot(self, to_disk: bool = False) -> None:
        """Keeps the moment in memory, or writes it to a file."""
        self.notices.attempt(self._write if to_disk else self._keep)

    def _keep(self) -> None:
        before = self.moments.of_hand
        self.moments.keep(self.session.moment(), "hand")
        dropped = len(before) - len(self.moments.of_hand) + 1
        what_went = f" {dropped} older went: the budget is spent." if dropped else ""
        self.notices.say(f"Kept step {self.session.steps:,}; Backspace goes back.{what_went}")

    def _write(self) -> None:
        """Hands the moment to a thread; what lies on a GPU is fetched before."""
        moment = self.session.moment()
        state = self.session.simulation.fetched(moment.snapshot)
        moment = dataclasses.replace(moment, snapshot=dataclasses.replace(moment.snapshot, parts=state))
        self._disk = self._disk or Writer()
        if not self._disk.submit(functools.partial(_write, moment)):
            raise ValueError("The disk has not done with the moments before; this one was not written.")

    def follow_clock(self, now: float) -> Kept | None:
        """Call it for each frame: keeps a moment now and then while the world goes on.

        Args:
            now: Seconds of a clock that never goes back.

        Returns:
            What was kept just now, if anything.
        """
        session, moments = self.session, self.moments
        if self.here not in moments.strip:
            self.here = None
        if self.paused or self.replay or not moments.due(session.world, session.steps, now):
            return None
        before = time.perf_counter()
        kept: list[Kept] = []
        self.notices.attempt(lambda: kept.append(moments.keep(session.moment(), "clock")))
        moments.taken(session.world, session.steps, now, time.perf_counter() - before)
        return kept[0] if kept else None

    def go_back_to(self, kept: Kept) -> None:
        """Goes on from a moment of the strip; that can be undone."""
        self._begin_to_go()
        moment = kept.moment  # which the next line may drop
        self.history.leave(self.session)
        if self._go_back(moment):
            self.here = kept
            self.history.settle(self.session, f"back to step {moment.step:,}")
        else:
            self.history.settle(self.session)

    def go_back(self) -> None:
        """Goes back to the last moment kept by hand, or else by the clock; soon after, to the one before."""
        strip = self.moments.of_hand or self.moments.strip
        if not strip:
            self.notices.say("There is no snapshot yet; S takes one.")
            return
        last = len(strip) - 1
        if self.here in strip:
            gone = self.session.steps - self.here.moment.step
            if gone < SOON * self.session.params.steps_per_frame:
                last = max(0, strip.index(self.here) - 1)
        self.go_back_to(strip[last])

    def close_disk(self) -> list[str]:
        """Waits until all is written; returns sentences on what could not be."""
        if not self._disk:
            return []
        self._disk.close()
        return [problem for _, problem in self._disk.poll() if problem]


def _write(moment: Moment) -> Path:
    name = f"{slug(moment.preset.name)}-{slug(moment.world.seed)}-{moment.step:06d}"
    return moment_file.write(capture_folder() / f"{name}{moment_file.SUFFIX}", moment)
