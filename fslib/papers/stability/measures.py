"""What Gulgezen, Cataltepe & Yu (2009) compute of rankings, from the results of our study."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl

from fslib.evaluate.matching import SUMatching
from fslib.kernels.information import DiscreteTable
from fslib.kernels.pairs import pairwise_information
from fslib.kernels.variance import ratio
from fslib.methods.mrmr import MRMR
from fslib.prepare import equal_width
from fslib.reproduce.results import Results

#: Shares of a bootstrap in the order of `studies/stability.yaml`: a split is a repeat and a share.
RATIOS = (0.1, 0.25, 0.5, 0.75, 1.0)
#: The ratios of sub-samples that leave out a part of the bootstrap.
SHRUNK = RATIOS[:-1]
ALPHAS = {"alpha_0": 0.0, "alpha_025": 0.25, "alpha_05": 0.5, "alpha_075": 0.75, "alpha_1": 1.0}
QUANTITIES = ("stability", "accuracy")

_BINS = 10
_BOOTSTRAPS = 50


def accuracies(results: Results) -> pl.DataFrame:
    """Accuracy by bootstrap (``repeat``) and ``ratio`` instead of by split."""
    n = len(RATIOS)
    return results.accuracy.with_columns(
        repeat=pl.col("split") // n,
        ratio=(pl.col("split") % n).replace_strict(
            dict(enumerate(RATIOS)), return_dtype=pl.Float64
        ),
    )


@lru_cache(maxsize=1)
def mean_curves(results: Results) -> pl.DataFrame:
    """Stability and accuracy for each number of features, means over the bootstraps."""
    place = ["dataset", "ratio", "method", "k"]
    stability = results.stability.filter(pl.col("measure") == "su_matching")
    accuracy = accuracies(results).group_by(place).agg(pl.col("accuracy").mean())
    return (
        stability.select(*place, stability="value")
        .join(accuracy, on=place, how="inner")
        .sort(place)
    )


def alpha_ranks(results: Results, quantity: str) -> pl.DataFrame:
    """Mean and deviation over k of the ranks of the five α; equal values share the best rank."""
    # Rounded, so that means of the same numbers tie whatever the order of their sum.
    rank = pl.col(quantity).round(12).rank("min", descending=True)
    return (
        mean_curves(results)
        .filter(pl.col("method").is_in(list(ALPHAS)))
        .with_columns(rank=rank.over("dataset", "ratio", "k"))
        .group_by("dataset", "ratio", "method")
        .agg(mean=pl.col("rank").mean(), deviation=pl.col("rank").std(), sizes=pl.len())
        .sort("dataset", "ratio", "method")
    )


def best_alphas(results: Results, quantity: str, at: float) -> dict[str, float]:
    """For each data set the α of the lowest mean rank at one ratio."""
    lowest = (
        alpha_ranks(results, quantity)
        .filter(pl.col("ratio") == at)
        .sort("dataset", "mean", "method")
        .unique("dataset", keep="first", maintain_order=True)
    )
    return {
        dataset: ALPHAS[method] for dataset, method in lowest.select("dataset", "method").rows()
    }


def leads(results: Results) -> pl.DataFrame:
    """How much more stable MID is than MIQ, for each data set, ratio below 1 and k."""
    curves = mean_curves(results).filter(pl.col("ratio") < 1)
    mid, miq = (curves.filter(method=method) for method in ("mid", "miq"))
    place = ["dataset", "ratio", "k"]
    return mid.join(miq, on=place, suffix="_miq").select(
        *place, lead=(pl.col("stability") - pl.col("stability_miq")).round(12)
    )


def stability_by_bootstrap(
    results: Results, dataset: str, methods: list[str], at: float
) -> dict[str, np.ndarray]:
    """By method, the stability of each bootstrap, averaged over k.

    Computed anew from the rankings, as the evaluate stage keeps only the mean over the bootstraps.
    """
    similarity = SUMatching(equal_width(results.table(dataset).X, _BINS))
    n = len(RATIOS)
    found = {}
    for method in methods:
        orders = dict(
            results.selections.filter(dataset=dataset, method=method)
            .sort("split", "rank")
            .group_by("split", maintain_order=True)
            .agg("feature")
            .iter_rows()
        )
        found[method] = np.array(
            [
                similarity(orders[split - split % n + n - 1], order).mean()
                for split, order in orders.items()
                if RATIOS[split % n] == at
            ]
        )
    return found


@dataclass(frozen=True)
class Path:
    """Values at each step of a feature sequence, one row per bootstrap."""

    relevance: np.ndarray
    redundancy: np.ndarray
    """With the features before it; NaN for the first."""
    criterion: np.ndarray
    """V − W or V / W, NaN for the first feature."""

    @property
    def steps(self) -> np.ndarray:
        return np.arange(1, self.relevance.shape[1] + 1)


@lru_cache(maxsize=2)
def bootstrapped_path(results: Results, dataset: str, scheme: str) -> Path:
    """V and W of table 1 along the sequence that a scheme finds on the whole table (section 4.2).

    The k-th feature's relevance and its mean redundancy with the k - 1 before it, computed again
    on 50 bootstraps; not the means (2) and (3) over the whole set, since the paper shows "the
    values in each feature selection step".
    """
    data = results.table(dataset)
    X = equal_width(data.X, _BINS)
    ordered = X[:, MRMR(scheme=scheme).fit(X, data.y).order_]
    random = np.random.default_rng(0)
    n, d = X.shape
    before = np.arange(d, dtype=float)
    before[0] = np.nan
    relevance, redundancy = np.empty((2, _BOOTSTRAPS, d))
    for b in range(_BOOTSTRAPS):
        rows = random.integers(0, n, n)
        table = DiscreteTable(ordered[rows])
        relevance[b] = table.relevance(data.y[rows], data.y.max() + 1)
        redundancy[b] = np.tril(pairwise_information(table), -1).sum(axis=1) / before
    criterion = ratio(relevance, redundancy) if scheme == "MIQ" else relevance - redundancy
    criterion[:, 0] = np.nan
    return Path(relevance, redundancy, criterion)
