"""The list of data sets, for the command line and for the documentation."""

from __future__ import annotations

from urllib.parse import urlsplit

from fslib.data.catalogue import Card, card, dataset_names

_INTRODUCTION = """\
# Data sets

<!-- Generated from fslib/data/sets by fslib.data.markdown_page(); tests fail when it is stale. -->

Every raw file is known by its sha256 (but gina's, see there), and every load is checked for
shape, rows per class, folds, groups and missing values. `fslib datasets` shows what is at
hand, `fslib datasets fetch NAME…` gets files ahead of their use; `FSLIB_MIRROR` names a
folder or address that is tried before the network. Missing values stay missing: imputation
is a preparation.

*Kind*: **embedded** comes with scikit-learn, **generated** is drawn here from a published
recipe, **download** is fetched, **unavailable** is known but cannot be had.
"""


def describe_datasets() -> list[dict]:
    """One row per data set; the copies of a redrawn generator share one.

    >>> next(row["features"] for row in describe_datasets() if row["name"] == "colon")
    2000
    """
    rows = {}
    for name in dataset_names():
        e = card(name)
        if e.family not in rows:
            rows[e.family] = {
                "name": name,
                "title": e.title,
                "kind": e.kind,
                "rows": e.n_rows,
                "features": e.n_features,
                "classes": len(e.classes),
                "missing": e.missing,
                "folds": e.fold or {},
                "papers": list(e.papers),
                "source": _source(e),
                "citation": e.citation,
                "licence": e.licence,
                "notes": e.notes,
                "differences": e.differences,
                "copies": e.copies,
            }
    return list(rows.values())


def markdown_page() -> str:
    """The documentation's page of data sets."""
    rows = describe_datasets()
    lines = [
        _INTRODUCTION,
        "| name | data | rows × features | classes | missing | papers | kind, source | citation |",
        "|---|---|---:|---:|---:|---|---|---|",
    ]
    for row in rows:
        cells = (
            _called(row),
            row["title"],
            f"{row['rows']} × {row['features']}",
            str(row["classes"]),
            str(row["missing"] or ""),
            ", ".join(row["papers"]),
            row["kind"] + (f": {row['source']}" if row["source"] else ""),
            row["citation"],
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    lines.append("\n## Terms, notes and differences to the papers\n")
    for row in rows:
        about = [f"**{_called(row)}** {row['notes']}".strip()]
        if row["differences"]:
            about.append(f"*Differences to the papers:* {row['differences']}")
        about.append(f"*Terms:* {row['licence']}")
        lines.append("  \n".join(about) + "\n")
    return "\n".join(lines)


def _called(row: dict) -> str:
    last = f" … {row['copies']:02d}" if row["copies"] > 1 else ""
    return f"`{row['name']}`{last}"


def _source(e: Card) -> str:
    """The hosts its files come from, in order."""
    if e.kind == "embedded":
        return "scikit-learn"
    hosts = [urlsplit(s.url).hostname for f in e.files for s in f.sources]
    return ", ".join(dict.fromkeys(hosts))
