"""What BABD did on every pair of training and test rows, by the paper's names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl
from scipy.stats import ttest_ind_from_stats

from fslib.reproduce.comparisons import Comparison, verdict_of
from fslib.reproduce.paper import Verdict
from fslib.reproduce.results import Results

SMALL_SETS = ("ionosphere", "wdbc")
MICROARRAYS = (
    "hedenfalk_brca1",
    "hedenfalk_brca2",
    "vantveer_measured",
    "hedenfalk_sporadic",
    "colon",
    "hcc",
    "glioma",
    "leukemia",
    "prostate",
)
CRITERIA = ("mm", "mae")
ONE_PASS, MULTI_PASS = ("20", "10", "1"), ("20m", "10m", "1m")
SMALL_MODES = ("batch", *ONE_PASS, *MULTI_PASS)
MODES = ("batch", "500", "500m")

_RUN = ("dataset", "method", "split")
_FACTS = ("error", "error_rate", "C", "gamma", "start_error", "tied_rankings")

#: Of one data set and criterion: for each mode a row per pair.
Block = Mapping[str, pl.DataFrame]


def small_blocks(results: Results) -> dict[tuple[str, str], Block]:
    """Table 1, by data set and criterion."""
    return _blocks(results, pl.col("part") == "small", SMALL_SETS)


def microarray_blocks(results: Results) -> dict[tuple[str, str], Block]:
    """Table 2, by data set and criterion."""
    return _blocks(results, ~pl.col("part").is_in(["small", "figure_1", "rate"]), MICROARRAYS)


def by_rate(results: Results) -> dict[str, pl.DataFrame]:
    """Pairs of the plain recognition rate in batch mode, by data set."""
    found = _blocks(results, pl.col("part") == "rate", MICROARRAYS, ["rate"])
    return {dataset: block["batch"] for (dataset, _), block in found.items()}


def increment_sweep(results: Results) -> Block:
    """Figure 1: one-pass runs by their increment, multi-pass ones with an m."""
    found = _blocks(results, pl.col("part") == "figure_1", ["hedenfalk_brca1"])
    return found.get(("hedenfalk_brca1", "mae"), {})


def _blocks(
    results: Results, where: pl.Expr, datasets, criteria=CRITERIA
) -> dict[tuple[str, str], Block]:
    facts = (
        results.facts.filter(where)
        .group_by(_RUN)
        .agg(pl.col("value").filter(pl.col("fact") == name).first().alias(name) for name in _FACTS)
    )
    mode, criterion = (pl.col("method").str.split("_").list.get(i) for i in (0, 1))
    pairs = (
        results.runs.filter(where)
        .select(*_RUN, "n_selected", "n_fits", seconds="cpu_seconds")
        .join(results.accuracy.filter(where).select(*_RUN, "accuracy"), on=_RUN)
        .join(facts, on=_RUN)
        .with_columns(
            mode=mode.replace("all", "all_features"),
            criterion=criterion,
            test_accuracy=100.0 * pl.col("accuracy"),
            cv_accuracy=100.0 * (1.0 - pl.col("error_rate")),
            cv_mae=pl.col("error"),
        )
        .sort("split")
    )
    groups = pairs.partition_by("dataset", "criterion", "mode", as_dict=True)
    found: dict[tuple[str, str], dict[str, pl.DataFrame]] = {}
    for dataset in datasets:
        for name in criteria:
            own = {m: g for (d, c, m), g in groups.items() if (d, c) == (dataset, name)}
            if own:
                found[dataset, name] = own
    return found


def cv_figure(criterion: str) -> str:
    """What the paper gives of cross-validation, by the criterion that was minimised."""
    return {"mm": "cv_accuracy", "mae": "cv_mae"}[criterion]


def means(block: Block, quantity: str) -> dict[str, float]:
    """Mean over the pairs, by mode."""
    return {mode: pairs[quantity].mean() for mode, pairs in block.items()}


def difference(a: pl.DataFrame, b: pl.DataFrame, quantity: str) -> tuple[float, float]:
    """Mean of a − b over the pairs they share, and its standard error (infinite for one pair)."""
    both = a.select("split", quantity).join(b.select("split", quantity), on="split")
    gaps = both[quantity] - both[f"{quantity}_right"]
    return gaps.mean(), float("inf") if len(gaps) < 2 else gaps.std() / len(gaps) ** 0.5


def differ(a: pl.DataFrame, b: pl.DataFrame, quantity: str) -> bool:
    """Welch's t-test of two means, as the paper has it: significant at 95 %."""
    a, b = a[quantity], b[quantity]
    if min(len(a), len(b)) < 2:
        return False
    if a.std() == b.std() == 0.0:
        return a.mean() != b.mean()
    test = ttest_ind_from_stats(
        a.mean(), a.std(), len(a), b.mean(), b.std(), len(b), equal_var=False
    )
    return bool(test.pvalue < 0.05)


def places(blocks: Mapping[tuple[str, str], Block], quantity: str) -> dict[str, list[int]]:
    """How often each mode was first, second and third over data sets and criteria.

    High is first for the test accuracy, low for all else; equal means share the better place.
    """
    sign = -1.0 if quantity == "test_accuracy" else 1.0
    counts = {mode: [0, 0, 0] for mode in MODES}
    for block in blocks.values():
        if set(MODES) <= set(block):
            # Means of the same numbers, summed in another order, must tie.
            mean = {m: sign * round(v, 9) for m, v in means(block, quantity).items() if m in MODES}
            for mode in MODES:
                counts[mode][sum(other < mean[mode] for other in mean.values())] += 1
    return counts


def has(block: Block | None, *modes: str) -> bool:
    """Whether all these modes were run."""
    return block is not None and set(modes) <= set(block)


def both_criteria(
    blocks: Mapping[tuple[str, str], Block], datasets: Iterable[str], mode: str
) -> Iterator[tuple[str, pl.DataFrame, pl.DataFrame]]:
    """Pairs of a mode by MM and by MAE, on the data sets where both were run."""
    for dataset in datasets:
        mm, mae = (blocks.get((dataset, criterion)) for criterion in CRITERIA)
        if has(mm, mode) and has(mae, mode):
            yield dataset, mm[mode], mae[mode]


def with_unrun(found: list[Comparison], datasets: Iterable[str]) -> list[Comparison]:
    """The comparisons, and an undecided one for each data set of the claim that was not run."""
    seen = {comparison.place for comparison in found}
    return found + [Comparison(d, None, d) for d in datasets if d not in seen]


def cheapest(
    favourite: str, modes: Sequence[str], blocks: Mapping[tuple[str, str], Block]
) -> Verdict:
    """The favourite mode costs least, by our seconds and by models trained.

    The number of models depends neither on the machine nor on the speed of the code.
    """
    found = []
    for name, quantity in (("time", "seconds"), ("models trained", "n_fits")):
        for (dataset, criterion), block in blocks.items():
            if has(block, *modes):
                cost = {m: v for m, v in means(block, quantity).items() if m in modes}
                best = min(cost, key=cost.get)
                lowest = cost[favourite] <= cost[best]
                found.append(Comparison(name, lowest, f"{dataset} {criterion} {best} by {name}"))
    return verdict_of(found)
