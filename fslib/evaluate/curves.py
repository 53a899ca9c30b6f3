"""What v-curves show: where they peak, and after how many the peak stays."""

from __future__ import annotations

import numpy as np


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
    """Γ: after how many curves the peak of their mean stays where it is.

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
    """Means of the same accuracies, summed in another order, must tie."""
    return np.round(mean, 12)
