"""Abe (2014) on made-up results: the cells it printed, and verdicts known beforehand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from make_results import MadeResults

from fslib.config.load import load_config
from fslib.papers.babd.claims_on_microarrays import STARRED
from fslib.papers.babd.pairs import MICROARRAYS, MODES, SMALL_MODES, SMALL_SETS
from fslib.reproduce.compare import compared_cells
from fslib.reproduce.paper import FAILS, HOLDS, IN_PART, paper_in
from fslib.run.paper_folders import OWN
from fslib.split.schemes import Rows, make_splits

ROOT = Path(__file__).resolve().parents[2]
FOLDER = OWN / "babd"
PAPER = paper_in(FOLDER)
#: Deviations of six pairs around their mean: −1, 1, −1, …
NOISE = np.tile([-1.0, 1.0], 3)
FACTS = ("error", "error_rate", "C", "gamma", "start_error", "tied_rankings")
INCREMENTS = ("50", "500")


class Made:
    """Pairs of every data set, criterion and mode, all alike until something is said of them."""

    def __init__(self):
        self.pairs = {}
        rows = [("small", d, ("all", *SMALL_MODES)) for d in SMALL_SETS]
        rows += [("arrays", d, ("all", *MODES)) for d in MICROARRAYS]
        for part, dataset, modes in rows:
            for mode in modes:
                for criterion in ("mm", "mae"):
                    self.set(part, dataset, f"{mode}_{criterion}")
        for mode in INCREMENTS:
            self.set("figure_1", "hedenfalk_brca1", f"{mode}_mae")
            self.set("figure_1", "hedenfalk_brca1", f"{mode}m_mae")

    def set(self, part, dataset, method, **values):
        """New means of one row's quantities."""
        known = self.pairs.setdefault(
            (part, dataset, method),
            {
                "test_accuracy": 80.0 + NOISE,
                "n_selected": 40 + NOISE,
                "cpu_seconds": 2.0 + 0.1 * NOISE,
                "n_fits": 1000 + NOISE,
                "error": 0.2 + 0.01 * NOISE,
                "error_rate": 0.0 * NOISE,
                "C": 1.0 + 0 * NOISE,
                "gamma": 1.0 + 0 * NOISE,
                "start_error": 0.5 + 0 * NOISE,
                "tied_rankings": 0.0 * NOISE,
            },
        )
        for name, value in values.items():
            known[name] = known[name] - known[name].mean() + value
        return self

    def everywhere(self, condition, **values):
        """The same for all rows whose (data set, mode, criterion) meet a condition."""
        for part, dataset, method in list(self.pairs):
            if part != "figure_1" and condition(dataset, *method.split("_")):
                self.set(part, dataset, method, **values)
        return self

    def results(self, stability=()):
        runs, accuracy, facts = [], [], []
        for (part, dataset, method), known in self.pairs.items():
            for split in range(len(NOISE)):
                run = {"part": part, "dataset": dataset, "method": method, "split": split}
                runs.append(
                    run | {q: known[q][split] for q in ("n_selected", "cpu_seconds", "n_fits")}
                )
                accuracy.append(run | {"accuracy": known["test_accuracy"][split] / 100})
                facts += [run | {"fact": name, "value": known[name][split]} for name in FACTS]
        return MadeResults(runs=runs, accuracy=accuracy, facts=facts, stability=stability)

    def outcome(self, claim):
        return PAPER.claims[f"babd_{claim}"](self.results()).outcome


def test_the_tables_have_just_the_published_cells():
    results = Made().results()
    # A cell of ours that the paper has not raises; so all that is left is that none is missing.
    cells = compared_cells(PAPER, results, FOLDER)
    assert cells["ours"].null_count() == 0
    row = cells.filter(table="1", dataset="wdbc", method="20m", quantity="cv_mae").row(
        0, named=True
    )
    assert row["ours"] == pytest.approx(0.2)
    assert row["our_deviation"] == pytest.approx(0.01)  # of the population: ±0.01 each
    rates = cells.filter(quantity="test_accuracy", method="batch")
    assert rates["ours"].to_list() == pytest.approx([80.0] * len(rates))
    # Seconds of two machines are shown, not judged.
    assert set(cells.filter(quantity="seconds")["standing"]) <= {"no deviation", "not printed"}


def test_the_summary_counts_places_and_shares_them_on_ties():
    made = Made().everywhere(lambda d, mode, c: mode == "500m", test_accuracy=82.0)
    cells = compared_cells(PAPER, made.results(), FOLDER)
    found = cells.filter(quantity="test_accuracy_places").select("method", "condition", "ours")
    counts = {(m, c): v for m, c, v in found.iter_rows()}
    assert [counts["500m", f"place={p}"] for p in (1, 2, 3)] == [18, 0, 0]
    assert [counts["batch", f"place={p}"] for p in (1, 2, 3)] == [0, 18, 0]


def test_the_recognition_rate_ties_and_selects_few():
    made = Made()
    made.set("rate", "hedenfalk_brca1", "batch_rate", tied_rankings=0.8, n_selected=5)
    assert made.outcome("recognition_rate_ties") == HOLDS
    made.set("rate", "hedenfalk_brca2", "batch_rate", tied_rankings=0.2, n_selected=50)
    assert made.outcome("recognition_rate_ties") == IN_PART
    # It is no criterion of table 2.
    assert compared_cells(PAPER, made.results(), FOLDER)["ours"].null_count() == 0


@pytest.mark.parametrize(("size", "expected"), [(20, HOLDS), (60, FAILS)])
def test_a_larger_tolerance_selects_fewer(size, expected):
    made = Made()
    made.pairs = {("colon" if k[0] == "arrays" else k[0], *k[1:]): v for k, v in made.pairs.items()}
    for mode in MODES:
        for criterion in ("mm", "mae"):
            made.set("colon_fitted", "colon", f"{mode}_{criterion}", n_selected=size)
    results = made.results()
    main = PAPER.main_reading(results)
    verdict = PAPER.claims["babd_tolerance_controls_size"](main)
    assert verdict.outcome == expected
    assert "colon" in verdict.detail
    cells = compared_cells(PAPER, main, FOLDER).filter(dataset="colon", quantity="n_selected")
    assert set(cells["ours"]) == {40.0}


def test_asterisks_are_those_of_the_published_cells():
    text = pl.read_csv(FOLDER / "cells.csv", infer_schema=False).filter(note="significant")
    printed = {
        (quantity, condition.removeprefix("criterion="), dataset): method
        for quantity, condition, dataset, method in text.select(
            "quantity", "condition", "dataset", "method"
        ).iter_rows()
    }
    ours = {
        (*key, d): mode for key, marked in STARRED.items() for d, mode in marked.items() if mode
    }
    # The one that the scan does not show.
    assert ours.pop(("seconds", "mm", "prostate")) == "500"
    assert ours == printed


ROWS = {
    "ionosphere": (126, 225, 70),
    "wdbc": (212, 357, 114),
    "hedenfalk_brca1": (7, 15, 8),
    "hedenfalk_brca2": (8, 14, 8),
    "hedenfalk_sporadic": (7, 15, 8),
    "leukemia": (47, 25, 34),
    "colon": (22, 40, 22),
    "vantveer_measured": (51, 46, 19),
    "prostate": (59, 77, 34),
    "glioma": (22, 28, 29),
}


def test_the_study_has_pairs_of_the_papers_sizes_and_all_its_modes():
    config = load_config(ROOT / "config.yaml", [ROOT])
    seen = set()
    for name in config.groups["babd"]:
        study = config.study(name)
        methods = {variant.name for variant in study.methods}
        if name not in ("babd-figure_1", "babd-rate"):
            modes = SMALL_MODES if name == "babd-small" else MODES
            modes = modes if name.endswith("_fitted") else ("all", *modes)
            assert methods == {f"{m}_{c}" for m in modes for c in ("mm", "mae")}
        for variant in study.methods:
            falling = variant.params.get("blocks") == "falling"
            assert falling == (variant.name.endswith("_mae") and not variant.name.startswith("all"))
            assert variant.seed_name == "folds"
        assert study.within_split
        for dataset in study.datasets:
            first, second, test = ROWS[dataset]
            y = np.repeat([0, 1], [first, second])
            once = {**study.splits, "repeats": 1}
            split = make_splits(Rows(dataset, y), once, base_seed=1)[0]
            assert len(split.test) == test, dataset
            seen.add(dataset)
    assert seen == {*SMALL_SETS, *MICROARRAYS} - {"hcc"}


def small(dataset, mode, criterion):
    return dataset in SMALL_SETS


def test_cv_improves_but_for_two_one_pass_rows():
    made = Made()
    made.everywhere(lambda d, m, c: small(d, m, c) and m == "all", error=0.3, error_rate=0.1)
    assert made.outcome("cv_improves") == HOLDS
    for dataset in SMALL_SETS:
        made.set("small", dataset, "1_mm", error_rate=0.15)
    assert made.outcome("cv_improves") == HOLDS
    made.set("small", "wdbc", "batch_mm", error_rate=0.15)
    assert made.outcome("cv_improves") == FAILS  # on either set some row does not


def test_multi_pass_and_sizes_on_the_small_sets():
    made = Made()
    made.everywhere(lambda d, m, c: small(d, m, c) and m.endswith("m"), error=0.1, error_rate=-0.1)
    made.everywhere(lambda d, m, c: small(d, m, c) and m.startswith("1"), n_selected=20)
    made.everywhere(lambda d, m, c: small(d, m, c) and m in ("1", "1m"), n_selected=5)
    assert made.outcome("multi_pass_improves_cv") == HOLDS
    assert made.outcome("size_falls_with_increment") == HOLDS
    assert made.outcome("one_pass_sometimes_better_on_test") == FAILS
    made.set("small", "wdbc", "10_mae", test_accuracy=81.0, n_selected=50)
    assert made.outcome("one_pass_sometimes_better_on_test") == HOLDS
    assert made.outcome("size_falls_with_increment") == IN_PART


def test_parameters_differ_and_mae_is_better_on_all_features():
    made = Made().everywhere(lambda d, m, c: (m, c) == ("all", "mae"), C=10.0, test_accuracy=81.0)
    assert made.outcome("different_parameters") == HOLDS
    assert made.outcome("mae_better_with_all_features") == HOLDS
    assert made.outcome("criteria_differ_little") == HOLDS
    made.set("small", "wdbc", "all_mae", C=1.0, test_accuracy=78.0)
    assert made.outcome("different_parameters") == IN_PART
    assert made.outcome("mae_better_with_all_features") == IN_PART
    assert made.outcome("criteria_differ_little") == IN_PART


def test_cost_is_judged_by_time_and_by_models():
    made = Made().everywhere(lambda d, m, c: m == "500", n_fits=500)
    made.everywhere(lambda d, m, c: m == "batch", cpu_seconds=1.0)
    verdict = PAPER.claims["babd_one_pass_fastest"](made.results())
    assert verdict.outcome == IN_PART
    assert verdict.detail.startswith("holds on models trained; not on time. 18 of 36 comparisons")
    assert made.outcome("batch_fastest_small") == HOLDS


def test_the_increment():
    made = Made()
    for mode in INCREMENTS:
        made.set(
            "figure_1", "hedenfalk_brca1", f"{mode}m_mae", error=0.1, n_selected=60, cpu_seconds=9.0
        )
    for name in ("multi_pass_lower_mae", "test_same", "one_pass_cheaper"):
        assert made.outcome(f"increment_{name}") == HOLDS
    made.set("figure_1", "hedenfalk_brca1", "50_mae", test_accuracy=90.0, n_selected=70, error=0.01)
    for name in ("multi_pass_lower_mae", "test_same", "one_pass_cheaper"):
        assert made.outcome(f"increment_{name}") == IN_PART
    assert PAPER.figures["figure_01"][1](made.results()).axes


def test_comparable_means_that_welch_finds_nothing():
    made = Made()
    assert made.outcome("mae_comparable_to_mm") == HOLDS
    assert made.outcome("one_pass_comparable_to_batch") == HOLDS
    made.set("arrays", "colon", "batch_mae", test_accuracy=84.0)
    assert made.outcome("mae_comparable_to_mm") == IN_PART
    verdict = PAPER.claims["babd_one_pass_comparable_to_batch"](made.results())
    assert verdict.outcome == IN_PART
    assert "colon mae -4.00 points" in verdict.detail


def test_no_selection_may_be_worse_than_its_start():
    made = Made()
    made.everywhere(lambda d, m, c: m == "all", error=0.5)
    assert made.outcome("guarantee") == HOLDS
    made.set("arrays", "leukemia", "all_mae", error=0.19)
    assert made.outcome("guarantee") == IN_PART


def test_places_decide_about_multi_pass():
    made = Made()
    made.everywhere(lambda d, m, c: m == "500m", n_selected=60, cpu_seconds=9.0, test_accuracy=82)
    made.everywhere(lambda d, m, c: m == "500", n_selected=50)
    for name in ("best_test", "largest_and_slowest"):
        assert made.outcome(f"multi_pass_{name}") == HOLDS
    assert made.outcome("one_pass_second_in_size") == HOLDS
    made.everywhere(lambda d, m, c: m == "batch", n_selected=70, test_accuracy=85.0)
    assert made.outcome("multi_pass_best_test") == FAILS
    assert made.outcome("multi_pass_largest_and_slowest") == IN_PART
    assert made.outcome("one_pass_second_in_size") == FAILS


def test_asterisks():
    made = Made()
    for (quantity, criterion), marked in STARRED.items():
        for dataset, mode in marked.items():
            if mode:
                column = "cpu_seconds" if quantity == "seconds" else quantity
                made.set("arrays", dataset, f"{mode}_{criterion}", **{column: 1.0})
    assert made.outcome("welch_selected") == HOLDS
    made.set("arrays", "colon", "500_mm", n_selected=20)
    assert made.outcome("welch_selected") == IN_PART


def test_what_mae_selects():
    made = Made()
    for mode in MODES:
        made.set("arrays", "colon", f"{mode}_mae", n_selected=30, cpu_seconds=1.0)
    assert made.outcome("mae_selects_fewer_on_colon") == HOLDS
    assert made.outcome("mae_selects_more") == HOLDS
    # A mean of seconds that is lower by less than two standard errors is not said to be lower.
    noisy = made.pairs["arrays", "colon", "500_mm"]["cpu_seconds"]
    noisy[::2] += 5.0
    made.set("arrays", "colon", "500_mm", cpu_seconds=1.01)
    assert made.outcome("mae_selects_fewer_on_colon") == FAILS
    made.set("arrays", "colon", "500_mm", cpu_seconds=9.0)
    assert made.outcome("mm_perfect_cv") == HOLDS
    assert made.outcome("ties_rare_with_mae") == HOLDS
    made.set("arrays", "colon", "500_mae", n_selected=50)
    made.set("arrays", "hcc", "500_mae", n_selected=30)
    made.set("arrays", "glioma", "batch_mm", error_rate=0.01)
    made.set("arrays", "glioma", "batch_mae", tied_rankings=0.02)
    assert made.outcome("mae_selects_fewer_on_colon") == FAILS
    assert made.outcome("mae_selects_more") == IN_PART
    assert made.outcome("mm_perfect_cv") == IN_PART
    assert made.outcome("ties_rare_with_mae") == IN_PART


@pytest.mark.parametrize(("colon", "outcome"), [(0.3, HOLDS), (0.1, FAILS)])
def test_stability_is_that_of_whole_selections(colon, outcome):
    values = {"leukemia": 0.3, "glioma": 0.1, "colon": colon}
    rows = [
        {"part": "arrays", "dataset": d, "method": m, "k": k, "measure": "nogueira", "value": v}
        for d, mae in values.items()
        for m, k, v in [("batch_mae", 20, 0.0), ("batch_mae", 40, mae), ("batch_mm", 30, 0.2)]
    ]
    results = Made().results(rows)
    assert PAPER.claims["babd_mae_stabilises_selection"](results).outcome == outcome
