"""Graphs of jobs whose best schedule is known."""

import pytest

from fslib.config.schedule import Task, scheduled, ways_to_the_end


def test_the_longest_first_is_not_always_best():
    tasks = {str(i): Task(seconds) for i, seconds in enumerate([3, 3, 2, 2, 2])}
    # 3+3 and 2+2+2 would take 6; the known worst case of the rule is 3+2+2.
    assert scheduled(tasks, cores=2).wall == 7
    assert scheduled(tasks, cores=1).wall == 12
    assert scheduled(tasks, cores=1).use == 1


def test_a_long_job_starts_first():
    tasks = {f"short{i}": Task(1) for i in range(6)} | {"long": Task(6)}
    run = scheduled(tasks, cores=2)
    assert run.wall == 6
    assert run.use == 1


def test_a_chain_is_as_long_as_it_is_on_any_number_of_cores():
    tasks = {"a": Task(1), "b": Task(2, after=("a",)), "c": Task(3, after=("b",))}
    tasks |= {"beside": Task(1)}
    assert ways_to_the_end(tasks)["a"] == 6
    for cores in (2, 32):
        assert scheduled(tasks, cores).wall == 6
    assert scheduled(tasks, cores=2).use == pytest.approx(7 / 12)


def test_what_opens_the_longer_way_goes_first():
    tasks = {"short": Task(2), "opens": Task(1), "follows": Task(5, after=("opens",))}
    assert scheduled(tasks, cores=1).wall == 8
    tasks["other"] = Task(2)
    assert scheduled(tasks, cores=2).wall == 6


def test_threads_share_what_can_be_shared_and_need_free_cores():
    wide = Task(alone=1, shared=8, threads=4)
    assert scheduled({"wide": wide}, cores=4).wall == 3
    assert scheduled({"wide": wide}, cores=2).wall == 5
    assert scheduled({"wide": wide}, cores=4).use == pytest.approx(9 / 12)
    # Two of them do not fit at once on six cores; a small one goes beside.
    both = {"one": wide, "two": wide, "small": Task(3)}
    assert scheduled(both, cores=6).wall == 6
