"""What Gulgezen, Cataltepe & Yu (2009) conclude of MID, MIQ and the weight α."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from fslib.papers.stability.measures import (
    QUANTITIES,
    SHRUNK,
    SVM_PART,
    best_alphas,
    bootstrapped_path,
    leads,
    mean_accuracies,
    stabilities,
    svm_less_neighbours,
)
from fslib.papers.stability.paper import DATASETS, PAPER
from fslib.reproduce.comparisons import Value
from fslib.reproduce.paper import Verdict, judged
from fslib.reproduce.results import Results


@PAPER.claim("stability_mid_miq_same_accuracy")
def mid_and_miq_are_as_accurate(results: Results) -> Verdict:
    """“Similar”: 1 point or two paired standard errors apart at most, for every r below 1.

    Of the mean accuracy over k, bootstrap by bootstrap; the point is ours.
    """
    means = mean_accuracies(results).sort("repeat")
    checks, n_same, n_all, widest = {}, 0, 0, (0.0, "")
    for dataset in DATASETS:
        same = []
        for r in SHRUNK:
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
    """“In general”: a positive mean lead on each data set, and in 28 of the 32 (data set, r).

    Of fewer (data set, r) the same share is asked; the share is ours.
    """
    over_k = leads(results).group_by("dataset", "ratio").agg(pl.col("lead").mean())
    over_r = dict(over_k.group_by("dataset").agg(pl.col("lead").mean()).iter_rows())
    checks: dict[str, bool | None] = {
        dataset: over_r[dataset] > 0 if dataset in over_r else None for dataset in DATASETS
    }
    n, n_all = int((over_k["lead"] > 0).sum()), len(over_k)
    if n_all:  # 28 of 32, or that share of what was run
        checks["seven eighths of (data set, r)"] = n >= 7 / 8 * n_all
    lead = ", ".join(f"{d} {over_r[d]:+.3f}" for d in DATASETS if d in over_r)
    return judged(checks, f"{n} of {n_all} (data set, r); lead of MID over MIQ: {lead}")


@PAPER.claim("stability_mid_always_on_musk1")
def mid_is_always_more_stable(results: Results) -> Verdict:
    """“Always”: for every k and every r, without tolerance."""
    # One feature and all of them tie by construction.
    here = leads(results).filter(
        pl.col("dataset") == "musk1", pl.col("k") > 1, pl.col("k") < pl.col("k").max()
    )
    shares = {r: (here.filter(ratio=r)["lead"] >= 0).mean() for r in SHRUNK}
    checks = {f"r = {r}": None if share is None else share == 1 for r, share in shares.items()}
    return judged(checks, "share of k: " + _listed(shares), "musk1 was not run")


@PAPER.claim("stability_mid_more_stable_mfeat")
def mid_is_again_more_stable(results: Results) -> Verdict:
    """MID is as stable as MIQ or more for 95 % of k, and more on average over k; 95 % is ours."""
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
    """The α of the lowest mean rank differs between the two sets, at r = 0.25 and at r = 0.75."""
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
    """“Not necessarily”: α = 0.5 has the lowest mean rank on at most half of the data sets."""
    checks, said = {}, []
    for quantity in QUANTITIES:
        best = best_alphas(results, quantity, 0.25)
        n_half = sum(alpha == 0.5 for alpha in best.values())
        checks[quantity] = 2 * n_half <= len(best) if best else None
        said.append(f"{quantity}: best on {n_half} of {len(best)}")
    return judged(checks, "α = 0.5 at r = 0.25, " + "; ".join(said), "no ranks at r = 0.25")


@PAPER.claim("stability_best_alpha_depends_on_data")
def best_alpha_depends_on_data(results: Results) -> Verdict:
    """The α of the lowest mean rank takes two values or more at r = 0.25."""
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
    """The α of the lowest mean stability rank at r = 0.25 is above 0.5, on each of the five."""
    names = ["ionosphere", "gtzan", "mfeat", "optdigits", "wine"]
    return _best_where(results, names, lambda alpha: alpha > 0.5)


@PAPER.claim("stability_prefer_low_redundancy")
def others_prefer_low_redundancy(results: Results) -> Verdict:
    """The α of the lowest mean stability rank at r = 0.25 is below 0.5, on each of the three."""
    return _best_where(results, ["sonar", "parkinsons", "musk1"], lambda alpha: alpha < 0.5)


@PAPER.claim("stability_best_alpha_stability_vs_accuracy")
def best_alpha_differs_by_quantity(results: Results) -> Verdict:
    """“Could be different”: the two α differ on at least one data set at r = 0.25."""
    stable, accurate = (best_alphas(results, quantity, 0.25) for quantity in QUANTITIES)
    pairs = {name: f"{stable[name]}/{accurate[name]}" for name in stable if name in accurate}
    differs = any(stable[name] != accurate[name] for name in pairs) if pairs else None
    detail = f"best α for stability/accuracy: {_listed(pairs)}"
    return judged({"at least one data set": differs}, detail, "no ranks at r = 0.25")


@PAPER.claim("stability_alpha_controls")
def alpha_controls_stability(results: Results) -> Verdict:
    """The best and the worst α differ by more than two standard errors over the bootstraps."""
    by_bootstrap = stabilities(results).sort("repeat")
    means = by_bootstrap.group_by("dataset", "method").agg(pl.col("stability").mean())
    checks: dict[str, bool | None] = dict.fromkeys(DATASETS)
    said = []
    for dataset in DATASETS:
        ordered = means.filter(dataset=dataset).sort("stability", "method")["method"].to_list()
        if len(ordered) < 2:
            continue
        worst, best = (
            by_bootstrap.filter(dataset=dataset, method=m)["stability"].to_numpy()
            for m in (ordered[0], ordered[-1])
        )
        if len(best) > 1:
            gap = Value.of(best - worst)
            checks[dataset] = gap.mean > 2 * gap.error
            said.append(f"{dataset} {gap.mean:.3f} ± {gap.error:.3f}")
    detail = "best less worst α, with standard error: " + ", ".join(said)
    return judged(checks, detail, "no stabilities at r = 0.25")


@PAPER.claim("stability_mid_smaller_variance")
def mid_varies_less(results: Results) -> Verdict:
    """V − W along MID's path varies less than V/W along MIQ's at every k > 1, over 50 bootstraps.

    Judged by deviations, as in the paper, and by coefficients of variation, as V − W and V/W have
    different scales.
    """
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
    """“Small number”: means over k = 2 to 10 against those over k > 50; both limits are ours."""
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


@PAPER.claim("stability_svm_like_knn")
def svm_is_like_nearest_neighbours(results: Results) -> Verdict:
    """No significant difference: within two paired standard errors over the bootstraps at r = 0.25.

    Of the mean accuracy over the sizes that the part `svm` evaluates, for MID and for MIQ. Kernel
    and parameters are not given: a linear SVM (C = 1) and an RBF one are tried, each judged for
    itself.
    """
    compared = svm_less_neighbours(results)
    checks: dict[str, bool | None] = {}
    said = []
    for dataset in DATASETS:
        for classifier in ("svm_linear", "svm_rbf"):
            own = compared.filter(dataset=dataset, classifier=classifier).sort("method", "repeat")
            gaps = [Value.of(frame["gap"].to_numpy()) for frame in own.partition_by("method")]
            place = f"{dataset} {classifier}"
            checks[place] = None
            if gaps and not any(np.isnan(gap.error) for gap in gaps):
                checks[place] = all(abs(gap.mean) <= 2 * gap.error for gap in gaps)
                shown = " and ".join(f"{100 * g.mean:+.1f} ± {100 * g.error:.1f}" for g in gaps)
                said.append(f"{place} {shown}")
    detail = "SVM less 3-NN in points, by MID and MIQ: " + "; ".join(said)
    return judged(checks, detail, f"the part `{SVM_PART}` was not run")


def _listed(values: Mapping) -> str:
    return ", ".join(
        f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in values.items()
        if value is not None
    )
