"""Gulgezen, Cataltepe & Yu (2009): stability and accuracy of mRMR under shrinking samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from fslib.figures.panels import Line, line_panels
from fslib.papers._stability_measures import (
    QUANTITIES,
    RATIOS,
    accuracies,
    alpha_ranks,
    best_alphas,
    bootstrapped_path,
    leads,
    mean_curves,
    stability_by_bootstrap,
)
from fslib.reproduce.comparisons import Value
from fslib.reproduce.paper import Cell, Paper, Verdict, judged
from fslib.reproduce.results import Results

#: Data sets of table 2 with the numbers of features printed there: ranks are means over them.
_FEATURES = {
    "ionosphere": 34,
    "sonar": 60,
    "parkinsons": 23,
    "musk1": 166,
    "gtzan": 50,
    "mfeat": 649,
    "optdigits": 64,
    "wine": 13,
}
_SHRUNK = RATIOS[:-1]

PAPER = Paper(
    "stability",
    "Gulgezen, Cataltepe & Yu (2009), Stable and accurate feature selection, ECML PKDD.",
    published_repeats=lambda row: _FEATURES[row["dataset"]],
)


@PAPER.table
def rank_tables(results: Results) -> Iterator[Cell]:
    """Tables 3 to 8: ranks of α, over all ratios on two data sets and on all at r = 0.25."""
    by_ratio = {"musk1": ("3", "4"), "mfeat": ("5", "6")}
    for quantity, column, table_of_all in zip(QUANTITIES, (0, 1), ("7", "8"), strict=True):
        for row in alpha_ranks(results, quantity).rows(named=True):
            tables = []
            if row["dataset"] in by_ratio and row["ratio"] in _SHRUNK:
                tables.append(by_ratio[row["dataset"]][column])
            if row["ratio"] == 0.25:
                tables.append(table_of_all)
            for table in tables:
                yield Cell(
                    table,
                    row["dataset"],
                    row["method"],
                    f"{quantity}_rank",
                    f"r={row['ratio']:g}",
                    row["mean"],
                    row["deviation"],
                    row["sizes"],
                )


def _datasets(results: Results, names=tuple(_FEATURES)) -> list[str]:
    measured = set(results.stability["dataset"])
    return [name for name in names if name in measured]


@PAPER.claim("stability_mid_miq_same_accuracy")
def mid_and_miq_are_as_accurate(results: Results) -> Verdict:
    means = (
        accuracies(results)
        .filter(pl.col("ratio") < 1)
        .group_by("dataset", "ratio", "method", "repeat")
        .agg(pl.col("accuracy").mean())
        .sort("repeat")
    )
    checks, n_same, n_all, widest = {}, 0, 0, (0.0, "")
    for dataset in _FEATURES:
        same = []
        for r in _SHRUNK:
            mid, miq = (
                means.filter(dataset=dataset, ratio=r, method=m)["accuracy"] for m in ("mid", "miq")
            )
            if len(mid) and len(mid) == len(miq):
                gap = Value.of((mid - miq).to_numpy())
                same.append(abs(gap.mean) <= 0.01 or abs(gap.mean) <= 2 * gap.error)
                widest = max(widest, (abs(gap.mean), f"{100 * gap.mean:+.1f}: {dataset}, r = {r}"))
        checks[dataset] = all(same) if same else None
        n_same, n_all = n_same + sum(same), n_all + len(same)
    detail = f"{n_same} of {n_all} (data set, r); widest gap of MID to MIQ in points {widest[1]}"
    return judged(checks, detail, "no accuracies of mid and miq")


@PAPER.claim("stability_mid_more_stable_everywhere")
def mid_is_more_stable_in_general(results: Results) -> Verdict:
    over_k = leads(results).group_by("dataset", "ratio").agg(pl.col("lead").mean())
    over_r = dict(over_k.group_by("dataset").agg(pl.col("lead").mean()).iter_rows())
    checks: dict[str, bool | None] = {
        dataset: over_r[dataset] > 0 if dataset in over_r else None for dataset in _FEATURES
    }
    n, n_all = int((over_k["lead"] > 0).sum()), len(over_k)
    if n_all:  # 28 of 32, or that share of what was run
        checks["seven eighths of (data set, r)"] = n >= 7 / 8 * n_all
    lead = ", ".join(f"{d} {over_r[d]:+.3f}" for d in _FEATURES if d in over_r)
    return judged(checks, f"{n} of {n_all} (data set, r); lead of MID over MIQ: {lead}")


@PAPER.claim("stability_mid_always_on_musk1")
def mid_is_always_more_stable(results: Results) -> Verdict:
    # One feature and all of them tie by construction.
    here = leads(results).filter(
        pl.col("dataset") == "musk1", pl.col("k") > 1, pl.col("k") < pl.col("k").max()
    )
    shares = {r: (here.filter(ratio=r)["lead"] >= 0).mean() for r in _SHRUNK}
    checks = {f"r = {r}": None if share is None else share == 1 for r, share in shares.items()}
    return judged(checks, "share of k: " + _listed(shares), "musk1 was not run")


@PAPER.claim("stability_mid_more_stable_mfeat")
def mid_is_again_more_stable(results: Results) -> Verdict:
    checks, shares = {}, {}
    for dataset in ("musk1", "mfeat"):
        here = leads(results).filter(dataset=dataset)
        for r in (0.25, 0.75):
            lead = here.filter(ratio=r)["lead"]
            place = f"{dataset} at r = {r}"
            checks[place] = None
            if len(lead):
                shares[place] = (lead >= 0).mean()
                checks[place] = shares[place] >= 0.95 and lead.mean() > 0
    return judged(checks, "share of k: " + _listed(shares), "neither set was run")


@PAPER.claim("stability_no_single_best_alpha")
def no_alpha_is_most_stable_on_both(results: Results) -> Verdict:
    checks, best = {}, {}
    for r in (0.25, 0.75):
        found = best_alphas(results, "stability", r)
        musk1, mfeat = found.get("musk1"), found.get("mfeat")
        checks[f"r = {r}"] = None if None in (musk1, mfeat) else musk1 != mfeat
        best[f"r = {r}"] = f"musk1 {musk1}, mfeat {mfeat}"
    detail = "most stable α: " + "; ".join(f"{r}: {pair}" for r, pair in best.items())
    return judged(checks, detail, "needs musk1 and mfeat")


@PAPER.claim("stability_half_not_best")
def half_is_not_necessarily_best(results: Results) -> Verdict:
    checks, said = {}, []
    for quantity in QUANTITIES:
        best = best_alphas(results, quantity, 0.25)
        n_half = sum(alpha == 0.5 for alpha in best.values())
        checks[quantity] = 2 * n_half <= len(best) if best else None
        said.append(f"{quantity}: best on {n_half} of {len(best)}")
    return judged(checks, "α = 0.5 at r = 0.25, " + "; ".join(said), "no ranks at r = 0.25")


@PAPER.claim("stability_best_alpha_depends_on_data")
def best_alpha_depends_on_data(results: Results) -> Verdict:
    checks, said = {}, []
    for quantity in QUANTITIES:
        best = best_alphas(results, quantity, 0.25)
        checks[quantity] = len(set(best.values())) > 1 if len(best) > 1 else None
        said.append(f"best α for {quantity}: {_listed(best)}")
    return judged(checks, "; ".join(said), "fewer than two data sets")


def _best_where(results: Results, names: list[str], wanted) -> Verdict:
    best = best_alphas(results, "stability", 0.25)
    checks = {name: wanted(best[name]) if name in best else None for name in names}
    shown = {name: best[name] for name in names if name in best}
    return judged(checks, "most stable α: " + _listed(shown), "none of its data sets was run")


@PAPER.claim("stability_prefer_relevance")
def some_prefer_relevance(results: Results) -> Verdict:
    names = ["ionosphere", "gtzan", "mfeat", "optdigits", "wine"]
    return _best_where(results, names, lambda alpha: alpha > 0.5)


@PAPER.claim("stability_prefer_low_redundancy")
def others_prefer_low_redundancy(results: Results) -> Verdict:
    return _best_where(results, ["sonar", "parkinsons", "musk1"], lambda alpha: alpha < 0.5)


@PAPER.claim("stability_best_alpha_stability_vs_accuracy")
def best_alpha_differs_by_quantity(results: Results) -> Verdict:
    stable, accurate = (best_alphas(results, quantity, 0.25) for quantity in QUANTITIES)
    pairs = {name: f"{stable[name]}/{accurate[name]}" for name in stable if name in accurate}
    differs = any(stable[name] != accurate[name] for name in pairs) if pairs else None
    detail = f"best α for stability/accuracy: {_listed(pairs)}"
    return judged({"at least one data set": differs}, detail, "no ranks at r = 0.25")


@PAPER.claim("stability_alpha_controls")
def alpha_controls_stability(results: Results) -> Verdict:
    over_k = (
        mean_curves(results)
        .filter(pl.col("ratio") == 0.25, pl.col("method").str.starts_with("alpha_"))
        .group_by("dataset", "method")
        .agg(pl.col("stability").mean())
        .sort("stability", "method")
    )
    checks: dict[str, bool | None] = dict.fromkeys(_FEATURES)
    said = []
    for dataset in _datasets(results):
        ordered = over_k.filter(dataset=dataset)["method"].to_list()
        if len(ordered) < 2:
            continue
        worst, best = ordered[0], ordered[-1]
        found = stability_by_bootstrap(results, dataset, [worst, best], 0.25)
        if len(found[best]) > 1:
            gap = Value.of(found[best] - found[worst])
            checks[dataset] = gap.mean > 2 * gap.error
            said.append(f"{dataset} {gap.mean:.3f} ± {gap.error:.3f}")
    detail = "best less worst α, with standard error: " + ", ".join(said)
    return judged(checks, detail, "no stabilities at r = 0.25")


@PAPER.claim("stability_mid_smaller_variance")
def mid_varies_less(results: Results) -> Verdict:
    if "musk1" not in results.datasets:
        return judged({"musk1": None}, missing="musk1 was not run")
    difference, quotient = (bootstrapped_path(results, "musk1", s) for s in ("MID", "MIQ"))
    spread = [path.criterion[:, 1:].std(axis=0, ddof=1) for path in (difference, quotient)]
    relative = [
        deviation / np.abs(path.criterion[:, 1:].mean(axis=0))
        for deviation, path in zip(spread, (difference, quotient), strict=True)
    ]
    shares = {
        "deviation": float((spread[0] < spread[1]).mean()),
        "coefficient of variation": float((relative[0] < relative[1]).mean()),
    }
    checks = {name: share == 1 for name, share in shares.items()}
    return judged(checks, "share of k with V − W below V/W: " + _listed(shares))


@PAPER.claim("stability_miq_variance_at_few_features")
def miq_varies_most_at_few_features(results: Results) -> Verdict:
    if "musk1" not in results.datasets:
        return judged({"musk1": None}, missing="musk1 was not run")
    path = bootstrapped_path(results, "musk1", "MIQ")
    few, many = slice(1, 10), slice(50, None)
    deviation = path.criterion.std(axis=0, ddof=1)
    redundancy = path.redundancy.mean(axis=0)
    checks = {
        "deviation of V/W": bool(deviation[few].mean() > deviation[many].mean()),
        "W": bool(redundancy[few].mean() < redundancy[many].mean()),
    }
    detail = (
        f"k = 2 to 10 against k > 50: deviation {deviation[few].mean():.3f} and "
        f"{deviation[many].mean():.3f}, W {redundancy[few].mean():.3f} and "
        f"{redundancy[many].mean():.3f}"
    )
    return judged(checks, detail)


def _listed(values: Mapping) -> str:
    return ", ".join(
        f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in values.items()
        if value is not None
    )


def _path_figure(results: Results, scheme: str, criterion: str) -> Figure | None:
    if "musk1" not in results.datasets:
        return None
    path = bootstrapped_path(results, "musk1", scheme)
    panels = {}
    for name, values in (
        ("V, relevance", path.relevance),
        ("W, redundancy with the features before", path.redundancy[:, 1:]),
        (f"{criterion}, the criterion", path.criterion[:, 1:]),
    ):
        steps = path.steps[-values.shape[1] :]
        line = Line(scheme, steps, values.mean(axis=0), values.std(axis=0, ddof=1))
        panels[name] = [line]
    return line_panels(f"musk1: along the path of {scheme}", panels)


@PAPER.figure(
    "figure_01", "V, W and V/W along the path of MIQ on musk1: mean ± deviation of 50 bootstraps"
)
def figure_01(results: Results) -> Figure | None:
    return _path_figure(results, "MIQ", "V/W")


@PAPER.figure(
    "figure_02", "V, W and V − W along the path of MID on musk1: mean ± deviation of 50 bootstraps"
)
def figure_02(results: Results) -> Figure | None:
    return _path_figure(results, "MID", "V − W")


#: MID and α = 0.5 are the same by definition: one line.
_LABELS = {
    "mid": "MID, α = 0.5",
    "miq": "MIQ",
    "alpha_0": "α = 0",
    "alpha_025": "α = 0.25",
    "alpha_075": "α = 0.75",
    "alpha_1": "α = 1",
}


def _curves_figure(results: Results, title: str, dataset: str, panels, methods) -> Figure | None:
    """Panels of (quantity, ratio) with a curve per method."""
    here = mean_curves(results).filter(dataset=dataset)
    if here.is_empty():
        return None
    drawn = {}
    for quantity, r in panels:
        lines = here.filter(ratio=r)
        drawn[f"{quantity}, r = {r}"] = [
            Line(_LABELS[method], line["k"].to_numpy(), line[quantity].to_numpy())
            for method in methods
            for line in [lines.filter(method=method).sort("k")]
        ]
    return line_panels(title, drawn)


@PAPER.figure("figure_03", "Stability of MID and MIQ on musk1, for four ratios")
def figure_03(results: Results) -> Figure | None:
    panels = [("stability", r) for r in _SHRUNK]
    return _curves_figure(results, "musk1: stability", "musk1", panels, ("mid", "miq"))


_BOTH = [(quantity, r) for quantity in QUANTITIES for r in (0.25, 0.75)]


@PAPER.figure("figure_04", "Stability and 3-NN accuracy of all variants on musk1")
def figure_04(results: Results) -> Figure | None:
    return _curves_figure(results, "musk1: all variants", "musk1", _BOTH, _LABELS)


@PAPER.figure("figure_05", "Stability and 3-NN accuracy of all variants on mfeat")
def figure_05(results: Results) -> Figure | None:
    return _curves_figure(results, "mfeat: all variants", "mfeat", _BOTH, _LABELS)
