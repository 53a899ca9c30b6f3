"""Gulgezen, Cataltepe & Yu (2009) on made-up results: every cell, and verdicts known beforehand."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from make_results import MadeResults
from sklearn.metrics import mutual_info_score

from fslib import MRMR
from fslib.config.load import load_config
from fslib.data.dataset import Dataset
from fslib.figures.style import drawing
from fslib.kernels.pairs import symmetrical_uncertainty
from fslib.papers.stability import measures
from fslib.papers.stability.measures import (
    ALPHAS,
    BOOTSTRAPS,
    RATIOS,
    SHRUNK,
    alpha_ranks,
    bootstrapped_path,
    stabilities,
)
from fslib.reproduce.compare import compared_cells, judged_claims
from fslib.reproduce.findings import found_findings
from fslib.reproduce.paper import FAILS, HOLDS, IN_PART, paper_in
from fslib.run.paper_folders import OWN

ROOT = Path(__file__).resolve().parents[2]
FOLDER = OWN / "stability"
PAPER = paper_in(FOLDER)
DATASETS = (
    pl.read_csv(FOLDER / "cells.csv", infer_schema=False)["dataset"].unique().sort().to_list()
)
METHODS = ("mid", "miq", *ALPHAS)
SIZES, REPLICATES = 4, 2
REPEATS = REPLICATES * BOOTSTRAPS


class Made(MadeResults):
    """Curves by data set, ratio, method and k; tables and rankings only where they are given.

    Stabilities are those of the given rankings, or else those given as curves.
    """

    def __init__(
        self, stability, accuracy=None, datasets=DATASETS, tables=(), selections=(),
        repeats=REPEATS, svm=(), kept=None,
    ):  # fmt: skip
        places = list(product(datasets, enumerate(RATIOS), METHODS, range(1, SIZES + 1)))
        accuracy = accuracy or stability
        curves = [
            {"dataset": d, "method": m, "k": k, "split": len(RATIOS) * repeat + i, "part": "main",
             "classifier": "knn3", "accuracy": accuracy(d, r, m, k),
             "stability": stability(d, r, m, k)}
            for d, (i, r), m, k in places
            for repeat in range(repeats)
        ]  # fmt: skip
        super().__init__(kept, accuracy=[*curves, *svm], selections=list(selections))
        self._made = {table.name: table for table in tables}
        self.similarities = None
        if not selections:
            frame = pl.DataFrame(curves).filter(pl.col("split") % len(RATIOS) < len(SHRUNK))
            self.similarities = frame.select(
                "part", "dataset", "method", "split", "k", "stability",
                without_constants="stability",
            )  # fmt: skip

    @property
    def datasets(self):
        return list(self._made)

    def table(self, dataset):
        return self._made[dataset]


@pytest.fixture(autouse=True)
def made_similarities(monkeypatch):
    """Curves of stability need not come from rankings."""
    real = measures.similarities

    def given(results):
        return real(results) if results.similarities is None else results.similarities

    monkeypatch.setattr(measures, "similarities", given)


def verdict(results, claim):
    return PAPER.claims[claim](results)


def favouring(best: str):
    """One method ahead of all others, everywhere but where all must tie."""
    return lambda d, r, m, k: 0.5 + 0.1 * (m == best) * (1 < k < SIZES)


def test_the_tables_have_exactly_the_published_cells():
    cells = compared_cells(PAPER, Made(favouring("alpha_05")), FOLDER)
    assert len(cells) == 160
    assert "not run" not in set(cells["standing"])
    assert cells["tolerance"].null_count() == 0
    assert set(cells["our_repeats"]) == {REPLICATES}


def test_ranks_are_those_of_the_means_and_equal_values_share_a_dense_rank():
    heights = dict(zip(ALPHAS, (0.9, 0.8, 0.8, 0.6, 0.5), strict=True))
    results = Made(lambda d, r, m, k: 0.5 if k % 2 else heights.get(m, 1.0), datasets=["wine"])
    ranks = alpha_ranks(results, "accuracy").filter(ratio=0.25).sort("method")
    # k = 1 and 3: all tie; k = 2 and 4: 1, 2, 2, 3, 4. MID and MIQ are not ranked.
    assert ranks["mean"].to_list() == [1.0, 1.5, 1.5, 2.0, 2.5]


def test_deviations_are_those_over_replicates_of_ten_bootstraps():
    made = Made(favouring("alpha_1"), datasets=["wine"])
    # In the second replicate alone α = 0 leads at k = 2 and 3: rank 1 instead of 2 there.
    second = (pl.col("split") >= 50) & (pl.col("method") == "alpha_0") & pl.col("k").is_in([2, 3])
    made.similarities = made.similarities.with_columns(
        stability=pl.when(second).then(0.9).otherwise("stability")
    )
    ranks = alpha_ranks(made, "stability").filter(ratio=0.25, method="alpha_0").to_dicts()[0]
    assert ranks["mean"] == pytest.approx((1.5 + 1.0) / 2)
    assert ranks["deviation"] == pytest.approx(np.std([1.5, 1.0], ddof=1))
    cells = compared_cells(PAPER, made, FOLDER).filter(table="7", dataset="wine", method="alpha_0")
    # The paper's one run and the mean of our two; not the deviation over k that is printed.
    assert cells["tolerance"].item() == pytest.approx(2 * (ranks["deviation"] ** 2 * 1.5) ** 0.5)


def test_what_is_kept_decides_as_the_results_do():
    """Data sets of two runs are judged as if they were of one; whole tables are not kept."""

    def of(datasets, kept=None):
        curves = favouring("alpha_025"), favouring("alpha_1")
        svm = svm_rows(lambda c: 0.69) if "wine" in datasets else ()
        return Made(*curves, datasets=datasets, svm=svm, kept=kept)

    first, others = DATASETS[:3], DATASETS[3:]
    together = of(others, dict(PAPER.kept_of(of(first))))
    for judge in (judged_claims, compared_cells):
        one_run, two_runs = (judge(PAPER, results, FOLDER) for results in (of(DATASETS), together))
        assert two_runs.equals(one_run)
    assert "not run" not in set(two_runs["standing"])


def test_less_than_a_replicate_is_shown_and_not_judged():
    cells = compared_cells(PAPER, Made(favouring("alpha_05"), repeats=2), FOLDER)
    assert set(cells["standing"]) <= {"no deviation", "within"}
    assert cells["our_deviation"].null_count() == 160


def test_more_bootstraps_than_whole_replicates_leave_the_rest_out():
    made = Made(favouring("alpha_1"), datasets=["wine"], repeats=BOOTSTRAPS + 3)
    assert set(measures.replicate_curves(made)["replicate"]) == {0}


def test_the_study_lists_the_ratios_that_the_splits_are_read_by():
    config = load_config(ROOT / "config.yaml", [ROOT])
    for part in (*config.groups["stability"], *config.groups["stability_small"]):
        study = config.study(part)
        if part.endswith("-svm"):
            assert set(study.splits["ratios"]) == {0.25}
            assert [m.name for m in study.methods] == ["mid", "miq"]
            continue
        assert tuple(study.splits["ratios"]) == RATIOS
        assert [m.name for m in study.methods] == list(METHODS)


def test_the_study_ranks_all_features_whatever_a_sample_says_of_them():
    X = np.column_stack([np.zeros(8), np.arange(8) // 4, np.arange(8) % 2]).astype(int)
    study = load_config(ROOT / "config.yaml", [ROOT]).study("stability-main")
    for method in study.methods:
        assert len(MRMR(**method.params).fit(X, np.arange(8) // 4).order_) == 3, method.name


@pytest.mark.parametrize(
    ("claim", "holding", "failing"),
    [
        ("stability_mid_more_stable_everywhere", favouring("mid"), favouring("miq")),
        ("stability_mid_always_on_musk1", favouring("mid"), favouring("miq")),
        ("stability_mid_more_stable_mfeat", lambda d, r, m, k: float(m == "mid"), favouring("miq")),
        ("stability_prefer_relevance", favouring("alpha_075"), favouring("alpha_0")),
        ("stability_prefer_low_redundancy", favouring("alpha_025"), favouring("alpha_05")),
        ("stability_half_not_best", favouring("alpha_1"), favouring("alpha_05")),
        (
            "stability_best_alpha_depends_on_data",
            lambda d, *place: favouring("alpha_0" if d == "wine" else "alpha_1")(d, *place),
            favouring("alpha_1"),
        ),
        (
            "stability_no_single_best_alpha",
            lambda d, *place: favouring("alpha_0" if d == "musk1" else "alpha_1")(d, *place),
            favouring("alpha_1"),
        ),
        ("stability_mid_miq_same_accuracy", favouring("alpha_1"), favouring("mid")),
    ],
)  # fmt: skip
def test_verdicts_that_the_curves_decide(claim, holding, failing):
    assert verdict(Made(holding), claim).outcome == HOLDS
    assert verdict(Made(failing), claim).outcome == FAILS


def test_a_claim_may_hold_in_part_and_says_where():
    def curves(d, r, m, k):
        return favouring("miq" if d == "musk1" and r == 0.75 else "mid")(d, r, m, k)

    found = verdict(Made(curves), "stability_mid_always_on_musk1")
    assert found.outcome == IN_PART
    assert "not on r = 0.75" in found.detail


def test_the_best_alpha_may_differ_between_stability_and_accuracy():
    claim = "stability_best_alpha_stability_vs_accuracy"
    assert verdict(Made(favouring("alpha_1"), favouring("alpha_0")), claim).outcome == HOLDS
    assert verdict(Made(favouring("alpha_1"), favouring("alpha_1")), claim).outcome == FAILS


def table(name: str, n_rows=60, n_features=SIZES) -> Dataset:
    random = np.random.default_rng(1)
    X = random.integers(0, 3, (n_rows, n_features)).astype(float)
    names = [f"f{j}" for j in range(n_features)]
    return Dataset(name, X, (X[:, 0] > random.random(n_rows) * 2).astype(int), names, ["a", "b"])


def rankings(of_small_samples: dict[str, tuple[int, ...]]):
    """Whole bootstraps rank 0, 1, 2, 3; smaller samples as given."""
    for method in ALPHAS:
        for split in range(len(RATIOS) * REPEATS):
            whole = split % len(RATIOS) == len(RATIOS) - 1
            order = (0, 1, 2, 3) if whole else of_small_samples[method]
            for rank, feature in enumerate(order, start=1):
                yield {
                    "dataset": "wine", "method": method, "split": split, "rank": rank,
                    "feature": feature, "selected": True, "part": "main",
                }  # fmt: skip


def test_stability_of_a_bootstrap_is_one_where_rankings_agree():
    orders = dict.fromkeys(ALPHAS, (3, 2, 1, 0)) | {"alpha_1": (0, 1, 2, 3)}
    results = Made(
        favouring("alpha_1"), datasets=["wine"], tables=[table("wine")], selections=rankings(orders)
    )
    found = {m: stabilities(results).filter(method=m)["stability"] for m in ALPHAS}
    assert found["alpha_1"].to_list() == [1.0] * REPEATS
    assert len(found["alpha_0"]) == REPEATS
    assert (found["alpha_0"] < 1).all()
    assert verdict(results, "stability_alpha_controls").outcome == HOLDS
    same = Made(
        favouring("alpha_1"),
        datasets=["wine"],
        tables=[table("wine")],
        selections=rankings(dict.fromkeys(ALPHAS, (0, 1, 2, 3))),
    )
    assert verdict(same, "stability_alpha_controls").outcome == FAILS


@pytest.mark.parametrize("scheme", ["MID", "MIQ"])
def test_the_path_has_the_formulas_of_table_1(scheme):
    data = table("musk1")
    results = Made(favouring("mid"), datasets=["musk1"], tables=[data])
    path = bootstrapped_path(results, "musk1", scheme)
    rows = np.random.default_rng(0).integers(0, len(data.y), len(data.y))
    order = MRMR(scheme=scheme).fit(data.X.astype(int), data.y).order_
    X, y = data.X[rows][:, order], data.y[rows]
    for k in range(SIZES):
        V = mutual_info_score(X[:, k], y)
        assert path.relevance[0, k] == pytest.approx(V)
        if k:
            W = np.mean([mutual_info_score(X[:, k], X[:, j]) for j in range(k)])
            assert path.redundancy[0, k] == pytest.approx(W)
            expected = V / W if scheme == "MIQ" else V - W
            assert path.criterion[0, k] == pytest.approx(expected)
    assert path.criterion.shape == (50, SIZES)
    # Three levels of small tables: a quotient of small numbers varies more than a difference.
    found = verdict(results, "stability_mid_smaller_variance")
    assert found.outcome in (HOLDS, IN_PART)
    assert "deviation 1" in found.detail


def test_miq_varies_where_redundancy_is_small():
    random = np.random.default_rng(2)
    y = random.integers(0, 2, 200)
    common = random.integers(0, 3, 200)
    # Ten nearly independent features that know the class, then many copies of one with noise.
    free = [np.where(random.random(200) < 0.6, y, random.integers(0, 3, 200)) for _ in range(12)]
    copies = [np.where(random.random(200) < 0.9, common, 2 - common) for _ in range(60)]
    X = np.column_stack([*free, *copies]).astype(float)
    data = Dataset("musk1", X, y, [f"f{j}" for j in range(X.shape[1])], ["a", "b"])
    results = Made(favouring("mid"), datasets=["musk1"], tables=[data])
    assert verdict(results, "stability_miq_variance_at_few_features").outcome == HOLDS


def test_figures_are_drawn():
    results = Made(favouring("mid"), tables=[table("musk1")])
    with drawing():
        for name, (caption, draw) in PAPER.figures.items():
            assert caption
            assert draw(results) is not None, name


def svm_rows(accuracy):
    return [
        {"dataset": "wine", "method": m, "split": repeat, "k": k, "classifier": c, "part": "svm",
         "accuracy": accuracy(c) + 0.001 * (repeat % 3)}
        for m in ("mid", "miq")
        for repeat in range(BOOTSTRAPS)
        for k in (1, 2, 4)
        for c in ("svm_linear", "svm_rbf")
    ]  # fmt: skip


def test_each_support_vector_machine_is_judged_for_itself():
    def far(d, r, m, k):
        return 0.7

    near = Made(far, datasets=["wine"], svm=svm_rows(lambda c: 0.699 if c == "svm_rbf" else 0.9))
    found = verdict(near, "stability_svm_like_knn")
    assert found.outcome == IN_PART
    assert found.detail.startswith("holds on wine svm_rbf; not on wine svm_linear")
    apart = Made(far, datasets=["wine"], svm=svm_rows(lambda c: 0.8))
    found = verdict(apart, "stability_svm_like_knn")
    assert found.outcome == FAILS
    assert "wine svm_linear +10.1" in found.detail


def printed(d, quantity):
    """Curves that are ranked exactly as print has the data set at r = 0.25."""
    cells = pl.read_csv(FOLDER / "cells.csv").filter(
        dataset=d, condition="r=0.25", quantity=f"{quantity}_rank"
    )
    return dict(cells.select("method", "value").iter_rows())


def test_the_finding_tells_repeated_stability_ranks_from_accuracies():
    random = np.random.default_rng(0)
    noise = {(m, k): random.random() for m in METHODS for k in range(1, SIZES + 1)}
    noise |= {("alpha_0", k): 0.0 for k in range(1, SIZES + 1)}
    stability = {d: printed(d, "stability") for d in DATASETS}

    def stable(d, r, m, k):
        return 1 - stability[d].get(m, 3.0) / 10

    results = Made(stable, lambda d, r, m, k: noise[m, k])
    found = {f["name"]: f for f in found_findings(PAPER, results, FOLDER)}
    told = found["accuracy_tables_hold_stability"]
    numbers = list(told["numbers"].values())
    # From print alone: nearly the same ranks in tables 4 and 8, not in table 6.
    assert numbers[0] > 0.97
    assert numbers[1] < 0.9
    assert abs(numbers[2]) < 0.6
    # Columns ranked by the printed stabilities fit the printed accuracies better than noise.
    assert numbers[7] < numbers[6]
    assert len(told["table"]["rows"]) == 10  # musk1 at four ratios, six more sets
    assert "ionosphere" in {row[0] for row in found["constant_columns"]["table"]["rows"]}


def test_there_is_no_finding_without_replicates():
    made = Made(favouring("mid"), repeats=2)
    assert [f["name"] for f in found_findings(PAPER, made, FOLDER)] == ["constant_columns"]


def test_constant_columns_count_once_as_one_and_once_as_nothing():
    data = table("wine")
    X = np.column_stack([data.X[:, :3], np.zeros(len(data.X))])
    constant = Dataset("wine", X, data.y, data.feature_names, data.class_names)
    orders = dict.fromkeys(ALPHAS, (3, 0, 1, 2))
    results = Made(
        favouring("mid"), datasets=["wine"], tables=[constant], selections=rankings(orders)
    )
    found = measures.similarities(results).filter(method="alpha_0", split=0).sort("k")
    # The whole bootstrap ranks 0 1 2 3, the sub-sample the constant column 3 first.
    su = symmetrical_uncertainty(X.astype(int))
    two = max(su[0, 3] + su[1, 0], su[0, 0] + su[1, 3])
    assert found["stability"].to_list() == pytest.approx(
        [su[0, 3], two / 2, found["stability"][2], 1]
    )
    assert found["without_constants"].to_list()[:3] == found["stability"].to_list()[:3]
    assert found["without_constants"][3] == pytest.approx(3 / 4)
