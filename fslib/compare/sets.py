"""The set that each method gives on each split: its own, or a ranking's best few."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from fslib.compare.setting import Setting
from fslib.evaluate.measures import MEASURES
from fslib.evaluate.stability import nogueira

_SET = ["dataset", "method", "split", "k"]


def one_error_rule(
    values: np.ndarray, choosers: np.ndarray, share: float, usable: np.ndarray | None = None
) -> np.ndarray:
    r"""For each split the first size that other splits find within one standard error of the best.

    The mean of a size is over the splits that choose, and so is the standard error of the best
    size's mean, :math:`\sqrt{(1/n + n_{test}/n_{train})\, s^2}` (Nadeau & Bengio 2003). A size is
    considered where as many choosing splits know it as know any.

    Parameters
    ----------
    values : splits × sizes, greater is better, sizes ascending; NaN where not measured.
    choosers : splits × splits, whether the second chooses for the first.
    share : test rows divided by training rows.
    usable : splits × sizes that may be chosen; by default those measured on the split itself.

    Returns
    -------
    Positions of the chosen sizes; −1 where there is none.

    References
    ----------
    Breiman, Friedman, Olshen & Stone (1984), Classification and Regression Trees, section 3.4.3.

    Examples
    --------
    >>> other = ~np.eye(3, dtype=bool)
    >>> one_error_rule(np.array([[0.2, 0.9, 0.9], [0.8, 0.9, 0.9], [0.9, 0.5, 0.9]]), other, 0.5)
    array([2, 2, 1])
    """
    known = np.isfinite(values)
    usable = known if usable is None else usable
    if not known.any():
        return np.full(len(values), -1)
    centre = values[known].mean()
    deviations = np.where(known, values - centre, 0.0)
    weights = choosers.astype(float)
    n, total = weights @ known, weights @ deviations
    squares = weights @ deviations**2
    usable = usable & (n > 0) & (n == n.max(axis=1, keepdims=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        means = total / n
        variances = np.maximum(squares - total * means, 0.0) / (n - 1)
        errors = np.sqrt((1.0 / n + share) * variances)
    # Rounded: means that are equal but for the order of summing must tie.
    means = np.where(usable, np.round(means, 12), -np.inf)
    best = means.argmax(axis=1)[:, None]
    error = np.nan_to_num(np.take_along_axis(errors, best, axis=1), nan=0.0, posinf=0.0)
    near = usable & (means >= np.take_along_axis(means, best, axis=1) - np.round(error, 12))
    return np.where(near.any(axis=1), near.argmax(axis=1), -1)


def given_sets(
    overall: pl.DataFrame, labels: pl.DataFrame, settings: Mapping[str, Setting]
) -> pl.DataFrame:
    """Sizes of the sets that methods give: columns ``dataset``, ``method``, ``split``, ``k``.

    A subset method gives what it selected. The size of a ranking is the smallest within one
    standard error of the best, by the data set's measure, on other splits (see
    `Setting.choosers`).

    Parameters
    ----------
    overall : means over all classifiers, per data set, method, split and measured size.
    labels : the methods, with those that give sets marked.
    """
    chooses = set(labels.filter("subset")["method"])
    found = []
    for (dataset, method), part in overall.group_by("dataset", "method", maintain_order=True):
        if method in chooses:
            found.append(part.group_by(_SET[:-1], maintain_order=True).agg(pl.col("k").max()))
            continue
        setting = settings[dataset]
        measure = MEASURES[setting.judge_by]
        sizes = sorted(part["k"].unique())
        values = np.full((len(setting.numbers), len(sizes)), np.nan)
        place = {split: i for i, split in enumerate(setting.numbers)}
        rows = [place[s] for s in part["split"]]
        values[rows, np.searchsorted(sizes, part["k"])] = (
            measure.sign * part[measure.name].to_numpy()
        )
        at = one_error_rule(values, setting.choosers, setting.share)
        found.append(
            pl.DataFrame(
                {
                    "dataset": dataset,
                    "method": method,
                    "split": setting.numbers,
                    "k": [sizes[i] if i >= 0 else None for i in at],
                }
            ).drop_nulls()
        )
    schema = overall.select(_SET).schema
    return pl.concat([pl.DataFrame(schema=schema), *(sets.cast(schema) for sets in found)])


def stability_of_sets(
    sets: pl.DataFrame, selections: pl.DataFrame, settings: Mapping[str, Setting]
) -> pl.DataFrame:
    """Nogueira's stability of the given sets: columns ``dataset``, ``method``, ``stability``.

    Null where features were selected once for all splits, and where a set has all features.
    """
    whole = pl.DataFrame(
        [(d, n) for d, setting in settings.items() for n in setting.whole_splits],
        {"dataset": pl.String, "split": pl.Int32},
        orient="row",
    )
    members = (
        selections.join(whole, on=["dataset", "split"], how="semi")
        .join(sets, on=["dataset", "method", "split"])
        .filter(pl.col("rank") <= pl.col("k"))
        .group_by("dataset", "method", "split")
        .agg("feature")
        .sort("dataset", "method", "split")
    )
    rows = [
        (dataset, method, nogueira(part["feature"].to_list(), settings[dataset].n_features).value)
        for (dataset, method), part in members.group_by("dataset", "method", maintain_order=True)
    ]
    schema = {"dataset": pl.String, "method": pl.String, "stability": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row").fill_nan(None)
