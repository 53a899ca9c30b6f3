"""From columns, which methods rank, to features, which people choose.

A categorical feature may be several columns. The columns are chosen together: the feature has the
rank and the score of its best column, and is selected where any of its columns is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral

import numpy as np

#: The parameter of any method, ours or scikit-learn's, that says how many features to keep.
_COUNT = "n_features_to_select"


@dataclass(frozen=True)
class Columns:
    """How the columns of a prepared table and the request of an entry go together."""

    features: np.ndarray | None
    """The feature of each column; None where every feature is one column."""
    wanted: int | None
    """How many features the entry asks for, and the table has."""
    params: dict
    """The entry's parameters; nothing in them asks for more columns than there are."""
    facts: dict[str, float]

    @classmethod
    def of(cls, params: Mapping, n_columns: int, features: np.ndarray | None) -> Columns:
        n_features = n_columns if features is None else int(features[-1]) + 1
        asked = []

        def capped(count: int) -> int:
            asked.append(count)
            return min(count, n_columns)

        fitting = _with_counts(params, capped)
        own = fitting.get(_COUNT)
        most = max(asked, default=0)
        return cls(
            features,
            wanted=min(own, n_features) if _is_count(own) else None,
            params=fitting,
            facts={"asked_for": most} if most > n_features else {},
        )

    def folded(self, ranked: dict) -> dict:
        """What a method found among the columns, told of features.

        >>> columns = Columns.of({"n_features_to_select": 1}, 4, np.array([0, 1, 1, 2]))
        >>> ranked = {"order": np.array([2, 0, 1, 3]), "scores": np.array([9.0, 8.0, 7.0, 6.0]),
        ...           "selected": np.array([True, False, False, False]), "facts": {}}
        >>> found = columns.folded(ranked)
        >>> found["order"].tolist(), found["scores"].tolist(), found["selected"].tolist()
        ([1, 0, 2], [9.0, 8.0, 6.0], [True, False, False])
        """
        ranked = ranked | {"facts": ranked["facts"] | self.facts}
        if self.features is None:
            return ranked
        features = self.features[ranked["order"]]
        first = np.sort(np.unique(features, return_index=True)[1])
        selected = np.isin(features[first], features[ranked["selected"]])
        if self.wanted is not None and len(first) >= self.wanted:
            selected = np.arange(len(first)) < self.wanted
        return ranked | {
            "order": features[first].astype(np.int32),
            "scores": ranked["scores"][first],
            "selected": selected,
        }


def _is_count(value) -> bool:
    """Whether a request is a number of features, rather than a share of them or all."""
    return isinstance(value, Integral) and not isinstance(value, bool) and value >= 1


def _with_counts(value, change: Callable[[int], int]):
    """A value of YAML with every number of features to select changed, at any depth.

    >>> _with_counts({"ranker": {"use": "mrmr", "n_features_to_select": 50}}, lambda n: min(n, 13))
    {'ranker': {'use': 'mrmr', 'n_features_to_select': 13}}
    """
    if isinstance(value, Mapping):
        return {
            key: change(part) if key == _COUNT and _is_count(part) else _with_counts(part, change)
            for key, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [_with_counts(part, change) for part in value]
    return value
