"""The length at which a ranking is cut, by cross-validation on the rows it was made from."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import StratifiedKFold

from fslib.base import Ranking
from fslib.methods._validated import Validated, check_classifier, ranked_curve, seeded
from fslib.registry import register


@register
class BestPrefix(Validated):
    """Keep the first k features of a ranking, with the k that cross-validation likes best.

    Every fold ranks the features anew on its training rows; the k with the highest mean accuracy
    on the left-out rows, the smallest on ties, cuts the ranking of all rows.

    Parameters
    ----------
    ranker : selector, estimator or function
        What ranks features: a selector of this library, any other with ``scores_``, ``ranking_`` or
        the like, an estimator with ``coef_`` or ``feature_importances_``, or a function that gives
        scores, such as ``f_classif``; ``Correlation()`` by default.
    classifier : str or classifier
        A classifier's name, as in studies (``fslib.evaluate.classifiers``), or any scikit-learn
        classifier, which is trained once per fold and size.
    cv : int
        Stratified folds; fewer where no class has that many rows, but at least two.
    max_size : int, optional
        The largest k that is tried; as many as the ranker ranks by default.
    random_state : int, RandomState instance or None
        Draws the folds; an integer also seeds, fold by fold, a ranker with a ``random_state``.

    Attributes
    ----------
    path_ : mean accuracy for k = 1, 2, …

    Examples
    --------
    >>> import numpy as np
    >>> from fslib import BestPrefix, Correlation
    >>> X = np.random.default_rng(0).random((200, 10))
    >>> chosen = BestPrefix(Correlation(), classifier="svm_linear", random_state=0)
    >>> sorted(chosen.fit(X, X[:, 7] > X[:, 3]).order_.tolist())
    [3, 7]
    >>> from sklearn.ensemble import ExtraTreesClassifier
    >>> from sklearn.linear_model import LogisticRegression
    >>> chosen = BestPrefix(ExtraTreesClassifier(), classifier=LogisticRegression(), random_state=0)
    >>> sorted(chosen.fit(X, X[:, 7] > X[:, 3]).order_.tolist())
    [3, 7]
    """

    def __init__(
        self,
        ranker=None,
        *,
        classifier="nb",
        cv: int = 5,
        max_size: int | None = None,
        random_state=None,
    ):
        self.ranker = ranker
        self.classifier = classifier
        self.cv = cv
        self.max_size = max_size
        self.random_state = random_state

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        check_classifier(self.classifier)
        n_folds = max(2, min(self.cv, np.bincount(y).max(initial=2), len(y)))
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=self.random_state)
        ranker = seeded(self.ranker, self.random_state, n_folds).fit(X, y)
        n_sizes = min(self.max_size or len(ranker.order_), len(ranker.order_))
        curves, n_fits = [], ranker.n_fits_
        for fold, (train, test) in enumerate(folds.split(X, y)):
            own = seeded(self.ranker, self.random_state, fold)
            _, curve, fits = ranked_curve(own, self.classifier, X, y, train, test, n_sizes)
            curves.append(curve * len(test))
            n_fits += fits
        path = np.sum(curves, axis=0) / len(y)
        # Rounded, so that sizes with equally many hits tie, whichever folds the hits are in.
        size = int(np.round(path, 12).argmax()) + 1
        return Ranking(ranker.order_[:size], ranker.scores_, path, n_fits)
