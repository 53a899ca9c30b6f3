"""Reference pages of the manual that are made from code: keys, columns, commands, classes.

`docs/conf.py` writes them before every build, so that they are never stale.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import resources
from itertools import dropwhile, takewhile

import yaml

from fslib.evaluate.classifier import CLASSIFIERS
from fslib.registry import METHODS
from fslib.run.artefacts import CONTRACTS
from fslib.run.plugins import Plugins
from fslib.run.project import PROJECT

_MEASURED = PROJECT / "benchmarks" / "results"

#: What a column means, wherever it stands.
COLUMNS = {
    "dataset": "name of the data set",
    "method": "name of the method: a variant of an entry of the study",
    "split": "number of the split; −1 is the refit on all rows",
    "first": "number of the first probe of a stretch, from 0",
    "end": "number of the first probe behind the stretch",
    "repeat": "number of the repetition that the split belongs to",
    "ratio": "share of the training rows that the split keeps",
    "part": "`train` or `test`",
    "row": "row of the table, from 0; a bootstrap repeats rows",
    "step": "step of the preparation",
    "feature": "column index of the feature, from 0",
    "low": "lower of the two numbers: edge, location, or end of an interval",
    "high": "upper of the two numbers: edge, scale, or end of an interval",
    "rank": "place in the ranking, 1 is best",
    "name": "name of the feature",
    "score": "the method's own score, null where it gave none",
    "selected": "whether the method keeps the feature",
    "role": "`competitor`, or the yardstick that the method is",
    "status": "`ok`, `timeout`, `out_of_memory`, `error` or `skipped`",
    "reason": "why the status is not `ok`",
    "wall_seconds": "time by the clock",
    "cpu_seconds": "processor time of all processes of the fit",
    "peak_mb": "peak of the private memory",
    "n_fits": "models trained",
    "seed": "seed of the fit: a hash of names",
    "n_selected": "how many features the method keeps",
    "ordered": "whether the features have an order that means something",
    "subset": "whether the method chose how many features to keep",
    "preparation": "the preparation that the method saw",
    "fitted": "where the preparation was fitted: within or before the split",
    "fingerprint": "hash of the code that computed the row",
    "k": "number of features, from the front of the ranking",
    "classifier": "name of the classifier; `all` is the mean over all",
    "accuracy": "share of the test rows that are predicted right",
    "balanced_accuracy": "mean over the classes of that share",
    "measure": "name of the measure",
    "value": "value of the measure or fact",
    "precision": "share of the first k features that are essential",
    "recall": "share of the essential features among the first k",
    "f1": "harmonic mean of precision and recall",
    "phi": "number of essential features among the first k",
    "fact": "name of a number that only the method knows",
    "ok": "splits that finished",
    "timeout": "splits over their time",
    "out_of_memory": "splits over their memory",
    "error": "splits that failed otherwise",
    "skipped": "splits on which the method cannot run",
    "unmeasured": "evaluations that a classifier could not do",
}


def reference_pages() -> dict[str, str]:
    """Every page by its file name below `docs/reference/`."""
    return {
        "configuration.md": _page(
            "config.yaml",
            "What `config.yaml` may say; the file itself explains why one would.",
            _schema_table("config"),
        ),
        "studies.md": _page(
            "Studies",
            "What a file in `studies/` may say, besides `extends` (another study, taken over) and "
            "`parts` (protocols within the study, each with keys of its own).",
            _schema_table("study"),
        ),
        "artefacts.md": _page("Files between stages", _ARTEFACTS, _contract_tables()),
        "commands.md": _page("The `fslib` command", "As `fslib --help` says.", _commands()),
        "methods_api.md": "\n".join(_classes(METHODS)) + "\n",
        "classifiers_api.md": "\n".join(_classes(CLASSIFIERS)) + "\n",
        "ratios.md": "\n".join(_ratios()) + "\n",
    } | _benchmarks()


_ARTEFACTS = (
    "Every file is parquet, checked against its contract and a digest when it is written and when "
    "it is read; polars reads many at once: `pl.read_parquet('results/quick/*/*/runs.parquet')`."
)


def _page(title: str, introduction: str, lines: Iterator[str]) -> str:
    return "\n".join([f"# {title}", "", introduction, "", *lines]) + "\n"


def _schema_table(kind: str) -> Iterator[str]:
    text = (resources.files("fslib.config") / f"{kind}.schema.yaml").read_text(encoding="utf-8")
    schema = yaml.safe_load(text)
    yield from ("| key | value | default | meaning |", "|---|---|---|---|")
    for key, part, required in _keys(schema, schema.get("$defs", {})):
        default = "required" if required else _shown(part.get("default"))
        meaning = " ".join(part.get("description", "").split())
        yield f"| `{key}` | {_value(part)} | {default} | {meaning} |".replace("\\", "\\\\")


def _keys(schema: dict, shared: dict, prefix: str = "") -> Iterator[tuple[str, dict, bool]]:
    """Every key that a schema allows: dotted name, what is said of it, whether it must be there."""
    named = [(name, part, name in schema.get("required", ())) for name, part in _named(schema)]
    for name, part, required in named:
        if "$ref" in part:
            common = shared[part["$ref"].rpartition("/")[2]]
            keys = {**common.get("properties", {}), **part.get("properties", {})}
            part = {**common, **part, "properties": keys}
        yield prefix + name, part, required
        yield from _keys(part, shared, f"{prefix}{name}.")


def _named(schema: dict) -> list[tuple[str, dict]]:
    more = schema.get("additionalProperties")
    free = [("NAME", more)] if isinstance(more, dict) and more else []
    return [*schema.get("properties", {}).items(), *free]


def _value(part: dict) -> str:
    """What may stand there, in a word or two."""
    if "known" in part:
        return f"one of the {part['known']}"
    if "enum" in part:
        return ", ".join(f"`{value}`" for value in part["enum"])
    if "const" in part:
        return f"`{part['const']}`"
    for choice in ("oneOf", "anyOf"):
        if choice in part and "type" not in part:
            return " or ".join(filter(None, map(_value, part[choice])))
    kinds = part.get("type", "")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    words = {"object": "keys", "array": "list", "string": "text", "null": "nothing"}
    said = " or ".join(words.get(kind, kind) for kind in kinds)
    items = _value(part.get("items", {})) if "array" in kinds else ""
    return f"{said} of {items}" if items else said


def _shown(value) -> str:
    return (
        ""
        if value is None
        else f"`{yaml.safe_dump(value, default_flow_style=True).strip()}`".replace("\n...", "")
    )


def _contract_tables() -> Iterator[str]:
    for kind, columns in CONTRACTS.items():
        yield from (f"## {kind}", "", "| column | type | meaning |", "|---|---|---|")
        for column, dtype in columns.items():
            meaning = COLUMNS[column] + (", in rank order" if "List" in str(dtype) else "")
            yield f"| `{column}` | {dtype} | {meaning} |"
        yield ""


def _commands() -> Iterator[str]:
    from fslib.cli import parser

    for action in parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help for choice in action._choices_actions}
            for name, command in action.choices.items():
                yield from (f"## {name}", "", f"{helps[name]}", "", "```text")
                yield from command.format_help().splitlines()
                yield from ("```", "")


def _classes(plugins: Plugins) -> Iterator[str]:
    for cls in plugins.all().values():
        yield from ("```{eval-rst}", f".. autoclass:: {cls.__module__}.{cls.__name__}", "```", "")


def _ratios() -> Iterator[str]:
    """The first table of each benchmark of methods: ours beside others in one run."""
    for path in sorted(_MEASURED.glob("*.md")):
        if path.stem not in ("filters", "peers", "svm", "wrappers"):
            continue
        title, *lines = path.read_text(encoding="utf-8").splitlines()
        below = dropwhile(lambda line: not line.startswith("|"), lines)
        table = takewhile(lambda line: line.startswith("|"), below)
        yield from (f"##{title}", "", *table, "")


def _benchmarks() -> dict[str, str]:
    """The tables and plots of `benchmarks/results/`, as they are."""
    return {
        f"../results/generated/{path.name}": path.read_text(encoding="utf-8")
        for path in sorted([*_MEASURED.glob("*.md"), *_MEASURED.glob("*.svg")])
    }
