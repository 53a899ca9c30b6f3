"""Runs that stand still at a chosen moment, to be killed or interrupted there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
from workflow import CONFIG, Workflow, changed

#: Generous: the machine may be busy. Nothing is asserted about time.
PATIENCE = 300

#: Python runs this at its start: the first file that matches is written, not moved into place.
_STALLING = """
import os, re, time

def stalling(source, target, _replace=os.replace, **more):
    reached = os.environ["STALL_REACHED"]
    if re.search(os.environ["STALL_AT"], os.fspath(target)) and not os.path.exists(reached):
        open(reached, "w").close()
        time.sleep(3600)
    return _replace(source, target, **more)

if "STALL_AT" in os.environ:
    os.replace = stalling
"""

#: A method that stands still is not to be stopped for it.
UNLIMITED = changed(CONFIG, limits={"tiny": {"seconds": 3600, "memory_mb": 500}})

#: A method that does the same while it fits, with a child process of its own.
METHOD = """
import os, subprocess, sys, time

import numpy as np


class Slow:
    def get_params(self, deep=True):
        return {}

    def set_params(self, **params):
        return self

    def fit(self, X, y):
        if os.environ.get("STALL_AT") == "while fitting":
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
            open(os.environ["STALL_REACHED"], "w").close()
            child.wait()
        self.scores_ = np.var(X, axis=0)
        return self
"""


class Run:
    """Snakemake in the background, in a process group of its own; its processes are marked."""

    def __init__(self, workflow: Workflow, *arguments: str, stall_at: str = "", **environment):
        self.mark = uuid.uuid4().hex
        self.reached = workflow.folder / f"reached-{self.mark}"
        self.log = workflow.folder / f"log-{self.mark}"
        environment = {**os.environ, **environment, "RUN_MARK": self.mark}
        if stall_at:
            code = workflow.folder / "stalling"
            code.mkdir(exist_ok=True)
            (code / "sitecustomize.py").write_text(_STALLING)
            environment |= {
                "STALL_AT": stall_at,
                "STALL_REACHED": str(self.reached),
                "PYTHONPATH": str(code),
            }
        command = [sys.executable, "-m", "snakemake", "--snakefile", workflow.project / "Snakefile"]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [*command, "--directory", workflow.folder, *(arguments or ["--cores", "1"])],
                cwd=workflow.folder,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *exception) -> None:
        self.kill()

    @property
    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def wait_for(self, happened: Callable[[], bool] | None = None) -> None:
        """Until it stands still where it was told to, or until something else happened."""
        happened = happened or self.reached.exists
        end = time.monotonic() + PATIENCE
        while not happened():
            assert self.process.poll() is None, self.said
            assert time.monotonic() < end, self.said
            time.sleep(0.05)

    def survivors(self) -> list[psutil.Process]:
        """Processes that this run started, directly or not, and that still live."""
        found = []
        for process in psutil.process_iter():
            try:
                marked = process.environ().get("RUN_MARK") == self.mark
                if marked and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def kill(self) -> None:
        """SIGKILL for the process group, the workers outside it and all they started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        while alive := self.survivors():
            for process in alive:
                with suppress(psutil.Error):
                    process.kill()
            psutil.wait_procs(alive, timeout=5)


class SlowSite:
    """A web server for one file that can stop half-way through it."""

    def __init__(self, body: bytes):
        self.body, self.stall, self.sent_half = body, False, threading.Event()
        self.address = ""


@contextmanager
def slow_site(body: bytes) -> Iterator[SlowSite]:
    here, over = SlowSite(body), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            if here.stall:
                here.sent_half.set()
                over.wait(PATIENCE)
                return
            self.wfile.write(body[len(body) // 2 :])

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    here.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield here
    finally:
        over.set()
        server.shutdown()
        server.server_close()


def files_of(folder: Path) -> dict[Path, tuple[int, int]]:
    """Result files below a folder and which writing of them it is; notes of runs apart."""
    return {
        path: (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
        and path.relative_to(folder).parts[0] not in ("logs", "benchmarks", ".lock")
        and ".tmp" not in str(path.relative_to(folder))
    }
