"""The evaluate stage: everything that is measured of one method entry on one data set."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import polars as pl

from fslib.data.dataset import Dataset
from fslib.data.tables import read_table
from fslib.evaluate.curves import TAKEN_OVER, predict_curve, tuned_settings
from fslib.evaluate.essential import recovery
from fslib.evaluate.matching import SUMatching
from fslib.evaluate.stability import MEASURES, nogueira
from fslib.prepare.stage import Prepared, read_preparation
from fslib.run.artefacts import CONTRACTS, frame_of, read_all, write
from fslib.run.errors import FslibError
from fslib.run.layout import FILES
from fslib.run.pool import run_limited
from fslib.run.progress import Progress
from fslib.split.schemes import REFIT, Split
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
    unordered: list[str],
    classifiers: list[str],
    sizes: list[int] | str,
    stability: list[str],
    within_split: bool,
    selects_before_split: bool,
    workers: int,
    log: str | None,
) -> None:
    """Gather the batches of an entry, measure its selections and write one file per measure."""
    rows = read_all(batches, "batch")
    data = read_table(table)
    wanted = read_splits(splits)
    view = read_preparation(table, evaluation, within_split=within_split)
    good = rows.filter(pl.col("status") == "ok")
    grid = _grid(sizes, data.X.shape[1])
    ranked = {
        (method, split): Ranked.of(
            order, selected, [] if method in unordered else grid, zip(names, values, strict=True)
        )
        for method, split, order, selected, names, values in good.select(
            "method", "split", "feature", "selected", "fact", "value"
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
                _stability(ranked, wanted, data, [m for m in stability if m in MEASURES]),
                _matching(ranked, wanted, view, label)
                if "su_matching" in stability
                else frame_of([], "stability"),
            ]
        ),
        "recovery": _recovery(ranked, data),
        "facts": good.select("dataset", "method", "split", "fact", "value")
        .explode("fact", "value")
        .drop_nulls("fact"),
    }
    for name in FILES:
        write(measured[name], out[name], name)


def _grid(sizes: list[int] | str, d: int) -> list[int]:
    if sizes == "all":
        return list(range(1, d + 1))
    if sizes == "selected":
        return []
    return sorted({k for k in sizes if k <= d} or {d})


@dataclass(frozen=True)
class Ranked:
    """Columns of one selection, best first, and the prefix lengths at which it is measured.

    A ranking is measured along the grid, a subset up to its own size.
    """

    order: np.ndarray
    sizes: list[int]
    facts: dict[str, float]

    @classmethod
    def of(cls, order: list[int], selected: list[bool], grid: list[int], facts=()) -> Ranked:
        n_selected = sum(selected)
        sizes = sorted({k for k in grid if k < n_selected} | {n_selected})
        return cls(np.array(order, dtype=np.intp), sizes, dict(facts))

    def top(self, k: int) -> np.ndarray:
        return self.order[: min(k, self.sizes[-1])]


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
            for name in TAKEN_OVER.get(classifier, ())
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


def _stability(ranked, splits, data, names) -> pl.DataFrame:
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


def _matching(ranked, splits, view: Prepared, label: str) -> pl.DataFrame:
    """Similarity of what a smaller sample ranks to what its whole bootstrap does, by matching.

    Gulgezen, Cataltepe & Yu (2009), section 5.2: the mean over the bootstraps, for every size.
    """
    codes = view.table
    if (codes != np.round(codes)).any():
        raise EvaluationError(f"{label}: su_matching needs a discrete evaluation preparation.")
    similarity = SUMatching(codes.astype(np.int64))
    whole = {
        (method, splits[split].repeat): selection
        for (method, split), selection in ranked.items()
        if split != REFIT and splits[split].ratio == 1.0
    }
    found: dict[tuple[str, float, int], list[float]] = {}
    for (method, split), selection in ranked.items():
        reference = whole.get((method, splits[split].repeat))
        if split == REFIT or reference is None:
            continue
        values = similarity(reference.top(reference.sizes[-1]), selection.top(selection.sizes[-1]))
        for k in selection.sizes:
            if k <= len(values):
                found.setdefault((method, splits[split].ratio, k), []).append(values[k - 1])
    rows = [
        {
            "dataset": view.data.name,
            "method": method,
            "k": k,
            "ratio": ratio,
            "measure": "su_matching",
            "value": float(np.mean(values)),
            "low": None,
            "high": None,
        }
        for (method, ratio, k), values in found.items()
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
