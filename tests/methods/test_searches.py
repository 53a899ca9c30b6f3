"""SFFS and the genetic search: what they promise about their answers."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.naive_bayes import GaussianNB

from fslib import SFFS, GeneticSearch
from fslib.criteria.named import criterion_for
from fslib.criteria.stopwatch import Stopwatch
from fslib.methods.sffs import _Floating


def table(seed: int = 0, n: int = 60, d: int = 8):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    y = (X[:, 1] + X[:, 4] * X[:, 6] + random.normal(size=n) > 0).astype(int)
    return X, y


def random_values(seed: int):
    """A criterion without any structure: a fixed random number per set of columns."""

    def J(part, y):
        return np.random.default_rng([seed, *part[0].astype(int)]).random()

    return J


NUMBERED = np.tile(np.arange(9.0), (12, 1)), np.arange(12) % 2


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), target=st.integers(1, 9), overshoot=st.integers(0, 3))
def test_sffs_is_never_worse_than_plain_forward_search(seed, target, overshoot):
    X, y = NUMBERED
    J = criterion_for(random_values(seed), X, y, 3)
    subset: list[int] = []
    for _ in range(target):
        rest = [column for column in range(9) if column not in subset]
        subset.append(rest[int(np.argmax(J.plus_each(subset, rest)))])
    fitted = SFFS(random_values(seed), target, overshoot=overshoot).fit(X, y)
    assert len(fitted.order_) == target
    assert J.one(fitted.order_) >= J.one(subset)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_no_member_of_any_sffs_set_can_go_to_advantage(seed):
    X, y = NUMBERED
    J = criterion_for(random_values(seed), X, y, 3)
    fitted = SFFS(random_values(seed)).fit(X, y)
    assert [len(subset) for subset in fitted.subsets_] == list(range(1, 10))
    np.testing.assert_array_equal(fitted.path_, [J.one(subset) for subset in fitted.subsets_])
    for larger, best in zip(fitted.subsets_[2:], fitted.path_[1:], strict=False):
        assert J.minus_each(larger).max() <= best
    assert fitted.path_[0] == J.plus_each([], range(9)).max()


def test_sffs_beats_scikit_learns_forward_search_of_the_same_size():
    for seed in range(4):
        X, y = table(seed)
        J = criterion_for("nb", X, y, 3)
        plain = SequentialFeatureSelector(GaussianNB(), n_features_to_select=4, cv=3).fit(X, y)
        fitted = SFFS("nb", 4).fit(X, y)
        assert J.one(fitted.order_) >= J.one(np.flatnonzero(plain.support_))


def test_sffs_best_size_and_order():
    X, y = table()
    fitted = SFFS("nb").fit(X, y)
    J = criterion_for("nb", X, y, 3)
    assert J.one(fitted.order_) == fitted.path_.max()
    assert len(fitted.order_) == np.argmax(fitted.path_) + 1
    losses = fitted.path_.max() - J.minus_each(fitted.order_)
    np.testing.assert_array_equal(fitted.scores_[fitted.order_], losses)
    assert (np.diff(losses) <= 0).all()


def test_sffs_stops_in_time_with_its_best_so_far():
    fitted = SFFS("nb", 5, time_limit=0.0).fit(*table())
    assert len(fitted.order_) == 1


def test_targets_that_end_at_the_same_size_share_a_search(monkeypatch):
    X, y = table()

    def selectors():
        return [SFFS("nb", size, overshoot=8) for size in (2, 5, 8)] + [SFFS("nb")]

    alone = [selector.fit(X, y) for selector in selectors()]
    searches = []
    run = _Floating.run
    monkeypatch.setattr(_Floating, "run", lambda *a: searches.append(a) or run(*a))
    for ours, expected in zip(SFFS.fit_together(selectors(), X, y), alone, strict=True):
        np.testing.assert_array_equal(ours.order_, expected.order_)
        np.testing.assert_array_equal(ours.path_, expected.path_)
        assert ours.facts_ == {"criterion": expected.path_[len(expected.order_) - 1]}
    assert len(searches) == 1


def test_genetic_search_finds_the_best_of_all_subsets():
    X, y = table(2, d=7)
    J = criterion_for("nb", X, y, 3)
    subsets = [list(s) for size in range(1, 8) for s in combinations(range(7), size)]
    values = J.many(subsets) - 1e-4 * np.array([len(s) for s in subsets]) / 7
    found = [GeneticSearch(population=30, random_state=seed).fit(X, y) for seed in range(3)]
    for fitted in found:
        assert fitted.path_[-1] == pytest.approx(values.max(), abs=1e-12)
        assert (np.diff(fitted.path_) >= 0).all()


def test_genetic_search_is_the_same_parallel_or_not():
    X, y = table(1, d=20)
    one, two = (
        GeneticSearch(population=40, generations=5, random_state=0, n_jobs=n).fit(X, y)
        for n in (1, 2)
    )
    np.testing.assert_array_equal(one.order_, two.order_)
    np.testing.assert_array_equal(one.path_, two.path_)
    assert one.n_fits_ == two.n_fits_


def test_seed_zero_is_a_seed():
    X, y = table(1, d=20)
    runs = [
        GeneticSearch(population=10, generations=3, random_state=seed).fit(X, y).scores_
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert (runs[0] != runs[2]).any()


def test_genetic_search_stops_when_stagnant_and_in_time():
    X, y = table()
    constant = GeneticSearch(lambda X, y: 0.5, size_penalty=0.0, patience=4, random_state=0)
    assert len(constant.fit(X, y).path_) == 5
    assert len(GeneticSearch(time_limit=0.0, random_state=0).fit(X, y).path_) == 1


def test_genetic_search_evaluates_a_chromosome_once():
    X, y = np.random.default_rng(0).normal(size=(30, 4)), np.arange(30) % 2
    asked = []

    def J(part, labels):
        asked.append(part.tobytes())
        return 0.5

    GeneticSearch(J, population=20, generations=10, random_state=0).fit(X, y)
    assert len(asked) == len(set(asked)) <= 15


def test_progress_reports_now_and_then(caplog):
    quiet, eager = Stopwatch("sffs", every=1000.0), Stopwatch("sffs", every=0.0)
    with caplog.at_level("INFO", logger="fslib"):
        quiet.report("size %d", 1)
        eager.report("size %d", 2)
    assert [record.name for record in caplog.records] == ["fslib.sffs"]
    assert caplog.messages[0].startswith("size 2, ")


def test_genetic_search_refuses_to_lose_its_best():
    with pytest.raises(ValueError, match="elite"):
        GeneticSearch(elite=0).fit(*table())
