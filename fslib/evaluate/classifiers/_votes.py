"""The class with the most votes or the greatest likelihood."""

from __future__ import annotations

import numpy as np


def most_likely(likelihoods) -> np.ndarray:
    """``argmax`` along the first axis, the classes: numpy's own is slow along a short axis."""
    best, greatest = np.zeros(likelihoods.shape[1:], dtype=np.intp), likelihoods[0].copy()
    for c, likelihood in enumerate(likelihoods[1:], start=1):
        # As in numpy, the first NaN comes before all numbers.
        np.copyto(best, c, where=~(likelihood <= greatest) & ~np.isnan(greatest))
        np.maximum(greatest, likelihood, out=greatest)
    return best
