"""The recommendation for each data set as a card: what to expect, which features, what instead."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Mapping
from shlex import quote

import polars as pl
from markupsafe import Markup

from fslib.report.explore import number_form
from fslib.run.artefacts import EVERY
from fslib.run.forms import form
from fslib.run.numbers import count

_MOST_CHIPS = 10
_MOST_SIZES = 8
_MOST_SIMILAR = 3


def cards(
    tables: dict[str, pl.DataFrame], study: str, checks: Iterable[Mapping] = ()
) -> list[dict]:
    """One card per data set, with every text that the template shows.

    ``checks`` say of own tables which columns will mislead.
    """
    warnings = {check["dataset"]: check["warnings"] for check in checks}
    found = []
    for row in tables["recommendation"].rows(named=True):
        own = {
            name: tables[name].filter(pl.col("dataset") == row["dataset"])
            for name in (
                "selected_features", "fewer_features", "interchangeable", "by_classifier",
                "equivalent_sets", "consensus",
            )
        }  # fmt: skip
        features = own["selected_features"]
        kind = number_form(row["judge_by"])
        found.append(
            {
                "dataset": row["dataset"],
                "method": row["method"],
                "size": count(row["k"] or 0, "feature"),
                **_headline(row, kind),
                "detail": _detail(row, kind),
                "note": "; ".join(filter(None, (row["note"], row["verdict"]))),
                "doubts": _doubts(features["name"], warnings.get(row["dataset"], ())),
                "features": [
                    name if share is None else f"{name} · {share:.0%}"
                    for name, share in features.head(_MOST_CHIPS).select("name", "frequency").rows()
                ],
                "more": max(0, features.height - _MOST_CHIPS),
                "agreed": count(own["consensus"].height, "feature"),
                "consensus": _consensus(own["consensus"]),
                "fewer": _fewer(own["fewer_features"], kind),
                "similar": _similar(own["interchangeable"]),
                "classifiers": _classifiers(own["by_classifier"], kind),
                "equivalent": [
                    f"{method}, {count(k, 'feature')}"
                    for method, k in own["equivalent_sets"]
                    .filter(~pl.col("recommended"))
                    .select("method", "k")
                    .rows()
                ],
                "next": f"fslib export {quote(study)} {quote(row['dataset'])} -o model",
                "file": f"selected_features_{_slug(row['dataset'])}.csv",
                "href": _csv_link(features),
            }
        )
    return found


def _headline(row: dict, kind: str) -> dict[str, str]:
    """What new rows may expect, the honest number; beside it the one the set was chosen by."""
    plain = form(row["value"], kind)
    if row["standard_error"] is not None:
        plain = f"{plain} ± {form(row['standard_error'], kind)}"
    if row["expected"] is None:
        return {"value": plain, "told": ""}
    told = f"to expect; on the splits that chose the set {plain}"
    if row["expected_low"] is not None:
        ends = (form(row[end], kind) for end in ("expected_low", "expected_high"))
        told = f"to expect ({' to '.join(ends)}); on the splits that chose the set {plain}"
    return {"value": form(row["expected"], kind), "told": told}


def _detail(row: dict, kind: str) -> str:
    details = [
        ("stability", form(row["stability"], "fixed")),
        ("all features", form(row["all_features_value"], kind)),
        ("at random", form(row["random_value"], kind)),
        ("most frequent class", form(row["majority_value"], kind)),
    ]
    if row["runner_up"] is not None:
        details.append(("runner-up", f"{row['runner_up']}, {count(row['runner_up_k'], 'feature')}"))
    return " · ".join(f"{name} {text}" for name, text in details if text != "–")


def _doubts(chosen: Iterable[str], warnings: Iterable[Mapping]) -> list[str]:
    """Warnings about columns that are recommended: an identifier may look like a triumph."""
    return [w["text"] for w in warnings if not set(chosen).isdisjoint(w["names"])]


def _consensus(agreed: pl.DataFrame) -> list[str]:
    """Features that most splits chose, with their share; those that the refit did not are named."""
    rows = agreed.head(_MOST_CHIPS).select("name", "frequency", "in_refit").rows()
    texts = [
        f"{name} · {share:.0%}" + (", not in the refit" if in_refit is False else "")
        for name, share, in_refit in rows
    ]
    more = agreed.height - _MOST_CHIPS
    return [*texts, f"and {more} more"] if more > 0 else texts


def _fewer(fewer: pl.DataFrame, kind: str) -> list[tuple[int, str, bool]]:
    """Sizes of the recommended method, the largest first, with the value that each keeps."""
    sizes = fewer.filter(pl.col("classifier") == EVERY).drop_nulls("value")
    # Every n-th size where there are many, the recommended one always.
    step = -(-sizes.height // _MOST_SIZES) or 1
    kept = sizes.filter((pl.int_range(pl.len()) % step == 0) | pl.col("recommended"))
    rows = kept.sort("k", descending=True).select("k", "value", "recommended").rows()
    return [(k, form(value, kind), recommended) for k, value, recommended in rows]


def _similar(pairs: pl.DataFrame) -> list[str]:
    """For each recommended feature those that say nearly the same."""
    return [
        f"{name}: "
        + ", ".join(
            f"{other} ({similarity:.2f})"
            for other, similarity in part.head(_MOST_SIMILAR)
            .select("other_name", "similarity")
            .rows()
        )
        + (f" and {part.height - _MOST_SIMILAR} more" if part.height > _MOST_SIMILAR else "")
        for (name,), part in list(pairs.group_by("name", maintain_order=True))[:_MOST_CHIPS]
    ]


def _classifiers(rows: pl.DataFrame, kind: str) -> list[str]:
    return [
        f"{row['classifier']}: {form(row['value'], kind)}, all features "
        f"{form(row['all_features_value'], kind)}" + (" – loses" if row["loses"] else "")
        for row in rows.rows(named=True)
    ]


def _csv_link(table: pl.DataFrame) -> Markup:
    content = base64.b64encode(table.write_csv().encode()).decode()
    return Markup(f"data:text/csv;charset=utf-8;base64,{content}")


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name)
