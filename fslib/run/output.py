"""What a fit prints: copied to the job's log in whole lines, up to a cap."""

from __future__ import annotations

import os

#: More than this of one fit's output helps nobody and fills disks.
CAP_MB = 10
_CHUNK = 2**16


class Output:
    """A pipe that a fit writes to and the parent empties.

    The parent reads on after the cap and throws away, so that the fit notices nothing. Only whole
    lines go to the log: progress lines of the job (`fslib status` reads them) stay lines.
    """

    def __init__(self, log_fd: int):
        self._log_fd = log_fd
        self._left, self._cut = CAP_MB * 2**20, False
        self._line = b""
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)

    def fileno(self) -> int:
        """Of the end that the parent reads, to wait for."""
        return self._reader

    def started(self) -> None:
        """In the parent, once the fit has its end of the pipe."""
        os.close(self.writer)

    def drain(self) -> bool:
        """Copy what there is, at most one chunk; whether there was anything."""
        try:
            chunk = os.read(self._reader, _CHUNK)
        except BlockingIOError:
            return False
        if not self._cut:
            lines, newline, self._line = (self._line + chunk).rpartition(b"\n")
            self._copy(lines + newline)
            if len(self._line) >= _CHUNK:
                self._copy(self._line + b"\n")
                self._line = b""
        return bool(chunk)

    def close(self) -> None:
        """Copy the rest, when no process is left that could write more."""
        while self.drain():
            pass
        if self._line:
            self._copy(self._line + b"\n")
        os.close(self._reader)

    def _copy(self, text: bytes) -> None:
        if len(text) > self._left:
            text = text[: self._left] + f"\n… output cut after {CAP_MB} MB\n".encode()
            self._cut, self._line = True, b""
        self._left -= len(text)
        while text:
            text = text[os.write(self._log_fd, text) :]
