"""A world that is stepped, in the frame or in a thread beside the frames."""

from concurrent.futures import Future, ThreadPoolExecutor, wait

from kernels.simulation import Simulation


class Beside:
    """What `app.session.Session` needs so that a step can be done while frames go on.

    Attributes:
        living: The world itself, which a step beside the frames may be changing: for what no step changes,
            and for a number read in passing.

    Args:
        living: The world.
    """

    def __init__(self, living: Simulation) -> None:
        self.living = living
        self._pool: ThreadPoolExecutor | None = None  # made when there is work for it
        self._work: Future[None] | None = None

    @property
    def simulation(self) -> Simulation:
        """The world, once no step is under way."""
        self.wait()
        return self.living

    def step_beside(self) -> None:
        """Begins one step in a thread; it is under way until `under_way` says otherwise, or to `wait`.

        Not where the backend is CUDA, whose steps never keep a frame waiting, nor with a script.
        """
        self.wait()
        self._pool = self._pool or ThreadPoolExecutor(1, "step")
        self._work = self._pool.submit(self._step, 1)

    def under_way(self, patience: float = 0.0) -> bool:
        """Whether a step still is, after waiting for so many seconds at the most."""
        if self._work and patience:
            wait([self._work], patience)
        return self._work is not None and not self._work.done()

    def wait(self) -> None:
        """Returns when no step is under way; raises what the step raised."""
        if self._work:
            work, self._work = self._work, None
            work.result()

    def _step(self, steps: int) -> None:
        self.living.step(steps)
