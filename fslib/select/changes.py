"""What the size of a table means for a study: what it will take, and what it changes of methods.

Searches are made shorter and methods skipped where a study's limits bound its minutes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from fslib.run.artefacts import atomic_path
from fslib.run.numbers import duration


@dataclass(frozen=True)
class Change:
    """Parameters that a method has instead of the study's, or that it is skipped, and why."""

    params: dict = field(default_factory=dict)
    skipped: bool = False
    reason: str = ""


@dataclass(frozen=True)
class Expected:
    """What fits and their evaluation will take, by measured growth: the same on every machine."""

    seconds: float
    """Of one core, for all of them."""
    memory_mb: float
    """Of one job."""

    def __add__(self, other: Expected) -> Expected:
        """Of two studies, whose jobs are alike."""
        return Expected(self.seconds + other.seconds, max(self.memory_mb, other.memory_mb))

    def __str__(self) -> str:
        time = f"about {duration(self.seconds)} of one core besides the start of jobs"
        return f"{time}, and {self.memory_mb / 1000:.1f} GB of memory a job"


def write_changes(
    changes: Mapping[str, Change], out: str, expected: Expected | None = None
) -> None:
    """Write the changes of a study's methods on one data set, by variant, and what it will take.

    Nothing is expected of a table that cannot be used.
    """
    said = {
        "expected": expected and asdict(expected),
        "changes": {name: asdict(change) for name, change in changes.items()},
    }
    with atomic_path(out) as temporary:
        temporary.write_text(json.dumps(said, indent=2) + "\n")


def read_changes(path: str) -> dict[str, Change]:
    """The changes of a file, by variant."""
    changes = json.loads(Path(path).read_text())["changes"]
    return {name: Change(**said) for name, said in changes.items()}


def read_expected(path: str) -> Expected | None:
    """What a study was expected to take, by the same file."""
    said = json.loads(Path(path).read_text())["expected"]
    return said and Expected(**said)
