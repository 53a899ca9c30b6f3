"""Other processes are used where the work is worth their start, with the results of one."""

import os

import numpy as np
import pytest

from fslib.run.workers import in_order


def process(number: int, scratch: np.ndarray) -> tuple[int, int]:
    scratch[:] = number  # as kernels do with arrays that they keep for the next call
    return os.getpid(), int(scratch[-1])


TASKS = [(number, np.zeros(400_000)) for number in range(4)]  # beyond what is sent as bytes


def test_short_work_stays_in_one_process():
    assert list(in_order(process, TASKS, n_jobs=2)) == [(os.getpid(), n) for n in range(4)]


@pytest.mark.slow
def test_long_work_goes_to_others_and_may_write_to_its_arrays(other_processes):
    done = list(in_order(process, TASKS, n_jobs=2))
    assert [number for _, number in done] == [0, 1, 2, 3]
    assert {pid for pid, _ in done[1:]}.isdisjoint({os.getpid()})
