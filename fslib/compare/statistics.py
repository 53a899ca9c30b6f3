"""Tests that say whether methods differ: over many data sets, and on a single one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats


@dataclass(frozen=True)
class Friedman:
    """Outcome of Friedman's test and of Iman and Davenport's sharper form of it."""

    chi2: float
    p_chi2: float
    f: float
    p_f: float


def friedman(ranks) -> Friedman:
    r"""Test whether ``k`` methods rank alike over ``N`` data sets, ties corrected.

    .. math:: \chi^2_F = (k-1) \frac{\sum_j (\sum_i r_{ij} - N(k+1)/2)^2}
                                    {\sum_{ij} (r_{ij} - (k+1)/2)^2}, \qquad
              F_F = \frac{(N-1) \chi^2_F}{N(k-1) - \chi^2_F}

    Parameters
    ----------
    ranks : N × k array, each row the ranks of the methods on one data set, ties averaged.

    References
    ----------
    Demšar (2006), JMLR 7:1–30, section 3.2.2.

    Examples
    --------
    >>> round(friedman([[1, 2, 3], [1, 2, 3], [2, 1, 3]]).chi2, 3)
    4.667
    """
    ranks = np.asarray(ranks, dtype=float)
    n, k = ranks.shape
    middle = (k + 1) / 2
    spread = ((ranks - middle) ** 2).sum()
    if spread == 0:
        return Friedman(0.0, 1.0, 0.0, 1.0)
    chi2 = (k - 1) * ((ranks.sum(axis=0) - n * middle) ** 2).sum() / spread
    rest = n * (k - 1) - chi2
    # All data sets agree on a full order: F grows without bound.
    f = (n - 1) * chi2 / rest if rest > 1e-9 else math.inf
    return Friedman(
        float(chi2),
        float(stats.chi2.sf(chi2, k - 1)),
        float(f),
        float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
    )


def critical_difference(n_methods: int, n_datasets: int, alpha: float = 0.05) -> float:
    r"""Nemenyi's smallest significant difference of mean ranks.

    :math:`CD = q_\alpha \sqrt{k(k+1)/(6N)}`, where :math:`q_\alpha` is the studentized range
    for infinite degrees of freedom divided by :math:`\sqrt 2`.

    References
    ----------
    Demšar (2006), JMLR 7:1–30, section 3.2.2 and table 5.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    q = stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / math.sqrt(2)
    return float(q * math.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def groups_within(mean_ranks, difference: float) -> list[tuple[int, int]]:
    """Largest runs of neighbours in sorted ``mean_ranks`` that span at most ``difference``.

    Each run is (first, last), both included; runs of one are left out.

    Examples
    --------
    >>> groups_within([1.0, 1.5, 2.4, 4.0], 1.0)
    [(0, 1), (1, 2)]
    """
    mean_ranks = np.asarray(mean_ranks, dtype=float)
    runs: list[tuple[int, int]] = []
    for first, rank in enumerate(mean_ranks):
        last = int(np.searchsorted(mean_ranks, rank + difference + 1e-12, side="right")) - 1
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def corrected_standard_error(values, share: float) -> float:
    r"""Standard error of a mean over overlapping splits.

    :math:`\sqrt{(1/n + n_{test}/n_{train})\, s^2}`: training sets overlap, so that
    :math:`s/\sqrt n` would promise too much. NaN for fewer than two values.

    References
    ----------
    Nadeau & Bengio (2003), Machine Learning 52:239–281.
    """
    values = np.asarray(values, dtype=float)
    if len(values) < 2:
        return math.nan
    return float(math.sqrt((1 / len(values) + share) * values.var(ddof=1)))


def corrected_t_test(differences, share: float) -> tuple[float, float]:
    """Nadeau and Bengio's corrected resampled t statistic and its two-sided p value.

    Parameters
    ----------
    differences : one difference of two methods per split.
    share : test rows divided by training rows.

    Examples
    --------
    >>> t, p = corrected_t_test([0.02, 0.01, 0.03, 0.02], share=1 / 3)
    >>> round(t, 3), round(p, 3)
    (3.207, 0.049)
    """
    differences = np.asarray(differences, dtype=float)
    if len(differences) < 2:
        return math.nan, math.nan
    mean = differences.mean()
    error = corrected_standard_error(differences, share)
    # Differences equal up to rounding have no spread to test against.
    if error <= 1e-12:
        return (0.0, 1.0) if abs(mean) <= 1e-12 else (math.copysign(math.inf, mean), 0.0)
    t = mean / error
    return float(t), float(2 * stats.t.sf(abs(t), len(differences) - 1))


def holm(p_values) -> np.ndarray:
    """Holm's step-down adjustment of p values; NaN stays NaN and does not count.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=float)
    adjusted = np.full_like(p, np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def corrected_interval(values, share: float, level: float = 0.95) -> tuple[float, float, float]:
    """Mean over overlapping splits and its t interval by the corrected standard error.

    The ends are NaN for fewer than two values.

    Examples
    --------
    >>> [round(x, 3) for x in corrected_interval([0.8, 0.9, 0.7, 0.8], share=1 / 3)]
    [0.8, 0.602, 0.998]
    """
    values = np.asarray(values, dtype=float)
    if not len(values):
        return math.nan, math.nan, math.nan
    mean = float(values.mean())
    error = corrected_standard_error(values, share)
    reach = error * stats.t.ppf(0.5 + level / 2, max(len(values) - 1, 1))
    return mean, float(mean - reach), float(mean + reach)
