"""A run that is taken care of: kept calm under load, watched, and saved for after a crash."""

from app.autosave import Autosave
from app.backend import Choice
from app.governor import Governor
from app.record import Record
from app.settings import Settings
from app.surveyor import Surveyor
from app.watch import Watch
from kernels.world import World
from presets import Preset


class Caretaker(Surveyor):
    """What `app.studio.Studio` does so that the show goes on.

    Args:
        source: The preset to start with, or the record of a run to come back to.
        world: Size, agents, seed, species, start and map.
        choice: The backend that was chosen.
        largest_side: The longest side in pixels that can be shown.
        settings: What is remembered; left out, nothing is.

    Attributes:
        settings: What is remembered.
        autosave: Keeps the session, and offers what a crash has left; None where nobody wants that.
        watch: What the picture has looked like lately.
        governor: Adapts steps to the machine.
        screen_frames: How many frames/s the screen shows, or 60 if it shows more.
        recording: Whether the window is to be filmed.
        panel: Whether the panel is shown.
    """

    def __init__(
        self,
        source: Preset | Record,
        world: World,
        choice: Choice,
        largest_side: int = 16384,
        settings: Settings | None = None,
    ) -> None:
        super().__init__(source, world, choice, largest_side)
        self.settings = settings or Settings()
        self.autosave: Autosave | None = None
        self.watch = Watch()
        self.governor = Governor()
        self.screen_frames = 60.0
        self.recording = False
        self.panel = True

    def before_restart(self) -> None:
        """Ends a revival, whose wander and respawn are not the person's."""
        super().before_restart()
        self.watch.settle(self.session)

    def steps_allowed(self, frame_seconds: float) -> int:
        """How many of the steps due this frame is to have; a film has all of them, however long it takes."""
        due, living = self.steps_due(frame_seconds), self.session.living
        if not living.steps:
            return self.governor.let(min(due, 1))  # nobody knows yet what they cost
        if self.paused or self.replay or self.recording or self.surveying:
            return self.governor.let(due)
        wanted = 1 / (self.settings.frames or self.screen_frames)
        may_go_beside = living.backend_name != "cuda" and not self.session.script
        return self.governor.allow(due, frame_seconds, living.step_seconds, wanted, may_go_beside)

    def look_after(self, now: float) -> None:
        """Looks at the picture; call it for each frame.

        Args:
            now: Seconds of a clock that never goes back.
        """
        before = self.watch.warning
        self.watch.look(self.session, now, not self.replay)
        if self.watch.warning not in ("", before) and not self.panel:
            self.notices.say(f"{self.watch.warning} (Tab shows the panel, which may have a cure.)")

    def cure(self) -> None:
        """Does what the watch has found to help; undo takes it back."""
        remedy = self.watch.remedy
        self.watch.settle(self.session)
        self.change(**remedy)

    def restore_lost(self) -> None:
        """Fast-forwards to where the session was that a crash has ended."""
        if self.autosave and (lost := self.autosave.restore()):
            self.offer = lost.record
            self.accept_offer()
            if self.replay:
                lost.look_at(self.view)

    def leave_lost(self) -> None:
        """Starts fresh; what a crash has ended is not offered again."""
        if self.autosave:
            self.autosave.leave()
