"""The report: one HTML file with everything inside."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from urllib.parse import unquote

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from fslib.figures.colours import CROWD, INK, LINE, MUTED, PAPER, WIDTH
from fslib.figures.files import Picture
from fslib.report.cards import cards
from fslib.report.explore import explored
from fslib.report.papers import STANDINGS, VERDICTS, bar, claim_list, paper_tables, paragraphs
from fslib.report.views import views
from fslib.run.artefacts import STATUSES
from fslib.run.forms import NBSP, form
from fslib.run.numbers import count
from fslib.run.roles import COMPETITOR

_SECTIONS = [
    ("recommendation", "Recommendation"),
    ("ranking", "Ranking"),
    ("accuracy", "Accuracy"),
    ("stability", "Stability"),
    ("cost", "Time and trade-off"),
    ("ledger", "Failed and skipped"),
    ("notes", "Notes"),
]
_NOTE_HEADINGS = {
    "unusable": "Data sets that could not be used",
    "judged": "How methods were judged",
    "left out": "Left out of the ranking",
    "not asked": "Not asked for an order",
    "identical": "Identical methods",
    "failed": "Finished no split of a data set",
    "partial": "Failed on some splits",
    "unmeasured": "Evaluation failed",
    "below random": "Below random",
    "capped": "Fewer features than asked for",
    "shortened": "Searched less, or skipped, for the table’s size",
    "splits": "How rows were divided",
}
#: Colours of figures and the page's own in their place, which follow light and dark.
_PAGE_COLOURS = {PAPER: "card", INK: "ink", MUTED: "muted", LINE: "rule", CROWD: "crowd"}
#: The width of a figure on the page, which a wider figure is drawn in proportion to.
_FIGURE_REM = 27
#: The parts of the page's program, each using those before it.
_PROGRAM = ("statistics", "tables", "figures", "ranking", "page")


def render(studies: list[dict], stamp: dict, papers: Sequence[dict] = ()) -> str:
    """The whole report as HTML that needs nothing else.

    Parameters
    ----------
    studies : dicts with `name`, `title`, `part`, `description`, `tables` (of the compare stage),
        `figures` (a list of `Picture`), `configuration` (YAML text) and `data` (data set to its
        `title`, its `differences` to what papers used, and the `citation` it asks for).
    stamp : what was run: versions, commit, seed, machine, date, duration; nested where useful.
    papers : dicts with `name`, `citation`, `score`, `layouts` and `remarks` (what the reproduce
        stage says about the paper), `cells` and `claims` (its tables), `findings` and `figures`.
    """
    environment = Environment(
        loader=PackageLoader("fslib.report"), autoescape=True, undefined=StrictUndefined
    )
    origin = [", ".join(dict.fromkeys(study["title"] for study in studies)), stamp.get("date", "")]
    origin += [f"{key} {stamp[key]}" for key in ("commit", "seed") if key in stamp]
    return environment.get_template("report.html").render(
        title="Feature selection, compared",
        subtitle=" · ".join(part for part in origin if part),
        papers=[_paper(paper, f"paper-{i}") for i, paper in enumerate(papers, start=1)],
        studies=[_study(study, f"study-{i}") for i, study in enumerate(studies, start=1)],
        stamp=_stamp_rows(stamp),
        css=_asset("report.css"),
        js=Markup("\n").join(_asset(f"js/{name}.js") for name in _PROGRAM),
    )


def _json(content) -> Markup:
    """JSON that no HTML parser takes for the end of its element."""
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))


def _asset(name: str) -> Markup:
    return Markup((files("fslib.report") / "templates" / name).read_text(encoding="utf-8"))


def _stamp_rows(stamp: Mapping) -> list[tuple[str, str]]:
    rows = []
    for name, value in stamp.items():
        if isinstance(value, Mapping):
            value = ", ".join(f"{key} {text}" for key, text in value.items())
        rows.append((str(name).replace("_", " ").capitalize(), str(value)))
    return rows


def _paper(paper: dict, ident: str) -> dict:
    pictures = _pictures(paper["figures"], ident)
    return {
        "id": ident,
        "name": paper["name"],
        "citation": paper["citation"],
        "score": paper["score"][0].upper() + paper["score"][1:],
        "bars": {
            "Claims": bar(paper["claims"]["verdict"], VERDICTS),
            "Cells": bar(paper["cells"]["standing"], STANDINGS),
        },
        "claims": claim_list(paper["claims"]),
        "tables": paper_tables(paper["cells"], paper["layouts"]),
        "agreement": pictures.get("cells", []),
        "pictures": pictures.get("", []),
        "findings": paper["findings"],
        "remarks": {heading: paragraphs(text) for heading, text in paper["remarks"].items()},
    }


def _study(study: dict, ident: str) -> dict:
    tables = study["tables"]
    counts = tables["ledger"].select(pl.col(STATUSES).sum()).row(0, named=True)
    headline = tables["ranks"].filter(question="set", field="")
    ranked = headline.drop_nulls("mean_rank")
    friedman = tables["friedman"].row(0, named=True)
    checks = _checks(tables["notes"], study["data"])
    return {
        "id": ident,
        "title": ": ".join(filter(None, (study["title"], study["part"]))),
        "description": study["description"],
        "configuration": study["configuration"],
        "sections": _SECTIONS,
        "summary": _summary(ranked, friedman, counts),
        "checks": checks,
        "facts": _facts(tables, headline, ranked, friedman, counts),
        "cards": cards(tables, study["name"], checks),
        "refits": not tables["selected_features"].is_empty(),
        "test_text": _test_text(friedman),
        "ledger_text": _ledger_text(counts, tables["ledger"]["unmeasured"].sum()),
        "views": views(tables),
        "explored": _json(explored(tables)),
        "pictures": _pictures(study["figures"], ident),
        "notes": _notes(tables["notes"], study["data"]),
    }


def _summary(ranked: pl.DataFrame, friedman: dict, counts: dict) -> str:
    n, k = friedman["n_datasets"], friedman["n_methods"]
    failed = sum(counts.values()) - counts["ok"] - counts["skipped"]
    ending = f" {count(failed, 'run')} failed." if failed else " No run failed."
    if ranked.is_empty():
        return "No method could be ranked." + ending
    best = ranked["method"][0]
    if n < 2 or k < 2:
        return (
            f"On {count(n, 'data set')} {best} comes first of {count(k, 'ranked method')}; "
            "with so few there is no test over data sets." + ending
        )
    span = ranked["mean_rank"].max() - ranked["mean_rank"].min()
    alike = span <= friedman["critical_difference"]
    verdict = (
        "the methods differ significantly" + ", though no two of them can be told apart" * alike
        if friedman["p"] < friedman["alpha"]
        else "the differences between methods are not significant"
    )
    return (
        f"Over {count(n, 'data set')} and {count(k, 'method')}, {best} ranks best with a mean "
        f"rank of {ranked['mean_rank'][0]:.2f}; {verdict} (Friedman, p{NBSP}{_p(friedman['p'])})."
        + ending
    )


def _facts(
    tables, headline: pl.DataFrame, ranked: pl.DataFrame, friedman: dict, counts: dict
) -> list[dict]:
    total = sum(counts.values())
    facts = [_fact("Best mean rank", "none", "no method could be ranked", text=True)]
    if not ranked.is_empty():
        accuracy = form(ranked["mean_accuracy"][0], "percent")
        detail = f"mean rank {ranked['mean_rank'][0]:.2f}, mean accuracy {accuracy}"
        facts = [_fact("Best mean rank", ranked["method"][0], detail, text=True)]
    p, difference = friedman["p"], friedman["critical_difference"]
    n_methods = headline.filter(pl.col("role") == COMPETITOR).height
    yardsticks = headline.height - n_methods
    return [
        *facts,
        _fact(
            "Friedman test", "none" if p is None else f"p{NBSP}{_p(p)}",
            "too few methods or data sets" if p is None
            else f"critical difference {difference:.2f} ranks",
        ),
        _fact("Data sets", tables["recommendation"].height, f"{friedman['n_datasets']} ranked"),
        _fact(
            "Methods", n_methods,
            f"{friedman['n_methods']} ranked, {count(yardsticks, 'yardstick')}",
        ),
        _fact(
            "Runs finished", f"{counts['ok']:,}",
            f"of {total:,}; {counts['skipped']:,} skipped by declaration",
        ),
    ]  # fmt: skip


def _fact(name: str, value, detail: str, text: bool = False) -> dict:
    return {"name": name, "value": value, "detail": detail, "text": text}


def _test_text(friedman: dict) -> str:
    if friedman["p"] is None:
        return friedman["note"][:1].upper() + friedman["note"][1:] + "."
    return (
        f"Friedman’s test gives χ² = {form(friedman['statistic'], 'number')} and, in Iman and "
        f"Davenport’s form, F = {form(friedman['f_statistic'], 'number')}, "
        f"p{NBSP}{_p(friedman['p'])}: {friedman['note']}. Nemenyi’s critical difference is "
        f"{friedman['critical_difference']:.2f} at the {friedman['alpha']:.0%} level."
    )


def _ledger_text(counts: dict, unmeasured: int) -> str:
    total = sum(counts.values())
    ending = f" {count(unmeasured, 'evaluation')} failed." if unmeasured else ""
    if counts["ok"] == total:
        return f"All {count(total, 'run')} finished.{ending}"
    bad = ", ".join(f"{counts[s]:,} {s.replace('_', ' ')}" for s in STATUSES[1:] if counts[s])
    return (
        f"{counts['ok']:,} of {count(total, 'run')} finished; {bad}. "
        f"A skipped run is one that the method itself declares impossible.{ending}"
    )


def _pictures(drawn: list[Picture], ident: str) -> dict[str, list[dict]]:
    """Figures by section, in the order they were drawn."""
    found: dict[str, list[dict]] = {section: [] for section, _ in _SECTIONS} | {"features": []}
    for i, p in enumerate(drawn):
        svg = inline_svg(p.svg, f"{ident}-figure-{i}", p.caption)
        picture = {"svg": svg, "caption": p.caption, "name": p.name, "dataset": p.dataset}
        found.setdefault(p.section, []).append(picture)
    return found


def inline_svg(svg: str, prefix: str, label: str) -> Markup:
    """An SVG file within a page: ids with ``prefix``, page colours, ``label`` for screen readers.

    Coordinates keep two decimals, a hundredth of a point; ids that nothing refers to are left out,
    and the font is the page's.

    >>> str(inline_svg('<svg width="9pt"><path id="a"/><use href="#a"/></svg>', "p", "x"))
    '<svg role="img" aria-label="x"><path id="p-a"/><use href="#p-a"/></svg>'
    """
    svg = svg[svg.index("<svg") :].strip()
    width = float(re.search(r'<svg[^>]*? width="([\d.]+)', svg)[1])
    svg = re.sub(
        r"<metadata>.*?</metadata>|<style.*?</style>|<title>.*?</title>", "", svg, flags=re.S
    )
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", svg)
    svg = re.sub(r"\n\s*", " ", svg)
    svg = re.sub(r'\bid="(method|band|axes):([^"]*)"', _as_data, svg)
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    svg = re.sub(
        r' id="([^"]*)"', lambda mark: f' id="{prefix}-{mark[1]}"' if mark[1] in used else "", svg
    )
    svg = svg.replace("font-family: 'DejaVu Sans', sans-serif; ", "")
    svg = re.sub(r'href="#', f'href="#{prefix}-', svg)
    svg = re.sub(r"url\(#", f"url(#{prefix}-", svg)
    for colour, variable in _PAGE_COLOURS.items():
        svg = svg.replace(colour, f"var(--{variable})")
    # A wide figure is scrolled on a phone, not shrunk until nobody can read it.
    scale = _FIGURE_REM / (72 * WIDTH)
    size = f"min-width: {width:.0f}px; max-width: {width * scale:.1f}rem"
    wide = f' class="wide" style="{size}"' if width > 72 * WIDTH + 1 else ""
    return Markup(svg.replace("<svg", f'<svg role="img" aria-label="{escape(label)}"{wide}', 1))


def _as_data(mark: re.Match) -> str:
    """What `fslib.figures.style` wrote into an id, for the page's program."""
    return f'data-{mark[1]}="{escape(unquote(mark[2]))}"'


def _checks(notes: pl.DataFrame, data: Mapping[str, Mapping]) -> list[dict]:
    """What own tables hold, what in them misleads and what they were expected to take, and which
    could not be used at all."""
    unusable, expected = (
        dict(notes.filter(kind=kind).select("dataset", "note").rows())
        for kind in ("unusable", "expected")
    )
    checks = []
    for dataset, known in data.items():
        if known.get("check"):
            found = json.loads(known["check"])
            checks.append({"dataset": dataset, **found, "expected": expected.get(dataset)})
        elif dataset in unusable:
            facts = f"could not be used: {unusable[dataset].rstrip('.')}"
            checks.append({"dataset": dataset, "facts": facts, "warnings": [], "expected": None})
    return checks


def _notes(notes: pl.DataFrame, data: Mapping[str, Mapping]) -> list[tuple[str, list[str]]]:
    found = []
    for kind, heading in _NOTE_HEADINGS.items():
        groups = (
            notes.filter(pl.col("kind") == kind)
            .group_by("method", "note", maintain_order=True)
            .agg(pl.col("dataset").filter(pl.col("dataset") != ""))
        )
        items = []
        for method, note, datasets in groups.rows():
            subject = ", ".join([method] * bool(method) or datasets)
            where = f" (on {', '.join(datasets)})" if method and datasets else ""
            items.append(f"{subject}: {note}{where}.")
        if items:
            found.append((heading, items))
    said = {"title": "", "differences": "", "citation": "To cite: "}
    about = [
        f"{dataset}: {'. '.join(text.rstrip('. ') for text in texts)}."
        for dataset, known in data.items()
        if (texts := [lead + known[key] for key, lead in said.items() if known.get(key)])
    ]
    return found + [("Data sets", about)] * bool(about)


def _p(value: float) -> str:
    text = form(value, "p")
    return text if text.startswith("<") else f"={NBSP}{text}"
