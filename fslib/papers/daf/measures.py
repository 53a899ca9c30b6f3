"""What the claims and figures of the DAF paper are measured by."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import polars as pl

from fslib.reproduce.comparisons import Comparison, Value
from fslib.reproduce.results import Results

DATASETS = ("reuters21578", "gisette", "madelon", "spambase")
VARIANTS = ("daf0", "daf1", "daf2")
MEASURES = (
    "relative_weighted_consistency",
    "average_tanimoto",
    "average_normalised_hamming",
)
#: Evaluations of the criterion in each of the paper's trials (table II).
PROBES = {"reuters21578": 148_000, "gisette": 46_400, "madelon": 25_000, "spambase": 160_000}
TRIALS = 20
#: Numbers of features up to which rankings are compared: beyond, rankings become alike, since each
#: ends with all features.
LARGEST = {"reuters21578": 250, "gisette": 250, "madelon": 100, "spambase": 57}

_SFFS = r"^sffs_(\d+)$"


#: Parts of the study that are on a data set; of several budgets the paper's comes first.
PARTS = {name: (name,) for name in DATASETS} | {
    "reuters21578": ("reuters", "reuters_day", "reuters_least")
}


def on(dataset: str, rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of a data set's part; of several budgets those of the largest that was run.

    >>> rows = pl.DataFrame({"part": ["reuters_day", "madelon"]})
    >>> on("reuters21578", rows).rows(), on("gisette", rows).rows()
    ([('reuters_day',)], [])
    """
    by_budget = [rows.filter(pl.col("part") == part) for part in PARTS[dataset]]
    return next((found for found in by_budget if len(found)), by_budget[0])


def selecting_classifier(dataset: str) -> str:
    return "svm_linear" if dataset == "reuters21578" else "knn3"


def other_classifier(dataset: str) -> str:
    return "knn1" if dataset == "reuters21578" else "svm_rbf_tuned"


def one_sffs(frame: pl.DataFrame) -> pl.DataFrame:
    """The best sets of each size, which are methods ``sffs_<k>`` of their own, as one method.

    >>> frame = pl.DataFrame({"method": ["sffs_2", "sffs_2", "bif"], "k": [1, 2, 1]})
    >>> one_sffs(frame).rows()
    [('sffs', 2), ('bif', 1)]
    """
    size = pl.col("method").str.extract(_SFFS).cast(pl.Int32)
    return frame.filter(size.is_null() | (size == pl.col("k"))).with_columns(
        pl.col("method").str.replace(_SFFS, "sffs")
    )


def accuracy(results: Results, dataset: str, classifier: str) -> pl.DataFrame:
    """Test accuracy in percent, by method, split and size, of the part that is on the data set."""
    rows = on(dataset, results.accuracy).filter(
        pl.col("classifier") == classifier,
        (pl.col("k") <= LARGEST[dataset]) | (pl.col("method") == "all_features"),
    )
    return one_sffs(rows).select("method", "split", "k", pl.col("accuracy") * 100)


def stability(results: Results, dataset: str, measure: str) -> pl.DataFrame:
    rows = on(dataset, results.stability).filter(
        pl.col("measure") == measure,
        pl.col("k") <= LARGEST[dataset],
    )
    return one_sffs(rows).select("method", "k", "value")


def lead(frame: pl.DataFrame, method: str, other: str) -> Value | None:
    """By how much one method is ahead of another: the difference on each split, over the sizes."""
    return difference(
        frame.filter(pl.col("method") == method), frame.filter(pl.col("method") == other)
    )


def difference(ours: pl.DataFrame, theirs: pl.DataFrame) -> Value | None:
    both = ours.join(theirs, on=["split", "k"], suffix="_other").group_by(
        "split", maintain_order=True
    )
    leads = both.agg((pl.col("accuracy") - pl.col("accuracy_other")).mean())["accuracy"]
    return Value.of(leads) if len(leads) else None


def ahead(place: str, what: str, by: Value | None) -> Comparison:
    """A mean lead of more than two standard errors."""
    if by is None or np.isnan(by.error):
        return Comparison(place, None, what)
    return Comparison(place, by.mean > 2 * by.error, f"{what} {by.mean:+.1f} ± {2 * by.error:.1f}")


def not_behind(place: str, what: str, by: Value | None) -> Comparison:
    """A mean that is lower by two standard errors at most."""
    if by is None or np.isnan(by.error):
        return Comparison(place, None, what)
    return Comparison(
        place, by.mean >= -2 * by.error, f"{what} {by.mean:+.1f} ± {2 * by.error:.1f}"
    )


def mean_over_sizes(frame: pl.DataFrame, method: str, other: str) -> tuple[float, float] | None:
    """Two methods' mean stability over the sizes that both have."""
    both = frame.filter(pl.col("method") == method).join(
        frame.filter(pl.col("method") == other), on="k", suffix="_other"
    )
    both = both.drop_nulls()
    return (both["value"].mean(), both["value_other"].mean()) if len(both) else None


def stability_against(
    results: Results, dataset: str, methods, other: str, holds: Callable, most: int | None = None
) -> Iterator[Comparison]:
    """Mean stability over the sizes against another method's, by ``holds(ours, the other's)``."""
    for measure in MEASURES:
        rows = stability(results, dataset, measure)
        if rows.is_empty():
            yield Comparison(dataset, None, measure)
            continue
        if most is not None:
            rows = rows.filter(pl.col("k") <= most)
        for method in methods:
            place = f"{dataset} {method}"
            means = mean_over_sizes(rows, method, other)
            if means is None:
                yield Comparison(place, None, measure)
            else:
                text = f"{place} {measure} {means[0]:.2f}, {other} {means[1]:.2f}"
                yield Comparison(place, holds(*means), text)


class Sweep:
    """Accuracy of one variant of DAF on a data set over the values of a setting, lowest first.

    Methods are called ``<variant>_<value>`` or ``<variant>_tau_<value>``.
    """

    def __init__(
        self, results: Results, part: str, variant: str, dataset="madelon", classifier="knn3"
    ):
        self.rows = results.accuracy.filter(
            pl.col("part") == part,
            pl.col("classifier") == classifier,
            pl.col("k") <= LARGEST[dataset],
        ).select("method", "split", "k", pl.col("accuracy") * 100)
        found = {
            int(match[1]): name
            for name in self.rows["method"].unique().to_list()
            if (match := re.fullmatch(rf"{variant}_(?:tau_)?(\d+)", name))
        }
        self.methods = dict(sorted(found.items()))

    @property
    def values(self) -> list[int]:
        return list(self.methods)

    @property
    def best(self) -> int:
        """The value of highest accuracy over all sizes; the lowest on ties."""
        means = {v: self.curve(v)["accuracy"].mean() for v in self.values}
        return max(means, key=lambda value: round(means[value], 9))

    def curve(self, value: int) -> pl.DataFrame:
        return self.rows.filter(pl.col("method") == self.methods[value])

    def lead(self, value: int, other: int) -> Value | None:
        if value not in self.methods or other not in self.methods:
            return None
        return difference(self.curve(value), self.curve(other))


def probes_run(results: Results, datasets: Iterable[str]) -> str:
    """Where DAF had fewer probes or trials than in the paper, how many; nothing where as many."""
    facts = results.facts.filter(
        pl.col("fact") == "n_evaluations", pl.col("method").is_in(VARIANTS)
    )
    said = []
    for dataset in [name for name in PROBES if name in set(datasets)]:
        here = on(dataset, facts)
        trials = here["split"].n_unique()
        few = len(here) and (here["value"].max() < PROBES[dataset] or trials < TRIALS)
        if few:
            said.append(
                f"{dataset} {here['value'].max():,.0f} of {PROBES[dataset]:,} in {trials} of "
                f"{TRIALS} trials"
            )
    return f"Probes: {', '.join(said)}" if said else ""


def sweeps(results: Results, part: str) -> dict[str, Sweep]:
    """The sweeps by variant of DAF, of variants with results for at least two values."""
    all_of_them = {variant: Sweep(results, part, variant) for variant in ("daf0", "daf1")}
    return {variant: sweep for variant, sweep in all_of_them.items() if len(sweep.values) > 1}
