"""A task computes in the threads that it is given, and gives the same answer with any number."""

import threading

import pytest

from fslib.run import threads
from fslib.run.pool import run_limited


@pytest.mark.parametrize("count", [1, 3])
def test_answers_keep_the_order_of_the_items(count, monkeypatch):
    monkeypatch.setattr(threads, "allowed", count)
    assert list(threads.each(lambda i: i * i, range(20))) == [i * i for i in range(20)]


def test_items_are_computed_at_once(monkeypatch):
    monkeypatch.setattr(threads, "allowed", 2)
    both = threading.Barrier(2, timeout=20)
    assert len(list(threads.each(lambda i: both.wait(), range(2)))) == 2


def test_a_failure_is_raised(monkeypatch):
    monkeypatch.setattr(threads, "allowed", 2)
    with pytest.raises(ZeroDivisionError):
        list(threads.each(lambda i: 1 / i, [1, 0]))


def test_tasks_have_the_threads_of_their_pool():
    tasks = [(i, lambda: threads.allowed) for i in range(2)]
    assert [found.value for _, found in run_limited(tasks, workers=2, threads=3)] == [3, 3]
    assert [found.value for _, found in run_limited(tasks, workers=2)] == [1, 1]
