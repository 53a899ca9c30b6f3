"""The evaluate stage: everything that is measured of one method entry on one data set."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from itertools import product

import numpy as np
import polars as pl

from fslib.data.dataset import Dataset
from fslib.data.tables import read_table
from fslib.evaluate.classifier import CLASSIFIERS, predict_curve, tuned_settings
from fslib.evaluate.essential import recovery
from fslib.evaluate.ranked import Ranked
from fslib.evaluate.stability import MEASURES, nogueira
from fslib.prepare.stage import Prepared, read_preparation
from fslib.run.artefacts import CONTRACTS, frame_of, read_all, refusal, write
from fslib.run.errors import FslibError
from fslib.run.layout import FILES, REFIT
from fslib.run.pool import run_limited
from fslib.run.progress import Progress
from fslib.split.schemes import Split
from fslib.split.stage import read_splits


class EvaluationError(FslibError):
    """A classifier cannot work with what the study's preparation makes of the data."""


def evaluate_entry(
    table: str,
    splits: str,
    evaluation: str,
    batches: list[str],
    out: dict[str, str],
    *,
    label: str,
    classifiers: list[str],
    sizes: list[int] | str,
    stability: list[str],
    selects_before_split: bool,
    workers: int,
    log: str | None,
) -> None:
    """Gather the batches of an entry, measure its selections and write one file per measure."""
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
    grid = _grid(sizes, data.X.shape[1])
    ranked = {
        (method, split): Ranked.of(
            order, selected, grid if ordered else [], zip(names, values, strict=True)
        )
        for method, split, ordered, order, selected, names, values in good.select(
            "method", "split", "ordered", "feature", "selected", "fact", "value"
        ).iter_rows()
    }
    if selects_before_split:
        ranked = {(m, split): once for (m, _), once in ranked.items() for split in wanted}
    measured = {
        "selections": _selections(good, data),
        "runs": rows.select(CONTRACTS["runs"].keys()),
        "accuracy": _accuracy(ranked, wanted, view, data, classifiers, workers, log, label),
        "stability": pl.concat(
            [
                _of_subsets(ranked, wanted, data, [m for m in stability if MEASURES[m].value]),
                *(
                    _of_rankings(m, ranked, wanted, view, label)
                    for m in stability
                    if MEASURES[m].of_rankings
                ),
            ]
        ),
        "recovery": _recovery(ranked, data),
        "facts": good.select("dataset", "method", "split", "fact", "value")
        .explode("fact", "value")
        .drop_nulls("fact"),
    }
    for name in FILES:
        write(measured[name], out[name], name)


def _marked(rows: pl.DataFrame, evaluation: str) -> pl.DataFrame:
    """Runs of a data set that cannot be used; what was selected in vain is an error too."""
    reason = refusal(evaluation)
    ok = pl.col("status") == "ok"
    return rows.select(CONTRACTS["runs"].keys()).with_columns(
        reason=pl.when(ok).then(pl.lit(reason)).otherwise("reason"),
        status=pl.when(ok).then(pl.lit("error")).otherwise("status"),
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


def _accuracy(ranked, splits, view, data, classifiers, workers, log, label) -> pl.DataFrame:
    of_split: dict[int, dict[str, Ranked]] = {}
    for (method, split), selection in ranked.items():
        if split != REFIT:
            of_split.setdefault(split, {})[method] = selection
    tasks = [
        (split, partial(_curves, selections, splits[split], view, data.y, classifiers))
        for split, selections in of_split.items()
    ]
    curves = {}
    with Progress(f"{label} evaluate", len(tasks), log) as progress:
        for split, outcome in run_limited(tasks, workers=workers, log_fd=progress.log_fd):
            if outcome.status != "ok":
                raise EvaluationError(f"{label}: evaluation of split {split}: {outcome.reason}")
            curves[split] = outcome.value
            progress.step()
    rows = [
        {
            "dataset": data.name,
            "method": method,
            "split": split,
            "k": k,
            "classifier": classifier,
            "accuracy": accuracy,
            "balanced_accuracy": balanced,
        }
        for split in of_split
        for method, classifier, k, accuracy, balanced in curves[split]
    ]
    return frame_of(rows, "accuracy")


def _curves(
    selections: dict[str, Ranked],
    split: Split,
    view: Prepared,
    y: np.ndarray,
    classifiers: list[str],
) -> list[tuple[str, str, int, float, float]]:
    """In the child: accuracy and balanced accuracy of every selection made on one split."""
    X_train, X_test = view.rows(split.split, split.train), view.rows(split.split, split.test)
    truth = y[split.test]
    tuned = {name: tuned_settings(name, X_train, y[split.train]) for name in classifiers}
    found = []
    for (method, selection), classifier in product(selections.items(), classifiers):
        sizes = selection.sizes
        columns = selection.top(sizes[-1])
        settings = tuned[classifier] | {
            name: selection.facts[name]
            for name in CLASSIFIERS[classifier].chosen_by_selection
            if name in selection.facts
        }
        predicted = predict_curve(
            classifier, X_train[:, columns], y[split.train], X_test[:, columns], sizes, settings
        )
        right = predicted == truth
        per_class = [right[:, truth == c].mean(axis=1) for c in np.unique(truth)]
        balanced = np.mean(per_class, axis=0)
        found += [
            (method, classifier, k, float(a), float(b))
            for k, a, b in zip(sizes, right.mean(axis=1), balanced, strict=True)
        ]
    return found


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
    module = import_module(MEASURES[name].of_rankings)
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
    if name == "nogueira":
        return nogueira(subsets, d)
    return MEASURES[name].value(subsets, d), None, None


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
