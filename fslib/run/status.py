"""How far a run is, from the files it leaves: its logs while it runs, its ledgers afterwards."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from fslib.run.artefacts import STATUSES, read
from fslib.run.layout import Layout, Place

_LINE = re.compile(
    r"^(?P<label>\S+/\S+/\S+?)( (?P<stage>probes|evaluate))? (?P<done>\d+)/(?P<total>\d+)"
    r"(, (?P<failed>\d+) failed)?$"
)
_CELL = ["dataset", "method", "split", "status", "reason"]


@dataclass(frozen=True)
class Progressed:
    """How far one job is: a select job in fits, an evaluate job in splits, probes in stretches."""

    label: str
    stage: str
    done: int
    total: int
    failed: int

    @property
    def place(self) -> Place:
        return Place(*self.label.split("/"))


def progress(at: Layout) -> list[Progressed]:
    """The newest progress line of every job log below an output folder."""
    found = []
    for log in at.logs():
        lines = [m for m in map(_LINE.match, log.read_text(errors="replace").splitlines()) if m]
        if lines:
            last = lines[-1]
            numbers = (int(last[name] or 0) for name in ("done", "total", "failed"))
            found.append(Progressed(last["label"], last["stage"] or "select", *numbers))
    return found


def ledgers(at: Layout) -> dict[str, Counter]:
    """Runs by status, and what was not measured, of every finished study below a folder."""
    found = {}
    for study, path in at.ledgers().items():
        frame = read(path, "ledger")
        found[study] = Counter({s: int(frame[s].sum() or 0) for s in (*STATUSES, "unmeasured")})
    return found


def summary(at: Layout, known: Iterable[str] | None = None) -> str:
    """A few lines for the end of a run, of studies that are still known."""
    lines = []
    for study, counts in ledgers(at).items():
        if known is not None and study not in known:
            continue
        said = ", ".join(f"{n} {s.replace('_', ' ')}" for s, n in counts.items() if n)
        lines.append(f"{study}: {said}")
    lines += [f"report: {page}" for page in at.pages()]
    return "\n".join(lines) or f"nothing finished yet below {at.output}/"


def failures(at: Layout, study: str | None = None) -> dict[Path, tuple[Place, list[tuple]]]:
    """Files with cells that are not ok: what they belong to, and those cells."""
    found = {}
    for place, path in at.batches(study):
        frame = read(path, "batch").filter(~pl.col("status").is_in(["ok", "skipped"]))
        found[path] = place, frame.select(_CELL).rows()
    for place, path in at.stretches(study):
        frame = read(path, "probes").filter(pl.col("status") != "ok")
        found[path] = place, frame.select(_CELL).rows()
    for place, path in at.unmeasured(study):
        frame = read(path, "unmeasured")
        by = frame.with_columns(pl.format("{} by {}", "method", "classifier").alias("method"))
        found[path] = place, by.select(_CELL).rows()
    return {path: (place, cells) for path, (place, cells) in found.items() if cells}
