"""What every selector shares: validation, ties, counts, names and the fitted attributes."""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral, Real
from pathlib import Path
from typing import ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import ClassifierTags
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from fslib.prepare.discretise import codes_of_sparse, equal_width
from fslib.run.roles import COMPETITOR
from fslib.run.shares import number_of

#: Types of tables that discrete methods take without a conversion: integers to floats and back cost
#: more than some methods do. A table of any other type becomes float64.
_CODES = [np.dtype(kind) for kind in (np.float64, bool, *np.typecodes["AllInteger"])]

#: Numbers as labels are a regression target if there are more different ones than this, and fewer
#: rows than the second number for each of them.
_MANY_VALUES, _FEW_ROWS = 20, 5


@dataclass(frozen=True)
class Ranking:
    """Result of one method on one table: its ranked columns, their scores, and facts of the fit."""

    order: np.ndarray
    """Ranked column indices, best first; methods that stop early rank only what they reached."""
    scores: np.ndarray | None = None
    """One value per column, higher is better, NaN where a column was never scored."""
    path: np.ndarray | None = None
    """The criterion's value at each step, in the method's own order of steps."""
    n_fits: int = 0
    """Models trained on the way: the cost that does not depend on the machine."""
    facts: Mapping[str, float] = field(default_factory=dict)
    """Named numbers that are worth keeping: a criterion's value, parameters that were chosen."""
    ordered: bool = True
    """False where the order within the selection means nothing: only the whole is measured then."""


def by_score(scores: np.ndarray, n_fits: int = 0) -> Ranking:
    """Rank columns by descending score; ties go to the lower column index."""
    return Ranking(np.argsort(-scores, kind="stable"), scores, n_fits=n_fits)


class FeatureSelector(SelectorMixin, BaseEstimator):
    """Base of all methods. A method writes ``_rank`` and declares its tags; the rest is here.

    A *ranking* method keeps its best ``n_features_to_select`` columns (all by default), a number or
    a share of all columns: 0.1 keeps a tenth, rounded down, and at least one.
    A *subset* method has no such parameter: it keeps exactly the columns it ranked.

    A method with a parameter ``verbose`` logs its progress, which 1 shows on standard error while
    ``fit`` runs and 2 in more detail. The loggers are ``fslib.<method>``, for whoever wants them
    elsewhere.

    Attributes
    ----------
    order_ : ranked column indices, best first.
    scores_ : per column, higher is better; NaN where never scored.
    ranking_ : per column, 1 = best; unranked columns share ``len(order_) + 1``.
    support_ : boolean mask of the kept columns.
    path_ : stepwise criterion values, or None.
    n_fits_ : models trained.
    facts_ : named numbers of the fit (criterion values, chosen parameters).
    ordered_ : whether the order within the selection means anything.
    subset_ : whether the method chose how many columns it keeps; of a ranking that is left open.
    """

    # Tags: what a method requires of a data set. On a data set that lacks it the method is skipped,
    # and the missing requirement is the reason in the run's row.
    binary_only: ClassVar[bool] = False
    discrete_only: ClassVar[bool] = False
    needs_essential: ClassVar[bool] = False

    #: True where `_rank` takes a scipy sparse table too: compressed columns, or, if
    #: ``discrete_only``, codes that the base class has made of one.
    accepts_sparse: ClassVar[bool] = False
    #: One of `fslib.run.roles.ROLES`: yardsticks are shown, competitors are ranked.
    role: ClassVar[str] = COMPETITOR
    #: True where rows and columns may be permuted without changing the result (tie-free data).
    deterministic: ClassVar[bool] = True

    def _rank(self, X: np.ndarray, y: np.ndarray) -> Ranking:
        """Rank the columns of a checked float table (integer codes if ``discrete_only``).

        ``y`` holds codes ``0 .. n_classes-1``; ``self.classes_`` has the labels.
        """
        raise NotImplementedError

    @classmethod
    def _rank_together(
        cls, selectors: Sequence[FeatureSelector], X: np.ndarray, y: np.ndarray
    ) -> list[Ranking]:
        """A ranking per selector, all of one table; override where settings can share work."""
        return [selector._rank(X, y) for selector in selectors]

    @classmethod
    def sources(cls, params: Mapping) -> list[Path]:
        """Source files that parameter values name, such as a classifier's, for the fingerprint.

        Files that the method's own module imports are covered already.
        """
        return []

    @classmethod
    def n_probes_together(cls, settings: Sequence[Mapping]) -> int:
        """Probes of a search that selectors with these parameters and one seed share.

        A method whose search evaluates probes independent of each other, each a function of the
        seed and its number, gives their number; then a long search is done in several jobs. The
        method's ``probe_values(X, y, first, end)`` gives the values of a stretch; after
        ``continue_from(values)`` of all stretches ``fit`` gives what the whole search would;
        ``search_key()`` is the text of the parameters that values depend on. 0 otherwise.
        """
        return 0

    def fit(self, X, y):
        """Rank and select the columns of ``X`` (numpy, polars or pandas) for the labels ``y``."""
        return self.fit_together([self], X, y)[0]

    @classmethod
    def fit_together(cls, selectors: Sequence[FeatureSelector], X, y) -> list[FeatureSelector]:
        """Fit selectors of this class on one table, sharing their common work.

        Selectors with different ``bins`` rank different tables and share nothing.
        """
        groups: dict[int | None, list[FeatureSelector]] = {}
        for selector in selectors:
            groups.setdefault(selector._checked_bins(), []).append(selector)
        verbose = max((int(getattr(s, "verbose", 0)) for s in selectors), default=0)
        with _progress_shown(cls, verbose) as log:
            for group in groups.values():
                table = group[0]._checked(X, y)
                for other in group[1:]:
                    other._learn_from(group[0])
                log.info("fit on %d rows of %d features", *table[0].shape)
                for selector, ranking in zip(group, cls._rank_together(group, *table), strict=True):
                    selector._store(ranking)
        return list(selectors)

    def transform(self, X):
        """Reduce ``X`` to the kept columns; with a warning where none was to be left out."""
        if getattr(self, "n_features_to_select", 0) is None and self.get_support().all():
            name = type(self).__name__
            warnings.warn(
                f"{name} ranked the features and keeps them all, as n_features_to_select is not "
                f"set: X is returned unchanged. Set a number or a share of the features, for "
                f"example {name}(n_features_to_select=10), or use order_.",
                stacklevel=3,  # above scikit-learn's wrapper of this method
            )
        return super().transform(X)

    def _checked(self, X, y) -> tuple[np.ndarray, np.ndarray]:
        if issparse(X) and not self.accepts_sparse:
            raise TypeError(
                f"X is sparse, but {type(self).__name__} needs dense rows: pass X.toarray(), or "
                f"reduce X first by a method with the tag accepts_sparse (`fslib methods`). "
                f"Sparse data was passed where dense data is required."
            )
        kinds = _CODES if self.discrete_only else np.float64
        X, y = validate_data(
            self,
            X,
            y,
            dtype=kinds,
            ensure_min_samples=2,
            accept_sparse=self.accepts_sparse and "csc",
        )
        self._check_labels(y)
        self.classes_, y = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes; y has only one class: "
                f"{self.classes_[0]!r}."
            )
        if self.binary_only and len(self.classes_) > 2:
            raise ValueError(
                f"Only binary classification is supported. {type(self).__name__} compares two "
                f"classes; y has {len(self.classes_)}."
            )
        self._check_count()
        return (self._codes(X) if self.discrete_only else X), y

    def _check_labels(self, y: np.ndarray) -> None:
        """Refuse numbers that are no classes."""
        reason = f"{type(self).__name__} selects features for classes, and y is a regression target"
        if type_of_target(y, input_name="y").startswith("continuous"):
            fraction = y[y % 1 != 0].flat[0]
            raise ValueError(
                f"Unknown label type: continuous. {reason}: it holds fractions, for example "
                f"{fraction:g}. Make classes of it first, for example y > numpy.median(y)."
            )
        check_classification_targets(y)
        values = np.unique(y)
        if y.dtype.kind not in "iuf" or np.array_equal(values, np.arange(len(values))):
            return  # names, or codes of names as LabelEncoder and the workflow make them
        if len(values) > _MANY_VALUES and len(y) < _FEW_ROWS * len(values):
            raise ValueError(
                f"{reason}: it holds {len(values)} different numbers in {len(y)} rows. Make "
                f"classes of it first, for example y > numpy.median(y); if the numbers are names "
                f"of classes, pass them as text: y.astype(str)."
            )

    def _checked_bins(self) -> int | None:
        bins = getattr(self, "bins", None)
        if bins is None:
            return None
        if not isinstance(bins, Integral) or isinstance(bins, bool) or bins < 2:
            raise ValueError(f"bins must be None or an integer of at least 2, got {bins!r}.")
        return int(bins)

    def _learn_from(self, other: FeatureSelector) -> None:
        """Copy column count, names and classes from ``other``, which has checked the same table."""
        for name in ("n_features_in_", "feature_names_in_", "classes_"):
            vars(self).pop(name, None)
            if name in vars(other):
                setattr(self, name, getattr(other, name))
        self._check_count()

    def _check_count(self) -> None:
        wanted, d = self._wanted(), self.n_features_in_
        if wanted is None:
            return
        whole = isinstance(wanted, Integral) and not isinstance(wanted, bool) and wanted >= 1
        if not whole and not (isinstance(wanted, Real) and 0 < wanted < 1):
            raise ValueError(
                f"n_features_to_select must be a positive integer or a share of the features "
                f"between 0 and 1, got {wanted!r}."
            )
        if wanted > d:
            raise ValueError(f"Found n_features_to_select={wanted} > n_features={d} of X.")

    def _wanted(self) -> int | float | None:
        """How many of the ranked columns to keep, a number or a share; None keeps them all."""
        return getattr(self, "n_features_to_select", None)

    def _count_to_keep(self) -> int | None:
        """How many of the ranked columns to keep, as a number; None keeps them all."""
        wanted = self._wanted()
        return None if wanted is None else number_of(wanted, self.n_features_in_)

    def _chooses_size(self) -> bool:
        """Whether the kept columns are a set of the method's own making."""
        return "n_features_to_select" not in self.get_params(deep=False)

    def _codes(self, X) -> np.ndarray:
        """Integer codes of a discrete table: binned if asked, refused if continuous."""
        if self.bins is not None:
            codes_of = partial(equal_width, bins=self.bins)
        else:
            codes_of = partial(np.ndarray.astype, dtype=np.int64, copy=False)
            self._refuse_fractions(X)
        return codes_of_sparse(X, codes_of) if issparse(X) else codes_of(X)

    def _refuse_fractions(self, X) -> None:
        if X.dtype.kind in "iub":
            return
        if issparse(X):
            fractions = np.flatnonzero(X.data % 1 != 0)
            column = np.searchsorted(X.indptr, fractions[:1], "right") - 1
            example = X.data[fractions[:1]]
        else:
            column = np.flatnonzero((X != np.floor(X)).any(axis=0))[:1]
            example = X[:, column][X[:, column] % 1 != 0][:1]
        if column.size:
            raise ValueError(
                f"{type(self).__name__} counts values and needs discrete features, but column "
                f"{column[0]} is continuous (for example {example[0]:g}). "
                f"Discretise first: {type(self).__name__}(bins=10), or "
                f"fslib.prepare.equal_width(X, 10)."
            )

    def _store(self, ranking: Ranking) -> None:
        d = self.n_features_in_
        order = np.asarray(ranking.order, dtype=np.intp)
        wanted = self._count_to_keep()
        kept = order if wanted is None else order[:wanted]
        self.order_ = order
        self.scores_ = (
            np.full(d, np.nan) if ranking.scores is None else np.asarray(ranking.scores, float)
        )
        self.ranking_ = np.full(d, len(order) + 1)
        self.ranking_[order] = np.arange(1, len(order) + 1)
        self.support_ = np.zeros(d, dtype=bool)
        self.support_[kept] = True
        self.path_ = ranking.path
        self.n_fits_ = ranking.n_fits
        self.facts_ = dict(ranking.facts)
        self.ordered_ = ranking.ordered
        self.subset_ = self._chooses_size()

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "support_")
        return self.support_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = self.accepts_sparse
        if self.binary_only:
            tags.classifier_tags = ClassifierTags(multi_class=False)
        tags.non_deterministic = False
        return tags


@contextmanager
def _progress_shown(cls: type, verbose: int) -> Iterator[logging.Logger]:
    """The logger of a method; with ``verbose``, what any of fslib logs is on standard error."""
    name, everything = cls.__module__.rpartition(".")[2], logging.getLogger("fslib")
    log, begin = everything.getChild(name), time.monotonic()
    if not verbose:
        yield log
        return
    handler, before = logging.StreamHandler(), everything.level
    handler.setFormatter(logging.Formatter("%(name)s: %(message)s"))
    everything.addHandler(handler)
    everything.setLevel(logging.INFO if verbose == 1 else logging.DEBUG)
    try:
        yield log
        log.info("done in %.1f s", time.monotonic() - begin)
    finally:
        everything.removeHandler(handler)
        everything.setLevel(before)
