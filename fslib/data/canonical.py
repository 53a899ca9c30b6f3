"""An own table in an order that is its own: whatever file it came from, it is the same data set.

Splits and seeds come from positions of rows and from a name. Of a table that anybody exported
anyhow, the file's name and the order of rows and columns are accidents, and no advice should depend
on them. So columns are put in the order of their names, rows in an order that their values decide,
and seeds derive from a hash of both.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np

from fslib.data.dataset import Dataset
from fslib.run.seeds import seed


def canonical(dataset: Dataset) -> Dataset:
    """The data set with rows and columns in the order that its content decides.

    Rows are sorted by their values and then shuffled by the hash of all of them, so that no method
    meets rows sorted by class. Metadata get the ``seed_name``, which is that hash.

    >>> a = Dataset("a", [[1, 2], [3, 4], [5, 6]], [0, 1, 0], ["x", "w"], ["no", "yes"])
    >>> b = Dataset("b", [[6, 5], [2, 1], [4, 3]], [0, 0, 1], ["w", "x"], ["no", "yes"])
    >>> first, second = canonical(a), canonical(b)
    >>> first.X.tolist() == second.X.tolist(), first.seed_name == second.seed_name
    (True, True)
    """
    # -0.0 equals 0.0 and has other bits, which a hash would see.
    dataset = replace(dataset, X=dataset.X + 0.0)
    columns = sorted(range(len(dataset.feature_names)), key=dataset.feature_names.__getitem__)
    ordered = _arranged(dataset, columns, np.arange(len(dataset.y)))
    beside = [v for v in (ordered.time, ordered.group, ordered.fold) if v is not None]
    # The last key of lexsort counts most. Rows that are equal in all keys are interchangeable.
    keys = [*beside, *ordered.X.T[::-1], ordered.y]
    ordered = _arranged(ordered, range(len(columns)), np.lexsort(keys))
    name = _hash(ordered)
    shuffled = np.random.default_rng(seed(name)).permutation(len(ordered.y))
    final = _arranged(ordered, range(len(columns)), shuffled)
    return replace(final, metadata=final.metadata | {"seed_name": name})


def _arranged(dataset: Dataset, columns, rows) -> Dataset:
    def of_rows(values):
        return None if values is None else values[rows]

    columns = np.asarray(columns, dtype=np.intp)
    places = np.argsort(columns)
    return replace(
        dataset,
        X=dataset.X[np.ix_(rows, columns)],
        y=dataset.y[rows],
        feature_names=[dataset.feature_names[c] for c in columns],
        fold=of_rows(dataset.fold),
        group=of_rows(dataset.group),
        time=of_rows(dataset.time),
        categories={int(places[c]): levels for c, levels in dataset.categories.items()},
        essential=None if dataset.essential is None else places[dataset.essential],
    )


def _hash(dataset: Dataset) -> str:
    total = hashlib.sha256(dataset.X)
    total.update(dataset.y)
    categories = sorted(dataset.categories.items())
    total.update(repr((dataset.feature_names, dataset.class_names, categories)).encode())
    for values in (dataset.group, dataset.time):
        if values is not None:
            total.update(repr(values.tolist()).encode())
    return total.hexdigest()
