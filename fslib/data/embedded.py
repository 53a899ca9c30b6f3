"""Data sets that come with scikit-learn: no network needed."""

from __future__ import annotations

import numpy as np

from fslib.data.raw import Raw


def bundled(files, *, loader: str) -> Raw:
    """A classification table bundled with scikit-learn, by the name of its loader."""
    from sklearn import datasets

    bunch = getattr(datasets, loader)()
    labels = np.asarray(bunch.target_names).astype(str)[bunch.target]
    names = [str(name).replace(" ", "_") for name in bunch.feature_names]
    return Raw(np.asarray(bunch.data, dtype=np.float64), labels, names)
