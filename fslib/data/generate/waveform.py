"""Breiman's waveforms."""

from __future__ import annotations

import numpy as np

from fslib.data.generate.streams import shuffled, stream
from fslib.data.raw import Raw


def waveform(files, *, n_rows: int, n_noise: int = 0) -> Raw:
    r"""Three classes, each a random convex combination of two triangular waves plus noise.

    :math:`x_i = u\,h_a(i) + (1 - u)\,h_b(i) + \varepsilon_i`, :math:`i = 1 \dots 21`, with
    :math:`h_1(i) = \max(6 - |i - 11|, 0)`, :math:`h_2(i) = h_1(i - 4)`,
    :math:`h_3(i) = h_1(i + 4)`, u uniform in [0, 1] and standard normal noise; the classes
    use the waves (1, 2), (1, 3), (2, 3). All waves are 0 at i = 1 and i = 21, so 19 of the
    21 features are essential. ``n_noise`` adds standard normal columns (40 features in UCI's
    version 2). Breiman, Friedman, Olshen & Stone (1984), Classification and Regression
    Trees, pages 49–55.
    """
    rng = stream("waveform", n_noise)
    i = np.arange(1, 22)
    waves = np.maximum(6 - np.abs(i - np.array([[11], [15], [7]])), 0)
    labels = rng.integers(3, size=n_rows)
    first, second = np.array([[0, 1], [0, 2], [1, 2]])[labels].T
    u = rng.uniform(size=(n_rows, 1))
    X = rng.normal(size=(n_rows, 21 + n_noise))
    X[:, :21] += u * waves[first] + (1 - u) * waves[second]
    return shuffled(X, labels, range(1, 20), stream("waveform", n_noise, "columns"))
