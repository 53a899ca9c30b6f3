"""Predictions from the best k features, for every wanted k: v-curves and what they show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from fslib.kernels.lssvm import bordered_solution, rbf_kernel
from fslib.kernels.svm.curve import linear_curve, rbf_curve
from fslib.run.spelling import nearest

Curve = Callable[..., np.ndarray]

#: Distances held at a time by the nearest-neighbour curve; about what a core's cache holds.
_BLOCK = 1 << 15


def _nearest(n_neighbours: int, X_train, y_train, X_test, sizes) -> np.ndarray:
    """Nearest neighbours; the lower row on equal distances, the lower class on equal votes.

    Squared distances are summed feature by feature, in the same order for every k.
    """
    train, test = np.ascontiguousarray(X_train.T), np.ascontiguousarray(X_test.T)
    n_test, n_train = test.shape[1], train.shape[1]
    labels = np.empty((min(n_neighbours, n_train), len(sizes), n_test), dtype=y_train.dtype)
    block = max(1, _BLOCK // (n_test * n_train))
    scratch = np.empty((block, n_test, n_train))
    squares = np.empty((n_test, n_train))
    left, right = np.full((n_test, 2), -1.0), np.ones((2, n_train))
    distances, reached = np.zeros((n_test, n_train)), 0
    for start in range(0, len(sizes), block):
        lines = sizes[start : start + block]
        for grown, k in zip(scratch, lines, strict=False):
            for j in range(reached, k):
                # The differences as a product: as exact as by broadcasting, in a third of the time.
                left[:, 0], right[1] = test[j], train[j]
                np.dot(left, right, out=squares)
                squares *= squares
                distances = np.add(distances, squares, out=grown)
            reached = k
        rows = scratch[: len(lines)].reshape(-1, n_train)
        row_start, flat, taken = np.arange(len(rows)) * n_train, rows.reshape(-1), []
        for of_neighbour in labels[:, start : start + len(lines)]:
            closest = rows.argmin(axis=1)
            of_neighbour[:] = y_train.take(closest).reshape(of_neighbour.shape)
            closest += row_start
            taken.append((closest, flat.take(closest)))
            flat.put(closest, np.inf)
        for closest, distance in taken:  # the next lines go on from these distances
            flat.put(closest, distance)
    classes = np.unique(y_train)
    return classes[_most_likely(np.stack([(labels == c).sum(axis=0) for c in classes]))]


def _gaussian_nb(X_train, y_train, X_test, sizes) -> np.ndarray:
    """Gaussian naive Bayes; the likelihood of k features is a cumulative sum.

    The smoothing of variances, 1e-9 of the largest among the k features, changes with k: the sums
    are taken anew for each stretch of sizes with the same smoothing.
    """
    sizes = np.asarray(sizes)
    width = sizes[-1]
    classes, counts = np.unique(y_train, return_counts=True)
    members = [X_train[y_train == c, :width] for c in classes]
    means = np.stack([m.mean(axis=0) for m in members])
    for deviations, mean in zip(members, means, strict=True):
        deviations -= mean
        deviations *= deviations
    variances = np.stack([squared.mean(axis=0) for squared in members])
    shares = counts / len(y_train)
    overall = shares @ (variances + (means - shares @ means) ** 2)
    smoothing = 1e-9 * np.maximum.accumulate(overall)[sizes - 1]
    test = np.ascontiguousarray(X_test[:, :width].T)
    squares = [(test - mean[:, None]) ** 2 for mean in means]
    likelihoods = np.empty((len(classes), len(sizes), len(X_test)))
    with np.errstate(divide="ignore", invalid="ignore"):
        for epsilon in np.unique(smoothing):
            lines = np.flatnonzero(smoothing == epsilon)
            first, last = sizes[lines[0]], sizes[lines[-1]]
            for c, count in enumerate(counts):
                spread = variances[c, :last] + epsilon
                logarithms = np.log(2.0 * np.pi * spread)
                terms = squares[c][first - 1 : last] / spread[first - 1 :, None]
                terms += logarithms[first - 1 :, None]
                terms[0] += (1.0 / spread[: first - 1]) @ squares[c][: first - 1]
                terms[0] += logarithms[: first - 1].sum()
                np.cumsum(terms, axis=0, out=terms)
                likelihoods[c, lines] = (
                    np.log(count / len(y_train)) - 0.5 * terms[sizes[lines] - first]
                )
    return classes[_most_likely(likelihoods)]


def _most_likely(likelihoods) -> np.ndarray:
    """``argmax`` along the first axis, which is a short one: numpy's own is slow there."""
    best, greatest = np.zeros(likelihoods.shape[1:], dtype=np.intp), likelihoods[0].copy()
    for c, likelihood in enumerate(likelihoods[1:], start=1):
        # As in numpy, the first NaN comes before all numbers.
        np.copyto(best, c, where=~(likelihood <= greatest) & ~np.isnan(greatest))
        np.maximum(greatest, likelihood, out=greatest)
    return best


def _categorical_nb(X_train, y_train, X_test, sizes) -> np.ndarray:
    """Naive Bayes on codes 0, 1, … with Laplace smoothing 1.

    A code above all training codes of its column has count zero; scikit-learn would refuse it.
    """
    sizes = np.asarray(sizes)
    width = sizes[-1]
    train, test = X_train[:, :width].astype(np.intp), X_test[:, :width].astype(np.intp)
    for codes, values in ((train, X_train), (test, X_test)):
        if (codes != values[:, :width]).any() or (codes.size and codes.min() < 0):
            raise ValueError("nb_categorical needs codes 0, 1, 2, …; discretise the table first.")
    n_codes = train.max(axis=0) + 1
    # One column of zeros above the highest training code takes every unseen one.
    room = n_codes.max() + 1
    columns = np.arange(width) * room
    classes, class_counts = np.unique(y_train, return_counts=True)
    seen = columns + np.minimum(test, room - 1)
    likelihoods = np.empty((len(classes), len(sizes), len(X_test)))
    for c, count in enumerate(class_counts):
        members = (columns + train[y_train == classes[c]]).ravel()
        counts = np.bincount(members, minlength=width * room).reshape(width, room)
        table = np.log(counts + 1.0) - np.log(count + n_codes)[:, None]
        likelihoods[c] = (
            np.log(count)
            - np.log(len(y_train))
            + table.ravel()[seen].cumsum(axis=1)[:, sizes - 1].T
        )
    return classes[_most_likely(likelihoods)]


def _least_squares(X_train, y_train, X_test, sizes, C=1.0, gamma=None) -> np.ndarray:
    """A least-squares SVM with bias: linear, or with kernel exp(−gamma ‖x − z‖²/k)."""
    classes = np.unique(y_train)
    if len(classes) > 2:
        raise ValueError(f"lssvm separates two classes; the training rows have {len(classes)}.")
    signs = np.where(y_train == classes[0], 1.0, -1.0)
    n = len(X_train)
    points = np.vstack([X_train, X_test])
    predicted = np.empty((len(sizes), len(X_test)), dtype=y_train.dtype)
    for line, k in zip(predicted, sizes, strict=True):
        kernel = points[:, :k] @ points[:n, :k].T
        if gamma is not None:
            squares = np.einsum("ij,ij->i", points[:, :k], points[:, :k])
            distances = squares[:, None] + squares[:n] - 2.0 * kernel
            kernel = rbf_kernel(np.maximum(distances, 0.0), gamma, k)
        alpha, bias = bordered_solution(kernel[:n].copy(), signs, C)
        line[:] = classes[(kernel[n:] @ alpha + bias < 0).astype(int)]
    return predicted


#: Curve functions by the names used in studies.
CLASSIFIERS: dict[str, Curve] = {
    "knn1": partial(_nearest, 1),
    "knn3": partial(_nearest, 3),
    "lssvm": _least_squares,
    "nb": _gaussian_nb,
    "nb_categorical": _categorical_nb,
    "svm_linear": linear_curve,
    "svm_rbf": rbf_curve,
    "svm_rbf_tuned": rbf_curve,
}

#: Parameters that a classifier takes over from the facts of a selection that chose them.
TAKEN_OVER = {"lssvm": ("C", "gamma")}

#: Criteria that choose a classifier's parameters, once on all features.
_TUNED_BY = {"svm_rbf_tuned": "svm_rbf"}


def tuned_settings(classifier: str, X_train, y_train) -> dict[str, float]:
    """Parameters that are chosen on all features, by three folds of the training rows.

    ``svm_rbf_tuned`` takes C from 1, 10, 100 and gamma from 1/4, 1, 4 over the number of features
    times their variance. No other classifier has any.
    """
    if classifier not in _TUNED_BY or (y_train == y_train[0]).all():
        return {}
    from fslib.criteria.named import criterion_for

    return criterion_for(_TUNED_BY[classifier], X_train, y_train, 3).params


def predict_curve(
    classifier: str, X_train, y_train, X_test, sizes, settings: Mapping[str, float] | None = None
) -> np.ndarray:
    """Class codes predicted for ``X_test`` from the first ``sizes[i]`` columns, one row per size.

    The columns are in rank order. Each row is what scikit-learn's classifier, trained on those
    columns alone, predicts: ``knn1`` and ``knn3`` KNeighborsClassifier(1 and 3), ``nb`` GaussianNB,
    ``nb_categorical`` CategoricalNB, ``svm_linear`` SVC(kernel="linear") and ``svm_rbf``
    SVC(gamma="auto"), these two with C = 1 and solved to 1e-6; ``lssvm`` RidgeClassifier(1/C).
    ``settings`` are a classifier's parameters, where the selection or ``tuned_settings`` has chosen
    them; without any, ``svm_rbf_tuned`` is ``svm_rbf``.

    Examples
    --------
    >>> predict_curve("knn3", [[0, 5], [1, 9], [8, 5], [9, 9]], [0, 0, 1, 1], [[0, 7]], [1, 2])
    array([[0],
           [0]])
    """
    if classifier not in CLASSIFIERS:
        raise ValueError(f"unknown classifier {classifier!r}{nearest(classifier, CLASSIFIERS)}")
    X_train, X_test = np.asarray(X_train, dtype=float), np.asarray(X_test, dtype=float)
    y_train = np.asarray(y_train)
    ascending, lines = np.unique(np.asarray(sizes, dtype=np.intp), return_inverse=True)
    if not len(ascending) or not len(X_test):
        return np.empty((len(ascending), len(X_test)), dtype=y_train.dtype)
    if not 1 <= ascending[0] <= ascending[-1] <= X_train.shape[1]:
        raise ValueError(f"sizes must lie in 1..{X_train.shape[1]}, got {list(sizes)}.")
    if (y_train == y_train[0]).all():
        return np.full((len(lines), len(X_test)), y_train[0])
    return CLASSIFIERS[classifier](
        X_train, y_train, X_test, ascending.tolist(), **(settings or {})
    )[lines]


def peak(values, sizes) -> dict[str, float]:
    """Where the mean of v-curves is highest, how high, and how much the curves differ there.

    ``values`` has one curve per row. The location is the smallest size on ties; the deviation is
    that of the population, as in the paper; the baseline is the value at the largest size.

    References
    ----------
    Chang & Chen (2009), TR-IIS-09-010, section 3.2.

    Examples
    --------
    >>> peak([[0.5, 0.9, 0.7], [0.7, 0.9, 0.9]], sizes=[1, 2, 3])
    {'location': 2, 'value': 0.9, 'deviation': 0.0, 'baseline': 0.8}
    """
    values, sizes = np.asarray(values, dtype=float), np.asarray(sizes)
    mean = values.mean(axis=0)
    best = np.lexsort((sizes, -_rounded(mean)))[0]
    return {
        "location": int(sizes[best]),
        "value": float(mean[best]),
        "deviation": float(values[:, best].std()),
        "baseline": float(mean[sizes.argmax()]),
    }


def stable_pairs(values, tolerance: float = 0.001) -> int | None:
    """Γ: after how many curves the peak of their mean stays where it is.

    The smallest T such that the peak values of the mean over the first M and the first N curves
    differ by less than ``tolerance`` for all M, N in T .. T + 4; None with too few curves to tell.

    References
    ----------
    Chang & Chen (2009), TR-IIS-09-010, section 3.2.

    Examples
    --------
    >>> stable_pairs([[0.9], [0.7], [0.8], [0.8], [0.8], [0.8], [0.8]])
    2
    """
    values = np.asarray(values, dtype=float)
    means = np.cumsum(values, axis=0) / np.arange(1, len(values) + 1)[:, None]
    peaks = means.max(axis=1)
    for start in range(len(peaks) - 4):
        if np.ptp(peaks[start : start + 5]) < tolerance:
            return start + 1
    return None


def _rounded(mean: np.ndarray) -> np.ndarray:
    """Means of the same accuracies, summed in another order, must tie."""
    return np.round(mean, 12)
