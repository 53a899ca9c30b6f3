"""Measures of an earlier run that still hold: an edit of one method measures no other again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import polars as pl

from fslib.run.artefacts import ArtefactError, digest, read, stored, write

#: Files whose making takes time; the others are batches in another form.
KINDS = ("accuracy", "stability", "recovery")
#: What measures are made from, of a run.
_SELECTION = ["split", "status", "ordered", "feature", "selected", "fact", "value"]
_MARKS = "fslib.measured"


def marks_of(rows: pl.DataFrame, **asked) -> dict[str, str]:
    """For each method a hash of its selections and of all else that its measures depend on."""
    said = json.dumps(asked, sort_keys=True)
    return {
        method: hashlib.sha256(f"{said}{digest(own.select(_SELECTION))}".encode()).hexdigest()[:16]
        for (method,), own in rows.group_by("method", maintain_order=True)
    }


@dataclass(frozen=True)
class Kept:
    """What earlier files hold of methods whose marks are the same; nothing where one is damaged."""

    marks: Mapping[str, str]
    """Of all methods, in the order that files have them."""
    methods: Collection[str] = ()
    frames: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    @classmethod
    def of(cls, files: Mapping[str, str], marks: Mapping[str, str]) -> Kept:
        try:
            frames = {kind: read(files[kind], kind) for kind in KINDS}
        except ArtefactError:
            return cls(marks)
        methods = set(marks.items())
        for kind in KINDS:
            methods &= json.loads(stored(files[kind], _MARKS) or "{}").items()
        names = {name for name, _ in methods}
        if not names:  # their columns may be others: those of the measures that were asked for
            return cls(marks)
        return cls(
            marks, names, {k: f.filter(pl.col("method").is_in(names)) for k, f in frames.items()}
        )

    def write(self, kind: str, fresh: pl.DataFrame, path: str, failed: Collection[str]) -> None:
        """Write kept and fresh rows, by method; those of ``failed`` methods are not kept again."""
        places = pl.Enum(list(self.marks))
        rows = pl.concat([self.frames[kind], fresh]) if self.frames else fresh
        rows = rows.sort(pl.col("method").cast(places), maintain_order=True)
        marks = {name: mark for name, mark in self.marks.items() if name not in failed}
        write(rows, path, kind, {_MARKS: json.dumps(marks)})
