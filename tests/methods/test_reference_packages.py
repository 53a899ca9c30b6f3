"""Methods known by name against their reference packages, or brute force from their papers.

skrebate, BorutaPy and mlxtend are the references. FCBF's Python packages do not follow the paper
(the one of scikit-feature cuts all uncertainties to whole numbers), and stability selection's does
not install any more: both are compared with the papers' definitions, written out here.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.feature_selection import RFE as ScikitRFE
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import mutual_info_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from fslib import CMIM, FCBF, RFE, SFFS, Boruta, Correlation, MultiSURF, ReliefF, StabilitySelection
from fslib.criteria.named import criterion_for
from fslib.methods.boruta import decided
from fslib.prepare import minmax


@pytest.fixture(scope="module")
def table() -> tuple[np.ndarray, np.ndarray]:
    """Continuous features; the classes are an exclusive or of the first and the fourth."""
    X = np.random.default_rng(0).normal(size=(120, 10)) * np.arange(1, 11)
    return X, (X[:, 0] * X[:, 3] > 0).astype(int)


# With more neighbours than a class has rows, skrebate counts a row as a hit of its own.
@pytest.mark.parametrize("k", [1, 7, 40])
def test_relieff_is_that_of_skrebate(k, table):
    skrebate = pytest.importorskip("skrebate")
    X, y = table
    theirs = skrebate.ReliefF(n_neighbors=k).fit(X.copy(), y).feature_importances_
    np.testing.assert_allclose(ReliefF(k).fit(X, y).scores_, theirs, atol=1e-14)


def test_relieff_of_three_equal_classes_is_that_of_skrebate(table):
    skrebate = pytest.importorskip("skrebate")
    X, y = table[0], np.arange(120) % 3
    theirs = skrebate.ReliefF(n_neighbors=5).fit(X.copy(), y).feature_importances_
    np.testing.assert_allclose(ReliefF(5).fit(X, y).scores_, theirs, atol=1e-14)


def test_multisurf_is_that_of_skrebate(table):
    skrebate = pytest.importorskip("skrebate")
    X, y = table
    theirs = skrebate.MultiSURF().fit(X.copy(), y).feature_importances_
    np.testing.assert_allclose(MultiSURF().fit(X, y).scores_, theirs, atol=1e-14)


def neighbours(distances, y, i, k):
    """The k nearest rows of each class, by row index on ties."""
    others = sorted((j for j in range(len(y)) if j != i), key=lambda j: (distances[i, j], j))
    return {c: [j for j in others if y[j] == c][:k] for c in np.unique(y)}


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
@settings(max_examples=15)
def test_relieff_by_its_definition(seed, k):
    """Unequal classes, ties between distances, and classes with fewer rows than k."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (24, 4)).astype(float)
    y = np.unique(np.concatenate([[0, 0, 1, 2], rng.integers(0, 3, 20)]), return_inverse=True)[1]
    share = np.bincount(y) / len(y)
    Z = minmax(X)
    distances = np.round(np.abs(Z[:, None] - Z).sum(axis=2), 10)
    expected = np.zeros(4)
    for i in range(len(y)):
        for c, near in neighbours(distances, y, i, k).items():
            factor = -1.0 if c == y[i] else share[c] / (1 - share[y[i]])
            if near:
                expected += factor * np.abs(Z[near] - Z[i]).mean(axis=0)
    np.testing.assert_allclose(ReliefF(k).fit(X, y).scores_, expected / len(y), atol=1e-12)


@pytest.mark.parametrize("k", [0, 2.5, "3", True])
def test_relieff_refuses_what_is_no_number_of_neighbours(k, table):
    with pytest.raises(ValueError, match="n_neighbors"):
        ReliefF(k).fit(*table)


def su(a, b) -> float:
    both = mutual_info_score(a, a) + mutual_info_score(b, b)
    return 2 * mutual_info_score(a, b) / both if both > 1e-12 else 0.0


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.05]))
@settings(max_examples=20)
def test_fcbf_by_its_definition(seed, threshold):
    """Figure 2 of Yu & Liu (2003), step by step; no tie is nearer than rounding."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 60)
    y[:2] = 0, 1
    X = np.column_stack([np.where(rng.random(60) < p, y, rng.integers(0, 3, 60)) for p in
                         rng.random(7)])  # fmt: skip
    with_class = [su(x, y) for x in X.T]
    ranked = sorted((f for f in range(7) if with_class[f] > threshold + 1e-12),
                    key=lambda f: (-round(with_class[f], 12), f))  # fmt: skip
    kept = []
    while ranked:
        kept.append(ranked.pop(0))
        ranked = [q for q in ranked if su(X[:, kept[-1]], X[:, q]) < with_class[q] - 1e-12]
    best = int(np.argmax(np.round(with_class, 12)))
    fcbf = FCBF(threshold).fit(X, y)
    assert fcbf.order_.tolist() == (kept or [best])
    np.testing.assert_allclose(fcbf.scores_, with_class, atol=1e-9)


def test_fcbf_finds_what_corral_hides_behind_a_correlated_feature():
    """Corral: (A0 and A1) or (B0 and B1), an irrelevant feature, one right in 3 of 4 rows."""
    bits = (np.arange(64)[:, None] >> np.arange(6)) & 1
    A0, A1, B0, B1, irrelevant, flip = bits.T
    y = (A0 & A1) | (B0 & B1)
    correlated = y ^ (irrelevant & flip)
    X = np.column_stack([A0, A1, B0, B1, irrelevant, correlated])
    assert FCBF().fit(X, y).order_.tolist() == [5, 0, 1, 2, 3]


@given(st.integers(1, 60), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_boruta_decides_as_borutapy_does(n_trials, seed):
    boruta = pytest.importorskip("boruta")
    rng = np.random.default_rng(seed)
    hits = rng.binomial(n_trials, rng.random(12))
    decisions = rng.integers(-1, 2, 12)
    theirs = boruta.BorutaPy(None, alpha=0.05)._do_tests(decisions.copy(), hits, n_trials)
    alive = decisions >= 0
    ours = decided(decisions[alive], hits[alive], n_trials, 0.05)
    np.testing.assert_array_equal(ours, theirs[alive])


@pytest.mark.slow
def test_boruta_confirms_what_borutapy_confirms():
    """Four features matter, eight do not; one of those follows a feature that does."""
    boruta = pytest.importorskip("boruta")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 12))
    X[:, 11] = X[:, 0] + rng.normal(size=150)
    y = (X[:, :4].sum(axis=1) > 0).astype(int)
    forest = RandomForestClassifier(n_estimators=60, max_depth=5)
    theirs = boruta.BorutaPy(forest, n_estimators=60, max_iter=40, random_state=0).fit(X, y)
    ours = Boruta(forest, n_trials=39, random_state=0).fit(X, y)
    np.testing.assert_array_equal(ours.decisions_ == 1, theirs.support_)
    assert {0, 1, 2, 3} <= set(ours.order_.tolist())
    assert (ours.scores_[ours.decisions_ == 1] > 0).all()
    assert ours.n_fits_ == ours.n_trials_ <= 39


def test_boruta_keeps_one_feature_where_none_matters():
    X, y = np.random.default_rng(0).random((40, 6)), np.arange(40) % 2
    boruta = Boruta(ExtraTreesClassifier(10), n_trials=25, random_state=0).fit(X, y)
    assert (boruta.decisions_ < 1).all()
    assert len(boruta.order_) >= 1


@pytest.mark.parametrize("n_top", [None, 3, 0.5])
def test_stability_selection_by_its_definition(n_top):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 8)), np.arange(60) % 2
    X[:, 2] += 1.5 * y
    selection = StabilitySelection(n_top=n_top, threshold=0.8, n_pairs=6, random_state=4)
    selection.fit(X, y)
    q = {None: 2, 3: 3, 0.5: 4}[n_top]  # sqrt(0.6 * 8) is 2.2
    counts = np.zeros(8)
    halves = StratifiedShuffleSplit(6, train_size=0.5, test_size=0.5, random_state=4)
    for pair in halves.split(X, y):
        assert not set(pair[0]) & set(pair[1])
        for rows in pair:
            counts[Correlation().fit(X[rows], y[rows]).order_[:q]] += 1
    np.testing.assert_array_equal(selection.scores_, counts / 12)
    assert set(selection.order_) == set(np.flatnonzero(counts / 12 >= 0.8)) | {counts.argmax()}
    assert selection.facts_["expected_noise_bound"] == pytest.approx(q**2 / (0.6 * 8))
    assert selection.order_[0] == 2


@pytest.mark.slow
@pytest.mark.parametrize("ranker", [CMIM(bins=3), ExtraTreesClassifier(20), LogisticRegression()])
def test_stability_selection_takes_any_ranking(ranker):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(50, 30)), np.arange(50) % 2
    X[:, 7] += 2 * y
    one, two = (
        StabilitySelection(ranker, n_pairs=5, n_jobs=jobs, random_state=0).fit(X, y)
        for jobs in (None, 2)
    )
    assert one.order_[0] == 7
    np.testing.assert_array_equal(one.scores_, two.scores_)


@pytest.mark.parametrize("wrong", [{"threshold": 0.5}, {"n_top": 0}, {"n_top": 31}, {"n_top": 2.5}])
def test_stability_selection_refuses(wrong):
    X, y = np.random.default_rng(0).random((20, 30)), np.arange(20) % 2
    with pytest.raises(ValueError, match=next(iter(wrong))):
        StabilitySelection(**wrong).fit(X, y)


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_rfe_eliminates_as_scikit_learn_does(step, n_classes):
    X, y = np.random.default_rng(1).normal(size=(80, 11)), np.arange(80) % n_classes
    X[:, 4] += y
    for estimator in (LogisticRegression(), LinearSVC(random_state=0, tol=1e-8)):
        ours = RFE(estimator, step=step, random_state=0).fit(X, y)
        theirs = ScikitRFE(estimator, n_features_to_select=1, step=step).fit(X, y)
        # Theirs does not order what is removed together.
        assert (np.diff(theirs.ranking_[ours.order_]) >= 0).all()


def test_rfe_removes_a_share_of_the_survivors():
    X, y = np.random.default_rng(1).normal(size=(60, 40)), np.arange(60) % 2
    X[:, 9] += y
    ranked = RFE(step=0.5, n_features_to_select=0.1).fit(X, y)
    assert ranked.path_.tolist() == [40, 20, 10, 5, 3, 2, 1]
    assert ranked.support_.sum() == 4
    assert sorted(ranked.order_.tolist()) == list(range(40))
    first = np.square(LogisticRegression().fit(X, y).coef_[0])
    assert set(ranked.order_[20:]) == set(np.argsort(first)[:20])


@pytest.mark.parametrize("step", [0, 1.0, -2, "third", True])
def test_rfe_refuses_other_steps(step, table):
    with pytest.raises(ValueError, match="step"):
        RFE(step=step).fit(*table)


def test_rfe_needs_weights(table):
    with pytest.raises(TypeError, match="KNeighborsClassifier has neither"):
        RFE(KNeighborsClassifier()).fit(*table)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("name", "model"), [("nb", GaussianNB()), ("knn3", KNeighborsClassifier(3))]
)
def test_sffs_finds_sets_as_good_as_those_of_mlxtend(name, model, seed):
    """The criterion is the same to the last bit. The searches differ: mlxtend's step back must beat
    the current set too. No search from one set to the next is always the better one, but on these
    tables ours is at no size worse.
    """
    mlxtend = pytest.importorskip("mlxtend.feature_selection")
    random = np.random.default_rng(seed)
    X = random.normal(size=(60, 8))
    y = (X[:, 1] + X[:, 4] * X[:, 6] + random.normal(size=60) > 0).astype(int)
    theirs = mlxtend.SequentialFeatureSelector(model, 8, floating=True, cv=3).fit(X, y).subsets_
    J = criterion_for(name, X, y, 3)
    values = [theirs[size]["avg_score"] for size in range(1, 9)]
    assert values == [J.one(np.array(theirs[size]["feature_idx"])) for size in range(1, 9)]
    assert (SFFS(name).fit(X, y).path_ >= values).all()
