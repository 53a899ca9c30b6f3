"""What the size of a table changes of a study's methods: searches made shorter, methods skipped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from fslib.run.artefacts import atomic_path


@dataclass(frozen=True)
class Change:
    """Parameters that a method has instead of the study's, or that it is skipped, and why."""

    params: dict = field(default_factory=dict)
    skipped: bool = False
    reason: str = ""


def write_changes(changes: Mapping[str, Change], out: str) -> None:
    """Write the changes of a study's methods on one data set, by variant."""
    with atomic_path(out) as temporary:
        said = {name: asdict(change) for name, change in changes.items()}
        temporary.write_text(json.dumps(said, indent=2) + "\n")


def read_changes(path: str) -> dict[str, Change]:
    """The changes of a file, by variant."""
    return {name: Change(**said) for name, said in json.loads(Path(path).read_text()).items()}
