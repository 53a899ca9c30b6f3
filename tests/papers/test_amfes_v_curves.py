"""The peak of v-curves and Γ, as Chang & Chen (2009) define them."""

import numpy as np
import pytest

from fslib.papers.amfes.v_curves import peak, stable_pairs


def test_peak_prefers_the_smaller_size_and_the_population_deviation():
    found = peak([[0.6, 0.8, 0.8, 0.5], [0.6, 1.0, 1.0, 0.7]], sizes=[5, 10, 20, 40])
    assert found["location"] == 10
    assert found["value"] == pytest.approx(0.9)
    assert found["deviation"] == pytest.approx(0.1)
    assert found["baseline"] == pytest.approx(0.6)


def test_stable_pairs_by_definition():
    rng = np.random.default_rng(0)
    curves = 0.9 + 0.02 * rng.standard_normal((60, 15))
    gamma = stable_pairs(curves)
    peaks = [curves[:m].mean(axis=0).max() for m in range(1, 61)]

    def stable(t):
        window = peaks[t - 1 : t + 4]
        return max(abs(a - b) for a in window for b in window) < 0.001

    assert gamma is not None
    assert stable(gamma)
    assert not any(stable(t) for t in range(1, gamma))
    assert stable_pairs(curves[: gamma + 3]) is None
