"""Preparation as a list of named steps, each fitted per column by two numbers.

Two numbers per column are all any step needs, so what a step learned is a small table
(`split, step, feature, low, high`) that can be stored, looked up and applied to any rows.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from fslib.kernels import elementwise
from fslib.prepare.discretise import bin_codes, sigma_codes
from fslib.run.errors import FslibError
from fslib.run.spelling import nearest

Pair = tuple[np.ndarray, np.ndarray]

#: Sums of squares of numbers up to this size stay far from overflow.
LARGEST = 1e100


class PreparationError(FslibError):
    """A preparation is unknown, or cannot handle the data it was given."""


@dataclass(frozen=True)
class Step:
    """How a step is learned from training rows (NaN = missing) and applied to any rows."""

    description: str
    fit: Callable[[np.ndarray], Pair]
    apply: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    discretises: bool = False
    """Makes codes of numbers, and so has none for a missing value."""
    line: Callable[[np.ndarray, np.ndarray], Pair] | None = None
    """Of a step that maps each column by a line: what is subtracted, then what divides."""


def _ignoring_empty(statistic, X: np.ndarray) -> np.ndarray:
    """A NaN-ignoring statistic per column; 0 for columns without any value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.nan_to_num(statistic(X, axis=0), nan=0.0)


def _range(X: np.ndarray) -> Pair:
    return _ignoring_empty(np.nanmin, X), _ignoring_empty(np.nanmax, X)


def _moments(X: np.ndarray) -> Pair:
    """Mean and deviation of each column; exactly the value and 0 for a constant column.

    Rounding of the mean would give a constant column a tiny deviation.
    """
    low, high = _range(X)
    mean, deviation = _ignoring_empty(np.nanmean, X), _ignoring_empty(np.nanstd, X)
    return np.where(low < high, mean, low), np.where(low < high, deviation, 0.0)


def _median(X: np.ndarray) -> Pair:
    """Median of each column, and 1 where the column has any value; a column without becomes 0."""
    return _ignoring_empty(np.nanmedian, X), (~np.isnan(X)).any(axis=0).astype(float)


def _by_range(low: np.ndarray, high: np.ndarray) -> Pair:
    return low, np.where(high > low, high - low, 1.0)


def _by_deviation(mean: np.ndarray, deviation: np.ndarray) -> Pair:
    return mean, np.where(deviation > 0, deviation, 1.0)


def _scaled(X: np.ndarray, shift: np.ndarray, scale: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        scaled = X - shift
        scaled /= scale
    # Test values far outside a narrow training range would overflow to infinity.
    return np.clip(scaled, -LARGEST, LARGEST, out=scaled)


def _scaling(description: str, fit: Callable, line: Callable) -> Step:
    return Step(description, fit, lambda X, *pair: _scaled(X, *line(*pair)), line=line)


def _nothing(X: np.ndarray) -> Pair:
    return np.zeros(X.shape[1]), np.zeros(X.shape[1])


#: Every step by the name that studies use; ``bins<b>`` stands for any number of bins.
STEPS: dict[str, Step] = {
    "none": Step("values as they are", _nothing, lambda X, low, high: X),
    "median": Step(
        "missing values become the column's median",
        _median,
        lambda X, fill, known: np.where(known > 0, np.where(np.isnan(X), fill, X), 0.0),
    ),
    "minmax": _scaling("each column to [0, 1]", _range, _by_range),
    "hard": Step(
        "each value times √1000: to a linear SVM with C = 1 as C = 1000 to the values before",
        _nothing,
        lambda X, low, high: X * math.sqrt(1000.0),
    ),
    "standard": _scaling("each column to mean 0 and deviation 1", _moments, _by_deviation),
    "binary": Step(
        "1 above the column's mean, else 0",
        _moments,
        lambda X, mean, _: (X > mean).astype(float),
        discretises=True,
    ),
    "sigma3": Step(
        "three states at mean ± half a deviation",
        _moments,
        lambda X, mean, sd: sigma_codes(X, mean, sd).astype(float),
        discretises=True,
    ),
    "bins<b>": Step(
        "b bins of equal width, b < 10,000",
        _range,
        lambda X, low, high, b: bin_codes(X, low, high, b).astype(float),
        discretises=True,
    ),
}


def step(name: str) -> Step:
    """The step of that name; ``bins5`` is ``bins<b>`` with five bins."""
    bins = re.fullmatch(r"bins([1-9]\d{0,3})", name)
    if bins:
        family = STEPS["bins<b>"]
        return replace(family, apply=partial(family.apply, b=int(bins[1])))
    if name not in STEPS or name == "bins<b>":
        raise PreparationError(f"unknown preparation step {name!r}{nearest(name, STEPS)}")
    return STEPS[name]


def preparation_name(steps: Sequence[str]) -> str:
    """The name of a preparation: its steps joined.

    >>> preparation_name(["median", "bins5"])
    'median-bins5'
    """
    return "-".join(steps)


def fit(names: Sequence[str], X: np.ndarray) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Learn each step in turn on the output of those before it."""
    fitted = []
    for name in names:
        low, high = step(name).fit(X)
        fitted.append((name, low, high))
        X = step(name).apply(X, low, high)
    return fitted


def apply(fitted: Sequence[tuple[str, np.ndarray, np.ndarray]], X: np.ndarray) -> np.ndarray:
    """Apply fitted steps to rows."""
    names = [name for name, *_ in fitted[:2]]
    if X.size >= elementwise.MANY and names[:1] == ["median"] and step(names[-1]).line:
        X, fitted = _filled_and_scaled(X, *fitted[:2]), fitted[2:]
    for name, low, high in fitted:
        X = step(name).apply(X, low, high)
    return X


def _filled_and_scaled(X: np.ndarray, median: tuple, scaling: tuple) -> np.ndarray:
    """What the two steps give one after the other, in a single pass over a large table."""
    (_, fill, known), (name, *learned) = median, scaling
    shift, scale = step(name).line(*learned)
    scaled = elementwise.filled_and_scaled(X, fill, shift, scale)
    scaled[:, known == 0] = (-shift / scale)[known == 0]
    if max(scaled.max(), -scaled.min()) > LARGEST:
        np.clip(scaled, -LARGEST, LARGEST, out=scaled)
    return scaled
