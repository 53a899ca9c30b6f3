"""The probe stage: a stretch of a search that is too long for one job, and all stretches as one.

A probe is a function of the seed and its number, so stretches are evaluated in any order, at once
or one after the other; a job that is interrupted loses its own stretch alone. The select job of the
search goes on from their values by ``warm_start``, which gives bit for bit the rows of one fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from fslib.run.artefacts import ArtefactError, Refused, frame_of, read, write
from fslib.run.fingerprint import fingerprint
from fslib.run.limits import Limits
from fslib.run.pool import Outcome, run_limited
from fslib.run.progress import Progress
from fslib.select.fits import Fit, Group, Job, Material, planned

#: What a stretch has in common with another one of the same values.
_SAME = ("seed", "fingerprint", "first", "end", "status")


def probe_stretch(
    table: str,
    splits: str,
    prepared: list[str],
    out: str,
    *,
    job: Job,
    split: int,
    first: int,
    end: int,
    limits: dict,
    log: str | None,
    protected: Sequence[str] = (),
) -> None:
    """Evaluate the probes ``first`` to ``end - 1`` of the search that the variants of a job share.

    One row, whatever happens. An earlier file is kept where the same probes went well.
    """
    try:
        material = Material(table, splits, prepared)
    except Refused as problem:
        fits = [planned(job, v, split, [str(problem)], job.dataset) for v in job.variants]
        row = _row(job, fits, "", first, end, Outcome("error", str(problem)))
        write(frame_of([row], "probes"), out, "probes")
        return
    fits = material.fits(job, [split])
    mark = search_mark(job, fits, material)
    row = _row(job, fits, mark, first, end, Outcome("ok"))
    kept = _kept(out, row)
    if kept is None:
        task = partial(_values, fits, material, first, end)
        with Progress(f"{job.study}/{job.dataset}/{job.entry} probes", 1, log) as progress:
            ((_, outcome),) = run_limited(
                [(None, task)],
                workers=1,
                limits=Limits.of(limits),
                log_fd=progress.log_fd,
                read_only=protected,
            )
            if outcome.status != "ok":
                progress.note(f"probes {first} to {end}: {outcome.status}: {outcome.reason}")
            progress.step(failed=outcome.status != "ok")
        kept = frame_of([_row(job, fits, mark, first, end, outcome)], "probes")
    write(kept, out, "probes")


def _values(fits: list[Fit], material: Material, first: int, end: int) -> np.ndarray:
    """In the child: the values of a stretch."""
    group = Group(fits, material)
    group.seed_global_generators()
    return group.selector(0).probe_values(group.X.copy(), group.y.copy(), first, end)


def search_mark(job: Job, fits: list[Fit], material: Material) -> str:
    """Fingerprint of all that the values of a search depend on, whichever variants share it."""
    variant = fits[0].variant
    # With parameters as the study spells them: objects that are made of them have no lasting text.
    as_spelt = fits[0].recipe.made_from(**variant["params"])
    return fingerprint(
        code=job.code,
        use=variant["use"],
        method=variant["fingerprint"],
        search=as_spelt.search_key(),
        inputs=material.inputs(variant),
    )


def searched(paths: Sequence[str], job: Job, fits: list[Fit], material: Material) -> Outcome:
    """All stretches of a search as one: the values of its probes, or why there are none."""
    rows = pl.concat(read(path, "probes") for path in paths).sort("first")
    mark = search_mark(job, fits, material)
    if set(rows["fingerprint"]) != {mark} or set(rows["seed"]) != {fits[0].seed}:
        raise ArtefactError(
            f"{paths[0]} and its like hold probes of another search. Delete them to have them made "
            f"again."
        )
    cost = {
        "wall_seconds": rows["wall_seconds"].sum(),
        "cpu_seconds": rows["cpu_seconds"].sum(),
        "peak_mb": rows["peak_mb"].max(),
    }
    bad = rows.filter(pl.col("status") != "ok").select("first", "end", "status", "reason")
    for first, end, status, reason in bad.rows():
        return Outcome(status, f"probes {first} to {end}: {reason}", **cost)
    return Outcome("ok", value=rows["value"].explode().to_numpy(), **cost)


def joined(search: Outcome, fit: Outcome) -> Outcome:
    """The outcome of a fit that went on from a search, at the cost of both."""
    return replace(
        fit,
        wall_seconds=search.wall_seconds + fit.wall_seconds,
        cpu_seconds=search.cpu_seconds + fit.cpu_seconds,
        peak_mb=max(search.peak_mb, fit.peak_mb),
    )


def _row(job: Job, fits: list[Fit], mark: str, first: int, end: int, outcome: Outcome) -> dict:
    return {
        "dataset": job.dataset,
        "method": ", ".join(fit.variant["name"] for fit in fits),
        "split": fits[0].split,
        "first": first,
        "end": end,
        "status": outcome.status,
        "reason": outcome.reason,
        "wall_seconds": outcome.wall_seconds,
        "cpu_seconds": outcome.cpu_seconds,
        "peak_mb": outcome.peak_mb,
        "seed": fits[0].seed,
        "fingerprint": mark,
        "value": [] if outcome.value is None else outcome.value,
    }


def _kept(out: str, wanted: dict) -> pl.DataFrame | None:
    """An earlier file with the same probes; a damaged one counts as none."""
    if not Path(out).exists():
        return None
    try:
        earlier = read(out, "probes")
    except ArtefactError:
        return None
    same = all(earlier[key].to_list() == [wanted[key]] for key in _SAME)
    return earlier if same else None
