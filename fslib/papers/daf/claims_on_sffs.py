"""What Somol & Grim (2011) conclude of floating search, on spambase (V.B; figure 5)."""

from __future__ import annotations

import polars as pl

from fslib.criteria.named import criterion_for
from fslib.papers.daf.measures import (
    VARIANTS,
    accuracy,
    ahead,
    lead,
    one_sffs,
    other_classifier,
    stability_against,
)
from fslib.papers.daf.paper import PAPER
from fslib.prepare.steps import apply, fit
from fslib.reproduce.comparisons import Comparison, Value, verdict_of
from fslib.reproduce.paper import Verdict, judged
from fslib.reproduce.results import Results

#: Columns of `criterion_of_sets`.
_CRITERION = {
    "part": pl.String,
    "dataset": pl.String,
    "method": pl.String,
    "split": pl.Int64,
    "k": pl.Int64,
    "criterion": pl.Float64,
}


def _against_sffs(results: Results, classifier: str, sign: int) -> list[Comparison]:
    rows = accuracy(results, "spambase", classifier)
    leads = {variant: lead(rows, variant, "sffs") for variant in VARIANTS}
    signed = {v: by and Value(sign * by.mean, by.error) for v, by in leads.items()}
    return [ahead("spambase", variant, by) for variant, by in signed.items()]


@PAPER.claim("daf_sffs_better_same_classifier")
def daf_sffs_better_same_classifier(results: Results) -> Verdict:
    """With 3-NN a mean lead of SFFS of more than two standard errors, on each variant of DAF."""
    return _over_variants(_against_sffs(results, "knn3", -1), "SFFS ahead with 3-NN")


@PAPER.claim("daf_generalises_better_than_sffs")
def daf_generalises_better_than_sffs(results: Results) -> Verdict:
    """With the RBF SVM a mean lead over SFFS of more than two standard errors, for each variant."""
    compared = _against_sffs(results, other_classifier("spambase"), 1)
    return _over_variants(compared, "ahead of SFFS with the RBF SVM")


def _over_variants(compared: list[Comparison], detail: str) -> Verdict:
    """Each variant of DAF is a place of its own."""
    checks = dict(zip(VARIANTS, (c.holds for c in compared), strict=True))
    return judged(checks, f"{detail}: {', '.join(c.text for c in compared)}", "not run")


@PAPER.exhibit
def criterion_of_sets(results: Results) -> pl.DataFrame:
    """What the searches maximised, J, of every set of SFFS and of as many first features of DAF.

    J is the cross-validated accuracy of 3-NN on the training half. Its folds are those of the
    searches: they follow from the rows alone.
    """
    of_sffs = pl.col("method").str.starts_with("sffs_")
    chosen = results.selections.filter(
        pl.col("part") == "spambase", of_sffs | pl.col("method").is_in(VARIANTS)
    )
    sizes = chosen.filter(of_sffs).group_by("method", "split").len()["len"].unique().sort()
    orders = (
        chosen.sort("rank")
        .group_by("part", "dataset", "method", "split", maintain_order=True)
        .agg("feature")
        .sort("dataset", "split", "method")
    )
    found = []
    for (part, dataset), here in orders.group_by("part", "dataset", maintain_order=True):
        table, halves = results.table(dataset), results.training_rows(part, dataset)
        for (split,), of_split in here.group_by("split", maintain_order=True):
            X, y = table.X[halves[split]], table.y[halves[split]]
            J = criterion_for("knn3", apply(fit(["standard"], X), X), y, cv=3)
            for method, order in of_split.select("method", "feature").iter_rows():
                own = [len(order)] if method.startswith("sffs_") else sizes
                values = J.many([order[:k] for k in own])
                for k, value in zip(own, values, strict=True):
                    found.append((part, dataset, method, split, k, value))
    return pl.DataFrame(found, schema=_CRITERION, orient="row")


@PAPER.claim("daf_sffs_overfits")
def daf_sffs_overfits(results: Results) -> Verdict:
    """SFFS has the higher J, of which more is lost on test rows, and gains nothing with the SVM.

    Against each variant of DAF, in means over the sizes of SFFS: J is higher, and J less the test
    accuracy of 3-NN is higher, both by more than two standard errors over the splits; with the
    classifier that did not select, the accuracy of SFFS is not.
    """
    searched = one_sffs(criterion_of_sets(results)).with_columns(accuracy=100 * pl.col("criterion"))
    tested = accuracy(results, "spambase", "knn3")
    lost = searched.join(tested, on=["method", "split", "k"], suffix="_tested").with_columns(
        accuracy=pl.col("accuracy") - pl.col("accuracy_tested")
    )
    by_svm = accuracy(results, "spambase", other_classifier("spambase"))
    compared = []
    for variant in VARIANTS:
        leads = [lead(rows, "sffs", variant) for rows in (searched, lost, by_svm)]
        names = "J", "J less test accuracy", "SVM"
        stronger, fits_over, gains = map(ahead, [variant] * 3, names, leads)
        known = None not in (stronger.holds, fits_over.holds, gains.holds)
        holds = stronger.holds and fits_over.holds and not gains.holds if known else None
        text = ", ".join(c.text for c in (stronger, fits_over, gains))
        compared.append(Comparison("spambase", holds, f"{variant} ({text})"))
    return _over_variants(compared, "SFFS less DAF")


@PAPER.claim("daf_sffs_unstable")
def daf_sffs_unstable(results: Results) -> Verdict:
    """“Considerably”: by more than 0.05 in the mean over the sizes; the number is ours."""
    methods = [*VARIANTS, "bif"]
    return verdict_of(
        stability_against(
            results, "spambase", methods, "sffs", lambda ours, sffs: ours - sffs > 0.05
        )
    )
