"""What surrounds a whole run: its hold on the output folder, interrupts, and the last words."""

from __future__ import annotations

import signal
import sys
import time
from contextlib import suppress

import psutil

from fslib.run.coverage import write_covered
from fslib.run.errors import FslibError
from fslib.run.layout import Layout
from fslib.run.lock import hold
from fslib.run.slurm import settle
from fslib.run.status import summary


def begin(at: Layout, executor_settings=None) -> None:
    """Refuse to write where another run writes or where jobs would be waited for in vain; keep what
    fingerprints stand for."""
    settle(executor_settings)
    hold(at.output)
    write_covered(at)
    _pass_interrupts_on()


def _pass_interrupts_on() -> None:
    """End the jobs too when only this process is interrupted, not the whole terminal's group."""

    def interrupt(number, frame):
        time.sleep(1)  # those that ctrl-c has reached end by themselves
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                process.send_signal(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)


def end(at: Layout) -> None:
    """The last lines a person sees: how the cells ended and where the report is."""
    try:
        print(summary(at), file=sys.stderr)
    except FslibError as problem:
        print(problem, file=sys.stderr)
