"""Measures against scikit-learn's, for every classifier and size."""

import numpy as np
import polars as pl
import pytest
from evaluate.test_classifiers import PEERS, table
from sklearn import metrics

from fslib.evaluate.classifier import decision_curve
from fslib.evaluate.decisions import Decisions
from fslib.evaluate.measures import MEASURES, Judged
from fslib.run.artefacts import ArtefactError, frame_of, read, read_all, write

SIZES = [1, 2, 5, 9]


def of_labels(name, truth, predicted):
    return {
        "accuracy": metrics.accuracy_score,
        "balanced_accuracy": metrics.balanced_accuracy_score,
        "f1_macro": lambda t, p: metrics.f1_score(t, p, average="macro"),
        "matthews": metrics.matthews_corrcoef,
    }[name](truth, predicted)


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "f1_macro", "matthews"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_measures_of_labels_are_scikit_learns(name, n_classes):
    rng = np.random.default_rng(n_classes)
    truth = rng.integers(0, n_classes, 40)
    predicted = rng.integers(0, n_classes, (6, 40))
    predicted[0], predicted[1] = truth, 1  # all right; one class throughout
    ours = MEASURES[name].function(Judged(truth, Decisions(predicted, np.arange(n_classes))))
    theirs = [of_labels(name, truth, line) for line in predicted]
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("classifier", [name for name in PEERS if name != "svm_rbf_tuned"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_are_those_of_scikit_learn(classifier, n_classes):
    if classifier == "lssvm" and n_classes > 2:
        pytest.skip("two classes only")
    X_train, y_train, X_test = table(70, 40, 9, n_classes, codes=classifier == "nb_categorical")
    truth = np.random.default_rng(3).integers(0, n_classes, len(X_test))
    decisions = decision_curve(classifier, X_train, y_train, X_test, SIZES)
    judged = Judged(truth, decisions)
    areas = MEASURES["roc_auc"].function(judged)
    losses = MEASURES["log_loss"].function(judged)
    assert (losses is None) == (
        not hasattr(PEERS[classifier], "predict_proba") or "svm" in classifier
    )
    for i, k in enumerate(SIZES):
        peer = PEERS[classifier].fit(X_train[:, :k], y_train)
        if losses is None:
            scores = peer.decision_function(X_test[:, :k])
            if n_classes > 2:  # margins are no probabilities, which is all that scikit-learn takes
                theirs = np.mean(
                    [metrics.roc_auc_score(truth == c, scores[:, c]) for c in range(n_classes)]
                )
            else:
                theirs = metrics.roc_auc_score(truth, scores)
            assert areas[i] == pytest.approx(theirs, abs=1e-9)
            continue
        given = peer.predict_proba(X_test[:, :k])
        np.testing.assert_allclose(decisions.probabilities()[:, i].T, given, atol=1e-8)
        area = metrics.roc_auc_score(
            truth, given if n_classes > 2 else given[:, 1], multi_class="ovr", average="macro"
        )
        assert areas[i] == pytest.approx(area, abs=1e-9)
        assert losses[i] == pytest.approx(metrics.log_loss(truth, given), rel=1e-6)


def test_classes_that_only_training_or_only_test_rows_have():
    votes = np.array([[[0.2, 0.9, 0.5]], [[0.8, 0.1, 0.5]]])  # of classes 0 and 2
    judged = Judged(np.array([2, 0, 1]), Decisions.by_votes(votes, np.array([0, 2])))
    assert judged.decisions.predicted.tolist() == [[2, 0, 0]]
    # Class 0 and class 2 are told apart from the rest; class 1, never seen, as by chance.
    assert MEASURES["roc_auc"].function(judged)[0] == pytest.approx((1 + 1 + 0.5) / 3)
    tiny = np.finfo(float).eps
    expected = -np.mean(np.log([0.8, 0.9, tiny]))
    assert MEASURES["log_loss"].function(judged)[0] == pytest.approx(expected)


def test_a_single_test_row_has_no_area_under_a_curve():
    judged = Judged(np.array([1]), Decisions.by_votes(np.ones((2, 1, 1)), np.arange(2)))
    assert MEASURES["roc_auc"].function(judged) is None
    assert MEASURES["matthews"].function(judged).tolist() == [0.0]


def test_a_file_of_accuracies_may_have_more_measures_and_files_may_differ(tmp_path):
    row = {"dataset": "a", "method": "m", "split": 0, "k": 1, "classifier": "nb"}
    row |= {"accuracy": 0.5, "balanced_accuracy": 0.5}
    for name, more in (("one", {}), ("two", {"roc_auc": 0.7}), ("three", {"log_loss": None})):
        write(frame_of([row | more], "accuracy", list(more)), tmp_path / name, "accuracy")
    assert read(tmp_path / "two", "accuracy")["roc_auc"].to_list() == [0.7]
    found = read_all([tmp_path / name for name in ("one", "two", "three")], "accuracy")
    assert found["roc_auc"].to_list() == [None, 0.7, None]
    with pytest.raises(ArtefactError, match="columns"):
        write(pl.DataFrame({"k": [1]}), tmp_path / "four", "accuracy")
