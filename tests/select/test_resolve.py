"""Any scikit-learn selector or estimator becomes one of our methods, or says why it cannot."""

import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import spec_from_file_location

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import SelectFdr, SelectKBest, mutual_info_classif
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


def test_a_count_that_the_user_chose_does_not_cut_the_ranking():
    expected = SelectKBest(k=4).fit(X, y)
    found = fitted("sklearn.feature_selection:SelectKBest", k=4)
    assert found.order_.tolist() == np.argsort(-expected.scores_, kind="stable").tolist()
    assert found.support_.all()


def test_a_set_that_the_method_chose_is_kept():
    expected = SelectFdr(alpha=1e-12).fit(X, y)
    found = fitted("sklearn.feature_selection:SelectFdr", alpha=1e-12)
    assert found.support_.tolist() == expected.get_support().tolist()
    assert 0 < found.support_.sum() < 13
    assert plain(found, 13)["subset"] is True


@pytest.mark.parametrize(
    ("use", "params", "subset"),
    [
        ("mrmr", {"bins": 5, "n_features_to_select": 4}, False),
        ("interact", {"bins": 5}, True),
        ("sffs", {"n_features_to_select": 2}, True),
        ("all_features", {}, True),
        ("sklearn.feature_selection:SelectKBest", {"k": 3}, False),
        (
            "sklearn.feature_selection:GenericUnivariateSelect",
            {"mode": "k_best", "param": 3},
            False,
        ),
        ("sklearn.feature_selection:GenericUnivariateSelect", {"mode": "fwe", "param": 0.01}, True),
        (
            "sklearn.feature_selection:SelectFromModel",
            {"estimator": {"use": "sklearn.tree:DecisionTreeClassifier"}},
            True,
        ),
        ("sklearn.feature_selection:f_classif", {}, False),
    ],
)
def test_who_chooses_how_many_features_to_keep(use, params, subset):
    assert plain(fitted(use, **params), 13)["subset"] is subset


LASSO = {"use": "sklearn.svm:LinearSVC", "penalty": "l1", "dual": False, "C": 0.05}


def test_a_set_is_ordered_by_the_weights_of_its_inner_estimator():
    found = fitted("sklearn.feature_selection:SelectFromModel", estimator=LASSO)
    weights = np.abs(found.estimator_.estimator_.coef_).sum(axis=0)
    assert found.ordered_
    assert found.order_.tolist() == np.argsort(-weights, kind="stable").tolist()
    assert found.support_.tolist() == (weights > 1e-5).tolist()


def test_ties_of_a_ranking_are_broken_by_the_inner_estimator():
    inner = {"use": "sklearn.svm:LinearSVC", "C": 0.1}
    found = fitted("sklearn.feature_selection:RFE", estimator=inner, n_features_to_select=5)
    rfe = found.estimator_
    assert found.support_.all()  # the count is the user's
    assert set(found.order_[:5]) == set(np.flatnonzero(rfe.support_))
    weights = np.abs(rfe.estimator_.coef_).sum(axis=0)
    assert found.order_[:5].tolist() == np.flatnonzero(rfe.support_)[np.argsort(-weights)].tolist()
    assert (np.diff(rfe.ranking_[found.order_]) >= 0).all()


def test_what_was_eliminated_together_has_no_order():
    """With a step of 4, ranks 2, 3 and so on are shared: column order would be all that is left."""
    params = {"estimator": {"use": "sklearn.svm:LinearSVC"}, "n_features_to_select": 5, "step": 4}
    found = fitted("sklearn.feature_selection:RFE", **params)
    assert found.support_.tolist() == found.estimator_.support_.tolist()
    assert found.ordered_  # by the weights of the five
    assert plain(found, 13)["subset"] is True


def test_weights_are_looked_up_where_the_object_says():
    nested = {"use": "sklearn.model_selection:GridSearchCV", "param_grid": {"C": [0.1]}}
    nested["estimator"] = {"use": "sklearn.linear_model:LogisticRegression"}
    getter = "best_estimator_.coef_"
    found = fitted(
        "sklearn.feature_selection:SelectFromModel", estimator=nested, importance_getter=getter
    )
    weights = np.abs(found.estimator_.estimator_.best_estimator_.coef_).sum(axis=0)
    assert found.ordered_
    assert found.order_.tolist() == np.argsort(-weights, kind="stable").tolist()


def test_scores_that_are_not_of_features_are_no_evidence():
    """They are accuracies by class, and the coefficients stand beside them."""
    found = fitted("sklearn.linear_model:LogisticRegressionCV", Cs=2, cv=2)
    weights = np.abs(found.estimator_.coef_).sum(axis=0)
    assert found.order_.tolist() == np.argsort(-weights, kind="stable").tolist()


def test_labelled_importances_are_taken_by_their_labels(tmp_path, monkeypatch):
    """As feature-engine gives them: sorted, the least first, with a probe that is no column."""
    (tmp_path / "engine_like.py").write_text(
        "import numpy as np, pandas as pd\n"
        "class Sorted:\n"
        "    def fit(self, X, y):\n"
        "        self.feature_names_in_ = [f'x{i}' for i in range(X.shape[1])]\n"
        "        found = pd.Series(np.ptp(X, axis=0), index=self.feature_names_in_)\n"
        "        found['probe'] = 99.0\n"
        "        self.feature_importances_ = found.sort_values()\n"
        "        return self\n"
    )
    monkeypatch.chdir(tmp_path)
    found = fitted("engine_like.py:Sorted")
    assert found.order_.tolist() == np.argsort(-np.ptp(X, axis=0), kind="stable").tolist()


@pytest.mark.parametrize(
    ("use", "params"),
    [
        (
            "sklearn.feature_selection:SequentialFeatureSelector",
            {"estimator": {"use": "sklearn.neighbors:KNeighborsClassifier"}, "cv": 2},
        ),
        ("boruta_like.py:Confirmed", {}),
    ],
)
def test_a_set_without_evidence_has_no_order(use, params, tmp_path, monkeypatch):
    """As BorutaPy gives it: the confirmed features all rank first, and no model is left."""
    (tmp_path / "boruta_like.py").write_text(
        "import numpy as np\n"
        "class Confirmed:\n"
        "    def fit(self, X, y):\n"
        "        self.support_ = np.arange(X.shape[1]) < 3\n"
        "        self.ranking_ = np.where(self.support_, 1, 2 + np.arange(X.shape[1]))\n"
        "        return self\n"
    )
    monkeypatch.chdir(tmp_path)
    found = fitted(use, **params)
    assert not found.ordered_
    assert plain(found, 13)["ordered"] is False
    assert 0 < found.support_.sum() < 13


@pytest.mark.parametrize(
    ("function", "returned", "order", "ordered"),
    [
        ("names", '["f2", "f0"]', [2, 0], True),
        ("indices", "[3, 1]", [3, 1], True),
        ("scores", "X.to_numpy().std(axis=0) * [0, 1, 2, 0.5]", [2, 1, 3, 0], True),
        ("pair", "([0.1, 0.9, 0.5, 0.2], [1, 1, 1, 1])", [1, 2, 3, 0], True),
        ("series", "pd.Series({'f3': 2.0, 'f1': 5.0})", [1, 3, 0, 2], True),
        ("mask", "[True, False, True, False]", [0, 2], False),
    ],
)
def test_a_function_is_a_method(function, returned, order, ordered, tmp_path, monkeypatch):
    """With the signature of ``mrmr_classif``: a frame, a series and keyword arguments."""
    (tmp_path / f"{function}.py").write_text(
        f"import pandas as pd\ndef select(X, y, K=2, show=False):\n"
        f"    assert list(X.columns[:2]) == ['f0', 'f1'] and len(y) == len(X) and K == 3\n"
        f"    return {returned}\n"
    )
    monkeypatch.chdir(tmp_path)
    recipe = Recipe(f"{function}.py:select", {"K": 3})
    recipe.check()
    Z = (X[:, :4] - X[:, :4].mean(axis=0)) / X[:, :4].std(axis=0)
    found = recipe.build(random_state=0).fit(Z, y)
    assert found.order_.tolist() == order
    assert found.ordered_ == ordered


def test_functions_are_parameters():
    nested = {"use": "sklearn.feature_selection:mutual_info_classif", "n_neighbors": 5}
    found = fitted("sklearn.feature_selection:SelectKBest", score_func=nested)
    seed_of_nested = found.estimator_.score_func.keywords["random_state"]
    expected = mutual_info_classif(X, y, n_neighbors=5, random_state=seed_of_nested)
    np.testing.assert_allclose(found.scores_, expected)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"score_func": "chi2"}, "'score_func' parameter of SelectKBest must be a callable"),
        ({"score_func": {"use": "sklearn.feature_selection:chi3"}}, "did you mean 'chi2'"),
        ({"score_func": {"use": "sklearn.feature_selection:chi2", "b": 1}}, "no parameter 'b'"),
        ({"k": -3}, "'k' parameter"),
    ],
)
def test_what_cannot_work_is_refused_when_planning(params, message):
    with pytest.raises(MethodError, match=message):
        Recipe("sklearn.feature_selection:SelectKBest", params).check()


def test_nested_parameters_are_checked():
    nested = {"estimator": {"use": "sklearn.svm:LinearSVC", "penalti": "l1"}}
    with pytest.raises(MethodError, match=r"LinearSVC has no parameter 'penalti'.*'penalty'"):
        Recipe("sklearn.feature_selection:RFE", nested).check()


@pytest.mark.parametrize(
    ("use", "params", "message"),
    [
        ("boruta:BorutaPy", {}, "missing a required argument: 'estimator'"),
        ("sklearn.inspection:permutation_importance", {}, "missing a required argument: 'y'"),
    ],
)
def test_what_lacks_a_parameter_is_refused_when_planning(use, params, message):
    with pytest.raises(MethodError, match=f"{use}.*{message}"):
        Recipe(use, params).check()


def test_what_a_run_fills_need_not_be_said(tmp_path, monkeypatch):
    (tmp_path / "seeded.py").write_text(
        "class Seeded:\n"
        "    def __init__(self, random_state):\n"
        "        self.random_state = random_state\n"
        "    def fit(self, X, y):\n"
        "        self.scores_ = X.std(axis=0) + self.random_state\n"
        "        return self\n"
    )
    monkeypatch.chdir(tmp_path)
    assert len(fitted("seeded.py:Seeded").order_) == 13


def pipeline(**model) -> dict:
    """Scaling, then a model, as an entry says it."""
    model = {"use": "sklearn.ensemble:ExtraTreesClassifier", **model}
    steps = [["scale", {"use": "sklearn.preprocessing:StandardScaler"}], ["model", model]]
    return {"use": "sklearn.pipeline:Pipeline", "steps": steps}


def test_estimators_in_lists_are_built_and_seeded():
    rfe = {"estimator": pipeline(n_estimators=3), "importance_getter": "named_steps.model."}
    rfe["importance_getter"] += "feature_importances_"
    first, again = (fitted("sklearn.feature_selection:RFE", **rfe) for _ in range(2))
    assert first.estimator_.estimator["model"].random_state is not None
    assert first.order_.tolist() == again.order_.tolist()


def test_estimators_in_lists_are_checked():
    with pytest.raises(MethodError, match=r"no parameter 'n_estimator'.*'n_estimators'"):
        Recipe("sklearn.feature_selection:RFE", {"estimator": pipeline(n_estimator=3)}).check()


def test_parameters_may_be_of_any_class():
    folds = {"use": "sklearn.model_selection:StratifiedKFold", "n_splits": 2}
    found = fitted("sklearn.feature_selection:RFECV", estimator=LASSO, cv=folds)
    assert found.estimator_.cv.n_splits == 2


def test_nested_estimators_get_seeds_of_their_own():
    forest = {"use": "sklearn.ensemble:RandomForestClassifier", "n_estimators": 3}
    recipe = Recipe("sklearn.feature_selection:RFE", {"estimator": forest})
    first, again, other = (
        recipe.build(random_state=s).estimator.estimator.random_state for s in (1, 1, 2)
    )
    assert first == again != other


def test_nested_estimators_are_built():
    found = fitted(
        "sklearn.feature_selection:RFE",
        estimator={"use": "sklearn.svm:LinearSVC", "C": 0.1},
        n_features_to_select=3,
    )
    assert isinstance(found.estimator_.estimator_, LinearSVC)
    assert found.estimator_.estimator_.C == 0.1
    assert sorted(found.order_) == list(range(13))


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


def local_package(folder):
    """A method whose code is spread over a neighbour and a package, one import apart each."""
    (folder / "inner").mkdir()
    (folder / "inner" / "__init__.py").write_text("")
    (folder / "inner" / "scores.py").write_text("from .scale import factor\n")
    (folder / "inner" / "scale.py").write_text("factor = 2\n")
    (folder / "neighbour.py").write_text("import inner.scores\nimport numpy\n")
    (folder / "my_methods.py").write_text(
        "import neighbour\n"
        "class Mine:\n"
        "    def fit(self, X, y):\n"
        "        self.scores_ = X.std(axis=0)\n"
        "        return self\n"
    )


@pytest.mark.parametrize("edited", ["neighbour.py", "inner/scores.py", "inner/scale.py"])
def test_fingerprints_cover_everything_local(tmp_path, monkeypatch, edited):
    local_package(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    before = Recipe("my_methods.py:Mine", {}).fingerprint()
    (tmp_path / edited).write_text((tmp_path / edited).read_text() + "more = 1\n")
    assert Recipe("my_methods.py:Mine", {}).fingerprint() != before


def test_fingerprints_cover_what_is_no_source(tmp_path, monkeypatch):
    """A compiled extension, and a file with a mistake that only a fit would meet."""
    extension = tmp_path / f"compiled{EXTENSION_SUFFIXES[0]}"
    extension.write_bytes(b"machine code")
    (tmp_path / "broken.py").write_text("def (")
    (tmp_path / "lazy.py").write_text(
        "class Mine:\n    def fit(self, X, y):\n        import broken, compiled\n"
    )
    monkeypatch.chdir(tmp_path)
    first = Recipe("lazy.py:Mine", {}).fingerprint()
    extension.write_bytes(b"other machine code")
    second = Recipe("lazy.py:Mine", {}).fingerprint()
    (tmp_path / "broken.py").write_text("def (x")
    assert len({first, second, Recipe("lazy.py:Mine", {}).fingerprint()}) == 3


def test_fingerprints_cover_an_editable_package(tmp_path, monkeypatch):
    """By the import hook that setuptools writes for editable installs outside its own folder."""
    source = tmp_path / "checkout" / "editable_fs"
    source.mkdir(parents=True)
    (source / "__init__.py").write_text("from editable_fs.core import Mine\n")
    (source / "core.py").write_text("import editable_fs.helper\nclass Mine:\n    fit = None\n")
    (source / "helper.py").write_text("X = 1\n")

    class Hook:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name == "editable_fs":
                return spec_from_file_location(name, source / "__init__.py")
            return None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Hook])
    recipe = Recipe("editable_fs:Mine", {})
    before = recipe.fingerprint()
    (source / "helper.py").write_text("X = 2\n")
    assert recipe.fingerprint() != before
    (source / "helper.py").write_text("X = 1  # as it was\n")
    assert recipe.fingerprint() == before


def test_fingerprints_know_the_libraries_that_compute(monkeypatch):
    before = Recipe("correlation", {}).fingerprint()
    versions = {"numpy": "9.9.1", "scipy": "1.2.3", "scikit-learn": "4.5.6"}
    monkeypatch.setattr("fslib.run.fingerprint.metadata.version", versions.get)
    changed = Recipe("correlation", {}).fingerprint()
    assert changed != before
    versions["numpy"] = "9.9.2"  # a patch computes the same
    assert Recipe("correlation", {}).fingerprint() == changed


@pytest.mark.parametrize(
    ("use", "message"),
    [
        ("MRMR", "unknown method 'MRMR'; did you mean 'mrmr'"),
        ("Lasso", "did you mean 'sklearn.linear_model:Lasso'"),
        ("sklearn:RFE", "did you mean 'sklearn.feature_selection:RFE'"),
        ("sklearn:NoSuchThing", "sklearn has no class 'NoSuchThing'"),
    ],
)
def test_a_name_that_is_nearly_one_is_told_which(use, message):
    with pytest.raises(MethodError, match=message):
        Recipe(use, {}).check()
