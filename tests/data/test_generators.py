"""Generated sets follow their published definitions."""

from __future__ import annotations

import hashlib
from itertools import product

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale

from fslib.data import load
from fslib.data.generate import amfes, lucas, waveform

#: sha256 of X, y and the essential columns: the same on every machine, or results differ.
PINNED = {
    "amfes_quick": "bd3d32720dc9d4a8",
    "lucas_generated": "5d45287e60cf3e92",
    "madelon_generated": "55430fa1a4c070d2",
    "synthetic_group1_500": "efb0ff2bff33fc90",
    "synthetic_group2_500": "d3de175c859496b7",
    "synthetic_group1_500_redrawn01": "36a70c3676a13d2e",
    "waveform_generated": "d0622e215f55734f",
    "waveform_noise_generated": "89a44e6ca5cd79e3",
}


def content(d) -> str:
    return hashlib.sha256(d.X.tobytes() + d.y.tobytes() + d.essential.tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("name", PINNED)
def test_same_bytes_everywhere(name):
    assert content(load(name)) == PINNED[name]


@pytest.mark.parametrize("name", PINNED)
def test_columns_are_permuted(name):
    d = load(name)
    assert not np.array_equal(d.essential, np.arange(len(d.essential)))
    assert not np.array_equal(d.essential, np.arange(len(d.essential)) + 1)


# --- AMFES groups ------------------------------------------------------------------------


@pytest.mark.parametrize(("group", "n_features"), [(1, 200), (2, 2000)])
def test_amfes_sizes_are_nested_and_share_the_test_rows(group, n_features):
    sets = {n: load(f"synthetic_group{group}_{n}") for n in (500, 1000, 1500)}
    largest = sets[1500]
    for n, d in sets.items():
        train = d.fold == "train"
        assert d.X.shape == (n + 1000, n_features)
        assert train.sum() == n
        np.testing.assert_array_equal(d.X[train], largest.X[:n])
        np.testing.assert_array_equal(d.X[~train], largest.X[1500:])
        np.testing.assert_array_equal(d.essential, largest.essential)
        assert len(d.essential) == 15
        assert np.bincount(d.y[train]).tolist() == [n / 2, n / 2]
        assert np.bincount(d.y[~train]).tolist() == [500, 500]


def test_amfes_values():
    d = load("synthetic_group1_1500")
    essential = np.zeros(200, dtype=bool)
    essential[d.essential] = True
    irrelevant = d.X[:, ~essential]
    assert kstest(irrelevant.ravel(), "uniform", (-1, 2)).pvalue > 0.001
    assert np.abs(irrelevant).max() <= 1
    assert np.abs(d.X[:, essential]).max() == 3
    assert np.abs(np.corrcoef(irrelevant[:, :40].T) - np.eye(40)).max() < 0.1


def mean_gaps(d):
    """Difference of the class means of the essential features."""
    X = d.X[:, d.essential]
    return X[d.y == 1].mean(axis=0) - X[d.y == 0].mean(axis=0)


def test_amfes_as_tables_has_one_model_with_seven_differing_means():
    one, two = load("synthetic_group1_1500"), load("synthetic_group2_1500")
    gaps = [np.sort(mean_gaps(d)) for d in (one, two)]
    for gap in gaps:
        assert (np.abs(gap) > 0.75).sum() == 7
        assert (np.abs(gap) > 0.35).sum() == 7, "a clear margin: standard error is below 0.1"
    assert np.abs(gaps[0] - gaps[1]).max() < 0.35, "the groups share the model"
    assert not np.array_equal(one.X[:, one.essential], two.X[:, two.essential])


def test_amfes_as_text_redraws_everything():
    one, two = (load(f"synthetic_group1_500_redrawn{i:02d}") for i in (1, 2))
    assert not np.array_equal(one.essential, two.essential)
    assert np.abs(np.sort(mean_gaps(one)) - np.sort(mean_gaps(two))).max() > 0.5
    counts = [
        (mu[0] != mu[1]).sum()
        for mu in (
            amfes.draw_model(amfes.stream("amfes", "as_text", c, "model"), None)[1]
            for c in range(1, 21)
        )
    ]
    assert len(set(counts)) > 3
    assert 6 < np.mean(counts) < 9, "half of the fifteen on average"


def test_amfes_rows_follow_the_linear_model():
    """Mean and covariance of v = uW + μ, where the cut at ±3 does not reach."""
    rng = np.random.default_rng(0)
    W = rng.uniform(-0.2, 0.2, size=(2, 15, 15))
    mu = rng.choice([-1.0, 1.0], size=(2, 15))
    X = amfes.draw_rows(np.random.default_rng(1), (W, mu), 40_000, 20)
    for c in (0, 1):
        v = X[c::2, :15]
        np.testing.assert_allclose(v.mean(axis=0), mu[c], atol=0.02)
        np.testing.assert_allclose(np.cov(v.T), W[c].T @ W[c], atol=0.02)


# --- waveform ----------------------------------------------------------------------------


def test_waveform_moments():
    """E x = (h_a + h_b)/2 and Var x = 1 + (h_a - h_b)²/12 for u uniform."""
    raw = waveform.waveform({}, n_rows=60_000)
    i = np.arange(1, 22)
    h = [np.clip(6 - np.abs(i - centre), 0, None) for centre in (11, 15, 7)]
    noise = np.setdiff1d(np.arange(21), raw.essential)
    assert len(noise) == 2
    assert np.abs(raw.X[:, noise].mean(axis=0)).max() < 0.02
    for label, (a, b) in zip("012", [(0, 1), (0, 2), (1, 2)], strict=True):
        rows = raw.X[raw.labels == label]
        expected = np.sort((h[a] + h[b]) / 2)
        np.testing.assert_allclose(np.sort(rows.mean(axis=0)), expected, atol=0.05)
        spread = np.sort(1 + (h[a] - h[b]) ** 2 / 12)
        np.testing.assert_allclose(np.sort(rows.var(axis=0)), spread, atol=0.1)


def test_waveform_agrees_with_uci(mirror, raw_cache):
    """UCI numbers the classes in another order; the three pairs of waves are the same."""
    uci = load("waveform", mirror=mirror, cache=raw_cache, offline=True)
    raw = waveform.waveform({}, n_rows=20_000)
    ours = [np.sort(raw.X[raw.labels == label].mean(axis=0)) for label in "012"]
    theirs = [np.sort(uci.X[uci.y == label].mean(axis=0)) for label in range(3)]
    gaps = np.array([[np.abs(a - b).max() for b in theirs] for a in ours])
    assert np.sort(gaps.min(axis=1)).max() < 0.15
    assert np.abs(np.delete(uci.X.mean(axis=0), range(1, 20))).max() < 0.05, "first and last"


def test_waveform_noise():
    d = load("waveform_noise_generated")
    noise = np.delete(d.X, d.essential, axis=1)
    assert noise.shape[1] == 21
    assert kstest(noise.ravel(), "norm").pvalue > 0.001


# --- LUCAS -------------------------------------------------------------------------------


def frequencies(X, y, names):
    """Observed and published probability of each variable given its parents, and the count."""
    values = dict(zip(names, X.T, strict=True)) | {lucas.TARGET: y}
    for variable, (parents, table) in lucas.NETWORK.items():
        for key, p in table.items():
            rows = np.ones(len(y), dtype=bool)
            for parent, digit in zip(parents, key, strict=True):
                rows &= values[parent] == int(digit)
            yield variable, key, values[variable][rows].mean(), p, rows.sum()


def test_lucas_generated_follows_the_published_probabilities():
    raw = lucas.lucas({}, n_rows=50_000)
    found = list(frequencies(raw.X, raw.labels.astype(int), raw.feature_names))
    assert len(found) == 29
    for variable, key, seen, p, n in found:
        assert abs(seen - p) < 4 * np.sqrt(p * (1 - p) / n) + 1e-9, (variable, key)


def test_published_lucas_follows_them_too(mirror, raw_cache):
    d = load("lucas", mirror=mirror, cache=raw_cache, offline=True)
    for variable, key, seen, p, n in frequencies(d.X, d.y, d.feature_names):
        assert abs(seen - p) < 4 * np.sqrt(p * (1 - p) / n) + 1e-9, (variable, key)


def test_lucas_essential_is_the_markov_blanket():
    """By enumeration: given the blanket, no other variable changes P(target), and none is spare."""
    order = list(lucas.NETWORK)
    states = np.array(list(product((0, 1), repeat=len(order))))
    values = dict(zip(order, states.T, strict=True))
    joint = np.ones(len(states))
    for variable, (parents, table) in lucas.NETWORK.items():
        keys = ["".join(map(str, row)) for row in np.array([values[q] for q in parents]).T]
        keys = keys or [""] * len(states)
        p = np.array([table[k] for k in keys])
        joint *= np.where(values[variable] == 1, p, 1 - p)
    assert joint.sum() == pytest.approx(1)

    def posterior(given):
        code = np.zeros(len(states), dtype=int)
        for variable in given:
            code = 2 * code + values[variable]
        both = np.bincount(code, joint * values[lucas.TARGET], minlength=2 ** len(given))
        return (both / np.bincount(code, joint, minlength=2 ** len(given)))[code]

    everything = posterior(lucas.FEATURES)
    np.testing.assert_allclose(posterior(lucas.MARKOV_BLANKET), everything, atol=1e-12)
    for spare in lucas.MARKOV_BLANKET:
        rest = [f for f in lucas.MARKOV_BLANKET if f != spare]
        assert np.abs(posterior(rest) - everything).max() > 0.01
    d = load("lucas_generated")
    assert {d.feature_names[i] for i in d.essential} == set(lucas.MARKOV_BLANKET)


# --- Madelon -----------------------------------------------------------------------------


def test_madelon_structure():
    d = load("madelon_generated")
    essential = d.X[:, d.essential]
    probes = np.delete(d.X, d.essential, axis=1)
    singular = np.linalg.svd(scale(essential), compute_uv=False)
    assert (singular > 1e-3).sum() == 5, "20 essential columns span five dimensions"
    assert np.linalg.matrix_rank(scale(probes)) == 80
    assert kstest(scale(probes).ravel(), "norm").pvalue > 0.001
    assert np.abs(np.corrcoef(probes.T, d.y)[-1, :-1]).max() < 0.2


def test_madelon_needs_its_features_together():
    d = load("madelon_generated")
    three = KNeighborsClassifier(3)
    together = cross_val_score(three, scale(d.X[:, d.essential]), d.y, cv=5).mean()
    everything = cross_val_score(three, scale(d.X), d.y, cv=5).mean()
    single = [cross_val_score(three, d.X[:, [i]], d.y, cv=3).mean() for i in d.essential[:5]]
    assert together > everything + 0.1
    assert max(single) < 0.7
    assert together > 0.85
