"""Linear SVMs on many subsets of the same features against LIBSVM at a tight tolerance."""

import numpy as np
import pytest
from sklearn.svm import SVC
from synthetic import correlated, group, noisy
from test_svm import centred, duality_gap

from fslib.kernels.svm import gradient
from fslib.kernels.svm.dual import box
from fslib.kernels.svm.gradient import solve_together
from fslib.kernels.svm.linear import Problem, solve
from fslib.kernels.svm.stage import solve_subsets
from fslib.kernels.svm.subsets import draw_subsets

pytestmark = pytest.mark.filterwarnings("ignore:Solver terminated early")


def table(make, n, d, n_subsets, seed=0):
    X, y = make(n, d, seed=seed)
    subsets = draw_subsets(np.random.RandomState(seed), n_subsets, d, 0.5)
    return centred(X).astype(np.float32), y, subsets


def check(features, signs, subsets, betas, C=1.0):
    """Feasible, near-optimal by the duality gap, and of LIBSVM's weights to three digits."""
    low, high = box(signs, C)
    for subset, beta in zip(subsets, betas, strict=True):
        part = features[subset].astype(np.float64)
        assert (beta >= low - 1e-9 * C).all()
        assert (beta <= high + 1e-9 * C).all()
        assert abs(beta.sum()) <= 1e-8 * C * len(signs)
        assert duality_gap(part, signs, beta, C) <= 1e-5 * C * len(signs)
        model = SVC(kernel="linear", C=C, tol=1e-6, max_iter=1_000_000).fit(part.T, signs)
        expected = model.coef_[0]
        np.testing.assert_allclose(part @ beta, expected, atol=1e-5 + 1e-3 * np.abs(expected).max())


@pytest.mark.parametrize(("n", "d"), [(140, 600), (200, 300), (200, 120)])
@pytest.mark.parametrize("make", [group, noisy])
def test_gradients_are_libsvm_to_three_digits(monkeypatch, make, n, d):
    features, y, subsets = table(make, n, d, 9)
    monkeypatch.setattr(gradient, "_budget", lambda n, size: 3000)
    betas, solved = solve_together(features, y, subsets, 1.0)
    assert solved.mean() > 0.7
    check(features, y, subsets[solved], betas[solved])


def test_gradients_give_up_on_correlated_features_and_say_so(monkeypatch):
    features, y, subsets = table(correlated, 300, 400, 6)
    products = []
    times_gram = gradient._times_gram
    monkeypatch.setattr(gradient, "_times_gram", lambda *a: products.append(1) or times_gram(*a))
    _, solved = solve_together(features, y, subsets, 1.0)
    assert not solved.any()
    assert len(products) < gradient._budget(300, 200)


def test_an_answer_that_is_not_certified_is_not_taken(monkeypatch):
    """A violation that is taken for small leaves a gap that is not."""
    features, y, subsets = table(group, 200, 300, 9)
    monkeypatch.setattr(gradient, "_TOLERANCE", 0.5)
    betas, solved = solve_together(features, y, subsets, 1.0)
    assert betas.any(axis=1).all()
    assert not solved.any()
    betas, n_fallbacks = solve_subsets(features, y, subsets, 1.0)
    assert n_fallbacks == 0
    check(features, y, subsets, betas)


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("make", [group, noisy, correlated])
@pytest.mark.parametrize(("n", "d"), [(60, 100), (150, 200), (150, 40), (150, 16)])
def test_every_subset_is_libsvms(make, n, d, C):
    features, y, subsets = table(make, n, d, 6, seed=d)
    betas, n_fallbacks = solve_subsets(features, y, subsets, C)
    assert n_fallbacks == 0
    check(features, y, subsets, betas, C)


def test_constant_features_have_no_weight():
    y = np.where(np.arange(150) % 2 == 0, 1.0, -1.0)
    subsets = draw_subsets(np.random.RandomState(0), 9, 100, 0.5)
    betas, n_fallbacks = solve_subsets(np.zeros((100, 150), np.float32), y, subsets, 1.0)
    assert n_fallbacks == 0
    assert (betas == y).all()


def test_equal_subsets_are_solved_once(monkeypatch):
    features, y, _ = table(group, 60, 15, 1)
    masks = np.zeros((50, 15), dtype=bool)
    for i, mask in enumerate(masks):
        mask[[i % 3, 4 + i % 2]] = True
    tried = []
    by_libsvm = Problem.by_libsvm
    monkeypatch.setattr(Problem, "by_libsvm", lambda *a: tried.append(a) or by_libsvm(*a))
    betas, _ = solve_subsets(features, y, masks, 1.0)
    assert len(tried) == 6
    for mask, beta in zip(masks, betas, strict=True):
        alone = solve(features[mask], y, 1.0).beta
        np.testing.assert_allclose(features[mask] @ beta, features[mask] @ alone, atol=1e-4)


def test_a_stage_has_one_answer_whatever_was_solved_before():
    """To the last bit, and one way per subset: every way is asked for somewhere here."""
    tables = [
        table(make, n, d, 12, seed=n)
        for make in (group, noisy, correlated)
        for n, d in ((150, 300), (150, 100), (60, 100), (200, 20))
    ]
    alone = [solve_subsets(*one, 1.0)[0] for one in tables]
    for i in np.random.default_rng(0).permutation(len(tables)):
        np.testing.assert_array_equal(solve_subsets(*tables[i], 1.0)[0], alone[i])
