"""One run per output folder. The lock dies with its process: a killed run needs no unlocking."""

from __future__ import annotations

import fcntl
import os
import socket
import sys
from datetime import datetime
from pathlib import Path

from fslib.run.errors import FslibError

_HELD = []  # open files: closing one would let go of its lock


class BusyError(FslibError):
    """Another run is writing to the output folder."""


def hold(folder: str | os.PathLike) -> None:
    """Keep other runs out of ``folder`` for as long as this process lives.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> hold(folder)
    >>> hold(folder)
    Traceback (most recent call last):
    fslib.run.lock.BusyError: ...
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    file = open(Path(folder, ".lock"), "a+")  # noqa: SIM115
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read().strip() or "another run"
        file.close()
        raise BusyError(
            f"{folder}/ is in use by {holder}. Wait for that run or end it; a second run at the "
            f"same time needs a folder of its own: --config output=NAME"
        ) from None
    except OSError as problem:
        print(
            f"warning: no lock on {folder}/ ({problem.strerror}): "
            f"see to it yourself that only one run writes there",
            file=sys.stderr,
        )
    file.truncate(0)
    since = datetime.now().astimezone().isoformat(" ", "seconds")
    file.write(f"process {os.getpid()} on {socket.gethostname()} since {since}\n")
    file.flush()
    _HELD.append(file)
