"""A belt that carries items from the thread that makes them to threads that use them up."""

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")
LOOK_SECONDS = 0.02  # between two looks at what the others are doing


class Abandoned(Exception):  # noqa: N818
    """Raised where items are taken: there will be no more, and what was begun is not wanted."""


class Belt(Generic[T]):
    """Hands items over. Full, it holds up the one who puts more on it, and leaves what is only offered.

    Args:
        work: Takes the items, in each thread once; what it raises is raised by `put` and `finish`.
        threads: How many do that. One takes the items in their order.
        room: How many items may wait.
    """

    def __init__(self, work: Callable[[Iterator[T]], object], threads: int = 1, room: int = 4) -> None:
        self._queue: queue.Queue[T] = queue.Queue(room)
        self._ended = self._abandoned = False
        self._problem: BaseException | None = None
        self._threads = [
            threading.Thread(target=self._run, args=(work,), name="physarium-film", daemon=True)
            for _ in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def at_rest(self) -> bool:
        """Whether nobody takes items any more."""
        return not any(thread.is_alive() for thread in self._threads)

    def put(self, item: T) -> None:
        """Lays an item on the belt, and waits while it is full."""
        self.look()
        while not self._laid(item, LOOK_SECONDS):
            self.look()

    def offer(self, item: T) -> bool:
        """Lays an item on the belt if there is room and somebody to take it; never waits, raises nothing."""
        return not self._problem and self._laid(item, 0)

    def _laid(self, item: T, seconds: float) -> bool:
        try:
            self._queue.put(item, bool(seconds), seconds)
        except queue.Full:
            return False
        return True

    def end(self) -> None:
        """Says that there will be no more items."""
        self._ended = True

    def finish(self) -> None:
        """Waits until all items are used up."""
        self.end()
        for thread in self._threads:
            while thread.is_alive():  # in short looks, or Ctrl+C would have to wait as well
                thread.join(LOOK_SECONDS)
        self.look()

    def abandon(self) -> None:
        """Has the threads drop everything, and waits until they have; raises nothing."""
        self._abandoned = True
        for thread in self._threads:
            thread.join()

    def look(self) -> None:
        """Raises what went wrong, if anything did."""
        if self._problem:
            raise self._problem

    def _run(self, work: Callable[[Iterator[T]], object]) -> None:
        try:
            work(self._items())
        except Abandoned:
            pass
        except BaseException as problem:
            self._problem = self._problem or problem

    def _items(self) -> Iterator[T]:
        while True:
            if self._abandoned or self._problem:
                raise Abandoned
            ended = self._ended  # before the look: what was laid before the end is still taken
            try:
                item = self._queue.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                if ended:
                    return
                continue
            yield item
