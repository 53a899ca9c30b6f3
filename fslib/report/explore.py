"""What the page's program ranks by: the answers of a study as nested lists of numbers."""

from __future__ import annotations

import polars as pl

from fslib.evaluate.measures import MEASURES
from fslib.run.artefacts import EVERY

#: Measures that are shares of rows.
_PERCENT = ("accuracy", "balanced_accuracy")
#: Standings without a value that do not rank last: the method does not run, or is not asked.
_ABSENT = ("skipped", "not asked")


def explored(tables: dict[str, pl.DataFrame]) -> dict:
    """The data of the page's choices; `ranking.js` says how they are laid out."""
    answers, scores = tables["answers"], tables["scores"]
    datasets = tables["recommendation"]["dataset"].to_list()
    methods = tables["ranks"].unique("method", maintain_order=True).select("method", "role")
    names = methods["method"].to_list()
    measures = [name for name in MEASURES if name in set(answers["measure"])]
    classifiers = [EVERY, *sorted(set(answers["classifier"]) - {EVERY})]
    judge = dict(answers.filter("judged").select("dataset", "measure").rows())
    judge = [judge.get(dataset, measures[0] if measures else "") for dataset in datasets]
    overall = scores.filter(pl.col("question") == "set", pl.col("classifier") == EVERY)
    place = {"dataset": datasets, "method": names}
    return {
        "datasets": datasets,
        "methods": names,
        "roles": methods["role"].to_list(),
        "classifiers": classifiers,
        "measures": [
            {
                "name": name,
                "title": MEASURES[name].title,
                "sign": MEASURES[name].sign,
                "percent": name in _PERCENT,
            }
            for name in measures
        ],
        "judge": judge,
        "judgedInPercent": judged_in_percent(answers),
        "alpha": tables["friedman"]["alpha"][0],
        "competes": {
            question: sorted({names.index(m) for m in own.filter("competes")["method"].unique()})
            for question in ("set", "order")
            for own in [answers.filter(pl.col("question") == question)]
        },
        "values": {
            question: {
                measure: {
                    classifier: _grid(
                        answers.filter(
                            question=question, measure=measure, classifier=classifier
                        ),
                        place,
                        "value",
                    )
                    for classifier in classifiers
                }
                for measure in measures
            }
            for question in ("set", "order")
        },
        "size": _grid(overall, place, "size"),
        "stability": _grid(overall, place, "stability"),
        "seconds": _grid(overall, place, "seconds"),
    }  # fmt: skip


def number_form(measure: str | None) -> str:
    """How a measure's values are written (`fslib.run.numbers.form`)."""
    return "percent" if measure in (None, *_PERCENT) else "fixed"


def judged_in_percent(answers: pl.DataFrame) -> bool:
    return set(answers.filter("judged")["measure"]) <= set(_PERCENT)


def _grid(rows: pl.DataFrame, place: dict[str, list[str]], value: str) -> list[list]:
    """A row per data set and in it a value per method: None for failed, False for absent."""
    known = {
        (dataset, method): False if standing in _ABSENT else found
        for dataset, method, standing, found in rows.select(
            "dataset", "method", "standing", pl.col(value).round(10)
        ).rows()
    }
    return [[known.get((d, m), False) for m in place["method"]] for d in place["dataset"]]
