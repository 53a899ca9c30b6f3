"""Pages of the documentation on what became of the papers, made from the outcomes that are kept."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from fslib.reproduce.compare import STANDINGS
from fslib.reproduce.keep import read_kept, read_kept_findings, read_runs
from fslib.reproduce.paper import VERDICTS
from fslib.reproduce.remarks import remarks
from fslib.run.forms import form
from fslib.run.paper_folders import OWN, outcome_folder, outcomes_apart
from fslib.run.questions import QUESTIONS
from fslib.run.roles import ALL_FEATURES

#: Standings of cells that were looked at, but cannot be judged.
_UNJUDGED = "no deviation", "no value", "not printed"
#: Sections of a paper's README that its readers see on the page, too.
_FROM_README = ("Before quoting a number", "Decisions", "Contradictions")
#: Columns of a kept ranking, their headings and forms.
_RANKING = {
    "method": ("method", "text"),
    "mean_rank": ("mean rank", "rank"),
    "groups": ("group", "text"),
    "mean_value": ("mean accuracy", "fixed"),
    "mean_size": ("features", "number"),
    "mean_stability": ("stability", "fixed"),
    "seconds": ("time", "seconds"),
    "n_finished": ("data sets", "integer"),
    "note": ("note", "text"),
}
#: How many methods the README names, and the figure that it shows.
_BEST, _SHOWN = 12, "tradeoff"
_SHARED_LETTER = (
    "Methods that share a letter are not significantly apart. Accuracy is balanced accuracy where "
    "one class has over 75 % of the rows."
)
_MARKS = {"within": "✓", "outside": "✗", "not run": "not run", "no value": "no value"}


def kept_papers(papers: Path = OWN) -> list[Path]:
    """Folders of the papers whose outcome is kept."""
    folders = sorted(path.parent for path in papers.glob("*/paper.py"))
    return [folder for folder in folders if outcome_folder(folder).exists()]


def overview(papers: Path = OWN) -> str:
    """`docs/reproduction.md`: how to read the outcomes, the scores, and every claim's verdict.

    ``papers`` is the folder that holds the papers' folders.
    """
    lines = [
        "# Do the papers hold?",
        "",
        "Made by `python -m fslib.pages` from the outcomes kept in `fslib/papers/`; a test fails",
        "when it is stale. Every cell that a paper printed and every conclusion that it states in",
        "words, against the fullest runs made. A cell is *within* when the means differ by at most",
        "two standard errors of their difference, from both deviations and numbers of repeats,",
        "plus the rounding of print. A deviation is that of the quantity over repeats of what the",
        "paper repeated, in all papers; where it is unknown, a cell is shown and not judged.",
        "",
        "What to know before quoting a number, besides what is said of each paper:",
        "",
        "- A claim of several comparisons holds on a data set where all of them do, and *holds in",
        "  part* where some data sets bear it out and others do not.",
        "- Verdicts are on what was run. A claim may *hold* on one data set of seven: read what",
        "  was seen.",
        "- Where another reading of a paper comes to another verdict, both are said. What was",
        "  found beside cells and claims stands apart, as findings.",
        "",
        *score_lines(papers),
        "",
        "How to run what is not run yet: [long runs](long_runs.md).",
    ]
    for paper in kept_papers(papers):
        _, claims, _ = _outcome(paper)
        page = f"papers/{paper.name}.md"
        lines += [
            "",
            f"## {paper.name}",
            "",
            f"Commands, tables, figures, findings and decisions: [{page}]({page}).",
            "",
            *_verdicts(claims),
        ]
    return "\n".join(lines) + "\n"


def score_lines(papers: Path = OWN) -> list[str]:
    """One row per paper: counts of cells and claims; the README shows them too."""
    lines = [
        "| paper | cells within / judged | not judged | not run | claims hold | in part "
        "| do not hold | not tested | core-hours |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for paper in kept_papers(papers):
        cells, claims, runs = _outcome(paper)
        n = _counts(cells)
        verdicts = [str(claims.filter(pl.col("verdict") == v).height) for v in VERDICTS]
        judged = f"{n['within']} / {n['judged']}" if n["judged"] else "none"
        latest = {part: hours for run in runs for part, hours in run["hours"].items()}
        hours = sum(latest.values())
        row = [paper.name, judged, n["not judged"], n["not run"], *verdicts, f"{hours:.2f}"]
        lines.append(f"| {' | '.join(map(str, row))} |")
    return lines


_NOT_RUN = """\
**Not run yet**: no outcome of `grand` is kept, so there is nothing to show. [What it
takes](../long_runs.md). After

```text
snakemake --cores 32 grand
fslib keep grand
python -m fslib.pages
```

this page has the ranking of all methods and the verdicts on the papers' claims.
"""


def grand_page(papers: Path = OWN) -> str:
    """`docs/papers/grand.md`: the comparison under one protocol, or that it is still to be run."""
    paper = papers / "grand"
    if outcome_folder(paper).exists():
        return paper_page(paper)
    remarked = [line for name in _FROM_README[:2] for line in _section(paper, name)]
    return "\n".join([f"# {_title(paper)}", "", _NOT_RUN, *remarked]).rstrip() + "\n"


def paper_page(paper: Path) -> str:
    """`docs/papers/<name>.md`: verdicts, findings, tables, figures and decisions of one paper."""
    cells, claims, runs = _outcome(paper)
    lines = [
        f"# {_title(paper)}",
        "",
        "Made by `python -m fslib.pages` from the outcome that is kept; a test fails when it is",
        "stale. [How to read it](../reproduction.md).",
        "",
        *_section(paper, _FROM_README[0]),
        *_ranking(outcome_folder(paper)),
        "## Verdicts",
        "",
        *_verdicts(claims),
        *_findings(paper),
    ]
    if len(cells):
        lines += ["", "## Tables", "", *_tables(paper, cells)]
    lines += [*_figures(outcome_folder(paper)), *_ran(runs)]
    for study, outcome in outcomes_apart(paper).items():
        lines += ["", f"## The same asked of `{study}`", ""]
        lines += [*_ranking(outcome, level=3), "### Verdicts", ""]
        lines += [*_verdicts(read_kept(outcome, "claims")), *_figures(outcome, level=3)]
        lines += _ran(read_runs(outcome), level=3)
    for name in _FROM_README[1:]:
        lines += ["", *_section(paper, name)]
    return "\n".join(lines).rstrip() + "\n"


def _ran(runs: list[dict], level: int = 2) -> list[str]:
    """How an outcome came about, run by run."""
    lines = ["", f"{'#' * level} Runs", ""]
    if len(runs) > 1:
        told = "A cell or verdict is of the run that decided most of it;"
        lines += [f"{told} its commit is in the kept files.", ""]
    rows = []
    for run in runs:
        hours = ", ".join(f"{part} {taken:.2f}" for part, taken in run["hours"].items())
        rows.append([run["commit"], run["date"], run["machine"], hours, f"`{run['command']}`"])
    lines += _table(["commit", "date", "machine", "core-hours", "command"], rows)
    for run in runs:
        again = _came_again(**run["again"]) if "again" in run else ""
        if told := " ".join(filter(None, (run.get("note", ""), again))):
            lines += ["", f"Of {run['commit']}, {run['date']}: {told}"]
    return lines


def _came_again(cells: int, of: list[str], others: dict[str, int]) -> str:
    """How many cells are those of the earlier run, and what the others measure."""
    differ = sum(others.values())
    said = ", ".join(f"{n} of {quantity}" for quantity, n in others.items())
    told = f"Made before at {', '.join(of)}, and the same again: {cells - differ} of {cells} cells"
    return f"{told}; not {said}." if said else f"{told}."


def _title(paper: Path) -> str:
    """The title of the paper's README, or its name."""
    readme = paper / "README.md"
    first = readme.read_text("utf-8").partition("\n")[0] if readme.exists() else ""
    return first.removeprefix("# ") or paper.name


def _verdicts(claims: pl.DataFrame) -> list[str]:
    lines = ["| claim | verdict | what was seen |", "|---|---|---|"]
    for row in claims.rows(named=True):
        detail = " ".join(filter(None, (row["detail"], row["note"] and f"({row['note']})")))
        lines.append(f"| {_text(row['says'])} | {row['verdict']} | {_text(detail)} |")
    return lines


def grand_summary(papers: Path = OWN) -> list[str]:
    """The grand comparison for the README: the best sets, all features, what they cost."""
    outcome = outcome_folder(papers / "grand")
    if not outcome.exists():
        return ["Not run yet."]
    ranks, tests = _kept_ranks(outcome)
    ranked = ranks.filter(question="set", field="").drop_nulls("mean_rank")
    test = tests.filter(question="set", field="").row(0, named=True)
    shown = ranked.with_row_index("place", 1).filter(
        (pl.col("place") <= _BEST) | (pl.col("role") == ALL_FEATURES)
    )
    competitors = ranked.filter(pl.col("role") != ALL_FEATURES)
    more = f"The best {_BEST} of {len(competitors)} by the set they give, and all features"
    caption = json.loads((outcome / "figures.json").read_text("utf-8"))[_SHOWN]["caption"]
    return [
        f"{more}; {test['n_datasets']} data sets. {_SHARED_LETTER}",
        "",
        *_ranking_table(shown, [name for name in _RANKING if name not in ("n_finished", "note")]),
        "",
        f"![{caption}](fslib/papers/grand/outcome/figures/{_SHOWN}.svg)",
    ]


def _kept_ranks(outcome: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """All rankings of a study without parts, and their tests."""
    none = pl.col("field", "note").fill_null("")
    ranks = pl.read_csv(outcome / "ranks.csv").with_columns(none, pl.col("groups").fill_null(""))
    return ranks, pl.read_csv(outcome / "friedman.csv").with_columns(none)


def _ranking_table(ranks: pl.DataFrame, columns: Iterable[str] = _RANKING) -> list[str]:
    rows = [[form(row[c], _RANKING[c][1]) for c in columns] for row in ranks.rows(named=True)]
    return _table([_RANKING[c][0] for c in columns], rows)


def _ranking(outcome: Path, level: int = 2) -> list[str]:
    """Every ranking of a study without parts with its test; nothing where none was kept."""
    if not (outcome / "ranks.csv").exists():
        return []
    ranks, tests = _kept_ranks(outcome)
    lines = [f"{'#' * level} Ranking", "", _SHARED_LETTER, ""]
    for (question, field), own in ranks.group_by("question", "field", maintain_order=True):
        test = tests.filter(question=question, field=field).row(0, named=True)
        told = f"{test['n_datasets']} data sets, {test['n_methods']} methods: {test['note']}"
        if test["p"] is not None:
            told += f" (Friedman, p {form(test['p'], 'p')}; Nemenyi, {test['critical_difference']})"
        heading = QUESTIONS[question] + (f" On {field}" if field else "")
        lines += [f"{'#' * level}# {heading}", "", f"{told}.", "", *_ranking_table(own), ""]
    return lines


def _findings(paper: Path) -> list[str]:
    """What was found beside cells and claims; nothing where no finding was kept."""
    lines = []
    for finding in read_kept_findings(outcome_folder(paper)):
        lines += ["", f"## Finding: {finding['title']}", "", finding["text"], ""]
        lines += [f"- {what}: {_number(value)}" for what, value in finding["numbers"].items()]
        if finding["table"]:
            lines += ["", *_table(finding["table"]["columns"], finding["table"]["rows"])]
    return lines


def _tables(paper: Path, cells: pl.DataFrame) -> list[str]:
    """The paper's tables: a block per quantity, methods side by side, theirs before ours."""
    file = f"fslib/papers/{paper.name}/outcome/cells.csv"
    lines = [
        "Published / ours: ✓ within two standard errors, ✗ outside, no mark where it cannot be "
        f"judged. With deviations and tolerances: [`{file}`](../../{file}).",
    ]
    for (table,), of_table in cells.group_by("table", maintain_order=True):
        lines += ["", f"### Table {table}"]
        for (quantity,), block in of_table.group_by("quantity", maintain_order=True):
            n = _counts(block)
            counted = [f"{n['within']} of {n['judged']} judged cells within"] * (n["judged"] > 0)
            left = [f"{n[s]} {s}" for s in ("not judged", "not run") if n[s]]
            lines += ["", f"`{quantity}`: {', '.join([*counted, *left])}", ""]
            methods = block["method"].unique(maintain_order=True).to_list()
            rows = []
            for (dataset, condition), line in block.group_by(
                "dataset", "condition", maintain_order=True
            ):
                shown = {row["method"]: _cell(row) for row in line.rows(named=True)}
                place = [dataset, *[condition or ""] * block["condition"].is_not_null().any()]
                rows.append([*place, *(shown.get(method, "") for method in methods)])
            place = ["data set", *["condition"] * block["condition"].is_not_null().any()]
            lines += _table([*place, *methods], rows)
    return lines


def _cell(row: dict) -> str:
    if row["published"] is None:
        return row["note"] or "not printed"
    published, ours = f"{row['published']:g}", row["ours"]
    if ours is None:
        return f"{published} / {_MARKS[row['standing']]}"
    digits = max(len(published.partition(".")[2]), 1)
    return f"{published} / {ours:.{digits}f} {_MARKS.get(row['standing'], '')}".rstrip()


def _figures(outcome: Path, level: int = 2) -> list[str]:
    """The figures from our results, as they were kept."""
    listing = outcome / "figures.json"
    lines = []
    for name, facts in (json.loads(listing.read_text("utf-8")) if listing.exists() else {}).items():
        file = f"../../fslib/papers/{outcome.parent.name}/{outcome.name}/figures/{name}.svg"
        lines += ["", f"![{name}]({file})", "", facts["caption"]]
    return ["", f"{'#' * level} Figures", *lines] if lines else []


def _section(paper: Path, name: str) -> list[str]:
    """A section of the paper's README with its heading; nothing without the section."""
    said = remarks(paper).get(name)
    return [f"## {name}", "", said, ""] if said else []


def _counts(cells: pl.DataFrame) -> dict[str, int]:
    """How many cells have each standing, were judged, and were looked at and cannot be judged."""
    n = {s: cells.filter(pl.col("standing") == s).height for s in STANDINGS}
    judged = n["within"] + n["outside"]
    return n | {"judged": judged, "not judged": sum(n[s] for s in _UNJUDGED)}


def _outcome(paper: Path) -> tuple[pl.DataFrame, pl.DataFrame, list[dict]]:
    """Cells and claims that are kept, and the runs that they are of."""
    folder = outcome_folder(paper)
    return read_kept(folder, "cells"), read_kept(folder, "claims"), read_runs(folder)


def _table(columns: list[str], rows: list[list]) -> list[str]:
    return [
        f"| {' | '.join(columns)} |",
        "|" + "---|" * len(columns),
        *(f"| {' | '.join(_number(value) for value in row)} |" for row in rows),
    ]


def _number(value) -> str:
    return f"{value:.3g}" if isinstance(value, float) else _text(str(value))


def _text(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
