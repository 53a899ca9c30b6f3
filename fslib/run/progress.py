"""One line per job every few seconds, to standard error and to the job's log."""

from __future__ import annotations

import sys
import time
from pathlib import Path


class Progress:
    """Counts cells of one job and says how far it is; ``fslib status`` reads the log lines."""

    def __init__(self, label: str, total: int, log: str | Path | None, every: float = 3.0):
        self.label, self.total, self.every = label, total, every
        self.done = self.failed = 0
        self._last = time.monotonic()
        if log:
            Path(log).parent.mkdir(parents=True, exist_ok=True)
        self._log = open(log, "a", buffering=1) if log else None  # noqa: SIM115

    def step(self, failed: bool = False, count: int = 1) -> None:
        self.done += count
        self.failed += count if failed else 0
        if time.monotonic() - self._last >= self.every:
            self.say()

    def note(self, text: str) -> None:
        """A line for the log only."""
        if self._log:
            print(text, file=self._log)

    def say(self) -> None:
        self._last = time.monotonic()
        print(self._line(), file=sys.stderr, flush=True)
        self.note(self._line())

    def _line(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.label} {self.done}/{self.total}{failed}"

    @property
    def log_fd(self) -> int | None:
        return self._log.fileno() if self._log else None

    def __enter__(self) -> Progress:
        self.note(f"{self.label} 0/{self.total}")
        return self

    def __exit__(self, *exception) -> None:
        self.note(self._line())
        if self._log:
            self._log.close()
