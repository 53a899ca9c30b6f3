"""Any scikit-learn selector or estimator becomes one of our methods, or says why it cannot."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from fslib.run.fingerprint import fingerprint
from fslib.select.resolve import MethodError, Recipe
from fslib.select.stage import plain

X, y = load_wine(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)


def fitted(use, **params):
    recipe = Recipe(use, params)
    recipe.check()
    return recipe.build(random_state=0).fit(X, y)


def test_importances_rank():
    expected = ExtraTreesClassifier(n_estimators=30, random_state=0).fit(X, y)
    found = fitted("sklearn.ensemble:ExtraTreesClassifier", n_estimators=30)
    assert found.order_.tolist() == np.argsort(-expected.feature_importances_).tolist()
    assert found.support_.all()


def test_coefficients_of_all_classes_rank():
    expected = np.abs(LogisticRegression(C=0.5).fit(X, y).coef_).sum(axis=0)
    found = fitted("sklearn.linear_model:LogisticRegression", C=0.5)
    np.testing.assert_allclose(found.scores_, expected, rtol=1e-6)


def test_scores_rank_and_support_selects():
    expected = SelectKBest(k=4).fit(X, y)
    found = fitted("sklearn.feature_selection:SelectKBest", k=4)
    assert found.order_.tolist() == np.argsort(-expected.scores_, kind="stable").tolist()
    assert found.support_.tolist() == expected.get_support().tolist()


def test_nested_estimators_are_built():
    found = fitted(
        "sklearn.feature_selection:RFE",
        estimator={"use": "sklearn.svm:LinearSVC", "C": 0.1},
        n_features_to_select=3,
    )
    assert isinstance(found.estimator_.estimator_, LinearSVC)
    assert found.estimator_.estimator_.C == 0.1
    assert found.support_.sum() == 3
    assert sorted(found.order_) == list(range(13))
    assert set(found.order_[:3]) == set(np.flatnonzero(found.support_))


def test_own_file(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "class Spread:\n"
        "    def __init__(self, power=1):\n"
        "        self.power = power\n"
        "    def fit(self, X, y):\n"
        "        self.scores_ = np.ptp(X, axis=0) ** self.power\n"
        "        return self\n"
    )
    monkeypatch.chdir(tmp_path)
    found = fitted("mine.py:Spread", power=2)
    assert found.order_.tolist() == np.argsort(-np.ptp(X, axis=0), kind="stable").tolist()


@pytest.mark.parametrize("use", ["sklearn.decomposition:PCA", "sklearn.svm:NuSVC"])
def test_what_says_nothing_about_features_is_refused(use):
    with pytest.raises(TypeError, match="exposes none of"):
        fitted(use)


class _Fake:
    def __init__(self, **attributes):
        self.scores_ = np.zeros(3)
        self.support_ = np.ones(3, dtype=bool)
        self.n_fits_ = 0
        self.order_ = [0, 1, 2]
        vars(self).update(attributes)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"order_": [0, 3]}, "outside 0..2"),
        ({"order_": [-1, 0]}, "outside 0..2"),
        ({"order_": [0, 0]}, "ranked a column twice"),
        ({"order_": []}, "not a list of column indices|selected no feature"),
        ({"order_": [0.5, 1.0]}, "not a list of column indices"),
        ({"order_": "abc"}, "not a list of column indices"),
        ({"scores_": np.zeros(2)}, "wrong shape"),
        ({"support_": np.zeros(3, dtype=bool)}, "selected no feature"),
    ],
)
def test_garbage_is_named(attributes, message):
    with pytest.raises((TypeError, ValueError), match=message):
        plain(_Fake(**attributes), 3)


def test_fingerprints_know_what_counts(tmp_path):
    file = tmp_path / "own.py"
    file.write_text('"""Doc."""\nX = 1  # why\n')
    before = fingerprint(file)
    file.write_text('"""Other doc."""\n\n\nX = (\n    1\n)\n')
    assert fingerprint(file) == before
    file.write_text("X = 2\n")
    assert fingerprint(file) != before


def test_unknown_parameter_of_a_method():
    with pytest.raises(MethodError, match=r"no parameter 'n_subset'.*'n_subsets'"):
        Recipe("amfes", {"n_subset": 3}).check()


def test_what_is_no_name_is_refused():
    for use in (["a:b"], 3, None, {"use": "x:y"}):
        with pytest.raises(MethodError, match="is no name"):
            Recipe("sklearn.feature_selection:RFE", {"estimator": {"use": use}}).fingerprint()
