"""Chang & Chen (2009) on made-up results: the cells it printed, and verdicts known beforehand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from make_results import MadeResults
from sklearn.svm import SVC

from fslib.config.load import load_config
from fslib.data import load
from fslib.figures.style import drawing
from fslib.papers.amfes import synthetic_sets, tables
from fslib.papers.amfes.paper import GROUPS, PAIRS
from fslib.reproduce.compare import compared_cells, judged_claims
from fslib.reproduce.paper import FAILS, HOLDS, IN_PART, UNTESTED, paper_in
from fslib.run.paper_folders import OWN

ROOT = Path(__file__).resolve().parents[2]
FOLDER = OWN / "amfes"
PAPER = paper_in(FOLDER)
SYNTHETIC = [dataset for sets in GROUPS.values() for dataset in sets]
FEATURES = {"colon": 2000, "lucap": 143}
RANKERS = ("amfes", "random_subsets", "svm_rfe", "correlation")
SETTINGS = ("keep_1_3", "keep_2_3", "keep_09", "subsets_1_4", "subsets_3_4")


class WithTables(MadeResults):
    """The data sets as they are."""

    def table(self, dataset):
        return load(dataset)

    def training_rows(self, part, dataset):
        """Two thirds of the training rows for even splits, the others for odd ones."""
        rows = np.flatnonzero(load(dataset).fold == "train")
        learning = np.arange(len(rows)) % 3 < 2
        return {split: rows[learning if split % 2 == 0 else ~learning] for split in range(400)}


class Made:
    """A study in which every method is alike until something is said of it."""

    def __init__(self):
        # Accuracy by size of each pair, before and after a bump at the peak.
        self.peaks = {m: (3, 0.9) for m in (*RANKERS, *SETTINGS)}
        self.noise = 0.01
        self.fits = {"amfes": 1000, "svm_rfe": 1999, "correlation": 0}
        self.seconds = {"amfes": 1.0, "svm_rfe": 2.0, "correlation": 0.01}
        self.libraries = {"libsvm": 1.5, "liblinear": 1.0}
        self.selected = {}

    def results(self, datasets=("colon",)):
        rows = {"accuracy": [], "runs": [], "selections": [], "recovery": []}
        for dataset in datasets:
            part = "microarrays"
            for method in RANKERS:
                self._curve(rows, part, dataset, method)
            for split in range(6):
                at = {"part": part, "dataset": dataset, "method": "all_features", "split": split}
                rows["accuracy"].append({**at, "k": 2000, "accuracy": 0.85})
        for method in ("amfes", *SETTINGS):
            self._curve(rows, "settings", "colon", method)
        for method, seconds in self.libraries.items():
            at = {"part": "libraries", "dataset": "colon", "method": method, "split": 0}
            rows["runs"].append({**at, "cpu_seconds": seconds})
        chosen = []
        for (part, dataset, method), sets in self.selected.items():
            for split, (features, test_accuracy) in enumerate(sets):
                if part == "synthetic_rankings":
                    self._ranking(rows, dataset, method, split, features)
                else:
                    procedure = "omega_pi" if part == "synthetic_pairs" else "omega"
                    at = {"part": part, "dataset": dataset, "method": method, "split": split}
                    found = self._selection(features, test_accuracy)
                    found |= {"procedure": procedure, "set": synthetic_sets.set_of(dataset)}
                    chosen.append({**at, **found})
        # Selected sets need not come from rankings of pairs: an earlier run may have left them.
        return WithTables({"chosen": pl.DataFrame(chosen, schema=synthetic_sets.CHOSEN)}, **rows)

    def _curve(self, rows, part, dataset, method):
        location, height = self.peaks[method]
        for split in range(6):
            at = {"part": part, "dataset": dataset, "method": method, "split": split}
            for k in (1, 2, 3, 4, 2000):
                accuracy = height if k == location else height - 0.1
                noise = self.noise * (-1) ** split
                rows["accuracy"].append({**at, "k": k, "accuracy": accuracy + noise})
            rows["runs"].append(
                {
                    **at,
                    "n_fits": self.fits.get(method, 1500),
                    "cpu_seconds": self.seconds.get(method, 1.0),
                    "n_selected": FEATURES.get(dataset, 1000),
                }
            )
            for rank in range(1, 6):
                feature = rank if method != "amfes" else 10 * split + rank
                rows["selections"].append({**at, "rank": rank, "feature": feature})

    def _selection(self, features, test_accuracy):
        """Columns below 15 are the essential ones; φ ends at the first other."""
        hits, k = sum(f < 15 for f in features), len(features)
        phi = next((i for i, f in enumerate(features) if f >= 15), k)
        return {
            "features": list(features), "test_accuracy": 100 * test_accuracy, "n_selected": k,
            "n_essential": hits, "f1": 100 * 2 * hits / (k + 15), "n_essential_on_top": phi,
        }  # fmt: skip

    def _ranking(self, rows, dataset, method, split, features):
        at = {"part": "synthetic_rankings", "dataset": dataset, "method": method, "split": split}
        found = self._selection(features, 0.0)
        recall, phi = found["n_essential"] / 15, found["n_essential_on_top"]
        rows["recovery"].append({**at, "k": len(features), "recall": recall, "phi": phi})


@pytest.fixture
def made():
    return Made()


def outcome(results, claim: str) -> str:
    return PAPER.claims[claim](results).outcome


def test_every_published_cell_has_one_of_ours(made, monkeypatch):
    made.noise = 0.0001
    baselines = dict.fromkeys(SYNTHETIC, 80.0)
    monkeypatch.setattr(tables, "baselines", lambda results: baselines)
    for dataset in SYNTHETIC:
        for method in ("amfes", "svm_rfe", "correlation"):
            for part in ("synthetic", "synthetic_pairs"):
                made.selected[part, dataset, method] = [(range(10), 0.9), (range(12), 0.91)]
    results = made.results(PAIRS)
    cells = compared_cells(PAPER, results, FOLDER)
    assert cells["ours"].null_count() == 0
    with drawing():
        assert all(draw(results) is not None for _, draw in PAPER.figures.values())

    def ours(table, dataset, method, quantity, condition=""):
        key = dict(table=table, dataset=dataset, method=method, quantity=quantity)
        row = cells.filter(condition=condition, **key).row(0, named=True)
        return row["ours"], row["our_deviation"], row["our_repeats"]

    assert ours("5", "colon", "amfes", "peak_location") == (3, None, None)
    assert ours("6", "colon", "amfes", "peak_value") == (pytest.approx(90), pytest.approx(0.01), 6)
    assert ours("6", "colon", "all_features", "baseline_accuracy")[0] == pytest.approx(85)
    assert ours("4", "colon", "amfes", "pairs")[0] == 6
    assert ours("4", "colon", "amfes", "gamma")[0] == 1
    assert ours("7", "colon", "svm_rfe", "ranking_seconds")[0] == 2.0
    one = "synthetic_group1_500", "amfes"
    omega = "procedure=omega"
    assert ours("9", *one, "test_accuracy", omega) == (pytest.approx(90.5), pytest.approx(0.5), 2)
    assert ours("10", *one, "n_selected", omega) == (11, 1, 2)
    assert ours("11", *one, "n_essential", omega) == (11, 1, 2)
    assert ours("12", *one, "f1", omega)[0] == pytest.approx(100 * (20 / 25 + 24 / 27) / 2)
    assert ours("13", *one, "n_essential_on_top", omega) == (11, 1, 2)


def test_peaks(made):
    made.peaks |= {"amfes": (2, 0.95), "random_subsets": (4, 0.9), "correlation": (3, 0.92)}
    results = made.results()
    for claim in ("peak_earlier", "peak_higher", "curve_above", "adaptive_beats_nonadaptive"):
        assert outcome(results, f"amfes_{claim}") == HOLDS
    assert outcome(results, "amfes_highest_peak") == HOLDS
    assert outcome(results, "amfes_rfe_not_better") == HOLDS
    assert outcome(results, "amfes_beats_rfe_accuracy") == HOLDS
    # On colon CORR is said to beat RFE.
    assert outcome(results, "amfes_corr_weak_except_colon") == HOLDS


def test_peaks_the_other_way_round(made):
    made.peaks |= {"amfes": (4, 0.9), "random_subsets": (2, 0.95), "svm_rfe": (2, 0.95)}
    results = made.results(["colon", "marti"])
    for claim in ("peak_earlier", "peak_higher", "curve_above", "adaptive_beats_nonadaptive"):
        assert outcome(results, f"amfes_{claim}") == FAILS
    assert outcome(results, "amfes_highest_peak") == FAILS
    assert outcome(results, "amfes_rfe_not_better") == FAILS
    assert outcome(results, "amfes_corr_weak_except_colon") == FAILS


def test_what_is_kept_decides_as_the_results_do(made):
    """A benchmark set in one run and a synthetic one in another, as long studies are run."""
    made.peaks |= {"amfes": (2, 0.95), "random_subsets": (4, 0.9)}
    made.selected["synthetic", SYNTHETIC[0], "amfes"] = [(range(10), 0.9), (range(12), 0.91)]
    results = made.results()
    alone = WithTables(dict(PAPER.kept_of(results)))
    for judge in (judged_claims, compared_cells):
        from_results, from_kept = (judge(PAPER, r, FOLDER) for r in (results, alone))
        assert from_kept.equals(from_results)
    assert from_kept["ours"].drop_nulls().len() > 10


def test_equal_peaks_are_not_higher_and_not_worse(made):
    results = made.results()
    assert outcome(results, "amfes_peak_higher") == FAILS
    assert outcome(results, "amfes_rfe_not_better") == HOLDS
    assert outcome(results, "amfes_beats_rfe_accuracy") == FAILS


def test_a_peak_at_one_feature_has_no_curve_below_it(made):
    made.peaks |= {"amfes": (1, 0.9), "random_subsets": (1, 0.9)}
    assert outcome(made.results(), "amfes_curve_above") == UNTESTED


def test_the_verdict_says_what_was_not_run(made):
    verdict = PAPER.claims["amfes_highest_peak"](made.results())
    assert "not run: lymphoma_malignant" in verdict.detail


def test_costs(made):
    results = made.results()
    for claim in ("fewer_fits_than_rfe", "faster_than_rfe_except_lucap", "corr_fastest"):
        assert outcome(results, f"amfes_{claim}") == HOLDS
    assert outcome(results, "amfes_fit_counts") == HOLDS  # 2000 features: ten stages


def test_costs_the_other_way_round(made):
    made.fits |= {"amfes": 3000, "svm_rfe": 500}
    made.seconds["correlation"] = 5.0
    results = made.results()
    assert outcome(results, "amfes_fewer_fits_than_rfe") == FAILS
    assert outcome(results, "amfes_faster_than_rfe_except_lucap") == IN_PART  # still in seconds
    assert outcome(results, "amfes_corr_fastest") == FAILS
    assert outcome(results, "amfes_fit_counts") == FAILS


def test_two_libraries_are_alike_up_to_twice_the_time(made):
    claim = "amfes_libsvm_as_fast_as_liblinear"
    assert outcome(made.results(), claim) == HOLDS
    made.libraries["libsvm"] = 2.1
    assert outcome(made.results(), claim) == FAILS
    made.libraries = {}
    assert outcome(made.results(), claim) == UNTESTED


def test_lucap_is_where_amfes_is_slower(made):
    results = made.results(["lucap"])
    assert outcome(results, "amfes_faster_than_rfe_except_lucap") == FAILS
    assert outcome(results, "amfes_fewer_fits_than_rfe") == UNTESTED


def test_stable_pairs(made):
    # Six pairs swing by 1 %, and a hundred might not.
    assert outcome(made.results(), "amfes_gamma_below_pi") == UNTESTED
    made.noise = 0.0001
    assert outcome(made.results(), "amfes_gamma_below_pi") == HOLDS


def test_one_pair_selects_other_features_each_time(made):
    results = made.results()
    verdict = PAPER.claims["amfes_one_pair_varies_drastically"](results)
    assert "colon 3.0 ± 0.0 features, 0.00" in verdict.detail  # other features, but always three
    assert verdict.outcome == FAILS


def test_settings(made):
    results = made.results()
    assert outcome(results, "amfes_subset_size_insensitive") == HOLDS
    assert outcome(results, "amfes_larger_keep_no_gain") == HOLDS
    assert outcome(results, "amfes_smaller_keep_worse") == FAILS


def test_settings_the_other_way_round(made):
    made.peaks |= {"keep_1_3": (3, 0.8), "keep_09": (3, 0.95), "subsets_3_4": (3, 0.85)}
    results = made.results()
    assert outcome(results, "amfes_subset_size_insensitive") == FAILS
    assert outcome(results, "amfes_larger_keep_no_gain") == FAILS
    assert outcome(results, "amfes_smaller_keep_worse") == HOLDS


# What the paper's own tables say of its sentences: see the notes in claims.yaml.
ON_ITS_OWN_TABLES = {
    "amfes_advantage_small_n_many_irrelevant": IN_PART,
    "amfes_many_pairs_beat_one": HOLDS,
    "amfes_t_rises_with_n": IN_PART,  # CORR hardly rises in Group I
    "amfes_t_higher_in_group_1": HOLDS,
    "amfes_t_omega_beats_omega_pi": HOLDS,
    "amfes_corr_t_same": HOLDS,
    "amfes_t_best": IN_PART,
    "amfes_f1_rises_with_n": HOLDS,
    "amfes_corr_f1_no_trend": IN_PART,
    "amfes_f1_higher_in_group_1": IN_PART,
    "amfes_f1_omega_beats_omega_pi": HOLDS,
    "amfes_f1_beats_rfe": IN_PART,
    "amfes_corr_weakest_f1": IN_PART,
    "amfes_misses_essential_at_small_n": HOLDS,
    "amfes_unselected_still_on_top": IN_PART,
    "amfes_phi_same_for_both_procedures": HOLDS,
    "amfes_phi_above_epsilon": IN_PART,
    "amfes_phi_gap_shrinks": IN_PART,
    "amfes_phi_highest": HOLDS,
    "amfes_phi_advantage_small_n_many_irrelevant": IN_PART,
    "amfes_corr_invariant_to_n": HOLDS,
    "amfes_rfe_phi_above_epsilon": HOLDS,
    "amfes_cod_effect": IN_PART,
}


@pytest.fixture
def as_published(monkeypatch):
    """Samples with the means and deviations that tables 9 to 13 print."""
    rows = pl.read_csv(FOLDER / "cells.csv").filter(
        pl.col("table") > 8, pl.col("method") != "all_features"
    )
    found = {}
    for row in rows.rows(named=True):
        procedure = row["condition"].removeprefix("procedure=")
        key = synthetic_sets.SETS[row["dataset"]], procedure, row["method"]
        noise = np.tile([-1.0, 1.0], 10 if procedure == "omega" else 200)
        columns = found.setdefault(key, {"dataset": [row["dataset"]] * len(noise)})
        columns[row["quantity"]] = row["value"] + row["deviation"] * noise
    # No two methods share a draw.
    frames = {
        key: pl.DataFrame(columns).with_columns(split=1000 * number + pl.row_index())
        for number, (key, columns) in enumerate(found.items())
    }
    monkeypatch.setattr(synthetic_sets, "samples", lambda results: frames)
    return MadeResults()


@pytest.mark.parametrize("claim", ON_ITS_OWN_TABLES)
def test_verdicts_on_the_papers_own_tables(claim, as_published):
    verdict = PAPER.claims[claim](as_published)
    assert verdict.outcome == ON_ITS_OWN_TABLES[claim], verdict.detail


def test_orderings_agree_with_themselves_and_not_with_others(as_published, monkeypatch):
    _, found = PAPER.findings["synthetic_orderings"]
    monkeypatch.setattr(tables, "baselines", lambda results: {})
    printed = synthetic_sets.samples(as_published)
    monkeypatch.setattr(tables, "samples", lambda results: printed)
    pairs, same = found(as_published).numbers.values()
    assert pairs == same
    assert pairs > 5 * (36 + 18 + 36) - 20  # all but ties
    # With the two names exchanged, the pairs of AMFES and CORR are the other way round.
    other = {"amfes": "correlation", "correlation": "amfes", "svm_rfe": "svm_rfe"}
    swapped = {(place, p, other[m]): frame for (place, p, m), frame in printed.items()}
    monkeypatch.setattr(tables, "samples", lambda results: swapped)
    methods = pl.col("cells that differ in") == "method"
    table = found(as_published).table.filter(methods, pl.col("table") == "12")
    assert table["same order"][0] < table["pairs"][0] / 2


def test_contradictions_are_named(as_published):
    def detail(claim):
        return PAPER.claims[claim](as_published).detail

    assert "not on II-1" in detail("amfes_phi_above_epsilon")
    assert "II-1 svm_rfe and correlation Ω 61.29 against 61.63" in detail("amfes_corr_weakest_f1")
    assert "I-3 amfes Ω·Π 84.46 against 86.49" in detail("amfes_f1_higher_in_group_1")


def test_essential_features_by_their_means(made):
    """CORR finds the seven whose class means differ; AMFES the others too."""
    name = "synthetic_group1_1000"
    differing, equal = synthetic_sets.differing(made.results(), name)
    assert (len(differing), len(equal)) == (7, 8)
    assert differing | equal == set(load(name).essential.tolist())

    def select(correlation, amfes):
        made.selected["synthetic", name, "correlation"] = [(sorted(correlation), 0.9)] * 2
        made.selected["synthetic", name, "amfes"] = [(sorted(amfes), 0.9)] * 2
        return made.results()

    results = select(differing, differing | equal)
    assert outcome(results, "amfes_corr_misses_weakly_correlated") == HOLDS
    results = select(equal, equal)
    assert outcome(results, "amfes_corr_misses_weakly_correlated") == FAILS


def test_redrawn_sets_are_judged_beside_the_others(made):
    for copy in ("01", "02"):
        for method, n in (("amfes", 14), ("svm_rfe", 9 + int(copy)), ("correlation", 7)):
            dataset = f"synthetic_group1_500_redrawn{copy}"
            made.selected["synthetic_redrawn", dataset, method] = [(range(n), 0.9)]
    verdict = PAPER.claims["amfes_phi_highest"](made.results())
    assert verdict.outcome == HOLDS
    assert verdict.detail.startswith("holds on I-1 redrawn; not run: I-1, ")


def test_many_pairs_are_more_stable(made):
    name = "synthetic_group1_500"
    for method in ("amfes", "svm_rfe", "correlation"):
        made.selected["synthetic", name, method] = [(range(8), 0.91), (range(9), 0.91)]
        made.selected["synthetic_pairs", name, method] = [(range(4), 0.9), (range(6, 20), 0.9)]
    results = made.results()
    assert outcome(results, "amfes_many_pairs_more_stable") == HOLDS
    assert outcome(results, "amfes_many_pairs_beat_one") == HOLDS


def test_stages_improve_the_ranking(made):
    name = "synthetic_group1_500"
    made.selected["synthetic_rankings", name, "amfes"] = [(range(14), 0.9), (range(15), 0.9)]
    made.selected["synthetic_rankings", name, "random_subsets"] = [(range(7), 0.9)] * 2
    assert outcome(made.results(), "amfes_stages_improve_ranking") == HOLDS
    made.selected["synthetic_rankings", name, "amfes"] = [(range(5), 0.9)] * 2
    assert outcome(made.results(), "amfes_stages_improve_ranking") == FAILS


def pairs_of(table, n_pairs: int, method: str, good: int):
    """Rankings with the essential columns first, curves that peak at ``good`` or one more."""
    rng = np.random.default_rng(0)
    accuracy, selections = [], []
    others = np.setdiff1d(np.arange(table.X.shape[1]), table.essential)
    for split in range(n_pairs):
        at = {"part": "synthetic", "dataset": table.name, "method": method, "split": split}
        order = [*rng.permutation(table.essential), *rng.permutation(others)]
        peak = good + split % 2
        selections += [{**at, "rank": i + 1, "feature": f} for i, f in enumerate(order)]
        accuracy += [
            {**at, "k": k, "classifier": "svm_linear", "accuracy": 0.9 if k == peak else 0.7}
            for k in range(1, 21)
        ]
    return accuracy, selections


def test_both_procedures_come_from_one_ranking_per_pair():
    table = load("synthetic_group1_500")
    accuracy, selections = pairs_of(table, 2 * synthetic_sets.PI + 3, "amfes", good=15)
    results = WithTables(accuracy=accuracy, selections=selections)
    found = synthetic_sets.chosen(results)
    omega, alone = (found.filter(procedure=p) for p in ("omega", "omega_pi"))
    # Two whole draws of twenty pairs; the three pairs that are left over belong to none.
    assert omega["split"].to_list() == [0, 1]
    assert alone["split"].to_list() == list(range(40))
    assert alone["n_selected"].to_list() == [15, 16] * 20
    assert set(alone["n_essential"]) == {15}
    # The mean curve ties at 15 and 16, and every essential column has the credit of every pair.
    assert omega["n_selected"].to_list() == [15, 15]
    assert set(omega["features"][0]) == set(table.essential.tolist())
    assert omega["n_essential_on_top"].to_list() == [15, 15]
    train = table.fold == "train"
    low, high = table.X[train].min(axis=0), table.X[train].max(axis=0)
    X = ((table.X - low) / (high - low))[:, table.essential]
    peer = SVC(kernel="linear", C=1.0, tol=1e-6).fit(X[train], table.y[train])
    expected = 100 * peer.score(X[~train], table.y[~train])
    assert omega["test_accuracy"][0] == pytest.approx(expected, abs=0.2)
    # A set from one pair is judged by a classifier of the pair's learning rows.
    rows = results.training_rows("synthetic", table.name)[0]
    low, high = table.X[rows].min(axis=0), table.X[rows].max(axis=0)
    X = ((table.X - low) / (high - low))[:, alone["features"][0].to_list()]
    peer = SVC(kernel="linear", C=1.0, tol=1e-6).fit(X[rows], table.y[rows])
    expected = 100 * peer.score(X[~train], table.y[~train])
    assert alone["test_accuracy"][0] == pytest.approx(expected, abs=0.2)
    keys = set(synthetic_sets.selected_sets(results))
    assert keys == {("I-1", "omega", "amfes"), ("I-1", "omega_pi", "amfes")}


def test_a_draw_of_fewer_pairs_counts_where_there_is_no_other():
    table = load("synthetic_group1_500")
    accuracy, selections = pairs_of(table, 5, "correlation", good=3)
    found = synthetic_sets.chosen(WithTables(accuracy=accuracy, selections=selections))
    assert found.filter(procedure="omega")["n_selected"].to_list() == [3]
    assert found.filter(procedure="omega_pi").height == 5


def test_the_study_draws_whole_draws_of_pairs():
    config = load_config(ROOT / "config.yaml", [ROOT])
    for part in ("amfes-synthetic", "amfes-synthetic_redrawn", "amfes_small-synthetic"):
        study = config.study(part)
        assert study.splits["scheme"] == "original_holdout"
        assert study.splits["repeats"] % synthetic_sets.PI == 0
        assert {m.name for m in study.methods} >= set(synthetic_sets.METHODS)
    assert config.study("amfes-synthetic").splits["repeats"] == 20 * synthetic_sets.PI
    assert len(config.study("amfes-synthetic_redrawn").datasets) == 5 * 6
