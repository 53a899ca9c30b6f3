"""Progress of a long search: a line now and then, and a time limit."""

from __future__ import annotations

import logging
import time


class Stopwatch:
    """Log lines of ``fslib.<method>``, at most one every few seconds, and the time that is left."""

    def __init__(self, method: str, time_limit: float | None = None, every: float = 5.0):
        self.log = logging.getLogger(f"fslib.{method}")
        self.started = self.reported = time.monotonic()
        self.time_limit, self.every = time_limit, every

    def out_of_time(self) -> bool:
        """Whether the time limit has passed; False where there is no limit."""
        return self.time_limit is not None and self.seconds() >= self.time_limit

    def seconds(self) -> float:
        """Seconds since the search began."""
        return time.monotonic() - self.started

    def report(self, message: str, *values) -> None:
        """Log ``message``, unless the last line was logged less than ``every`` seconds ago."""
        if time.monotonic() - self.reported >= self.every:
            self.reported = time.monotonic()
            self.log.info(f"{message}, %.0f s", *values, self.seconds())
