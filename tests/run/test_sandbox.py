"""What a fit leaves in /dev/shm counts and goes; what is not its own it cannot change."""

import errno
import os
import shutil
import time
from functools import partial
from multiprocessing import shared_memory
from pathlib import Path

import numpy as np
import pytest

from fslib.run import pool, session
from fslib.run.limits import Limits
from fslib.run.pool import attempt, run_limited
from fslib.run.processes import LIBC
from fslib.run.sandbox import View

LIMITS = Limits(seconds=60, memory_mb=300)
NOBODY = 65534


@pytest.fixture(scope="module", autouse=True)
def _possible():
    try:
        View().close()
    except OSError as problem:
        pytest.skip(f"this kernel gives fits no view of their own: {problem}")


def outcomes(*functions, **options):
    tasks = enumerate(functions)
    return [o for _, o in run_limited(tasks, workers=1, limits=LIMITS, **options)]


def outside(start: str) -> list[str]:
    """Names in everybody's /dev/shm, where other processes come and go."""
    return [name for name in os.listdir("/dev/shm") if name.startswith(start)]


@pytest.mark.parametrize("pause", [0, 0.01])
def test_files_in_shared_memory_count(pause):
    own = f"fslib-{os.getpid()}-"

    def write():
        for i in range(1000):
            Path(f"/dev/shm/{own}{i}").write_bytes(bytes(8_000_000))
            time.sleep(pause)

    (result,) = outcomes(write)
    assert (result.status, result.reason) == ("out_of_memory", "more than 300 MB")
    assert outside(own) == []


def test_a_forgotten_block_counts_once_and_is_removed():
    def forget():
        block = shared_memory.SharedMemory(create=True, size=100 * 2**20)
        np.frombuffer(block.buf, dtype=np.uint8)[:] = 1
        time.sleep(1)
        return block.name, os.listdir("/dev/shm")

    result, empty = outcomes(forget, lambda: os.listdir("/dev/shm"))
    assert result.status == "ok", result.reason
    name, seen = result.value
    assert seen == [name]
    assert 100 <= result.peak_mb < 150
    assert empty.value == []  # the next one starts with nothing
    assert outside(name) == []


def test_folders_are_removed_too():
    def write():
        os.makedirs("/dev/shm/a/b")
        Path("/dev/shm/a/b/c").touch()

    assert outcomes(write, lambda: os.listdir("/dev/shm"))[1].value == []


def test_what_is_not_its_own_a_fit_cannot_change(tmp_path):
    results, elsewhere = tmp_path / "results", tmp_path / "elsewhere"
    for folder in (results, elsewhere):
        folder.mkdir()
        (folder / "file").write_text("good")

    def overwrite():
        (results / "file").write_text("bad")

    def remove():
        shutil.rmtree(results, ignore_errors=True)
        shutil.rmtree(elsewhere)

    one, other = outcomes(overwrite, remove, read_only=[str(results), str(tmp_path / "missing")])
    assert one.status == "error"
    assert "Read-only file system" in one.reason
    assert other.status == "ok", other.reason
    assert (results / "file").read_text() == "good"
    assert not elsewhere.exists()
    (results / "file").write_text("the parent may")


def test_relative_paths_are_protected_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    (result,) = outcomes(lambda: (os.getcwd(), Path("results/x").touch()), read_only=["results"])
    assert "Read-only file system" in result.reason


def as_nobody(function) -> str:
    """What a function says in a process without any rights."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            LIBC.prctl(
                4, 1, 0, 0, 0
            )  # /proc/self is its own again, as after any start of a program
            os.write(writer, str(attempt(function)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader) as said:
        os.waitpid(pid, 0)
        return said.read()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_somebody_who_is_not_root_has_it_too():
    folder = Path("/tmp", f"fslib-{os.getpid()}")  # tmp_path is closed to others

    def work():
        Path("/dev/shm/mine").write_text("x")
        try:
            (folder / "file").unlink()
        except OSError as problem:
            return problem.strerror, os.listdir("/dev/shm"), os.getuid(), os.getcwd()

    def run():
        os.chdir("/")
        View().close()
        eat = partial(Path("/dev/shm/much").write_bytes, bytes(400 * 2**20))
        return [(o.value, o.status) for o in outcomes(work, eat, read_only=[str(folder)])]

    folder.mkdir()
    try:
        (folder / "file").touch()
        shutil.chown(folder, NOBODY)
        said = as_nobody(run)
        if "OSError" in said:
            pytest.skip(f"this kernel gives a view to root alone: {said}")
        assert "[(('Read-only file system', ['mine'], 65534, '/'), 'ok'), (None, 'out_of" in said
        assert (folder / "file").exists()
    finally:
        shutil.rmtree(folder)


def test_without_it_fits_run_as_well_and_the_log_says_so(tmp_path, monkeypatch):
    def refuse(*arguments):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(pool, "View", refuse)
    with open(tmp_path / "log", "w") as log:
        found = outcomes(lambda: 1, lambda: 2, log_fd=log.fileno(), read_only=[str(tmp_path)])
    assert [o.value for o in found] == [1, 2]
    said = (tmp_path / "log").read_text()
    assert said.startswith("Operation not permitted: this system gives fits no view")
    assert said.count("\n") == 1


def test_without_it_a_run_warns_at_its_start(capsys, monkeypatch):
    def refuse():
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    session.warn_of_missing_views()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(session, "View", refuse)
    session.warn_of_missing_views()
    assert "warning: Operation not permitted: this system gives" in capsys.readouterr().err
