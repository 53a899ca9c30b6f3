"""How well a selection recovers the features that truly matter."""

from __future__ import annotations

import numpy as np


def recovery(order, essential, k: int | None = None) -> dict[str, float]:
    """Precision, recall and F1 of the first ``k`` columns of ``order``, and φ of the whole order.

    With E the essential and S the selected columns, precision is |E ∩ S| / |S|, recall
    |E ∩ S| / |E|, F1 their harmonic mean (0 where both are 0), and φ the largest j such that the
    first j columns of ``order`` are all essential.

    Parameters
    ----------
    order : ranked column indices, best first.
    essential : indices of the essential columns, each once.
    k : how many columns of ``order`` count as selected; all by default.

    References
    ----------
    Chang & Chen (2009), TR-IIS-09-010, section 3.3.

    Examples
    --------
    >>> recovery([4, 1, 0, 2], essential=[1, 4], k=4)
    {'precision': 0.5, 'recall': 1.0, 'f1': 0.6666666666666666, 'phi': 2}
    """
    order = np.asarray(order)
    found = np.isin(order, essential)
    hits = int(found[:k].sum())
    n_selected = len(found[:k])
    return {
        "precision": hits / n_selected if n_selected else 0.0,
        "recall": hits / len(essential) if len(essential) else 0.0,
        "f1": 2 * hits / (n_selected + len(essential)) if hits else 0.0,
        "phi": int(np.logical_and.accumulate(found).sum()),
    }
