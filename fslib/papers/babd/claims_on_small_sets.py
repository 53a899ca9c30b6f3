"""Conclusions of Abe (2014), section 4.1 and figure 1: few features, and the increment's size."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import polars as pl

from fslib.papers.babd.pairs import (
    MULTI_PASS,
    ONE_PASS,
    SMALL_MODES,
    SMALL_SETS,
    Block,
    both_criteria,
    cheapest,
    cv_figure,
    difference,
    has,
    increment_sweep,
    means,
    small_blocks,
    with_unrun,
)
from fslib.papers.babd.paper import PAPER
from fslib.reproduce.comparisons import Comparison, verdict_of
from fslib.reproduce.paper import FAILS, HOLDS, UNTESTED, Verdict
from fslib.reproduce.results import Results


def _rows(results: Results) -> Iterator[tuple[str, str, str, Block]]:
    """The 28 rows of table 1 that select features: data set, criterion, mode and results."""
    for (dataset, criterion), block in small_blocks(results).items():
        for mode in SMALL_MODES:
            if has(block, mode, "all_features"):
                yield dataset, criterion, mode, block


def _better(criterion: str, a: float, b: float) -> bool:
    """Whether a cross-validation figure is better: a rate higher, an error lower."""
    return a > b if criterion == "mm" else a < b


@PAPER.claim("babd_cv_improves")
def cv_improves(results: Results) -> Verdict:
    """In all 28 rows of table 1, or in all but two one-pass ones: the paper's exceptions."""
    found, failing = [], []
    for dataset, criterion, mode, block in _rows(results):
        mean = means(block, cv_figure(criterion))
        improved = _better(criterion, mean[mode], mean["all_features"])
        found.append(Comparison(dataset, improved, f"{dataset} {criterion} {mode}"))
        failing += [mode] * (not improved)
    seen = verdict_of(with_unrun(found, SMALL_SETS))
    if found and len(failing) <= 2 and set(failing) <= set(ONE_PASS):
        return Verdict(HOLDS, f"{seen.detail}. The paper has two exceptions, both one-pass")
    return seen


@PAPER.claim("babd_test_decreases")
def test_decreases(results: Results) -> Verdict:
    """A lower mean in each of the 28 rows of table 1.

    How many fall by more than two standard errors of the paired differences is told.
    """
    found, clear = [], 0
    for dataset, criterion, mode, block in _rows(results):
        gap, error = difference(block[mode], block["all_features"], "test_accuracy")
        text = f"{dataset} {criterion} {mode} {gap:+.2f}"
        found.append(Comparison(dataset, gap < 0.0, text))
        clear += gap < -2.0 * error
    return verdict_of(
        with_unrun(found, SMALL_SETS), f"{clear} fall by more than two standard errors"
    )


@PAPER.claim("babd_mae_better_with_all_features")
def mae_better_with_all_features(results: Results) -> Verdict:
    """A higher mean on each set; paired standard errors are shown."""
    found, said = [], []
    for dataset, mm, mae in both_criteria(small_blocks(results), SMALL_SETS, "all_features"):
        gap, error = difference(mae, mm, "test_accuracy")
        found.append(Comparison(dataset, gap > 0.0, f"{dataset} {gap:+.2f}"))
        said.append(f"{dataset} {gap:+.2f} ± {error:.2f}")
    return verdict_of(with_unrun(found, SMALL_SETS), f"mae − mm, points: {', '.join(said)}")


@PAPER.claim("babd_different_parameters")
def different_parameters(results: Results) -> Verdict:
    """In more than half of the pairs, on each data set; the number is ours."""
    found, said = [], []
    for dataset, mm, mae in both_criteria(small_blocks(results), SMALL_SETS, "all_features"):
        both = mm.join(mae, on="split")
        share = ((both["C"] != both["C_right"]) | (both["gamma"] != both["gamma_right"])).mean()
        text = f"{dataset} {100 * share:.0f} %"
        found.append(Comparison(dataset, share > 0.5, text))
        said.append(text)
    return verdict_of(
        with_unrun(found, SMALL_SETS), f"pairs with different γ or C: {', '.join(said)}"
    )


@PAPER.claim("babd_criteria_differ_little")
def criteria_differ_little(results: Results) -> Verdict:
    """“Small”: 1.2 points at most in every row, all features included; the number is ours."""
    found, gaps = [], []
    for mode in ("all_features", *SMALL_MODES):
        for dataset, mm, mae in both_criteria(small_blocks(results), SMALL_SETS, mode):
            gaps.append(mae["test_accuracy"].mean() - mm["test_accuracy"].mean())
            text = f"{dataset} {mode} {gaps[-1]:+.2f}"
            found.append(Comparison(dataset, abs(gaps[-1]) <= 1.2, text))
    largest = max(map(abs, gaps), default=0.0)
    return verdict_of(
        with_unrun(found, SMALL_SETS), f"largest difference {largest:.2f} points, 1.2 allowed"
    )


def _passes(results: Results) -> Iterator[tuple[str, str, str, pl.DataFrame, pl.DataFrame]]:
    """Every one-pass row of table 1 with its multi-pass one."""
    for (dataset, criterion), block in small_blocks(results).items():
        for one, multi in zip(ONE_PASS, MULTI_PASS, strict=True):
            if has(block, one, multi):
                yield dataset, criterion, one, block[one], block[multi]


@PAPER.claim("babd_multi_pass_improves_cv")
def multi_pass_improves_cv(results: Results) -> Verdict:
    """Better means in all 12 comparisons: 20m with 20, 10m with 10, 1m with 1 in four blocks."""
    found = []
    for dataset, criterion, increment, one, multi in _passes(results):
        figure = cv_figure(criterion)
        improved = _better(criterion, multi[figure].mean(), one[figure].mean())
        found.append(Comparison(dataset, improved, f"{dataset} {criterion} {increment}"))
    return verdict_of(with_unrun(found, SMALL_SETS))


@PAPER.claim("babd_one_pass_sometimes_better_on_test")
def one_pass_sometimes_better_on_test(results: Results) -> Verdict:
    """“In some cases”: at least one of 12 comparisons of a one-pass run with its multi-pass run."""
    better = {
        f"{dataset} {criterion} {increment}": difference(one, multi, "test_accuracy")[0] > 0.0
        for dataset, criterion, increment, one, multi in _passes(results)
    }
    if not better:
        return Verdict(UNTESTED, "not run")
    cases = [case for case, holds in better.items() if holds]
    said = f"{len(cases)} of {len(better)} comparisons" + f": {', '.join(cases)}" * bool(cases)
    return Verdict(HOLDS if cases else FAILS, said)


@PAPER.claim("babd_test_falls_with_increment")
def test_falls_with_increment(results: Results) -> Verdict:
    """From 20 to 10 to 1 no rise by more than two paired standard errors, one- and multi-pass.

    And a lower mean at 1 than at 20.
    """
    found = []
    for (dataset, criterion), block in small_blocks(results).items():
        if (dataset, criterion) == ("wdbc", "mae"):  # the paper's exception
            continue
        for chain in (ONE_PASS, MULTI_PASS):
            for large, small in pairwise(chain):
                if has(block, large, small):
                    gap, error = difference(block[large], block[small], "test_accuracy")
                    text = f"{dataset} {criterion} {large} to {small} {-gap:+.2f}"
                    found.append(Comparison(dataset, gap >= -2.0 * error, text))
            if has(block, chain[0], chain[-1]):
                gap, _ = difference(block[chain[0]], block[chain[-1]], "test_accuracy")
                text = f"{dataset} {criterion} {chain[0]} to {chain[-1]} {-gap:+.2f}"
                found.append(Comparison(dataset, gap > 0, text))
    return verdict_of(
        with_unrun(found, SMALL_SETS), "a rise of one step within two standard errors passes"
    )


@PAPER.claim("babd_size_falls_with_increment")
def size_falls_with_increment(results: Results) -> Verdict:
    """Mean numbers of features do not rise as the increment falls from 20 to 10 to 1.

    At increment 1 they do not exceed those of batch mode.
    """
    found = []
    for (dataset, criterion), block in small_blocks(results).items():
        size = means(block, "n_selected")
        steps = [*pairwise(ONE_PASS), *pairwise(MULTI_PASS), ("batch", "1"), ("batch", "1m")]
        for large, small in steps:
            if has(block, large, small):
                text = f"{dataset} {criterion} {large} {size[large]:.1f}, {small} {size[small]:.1f}"
                found.append(Comparison(dataset, size[large] >= size[small], text))
    return verdict_of(with_unrun(found, SMALL_SETS))


@PAPER.claim("babd_batch_fastest_small")
def batch_fastest_small(results: Results) -> Verdict:
    """By seconds and by models trained, in all four blocks of data set and criterion."""
    return cheapest("batch", SMALL_MODES, small_blocks(results))


def _increments(results: Results) -> Iterator[tuple[str, pl.DataFrame, pl.DataFrame]]:
    sweep = increment_sweep(results)
    for increment in sorted((mode for mode in sweep if not mode.endswith("m")), key=int):
        if f"{increment}m" in sweep:
            yield increment, sweep[increment], sweep[f"{increment}m"]


@PAPER.claim("babd_increment_multi_pass_lower_mae")
def increment_multi_pass_lower_mae(results: Results) -> Verdict:
    """The mean MAE of multi-pass runs is at most that of one-pass runs, at every increment."""
    found = []
    for increment, one, multi in _increments(results):
        low, high = multi["cv_mae"].mean(), one["cv_mae"].mean()
        found.append(Comparison(increment, low <= high, f"{increment} {low:.4f}, {high:.4f}"))
    return verdict_of(found)


@PAPER.claim("babd_increment_test_same")
def increment_test_same(results: Results) -> Verdict:
    """“Not much”: two paired standard errors at most, at every increment."""
    found, said = [], []
    for increment, one, multi in _increments(results):
        gap, error = difference(one, multi, "test_accuracy")
        text = f"{increment} {gap:+.2f} ± {error:.2f}"
        found.append(Comparison(increment, abs(gap) <= 2.0 * error, text))
        said.append(text)
    return verdict_of(found, f"one-pass − multi-pass, points: {', '.join(said)}")


@PAPER.claim("babd_increment_one_pass_cheaper")
def increment_one_pass_cheaper(results: Results) -> Verdict:
    """Lower mean seconds and fewer features at every increment."""
    found = []
    for increment, one, multi in _increments(results):
        for quantity, what in (("seconds", "s"), ("n_selected", "features")):
            low, high = one[quantity].mean(), multi[quantity].mean()
            text = f"{increment} {low:.3g} against {high:.3g} {what}"
            found.append(Comparison(increment, low < high, text))
    return verdict_of(found)
