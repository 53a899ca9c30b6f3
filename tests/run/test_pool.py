"""Limits are real, include children, and every way to fail becomes an outcome."""

import os
import subprocess
import sys
import time

import numpy as np
import psutil
import pytest

from fslib.run.pool import run_limited

SLEEPER = 987.125  # seconds that no other process asks for


def outcome(function, seconds=30, memory_mb=300):
    ((_, result),) = run_limited(
        [("task", function)], workers=1, seconds=seconds, memory_mb=memory_mb
    )
    return result


def crash():
    raise ValueError("said\nover two lines")


def eat():
    eaten = []
    while True:
        eaten.append(np.ones(2_000_000))
        time.sleep(0.002)


def eat_in_a_child():
    greedy = "x = []\nimport time\nwhile True: x.append(bytearray(10_000_000)); time.sleep(.005)"
    subprocess.run([sys.executable, "-c", greedy], check=False)


def touch_nothing():
    import ctypes
    import faulthandler

    faulthandler.disable()  # pytest's would print a page of what is meant to happen
    ctypes.string_at(0)


def spawn_and_return():
    subprocess.Popen(["sleep", str(SLEEPER)])
    return "done"


def spawn_and_hang():
    subprocess.Popen(["sleep", str(SLEEPER)], start_new_session=True)
    time.sleep(60)


def die_and_leave_a_child_holding_the_pipe():
    if os.fork() == 0:
        time.sleep(60)
    os._exit(7)


def sleepers():
    found = []
    for process in psutil.process_iter(["cmdline"]):
        if process.info["cmdline"] == ["sleep", str(SLEEPER)]:
            found.append(process)
    return found


def test_value_and_cost_of_a_good_task():
    result = outcome(lambda: np.arange(3))
    assert result.status == "ok"
    assert result.value.tolist() == [0, 1, 2]
    assert result.wall_seconds > 0


@pytest.mark.parametrize(
    ("function", "status", "reason"),
    [
        (crash, "error", "ValueError: said over two lines"),
        (lambda: sys.exit("bye"), "error", "SystemExit: bye"),
        (lambda: os._exit(7), "error", "process ended with code 7 and no result"),
        (touch_nothing, "error", "killed by SIGSEGV"),
        (lambda: os.kill(os.getpid(), 9), "error", "killed by SIGKILL"),
        (lambda: (_ for _ in ()), "error", "result cannot be sent"),
        (die_and_leave_a_child_holding_the_pipe, "error", "ended with code 7"),
        (eat, "out_of_memory", "more than 300 MB"),
        (eat_in_a_child, "out_of_memory", "more than 300 MB"),
        (lambda: np.ones(10**12), "out_of_memory", "MemoryError"),
    ],
)
def test_every_failure_has_a_status_and_a_reason(function, status, reason):
    result = outcome(function)
    assert result.status == status
    assert reason in result.reason


def test_hanging_task_is_stopped_and_its_peak_is_known():
    result = outcome(lambda: time.sleep(60), seconds=0.3)
    assert (result.status, result.reason) == ("timeout", "more than 0.3 s")
    assert result.wall_seconds < 30


@pytest.mark.parametrize("function", [spawn_and_return, spawn_and_hang])
def test_no_descendant_survives_its_task(function):
    outcome(function, seconds=1)
    deadline = time.monotonic() + 10
    while sleepers() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not sleepers()


def test_many_tasks_on_few_workers_all_come_back():
    tasks = [(i, lambda i=i: i * i) for i in range(40)]
    found = {key: result.value for key, result in run_limited(tasks, workers=3)}
    assert found == {i: i * i for i in range(40)}


def test_abandoning_the_run_kills_what_is_running():
    running = run_limited([(0, spawn_and_hang), (1, lambda: 1)], workers=2)
    assert next(running)[0] == 1
    while not sleepers():
        time.sleep(0.02)
    time.sleep(0.1)
    running.close()
    time.sleep(0.2)
    assert not sleepers()


def test_children_compute_after_the_parent_used_polars():
    """3-NN (OpenMP), SVC and numexpr in a child of a process that has read with polars."""
    program = """
import fslib.run.single_thread
import polars as pl, io
buffer = io.BytesIO()
pl.DataFrame({"a": list(range(10_000))}).write_parquet(buffer)
buffer.seek(0)
pl.read_parquet(buffer).group_by(pl.col("a") % 7).len()
from fslib.run.pool import run_limited

def work():
    import numexpr, numpy as np
    from sklearn.datasets import load_digits
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC
    X, y = load_digits(return_X_y=True)
    near = KNeighborsClassifier(3).fit(X[:900], y[:900]).score(X[900:], y[900:])
    line = SVC(kernel="linear").fit(X[:300], y[:300]).score(X[300:600], y[300:600])
    x = np.linspace(0, 1, 10**6)
    return near > 0.9, line > 0.8, bool(abs(numexpr.evaluate("sum(exp(x))") / 1e6 - 1.718) < 0.01)

for _, outcome in run_limited([(0, work), (1, work)], workers=2, seconds=100):
    print(outcome.status, outcome.value, outcome.reason)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=200, check=True
    )
    assert done.stdout.splitlines() == ["ok (True, True, True) "] * 2
