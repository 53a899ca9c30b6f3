"""The select stage: one method entry on a batch of splits, one row per fit whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from fslib.base import FeatureSelector
from fslib.data.dataset import Dataset
from fslib.prepare.steps import preparation_name
from fslib.run.artefacts import ArtefactError, Refused, frame_of, read, write
from fslib.run.limits import Limits
from fslib.run.pool import Outcome, run_limited
from fslib.run.progress import Progress
from fslib.select.changes import Change, read_changes
from fslib.select.columns import Columns
from fslib.select.fits import Fit, Group, Job, Material, planned
from fslib.select.probes import joined, searched
from fslib.select.resolve import Recipe


def select_batch(
    table: str,
    splits: str,
    prepared: list[str],
    out: str,
    *,
    job: Job,
    batch: list[int] | None,
    probes: Sequence[str] = (),
    limits: dict,
    workers: int,
    log: str | None,
    protected: Sequence[str] = (),
    afforded: Sequence[str] = (),
) -> None:
    """Run every variant on every split of a batch and write selections and runs in one file.

    Fits cannot change the ``protected`` folders: a method that would damage what others made harms
    itself alone. ``probes`` are the stretches of a search that is too long for one job; all
    variants of such a batch share it, on one split. What the table's size changes of the variants
    stands in the file ``afforded``.
    Rows of an earlier file that are ok, with the same fingerprint and seed, are kept.
    """
    try:
        material = Material(table, splits, prepared)
    except Refused as problem:
        _write_refused(out, job, batch, str(problem))
        return
    job, skipped = _within_means(job, afforded)
    data, fitted = material.data, material.fitted
    fits = material.fits(job, batch)
    rows = _kept(out, fits)
    missing = [f for f in fits if (f.variant["name"], f.split) not in rows]
    search = searched(probes, job, missing, material) if probes and missing else None

    label = f"{job.study}/{job.dataset}/{job.entry}"
    with Progress(label, len(fits), log) as progress:
        progress.step(count=len(fits) - len(missing))
        todo = []
        for fit in missing:
            reason = skip_reason(fit.variant, data) or skipped.get(fit.variant["name"])
            if reason:
                rows[fit.variant["name"], fit.split] = _row(
                    job, fit, Outcome("skipped", reason), fitted
                )
                progress.step()
            else:
                todo.append(fit)
        for group, outcome in _outcomes(
            todo,
            material,
            search,
            workers=workers,
            limits=Limits.of(limits),
            log_fd=progress.log_fd,
            read_only=protected,
        ):
            for i, fit in enumerate(group):
                result = outcome if outcome.value is None else _merged(outcome, outcome.value[i])
                rows[fit.variant["name"], fit.split] = _row(job, fit, result, fitted)
                if result.status != "ok":
                    progress.note(
                        f"split {fit.split} {fit.variant['name']}: {result.status}: {result.reason}"
                    )
                progress.step(failed=result.status != "ok")
    ordered = [rows[fit.variant["name"], fit.split] for fit in fits]
    write(frame_of(ordered, "batch"), out, "batch")


def _within_means(job: Job, afforded: Sequence[str]) -> tuple[Job, dict[str, str]]:
    """The job with the parameters that the table's size changes, and why variants are skipped."""
    changes = {name: change for path in afforded for name, change in read_changes(path).items()}
    variants = [
        v | {"params": v["params"] | changes.get(v["name"], Change()).params} for v in job.variants
    ]
    skipped = {name: change.reason for name, change in changes.items() if change.skipped}
    return replace(job, variants=variants), skipped


def _write_refused(out: str, job: Job, batch: list[int] | None, reason: str) -> None:
    """One row for every fit that the data set makes impossible."""
    rows = [
        _row(job, planned(job, variant, split, [reason], job.dataset), Outcome("error", reason), "")
        for split in ([0] if batch is None else batch)
        for variant in job.variants
    ]
    write(frame_of(rows, "batch"), out, "batch")


def skip_reason(variant: dict, data: Dataset) -> str | None:
    """Why a method's own tags rule a data set out, if they do."""
    tags = Recipe(variant["use"], variant["params"]).tags
    if tags.binary_only and len(data.class_names) > 2:
        return f"binary_only: {len(data.class_names)} classes"
    if tags.needs_essential and data.essential is None:
        return "needs_essential: the true features are unknown"
    return None


def _outcomes(
    fits: list[Fit], material: Material, search: Outcome | None, **how
) -> Iterator[tuple[list[Fit], Outcome]]:
    """What becomes of fits, together where they share work, as they end."""
    if search and search.status != "ok":
        yield fits, search
        return
    known = search.value if search else None
    tasks = [(group, partial(_run_group, group, material, known)) for group in _sharing(fits)]
    for group, outcome in run_limited(tasks, **how):
        yield group, joined(search, outcome) if search else outcome


def _sharing(fits: list[Fit]) -> list[list[Fit]]:
    """Fits of one entry, split, preparation and class, together where the class shares work."""
    groups: dict[tuple, list[Fit]] = {}
    for fit in fits:
        variant = fit.variant
        # Others are fitted one by one, so that each has a limit and a cost of its own.
        name = "" if fit.recipe.shares_fits else variant["name"]
        key = fit.split, variant["entry"], variant["use"], tuple(variant["preparation"]), name
        groups.setdefault(key, []).append(fit)
    return list(groups.values())


def _run_group(fits: list[Fit], material: Material, known: np.ndarray | None) -> list[Outcome]:
    """In the child: run the fits of one group; one outcome each, in their order.

    ``known`` are the values of a search that the fits share, where it was done before.
    """
    group = Group(fits, material)
    group.seed_global_generators()

    def build(number: int) -> FeatureSelector:
        selector = group.selector(number)
        return selector if known is None else selector.continue_from(known)

    d = group.X.shape[1]
    if len(fits) > 1:
        try:
            selectors = [build(number) for number in range(len(fits))]
            fitted = type(selectors[0]).fit_together(selectors, group.X.copy(), group.y.copy())
            return [
                Outcome("ok", value=own.folded(plain(f, d)))
                for own, f in zip(group.columns, fitted, strict=True)
            ]
        except Exception:
            # One bad variant must not take the others with it: see each one alone.
            pass
    return [
        _alone(partial(build, number), own, group.X, group.y, len(fits))
        for number, own in enumerate(group.columns)
    ]


def _alone(
    build: Callable, columns: Columns, X: np.ndarray, y: np.ndarray, n_sharing: int
) -> Outcome:
    try:
        fitted = build().fit(X.copy(), y.copy())
        return Outcome("ok", value=columns.folded(plain(fitted, X.shape[1])))
    except Exception as problem:
        if n_sharing == 1:
            raise
        return Outcome("error", f"{type(problem).__name__}: {problem}"[:500])


def plain(fitted, d: int) -> dict:
    """A fitted selector as checked plain arrays; garbage is an error that says what it is."""
    name = type(getattr(fitted, "estimator", fitted)).__name__
    order = np.asarray(fitted.order_)
    if order.ndim != 1 or not np.issubdtype(order.dtype, np.integer):
        raise TypeError(f"{name} gave an order that is not a list of column indices")
    if not order.size:
        raise ValueError(f"{name} selected no feature")
    if order.min() < 0 or order.max() >= d:
        raise ValueError(f"{name} gave columns outside 0..{d - 1}: {order.min()}, {order.max()}")
    if len(np.unique(order)) != len(order):
        raise ValueError(f"{name} ranked a column twice")
    scores = np.asarray(fitted.scores_, dtype=np.float64)
    support = np.asarray(fitted.support_)
    if scores.shape != (d,) or support.shape != (d,) or support.dtype != bool:
        raise TypeError(f"{name} gave scores or support of the wrong shape")
    if not support.any():
        raise ValueError(f"{name} selected no feature")
    return {
        "order": order.astype(np.int32),
        "scores": scores[order],
        "selected": support[order],
        "n_fits": int(fitted.n_fits_),
        "facts": {str(name): float(value) for name, value in fitted.facts_.items()},
        "ordered": bool(fitted.ordered_),
        "subset": bool(fitted.subset_),
    }


def _merged(shared: Outcome, own: Outcome) -> Outcome:
    """A fit's own result with the cost of the fit it shared."""
    return replace(shared, status=own.status, reason=own.reason, value=own.value)


def _row(job: Job, fit: Fit, outcome: Outcome, fitted: str) -> dict:
    value = outcome.value if outcome.status == "ok" else {}
    return {
        "dataset": job.dataset,
        "method": fit.variant["name"],
        "role": fit.variant["role"],
        "split": fit.split,
        "status": outcome.status,
        "reason": outcome.reason,
        "wall_seconds": outcome.wall_seconds,
        "cpu_seconds": outcome.cpu_seconds,
        "peak_mb": outcome.peak_mb,
        "n_fits": value.get("n_fits", 0),
        "seed": fit.seed,
        "n_selected": int(np.sum(value.get("selected", 0))),
        "ordered": value.get("ordered"),
        "subset": value.get("subset"),
        "preparation": preparation_name(fit.variant["preparation"]),
        "fitted": fitted,
        "fingerprint": fit.fingerprint,
        "feature": value.get("order", []),
        "score": value.get("scores", []),
        "selected": value.get("selected", []),
        "fact": list(value.get("facts", {})),
        "value": list(value.get("facts", {}).values()),
    }


def _kept(out: str, fits: list[Fit]) -> dict[tuple[str, int], dict]:
    """Good rows of an earlier file of this batch; a damaged one counts as none."""
    if not Path(out).exists():
        return {}
    try:
        earlier = read(out, "batch").rows(named=True)
    except ArtefactError:
        return {}
    expected = {(f.variant["name"], f.split): (f.seed, f.fingerprint) for f in fits}
    return {
        key: row
        for row in earlier
        if row["status"] == "ok"
        and expected.get(key := (row["method"], row["split"])) == (row["seed"], row["fingerprint"])
    }
