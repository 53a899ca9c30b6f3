"""Reference pages of the manual that are made from code: keys, columns, commands, classes.

`docs/conf.py` writes them before every build, so that they are never stale.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from importlib import resources
from itertools import chain, dropwhile, takewhile

import yaml

from fslib.compare.schemas import SCHEMAS
from fslib.evaluate.classifier import CLASSIFIERS
from fslib.registry import METHODS
from fslib.reproduce.compare import CELLS, CLAIMS
from fslib.run.artefacts import CONTRACTS
from fslib.run.layout import Layout, preparation_file
from fslib.run.plugins import Plugins
from fslib.run.project import PROJECT

_MEASURED = PROJECT / "benchmarks" / "results"

#: Every table of a study by its place in the study's folder.
PLACES = {f"tables/{name}": columns for name, columns in SCHEMAS.items()} | {
    "reproduction/cells": CELLS,
    "reproduction/claims": CLAIMS,
}

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
    "classifier": "name of the classifier",
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

#: What each table of a study holds.
CONTENTS = {
    "methods": "One row per method.",
    "curves": "Every measure at the sizes that the methods of a data set share, split by split; "
    "a further measure of the study has a further column.",
    "answers": "One row per question, data set, method, classifier and measure.",
    "scores": "The answers with the measures side by side; a further measure of the study has two "
    "further columns, as accuracy has.",
    "ranks": "Per comparison its methods by mean rank, then those not ranked, then the yardsticks.",
    "friedman": "Per comparison Friedman's test over its data sets.",
    "pairs": "Each competitor beside the best one on the same data set.",
    "cost": "Medians over the splits that finished, methods under their own names.",
    "recovery": "Means over the splits, at the sizes that the methods of a data set share.",
    "stability": "Of the first k features, by every stability measure.",
    "recommendation": "Per data set the features to keep: the smallest set within one standard "
    "error of the best.",
    "by_classifier": "The recommended set with each classifier alone.",
    "equivalent_sets": "Of each method the smallest set within one standard error of the best.",
    "selected_features": "The recommended features, selected on all rows; also as CSV.",
    "consensus": "Features in the sets of more than half of the splits, by the recommended method.",
    "fewer_features": "The recommended method with fewer features, or more, than recommended.",
    "interchangeable": "Pairs of a recommended feature and one similar enough to replace it.",
    "notes": "What a reader must know to judge the tables, one sentence per row.",
    "cells": "Every published cell of a study's paper beside ours.",
    "claims": "Every claim of a study's paper with its verdict.",
}

#: What a column of these tables means: `table.column` there, else in all tables, else `COLUMNS`.
TABLE_COLUMNS = {
    "method": "label of the method",
    "methods.method": "name of the method",
    "classifier": "name of the classifier; `all` is the mean over all",
    "by_classifier.classifier": "name of the classifier",
    "cost.method": "name of the method; the role of a yardstick",
    "notes.method": "what the note is about; empty if no method",
    "notes.dataset": "what the note is about; empty if no single data set",
    "label": "the name, `a = b` for methods that selected the same; the role of a yardstick",
    "counted": "whether the results under the label are this method's: of equal ones, the first's",
    "question": "`set`: how good is the set that a method gives; `order`: how good is its order, "
    "the mean over the sizes",
    "value": "mean over the splits",
    "stability.value": "value of the stability measure",
    "low": "lower end of its interval, where the measure has one",
    "high": "upper end of its interval, where the measure has one",
    "recommendation.value": "mean over the splits, which chose the set: too good",
    "by_classifier.value": "mean over the splits, which chose the set: too good",
    "sd": "standard deviation over the splits",
    "accuracy_sd": "standard deviation over the splits",
    "balanced_accuracy_sd": "standard deviation over the splits",
    "standard_error": "of the mean, corrected for splits that overlap",
    "size": "mean size of the given sets; null for the question of the order",
    "k": "number of features",
    "split": "number of the split",
    "splits": "splits with a value",
    "scores.splits": "runs on splits",
    "scores.ok": "runs on splits that finished",
    "n_splits": "splits with a value",
    "pairs.n_splits": "splits that both finished",
    "judge_by": "the measure that the data set is judged by",
    "judged": "whether the data set is judged by this measure",
    "competes": "whether the question ranks the method",
    "standing": "`measured`; `failed`: ranked last; `skipped`: not ranked",
    "stability": "Nogueira's stability of the sets",
    "seconds": "median time of a selection by the clock",
    "ranks.seconds": "median time of a selection, its geometric mean over the data sets",
    "scores.best_k": "number of features at the best point of a ranking's mean curve",
    "scores.best_value": "value there",
    "scores.rank": "place among the methods of the data set, 1 is best, ties share",
    "below_random": "whether the value is worse than that of random rankings",
    "ranks.below_random": "data sets on which the value is worse than that of random rankings",
    "field": "data sets that the comparison is restricted to; empty for all",
    "mean_rank": "mean over the data sets; null if not ranked",
    "groups": "Nemenyi's groups: methods that share a letter are not significantly apart",
    "n_datasets": "data sets of the comparison",
    "ranks.n_datasets": "data sets on which the method is ranked",
    "n_methods": "methods of the comparison",
    "mean_value": "mean of the values over the data sets",
    "mean_accuracy": "mean over the data sets",
    "mean_size": "mean over the data sets",
    "mean_stability": "mean over the data sets",
    "n_finished": "data sets with a value",
    "n_partial": "those of them where some splits did not finish",
    "note": "a sentence",
    "ranks.note": "why the method is not ranked, or `yardstick`",
    "friedman.note": "the outcome in words, or why there is no test",
    "recommendation.note": "why nothing is recommended, or what speaks against it",
    "alpha": "level of significance",
    "statistic": "Friedman's χ²",
    "p_chi2": "its p value",
    "f_statistic": "Iman and Davenport's F",
    "friedman.p": "its p value",
    "critical_difference": "Nemenyi's: mean ranks that are further apart differ",
    "left_out": "what is not ranked, and why",
    "best": "label of the best competitor",
    "pairs.difference": "the method's value minus that of the best, mean over the splits",
    "t": "Nadeau and Bengio's corrected t statistic of the difference",
    "pairs.p": "its p value",
    "p_holm": "that, adjusted within the data set by Holm's procedure",
    "n_runs": "runs that finished",
    "expected": "mean over the splits of what the recommendation of the other splits has there",
    "expected_low": "lower end of its 95 % interval",
    "expected_high": "upper end of its 95 % interval",
    "runner_up": "label of the next method",
    "runner_up_k": "number of features of its set",
    "runner_up_value": "value of its set",
    "runner_up_stability": "stability of its set",
    "best_method": "method of the set with the best mean",
    "best_k": "number of features of that set",
    "best_value": "value of that set",
    "by_classifier.best_method": "method of the set that this classifier alone would recommend",
    "all_features_value": "value of all features",
    "random_value": "value of random rankings",
    "majority_value": "value of always naming the most frequent class",
    "n_equivalent": "other methods with a set within one standard error of the best",
    "verdict": "what is equivalent, which classifiers lose, whether anything was learned",
    "by_classifier.difference": "value minus that of all features, mean over the splits",
    "difference_error": "its standard error, corrected for splits that overlap",
    "loses": "whether the set is worse than all features by more than that error",
    "recommended": "whether this set is the recommended one",
    "frequency": "share of the splits whose set has the feature",
    "in_refit": "whether the refit on all rows has the feature; null without a refit",
    "other": "column index of the similar feature",
    "other_name": "name of the similar feature",
    "similarity": "the larger of absolute correlation and symmetrical uncertainty",
    "other_recommended": "whether the similar feature is recommended too",
    "kind": "in a word, what the note is",
    "paper": "name of the paper",
    "table": "number of the paper's table",
    "cells.method": "name of the method; empty if the cell is of none",
    "quantity": "what the cell holds",
    "condition": "under which condition, as `name=value`; empty if under none",
    "published": "the printed value",
    "published_deviation": "standard deviation over the paper's repeats, where it is printed",
    "ours": "our value",
    "our_deviation": "standard deviation over our repeats",
    "our_repeats": "repeats behind our value",
    "cells.difference": "our value minus the printed one",
    "tolerance": "two standard errors of the difference, or the rounding of the printed value",
    "cells.standing": "`within` or `outside` the tolerance; `no deviation`: not judged; else what "
    "is missing: `no value`, `not run`, `not printed`",
    "cells.note": "what a reader must know of the cell",
    "claim": "name of the claim",
    "says": "the claim in our words",
    "quotation": "the claim in the paper's words",
    "where": "where the paper says it",
    "claims.verdict": "`holds`, `holds in part`, `does not hold` or `not tested`",
    "detail": "what was seen",
    "claims.note": "what a reader must know of the verdict",
    "places": "data sets and conditions that the verdict is of",
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
            "What a file in `studies/` may say. With `extends` or `parts` the keys are laid over "
            "those of the other study, or of the whole file: mappings key by key, all else "
            "replaced; an empty value (`null`) removes the key that stands there.",
            chain(_schema_table("study"), _ABOVE),
        ),
        "artefacts.md": _page("Files between stages", _ARTEFACTS, _artefacts()),
        "commands.md": _page("The `fslib` command", "As `fslib --help` says.", _commands()),
        "methods_api.md": "\n".join(_classes(METHODS)) + "\n",
        "classifiers_api.md": "\n".join(_classes(CLASSIFIERS)) + "\n",
        "ratios.md": "\n".join(_ratios()) + "\n",
    } | _benchmarks()


#: Keys that are gone when a study is checked: what they say is in the other keys by then.
_ABOVE = (
    "| `extends` | text |  | A study whose keys this one takes over, to change some of them. |",
    "| `parts` | keys |  | Protocols of the study, each a target of its own (`STUDY-NAME`). |",
    "| `parts.NAME` | keys |  | The keys in which the protocol differs from the rest of the file; "
    "with a `title` it is a study of its own in the report. |",
)

_ARTEFACTS = (
    "Every file is parquet, checked against its contract and a digest when it is written and when "
    "it is read; polars reads many at once: `pl.read_parquet('results/quick/*/*/runs.parquet')`. "
    "Last come the tables of a study, which the report shows: they lie in its folder, and their "
    "columns are checked when they are written."
)


def _page(title: str, introduction: str, lines: Iterator[str]) -> str:
    return "\n".join([f"# {title}", "", introduction, "", *lines]) + "\n"


def _schema_table(kind: str) -> Iterator[str]:
    text = (resources.files("fslib.config") / f"{kind}.schema.yaml").read_text(encoding="utf-8")
    schema = yaml.safe_load(text)
    shared = schema.get("$defs", {})
    yield from ("| key | value | default | meaning |", "|---|---|---|---|")
    for key, part, required in _keys(schema, shared):
        default = "required" if required else _shown(part.get("default"))
        meaning = " ".join(part.get("description", "").split())
        yield f"| `{key}` | {_value(part, shared)} | {default} | {meaning} |".replace("\\", "\\\\")


def _keys(schema: dict, shared: dict, prefix: str = "") -> Iterator[tuple[str, dict, bool]]:
    """Every key that a schema allows: dotted name, what is said of it, whether it must be there."""
    for name, part in _named(schema):
        part = _whole(part, shared)
        yield prefix + name, part, name in schema.get("required", ())
        yield from _keys(part, shared, f"{prefix}{name}.")
        yield from _keys(part.get("items", {}).get("then", {}), shared, f"{prefix}{name}.")


def _named(schema: dict) -> list[tuple[str, dict]]:
    more = schema.get("additionalProperties")
    free = [("NAME", more)] if isinstance(more, dict) and more else []
    chosen = [named for choice in schema.get("oneOf", ()) for named in _named(choice)]
    return [*schema.get("properties", {}).items(), *free, *chosen]


def _whole(part: dict, shared: dict) -> dict:
    """A part of a schema with what it takes over from a shared one."""
    if "$ref" not in part:
        return part
    common = shared[part["$ref"].rpartition("/")[2]]
    keys = {**common.get("properties", {}), **part.get("properties", {})}
    return {**common, **part, "properties": keys}


def _value(part: dict, shared: dict) -> str:
    """What may stand there, in a word or two."""
    part = _whole(part, shared)
    if "known" in part:
        return f"one of the {part['known']}"
    if "enum" in part:
        return ", ".join(f"`{value}`" for value in part["enum"])
    if "const" in part:
        return f"`{part['const']}`"
    for choice in ("oneOf", "anyOf"):
        if choice in part and "type" not in part:
            said = (_value(option, shared) for option in part[choice])
            return " or ".join(filter(None, said))
    kinds = part.get("type", "")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    words = {"object": "keys", "array": "list", "string": "text", "null": "nothing"}
    said = " or ".join(words.get(kind, kind) for kind in kinds)
    items = _value(part.get("items", {}), shared) if "array" in kinds else ""
    return f"{said} of {items}" if items else said


def _shown(value) -> str:
    return (
        ""
        if value is None
        else f"`{yaml.safe_dump(value, default_flow_style=True).strip()}`".replace("\n...", "")
    )


#: The table of a data set, whose columns depend on the data.
_DATA = """\
| column | type | meaning |
|---|---|---|
| a feature's name | Float64 | its values, null where missing, categories as numbers; a feature \
called like a column below gets `feature.` in front |
| `target` | Int32 | class of the row, from 0 |
| `fold` | String | fold of the row, where the data set comes with folds |
| `group` | String | rows that stay together, where it has groups |
| `time` | Float64 | when the row was, where it says so |

| key of the metadata | meaning |
|---|---|
| `title`, `citation`, `licence` | what the data set is called, how to cite it, its terms |
| `notes`, `differences` | what a reader must know; how it differs from what a paper used |
| `provenance` | JSON: files with their sha256 and where they came from, or what generated them |
| `fslib.dataset` | JSON: names of classes and features, levels of categories, essential features |
| `check`, `missing_category`, `row_names`, `seed_name` | own tables only: what was noticed, which \
text means missing, which column named the rows, the hash of the content that seeds derive from |
"""


def _places() -> dict[str, str]:
    """Where each kind of file lies."""
    at, here = Layout("results"), ("<study>", "<dataset>")
    return {
        "splits": at.splits(*here),
        "fitted": preparation_file(at.prepared(*here), "<preparation>"),
        **at.measured(*here, "<job>"),
        "ledger": at.ledger("<study>"),
        "batch": at.batch(*here, "<job>", "<number>"),
        "probes": at.probes(*here, "<job>", "<number>-<first>-<end>"),
    }


def _artefacts() -> Iterator[str]:
    yield from ("## table", "", f"`{Layout('results').table('<dataset>')}`", "", _DATA)
    places = _places()
    for kind, columns in CONTRACTS.items():
        yield from (f"## {kind}", "", f"`{places[kind]}`", "")
        yield from _columns(columns, COLUMNS)
        if kind == "accuracy":
            yield from ("A further measure of the study has a further column, Float64.", "")
    for place, columns in PLACES.items():
        table = place.split("/")[1]
        yield from (
            f"## {place}",
            "",
            f"`results/<study>/{place}.parquet`",
            "",
            CONTENTS[table],
            "",
        )
        said = COLUMNS | TABLE_COLUMNS
        here = {column: said.get(f"{table}.{column}") or said[column] for column in columns}
        yield from _columns(columns, here)


def _columns(columns: Mapping, meanings: Mapping[str, str]) -> Iterator[str]:
    yield from ("| column | type | meaning |", "|---|---|---|")
    for column, dtype in columns.items():
        meaning = meanings[column] + (", in rank order" if "List" in str(dtype) else "")
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
