"""From columns, which methods rank, to features, which people choose.

A categorical feature may be several columns. The columns are chosen together: the feature has the
rank and the score of its best column, and is selected where any of its columns is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral

import numpy as np


@dataclass(frozen=True)
class Columns:
    """How the columns of a prepared table and the request of an entry go together."""

    features: np.ndarray | None
    """The feature of each column; None where every feature is one column."""
    wanted: int | None
    """How many features the entry asks for, and the table has."""
    params: dict = field(default_factory=dict)
    """Parameters that the table changes: nobody can select more features than there are."""
    facts: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, params: Mapping, n_columns: int, features: np.ndarray | None) -> Columns:
        asked = params.get("n_features_to_select")
        if not isinstance(asked, Integral) or isinstance(asked, bool) or asked < 1:
            return cls(features, None)
        n_features = n_columns if features is None else int(features[-1]) + 1
        wanted = min(int(asked), n_features)
        if asked == wanted:
            return cls(features, wanted)
        return cls(features, wanted, {"n_features_to_select": wanted}, {"asked_for": asked})

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
