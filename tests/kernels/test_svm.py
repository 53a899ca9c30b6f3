"""The SVM kernels against LIBSVM at a tight tolerance."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC
from synthetic import correlated, degenerate, group, noisy

from fslib.kernels import svm_dual, svm_interior, svm_linear
from fslib.kernels.svm_dual import binary_problems, box, solve_gram, violation
from fslib.kernels.svm_exchange import solve_by_exchange
from fslib.kernels.svm_interior import solve_interior
from fslib.kernels.svm_linear import LinearSolver, linear_problems
from fslib.kernels.svm_newton import solve_newton
from fslib.kernels.svm_path import SVMPath

# SVC is stopped where it would not end; what it has then is still a bound.
pytestmark = pytest.mark.filterwarnings("ignore:Solver terminated early")

TABLES = {name: (X, y) for name, X, y in degenerate()}


def centred(X):
    return np.ascontiguousarray((X - X.mean(axis=0)).T)


def reference(features, signs, C=1.0):
    """SVC; much below this tolerance its single-precision kernel can keep it going for ever."""
    model = SVC(kernel="linear", C=C, tol=1e-5, max_iter=1_000_000)
    return model.fit(features.T, signs)


def objective(features, signs, beta):
    weights = features @ beta
    return 0.5 * weights @ weights - signs @ beta


def duality_gap(features, signs, beta, C):
    """From the definition; the hinge losses are convex in b with corners at y - w·x.

    A Σβ that is not quite 0 may make the dual objective too good by |b| times as much.
    """
    weights = features @ beta
    residuals = signs - weights @ features
    losses = [np.maximum(0, signs * (residuals - b)).sum() for b in residuals]
    bias = np.abs(residuals[np.argmin(losses)])
    gap = 0.5 * weights @ weights + C * min(losses) + objective(features, signs, beta)
    return gap + bias * abs(beta.sum())


def check(features, signs, beta, C=1.0, rtol=1e-3):
    """Feasible, near-optimal by its own duality gap, no worse than LIBSVM, of the same weights."""
    low, high = box(signs, C)
    assert (beta >= low - 1e-9 * C).all()
    assert (beta <= high + 1e-9 * C).all()
    assert abs(beta.sum()) <= 1e-8 * C * len(signs)
    ours = duality_gap(features, signs, beta, C)
    assert ours <= 2e-6 * C * len(signs)
    model = reference(features, signs, C)
    theirs = np.zeros(len(signs))
    theirs[model.support_] = model.dual_coef_[0]
    best = objective(features, signs, theirs)
    assert objective(features, signs, beta) <= best + 1e-6 * max(C * len(signs), abs(best))
    # A gap of ε fixes weights to (2ε)^½ only. Where SVC's gap, or one of ours that is next to
    # nothing, does not fix vanishing weights, nothing more can be asked.
    gap = max(duality_gap(features, signs, theirs, C), min(ours, 1e-9 * C * len(signs)), 0.0)
    gap += 1e-14 * C * len(signs)
    atol = max(rtol * np.abs(model.coef_).max(), np.sqrt(2 * gap))
    np.testing.assert_allclose(features @ beta, model.coef_[0], rtol=0, atol=atol)


@pytest.mark.parametrize(("n", "d"), [(20, 200), (60, 60), (200, 20)])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_direct_call_and_svc_agree(monkeypatch, n, d, C):
    X, y = group(n, d, 5)
    gram = X @ X.T
    direct = solve_gram(gram, y, C)
    monkeypatch.setattr(svm_dual, "_libsvm_fit", None)
    through_svc = solve_gram(gram, y, C)
    np.testing.assert_allclose(direct.beta, through_svc.beta, atol=1e-12 * C)
    assert direct.bias == pytest.approx(through_svc.bias, abs=1e-9)
    # LIBSVM keeps the kernel in single precision: that much more than its tolerance is its due.
    rounding = 2 * np.finfo(np.float32).eps * (np.abs(gram) @ np.abs(direct.beta)).max()
    assert violation(gram @ direct.beta, y, direct.beta, C) <= svm_dual.TOLERANCE + rounding
    assert not svm_dual.try_gram(gram, y, C, max_iter=1)[1]
    decision = SVC(kernel="linear", C=C, tol=1e-6).fit(X, y).decision_function(X)
    np.testing.assert_allclose(gram @ direct.beta + direct.bias, decision, atol=1e-3)


def test_changed_private_signature_falls_back(monkeypatch):
    def changed(gram, signs):
        raise AssertionError("not reached: the keyword arguments do not fit")

    X, y = group(20, 30, 5)
    expected = solve_gram(X @ X.T, y, 1.0)
    monkeypatch.setattr(svm_dual, "_libsvm_fit", changed)
    np.testing.assert_allclose(solve_gram(X @ X.T, y, 1.0).beta, expected.beta, atol=1e-12)


@pytest.mark.parametrize(("n", "d"), [(200, 3), (300, 40), (300, 120), (1200, 30)])
@pytest.mark.parametrize("make", [group, noisy])
def test_interior_point_is_libsvm_to_four_digits(make, n, d):
    X, y = make(n, d, 3, seed=d) if make is group else make(n, d, seed=d)
    features = centred(X)
    solution = solve_interior(features, y, 1.0)
    assert solution is not None
    check(features, y, solution.beta, rtol=1e-4)
    decision = reference(features, y).decision_function(X - X.mean(axis=0))
    np.testing.assert_allclose(
        solution.beta @ (features.T @ features) + solution.bias, decision, atol=2e-3
    )


@pytest.mark.parametrize(
    ("make", "n", "d"), [(group, 200, 40), (group, 60, 200), (noisy, 120, 300)]
)
def test_newton_from_the_solution_for_other_features(make, n, d):
    X, y = make(n, d, 3, seed=d) if make is group else make(n, d, seed=d)
    features = centred(X)
    before = solve_interior(features[: d // 2], y, 1.0).beta
    solution = solve_newton(features[d // 4 :], y, np.ones(n), before)
    assert solution is not None
    check(features[d // 4 :], y, solution.beta, rtol=1e-4)
    expected = solve_interior(features[d // 4 :], y, 1.0)
    np.testing.assert_allclose(solution.beta, expected.beta, atol=1e-5)
    assert solution.bias == pytest.approx(expected.bias, abs=1e-5)


@pytest.mark.parametrize("name", TABLES)
def test_degenerate_tables(name):
    X, y = TABLES[name]
    (problem,) = linear_problems(X, (y > 0).astype(int), "ovo")
    assert (problem.signs == y).all()
    check(problem.features, y, LinearSolver(1.0).solve(problem.features, y).beta)
    guess = np.random.default_rng(0).uniform(-1, 1, len(y))
    for solution in (
        solve_interior(problem.features, y, 1.0),
        solve_newton(problem.features, y, np.ones(len(y)), guess),
    ):
        if solution is not None:  # they may give up, but must not be wrong
            check(problem.features, y, solution.beta)


@pytest.mark.parametrize("name", TABLES)
def test_path_through_degenerate_tables(name):
    """Every feature removed and added again: each certified, by LIBSVM where it must be."""
    X, y = TABLES[name]
    (problem,) = linear_problems(X, (y > 0).astype(int), "ovo")
    features = problem.features
    path = SVMPath(features, y, 1.0)
    check(features, y, path.beta)
    for k in range(len(features) - 1, 0, -1):
        path.remove(features[k], features[:k])
        check(features[:k], y, path.beta)
    for k in range(1, len(features)):
        path.add(features[k], features[: k + 1])
        check(features[: k + 1], y, path.beta)


@pytest.mark.parametrize(("n", "d"), [(30, 150), (120, 150), (1100, 8)])
def test_path_needs_no_help_on_ordinary_tables(n, d):
    """Also above the number of rows for which a Gram matrix is kept."""
    X, y = group(n, d, 5)
    features = centred(X)
    few = max(2, min(d - 4, d - 30))
    path = SVMPath(features, y, 1.0)
    for k in range(d - 1, few - 1, -1):
        path.remove(features[k], features[:k])
    check(features[:few], y, path.beta, rtol=1e-4)
    for k in range(few, d):
        path.add(features[k], features[: k + 1])
    check(features, y, path.beta, rtol=1e-4)
    if d > n:
        assert path.n_fallbacks == 0


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 30),
    d=st.integers(1, 20),
    C=st.sampled_from([0.1, 1.0, 10.0]),
    levels=st.sampled_from([2, 5, 1000]),
)
def test_any_small_table(seed, n, d, C, levels):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (n, d)) / levels
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = 1, -1
    features = centred(X)
    path = SVMPath(features, y, C)
    check(features, y, path.beta, C)
    if d > 1:
        path.remove(features[-1], features[:-1])
        check(features[:-1], y, path.beta, C)
    interior = solve_interior(features, y, C)
    if interior is not None:
        check(features, y, interior.beta, C)
    newton = solve_newton(features, y, np.full(n, C), rng.uniform(-C, C, n))
    if newton is not None:
        check(features, y, newton.beta, C)


def test_two_class_problems():
    y = np.array([0, 1, 2, 2])
    pairs = [(rows.tolist(), signs.tolist()) for rows, signs in binary_problems(y, "ovo")]
    assert pairs == [([0, 1], [-1, 1]), ([0, 2, 3], [-1, 1, 1]), ([1, 2, 3], [-1, 1, 1])]
    rest = [signs.tolist() for _, signs in binary_problems(y, "ovr")]
    assert rest == [[1, -1, -1, -1], [-1, 1, -1, -1], [-1, -1, 1, 1]]
    assert len(binary_problems(np.array([0, 1, 1]), "ovr")) == 1
    with pytest.raises(ValueError, match="'ovo' or 'ovr'"):
        binary_problems(y, "all")


def test_equal_rows_count_as_one():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 5)).astype(float)
    y = np.where(X[:, 0] + X[:, 1] + rng.normal(0, 0.7, 300) > 1, 1.0, -1.0)
    features = centred(X)
    solution = LinearSolver(1.0).solve(features, y)
    check(features, y, solution.beta, rtol=1e-4)
    kinds, group, counts = np.unique(
        np.column_stack([X, y]), axis=0, return_inverse=True, return_counts=True
    )
    assert len(kinds) < 80
    merged = centred(X)[:, [np.flatnonzero(group == g)[0] for g in range(len(kinds))]]
    signs, counts = kinds[:, -1].copy(), counts.astype(float)
    for other in (
        solve_gram(merged.T @ merged, signs, 1.0, counts=counts),
        solve_interior(merged, signs, counts),
    ):
        np.testing.assert_allclose(merged @ other.beta, features @ solution.beta, atol=1e-4)


def test_single_precision_changes_weights_by_rounding_only():
    X, y = noisy(80, 200, seed=2)
    features = centred(X)
    exact = features @ LinearSolver(1.0).solve(features, y).beta
    rounded = features @ LinearSolver(1.0, 1e-5).solve(features.astype(np.float32), y).beta
    np.testing.assert_allclose(rounded, exact, atol=1e-4 * np.abs(exact).max())


@pytest.mark.parametrize(("misses", "expected"), [([2], 1), ([0], 5), ([1, 2], 4)])
def test_libsvm_goes_first_while_it_has_not_missed_more_often_than_not(
    monkeypatch, misses, expected
):
    """Of five SVMs on the same rows, how many the interior point solves."""
    X, y = noisy(60, 200, seed=3)
    features = centred(X)
    tries, by_interior = [], []

    def try_gram(gram, signs, C, max_iter, *others):
        tries.append(1)
        return svm_dual.solve_gram(gram, signs, C), None if len(tries) - 1 in misses else 1

    def interior(*problem):
        by_interior.append(1)
        return solve_interior(*problem)

    monkeypatch.setattr(svm_linear, "try_gram", try_gram)
    monkeypatch.setattr(svm_linear, "solve_interior", interior)
    monkeypatch.setattr(svm_linear, "solve_newton", lambda *problem: None)
    solver = LinearSolver(1.0)
    for start in range(5):
        part = features[start : start + 150]
        check(part, y, solver.solve(part, y).beta)
    assert len(by_interior) == expected


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 40),
    C=st.sampled_from([1e-3, 1.0, 100.0]),
    share=st.floats(0.0, 1.0),
)
def test_exchanges_end_in_the_solution_or_in_none(seed, n, C, share):
    """From any guess, near or far; where rows are at their bound there is nothing to find."""
    X, y = correlated(n, 120, seed=seed)
    features = centred(X)
    gram = features.T @ features
    expected = solve_gram(gram, y, C)
    guess = np.where(np.random.default_rng(seed).random(n) < share, 1.0, expected.beta)
    found = solve_by_exchange(gram, y, C, guess)
    if found is not None:
        assert violation(gram @ found.beta, y, found.beta, C) < 1e-7
        check(features, y, found.beta, C, rtol=1e-4)
    if share == 0.0 and np.abs(expected.beta).max() < 0.99 * C:
        assert found is not None
    if np.abs(expected.beta).max() == C:
        assert found is None


@pytest.mark.parametrize("gram", [np.zeros((4, 4)), np.ones((4, 4)), np.full((4, 4), np.nan)])
@pytest.mark.parametrize("start", [np.zeros(4), np.array([0.5, -0.5, 0.5, -0.5])])
def test_exchanges_find_nothing_where_rows_are_equal_or_none_is_free(gram, start):
    signs = np.array([1.0, -1.0, 1.0, -1.0])
    assert solve_by_exchange(gram, signs, 1.0, start) is None


def test_exchanges_go_first_where_libsvm_labours_and_no_row_is_at_its_bound(monkeypatch):
    """Of thirty SVMs on the same rows, how many LIBSVM gets."""
    X, y = correlated(50, 2000)
    features = centred(X)
    rng = np.random.default_rng(0)
    subsets = [rng.permutation(2000)[:1000] for _ in range(30)]

    def by_libsvm(C):
        tries = []

        def counted(*problem):
            tries.append(1)
            return svm_dual.try_gram(*problem)

        monkeypatch.setattr(svm_linear, "try_gram", counted)
        solver = LinearSolver(C)
        for subset in subsets:
            part = features[subset]
            check(part, y, solver.solve(part, y).beta, C, rtol=1e-4)
        return len(tries)

    assert by_libsvm(1.0) < 10
    assert by_libsvm(1e-3) == 30  # all rows are at their bound
    monkeypatch.setattr(svm_linear, "_LABORIOUS", 1000)
    assert by_libsvm(1.0) == 30


def test_rows_taken_out_too_soon_come_back(monkeypatch):
    """Whatever is taken for settled, the answer is the one for all rows."""
    X, y = noisy(300, 40, seed=1)
    features = centred(X)
    expected = solve_interior(features, y, 1.0)
    monkeypatch.setattr(svm_interior, "_SETTLED", 1e3)
    monkeypatch.setattr(svm_interior, "_SETTLED_MOST", 1e3)
    hasty = solve_interior(features, y, 1.0)
    np.testing.assert_allclose(features @ hasty.beta, features @ expected.beta, atol=1e-6)
