"""What every script of the pipeline does around its one call."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from fslib.run.errors import FslibError


@contextmanager
def reporting(log: str | None) -> Iterator[None]:
    """Turn a mistake into a message and every failure into a log entry and exit code 1."""
    try:
        yield
    except FslibError as problem:
        _tell(f"error: {problem}", log)
    except OSError as problem:
        _tell(f"error: {problem.strerror or problem}: {problem.filename or ''}".rstrip(": "), log)
    except KeyboardInterrupt:
        _tell("interrupted", log)
    except Exception:
        _tell(f"internal error, please report it:\n{traceback.format_exc()}", log)


def import_from(folder: Path) -> None:
    """Let every process that starts from here on import the `fslib` of this folder."""
    others = [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), *others])


def _tell(text: str, log: str | None) -> None:
    print(text, file=sys.stderr)
    with suppress(OSError):  # the disk may be full, and that be the message
        if log:
            Path(log).parent.mkdir(parents=True, exist_ok=True)
            with open(log, "a") as lines:
                print(text, file=lines)
    sys.exit(1)
