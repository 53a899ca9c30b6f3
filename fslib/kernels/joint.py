"""What two features together tell about the class."""

from __future__ import annotations

import numpy as np

from fslib.kernels.information import DiscreteTable


class JointInformation:
    """``I(f, s; y)`` of every feature f together with one feature s."""

    def __init__(self, X: np.ndarray, y: np.ndarray):
        self.table, self.y, self.n_classes = DiscreteTable(X), y, int(y.max()) + 1
        self.class_sum = self.table.logs.T[np.bincount(y)].sum()
        #: I(f; y) of every feature.
        self.relevance = self.table.relevance(y, self.n_classes)

    def with_feature(self, s: int) -> tuple[np.ndarray, np.ndarray]:
        """``I(f, s; y)`` and the joint entropy ``H(f, s, y)`` of every feature f."""
        table, logs = self.table, self.table.logs
        codes, levels = table.codes[s].astype(np.int64), table.levels[s]
        pairs = table.joint_sums(codes, levels)
        triples = table.joint_sums(codes * self.n_classes + self.y, levels * self.n_classes)
        cells = table.levels * levels
        n_terms = np.minimum(cells * self.n_classes, logs.n_rows) + np.minimum(cells, logs.n_rows)
        shared = triples - pairs - self.class_sum + logs.T[-1]
        information = logs.per_row(shared, n_terms + self.n_classes + 1)
        return information, (logs.T[-1] - triples) / logs.n_rows
