"""A paper on the page: a bar of verdicts, its claims, its tables in their own layout."""

from __future__ import annotations

import re
from itertools import groupby

import polars as pl

from fslib.run.forms import form

#: Sign and kind (the colour) of every verdict on a claim, and of every standing of a cell.
VERDICTS = {
    "holds": ("✓", "good"),
    "holds in part": ("◐", "part"),
    "does not hold": ("✗", "bad"),
    "not tested": ("○", "open"),
}
STANDINGS = {
    "within": ("✓", "good"),
    "outside": ("✗", "bad"),
    "no deviation": ("≈", "part"),
    "no value": ("∅", "open"),
    "not run": ("○", "open"),
    "not printed": ("∅", "open"),
}
_KEY = ("dataset", "condition", "method", "quantity")
_DEFAULT_LAYOUT = (["dataset", "condition"], ["method", "quantity"])


def bar(outcomes: pl.Series, marks: dict[str, tuple[str, str]]) -> list[dict]:
    """How often each outcome came about, for a bar of parts."""
    counts = {name: (outcomes == name).sum() for name in marks}
    return [
        {"name": name, "count": n, "sign": marks[name][0], "kind": marks[name][1]}
        for name, n in counts.items()
        if n
    ]


def claim_list(claims: pl.DataFrame) -> list[dict]:
    """The claims, each with the sign and the colour of its verdict."""
    return [
        row | dict(zip(("sign", "kind"), VERDICTS[row["verdict"]], strict=True))
        for row in claims.rows(named=True)
    ]


def paper_tables(cells: pl.DataFrame, layouts: dict[str, list]) -> list[dict]:
    """The paper's tables: which keys make rows and which make columns is the paper's to say."""
    return [
        _laid_out(table, own, layouts.get(table, _DEFAULT_LAYOUT))
        for (table,), own in cells.group_by("table", maintain_order=True)
    ]


def _laid_out(name: str, cells: pl.DataFrame, layout) -> dict:
    varying = [key for key in _KEY if cells[key].n_unique() > 1]
    rows, columns = ([key for key in keys if key in varying] for keys in layout)
    rows += [key for key in varying if key not in (*rows, *columns)]
    fixed = ", ".join(_words(cells[key][0]) for key in _KEY if key not in varying and cells[key][0])
    placed = {
        (tuple(row[key] for key in rows), tuple(row[key] for key in columns)): row
        for row in cells.rows(named=True)
    }
    heads = list(dict.fromkeys(column for _, column in placed))
    body, before = [], ()
    for row in dict.fromkeys(row for row, _ in placed):
        again = [row[: i + 1] == before[: i + 1] for i in range(len(row))]
        body.append(
            {
                "heads": list(zip(map(_words, row), again, strict=True)),
                "cells": [_cell(placed.get((row, column))) for column in heads],
            }
        )
        before = row
    return {
        "name": f"Table {name}",
        "caption": f"Table {name}{f': {fixed}' if fixed else ''}.",
        "corner": [key.replace("dataset", "data set") for key in rows],
        "heads": _spanned(heads, len(columns)),
        "rows": body,
        "counts": bar(cells["standing"], STANDINGS),
    }


def _spanned(heads: list[tuple], levels: int) -> list[list[tuple[str, int]]]:
    """Headings level by level: a heading spans the columns that have it and those above it."""
    return [
        [
            (_words(prefix[-1]), len(list(same)))
            for prefix, same in groupby(heads, key=lambda head: head[: level + 1])
        ]
        for level in range(levels)
    ]


def _cell(row: dict | None) -> dict | None:
    if row is None:
        return None
    sign, kind = STANDINGS[row["standing"]]
    told = [row["standing"]]
    if row["difference"] is not None:
        told.append(f"difference {form(row['difference'], 'number')}")
    if row["tolerance"] is not None:
        told.append(f"tolerance {form(row['tolerance'], 'number')}")
    return {
        "published": _with_deviation(row["published"], row["published_deviation"]),
        "ours": _with_deviation(row["ours"], row["our_deviation"]),
        "sign": sign,
        "kind": kind,
        "standing": row["standing"],
        "told": ", ".join([*told, *[row["note"]] * bool(row["note"])]),
    }


def _with_deviation(value: float | None, deviation: float | None) -> str:
    """A value to the digits that suit it, and its deviation to the same digits."""
    if value is None:
        return "–"
    whole = abs(value) >= 1000 or (value == int(value) and deviation is None)
    digits = 0 if whole else 2 if abs(value) >= 1 else 4
    numbers = [value] if deviation is None else [value, deviation]
    return " ± ".join(f"{number:,.{digits}f}" for number in numbers).replace("-", "−")


def _words(text: str) -> str:
    """Names as people read them: `procedure=omega` is omega, `n_selected` is n selected."""
    return re.sub(r"^\w+=", "", text).replace("_", " ") or "–"


def paragraphs(markdown: str) -> list[str]:
    """Paragraphs and list items of a short Markdown text, without its marks."""
    blocks = re.split(r"\n\s*\n|\n(?=- )", markdown)
    plain = (" ".join(re.sub(r"^- |`|\*\*", "", block).split()) for block in blocks)
    return [text for text in plain if text and not text.startswith("|")]
