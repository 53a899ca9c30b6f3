"""How much selections agree: measures of several subsets of the same features.

A subset is a sequence of column indices. Where a measure is undefined (a single subset; for the
measures corrected for chance also subsets that are all empty or all full) its value is NaN.
``STABILITY`` has every definition, its bounds and its edge cases in one table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import NamedTuple

import numpy as np

Subsets = Sequence[Sequence[int]]


class Interval(NamedTuple):
    """A value with its confidence interval."""

    value: float
    lower: float
    upper: float


def indicator(subsets: Subsets, n_features: int) -> np.ndarray:
    """Table of subsets × features: 1 where the subset has the feature, else 0."""
    rows = np.zeros((len(subsets), n_features))
    for row, subset in zip(rows, subsets, strict=True):
        columns = np.asarray(subset, dtype=np.intp)
        if columns.size and not 0 <= columns.min() <= columns.max() < n_features:
            raise ValueError(f"subset {columns.tolist()} is not within 0..{n_features - 1}")
        row[columns] = 1.0
    return rows


def _mean_over_pairs(similarity: np.ndarray) -> float:
    pairs = np.triu_indices(len(similarity), k=1)
    return float(similarity[pairs].mean())


def relative_weighted_consistency(subsets: Subsets, n_features: int) -> float:
    r"""Somol's weighted consistency, scaled between its least and greatest possible value.

    :math:`CW = \sum_f \frac{F_f}{N} \frac{F_f - 1}{n - 1}` over the :math:`n` subsets, with
    :math:`F_f` the number of subsets holding :math:`f` and :math:`N = \sum_f F_f`.

    References
    ----------
    Somol & Novovicova (2010), IEEE TPAMI 32, 1921-1939.

    Examples
    --------
    >>> relative_weighted_consistency([[0, 1], [0, 1], [0, 2]], 4)
    0.5
    """
    n, d = len(subsets), n_features
    counts = indicator(subsets, d).sum(axis=0).astype(int).tolist()
    N = sum(counts)
    if n < 2 or N == 0:
        return float("nan")
    # Whole numbers over the common denominator d N (n - 1): with fractions, rounding could carry
    # the result out of its bounds.
    D, H = N % d, N % n
    consistency = d * sum(F * (F - 1) for F in counts)
    least = N * N - d * (N - D) - D * D
    greatest = d * (H * H + N * (n - 1) - H * n)
    if least == greatest:
        return consistency / (d * N * (n - 1))
    return (consistency - least) / (greatest - least)


def average_tanimoto(subsets: Subsets) -> float:
    r"""Mean over all pairs of :math:`|A \cap B| / |A \cup B|`; two empty sets are equal: 1.

    References
    ----------
    Kalousis, Prados & Hilario (2007), Knowledge and Information Systems 12, 95-116.

    Examples
    --------
    >>> average_tanimoto([[0, 1], [0, 2]])
    0.3333333333333333
    """
    if len(subsets) < 2:
        return float("nan")
    rows = indicator(subsets, 1 + max(max(s, default=0) for s in subsets))
    common, sizes = rows @ rows.T, rows.sum(axis=1)
    union = sizes[:, None] + sizes - common
    return _mean_over_pairs(np.divide(common, union, out=np.ones_like(union), where=union > 0))


def average_normalised_hamming(subsets: Subsets, n_features: int) -> float:
    r"""Mean over all pairs of :math:`1 - |A \triangle B| / d`.

    References
    ----------
    Dunne, Cunningham & Azuaje (2002), Trinity College Dublin, TCD-CS-2002-28.

    Examples
    --------
    >>> average_normalised_hamming([[0, 1], [0, 2]], 4)
    0.5
    """
    if len(subsets) < 2:
        return float("nan")
    rows = indicator(subsets, n_features)
    sizes = rows.sum(axis=1)
    differing = sizes[:, None] + sizes - 2 * rows @ rows.T
    return _mean_over_pairs(1 - differing / n_features)


def nogueira(subsets: Subsets, n_features: int, confidence: float = 0.95) -> Interval:
    r"""Nogueira's stability with its asymptotic confidence interval.

    .. math:: 1 - \frac{\frac1d \sum_f s_f^2}{\frac{\bar k}{d} (1 - \frac{\bar k}{d})}

    with :math:`s_f^2` the unbiased sample variance of the selection of :math:`f` and
    :math:`\bar k` the mean size. The interval is not cut at the bounds of the measure.

    References
    ----------
    Nogueira, Sechidis & Brown (2018), JMLR 18(174), equation 4 and theorem 7.

    Examples
    --------
    >>> round(nogueira([[0, 1], [0, 1], [0, 2]], 4).value, 4)
    0.3333
    """
    from scipy.stats import norm

    n, d = len(subsets), n_features
    rows = indicator(subsets, d)
    sizes = rows.sum(axis=1)
    mean_size = sizes.mean() if n else 0.0
    spread = mean_size / d * (1 - mean_size / d)
    if n < 2 or spread == 0:
        return Interval(float("nan"), float("nan"), float("nan"))
    frequency = rows.mean(axis=0)
    variance = n / (n - 1) * frequency * (1 - frequency)
    value = 1 - variance.mean() / spread
    influence = (
        rows @ frequency / d
        - sizes * mean_size / d**2
        + value / 2 * (2 * sizes * mean_size / d**2 - sizes / d - mean_size / d + 1)
    ) / spread
    deviation = np.sqrt(4 / n**2 * ((influence - influence.mean()) ** 2).sum())
    reach = norm.ppf(0.5 + confidence / 2) * deviation
    return Interval(float(value), float(value - reach), float(value + reach))


def kuncheva(subsets: Subsets, n_features: int) -> float:
    r"""Mean over all pairs of :math:`(r d - k^2) / (k (d - k))`, :math:`r = |A \cap B|`.

    Defined for subsets of one size :math:`k` with :math:`0 < k < d`; NaN otherwise.

    References
    ----------
    Kuncheva (2007), Proc. AIAP, 390-395.

    Examples
    --------
    >>> kuncheva([[0, 1], [0, 2]], 4)
    0.0
    """
    rows = indicator(subsets, n_features)
    sizes = rows.sum(axis=1)
    if len(subsets) < 2 or (sizes != sizes[0]).any() or sizes[0] in (0, n_features):
        return float("nan")
    k = sizes[0]
    return _mean_over_pairs((rows @ rows.T * n_features - k * k) / (k * (n_features - k)))


def su_matching(order_a: Sequence[int], order_b: Sequence[int], X: np.ndarray) -> np.ndarray:
    """Similarity of two feature sequences for every prefix length: `fslib.evaluate.matching`."""
    # An import statement would put the matching module into the fingerprint of every evaluation,
    # also of those that do not ask for this measure.
    return import_module(STABILITY["su_matching"].of_rankings).su_matching(order_a, order_b, X)


@dataclass(frozen=True)
class StabilityMeasure:
    """One row of the table of measures."""

    value: Callable[[Subsets, int], float] | None
    """The measure of subsets of ``n_features`` features, as one number."""
    definition: str
    bounds: tuple[float, float]
    corrected_for_chance: bool
    single_subset: float
    all_empty: float
    all_full: float
    note: str = ""
    interval: Callable[[Subsets, int], Interval] | None = None
    """The same value with its confidence interval, of a measure that has one."""
    of_rankings: str | None = None
    """The module of a measure that compares rankings instead of subsets."""


_NAN = float("nan")

STABILITY: dict[str, StabilityMeasure] = {
    "relative_weighted_consistency": StabilityMeasure(
        relative_weighted_consistency,
        "(CW - min CW) / (max CW - min CW), CW = sum_f F_f (F_f - 1) / (N (n - 1))",
        bounds=(0.0, 1.0),
        corrected_for_chance=False,
        single_subset=_NAN,
        all_empty=_NAN,
        all_full=1.0,
        note="CW itself where its least and greatest value are equal",
    ),
    "average_tanimoto": StabilityMeasure(
        lambda subsets, n_features: average_tanimoto(subsets),
        "mean over pairs of |A and B| / |A or B|",
        bounds=(0.0, 1.0),
        corrected_for_chance=False,
        single_subset=_NAN,
        all_empty=1.0,
        all_full=1.0,
        note="two empty subsets are equal",
    ),
    "average_normalised_hamming": StabilityMeasure(
        average_normalised_hamming,
        "mean over pairs of 1 - |A xor B| / d",
        bounds=(0.0, 1.0),
        corrected_for_chance=False,
        single_subset=_NAN,
        all_empty=1.0,
        all_full=1.0,
        note="high by itself when subsets are small",
    ),
    "nogueira": StabilityMeasure(
        lambda subsets, n_features: nogueira(subsets, n_features).value,
        "1 - mean_f s_f^2 / (k/d (1 - k/d)), k the mean size",
        bounds=(-1.0, 1.0),
        corrected_for_chance=True,
        single_subset=_NAN,
        all_empty=_NAN,
        all_full=_NAN,
        note="0 expected by chance; at least -1/(n - 1); has a confidence interval",
        interval=nogueira,
    ),
    "kuncheva": StabilityMeasure(
        kuncheva,
        "mean over pairs of (|A and B| d - k^2) / (k (d - k))",
        bounds=(-1.0, 1.0),
        corrected_for_chance=True,
        single_subset=_NAN,
        all_empty=_NAN,
        all_full=_NAN,
        note="NaN for subsets of unequal size",
    ),
    "su_matching": StabilityMeasure(
        None,
        "mean symmetrical uncertainty of the features of two rankings, matched one to one",
        bounds=(0.0, 1.0),
        corrected_for_chance=False,
        single_subset=_NAN,
        all_empty=_NAN,
        all_full=1.0,
        note="of each smaller sample's ranking with that of its whole bootstrap",
        of_rankings="fslib.evaluate.matching",
    ),
}


def leading(names: Iterable[str]) -> str | None:
    """Of some measures the one that compares sets of any sizes best: it decides between equals.

    Only measures that are corrected for chance do; one with an interval before others.

    >>> leading(["average_tanimoto", "kuncheva", "nogueira"]), leading(["average_tanimoto"])
    ('nogueira', None)
    """
    able = [name for name in sorted(names) if STABILITY[name].corrected_for_chance]
    return min(able, key=lambda name: STABILITY[name].interval is None, default=None)
