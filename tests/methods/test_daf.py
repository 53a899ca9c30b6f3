"""DAF and BIF against their equations, and where one succeeds and the other fails."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from fslib import BIF, DAF
from fslib.criteria.named import criterion_for
from fslib.methods.daf import daf_scores


def table(seed: int = 0, n: int = 40, d: int = 7):
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(n, d)), np.arange(n) % 2
    X[:, 2] += y
    return X, y


def by_the_equations(probes, values, variant, d) -> np.ndarray:
    """Equations 5 to 15, feature by feature; every size has enough probes of its own."""
    if variant == 2:
        # The full set is one subset however often it is drawn: it takes its neighbours' deviation.
        sizes = np.array([len(probe) for probe in probes])
        own = np.minimum(sizes, d - 1)
        values = values / [values[sizes == size].std() for size in own]
    scores = np.empty(d)
    for f in range(d):
        having = np.array([f in probe for probe in probes])
        inside, outside = values[having], values[~having]
        scores[f] = inside.mean() - outside.mean()
        if variant == 1:
            spread = len(inside) * inside.std() + len(outside) * outside.std()
            scores[f] *= len(values) / spread
    return scores


@pytest.mark.parametrize("variant", [0, 1, 2])
def test_scores_follow_the_equations(variant):
    X, y = table(d=4)
    fitted = DAF(variant, n_probes=400, random_state=0).fit(X, y)
    probes = [set(row.nonzero()[0]) for row in fitted.probes_.toarray()]
    expected = by_the_equations(probes, fitted.probe_values_, variant, 4)
    np.testing.assert_allclose(fitted.scores_, expected, rtol=1e-9)
    J = criterion_for("knn3", X, y, 3)
    np.testing.assert_array_equal(fitted.probe_values_, J.many([sorted(probe) for probe in probes]))


def test_variants_share_their_probes():
    X, y = table()
    together = DAF.fit_together([DAF(v, n_probes=50, random_state=3) for v in (0, 1, 2)], X, y)
    for fitted in together:
        assert fitted.probes_ is together[0].probes_
        alone = DAF(fitted.variant, n_probes=50, random_state=3).fit(X, y)
        np.testing.assert_array_equal(fitted.scores_, alone.scores_)
        assert fitted.n_fits_ == 50 * 3


def test_smaller_budgets_are_the_beginning_of_the_largest_search(monkeypatch):
    X, y = table()
    budgets = [(0, 30), (1, 70), (2, 70), (0, 45)]

    def selectors():
        return [DAF(v, n_probes=n, max_subset_size=4, random_state=3) for v, n in budgets]

    alone = [selector.fit(X, y) for selector in selectors()]
    searches = []
    search = DAF._search
    monkeypatch.setattr(DAF, "_search", lambda s, *a: searches.append(s.n_probes) or search(s, *a))
    for ours, expected in zip(DAF.fit_together(selectors(), X, y), alone, strict=True):
        np.testing.assert_array_equal(ours.order_, expected.order_)
        np.testing.assert_array_equal(ours.scores_, expected.scores_)
        np.testing.assert_array_equal(ours.probe_values_, expected.probe_values_)
        np.testing.assert_array_equal(ours.probes_.toarray(), expected.probes_.toarray())
        assert ours.n_fits_ == expected.n_fits_
        assert ours.facts_ == expected.facts_
    assert searches == [70]


def test_budgets_with_another_limit_do_not_share_a_search():
    X, y = table()
    selectors = [DAF(n_probes=n, min_coverage=2, random_state=3) for n in (5, 60)]
    for ours in DAF.fit_together(selectors, X, y):
        alone = clone(ours).fit(X, y)
        np.testing.assert_array_equal(ours.probe_values_, alone.probe_values_)


def test_facts_count_probes_with_and_without_a_feature():
    X, y = table()
    fitted = DAF(n_probes=40, max_subset_size=3, random_state=0).fit(X, y)
    having = fitted.probes_.toarray().sum(axis=0)
    assert fitted.facts_ == {
        "n_evaluations": 40,
        "n_probes_with_feature": pytest.approx(having.mean()),
        "n_probes_without_feature": pytest.approx((40 - having).mean()),
    }


def test_sizes_are_uniform_up_to_the_limit():
    X, y = table(d=30)
    constant = DAF(criterion=lambda X, y: 0.5, max_subset_size=10, n_probes=2000, random_state=0)
    sizes = np.diff(constant.fit(X, y).probes_.indptr)
    counts = np.bincount(sizes, minlength=11)[1:]
    assert len(counts) == 10
    assert (np.abs(counts - 200) < 5 * np.sqrt(200)).all()
    assert (np.abs(constant.probes_.sum(axis=0) - 2000 * 5.5 / 30) < 5 * np.sqrt(367)).all()


def test_independent_inclusion():
    X, y = table(d=30)
    probes = DAF(
        criterion=lambda X, y: 0.5, inclusion_probability=0.05, n_probes=3000, random_state=0
    ).fit(X, y)
    sizes = np.diff(probes.probes_.indptr)
    assert sizes.min() == 1
    assert sizes.mean() == pytest.approx(30 * 0.05 / (1 - 0.95**30), rel=0.05)


def test_a_longer_budget_continues_a_shorter_one():
    X, y = table()
    long = DAF(n_probes=90, random_state=5).fit(X, y)
    grown = DAF(n_probes=40, random_state=5, warm_start=True).fit(X, y)
    np.testing.assert_array_equal(grown.probe_values_, long.probe_values_[:40])
    grown.set_params(n_probes=90).fit(X, y)
    np.testing.assert_array_equal(grown.probe_values_, long.probe_values_)
    np.testing.assert_array_equal(grown.order_, long.order_)
    assert grown.n_fits_ == long.n_fits_ == 90 * 3
    with pytest.raises(ValueError, match="n_probes=40 is less than the 90"):
        grown.set_params(n_probes=40).fit(X, y)
    with pytest.raises(ValueError, match="goes on with 7 features; X has 5"):
        grown.set_params(n_probes=95).fit(X[:, :5], y)


def test_a_warm_start_evaluates_what_is_new_alone():
    X, y = table()
    evaluated = []

    def size(X, y):
        evaluated.append(X.shape[1])
        return float(X[:, 0].sum())

    grown = DAF(criterion=size, n_probes=40, random_state=5, warm_start=True).fit(X, y)
    grown.set_params(n_probes=64).fit(X, y)
    assert len(evaluated) == 64
    grown.fit(X, y)
    assert len(evaluated) == 64


@pytest.mark.parametrize("criterion", ["knn3", "svm_linear", "svm_rbf", "nb"])
def test_stretches_in_any_order_are_the_search_in_one_fit(criterion):
    X, y = table(n=60, d=9)

    def selectors():
        return [
            DAF(v, criterion, n_probes=n, max_subset_size=6, random_state=3)
            for v, n in ((0, 150), (1, 150), (2, 150), (0, 75))
        ]

    whole = DAF.fit_together(selectors(), X, y)
    ends = {first: min(first + 64, 150) for first in (128, 0, 64)}
    values = {first: selectors()[0].probe_values(X, y, first, end) for first, end in ends.items()}
    together = np.concatenate([values[first] for first in sorted(values)])
    joined = DAF.fit_together([s.continue_from(together) for s in selectors()], X, y)
    for ours, expected in zip(joined, whole, strict=True):
        np.testing.assert_array_equal(ours.probe_values_, expected.probe_values_)
        np.testing.assert_array_equal(ours.probes_.toarray(), expected.probes_.toarray())
        np.testing.assert_array_equal(ours.scores_, expected.scores_)
        np.testing.assert_array_equal(ours.order_, expected.order_)
        assert (ours.n_fits_, ours.facts_) == (expected.n_fits_, expected.facts_)
    half = selectors()[3].continue_from(together).fit(X, y)
    np.testing.assert_array_equal(half.scores_, whole[3].scores_)


def test_only_one_search_that_counts_its_probes_can_be_cut():
    def n_probes(*settings):
        return DAF.n_probes_together([{"n_probes": 500, **own} for own in settings])

    assert n_probes({"variant": 0}, {"variant": 1, "n_probes": 900}) == 900
    assert n_probes({"max_subset_size": 5}, {"max_subset_size": 6}) == 0
    for limit in ({"time_limit": 9}, {"min_coverage": 9}, {"n_probes": None, "time_limit": 9}):
        assert n_probes(limit) == 0
    assert BIF.n_probes_together([{}]) == 0


def test_stops_at_the_coverage_of_equation_16():
    X, y = table(d=12)
    fitted = DAF(n_probes=None, min_coverage=20, random_state=0).fit(X, y)
    having = fitted.probes_.toarray()
    least = np.minimum(having.cumsum(axis=0), (1 - having).cumsum(axis=0)).min(axis=1)
    assert least[-1] == 20
    assert least[-2] == 19
    capped = DAF(n_probes=10, min_coverage=20, random_state=0).fit(X, y)
    assert len(capped.probe_values_) == 10


def test_stops_at_the_time_limit_and_is_the_start_of_a_longer_run():
    X, y = table()
    timed = DAF(n_probes=None, time_limit=0.2, random_state=1).fit(X, y)
    n = len(timed.probe_values_)
    assert n > 0
    counted = DAF(n_probes=n, random_state=1).fit(X, y)
    np.testing.assert_array_equal(timed.probe_values_, counted.probe_values_)


def test_a_size_with_few_probes_borrows_its_deviation():
    X, y = table(d=40)
    fitted = DAF(2, n_probes=60, random_state=0).fit(X, y)
    assert np.isfinite(fitted.scores_).all()
    # Two probes of one size with nearly equal J must not drown everything else.
    probes, values = fitted.probes_, fitted.probe_values_.copy()
    assert np.abs(daf_scores(probes, values, 2)).max() < 100


def test_constant_criterion_scores_nothing():
    X, y = table()
    for variant in (0, 1, 2):
        fitted = DAF(variant, criterion=lambda X, y: 0.5, n_probes=50, random_state=0).fit(X, y)
        np.testing.assert_allclose(fitted.scores_, 0.0, atol=1e-12)


@pytest.mark.parametrize(
    "wrong",
    [
        {"variant": 3},
        {"n_probes": None},
        {"n_probes": 0},
        {"inclusion_probability": 1.0},
        {"inclusion_probability": 0.5, "max_subset_size": 3},
        {"max_subset_size": 0},
    ],
)
def test_refuses_settings_that_make_no_sense(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        DAF(**wrong).fit(*table())


def test_bif_ranks_by_each_feature_alone():
    X, y = table()
    fitted = BIF("nb").fit(X, y)
    J = criterion_for("nb", X, y, 3)
    np.testing.assert_array_equal(fitted.scores_, [J.one([f]) for f in range(7)])
    assert fitted.n_fits_ == 7 * 3
    assert fitted.order_[0] == 2


def madelon_type(seed: int, n: int = 500, d: int = 80):
    """Guyon's recipe: clusters on the corners of a cube of five dimensions, the class their
    parity; 15 more features are combinations of the five, the rest is noise."""
    random = np.random.default_rng(seed)
    corners = random.integers(0, 2, (n, 5))
    informative = 2.0 * corners - 1.0 + 0.35 * random.normal(size=(n, 5))
    redundant = informative @ random.uniform(-1, 1, (5, 15))
    X = np.hstack([informative, redundant, random.normal(size=(n, d - 20))])
    shuffled = random.permutation(d)
    return (X / X.std(axis=0))[:, shuffled], corners.sum(axis=1) % 2, shuffled < 20


@pytest.mark.slow
def test_daf_finds_what_bif_cannot_see():
    for seed in range(2):
        X, y, essential = madelon_type(seed)
        bif = BIF("knn3").fit(X, y)
        daf = DAF(0, "knn3", max_subset_size=40, n_probes=2000, random_state=seed).fit(X, y)
        assert essential[daf.order_[:20]].sum() >= 18
        assert essential[bif.order_[:20]].sum() <= 12
