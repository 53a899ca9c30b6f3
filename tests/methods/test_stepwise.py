"""Stepwise rankings against brute force from their definitions, on tables full of ties."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

from fslib import CMIM, DISR, JMI, MRMR
from fslib.methods import mrmr


@st.composite
def tables(draw):
    """Small tables, where exact ties between features are common; some columns are copies."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(4, 40)), draw(st.integers(2, 8))
    X = rng.integers(0, draw(st.integers(2, 4)), (n, d))
    if draw(st.booleans()):
        X[:, -1] = 3 - X[:, 0]
    y = np.unique(np.concatenate([[0, 1], rng.integers(0, 3, n - 2)]), return_inverse=True)[1]
    return X, y


def joined(*columns):
    return np.unique(np.column_stack(columns), axis=0, return_inverse=True)[1].ravel()


def entropy(x) -> float:
    return mutual_info_score(x, x)


def conditional(a, y, given) -> float:
    return mutual_info_score(joined(a, given), y) - mutual_info_score(given, y)


def mid(V, W):
    return V - W


def miq(V, W):
    if W > 1e-12:
        return V / W
    return np.inf if V > 1e-12 else 0.0


def mean_redundancy(X, f, ranked):
    return np.mean([mutual_info_score(X[:, f], X[:, s]) for s in ranked])


CRITERIA = {
    "MID": (
        MRMR("MID"),
        lambda X, y, f, S: mid(mutual_info_score(X[:, f], y), mean_redundancy(X, f, S)),
    ),
    "MIQ": (
        MRMR("MIQ"),
        lambda X, y, f, S: miq(mutual_info_score(X[:, f], y), mean_redundancy(X, f, S)),
    ),
    "alpha": (
        MRMR("alpha", alpha=0.25),
        lambda X, y, f, S: 0.25 * mutual_info_score(X[:, f], y) - 0.75 * mean_redundancy(X, f, S),
    ),
    "CMIM": (
        CMIM(),
        lambda X, y, f, S: min(
            mutual_info_score(X[:, f], y), *(conditional(X[:, f], y, X[:, s]) for s in S)
        ),
    ),
    "JMI": (
        JMI(),
        lambda X, y, f, S: sum(mutual_info_score(joined(X[:, f], X[:, s]), y) for s in S),
    ),
    "DISR": (
        DISR(),
        lambda X, y, f, S: sum(
            mutual_info_score(joined(X[:, f], X[:, s]), y) / entropy(joined(X[:, f], X[:, s], y))
            for s in S
        ),
    ),
}


def lowest_best(values: dict, relevance) -> int:
    """The lowest index among the greatest values; infinite ones go by relevance."""
    best = max(values.values())
    tied = [f for f, v in values.items() if v == best or v >= best - 1e-10]
    if best == np.inf:
        most = max(relevance[f] for f in tied)
        tied = [f for f in tied if relevance[f] >= most - 1e-10]
    return min(tied)


@pytest.mark.slow
@pytest.mark.parametrize("name", CRITERIA)
@given(table=tables())
@settings(max_examples=25, deadline=None)
def test_every_step_takes_the_best_and_lowest(name, table):
    X, y = table
    method, criterion = CRITERIA[name]
    method.fit(X, y)
    relevance = [mutual_info_score(column, y) for column in X.T]
    ranked = []
    for step, chosen in enumerate(method.order_.tolist()):
        remaining = [f for f in range(X.shape[1]) if f not in ranked]
        values = (
            {f: criterion(X, y, f, ranked) for f in remaining}
            if ranked
            else {f: relevance[f] for f in remaining}
        )
        assert chosen == lowest_best(values, relevance)
        assert method.path_[step] == pytest.approx(values[chosen], rel=1e-7, abs=1e-10)
        ranked.append(chosen)


@pytest.fixture(scope="module")
def wide():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 4, 300)
    X = rng.normal(size=(300, 60)) + np.outer(y, rng.normal(size=60))
    return np.clip(np.round(X * 1.5), -5, 5).astype(int), y


def test_mid_is_alpha_one_half(wide):
    half = MRMR("alpha", alpha=0.5).fit(*wide)
    np.testing.assert_array_equal(MRMR("MID").fit(*wide).order_, half.order_)


def test_many_schemes_from_one_set_of_pairs(wide):
    def schemes():
        return [MRMR("MID"), MRMR("MIQ")] + [MRMR("alpha", alpha=a / 4) for a in range(5)]

    for shared, alone in zip(MRMR.fit_together(schemes(), *wide), schemes(), strict=True):
        alone.fit(*wide)
        np.testing.assert_array_equal(shared.order_, alone.order_)
        np.testing.assert_array_equal(shared.path_, alone.path_)


def test_all_ways_to_the_redundancies_give_one_ranking(wide, monkeypatch):
    everything = MRMR().fit(*wide)
    few = MRMR(n_features_to_select=10).fit(*wide)  # one feature's redundancies at a time
    np.testing.assert_array_equal(few.order_, everything.order_[:10])
    np.testing.assert_array_equal(few.path_, everything.path_[:10])
    assert np.isnan(few.scores_).sum() == 50
    monkeypatch.setattr(mrmr, "_MAX_CACHED", 0)  # too many pairs to keep
    uncached = MRMR().fit(*wide)
    np.testing.assert_array_equal(uncached.order_, everything.order_)
    np.testing.assert_array_equal(uncached.path_, everything.path_)


@pytest.mark.parametrize("method", [CMIM, JMI, DISR])
def test_a_short_ranking_is_the_start_of_the_long_one(method, wide):
    X, y = wide
    np.testing.assert_array_equal(
        method(n_features_to_select=12).fit(X, y).order_, method().fit(X, y).order_[:12]
    )


def test_cmim_of_binary_features_and_many_classes(wide):
    X, y = wide
    binary = (X > 0).astype(int)
    # A column with a third level, and next to no information, makes CMIM count instead.
    third = np.zeros(len(X), dtype=int)
    third[:2] = 1, 2
    padded = np.column_stack([binary, third])
    by_planes, by_counts = CMIM().fit(binary, y), CMIM().fit(padded, y)
    counted = by_counts.order_[by_counts.order_ < binary.shape[1]]
    np.testing.assert_array_equal(by_planes.order_[:20], counted[:20])


def test_cmim_of_a_thousand_copies():
    rng = np.random.default_rng(0)
    column, y = rng.integers(0, 3, 50), rng.integers(0, 2, 50)
    X = np.repeat(column[:, None], 1000, axis=1)
    X[:, 700] = rng.integers(0, 3, 50)
    with pytest.warns(UserWarning, match="CMIM ranks 2 of 1000 features: all scores left are 0"):
        cmim = CMIM(n_features_to_select=5).fit(X, y)
    assert sorted(cmim.order_.tolist()) == [0, 700]  # a copy adds nothing to its original
    assert cmim.get_support(indices=True).tolist() == [0, 700]
    assert (np.delete(cmim.scores_, [0, 700]) == 0).all()
    assert (np.delete(cmim.ranking_, [0, 700]) == 3).all()  # one rank for all of them


@pytest.mark.parametrize("method", [CMIM(), JMI(), DISR(), MRMR("MIQ")])
def test_features_that_tell_nothing_stay_unranked(method):
    y = np.arange(8) // 4
    nothing = np.arange(8) % 2
    X = np.column_stack([nothing, nothing, nothing])
    with pytest.warns(UserWarning, match="ranks 1 of 3 features"):
        assert method.fit(X, y).order_.tolist() == [0]
    assert method.scores_.tolist() == [0, 0, 0]


def test_mid_ends_where_nothing_tells_columns_apart():
    """Relevance and redundancy of all features left are 0: their order would be that of columns."""
    y = np.arange(16) // 8
    halves = [np.arange(16) // 4 % 2, np.arange(16) // 2 % 2, np.arange(16) % 2]
    X = np.column_stack([*halves, y, np.zeros(16)])
    with pytest.warns(UserWarning, match=r"MRMR\(scheme='MID'\) ranks 1 of 5 features"):
        assert MRMR().fit(X, y).order_.tolist() == [3]
    with warnings.catch_warnings(action="error"):
        assert MRMR(rank_all=True).fit(X, y).order_.tolist() == [3, 0, 1, 2, 4]
        assert MRMR(n_features_to_select=1).fit(X, y).order_.tolist() == [3]


def test_miq_ends_where_no_relevance_is_left():
    y = np.arange(8) // 4
    nothing, something = np.arange(8) % 2, np.arange(8) // 5
    X = np.column_stack([nothing, something, nothing, y])

    def schemes():
        return [MRMR("MIQ"), MRMR("MID"), MRMR("MIQ", rank_all=True)]

    with pytest.warns(UserWarning, match=r"MRMR\(scheme='MIQ'\) ranks 2 of 4 features") as told:
        informed, difference, complete = MRMR.fit_together(schemes(), X, y)
    assert len(told) == 1
    assert informed.order_.tolist() == [3, 1]
    assert informed.ranking_.tolist() == [3, 2, 3, 1]
    assert sorted(difference.order_.tolist()) == [0, 1, 2, 3]  # V - W = 0 is above its negatives
    assert complete.order_.tolist() == [3, 1, 0, 2]
    assert complete.scores_.tolist() == informed.scores_.tolist()
    with warnings.catch_warnings(action="error"):
        assert MRMR("MIQ", n_features_to_select=2).fit(X, y).order_.tolist() == [3, 1]


def test_cmim_ranks_what_tells_anything():
    """The end of the ranking is where the criterion, by its definition, has fallen to 0."""
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 2, (12, 30)), np.arange(12) % 2
    with pytest.warns(UserWarning, match="all scores left are 0"):
        ranked = CMIM().fit(X, y).order_.tolist()
    assert 1 < len(ranked) < 30
    for f in set(range(30)) - set(ranked):
        least = min(conditional(X[:, f], y, X[:, s]) for s in ranked)
        assert min(least, mutual_info_score(X[:, f], y)) == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("settings", [{"scheme": "mid"}, {"scheme": "alpha", "alpha": 1.5}])
def test_refuses_unknown_schemes(settings, wide):
    with pytest.raises(ValueError, match=r"scheme|alpha"):
        MRMR(**settings).fit(*wide)
