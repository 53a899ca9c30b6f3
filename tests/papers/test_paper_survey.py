"""Yun et al. (2007) on made-up results: what is read off them, and verdicts known beforehand."""

from __future__ import annotations

from pathlib import Path

import pytest
from make_results import MadeResults

from fslib.config.load import load_config
from fslib.figures.style import drawing
from fslib.papers.survey.outcomes import BINARY, METHODS, MICROARRAYS, UCI, outcomes
from fslib.reproduce.paper import FAILS, HOLDS, IN_PART, paper_in
from fslib.run.paper_folders import OWN

ROOT = Path(__file__).resolve().parents[2]
FOLDER = OWN / "survey"
PAPER = paper_in(FOLDER)
FEATURES = {"lung_train": 12533, "leukemia_train": 7129}
TWO_CLASS = {"signal_to_noise", "bw_ratio", "svm_rfe"}
SEVEN = [m for m in METHODS if m != "cmim"]
#: Part, data sets and methods of the study.
PARTS = (
    ("two_class", ("sonar", "ionosphere", "arrhythmia_binary"), SEVEN),
    ("multi_class", ("arrhythmia", "segmentation", "waveform"), sorted(set(SEVEN) - TWO_CLASS)),
    ("binary", BINARY, list(METHODS)),
    ("microarrays", MICROARRAYS, SEVEN),
)
SPLITS = 4


def made(change=lambda *place: 0.02, share=lambda *place: 0.5, endings=("", "_before")):
    """Results in which methods change accuracy and keep a share of the features as said.

    Both are functions of part (without its ending), data set, method and classifier.
    """
    accuracy, runs = [], []
    for ending in endings:
        for part, datasets, methods in PARTS:
            nb = "nb" if part == "microarrays" else "nb_categorical"
            for dataset in datasets:
                d = FEATURES.get(dataset, 100)
                for method in ("all_features", *methods):
                    place = {"part": part + ending, "dataset": dataset, "method": method}
                    full = method == "all_features"
                    for split in range(SPLITS):
                        base = 0.7 + 0.01 * split
                        for classifier, short in ((nb, "NB"), ("svm_rbf", "SVM")):
                            gain = 0.0 if full else change(part, dataset, method, short)
                            row = {"split": split, "k": 1, "classifier": classifier}
                            accuracy.append({**place, **row, "accuracy": base + gain})
                        kept = d if full else d * share(part, dataset, method)
                        runs.append({**place, "split": split, "n_selected": int(kept)})
    return MadeResults(accuracy=accuracy, runs=runs)


def verdict(claim, **results):
    return PAPER.claims[claim](made(**results))


def gain(of: dict[str, float], otherwise: float = 0.01, where=None):
    """A change by method, on some data sets only."""

    def change(part, dataset, method, classifier):
        here = where is None or dataset in where
        return of.get(method, otherwise) if here else otherwise

    return change


def test_the_study_has_the_parts_methods_and_data_sets_that_are_read():
    config = load_config(ROOT / "config.yaml", [ROOT])
    for part, datasets, methods in PARTS:
        for ending, selection in (("", "within_split"), ("_before", "before_split")):
            study = config.study(f"survey-{part}{ending}")
            assert set(study.datasets) == set(datasets)
            assert {m.name for m in study.methods} == {"all_features", *methods}
            assert study.selection == selection


def test_outcomes_are_set_against_all_features_on_the_same_data():
    found = outcomes(made(gain({"svm_rfe": -0.05}), lambda p, d, m: 0.25))
    row = found.filter(
        study="three-state", time="within", dataset="arrhythmia", method="svm_rfe", classifier="NB"
    ).row(0, named=True)
    assert row["change"] == pytest.approx(-0.05)
    assert row["error"] == pytest.approx(0, abs=1e-12)
    assert row["accuracy"] == pytest.approx(0.715 - 0.05)
    assert (row["kept"], row["features"]) == (25, 100)
    assert set(found["dataset"].filter(found["study"] == "three-state")) == {*UCI, *MICROARRAYS}
    # Two-class methods stand for arrhythmia with its two classes, the others with all.
    here = found.filter(study="three-state", time="within", dataset="arrhythmia", classifier="NB")
    assert sorted(here["method"]) == sorted(SEVEN)
    assert len(found.filter(study="binary", method="cmim")) == 3 * 2 * 2


@pytest.mark.parametrize(
    ("claim", "holding", "failing"),
    [
        ("survey_all_reduce", {}, {"share": lambda *place: 1.0}),
        ("survey_binary_all_reduce", {}, {"share": lambda *place: 1.0}),
        (
            "survey_ga_interact_reduce_most",
            {"share": lambda p, d, m: 0.1 if m in ("interact", "genetic_search") else 0.5},
            {"share": lambda p, d, m: {"interact": 0.8, "genetic_search": 0.9}.get(m, 0.5)},
        ),
        (
            "survey_microarray_reduction_large",
            {},
            {"share": lambda p, d, m: 1.0 if m == "mrmr" and p == "microarrays" else 0.5},
        ),
        (
            "survey_reduced_better_than_full",
            {"change": gain({"bw_ratio": -0.1, "irelief": -0.1})},
            {"change": gain({"bw_ratio": -0.1, "irelief": -0.1, "svm_rfe": -0.1})},
        ),
        ("survey_mrmr_best", {}, {"change": gain({"mrmr": 0.0})}),
        ("survey_interact_as_good_with_nb", {}, {"change": gain({"interact": 0.0})}),
        (
            "survey_irelief_poor_on_discrete",
            {"change": gain({"irelief": -0.1}, where=["waveform"])},
            {"change": gain({"irelief": -0.1}, where=MICROARRAYS)},
        ),
        (
            "survey_ga_poor_on_microarrays",
            {"change": gain({"genetic_search": -0.1}, where=MICROARRAYS)},
            {},
        ),
        (
            "survey_irelief_not_poor_on_microarrays",
            {"change": gain({"genetic_search": -0.1}, where=MICROARRAYS)},
            {},
        ),
        ("survey_binary_not_all_improve", {"change": gain({"bw_ratio": 0.0})}, {}),
        (
            "survey_binary_cmim_mrmr_improve",
            {"change": gain({"cmim": 0.05, "mrmr": 0.05}, otherwise=-0.01)},
            {"change": gain({"cmim": -0.05, "mrmr": -0.05})},
        ),
        (
            "survey_binary_irelief_lowest",
            {"change": gain({"irelief": -0.2})},
            {"change": gain({"irelief": 0.2})},
        ),
        (
            "survey_most_improve",
            {"change": gain({"bw_ratio": -0.1, "irelief": -0.1, "svm_rfe": -0.1})},
            {"change": gain({"mrmr": 0.1}, otherwise=0.0)},
        ),
        (
            "survey_mrmr_most_powerful_and_stable",
            {"change": gain({"mrmr": 0.1})},
            {"change": gain({"mrmr": -0.1})},
        ),
        (
            "survey_irelief_unstable",
            {"change": gain({"irelief": -0.2}, where=["sonar"])},
            {
                "change": gain(
                    {"mrmr": -0.2, "interact": 0.2, "genetic_search": 0.3}, where=["sonar"]
                )
            },
        ),
    ],
)
def test_verdicts_known_beforehand(claim, holding, failing):
    assert verdict(claim, **holding).outcome == HOLDS
    assert verdict(claim, **failing).outcome == FAILS


def test_cmim_and_mrmr_alone_improving_has_two_halves():
    found = verdict("survey_binary_cmim_mrmr_improve", change=gain({}))
    assert found.outcome == IN_PART
    assert "holds on CMIM and mRMR improve (within)" in found.detail
    assert "not on the others do not (within)" in found.detail


def test_both_ways_of_selecting_are_judged():
    both = made().accuracy.rows(named=True)
    for row in both:
        # Before the folds everything looks better than it is.
        honest = not row["part"].endswith("_before") and row["method"] != "all_features"
        row["accuracy"] -= 0.1 * honest
    results = MadeResults(accuracy=both, runs=made().runs.rows(named=True))
    found = PAPER.claims["survey_most_improve"](results)
    assert found.outcome == IN_PART
    assert "holds on selected before; not on selected within" in found.detail


def test_figures_are_drawn():
    with drawing():
        for name, (caption, draw) in PAPER.figures.items():
            assert caption
            assert draw(made()) is not None, name
