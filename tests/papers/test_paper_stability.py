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
from fslib.papers.stability.measures import (
    ALPHAS,
    RATIOS,
    alpha_ranks,
    bootstrapped_path,
    stability_by_bootstrap,
)
from fslib.reproduce.compare import compared_cells
from fslib.reproduce.paper import FAILS, HOLDS, IN_PART, paper_in
from fslib.run.paper_folders import OWN

ROOT = Path(__file__).resolve().parents[2]
FOLDER = OWN / "stability"
PAPER = paper_in(FOLDER)
DATASETS = (
    pl.read_csv(FOLDER / "cells.csv", infer_schema=False)["dataset"].unique().sort().to_list()
)
METHODS = ("mid", "miq", *ALPHAS)
SIZES, REPEATS = 4, 3


class Made(MadeResults):
    """Curves by data set, ratio, method and k; tables and rankings only where they are given."""

    def __init__(self, stability, accuracy=None, datasets=DATASETS, tables=(), selections=()):
        places = list(product(datasets, enumerate(RATIOS), METHODS, range(1, SIZES + 1)))
        accuracy = accuracy or stability
        super().__init__(
            stability=[
                {"dataset": d, "ratio": r, "method": m, "k": k, "measure": "su_matching",
                 "value": stability(d, r, m, k)}
                for d, (_, r), m, k in places
            ],
            accuracy=[
                {"dataset": d, "method": m, "k": k, "split": len(RATIOS) * repeat + i,
                 "classifier": "knn3", "accuracy": accuracy(d, r, m, k)}
                for d, (i, r), m, k in places
                for repeat in range(REPEATS)
            ],
            selections=list(selections),
        )  # fmt: skip
        self._made = {table.name: table for table in tables}

    @property
    def datasets(self):
        return list(self._made)

    def table(self, dataset):
        return self._made[dataset]


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
    assert set(cells["our_repeats"]) == {SIZES}


def test_ranks_are_those_of_the_means_and_ties_share_the_best_one():
    heights = dict(zip(ALPHAS, (0.9, 0.8, 0.8, 0.6, 0.5), strict=True))
    results = Made(lambda d, r, m, k: 0.5 if k % 2 else heights.get(m, 1.0), datasets=["wine"])
    ranks = alpha_ranks(results, "accuracy").filter(ratio=0.25).sort("method")
    # k = 1 and 3: all tie; k = 2 and 4: 1, 2, 2, 4, 5. MID and MIQ are not ranked.
    assert ranks["mean"].to_list() == [1.0, 1.5, 1.5, 2.5, 3.0]
    assert ranks["deviation"].to_list() == pytest.approx(
        [np.std([1, rank, 1, rank], ddof=1) for rank in (1, 2, 2, 4, 5)]
    )


def test_the_study_lists_the_ratios_that_the_splits_are_read_by():
    config = load_config(ROOT / "config.yaml", [ROOT])
    for part in (*config.groups["stability"], *config.groups["stability_small"]):
        study = config.study(part)
        assert tuple(study.splits["ratios"]) == RATIOS
        assert [m.name for m in study.methods] == list(METHODS)


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
                    "feature": feature, "selected": True,
                }  # fmt: skip


def test_stability_by_bootstrap_is_one_where_rankings_agree():
    orders = dict.fromkeys(ALPHAS, (3, 2, 1, 0)) | {"alpha_1": (0, 1, 2, 3)}
    results = Made(
        favouring("alpha_1"), datasets=["wine"], tables=[table("wine")], selections=rankings(orders)
    )
    found = stability_by_bootstrap(results, "wine", ["alpha_0", "alpha_1"], 0.25)
    assert found["alpha_1"].tolist() == [1.0] * REPEATS
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
