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
from fslib.papers.stability.paper import PAPER
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
_PLACE = ["part", "dataset", "ratio", "method", "k"]


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
    for part, dataset in ranked.select("part", "dataset").unique().sort(pl.all()).iter_rows():
        codes = equal_width(results.table(dataset).X, _BINS)
        matched, constant = SUMatching(codes), np.ptp(codes, axis=0) == 0
        here = ranked.filter(part=part, dataset=dataset).sort("method", "split", "rank")
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
            at = {"part": part, "dataset": dataset, "method": method, "split": split}
            values = {"k": k, "stability": value, "without_constants": value - paired / k}
            found.append(pl.DataFrame(values).with_columns(**{n: pl.lit(v) for n, v in at.items()}))
    columns = dict.fromkeys(("part", "dataset", "method"), pl.String)
    columns |= {"split": pl.Int32, "k": pl.Int32}
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
        accuracies(results).select("part", "dataset", "method", "split", "k", "accuracy"),
        on=["part", "dataset", "method", "split", "k"],
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


@PAPER.exhibit
def dense_ranks(results: Results) -> pl.DataFrame:
    """By data set, ratio, α and replicate the mean over k of the rank among the five α.

    By stability, by accuracy, by stability ``without_constants``, and by what tables 4 and 8 seem
    to hold: ``mixed`` is the accuracy of α = 0 among the stabilities of the others.

    "We give them the same rank": equal values share a rank, and the next value has the next rank
    (dense ranks). The rank sums of the printed tables bear that out: from dense ranks they are off
    by 0.07 on average, from ranks that leave gaps by 0.20.
    """
    names = [*QUANTITIES, "without_constants", "mixed"]
    mixed = pl.when(pl.col("method") == "alpha_0").then("accuracy").otherwise("stability")
    # Rounded, so that means of the same numbers tie whatever the order of their sum.
    rank = pl.col(names).round(12).rank("dense", descending=True)
    return (
        replicate_curves(results)
        .filter(pl.col("method").is_in(list(ALPHAS)))
        .with_columns(mixed=mixed)
        .with_columns(rank.over("dataset", "ratio", "k", "replicate"))
        .group_by("part", "dataset", "method", "ratio", "replicate", maintain_order=True)
        .agg(pl.col(names).mean())
    )


def alpha_ranks(results: Results, quantity: str) -> pl.DataFrame:
    """Mean rank of each α by one quantity, with its deviation over replicates of the protocol.

    A single replicate has no deviation.
    """
    rank = pl.col(quantity)
    return (
        dense_ranks(results)
        .group_by("dataset", "ratio", "method")
        .agg(mean=rank.mean(), deviation=rank.std(), replicates=pl.len())
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


@PAPER.exhibit
def leads(results: Results) -> pl.DataFrame:
    """How much more stable MID is than MIQ, for each data set, ratio below 1 and k."""
    mid, miq = (mean_curves(results).filter(method=method) for method in ("mid", "miq"))
    place = ["part", "dataset", "ratio", "k"]
    return mid.join(miq, on=place, suffix="_miq").select(
        *place, lead=(pl.col("stability") - pl.col("stability_miq")).round(12)
    )


@PAPER.exhibit
def stabilities(results: Results) -> pl.DataFrame:
    """The stability of each α on each bootstrap at r = 0.25, averaged over k."""
    here = by_bootstrap(similarities(results)).filter(
        pl.col("method").is_in(list(ALPHAS)), pl.col("ratio") == 0.25
    )
    return _over_k(here, "stability", "part", "dataset", "method", "repeat")


@PAPER.exhibit
def mean_accuracies(results: Results) -> pl.DataFrame:
    """The accuracy with MID and MIQ on each bootstrap and ratio below 1, averaged over k."""
    schemes = pl.col("method").is_in(["mid", "miq"])
    here = accuracies(results).filter(schemes, pl.col("ratio") < 1)
    return _over_k(here, "accuracy", "part", "dataset", "method", "ratio", "repeat")


def _over_k(frame: pl.DataFrame, quantity: str, *place: str) -> pl.DataFrame:
    return frame.group_by(place).agg(pl.col(quantity).mean()).sort(place)


@PAPER.exhibit
def svm_less_neighbours(results: Results) -> pl.DataFrame:
    """How much more accurate SVMs are than 3-NN on each bootstrap at r = 0.25, averaged over k.

    Over the sizes that the part `svm` evaluates.
    """
    neighbours = accuracies(results).filter(pl.col("ratio") == 0.25)
    gap = pl.col("accuracy") - pl.col("accuracy_neighbours")
    return _over_k(
        results.accuracy.filter(pl.col("part") == SVM_PART)
        .rename({"split": "repeat"})
        .join(neighbours, on=["dataset", "method", "k", "repeat"], suffix="_neighbours")
        .with_columns(gap=gap),
        "gap",
        *("part", "dataset", "method", "classifier", "repeat"),
    )


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
