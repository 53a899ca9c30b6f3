"""The papers' claims under one protocol, on made-up results."""

from __future__ import annotations

import pytest
from make_results import MadeResults

from fslib.papers.grand.claims import _DAF, _FILTERS, _MRMR, _alike
from fslib.reproduce.paper import FAILS, HOLDS, IN_PART, UNTESTED, paper_in
from fslib.run.paper_folders import OWN

PAPER = paper_in(OWN / "grand")
DATASETS = ("colon", "madelon", "wdbc", "sonar")
METHODS = ("amfes", "svm_rfe", "random_subsets", "bif", *_DAF, *_MRMR, *_FILTERS)


def made(leads: dict[str, float], stability: dict[str, float] | None = None, spread=0.01):
    """Every method at 0.8, but for leads that differ a little between data sets."""
    accuracy, stable, runs = [], [], []
    for i, dataset in enumerate(DATASETS):
        for method in (*METHODS, "babd_mae", "babd_mm", "babd_500m", "all_features"):
            lead = leads.get(method, 0.0) + (spread * (i % 2) if leads.get(method) else 0.0)
            at = {"dataset": dataset, "method": method}
            role = "all_features" if method == "all_features" else "competitor"
            runs.append({**at, "split": 0, "role": role, "n_selected": 2000})
            for k in (1, 5) if method != "all_features" else (2000,):
                for split in range(2):
                    cell = {**at, "split": split, "k": k, "classifier": "nb"}
                    accuracy.append({**cell, "accuracy": 0.8 + lead})
                value = 0.5 + (stability or {}).get(method, 0.0)
                stable.append({**at, "k": k, "measure": "nogueira", "value": value})
    return MadeResults(accuracy=accuracy, stability=stable, runs=runs)


def outcome(claim, results):
    return PAPER.claims[f"grand_{claim}"](results).outcome


@pytest.mark.parametrize(
    ("claim", "method"),
    [
        ("amfes_beats_rfe", ("amfes",)),
        ("adaptive_beats_nonadaptive", ("amfes",)),
        ("daf_beats_bif", _DAF),
        ("mrmr_best", _MRMR),
    ],
)
def test_a_lead_over_data_sets_decides(claim, method):
    assert outcome(claim, made(dict.fromkeys(method, 0.05))) == HOLDS
    assert outcome(claim, made({})) == FAILS
    assert outcome(claim, made(dict.fromkeys(method, -0.05))) == FAILS
    assert outcome(claim, MadeResults()) == UNTESTED


def test_a_lead_within_two_standard_errors_holds_in_part():
    results = made({"amfes": 1e-6}, spread=0.01)
    verdict = PAPER.claims["grand_amfes_beats_rfe"](results)
    assert verdict.outcome == IN_PART
    assert "+0.50 ± 0.29 over 4 data sets, ahead on 4, behind on 0" in verdict.detail


@pytest.mark.parametrize(
    ("claim", "method"),
    [
        ("mid_miq_same_accuracy", "mrmr_mid"),
        ("mae_comparable_to_mm", "babd_mm"),
        ("one_pass_comparable_to_batch", "babd_500m"),
    ],
)
def test_alike_is_within_a_point(claim, method):
    assert outcome(claim, made({method: 0.005}, spread=0.0)) == HOLDS
    assert outcome(claim, made({method: -0.05})) == FAILS


def test_stability():
    assert outcome("mid_more_stable", made({}, {"mrmr_mid": 0.1})) == HOLDS
    assert outcome("mid_more_stable", made({}, {"mrmr_miq": 0.1})) == FAILS
    assert outcome("daf_stable_like_bif", made({}, {"bif": 0.01})) == HOLDS
    assert outcome("daf_stable_like_bif", made({}, {"bif": 0.2})) == FAILS


def test_noise_proves_no_likeness():
    """Means that are further apart than said, but not clearly so."""
    leads = {f"set {i}": lead for i, lead in enumerate((-0.4, 0.1, 0.1, -0.1))}
    assert _alike(leads, 0.05).outcome == IN_PART
    assert _alike({d: lead / 10 for d, lead in leads.items()}, 0.05).outcome == HOLDS
    assert _alike({d: lead - 1 for d, lead in leads.items()}, 0.05).outcome == FAILS


def test_all_features_are_beaten_by_almost_all():
    assert outcome("reduced_better_than_full", made({"all_features": -0.05})) == HOLDS
    verdict = PAPER.claims["grand_reduced_better_than_full"](made({"all_features": 0.05}))
    assert verdict.outcome == FAILS
