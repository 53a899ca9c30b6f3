"""Advice for each data set: which features to keep, what to expect of them, what does as well."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from fslib.compare.candidates import Candidates
from fslib.compare.schemas import SCHEMAS
from fslib.compare.setting import Setting
from fslib.compare.statistics import corrected_interval, corrected_standard_error
from fslib.evaluate.measures import MEASURES
from fslib.run.artefacts import EVERY
from fslib.run.numbers import count
from fslib.run.roles import ALL_FEATURES, RANDOM


def advise(
    candidates: Mapping[str, Candidates], per_split: pl.DataFrame, datasets: list[str]
) -> dict[str, pl.DataFrame]:
    """The tables `recommendation`, `by_classifier` and `equivalent_sets`.

    Per data set the smallest set within one standard error of the best mean, by the measure that
    the data set is judged by, over splits and classifiers; the standard error is the best set's,
    corrected for overlapping splits. Among sets of that size the more stable one is taken
    (Nogueira), then the better one. Only methods that finished every split and the refit, if the
    study has one, are recommended, unless no method did.

    ``value`` is the mean over the splits that chose the set: the best of many, and so too good.
    ``expected`` is the mean over splits of what the recommendation of the other splits has there,
    with a 95 % interval.

    Parameters
    ----------
    candidates : the sets of each data set that could be used.
    per_split : values of every split for the question of the set, from `answers.per_split`.
    """
    rows, by_classifier, equivalent = [], [], []
    for dataset in datasets:
        found = candidates.get(dataset)
        overall = None if found is None else found.values.get(EVERY)
        at = None if overall is None else found.chosen(overall)
        if at is None:
            rows.append({"dataset": dataset, "note": "no method finished on this data set"})
            continue
        own = per_split.filter(pl.col("dataset") == dataset)
        choice = _choice(found, at)
        singles = [_of_classifier(found, at, own, c) for c in sorted(found.values) if c != EVERY]
        alike = _equivalent(found, at)
        choice |= _yardsticks(found.setting, own) | {"n_equivalent": len(alike) - 1}
        choice["verdict"] = _verdict(choice, singles)
        rows.append({"dataset": dataset, **choice})
        by_classifier += [{"dataset": dataset, **row} for row in singles]
        equivalent += [{"dataset": dataset, **row} for row in alike]
    tables = {"recommendation": rows, "by_classifier": by_classifier, "equivalent_sets": equivalent}
    return {
        name: pl.DataFrame(found, schema=SCHEMAS[name]).fill_nan(None)
        for name, found in tables.items()
    }


def _set(found: Candidates, at: int, values: np.ndarray) -> dict:
    """A set with its mean and standard error."""
    column = values[np.isfinite(values[:, at]), at]
    row = found.table.row(at, named=True)
    return {
        "method": row["method"],
        "k": row["size"],
        "value": MEASURES[found.setting.judge_by].sign * float(column.mean()),
        "standard_error": corrected_standard_error(column, found.setting.share),
        "stability": row["stability"],
    }


def _choice(found: Candidates, at: int) -> dict:
    values = found.values[EVERY]
    near, best = found.near_best(values)
    choice = _set(found, at, values) | {"judge_by": found.setting.judge_by}
    choice |= {
        f"best_{k}": v
        for k, v in _set(found, best, values).items()
        if k in ("method", "k", "value")
    }
    sign = MEASURES[found.setting.judge_by].sign
    honest = found.honest()
    mean, low, high = corrected_interval(sign * honest[np.isfinite(honest)], found.setting.share)
    # The interval is a t interval: it may reach beyond what the measure can be.
    low, high = (low, min(high, 1.0)) if sign > 0 else (max(low, 0.0), high)
    choice |= {"expected": mean, "expected_low": low, "expected_high": high}
    # The sets within one standard error come first, then all sets by value: the runner-up is the
    # first set of another method.
    means = np.round(np.nan_to_num(np.nanmean(values, axis=0), nan=-np.inf), 12)
    rivals = [*np.flatnonzero(near), *np.argsort(-means, kind="stable")]
    for rival in rivals:
        other = _set(found, rival, values)
        if other["method"] != choice["method"]:
            names = ("k", "value", "stability")
            choice |= {"runner_up": other["method"]} | {f"runner_up_{n}": other[n] for n in names}
            break
    whole = found.table["whole"][at]
    choice["note"] = "" if whole else "no method finished every split and the refit"
    return choice


def _equivalent(found: Candidates, at: int) -> list[dict]:
    """Of each method the smallest set within one standard error of the best, the chosen one first.

    These sets are equivalent within the error.
    """
    values = found.values[EVERY]
    near, _ = found.near_best(values)
    chosen = found.table["method"][at]
    smallest = {}
    for i in np.flatnonzero(near):
        smallest.setdefault(found.table["method"][int(i)], int(i))
    smallest[chosen] = at
    rows = [_set(found, i, values) | {"recommended": i == at} for i in smallest.values()]
    return sorted(rows, key=lambda row: not row["recommended"])


def _of_classifier(found: Candidates, at: int, own: pl.DataFrame, classifier: str) -> dict:
    """The recommended set with one classifier, beside all features and that one's own best set."""
    measure, share = MEASURES[found.setting.judge_by], found.setting.share
    values = found.values[classifier]
    row = _set(found, at, values) if np.isfinite(values[:, at]).any() else {}
    honest = found.honest(classifier)
    honest = honest[np.isfinite(honest)]
    result = {
        "classifier": classifier,
        "judge_by": measure.name,
        "value": row.get("value"),
        "standard_error": row.get("standard_error"),
        "expected": measure.sign * float(honest.mean()) if len(honest) else None,
        "loses": False,
    }
    best = found.chosen(values)
    if best is not None:
        ours = _set(found, best, values)
        result |= {"best_method": ours["method"], "best_k": ours["k"], "best_value": ours["value"]}
    everything = own.filter(
        (pl.col("method") == ALL_FEATURES) & (pl.col("classifier") == classifier)
    )
    known = dict(everything.select("split", measure.name).drop_nulls().rows())
    pairs = [
        (measure.sign * value, known[split])
        for split, value in zip(found.setting.numbers, values[:, at], strict=True)
        if split in known and np.isfinite(value)
    ]
    if pairs:
        kept, whole = np.array(pairs).T
        error = corrected_standard_error(kept - whole, share)
        difference = float((kept - whole).mean())
        result |= {
            "all_features_value": float(whole.mean()),
            "difference": difference,
            "difference_error": error,
            "loses": bool(measure.sign * difference < -np.nan_to_num(error) - 1e-12),
        }
    return result


def _yardsticks(setting: Setting, own: pl.DataFrame) -> dict:
    """What all features, random rankings and always naming the most frequent class reach."""
    own = own.filter(pl.col("classifier") == EVERY)
    name = setting.judge_by
    return {
        "all_features_value": own.filter(pl.col("method") == ALL_FEATURES)[name].mean(),
        "random_value": own.filter(pl.col("method") == RANDOM)[name].mean(),
        "majority_value": setting.majority(MEASURES[name]),
    }


def _verdict(choice: dict, singles: list[dict]) -> str:
    """The recommendation in words: what is equivalent, who loses, whether anything was learned."""
    sentences = []
    sign = MEASURES[choice["judge_by"]].sign
    low = choice["expected_low"] if sign > 0 else choice["expected_high"]
    majority = choice["majority_value"]
    beats = low is not None and majority is not None and sign * (low - majority) > 0
    if not beats:
        sentences.append(
            "no better than always naming the most frequent class, within the error: the features "
            "may tell nothing"
        )
    if choice["n_equivalent"]:
        sentences.append(
            f"{count(choice['n_equivalent'], 'other method')} "
            f"{'has a set' if choice['n_equivalent'] == 1 else 'have sets'} that "
            f"{'is' if choice['n_equivalent'] == 1 else 'are'} equivalent within the error"
        )
    for row in singles:
        if row["loses"]:
            sentences.append(
                f"{row['classifier']} loses against all features: {row['value']:.3f} instead of "
                f"{row['all_features_value']:.3f}"
            )
    return "; ".join(sentences)
