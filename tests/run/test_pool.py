"""Limits are real, include children, and every way to fail becomes an outcome."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import psutil
import pytest

from fslib.run import processes
from fslib.run.limits import Limits
from fslib.run.pool import run_limited
from fslib.run.progress import Progress

SLEEPER = 987.125  # seconds that no other process asks for


def outcome(function, seconds=30, memory_mb=300, wall_seconds=None, **options):
    limits = Limits(seconds, memory_mb, wall_seconds)
    ((_, result),) = run_limited([("task", function)], workers=1, limits=limits, **options)
    return result


def burn(seconds):
    """Use so much processor time."""
    while time.process_time() < seconds:
        pass


def burn_in_children(seconds):
    program = f"import time\nwhile time.process_time() < {seconds}: pass"
    for _ in range(3):
        subprocess.run([sys.executable, "-c", program], check=True)


@contextmanager
def crowded():
    """One core for this process, what it starts and four busy others."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()
        os.sched_setaffinity(0, allowed)


def detach(n=10, then=lambda: "done"):
    """Start daemons as the textbook has it: fork, new session, fork, nothing inherited."""
    for _ in range(n):
        child = os.fork()
        if child == 0:
            os.setsid()
            if os.fork() == 0:
                os.closerange(0, 1000)
                os.execvp("sleep", ["sleep", str(SLEEPER)])
            os._exit(0)
        os.waitpid(child, 0)
    while len(sleepers()) < n:
        time.sleep(0.01)
    return then()


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


def zombies():
    me = psutil.Process()
    return [p for p in me.children(recursive=True) if p.status() == psutil.STATUS_ZOMBIE]


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
        (lambda: os.kill(os.getpid(), 42), "error", "killed by signal 42"),
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


def test_a_sleeper_is_stopped_by_the_clock():
    result = outcome(lambda: time.sleep(60), seconds=20, wall_seconds=0.3)
    assert (result.status, result.reason) == ("timeout", "more than 0.3 s")
    assert result.wall_seconds < 30
    assert result.cpu_seconds < 20


@pytest.mark.parametrize("burning", [burn, burn_in_children])
def test_a_burner_is_stopped_at_its_processor_time(burning):
    result = outcome(lambda: burning(60), seconds=0.5, wall_seconds=60)
    assert (result.status, result.reason) == ("timeout", "more than 0.5 s of CPU time")
    assert 0.5 < result.cpu_seconds < 5


def test_time_of_children_adds_up():
    result = outcome(lambda: burn_in_children(0.5), seconds=1, wall_seconds=60)
    assert (result.status, result.reason) == ("timeout", "more than 1 s of CPU time")


def test_a_crowded_machine_makes_no_timeout():
    with crowded():
        result = outcome(lambda: burn(0.7), seconds=1, wall_seconds=60)
    assert result.status == "ok", result.reason
    assert result.wall_seconds > 1


@pytest.mark.slow
def test_the_kernel_stops_a_burner_that_nobody_looks_at():
    """The parent is busy with something else for longer than the budget."""
    running = run_limited(
        [(0, lambda: 1), (1, lambda: burn(60))], workers=2, limits=Limits(0.1, wall_seconds=60)
    )
    assert next(running)[1].status == "ok"
    time.sleep(5)
    ((_, result),) = running
    assert (result.status, result.reason) == ("timeout", "more than 0.1 s of CPU time")
    assert result.cpu_seconds < 4


def crash_after_detaching():
    return detach(then=lambda: os.kill(os.getpid(), 9))


def hang_after_detaching():
    return detach(then=lambda: time.sleep(60))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "status"),
    [
        (spawn_and_return, "ok"),
        (spawn_and_hang, "timeout"),
        (detach, "ok"),
        (hang_after_detaching, "timeout"),
        (crash_after_detaching, "error"),
    ],
)
def test_no_descendant_survives_its_task(function, status):
    assert not sleepers()
    result = outcome(function, wall_seconds=8 if status == "timeout" else 60)
    assert result.status == status, result.reason
    assert not sleepers()
    assert not zombies()


@pytest.mark.slow
def test_a_sudden_death_harms_nobody_else():
    """Two tasks die and leave daemons; a third task with its own, and processes started by this
    one before and meanwhile, go on."""
    before = subprocess.Popen(["sleep", "986"], start_new_session=True)
    daemon_of_third = 985.5

    def third():
        child = subprocess.Popen(["sleep", str(daemon_of_third)], start_new_session=True)
        time.sleep(4)
        return child.poll()

    tasks = [("third", third), (1, crash_after_detaching), (2, crash_after_detaching)]
    running = run_limited(tasks, workers=3, limits=Limits(30))
    assert next(running)[1].reason == "killed by SIGKILL"
    meanwhile = subprocess.Popen(["sleep", "986"])
    assert next(running)[1].reason == "killed by SIGKILL"
    assert not sleepers()
    assert next(running)[1].value is None  # its child was alive to the end
    assert next(running, None) is None
    for process in (before, meanwhile):
        assert process.poll() is None
        process.kill()
        process.wait()


def test_output_is_capped_in_the_log(tmp_path):
    def flood():
        for _ in range(300):
            print("x" * 99_999)
        os.write(2, b"no line")
        return "done"

    log = tmp_path / "log"
    with Progress("study/data/entry", 1, log) as progress:
        result = outcome(flood, log_fd=progress.log_fd)
        progress.step()
    assert (result.status, result.value) == ("ok", "done")
    assert 10 * 2**20 < log.stat().st_size < 10 * 2**20 + 200
    assert log.read_text().splitlines()[-2:] == ["… output cut after 10 MB", "study/data/entry 1/1"]


def test_output_keeps_lines_whole(tmp_path):
    """Lines of several tasks do not mix, nor with those of the job that `fslib status` reads."""

    def talk():
        for _ in range(20):
            os.write(1, b"half a ")
            time.sleep(0.01)
            os.write(1, b"line\n")
        os.write(1, b"no end of line")

    log = tmp_path / "log"
    with Progress("study/data/entry", 3, log, every=0) as progress:
        tasks = [(i, talk) for i in range(3)]
        for _ in run_limited(tasks, workers=3, log_fd=progress.log_fd):
            progress.step()
    lines = log.read_text().splitlines()
    assert lines.count("half a line") == 60
    assert lines.count("no end of line") == 3
    assert lines[-1] == "study/data/entry 3/3"
    assert len(lines) == 60 + 3 + 1 + 3 + 1


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


@pytest.mark.slow
def test_children_compute_after_the_parent_used_polars():
    """3-NN (OpenMP), SVC and numexpr in a child of a process that has read with polars."""
    program = """
import fslib.run.single_thread
import polars as pl, io
buffer = io.BytesIO()
pl.DataFrame({"a": list(range(10_000))}).write_parquet(buffer)
buffer.seek(0)
pl.read_parquet(buffer).group_by(pl.col("a") % 7).len()
from fslib.run import processes
from fslib.run.limits import Limits
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

for _, outcome in run_limited([(0, work), (1, work)], workers=2, limits=Limits(100)):
    print(outcome.status, outcome.value, outcome.reason)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=200, check=True
    )
    assert done.stdout.splitlines() == ["ok (True, True, True) "] * 2


def test_private_memory_is_looked_at_only_when_more_is_resident(monkeypatch):
    """The kernel walks through all pages of a process for it."""
    looks = []
    private_mb = processes.private_mb
    monkeypatch.setattr(processes, "private_mb", lambda pid: looks.append(pid) or private_mb(pid))
    assert outcome(lambda: time.sleep(0.6), memory_mb=4000).status == "ok"
    assert len(looks) == 1

    def grow():
        held = []
        for _ in range(4):
            held.append(np.ones(2**22))  # 32 MB
            time.sleep(0.15)
        return len(held)

    looks.clear()
    grown = outcome(grow, memory_mb=4000)
    assert grown.peak_mb > 100
    assert len(looks) >= 3
