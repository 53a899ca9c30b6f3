"""What was selected on the synthetic sets of the AMFES paper (3.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import polars as pl

from fslib.data.dataset import Dataset
from fslib.evaluate.classifier import predict_curve
from fslib.evaluate.essential import recovery
from fslib.methods.select_by_validation import by_credit, credits_of
from fslib.papers.amfes.paper import GROUPS, PAPER
from fslib.papers.amfes.v_curves import WIDEST
from fslib.prepare.steps import apply, fit
from fslib.reproduce.comparisons import Value
from fslib.reproduce.results import Results

METHODS = ("amfes", "svm_rfe", "correlation")
ESSENTIAL = 15
#: The two procedures: one set from many pairs, and one from each pair alone.
SIGNS = {"omega": "Ω", "omega_pi": "Ω·Π"}
#: Parts with training-validation pairs, and whether a set from each pair alone is looked at, too.
PARTS = {
    "synthetic": True,
    **{f"synthetic_wide_{n}": True for n in (500, 1000, 1500)},
    "synthetic_redrawn": False,
}
#: Π: pairs of one selection by the Ω procedure.
PI = 20
#: Columns of `chosen`.
CHOSEN = {
    "part": pl.String,
    "dataset": pl.String,
    "set": pl.String,
    "procedure": pl.String,
    "method": pl.String,
    "split": pl.Int64,
    "features": pl.List(pl.Int64),
    "test_accuracy": pl.Float64,
    "n_selected": pl.Int64,
    "n_essential": pl.Int64,
    "f1": pl.Float64,
    "n_essential_on_top": pl.Int64,
}
REDRAWN = " redrawn"
SETS = {dataset: name for sets in GROUPS.values() for dataset, name in sets.items()}


def set_of(dataset: str) -> str | None:
    """The paper's name of a set, where it is one of its synthetic sets.

    >>> set_of("synthetic_group2_500"), set_of("synthetic_group1_1000_redrawn07"), set_of("wine")
    ('II-1', 'I-2 redrawn', None)
    """
    base, copies = re.subn(r"_redrawn\d+$", "", dataset)
    return SETS[base] + REDRAWN * copies if base in SETS else None


@PAPER.exhibit
def chosen(results: Results) -> pl.DataFrame:
    """Every selected set: one per draw of Π pairs (Ω), and one per pair alone (Ω·Π).

    All come from one ranking and one v-curve per pair. A classifier of all training rows judges a
    set of many pairs, one of the pair's learning rows a set of one pair, as in the paper.
    """
    found = []
    here = pl.col("part").is_in(list(PARTS)) & pl.col("method").is_in(METHODS)
    ranked = results.selections.filter(here).sort("split", "rank")
    measured = results.accuracy.filter(here & (pl.col("k") <= WIDEST)).sort("split", "k")
    curves = measured.partition_by("part", "dataset", "method", as_dict=True)
    by_dataset = sorted(ranked.partition_by("part", "dataset", as_dict=True).items())
    for (part, dataset), rankings in by_dataset:
        table = results.table(dataset)
        test = OnTestRows(table)
        learning = results.training_rows(part, dataset) if PARTS[part] else {}
        for method in METHODS:
            own = rankings.filter(method=method).group_by("split", maintain_order=True)
            orders = own.agg("feature")
            if orders.is_empty():
                continue
            values = curves[part, dataset, method].group_by("split", maintain_order=True)
            pairs = orders.join(values.agg("accuracy"), on="split").sort("split")
            for procedure, draw, order, size in _selected(pairs, part):
                hits = recovery(order, table.essential, size)
                rows = learning[draw] if procedure == "omega_pi" else None
                found.append(
                    {
                        "part": part,
                        "dataset": dataset,
                        "set": set_of(dataset),
                        "procedure": procedure,
                        "method": method,
                        "split": draw,
                        "features": order[:size].tolist(),
                        "test_accuracy": 100 * test.accuracy(order[:size], rows),
                        "n_selected": size,
                        "n_essential": round(ESSENTIAL * hits["recall"]),
                        "f1": 100 * hits["f1"],
                        "n_essential_on_top": hits["phi"],
                    }
                )
    return pl.DataFrame(found, schema=CHOSEN)


def _selected(pairs: pl.DataFrame, part: str) -> Iterator[tuple[str, int, np.ndarray, int]]:
    """Procedure, number, order and size of every set that some pairs select.

    A draw of fewer than Π pairs counts only if there is no whole one.
    """
    orders, curves = (np.array(pairs[name].to_list()) for name in ("feature", "accuracy"))
    ranks = np.argsort(orders, axis=1) + 1
    draws = pairs["split"].to_numpy() // PI
    whole = [draw for draw in np.unique(draws) if (draws == draw).sum() == PI]
    for draw in whole or np.unique(draws):
        own = draws == draw
        credit, size, peaks = credits_of(ranks[own], curves[own])
        yield "omega", int(draw), by_credit(credit, ranks[own]), size
        if PARTS[part]:
            for split, order, peak in zip(
                pairs["split"].to_numpy()[own], orders[own], peaks, strict=True
            ):
                yield "omega_pi", int(split), order, int(peak)


class OnTestRows:
    """Accuracy on the test rows of a data set, of linear SVMs trained on some of the others.

    Columns are scaled to [0, 1] over the rows trained on: the test set is "independent".
    """

    def __init__(self, table: Dataset):
        self._table = table
        self._train, self._test = (np.flatnonzero(table.fold == f) for f in ("train", "test"))
        self._known: dict[tuple, float] = {}

    def accuracy(self, columns, rows: np.ndarray | None = None) -> float:
        """Of an SVM with some columns, trained on ``rows`` or else on all training rows."""
        own = sorted(int(column) for column in columns)
        rows = self._train if rows is None else rows
        key = *own, rows.tobytes()
        if key not in self._known:
            X, y = self._table.X[:, own], self._table.y
            scaling = fit(["minmax"], X[rows])
            train, test = (apply(scaling, X[part]) for part in (rows, self._test))
            predicted = predict_curve("svm_linear", train, y[rows], test, [len(own)], {})
            self._known[key] = float((predicted[0] == y[self._test]).mean())
        return self._known[key]


@lru_cache(maxsize=2)
def baselines(results: Results) -> dict[str, float]:
    """Test accuracy of all features in percent, of every set that was run as the tables imply."""
    as_tables = [part for part, by_pair in PARTS.items() if by_pair]
    run = chosen(results).filter(pl.col("part").is_in(as_tables))["dataset"].unique().sort()
    found = {}
    for dataset in run:
        table = results.table(dataset)
        found[dataset] = 100 * OnTestRows(table).accuracy(range(table.X.shape[1]))
    return found


@PAPER.exhibit
def on_top(results: Results) -> pl.DataFrame:
    """φ of every ranking of a whole training set."""
    ranked = results.recovery.filter(pl.col("part") == "synthetic_rankings")
    return ranked.select("part", "dataset", "method", "split", "phi").unique().sort(pl.all())


def samples(results: Results) -> dict[tuple[str, str, str], pl.DataFrame]:
    """By set, procedure and method: one row per selection with the quantities of tables 9 to 13."""
    return chosen(results).partition_by("set", "procedure", "method", as_dict=True)


def value(results: Results, place: str, method: str, quantity: str, procedure="omega"):
    """A quantity's mean over the repeats, None where it was not run."""
    found = samples(results).get((place, procedure, method))
    return None if found is None else _mean(found, pl.col(quantity))


def _mean(found: pl.DataFrame, quantity: pl.Expr) -> Value:
    """A quantity's mean over selections, with the name of what was drawn for each.

    Methods share the pairs of a data set, and redrawn sets of all sizes and both groups one model.
    """
    copy = pl.col("dataset").str.extract(r"_redrawn(\d+)$")
    named = found.select(
        quantity.alias("value"),
        name=pl.coalesce(copy, "dataset") + pl.format(" {}", "split"),
    )
    return Value.of(named["value"].to_numpy(), named["name"].to_list())


def gap(results: Results, place: str, method: str) -> Value | None:
    """Essential features on top beyond those selected, φ − ε."""
    found = samples(results).get((place, "omega", method))
    if found is None:
        return None
    return _mean(found, pl.col("n_essential_on_top") - pl.col("n_essential"))


def groups(results: Results) -> dict[str, list[str]]:
    """The sets of each group by size; redrawn sets are groups of their own, if any was run."""
    drawn = {group: list(names.values()) for group, names in GROUPS.items()}
    redrawn = {g + REDRAWN: [s + REDRAWN for s in names] for g, names in drawn.items()}
    present = {place for place, _, _ in samples(results)}
    return drawn | {g: names for g, names in redrawn.items() if present & set(names)}


def sets(results: Results) -> list[str]:
    return [place for places in groups(results).values() for place in places]


def side_by_side(results: Results) -> Iterator[tuple[str, str]]:
    """Sets of one size, with 200 features and with 2000."""
    found = groups(results)
    for form in ("", REDRAWN):
        yield from zip(found.get("I" + form, []), found.get("II" + form, []), strict=False)


def procedures(place: str) -> tuple[str, ...]:
    """The procedures that the study runs on a set: on redrawn sets Ω alone."""
    return ("omega",) if place.endswith(REDRAWN) else tuple(SIGNS)


def selected_sets(results: Results) -> dict[tuple[str, str, str], dict[tuple[str, int], set[int]]]:
    """By set, procedure and method: the columns selected on each data set and split."""
    found: dict = {}
    columns = ("set", "procedure", "method", "dataset", "split", "features")
    for *key, dataset, split, features in chosen(results).select(columns).iter_rows():
        found.setdefault(tuple(key), {})[dataset, split] = set(features)
    return found


def differing(results: Results, dataset: str) -> tuple[set[int], set[int]]:
    """Essential columns whose class means differ, and those whose means are equal.

    Means are ±1: cut at ±3 they stay more than 0.5 apart, and equal ones far closer.
    """
    table = results.table(dataset)
    one, two = (table.X[table.y == c][:, table.essential].mean(axis=0) for c in (0, 1))
    apart = np.abs(one - two) > 0.5
    return set(table.essential[apart].tolist()), set(table.essential[~apart].tolist())
