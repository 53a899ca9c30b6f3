"""Somol & Grim (2011) on made-up results: table II's cells, and verdicts known beforehand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from make_results import MadeResults
from sklearn.preprocessing import StandardScaler

from fslib import DAF, SFFS
from fslib.data.loading import load
from fslib.figures.style import drawing
from fslib.papers.daf.claims_on_sffs import criterion_of_sets
from fslib.papers.daf.measures import DATASETS, MEASURES, PARTS, VARIANTS
from fslib.reproduce.compare import compared_cells, judged_claims
from fslib.reproduce.paper import FAILS, HOLDS, IN_PART, UNTESTED, paper_in
from fslib.run.paper_folders import OWN

ROOT = Path(__file__).resolve().parents[2]
FOLDER = OWN / "daf"
PAPER = paper_in(FOLDER)
SPLITS = range(4)


def curve(method, heights, dataset="madelon", classifier="knn3", part=None):
    """Accuracies by size on four splits that differ by little."""
    at = {"part": part or PARTS[dataset][0], "dataset": dataset, "method": method}
    return [
        {**at, "split": s, "k": k, "classifier": classifier, "accuracy": height + 0.001 * (s % 2)}
        for s in SPLITS
        for k, height in heights.items()
    ]


def steady(measure, method, value, dataset):
    at = {"part": PARTS[dataset][0], "dataset": dataset, "method": method, "measure": measure}
    return [{**at, "k": k, "value": value} for k in (1, 5)]


def on_every_set(daf: float, bif: float, classifiers=("knn3", "svm_rbf_tuned")) -> list[dict]:
    rows = []
    for dataset in DATASETS:
        for classifier in ("svm_linear", "knn1") if dataset == "reuters21578" else classifiers:
            for method in VARIANTS:
                rows += curve(method, {1: daf, 5: daf}, dataset, classifier)
            rows += curve("bif", {1: bif, 5: bif}, dataset, classifier)
    return rows


def verdict(claim: str, **rows):
    return PAPER.claims[claim](MadeResults(**rows))


def test_counts_of_table_two():
    facts = [
        {"part": PARTS[d][0], "dataset": d, "method": "daf0", "split": s, "fact": f, "value": v}
        for d in DATASETS
        for s in SPLITS
        for f, v in (
            ("n_evaluations", 25000),
            ("n_probes_with_feature", 3700 + s),
            ("n_probes_without_feature", 21300 - s),
        )
    ]
    cells = compared_cells(PAPER, MadeResults(facts=facts), FOLDER)
    ours = cells.drop_nulls("ours")
    assert len(ours) == 12
    madelon = {r["quantity"]: r for r in ours.rows(named=True) if r["dataset"] == "madelon"}
    assert madelon["n_evaluations"]["difference"] == 0
    assert madelon["n_probes_with_feature"]["difference"] == pytest.approx(101.5)


@pytest.mark.parametrize("claim", ["daf_beats_bif", "daf_generalises"])
def test_daf_against_bif(claim):
    assert verdict(claim, accuracy=on_every_set(0.8, 0.7)).outcome == HOLDS
    assert verdict(claim, accuracy=on_every_set(0.7, 0.7)).outcome == FAILS
    madelon = [r for r in on_every_set(0.8, 0.7) if r["dataset"] == "madelon"]
    found = verdict(claim, accuracy=madelon)
    assert found.outcome == HOLDS
    assert "not run: reuters21578, gisette, spambase" in found.detail


def test_a_lead_with_one_classifier_only_does_not_generalise():
    rows = [r for r in on_every_set(0.8, 0.7) if r["dataset"] == "madelon"]
    rows = [r | {"accuracy": 0.7} if r["classifier"] == "svm_rbf_tuned" else r for r in rows]
    assert verdict("daf_beats_bif", accuracy=rows).outcome == FAILS
    assert verdict("daf_generalises", accuracy=rows).outcome == FAILS
    for row in rows:
        row["accuracy"] = 0.6 if row["method"] == "daf2" else row["accuracy"]
    found = verdict("daf_beats_bif", accuracy=[r for r in rows if r["classifier"] == "knn3"])
    assert found.outcome == IN_PART
    assert "not on madelon daf2" in found.detail


def test_an_svm_that_is_not_tuned_is_told_but_does_not_count():
    rows = [r for r in on_every_set(0.7, 0.7) if r["dataset"] == "madelon"]
    fixed = [r for r in on_every_set(0.8, 0.7, ("svm_rbf",)) if r["dataset"] == "madelon"]
    found = verdict("daf_generalises", accuracy=rows + fixed)
    assert found.outcome == FAILS
    assert "by an SVM with C = 1, γ = 1/k: madelon daf0 svm_rbf +10.0" in found.detail


def test_all_features_at_the_end_of_every_ranking_do_not_count():
    rows = [r for r in on_every_set(0.8, 0.7) if r["dataset"] == "madelon"]
    ends = curve("daf0", {500: 0.0}) + curve("bif", {500: 1.0})
    assert verdict("daf_beats_bif", accuracy=rows + ends).outcome == HOLDS


@pytest.mark.parametrize(
    ("bif", "everything", "outcome"),
    [(0.55, 0.55, HOLDS), (0.55, 0.50, IN_PART), (0.75, 0.7, FAILS)],
)
def test_bif_on_madelon(bif, everything, outcome):
    rows = curve("bif", {5: bif, 20: bif}) + curve("all_features", {500: everything})
    for variant in VARIANTS:
        rows += curve(variant, {5: 0.7, 20: 0.8})
    assert verdict("daf_bif_fails_on_madelon", accuracy=rows).outcome == outcome


@pytest.mark.parametrize(
    ("peak", "drift", "recall", "outcome"),
    [(20, 0, 0.95, HOLDS), (50, 0, 0.95, IN_PART), (20, 1, 0.95, IN_PART), (5, 9, 0.5, FAILS)],
)
def test_the_features_of_madelon(peak, drift, recall, outcome):
    rows, ranks, found = [], [], []
    for variant in VARIANTS:
        rows += curve(variant, {k: 0.9 if k == peak else 0.8 for k in (5, 20, 50)})
        for s in SPLITS:
            at = {"dataset": "madelon", "method": variant, "split": s}
            ranks += [
                {**at, "part": "madelon", "rank": r, "feature": r + s * drift} for r in range(1, 21)
            ]
            generated = {"part": "generated", "dataset": "madelon_generated"}
            found.append({**at, **generated, "k": 20, "recall": recall})
    made = {"accuracy": rows, "selections": ranks, "recovery": found}
    assert verdict("daf_finds_madelon_features", **made).outcome == outcome


def runs(part, seconds: dict[str, float], n_fits=30000) -> list[dict]:
    return [
        {"part": part, "dataset": part, "method": m, "split": s, "cpu_seconds": t, "n_fits": n_fits}
        for m, t in seconds.items()
        for s in SPLITS
    ]


def probes(part, n: int) -> list[dict]:
    at = {"part": part, "dataset": part, "method": "daf0", "split": 0}
    counts = {"n_evaluations": n, "n_probes_with_feature": n / 8}
    return [{**at, "fact": fact, "value": value} for fact, value in counts.items()]


def test_time_of_bif_is_set_against_as_many_probes_as_the_paper_had():
    made = {"runs": runs("madelon", {"bif": 1.0, "daf0": 10.0}), "facts": probes("madelon", 2500)}
    assert verdict("daf_bif_time_negligible", **made).outcome == HOLDS  # 1 % of 100 s
    made["facts"] = probes("madelon", 25000)
    assert verdict("daf_bif_time_negligible", **made).outcome == FAILS  # 10 % of 10 s


def test_time_of_the_ranks():
    made = {"facts": probes("madelon", 2000), "accuracy": curve("all_features", {50: 0.8})}
    slow, fast = (runs("madelon", {"daf0": seconds}) for seconds in (1e4, 1e-6))
    assert verdict("daf_rank_cost_negligible", runs=slow, **made).outcome == HOLDS
    assert verdict("daf_rank_cost_negligible", runs=fast, **made).outcome == FAILS


def test_evaluations_of_sffs():
    many, few = (runs("spambase", {"sffs_57": 1.0}, n_fits=3 * n) for n in (4000, 2000))
    assert verdict("daf_sffs_slow", runs=many).outcome == HOLDS
    assert verdict("daf_sffs_slow", runs=few).outcome == FAILS


def spambase(daf: dict[str, float], sffs: float, classifier: str) -> list[dict]:
    rows = []
    for variant, height in daf.items():
        rows += curve(variant, {1: 0.1, 2: height, 5: height}, "spambase", classifier)
    # Prefixes of a set of SFFS are no sets of SFFS: their accuracy must not count.
    for k in (2, 5):
        rows += curve(f"sffs_{k}", {1: 0.0, k: sffs}, "spambase", classifier)
    return rows


def test_sffs_against_daf():
    better, worse = dict.fromkeys(VARIANTS, 0.9), dict.fromkeys(VARIANTS, 0.7)
    same, other = "daf_sffs_better_same_classifier", "daf_generalises_better_than_sffs"
    assert verdict(same, accuracy=spambase(worse, 0.8, "knn3")).outcome == HOLDS
    assert verdict(same, accuracy=spambase(better, 0.8, "knn3")).outcome == FAILS
    assert verdict(other, accuracy=spambase(better, 0.8, "svm_rbf_tuned")).outcome == HOLDS
    mixed = {**better, "daf2": 0.7}
    assert verdict(other, accuracy=spambase(mixed, 0.8, "svm_rbf_tuned")).outcome == IN_PART
    assert verdict(other, accuracy=spambase(better, 0.8, "knn3")).outcome == UNTESTED


@pytest.mark.parametrize(("daf", "alike", "better"), [(0.55, 1, 1), (0.75, 0, 1), (0.45, 1, 0)])
def test_stability(daf, alike, better):
    rows = []
    for dataset in DATASETS:
        for measure in MEASURES:
            rows += steady(measure, "bif", 0.5, dataset) + steady(measure, "daf2", daf, dataset)
    outcomes = (FAILS, HOLDS)
    assert verdict("daf_stability_like_bif", stability=rows).outcome == outcomes[alike]
    assert verdict("daf_more_stable_on_madelon", stability=rows).outcome == outcomes[better]


def test_stability_of_sffs():
    rows = [
        row
        for measure in MEASURES
        for method, value in (("daf0", 0.8), ("bif", 0.7), ("sffs_5", 0.5))
        for row in steady(measure, method, value, "spambase")
    ]
    assert verdict("daf_sffs_unstable", stability=rows).outcome == HOLDS
    level = [row | {"value": 0.7} for row in rows]
    assert verdict("daf_sffs_unstable", stability=level).outcome == FAILS


class OnSpambase(MadeResults):
    """Two searches on generated rows that stand for spambase, each on one half of them."""

    def table(self, dataset):
        return load("amfes_quick")

    def training_rows(self, part, dataset):
        return {0: np.arange(0, 100), 1: np.arange(100, 200)[::-1]}


def test_the_criterion_of_a_set_is_the_one_that_its_search_had():
    results, found = OnSpambase(), []
    table, rows = results.table("spambase"), results.training_rows("spambase", "spambase")
    for split, half in rows.items():
        X = StandardScaler().fit_transform(table.X[half])
        sffs = SFFS("knn3", n_features_to_select=2).fit(X, table.y[half])
        daf = DAF(0, "knn3", n_probes=50, random_state=0).fit(X, table.y[half])
        for method, order in (("sffs_2", sffs.order_[:2]), ("daf0", daf.order_)):
            found += [
                {"part": "spambase", "dataset": "spambase", "method": method, "split": split,
                 "rank": rank, "feature": int(feature)}
                for rank, feature in enumerate(order, 1)
            ]  # fmt: skip
        searched = float(sffs.path_[1])
        own = criterion_of_sets(OnSpambase(selections=found)).filter(split=split, k=2)
        of = dict(own.select("method", "criterion").iter_rows())
        assert of["sffs_2"] == pytest.approx(searched, abs=1e-12)
        assert set(of) == {"sffs_2", "daf0"}


@pytest.mark.parametrize(
    ("J", "tested", "by_svm", "outcome"),
    [
        (0.95, 0.85, 0.80, HOLDS),
        (0.95, 0.94, 0.80, FAILS),  # what SFFS is ahead by in J, it is ahead by on test rows
        (0.90, 0.80, 0.80, FAILS),  # no stronger optimiser
        (0.95, 0.85, 0.95, FAILS),  # it pays with the other classifier all the same
        (0.95, 0.85, None, UNTESTED),
    ],
)
def test_over_fitting_of_sffs(J, tested, by_svm, outcome):
    """DAF has 0.90 by J, 0.89 on test rows and 0.85 by the SVM throughout."""
    rows = spambase(dict.fromkeys(VARIANTS, 0.89), tested, "knn3")
    if by_svm is not None:
        rows += spambase(dict.fromkeys(VARIANTS, 0.85), by_svm, "svm_rbf_tuned")
    searched = [
        ("spambase", "spambase", method, split, k, value)
        for split in (0, 1)
        for k in (2, 5)
        for method, value in [(f"sffs_{k}", J), *((v, 0.9) for v in VARIANTS)]
    ]
    columns = ["part", "dataset", "method", "split", "k", "criterion"]
    kept = {"criterion_of_sets": pl.DataFrame(searched, schema=columns, orient="row")}
    assert verdict("daf_sffs_overfits", kept=kept, accuracy=rows).outcome == outcome


def sweep(part: str, heights: dict[str, float]) -> list[dict]:
    return [
        row
        for name, height in heights.items()
        for row in curve(name, {5: height, 20: height}, part=part)
    ]


def test_budgets():
    heights = {"daf0_500": 0.6, "daf0_16700": 0.8, "daf0_41700": 0.8}
    rows = sweep("madelon_budget", heights)
    assert verdict("daf_two_hours_suffice", accuracy=rows).outcome == HOLDS
    assert verdict("daf_enough_contexts_needed", accuracy=rows).outcome == HOLDS
    flat = sweep("madelon_budget", {**heights, "daf0_500": 0.8, "daf0_16700": 0.7})
    assert verdict("daf_two_hours_suffice", accuracy=flat).outcome == FAILS
    assert verdict("daf_enough_contexts_needed", accuracy=flat).outcome == FAILS


def test_sizes_of_probes():
    heights = {"daf1_tau_5": 0.6, "daf1_tau_20": 0.8, "daf1_tau_150": 0.8, "daf1_tau_500": 0.8}
    rows = sweep("madelon_tau", heights)
    assert verdict("daf_tau_less_crucial", accuracy=rows).outcome == HOLDS
    assert verdict("daf_tau_too_low", accuracy=rows).outcome == HOLDS
    assert verdict("daf_tau_too_high", accuracy=rows).outcome == FAILS
    rows = sweep("madelon_tau", {**heights, "daf1_tau_20": 0.7})
    assert verdict("daf_tau_less_crucial", accuracy=rows).outcome == FAILS


def test_twice_the_probes_on_reuters():
    def rows(gain):
        return [
            row
            for variant in ("daf0", "daf1")
            for name, height in ((variant, 0.8 + gain), (f"{variant}_half", 0.8))
            for row in curve(name, {5: height, 20: height}, "reuters21578", "svm_linear")
        ]

    assert verdict("daf_longer_search_reuters", accuracy=rows(0.01)).outcome == HOLDS
    assert verdict("daf_longer_search_reuters", accuracy=rows(0.0)).outcome == FAILS
    few = {"part": "reuters_least", "dataset": "reuters21578", "method": "daf0", "split": 0}
    facts = [{**few, "fact": "n_evaluations", "value": 10_000.0}]
    found = verdict("daf_longer_search_reuters", accuracy=rows(0.01), facts=facts)
    assert found.outcome == UNTESTED
    assert found.detail.startswith("10,000 probes")


def test_large_probes_on_reuters():
    def rows(loss):
        return [
            row
            for variant in ("daf0", "daf1")
            for classifier in ("svm_linear", "knn1")
            for tau, height in ((200, 0.8), (1000, 0.8 - loss), (9000, 0.8 - 2 * loss))
            for row in curve(
                f"{variant}_tau_{tau}", {5: height + 0.001 * (tau > 200)}, "reuters21578",
                classifier, "reuters_tau",
            )
        ]  # fmt: skip

    assert verdict("daf_tau_reuters", accuracy=rows(0.1)).outcome == HOLDS
    assert verdict("daf_tau_reuters", accuracy=rows(0.0)).outcome == FAILS


def test_verdicts_say_how_many_probes_there_were():
    rows = on_every_set(0.8, 0.7)
    facts = [
        {"part": "reuters", "dataset": "reuters21578", "method": "daf0", "split": s,
         "fact": "n_evaluations", "value": 10000.0}
        for s in range(3)
    ]  # fmt: skip
    claims = judged_claims(PAPER, MadeResults(accuracy=rows, facts=facts), FOLDER)
    told = "Probes: reuters21578 10,000 of 148,000 in 3 of 20 trials"
    beats = claims.filter(claim="daf_beats_bif").row(0, named=True)
    assert beats["detail"].endswith(told)
    untested = claims.filter(verdict=UNTESTED)["detail"]
    assert not any(told in detail for detail in untested)


def test_of_two_budgets_on_reuters_the_larger_counts():
    def rows(part, height):
        methods = {"bif": 0.7, **dict.fromkeys(VARIANTS, height)}
        return [
            row
            for method, value in methods.items()
            for classifier in ("svm_linear", "knn1")
            for row in curve(method, {1: value}, "reuters21578", classifier, part)
        ]

    def outcome(*parts):
        return verdict(
            "daf_feasible_high_dimension", accuracy=[row for part in parts for row in part]
        ).outcome

    assert outcome(rows("reuters_day", 0.8)) == HOLDS
    assert outcome(rows("reuters_day", 0.8), rows("reuters", 0.6)) == FAILS


def test_a_probe_costs_more_the_larger_it_is():
    seconds = {"daf0_tau_5": 1.0, "daf0_tau_20": 0.95, "daf0_tau_150": 2.0}
    rows = sweep("madelon_tau", dict.fromkeys(seconds, 0.8))
    claim = "daf_low_tau_more_probes"
    assert verdict(claim, accuracy=rows, runs=runs("madelon_tau", seconds)).outcome == HOLDS
    falling = runs("madelon_tau", {**seconds, "daf0_tau_150": 0.5})
    assert verdict(claim, accuracy=rows, runs=falling).outcome == FAILS


def test_figures_are_drawn_from_what_there_is():
    rows = on_every_set(0.8, 0.7) + spambase(dict.fromkeys(VARIANTS, 0.9), 0.8, "knn1")
    rows += sweep("madelon_budget", {"daf0_500": 0.6, "daf0_1000": 0.7})
    rows += sweep("madelon_tau", {"daf0_tau_5": 0.6, "daf0_tau_10": 0.7})
    results = MadeResults(
        accuracy=rows, stability=steady("average_tanimoto", "bif", 0.5, "gisette")
    )
    with drawing():
        drawn = {name: draw(results) for name, (_, draw) in PAPER.figures.items()}
    assert [len(figure.axes) for figure in drawn.values()] == [2, 3, 2, 2, 1, 1]
