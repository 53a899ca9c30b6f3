"""What a fit may take: processor time, time by the clock, memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

#: The clock allows this many times the processor time unless told otherwise. A method that
#: computes gets its whole budget on a machine with up to three other programs per core; one that
#: sleeps or waits for something that never comes does not hold up a run for ever.
CLOCK_FACTOR = 4


@dataclass(frozen=True)
class Limits:
    """The budget of one fit with all its processes; None is no limit.

    Parameters
    ----------
    seconds : processor time, which a busy machine does not change
    memory_mb : private memory, and files in `/dev/shm`
    wall_seconds : time by the clock; `CLOCK_FACTOR` times ``seconds`` by default

    >>> Limits(seconds=60).clock_seconds, Limits(seconds=6, wall_seconds=8).clock_seconds
    (240, 8)
    """

    seconds: float | None = None
    memory_mb: float | None = None
    wall_seconds: float | None = None

    @classmethod
    def of(cls, budget: Mapping[str, float]) -> Limits:
        """A budget of `config.yaml`; its `minutes` are of many fits together, not of one."""
        return cls(**{name: value for name, value in budget.items() if name != "minutes"})

    @property
    def clock_seconds(self) -> float | None:
        if self.wall_seconds is None and self.seconds is not None:
            return CLOCK_FACTOR * self.seconds
        return self.wall_seconds

    def times(self, count: int) -> Limits:
        """The budget of ``count`` pieces of work that one process does one after the other."""
        seconds, clock = self.seconds, self.clock_seconds
        return replace(
            self,
            seconds=None if seconds is None else count * seconds,
            wall_seconds=None if clock is None else count * clock,
        )
