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
#: Bootstraps of one run of the whole protocol; the study runs it again and again (replicates).
BOOTSTRAPS = 10
#: The paper's own classifier; the part `svm` of the study has others.
CLASSIFIER = "knn3"
SVM_PART = "svm"

_BINS = 10
_PATH_BOOTSTRAPS = 50
_PLACE = ["dataset", "ratio", "method", "k"]


def by_bootstrap(frame: pl.DataFrame) -> pl.DataFrame:
    """Results by bootstrap (``repeat``), ``replicate`` and ``ratio`` instead of by split."""
    n = len(RATIOS)
    repeat = pl.col("split") // n
    return frame.with_columns(
        repeat=repeat,
        replicate=repeat // BOOTSTRAPS,
        ratio=(pl.col("split") % n).replace_strict(
            dict(enumerate(RATIOS)), return_dtype=pl.Float64
        ),
    )


def accuracies(results: Results) -> pl.DataFrame:
    """Accuracy of 3-NN by bootstrap and ratio."""
    here = results.accuracy.filter(
        pl.col("classifier") == CLASSIFIER, pl.col("part") != SVM_PART, pl.col("split") >= 0
    )
    return by_bootstrap(here)


@lru_cache(maxsize=1)
def similarities(results: Results) -> pl.DataFrame:
    """``stability`` of the ranking of every sub-sample for each k (equation 13), by split.

    The similarity to the ranking of the whole bootstrap. Symmetrical uncertainties are those of the
    whole table in ten bins, and 1 for a constant column with itself, where the formula has 0/0;
    ``without_constants`` has 0 for it.
    """
    n = len(RATIOS)
    ranked = results.selections.filter(pl.col("part") != SVM_PART, pl.col("split") >= 0)
    found = []
    for dataset in ranked["dataset"].unique().sort():
        codes = equal_width(results.table(dataset).X, _BINS)
        matched, constant = SUMatching(codes), np.ptp(codes, axis=0) == 0
        here = ranked.filter(dataset=dataset).sort("method", "split", "rank")
        orders = {
            (method, split): np.array(order)
            for method, split, order in here.group_by("method", "split", maintain_order=True)
            .agg("feature")
            .iter_rows()
        }
        for (method, split), order in orders.items():
            whole = orders.get((method, split - split % n + n - 1))
            if split % n == n - 1 or whole is None:
                continue
            k = np.arange(1, len(order) + 1)
            value = matched(whole, order)
            # Two constants match each other and nothing else, so their part can be told apart.
            paired = np.minimum(constant[whole].cumsum(), constant[order].cumsum())
            found.append(
                pl.DataFrame(
                    {"k": k, "stability": value, "without_constants": value - paired / k}
                ).with_columns(dataset=pl.lit(dataset), method=pl.lit(method), split=pl.lit(split))
            )
    columns = {"dataset": pl.String, "method": pl.String, "split": pl.Int32, "k": pl.Int32}
    columns |= {"stability": pl.Float64, "without_constants": pl.Float64}
    if not found:
        return pl.DataFrame(schema=columns)
    return pl.concat(found).select(pl.col(name).cast(kind) for name, kind in columns.items())


@lru_cache(maxsize=1)
def replicate_curves(results: Results) -> pl.DataFrame:
    """Stability and accuracy for each number of features, means over a replicate's bootstraps.

    A replicate of fewer bootstraps than the paper's counts only if there is no whole one.
    """
    stability = by_bootstrap(similarities(results))
    both = stability.join(
        accuracies(results).select("dataset", "method", "split", "k", "accuracy"),
        on=["dataset", "method", "split", "k"],
    )
    curves = both.group_by(*_PLACE, "replicate").agg(
        pl.col("stability", "without_constants", "accuracy").mean(),
        whole=pl.col("repeat").n_unique() == BOOTSTRAPS,
    )
    usable = pl.col("whole") | ~pl.col("whole").any().over("dataset")
    return curves.filter(usable).drop("whole").sort(*_PLACE, "replicate")


@lru_cache(maxsize=1)
def mean_curves(results: Results) -> pl.DataFrame:
    """Stability and accuracy for each number of features, means over all replicates."""
    return (
        replicate_curves(results)
        .group_by(_PLACE)
        .agg(pl.col("stability", "accuracy").mean())
        .sort(_PLACE)
    )


def dense_ranks(curves: pl.DataFrame, value: pl.Expr) -> pl.DataFrame:
    """By data set, ratio, α and replicate the mean over k of the rank among the five α.

    "We give them the same rank": equal values share a rank, and the next value has the next rank
    (dense ranks). The rank sums of the printed tables bear that out: from dense ranks they are off
    by 0.07 on average, from ranks that leave gaps by 0.20.
    """
    # Rounded, so that means of the same numbers tie whatever the order of their sum.
    rank = value.round(12).rank("dense", descending=True)
    return (
        curves.filter(pl.col("method").is_in(list(ALPHAS)))
        .with_columns(rank=rank.over("dataset", "ratio", "k", "replicate"))
        .group_by("dataset", "ratio", "method", "replicate")
        .agg(pl.col("rank").mean())
    )


def alpha_ranks(results: Results, quantity: str) -> pl.DataFrame:
    """Mean rank of each α by one quantity, with its deviation over replicates of the protocol."""
    return over_replicates(dense_ranks(replicate_curves(results), pl.col(quantity)))


def over_replicates(ranks: pl.DataFrame) -> pl.DataFrame:
    """Mean and deviation of ranks over replicates; no deviation of a single one."""
    return (
        ranks.group_by("dataset", "ratio", "method")
        .agg(mean=pl.col("rank").mean(), deviation=pl.col("rank").std(), replicates=pl.len())
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
    mid, miq = (mean_curves(results).filter(method=method) for method in ("mid", "miq"))
    place = ["dataset", "ratio", "k"]
    return mid.join(miq, on=place, suffix="_miq").select(
        *place, lead=(pl.col("stability") - pl.col("stability_miq")).round(12)
    )


def stability_by_bootstrap(
    results: Results, dataset: str, methods: list[str], at: float
) -> dict[str, np.ndarray]:
    """By method, the stability of each bootstrap, averaged over k."""
    here = by_bootstrap(similarities(results)).filter(dataset=dataset, ratio=at)
    means = here.group_by("method", "repeat").agg(pl.col("stability").mean()).sort("repeat")
    return {m: means.filter(method=m)["stability"].to_numpy() for m in methods}


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
    relevance, redundancy = np.empty((2, _PATH_BOOTSTRAPS, d))
    for b in range(_PATH_BOOTSTRAPS):
        rows = random.integers(0, n, n)
        table = DiscreteTable(ordered[rows])
        relevance[b] = table.relevance(data.y[rows], data.y.max() + 1)
        redundancy[b] = np.tril(pairwise_information(table), -1).sum(axis=1) / before
    criterion = ratio(relevance, redundancy) if scheme == "MIQ" else relevance - redundancy
    criterion[:, 0] = np.nan
    return Path(relevance, redundancy, criterion)
