"""From a name to a checked data set."""

from __future__ import annotations

import importlib
import json

import numpy as np

from fslib.data.dataset import Dataset, unique_names
from fslib.data.errors import DataError
from fslib.data.raw import Raw
from fslib.data.registry import Entry, entry


def load(name: str, *, mirror=None, offline=None, cache=None) -> Dataset:
    """The data set called ``name``, fetched if needed and checked against the registry.

    >>> d = load("lucas_generated")
    >>> d.X.shape, d.class_names, d.essential.tolist()
    ((2000, 11), ['0', '1'], [3, 4, 7, 8, 10])
    """
    e = entry(name)
    if e.kind == "unavailable":
        raise DataError(f"{name} cannot be had: {e.notes}")
    provenance = []
    raw = read_function(e)({}, **e.options)
    return finish(e, raw, provenance)


def read_function(e: Entry):
    """The function that reads or generates a data set."""
    module, _, function = e.reader.partition(":")
    return getattr(importlib.import_module(f"fslib.data.{module}"), function)


def finish(e: Entry, raw: Raw, provenance: list[dict]) -> Dataset:
    """Code the labels and check shape, classes, folds and missing values."""
    codes = {label: code for code, label in enumerate(e.classes)}
    unknown = sorted(set(raw.labels.tolist()) - set(codes))
    if unknown:
        raise DataError(f"{e.name}: unexpected class {unknown[0]!r}, expected {list(codes)}.")
    dataset = Dataset(
        name=e.name,
        X=raw.X,
        y=[codes[label] for label in raw.labels.tolist()],
        feature_names=unique_names(raw.feature_names),
        class_names=list(codes),
        fold=raw.fold,
        group=raw.group,
        essential=raw.essential,
        metadata={
            "title": e.title,
            "citation": e.citation,
            "licence": e.licence,
            "provenance": json.dumps(provenance),
            "notes": e.notes,
            "differences": e.differences,
        },
    )
    _compare(e, "shape", (e.n_rows, e.n_features), dataset.X.shape)
    counts = np.bincount(dataset.y, minlength=len(codes)).tolist()
    _compare(e, "rows per class", e.classes, dict(zip(codes, counts, strict=True)))
    _compare(e, "missing values", e.missing, int(np.isnan(dataset.X).sum()))
    _compare(e, "rows per fold", e.fold, _tally(dataset.fold))
    groups = None if dataset.group is None else len(np.unique(dataset.group))
    _compare(e, "groups", e.groups, groups)
    return dataset


def _tally(words: np.ndarray | None) -> dict[str, int] | None:
    if words is None:
        return None
    return {str(w): int(c) for w, c in zip(*np.unique(words, return_counts=True), strict=True)}


def _compare(e: Entry, what: str, expected, found) -> None:
    if expected != found:
        raise DataError(f"{e.name}: {what} should be {expected}, found {found}.")
