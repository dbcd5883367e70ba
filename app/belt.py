"""A belt that carries items from the thread that makes them to threads that use them up."""

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")
LOOK_SECONDS = 0.1  # between two looks at whether anybody still takes items


class Abandoned(Exception):  # noqa: N818
    """Raised where items are taken: there will be no more, and what was begun is not wanted."""


class Belt(Generic[T]):
    """Hands items over; full, it holds up the one who makes them, and nothing is ever dropped.

    Args:
        work: Takes the items, in each thread once; what it raises is raised by `put` and `finish`.
        threads: How many do that. One takes the items in their order.
        room: How many items may wait.
    """

    def __init__(self, work: Callable[[Iterator[T]], object], threads: int = 1, room: int = 4) -> None:
        self._queue: queue.Queue[T | None] = queue.Queue(room)
        self._abandoned = False
        self._problem: BaseException | None = None
        self._threads = [
            threading.Thread(target=self._run, args=(work,), name="physarium-film", daemon=True)
            for _ in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def put(self, item: T) -> None:
        """Lays an item on the belt, and waits while it is full."""
        self._put(item)

    def finish(self) -> None:
        """Waits until all items are used up."""
        for _ in self._threads:
            self._put(None)
        for thread in self._threads:
            while thread.is_alive():  # in short looks, or Ctrl+C would have to wait as well
                thread.join(LOOK_SECONDS)
        self._look()

    def abandon(self) -> None:
        """Has the threads drop everything, and waits until they have; raises nothing."""
        self._abandoned = True
        for thread in self._threads:
            thread.join()

    def _put(self, item: T | None) -> None:
        while True:
            self._look()
            try:
                return self._queue.put(item, timeout=LOOK_SECONDS)
            except queue.Full:
                continue

    def _look(self) -> None:
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
            try:
                item = self._queue.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                continue
            if item is None:
                return
            yield item
