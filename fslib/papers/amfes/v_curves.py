"""What was measured on the AMFES paper's benchmark sets: v-curves, their peaks, costs (3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import polars as pl

from fslib.papers.amfes.paper import PAIRS, PAPER
from fslib.reproduce.comparisons import Value
from fslib.reproduce.results import Results

#: The paper's curves end here; all published peaks lie below.
WIDEST = 200
#: The part that tries other settings of AMFES on the same pairs.
SETTINGS = "settings"
ALL_FEATURES = "all_features"


@dataclass(frozen=True)
class Curves:
    """The v-curves of a method on a data set: accuracy in percent, pairs × sizes."""

    sizes: np.ndarray
    splits: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, accuracy: pl.DataFrame) -> Curves:
        accuracy = accuracy.filter(pl.col("k") <= WIDEST).sort("split", "k")
        sizes, splits = (np.unique(accuracy[name].to_numpy()) for name in ("k", "split"))
        return cls(
            sizes, splits, 100 * accuracy["accuracy"].to_numpy().reshape(len(splits), len(sizes))
        )

    @cached_property
    def peak(self) -> dict[str, float]:
        return peak(self.values, self.sizes)

    @property
    def at_peak(self) -> np.ndarray:
        """The accuracy of each pair where the mean is highest."""
        return self.values[:, self.sizes == self.peak["location"]][:, 0]

    def beside(self, other: Curves) -> tuple[Curves, Curves]:
        """The two methods' curves on the pairs that both methods have."""
        return self._on(other.splits), other._on(self.splits)

    def _on(self, splits: np.ndarray) -> Curves:
        shared = np.isin(self.splits, splits)
        return Curves(self.sizes, self.splits[shared], self.values[shared])


@PAPER.exhibit
def accuracies(results: Results) -> pl.DataFrame:
    """Accuracy of every pair of a benchmark set, by size, and with all features."""
    sizes = (pl.col("k") <= WIDEST) | (pl.col("method") == ALL_FEATURES)
    here = results.accuracy.filter(pl.col("dataset").is_in(list(PAIRS)), sizes)
    return here.select("part", "dataset", "method", "split", "k", "accuracy")


@lru_cache(maxsize=2)
def curves(results: Results) -> dict[tuple[str, str], Curves]:
    """The v-curves by data set and method, without the part that tries other settings."""
    return _curves_of(accuracies(results).filter(pl.col("part") != SETTINGS))


def curves_with_settings(results: Results) -> dict[tuple[str, str], Curves]:
    """The v-curves of the part that tries other settings."""
    return _curves_of(accuracies(results).filter(pl.col("part") == SETTINGS))


def _curves_of(accuracy: pl.DataFrame) -> dict[tuple[str, str], Curves]:
    ranked = accuracy.filter(pl.col("method") != ALL_FEATURES)
    return {
        key: Curves.of(frame)
        for key, frame in ranked.partition_by("dataset", "method", as_dict=True).items()
    }


@lru_cache(maxsize=2)
def baselines(results: Results) -> dict[str, float]:
    """Mean accuracy of all features in percent."""
    return {dataset: sample.mean() for dataset, sample in baseline_samples(results).items()}


@lru_cache(maxsize=2)
def baseline_samples(results: Results) -> dict[str, np.ndarray]:
    """Accuracy of all features in percent, pair by pair."""
    every = accuracies(results).filter(pl.col("method") == ALL_FEATURES).sort("split")
    return {
        dataset: 100 * frame["accuracy"].to_numpy()
        for (dataset,), frame in every.partition_by("dataset", as_dict=True).items()
    }


@PAPER.exhibit
def costs(results: Results) -> pl.DataFrame:
    """Mean models and seconds of a ranking of a benchmark set, and how many features it had."""
    runs = results.runs.filter(pl.col("dataset").is_in(list(PAIRS)))
    return runs.group_by("part", "dataset", "method", maintain_order=True).agg(
        fits=pl.col("n_fits").mean(), seconds=pl.col("cpu_seconds").mean(),
        features=pl.col("n_selected").max(),
    )  # fmt: skip


@lru_cache(maxsize=2)
def ranking_costs(results: Results) -> dict[tuple[str, str], dict]:
    """The costs by data set and method, without the part that tries other settings."""
    found = costs(results).filter(pl.col("part") != SETTINGS)
    return {(row["dataset"], row["method"]): row for row in found.rows(named=True)}


def gamma(found: Curves) -> int | None:
    return stable_pairs(found.values / 100)


def gamma_is_known(found: Curves, dataset: str) -> bool:
    """Whether the pairs that were run decide on Γ.

    Fewer pairs than the paper's can show that Γ is reached, but not that Γ is not reached.
    """
    return gamma(found) is not None or len(found.splits) >= PAIRS[dataset]


def lead(results: Results, dataset: str, method: str, other: str) -> Value | None:
    """How much higher one method peaks than another, over the pairs of both."""
    return lead_of(curves(results), (dataset, method), (dataset, other))


def lead_of(found: dict, one: tuple[str, str], two: tuple[str, str]) -> Value | None:
    if one not in found or two not in found:
        return None
    a, b = found[one].beside(found[two])
    return Value.of(a.at_peak - b.at_peak) if len(a.splits) else None


def peak(values, sizes) -> dict[str, float]:
    """Where the mean of v-curves is highest, how high, and how much the curves differ there.

    ``values`` has one curve per row. The location is the smallest size on ties; the deviation is
    that of the population, as in the paper; the baseline is the value at the largest size.

    References
    ----------
    Chang & Chen (2009), TR-IIS-09-010, section 3.2.

    Examples
    --------
    >>> peak([[0.5, 0.9, 0.7], [0.7, 0.9, 0.9]], sizes=[1, 2, 3])
    {'location': 2, 'value': 0.9, 'deviation': 0.0, 'baseline': 0.8}
    """
    values, sizes = np.asarray(values, dtype=float), np.asarray(sizes)
    mean = values.mean(axis=0)
    best = np.lexsort((sizes, -_rounded(mean)))[0]
    return {
        "location": int(sizes[best]),
        "value": float(mean[best]),
        "deviation": float(values[:, best].std()),
        "baseline": float(mean[sizes.argmax()]),
    }


def stable_pairs(values, tolerance: float = 0.001) -> int | None:
    """Γ: the number of curves from which on the peak value of their mean no longer changes.

    The smallest T such that the peak values of the mean over the first M and the first N curves
    differ by less than ``tolerance`` for all M, N in T .. T + 4; None with too few curves to tell.

    References
    ----------
    Chang & Chen (2009), TR-IIS-09-010, section 3.2.

    Examples
    --------
    >>> stable_pairs([[0.9], [0.7], [0.8], [0.8], [0.8], [0.8], [0.8]])
    2
    """
    values = np.asarray(values, dtype=float)
    means = np.cumsum(values, axis=0) / np.arange(1, len(values) + 1)[:, None]
    peaks = means.max(axis=1)
    for start in range(len(peaks) - 4):
        if np.ptp(peaks[start : start + 5]) < tolerance:
            return start + 1
    return None


def _rounded(mean: np.ndarray) -> np.ndarray:
    """The mean rounded, so that the same accuracies tie in whatever order they were summed."""
    return np.round(mean, 12)
