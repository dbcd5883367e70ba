"""`kernels.cuda` on a GPU: memory, copies, events and graphs. `pytest -m gpu`."""

import gc
import itertools

import numpy as np
import pytest
from pairs import gpu_modules

pytestmark = pytest.mark.gpu
(cuda,) = gpu_modules("cuda")


def test_memory_begins_empty() -> None:
    dirty = cuda.zeros((7, 11), np.float32)
    cuda.send(dirty, np.full((7, 11), np.nan, np.float32))
    del dirty
    for dtype in (np.float32, np.int32, np.int64, np.uint8):
        array = cuda.fetch(cuda.zeros((7, 11), dtype))
        assert (array.shape, array.dtype) == ((7, 11), dtype)
        assert not array.any()


def test_a_part_is_the_same_memory() -> None:
    whole = cuda.zeros((3, 5), np.int64)
    numbers = np.arange(15).reshape(3, 5)
    cuda.send(whole, numbers)
    for index in range(3):
        part = whole[index]
        assert part.shape == (5,)
        assert np.array_equal(cuda.fetch(part), numbers[index])
    cuda.clear(whole[1])
    numbers[1] = 0
    assert np.array_equal(cuda.fetch(whole), numbers)
    last = whole[2]
    del whole, part
    gc.collect()
    cuda.zeros((3, 5), np.int64)
    assert np.array_equal(cuda.fetch(last), numbers[2]), "a part keeps the whole"


def test_what_is_sent_may_change_at_once() -> None:
    array = cuda.zeros(2**20, np.int32)
    host = np.arange(2**20, dtype=np.int32)
    for _ in range(20):
        expected = host.copy()
        cuda.send(array, host)
        host += 1
        assert np.array_equal(cuda.fetch(array), expected)


def test_less_than_all_is_sent_to_the_beginning() -> None:
    array = cuda.zeros((4, 4), np.int32)
    cuda.send(array, np.arange(1, 21, dtype=np.int32).reshape(4, 5)[:, ::2][:2])
    assert cuda.fetch(array).ravel().tolist() == [1, 3, 5, 6, 8, 10, *[0] * 10]


@pytest.mark.parametrize("extra", [-4, 0, 4])
def test_fetched_arrays_are_whole_about_the_limit_of_pinned_memory(extra: int) -> None:
    numbers = np.arange((cuda.PINNED + extra) // 4, dtype=np.int32)
    array = cuda.zeros(numbers.size, np.int32)
    cuda.send(array, numbers)
    target = cuda.zeros(numbers.size, np.int32)
    cuda.copy(target, array)
    assert np.array_equal(cuda.fetch(target), numbers)


def test_a_part_is_fetched_alone() -> None:
    numbers = np.arange(3 * 7 * 11, dtype=np.int32).reshape(3, 7, 11)
    array = cuda.zeros(numbers.shape, np.int32)
    cuda.send(array, numbers)
    for rows, columns in (
        (slice(2, 5), slice(3, 11)),
        (slice(0, 7), slice(0, 11)),
        (slice(6, 7), slice(0, 1)),
    ):
        assert np.array_equal(cuda.fetch_part(array, rows, columns), numbers[:, rows, columns])


def test_memory_is_given_back_and_used_again() -> None:
    free = cuda.free_memory()
    array = cuda.zeros(2**28, np.uint8)
    assert cuda.free_memory() <= free - 2**28
    part = array[0]
    del array
    assert cuda.free_memory() <= free - 2**28
    del part
    assert cuda.free_memory() >= free


def test_events_tell_times_in_order() -> None:
    array, other = cuda.zeros(2**27, np.uint8), cuda.zeros(2**27, np.uint8)
    marks = [cuda.Event() for _ in range(3)]
    for mark in marks:
        cuda.copy(array, other)
        mark.record()
    cuda.synchronize()
    assert all(mark.passed() for mark in marks)
    first, second = (later.seconds_since(mark) for mark, later in itertools.pairwise(marks))
    assert 0 < first < 1
    assert 0 < second < 1
    assert marks[2].seconds_since(marks[0]) == pytest.approx(first + second, rel=0.1)


def test_a_graph_does_its_work_each_time_and_not_before() -> None:
    source, target = cuda.zeros(8, np.int32), cuda.zeros(8, np.int32)
    begun, ended = cuda.Event(), cuda.Event()

    def work() -> None:
        begun.record()
        cuda.copy(target, source)
        cuda.clear(source)
        ended.record()

    cuda.send(source, np.full(8, 5, np.int32))
    graph = cuda.capture(work)
    assert not cuda.fetch(target).any()
    for value in (5, 7):
        cuda.send(source, np.full(8, value, np.int32))
        graph.launch()
        assert (cuda.fetch(target) == value).all()
        assert not cuda.fetch(source).any()
        assert ended.seconds_since(begun) > 0


def test_a_failure_while_capturing_ends_the_capture() -> None:
    array = cuda.zeros(8, np.int32)

    def broken() -> None:
        cuda.clear(array)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cuda.capture(broken)
    cuda.send(array, np.arange(8, dtype=np.int32))
    cuda.capture(lambda: cuda.clear(array)).launch()
    assert not cuda.fetch(array).any()


def test_a_synchronous_call_while_capturing_is_refused_and_leaves_no_error() -> None:
    array = cuda.zeros(8, np.int32)
    with pytest.raises(cuda.CudaError):
        cuda.capture(cuda.synchronize)
    cuda.send(array, np.arange(8, dtype=np.int32))
    assert cuda.fetch(array).tolist() == list(range(8))


def test_a_failed_call_names_itself_and_leaves_no_error() -> None:
    array = cuda.zeros(8, np.int32)
    nowhere = cuda.Array((8,), np.dtype(np.int32), part_of=array)  # its pointer is 0
    with pytest.raises(cuda.CudaError, match="cudaMemcpyAsync failed with cudaErrorInvalidValue"):
        cuda.send(nowhere, np.zeros(8, np.int32))
    with pytest.raises(MemoryError, match="cudaMalloc"):
        cuda.zeros(2**50, np.uint8)
    assert not cuda.fetch(array).any()
