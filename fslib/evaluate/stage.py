"""The evaluate stage: everything that is measured of one method entry on one data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module

import numpy as np
import polars as pl

from fslib.data.dataset import Dataset
from fslib.data.tables import read_table
from fslib.evaluate.classifier import (
    Named,
    classifier_of,
    decision_curve,
    name_of,
    tuned_settings,
)
from fslib.evaluate.essential import recovery
from fslib.evaluate.kept import Kept, marks_of
from fslib.evaluate.measures import MEASURES, Judged
from fslib.evaluate.ranked import Ranked
from fslib.evaluate.stability import STABILITY
from fslib.prepare.stage import Prepared, read_preparation
from fslib.run.artefacts import CONTRACTS, frame_of, read_all, refusal, stored, write
from fslib.run.errors import FslibError
from fslib.run.layout import FILES, REFIT
from fslib.run.limits import Limits
from fslib.run.pool import Outcome, attempt, run_limited
from fslib.run.progress import Progress
from fslib.run.seeds import random_state
from fslib.run.seeds import seed as seed_of
from fslib.split.schemes import Split
from fslib.split.stage import read_splits


class EvaluationError(FslibError):
    """A measure of rankings cannot work with what the study's preparation makes of the data."""


def evaluate_entry(
    table: str,
    splits: str,
    evaluation: str,
    batches: list[str],
    out: dict[str, str],
    *,
    label: str,
    code: str,
    classifiers: list[Named],
    sizes: list[int] | str,
    measures: list[str],
    stability: list[str],
    selects_before_split: bool,
    limits: Mapping[str, float],
    seed: int,
    workers: int,
    log: str | None,
    protected: Sequence[str] = (),
) -> None:
    """Gather the batches of an entry, measure its selections and write one file per measure.

    What earlier files hold of a method is kept, if neither its selections nor what measures them
    has changed; ``code`` is the fingerprint of the latter. A classifier that fails on a split, or
    takes more than ``limits`` (those of a fit) for a selection, leaves its accuracy out and a row
    in `unmeasured` that says why.
    """
    rows = read_all(batches, "batch")
    if any(refusal(path) is not None for path in (table, splits, evaluation)):
        # The reason stands in every row of the batches, or is the evaluation's preparation.
        for name in FILES:
            empty = frame_of([], name)
            write(_marked(rows, evaluation) if name == "runs" else empty, out[name], name)
        return
    data = read_table(table)
    wanted = read_splits(splits)
    view = read_preparation(table, evaluation)
    good = rows.filter(pl.col("status") == "ok")
    marks = marks_of(
        rows,
        code=code,
        inputs=[stored(path) for path in (table, splits, evaluation)],
        asked=[classifiers, seed, sizes, measures, stability, selects_before_split],
    )
    kept = Kept.of(out, marks)
    grid = _grid(sizes, data.X.shape[1])
    ranked = {
        (method, split): Ranked.of(
            order, selected, grid if ordered else [], zip(names, values, strict=True)
        )
        for method, split, ordered, order, selected, names, values in good.select(
            "method", "split", "ordered", "feature", "selected", "fact", "value"
        ).iter_rows()
        if method not in kept.methods
    }
    if selects_before_split:
        ranked = {(m, split): once for (m, _), once in ranked.items() for split in wanted}
    accuracy, unmeasured = _accuracy(
        ranked,
        wanted,
        view,
        data,
        classifiers,
        measures,
        seed,
        label,
        log,
        limits=Limits.of(limits),
        workers=workers,
        read_only=protected,
    )
    gathered = {
        "selections": _selections(good, data),
        "runs": rows.select(CONTRACTS["runs"].keys()),
        "unmeasured": unmeasured,
        "facts": good.select("dataset", "method", "split", "fact", "value")
        .explode("fact", "value")
        .drop_nulls("fact"),
    }
    measured = {
        "accuracy": accuracy,
        "stability": pl.concat(
            [
                _of_subsets(ranked, wanted, data, [m for m in stability if STABILITY[m].value]),
                *(
                    _of_rankings(m, ranked, wanted, view, label)
                    for m in stability
                    if STABILITY[m].of_rankings and ranked
                ),
            ]
        ),
        "recovery": _recovery(ranked, data),
    }
    for name, frame in gathered.items():
        write(frame, out[name], name)
    for name, frame in measured.items():
        kept.write(name, frame, out[name], failed=set(unmeasured["method"]))


def _marked(rows: pl.DataFrame, evaluation: str) -> pl.DataFrame:
    """Runs of a data set that cannot be used; what was selected in vain is an error too."""
    reason = refusal(evaluation)
    ok = pl.col("status") == "ok"
    return rows.select(CONTRACTS["runs"].keys()).with_columns(
        reason=pl.when(ok).then(pl.lit(reason)).otherwise("reason"),
        status=pl.when(ok).then(pl.lit("error")).otherwise("status"),
        fitted=pl.lit(""),
    )


def _grid(sizes: list[int] | str, d: int) -> list[int]:
    if sizes == "all":
        return list(range(1, d + 1))
    if sizes == "selected":
        return []
    return sorted({k for k in sizes if k <= d} or {d})


def _selections(good: pl.DataFrame, data: Dataset) -> pl.DataFrame:
    flat = good.select("dataset", "method", "split", "feature", "score", "selected").explode(
        "feature", "score", "selected"
    )
    names = np.array(data.feature_names, dtype=object)[flat["feature"].to_numpy()]
    return flat.with_columns(
        rank=pl.int_range(1, pl.len() + 1).over("method", "split"),
        name=pl.Series(names.tolist(), dtype=pl.String),
    ).select(CONTRACTS["selections"].keys())


def _accuracy(
    ranked,
    splits,
    view,
    data,
    classifiers,
    measures,
    base,
    label,
    log,
    *,
    limits: Limits,
    workers: int,
    **pool,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Every selection measured with every classifier, and what could not be measured."""
    of_split: dict[int, dict[str, Ranked]] = {}
    for (method, split), selection in ranked.items():
        if split != REFIT:
            of_split.setdefault(split, {})[method] = selection
    for classifier in classifiers:
        classifier_of(classifier)  # imported once, before the forks: scikit-learn takes a second
    named = {name_of(classifier): classifier for classifier in classifiers}

    def task(split: int, name: str) -> partial:
        state = random_state(seed_of(base, data.seed_name, "evaluate", split, name))
        rows = splits[split], view, data.y
        return partial(_by_method, of_split[split], *rows, named[name], measures, state)

    tasks = [((split, name), task(split, name)) for split in of_split for name in named]
    # A task measures the selections of all variants: each has the budget of a fit.
    budget = limits.times(max(map(len, of_split.values()), default=1))
    # Times of selection are compared, so every fit has one thread; an evaluation may have more.
    pool |= {"workers": workers, "threads": max(1, workers // max(1, len(tasks)))}
    outcomes = {}
    with Progress(f"{label} evaluate", len(tasks), log) as progress:
        for (split, name), outcome in run_limited(
            tasks, limits=budget, log_fd=progress.log_fd, **pool
        ):
            found = outcome.value or dict.fromkeys(of_split[split], outcome)
            failed = {m: own for m, own in found.items() if own.status != "ok"}
            for method, own in failed.items():
                progress.note(f"split {split} {method} {name}: {own.status}: {own.reason}")
            progress.step(failed=bool(failed))
            outcomes |= {(split, method, name): own for method, own in found.items()}
    accuracy, unmeasured = [], []
    for split, method, name in (
        (split, method, name)
        for split, selections in of_split.items()
        for method in selections
        for name in named
    ):
        cell = {"dataset": data.name, "method": method, "split": split, "classifier": name}
        outcome = outcomes[split, method, name]
        if outcome.status == "ok":
            accuracy += [cell | values for values in outcome.value]
        else:
            unmeasured.append(cell | {"status": outcome.status, "reason": outcome.reason})
    return frame_of(accuracy, "accuracy", measures), frame_of(unmeasured, "unmeasured")


def _by_method(
    selections: dict[str, Ranked],
    split: Split,
    view: Prepared,
    y: np.ndarray,
    classifier: Named,
    measures: list[str],
    random_state: int,
) -> dict[str, Outcome]:
    """In the child: what one classifier makes of every selection on one split."""
    X_train, X_test = view.rows(split.split, split.train), view.rows(split.split, split.test)
    rows = X_train, y[split.train], X_test, y[split.test]
    tuned = tuned_settings(classifier, X_train, y[split.train])
    features = view.features(split.split)
    return {
        method: attempt(
            partial(_curve, selection, features, *rows, classifier, measures, tuned, random_state)
        )
        for method, selection in selections.items()
    }


def _curve(
    selection: Ranked,
    features: np.ndarray | None,
    X_train,
    y_train,
    X_test,
    truth,
    classifier: Named,
    measures: list[str],
    tuned: dict[str, float],
    random_state: int,
) -> list[dict]:
    """Every measure at every size of a selection."""
    sizes = selection.sizes
    columns, widths = _columns(selection.top(sizes[-1]), features)
    settings = tuned | {
        name: selection.facts[name]
        for name in classifier_of(classifier).chosen_by_selection
        if name in selection.facts
    }
    kept = X_train[:, columns], y_train, X_test[:, columns]
    decisions = decision_curve(classifier, *kept, widths[sizes], settings, random_state)
    judged = Judged(truth, decisions)
    values = {name: MEASURES[name].function(judged) for name in measures}
    return [
        {"k": k} | {name: None if v is None else float(v[i]) for name, v in values.items()}
        for i, k in enumerate(sizes)
    ]


def _columns(order: np.ndarray, features: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The columns of features, in the features' order, and how many the first k of them have.

    >>> _columns(np.array([2, 0]), np.array([0, 1, 2, 2]))
    (array([2, 3, 0]), array([0, 2, 3]))
    """
    if features is None:
        return order, np.arange(len(order) + 1)
    own = [np.flatnonzero(features == feature) for feature in order]
    return np.concatenate(own), np.cumsum([0, *map(len, own)])


def _of_subsets(ranked, splits, data, names) -> pl.DataFrame:
    """How much the subsets of different splits agree, at every size of every sampling ratio."""
    groups: dict[tuple[str, float], list[Ranked]] = {}
    for (method, split), selection in ranked.items():
        if split != REFIT:
            groups.setdefault((method, splits[split].ratio), []).append(selection)
    rows = []
    for (method, ratio), selections in groups.items():
        for k in sorted({k for selection in selections for k in selection.sizes}):
            subsets = [selection.top(k) for selection in selections]
            for name in names:
                value, low, high = _measured(name, subsets, data.X.shape[1])
                rows.append(
                    {
                        "dataset": data.name,
                        "method": method,
                        "k": k,
                        "ratio": ratio,
                        "measure": name,
                        "value": value,
                        "low": low,
                        "high": high,
                    }
                )
    return frame_of(rows, "stability").with_columns(pl.col("value", "low", "high").fill_nan(None))


def _of_rankings(name: str, ranked, splits, view: Prepared, label: str) -> pl.DataFrame:
    """How much rankings agree, by a measure that a module of its own computes."""
    codes = view.table
    if (codes != np.round(codes)).any():
        raise EvaluationError(f"{label}: {name} needs a discrete evaluation preparation.")
    module = import_module(STABILITY[name].of_rankings)
    rows = [
        {
            "dataset": view.data.name,
            "method": method,
            "k": k,
            "ratio": ratio,
            "measure": name,
            "value": value,
            "low": None,
            "high": None,
        }
        for (method, ratio, k), value in module.similarity_to_whole(
            ranked, splits, codes.astype(np.int64)
        ).items()
    ]
    return frame_of(rows, "stability")


def _measured(name: str, subsets: list, d: int) -> tuple[float, float | None, float | None]:
    measure = STABILITY[name]
    if measure.interval is not None:
        return measure.interval(subsets, d)
    return measure.value(subsets, d), None, None


def _recovery(ranked, data) -> pl.DataFrame:
    if data.essential is None:
        return frame_of([], "recovery")
    rows = [
        {
            "dataset": data.name,
            "method": method,
            "split": split,
            "k": k,
            **recovery(selection.order, data.essential, k),
        }
        for (method, split), selection in ranked.items()
        for k in selection.sizes
    ]
    return frame_of(rows, "recovery")
