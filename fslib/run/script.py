"""What every script of the pipeline does around its one call."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fslib.run.errors import FslibError

#: The log of the job that this process is, if it is one.
_log: str | None = None


@contextmanager
def reporting(log: str | None) -> Iterator[None]:
    """Turn a mistake into a message and every failure into a log entry and exit code 1."""
    global _log
    _log = log
    # What is imported stays until the end: no collection of garbage has to look at it, not even the
    # last ones, in which Python would spend 0.3 s after the work is done.
    gc.freeze()
    gc.enable()
    try:
        yield
    except FslibError as problem:
        _fail(f"error: {problem}")
    except OSError as problem:
        _fail(f"error: {problem.strerror or problem}: {problem.filename or ''}".rstrip(": "))
    except KeyboardInterrupt:
        _fail("interrupted")
    except Exception:
        _fail(f"internal error, please report it:\n{traceback.format_exc()}")
    finally:
        gc.freeze()


def tell(text: str) -> None:
    """Say something to the person at the screen and in the job's log."""
    print(text, file=sys.stderr)
    with suppress(OSError):  # the disk may be full, and that be the message
        if _log:
            Path(_log).parent.mkdir(parents=True, exist_ok=True)
            with open(_log, "a") as lines:
                print(text, file=lines)


def _fail(text: str) -> None:
    tell(text)
    sys.exit(1)


def import_from(folder: Path) -> None:
    """Let every process that starts from here on import the `fslib` of this folder."""
    others = [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), *others])
