"""Pages of the documentation that are made from the code: `python -m fslib.pages` writes them."""

from __future__ import annotations

import inspect
import re
from functools import cache

from fslib.run.project import PROJECT
from fslib.run.roles import COMPETITOR

DOCS = PROJECT / "docs"


@cache
def pages() -> dict[str, str]:
    """Every generated page by its file name."""
    from fslib.data import markdown_page
    from fslib.reproduce.kept_pages import grand_page, kept_papers, overview, paper_page

    return {
        "datasets.md": markdown_page(),
        "methods.md": methods(),
        "choices.md": choices(),
        "reproduction.md": overview(),
        **{f"papers/{paper.name}.md": paper_page(paper) for paper in kept_papers()},
        "papers/grand.md": grand_page(),
        "cluster.md": cluster(),
        "../README.md": readme(),
    }


def readme() -> str:
    """The README with what became of the papers and of the grand comparison, as it is kept."""
    from fslib.reproduce.kept_pages import grand_summary, score_lines

    text = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    return _filled(_filled(text, "scores", score_lines()), "grand", grand_summary())


def cluster() -> str:
    """The page on clusters with what the studies cost, by measured growth alone."""
    from fslib.config.cost_page import cost_lines

    text = (DOCS / "cluster.md").read_text(encoding="utf-8")
    return _filled(text, "costs", cost_lines(DOCS.parent))


def _filled(text: str, name: str, lines: list[str]) -> str:
    """A page with the lines between its two marks of a name replaced."""
    before, begin, rest = text.partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- end of {name} -->")
    return before + begin + "\n".join(lines) + "\n" + end + after


def methods() -> str:
    """One row per method of the registry."""
    from fslib.registry import METHODS

    lines = [
        "# Methods",
        "",
        "Made from the code by `python -m fslib.pages`; a test fails when it is stale. `use: name`",
        "in a study, `from fslib import Class` in Python. A *ranking* orders the features, a",
        "*subset* keeps some; tags say what a method needs, and whether it takes scipy's sparse",
        "tables.",
        "",
        "| name | class | gives | tags | what it does | parameters | reference |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, cls in METHODS.all().items():
        lines.append(
            f"| `{name}` | `{cls.__name__}` | {_kind(cls)} | {', '.join(tags(cls))} "
            f"| {summary_of(cls)} | {parameters(cls, '`')} | {_reference(inspect.getdoc(cls))} |"
        )
    return "\n".join(lines) + "\n"


def choices() -> str:
    """What a study may name: split schemes, preparation steps, classifiers, measures."""
    from fslib.evaluate.classifier import CLASSIFIERS
    from fslib.evaluate.measures import MEASURES
    from fslib.evaluate.stability import STABILITY
    from fslib.prepare.steps import STEPS
    from fslib.split.schemes import SCHEMES

    lines = [
        "# What a study may name",
        "",
        "Made from the code by `python -m fslib.pages`; a test fails when it is stale. Methods are",
        "in [methods.md](methods.md), data sets in [datasets.md](datasets.md).",
        "",
        "## Split schemes",
        "`splits: {scheme: …}`; training and test rows of each data set.",
        "",
        "| name | rows |",
        "|---|---|",
        *(f"| `{name}` | {scheme.description} |" for name, scheme in SCHEMES.items()),
        "",
        "## Preparation steps",
        "`prepare: {continuous: [median, minmax], …}`; applied one after the other.",
        "",
        "| name | what it does | makes codes |",
        "|---|---|---|",
    ]
    for name, step in STEPS.items():
        lines.append(f"| `{name}` | {step.description} | {'yes' if step.discretises else ''} |")
    lines += [
        "",
        "## Classifiers",
        "`evaluate: {classifiers: […]}`; trained on the best k features for every wanted k.",
        "",
        "| name | title | the same as |",
        "|---|---|---|",
    ]
    for name, cls in CLASSIFIERS.all().items():
        same = " ".join(inspect.getdoc(cls).split("\n\n")[0].split()).replace("``", "`")
        lines.append(f"| `{name}` | {cls.title} | {same} |")
    lines += [
        "",
        "## Measures",
        "`evaluate: {measures: […], judge_by: …}`. Accuracy and balanced accuracy are always",
        "measured. One measure ranks methods and decides the recommendation: accuracy, or balanced",
        "accuracy on data sets whose largest class has over 75 % of the rows, unless `judge_by`",
        "names another.",
        "",
        "| name | title | better | definition |",
        "|---|---|---|---|",
    ]
    for name, measure in MEASURES.items():
        better = "greater" if measure.greater_is_better else "less"
        lines.append(f"| `{name}` | {measure.title} | {better} | {measure.note} |")
    lines += [
        "",
        "## Stability measures",
        "`evaluate: {stability: […]}`. Edge cases: the value for a single subset, for subsets that",
        "are all empty, and all full.",
        "",
        "| name | definition | bounds | corrected for chance | single / empty / full | note |",
        "|---|---|---|---|---|---|",
    ]
    for name, m in STABILITY.items():
        edges = " / ".join(f"{v:g}" for v in (m.single_subset, m.all_empty, m.all_full))
        low, high = m.bounds
        definition = m.definition.replace("|", "\\|")
        lines.append(
            f"| `{name}` | {definition} | {low:g} … {high:g} "
            f"| {'yes' if m.corrected_for_chance else 'no'} | {edges} | {m.note} |"
        )
    return "\n".join(lines) + "\n"


def _kind(cls) -> str:
    """Rankings keep everything unless a count is asked for; subsets decide by themselves."""
    count = inspect.signature(cls).parameters.get("n_features_to_select")
    return "ranking" if count is not None and count.default is None else "subset"


def summary_of(cls) -> str:
    """The first line of a docstring as plain text: formulas without TeX's signs."""
    line = (inspect.getdoc(cls) or "").splitlines()[0]
    plain = re.sub(r":math:`([^`]*)`", lambda m: re.sub(r"\\(?=[{}])|\\(?=\w)", "", m[1]), line)
    return plain.replace("``", "")


def parameters(cls, quote: str = "") -> str:
    """Parameters with their defaults."""
    shown = (
        p.name if p.default is p.empty else f"{p.name}={p.default!r}"
        for p in inspect.signature(cls).parameters.values()
    )
    return ", ".join(f"{quote}{text}{quote}" for text in shown)


def tags(cls) -> list[str]:
    """What a method needs or takes of data, and its role where it is no competitor."""
    flags = ("binary_only", "discrete_only", "needs_essential", "accepts_sparse")
    yardstick = [f"yardstick: {cls.role}"] * (cls.role != COMPETITOR)
    return [flag for flag in flags if getattr(cls, flag)] + yardstick


def _reference(doc: str) -> str:
    """The first reference of a docstring, on one line."""
    _, found, rest = doc.partition("References\n----------\n")
    return " ".join(rest.split("\n\n")[0].split()) if found else ""


if __name__ == "__main__":
    for name, text in pages().items():
        (DOCS / name).parent.mkdir(exist_ok=True)
        (DOCS / name).write_text(text, encoding="utf-8")
        print(f"docs/{name}")
