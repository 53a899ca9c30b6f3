"""The SVM kernels against LIBSVM at a tight tolerance."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC
from synthetic import correlated, degenerate, group, noisy

from fslib.kernels.svm import dual, followed, interior, linear
from fslib.kernels.svm.active_set import ActiveSet, Lost
from fslib.kernels.svm.dual import TOLERANCE, binary_problems, box, solve_gram, try_gram
from fslib.kernels.svm.followed import FollowedSVM
from fslib.kernels.svm.interior import solve_interior
from fslib.kernels.svm.linear import linear_problems, solve

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


def violation(decision, signs, beta, C):
    """LIBSVM's stopping criterion, 0 at the optimum: the best bias lies between the largest
    residual of a β that may still rise and the smallest of one that may still fall."""
    low, high = box(signs, C)
    residual = signs - decision
    rising, falling = residual[beta < high], residual[beta > low]
    if not len(rising) or not len(falling):
        return 0.0
    return max(0.0, float(rising.max() - falling.min()))


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


def check_if_found(features, signs, C, start):
    """An active set may be lost, but must not be wrong."""
    try:
        found = ActiveSet(features, signs, C, start)
    except Lost:
        return
    check(features, signs, found.beta, C)


@pytest.mark.parametrize(("n", "d"), [(20, 200), (60, 60), (200, 20)])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_direct_call_and_svc_agree(monkeypatch, n, d, C):
    X, y = group(n, d, 5)
    gram = X @ X.T
    direct = solve_gram(gram, y, C)
    monkeypatch.setattr(dual, "_libsvm_fit", None)
    through_svc = solve_gram(gram, y, C)
    np.testing.assert_allclose(direct.beta, through_svc.beta, atol=1e-12 * C)
    assert direct.bias == pytest.approx(through_svc.bias, abs=1e-9)
    # LIBSVM keeps the kernel in single precision: that much more than its tolerance is its due.
    rounding = 2 * np.finfo(np.float32).eps * (np.abs(gram) @ np.abs(direct.beta)).max()
    assert violation(gram @ direct.beta, y, direct.beta, C) <= TOLERANCE + rounding
    assert not try_gram(gram, y, C, max_iter=1)[1]
    decision = SVC(kernel="linear", C=C, tol=1e-6).fit(X, y).decision_function(X)
    np.testing.assert_allclose(gram @ direct.beta + direct.bias, decision, atol=1e-3)


def test_changed_private_signature_falls_back(monkeypatch):
    def changed(gram, signs):
        raise AssertionError("not reached: the keyword arguments do not fit")

    X, y = group(20, 30, 5)
    expected = solve_gram(X @ X.T, y, 1.0)
    monkeypatch.setattr(dual, "_libsvm_fit", changed)
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
def test_an_active_set_from_the_solution_for_other_features(make, n, d):
    X, y = make(n, d, 3, seed=d) if make is group else make(n, d, seed=d)
    features = centred(X)
    before = solve_interior(features[: d // 2], y, 1.0).beta
    part = features[d // 4 :]
    solution = ActiveSet(part, y, 1.0, before)
    check(part, y, solution.beta, rtol=1e-4)
    expected = solve_interior(part, y, 1.0)
    np.testing.assert_allclose(solution.beta, expected.beta, atol=1e-5)
    assert solution.bias == pytest.approx(expected.bias, abs=1e-5)


@pytest.mark.parametrize("make", [group, noisy])
def test_an_active_set_follows_a_long_elimination_without_being_lost(make):
    n, d, last = 300, 800, 50
    X, y = make(n, d, 3, seed=1) if make is group else make(n, d, seed=1)
    features = centred(X)
    followed = ActiveSet(features, y, 1.0, solve_interior(features, y, 1.0).beta)
    for present in range(d - 1, last - 1, -1):
        followed.change(features[present], -1.0, features[:present])
        if present % 150 == 0:
            check(features[:present], y, followed.beta, rtol=1e-4)
    check(features[:last], y, followed.beta, rtol=1e-4)


@pytest.mark.parametrize("name", TABLES)
def test_degenerate_tables(name):
    X, y = TABLES[name]
    (problem,) = linear_problems(X, (y > 0).astype(int), "ovo")
    assert (problem.signs == y).all()
    features = problem.features
    check(features, y, solve(features, y, 1.0).beta)
    check_if_found(features, y, 1.0, np.random.default_rng(0).uniform(-1, 1, len(y)))
    solution = solve_interior(features, y, 1.0)
    if solution is not None:  # it may give up, but must not be wrong
        check(features, y, solution.beta)


@pytest.fixture
def always_followed(monkeypatch):
    """Features are followed whatever it costs; the fixture counts the SVMs solved afresh."""
    afresh = []
    monkeypatch.setattr(followed, "worth_following", lambda n_features, n_rows: True)
    monkeypatch.setattr(followed, "solve", lambda *a, **k: afresh.append(1) or solve(*a, **k))
    return afresh


@pytest.mark.parametrize("name", TABLES)
def test_features_of_degenerate_tables_come_and_go(always_followed, name):
    """Every feature removed and added again: each solution certified, by LIBSVM if it must be."""
    X, y = TABLES[name]
    (problem,) = linear_problems(X, (y > 0).astype(int), "ovo")
    features = problem.features
    svm = FollowedSVM(features, y, 1.0)
    check(features, y, svm.beta)
    for k in range(len(features) - 1, 0, -1):
        svm.change(features[k], -1.0, features[:k])
        check(features[:k], y, svm.beta)
    for k in range(1, len(features)):
        svm.change(features[k], 1.0, features[: k + 1])
        check(features[: k + 1], y, svm.beta)


@pytest.mark.parametrize("make", [group, noisy, correlated])
@pytest.mark.parametrize(("n", "d"), [(30, 150), (120, 150), (110, 60), (260, 60)])
def test_features_of_ordinary_tables_are_followed(always_followed, make, n, d):
    """Whether K is kept, given up on the way, or never there; with many features without help."""
    X, y = make(n, d, seed=5)
    features = centred(X)
    few = max(d - 30, n // 12)
    svm = FollowedSVM(features, y, 1.0)
    for k in range(d - 1, few - 1, -1):
        svm.change(features[k], -1.0, features[:k])
    check(features[:few], y, svm.beta, rtol=1e-4)
    for k in range(few, d):
        svm.change(features[k], 1.0, features[: k + 1])
    check(features, y, svm.beta, rtol=1e-4)
    assert svm.n_fits == 1 + 2 * (d - few)
    if d > n:
        assert len(always_followed) == 1


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
    solution = solve_interior(features, y, C)
    if solution is not None:
        check(features, y, solution.beta, C)
    check_if_found(features, y, C, rng.uniform(-C, C, n))
    if d > 1:
        svm = FollowedSVM(features[:-1], y, C)
        with patch.object(followed, "worth_following", lambda n_features, n_rows: True):
            svm.change(features[-1], 1.0, features)
            check(features, y, svm.beta, C)
            svm.change(features[-1], -1.0, features[:-1])
            check(features[:-1], y, svm.beta, C)


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
    solution = solve(features, y, 1.0)
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


def test_equal_weights_stay_equal_in_large_tables_of_few_values():
    """Two columns that are equal but for the order of the rows, which differ in nothing else."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (750, 3)).astype(float)
    X = np.vstack([X, X[:, [1, 0, 2]]])
    y = np.where(X.sum(axis=1) + np.tile(rng.normal(0, 0.7, 750), 2) > 1.5, 1.0, -1.0)
    features = centred(X)
    weights = features @ solve(features, y, 1.0).beta
    assert abs(weights[0] - weights[1]) <= 1e-9 * abs(weights[0])
    check(features, y, solve(features, y, 1.0).beta, rtol=1e-4)


def test_single_precision_changes_weights_by_rounding_only():
    X, y = noisy(80, 200, seed=2)
    features = centred(X)
    exact = features @ solve(features, y, 1.0).beta
    rounded = features @ solve(features.astype(np.float32), y, 1.0).beta
    np.testing.assert_allclose(rounded, exact, atol=1e-4 * np.abs(exact).max())


def lost(*problem):
    raise Lost


@pytest.mark.parametrize("unlimited", ["try_gram", "ActiveSet", "solve_interior"])
def test_every_way_leads_to_the_same_answer(monkeypatch, unlimited):
    """Whichever of the solvers in a row gets to give its answer."""
    X, y = noisy(150, 200, seed=3)
    features = centred(X)
    asked = []

    def gives_up(name, nothing):
        def solver(*problem):
            asked.append(name)
            return nothing(*problem)

        monkeypatch.setattr(linear, name, solver)

    if unlimited == "try_gram":
        monkeypatch.setattr(linear, "_as_long_as_an_interior_point", lambda n, rank: 1_000_000)
    else:
        gives_up("try_gram", lambda *problem: (try_gram(*problem)[0], False))
    if unlimited != "ActiveSet":
        gives_up("ActiveSet", lost)
    solution = solve(features, y, 1.0)
    check(features, y, solution.beta, rtol=1e-4)
    assert not solution.fallback
    expected = {"try_gram": 0, "ActiveSet": 1, "solve_interior": 2}
    assert len(asked) == expected[unlimited]


def test_what_nobody_can_certify_is_libsvms(monkeypatch):
    X, y = noisy(150, 20, seed=3)
    features = centred(X)
    monkeypatch.setattr(linear, "_as_long_as_an_interior_point", lambda n, rank: 1)
    monkeypatch.setattr(linear, "ActiveSet", lost)
    monkeypatch.setattr(linear, "solve_interior", lambda *problem: None)
    solution = solve(features, y, 1.0)
    check(features, y, solution.beta, rtol=1e-4)
    assert solution.fallback


def test_an_svm_has_one_solution_whatever_was_solved_before():
    """To the last bit: after hard problems, easy ones, and the same in another order."""
    shapes = [(150, 60), (150, 12), (60, 200), (200, 5), (300, 150), (1100, 30)]
    problems = []
    for seed, (n, d) in enumerate(shapes):
        for make in (noisy, correlated):
            X, y = make(n, d, seed=seed)
            problems.append((centred(X), y))

    def solved(order):
        return {i: solve(*problems[i], 1.0) for i in order}

    alone = solved(range(len(problems)))
    rng = np.random.default_rng(0)
    for order in (range(len(problems))[::-1], np.repeat(rng.permutation(len(problems)), 3)):
        for i, solution in solved(order).items():
            np.testing.assert_array_equal(solution.beta, alone[i].beta)
            assert solution.bias == alone[i].bias


def test_rows_taken_out_too_soon_come_back(monkeypatch):
    """Whatever is taken for settled, the answer is the one for all rows."""
    X, y = noisy(300, 40, seed=1)
    features = centred(X)
    expected = solve_interior(features, y, 1.0)
    monkeypatch.setattr(interior, "_SETTLED", 1e3)
    monkeypatch.setattr(interior, "_SETTLED_MOST", 1e3)
    hasty = solve_interior(features, y, 1.0)
    np.testing.assert_allclose(features @ hasty.beta, features @ expected.beta, atol=1e-6)
