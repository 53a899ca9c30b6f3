"""Configuration and studies: read, checked against their schemas, and resolved to plain data.

Every mistake is a `ConfigError` of one or two lines that names the file, the key, the value
and the nearest valid names.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from fslib.config.checked import ConfigError, parse, validated
from fslib.prepare.steps import PreparationError, preparation_name, step
from fslib.run.spelling import nearest

#: Folders and rules of the workflow: what is called like one would be written over it.
_TAKEN = {
    "study": {"data", "logs", "benchmarks", "report", "index", "all", "fetch", "table", "split"}
    | {"prepare", "select", "evaluate", "compare", "reproduce", "figures", "strict"},
    "data set": {"tables", "figures", "reproduction"},
    "method": {"prepared"},
}
_PAPERS = Path(__file__).resolve().parents[1] / "papers"
#: More rows of a plan than any machine gets done; most likely a slip of the finger.
_MOST_SPLITS = 1_000_000


@dataclass(frozen=True)
class Variant:
    """One row of every table: a method with its parameters and the preparation it sees."""

    name: str
    use: str
    params: dict
    seed_name: str
    preparation: tuple[str, ...]
    control: bool
    ordered: bool
    fingerprint: str


@dataclass(frozen=True)
class Entry:
    """One job per data set and batch: the variants that share it."""

    name: str
    variants: tuple[Variant, ...]

    @property
    def preparations(self) -> list[str]:
        return sorted({preparation_name(v.preparation) for v in self.variants})


@dataclass(frozen=True)
class Study:
    """Data sets x preparation x splits x methods x evaluations."""

    name: str
    title: str
    part: str
    """Its part of a study file whose title all parts share; else empty."""
    description: str
    datasets: tuple[str, ...]
    prepare: dict
    splits: dict
    final: bool
    batch: int
    threads: int
    limits: str
    budget: dict
    entries: dict[str, Entry]
    evaluate: dict
    selection: str
    text: str = field(repr=False, default="")

    @property
    def methods(self) -> list[Variant]:
        return [variant for entry in self.entries.values() for variant in entry.variants]

    @property
    def controls(self) -> set[str]:
        return {variant.name for variant in self.methods if variant.control}

    @property
    def within_split(self) -> bool:
        return self.prepare["fitted"] == "within_split"

    @property
    def selects_before_split(self) -> bool:
        return self.selection == "before_split"

    @cached_property
    def evaluation_preparation(self) -> str:
        return preparation_name(self.prepare["evaluation"])

    @property
    def n_splits(self) -> int | None:
        """How many splits there are; None where only the data can tell (leave-one-out)."""
        s = self.splits
        repeats = s["repeats"]
        return {
            "holdout": repeats,
            "kfold": repeats * s["folds"],
            "bootstrap": repeats,
            "shrinking_bootstrap": repeats * len(s["ratios"]),
            "original": repeats,
            "loo": None,
        }[s["scheme"]]


@dataclass(frozen=True)
class Config:
    """`config.yaml` with its defaults filled in, and the studies beside it."""

    values: dict
    folders: tuple[Path, ...]

    def __getitem__(self, key):
        return self.values[key]

    @cached_property
    def groups(self) -> dict[str, list[str]]:
        """What each study file stands for: one study of its name, or one for each of its parts."""
        groups = {
            name: [f"{name}-{part}" for part in self._raw_or_empty(name).get("parts") or ()]
            or [name]
            for name in sorted(self._study_files)
        }
        known = [name for names in groups.values() for name in names]
        for name in self["without"]:
            if name not in known:
                raise ConfigError(f"without: unknown study {name!r}{nearest(name, known)}")
        return {
            group: [name for name in names if name not in self["without"]]
            for group, names in groups.items()
        }

    @cached_property
    def study_names(self) -> list[str]:
        return sorted(name for names in self.groups.values() for name in names)

    @property
    def targets(self) -> list[str]:
        """Everything that can be run by name: study files and parts of them."""
        return sorted({*self.groups, *self.study_names})

    @cached_property
    def _study_files(self) -> dict[str, Path]:
        """Studies by name; the working folder's come before the project's."""
        files = {
            path.stem: path
            for folder in reversed(self.folders)
            for path in sorted((folder / "studies").glob("*.yaml"))
        }
        _check_names("study", files, "studies/")
        for name, path in files.items():
            if not re.fullmatch(r"\w[\w.-]*", name):
                raise ConfigError(
                    f"{path}: {name!r} is no name for a study: use letters, digits, _, - and ."
                )
        return files

    def study(self, name: str) -> Study:
        """One study, checked; methods and data sets are looked up, not loaded."""
        files = [file for file, names in self.groups.items() if name in names]
        if not files:
            raise ConfigError(f"unknown study {name!r}{nearest(name, self.study_names)}")
        if len(files) > 1:
            raise ConfigError(f"studies/: {' and '.join(files)} both have a study {name!r}")
        file = files[0]
        where = f"studies/{file}.yaml"
        values = self._raw(file)
        parts, part = values.pop("parts", None), ""
        if parts is not None:
            _check_parts(parts, where)
            part = name.removeprefix(f"{file}-")
            values, where = _merged(values, parts[part]), f"{where}: parts.{part}"
            part = "" if "title" in parts[part] else part
        return _study(name, part, values, self._text(file), self, where)

    def paper(self, name: str) -> str | None:
        """The paper that a study file sets its results beside; parts alone have none."""
        return self._raw_or_empty(name).get("paper") if name in self.groups else None

    def _raw(self, name: str, on_the_way: tuple[str, ...] = ()) -> dict:
        """A study file as written, on top of the one it extends."""
        path = self._study_files[name]
        values = parse(path)
        base = values.pop("extends", None)
        if base is None:
            return values
        if base in (name, *on_the_way):
            raise ConfigError(f"studies/{name}.yaml: extends: it extends itself")
        others = [other for other in self._study_files if other != name]
        if base not in others:
            raise ConfigError(
                f"studies/{name}.yaml: extends: unknown study {base!r}{nearest(str(base), others)}"
            )
        return _extended(self._raw(base, (name, *on_the_way)), values)

    def _raw_or_empty(self, name: str) -> dict:
        """For look-ups over all files: one that cannot be read complains when it is run."""
        try:
            values = self._raw(name)
            parts = values.get("parts")
            if parts is not None:
                _check_parts(parts, f"studies/{name}.yaml")
            return values
        except ConfigError:
            return {}

    def _text(self, name: str) -> str:
        """A study file and, below it, the one it extends, for people to read."""
        text = self._study_files[name].read_text()
        base = parse(self._study_files[name]).get("extends")
        return text if base is None else f"{text}\n# studies/{base}.yaml\n{self._text(base)}"


def load_config(values: Mapping | str | Path, folders: Sequence[str | Path] = (".",)) -> Config:
    """Check a configuration (a mapping or a file) and fill in its defaults.

    Studies are looked for in ``studies/`` of each folder, own files below the working folder.
    """
    if not isinstance(values, Mapping):
        values = parse(Path(values))
    filled = validated(dict(values), "config", "config.yaml")
    _check_names("data set", filled["datasets"], "config.yaml: datasets: ")
    config = Config(filled, tuple(Path(folder) for folder in folders))
    for name in filled["studies"]:
        if name not in config.targets:
            raise ConfigError(
                f"config.yaml: studies: unknown study {name!r}{nearest(name, config.targets)}"
            )
    return config


def _study(name: str, part: str, raw: dict, text: str, config: Config, where: str) -> Study:
    values = validated(raw, "study", where)
    limits = config["limits"]
    if values["limits"] not in limits:
        raise ConfigError(
            f"{where}: limits: unknown limits {values['limits']!r}"
            f"{nearest(values['limits'], limits)}"
        )
    _check_evaluation(values, where)
    papers = [path.stem for path in _PAPERS.glob("[a-z]*.py")]
    if values["paper"] not in (None, *papers):
        raise ConfigError(
            f"{where}: paper: unknown paper {values['paper']!r}{nearest(values['paper'], papers)}"
        )
    entries = dict(values["methods"])
    if values["own_methods"]:
        for own, entry in config["methods"].items():
            if own in entries:
                raise ConfigError(f"config.yaml: methods.{own}: {where} has a method of that name")
            entries[own] = entry
    _check_names("method", entries, f"{where}: methods: ")
    resolved = {n: _entry(n, e, values["prepare"], config, where) for n, e in entries.items()}
    names = [v.name for e in resolved.values() for v in e.variants]
    for twice in {n for n in names if names.count(n) > 1}:
        raise ConfigError(f"{where}: methods: two variants are called {twice!r}")
    study = Study(
        name=name,
        title=values["title"],
        part=part,
        description=values["description"],
        datasets=tuple(_datasets(values["datasets"], config, where)),
        prepare=values["prepare"],
        splits=values["splits"],
        final=values["final"] or values["selection"] == "before_split",
        batch=values["batch"],
        threads=values["threads"],
        limits=values["limits"],
        budget=limits[values["limits"]],
        entries=resolved,
        evaluate={**values["evaluate"], "sizes": _sizes(values["evaluate"]["sizes"], where)},
        selection=values["selection"],
        text=text,
    )
    if (study.n_splits or 0) > _MOST_SPLITS:
        raise ConfigError(f"{where}: splits: {study.n_splits} are more than {_MOST_SPLITS}")
    return study


def _merged(below, above, nulls_stay: bool = False):
    """Mappings key by key, all else as the upper one says; a null takes a key away.

    >>> _merged({"a": {"b": 1, "c": 2}, "d": [1]}, {"a": {"b": None, "e": 3}, "d": [2]})
    {'a': {'c': 2, 'e': 3}, 'd': [2]}
    """
    if not isinstance(above, dict):
        return above
    below = below if isinstance(below, dict) else {}
    merged = {
        key: _merged(below.get(key), above[key], nulls_stay) if key in above else below[key]
        for key in {**below, **above}
    }
    return {key: value for key, value in merged.items() if nulls_stay or value is not None}


def _extended(below: dict, above: dict) -> dict:
    """A study on top of another. A null inside a part stays: it takes away what parts share.

    >>> full = {"methods": {"a": 1, "b": 2}, "parts": {"x": {"methods": {"b": None}}, "y": {}}}
    >>> _extended(full, {"parts": {"x": {"methods": {"a": 3}}, "y": None}})["parts"]
    {'x': {'methods': {'b': None, 'a': 3}}}
    """
    merged = _merged(below, above)
    if isinstance(above.get("parts"), dict):
        parts = _merged(below.get("parts"), above["parts"], nulls_stay=True)
        merged["parts"] = {name: part for name, part in parts.items() if part is not None}
    return merged


def _check_parts(parts, where: str) -> None:
    if not (isinstance(parts, dict) and parts):
        raise ConfigError(f"{where}: parts: expected names, each with the keys that are its own")
    for name, part in parts.items():
        if not re.fullmatch(r"\w[\w.-]*", str(name)):
            raise ConfigError(
                f"{where}: parts: {name!r} is no name: use letters, digits, _, - and ."
            )
        if not isinstance(part, dict):
            raise ConfigError(f"{where}: parts.{name}: expected keys and values, found {part!r}")


def _sizes(sizes, where: str) -> list[int] | str:
    """Sizes one by one; "1..200" stands for all between, "10..200..5" for every fifth.

    >>> _sizes([1, "3..6", "10..20..5"], "")
    [1, 3, 4, 5, 6, 10, 15, 20]
    >>> _sizes([1.0, 2e1], "")  # whole numbers, to the schema
    [1, 20]
    """
    if isinstance(sizes, str):
        return sizes
    found = []
    for size in sizes:
        first, *rest = map(int, size.split("..") if isinstance(size, str) else [size])
        last = rest[0] if rest else first
        step = rest[1] if len(rest) == 2 else 1
        if last < first:
            raise ConfigError(f"{where}: evaluate.sizes: {size} goes down")
        found += range(first, last + 1, step)
    return sorted(set(found))


def _check_names(kind: str, names, where: str) -> None:
    for name in names:
        if name in _TAKEN[kind]:
            raise ConfigError(f"{where}{name!r} is the name of a part of the workflow; use another")


def _datasets(names, config: Config, where: str) -> list[str]:
    from fslib.data import dataset_names

    own = config["datasets"]
    for name in set(own) & set(dataset_names()):
        raise ConfigError(f"config.yaml: datasets.{name}: a known data set has that name already")
    if names == "own":
        if not own:
            raise ConfigError(
                f"{where} runs on your own tables, and config.yaml names none. Add for example "
                f"`datasets: {{mine: {{path: mine.csv, target: label}}}}`."
            )
        return list(own)
    known = [*dataset_names(), *own]
    found: dict[str, None] = {}
    for name in names:
        meant = fnmatch.filter(known, name)
        if not meant:
            raise ConfigError(f"{where}: datasets: unknown data set {name!r}{nearest(name, known)}")
        found |= dict.fromkeys(meant)
    return list(found)


def _entry(name: str, raw: dict, prepare: dict, config: Config, where: str) -> Entry:
    common = {k: v for k, v in raw.items() if k != "variants"}
    variants = raw.get("variants", {name: {}})
    return Entry(
        name,
        tuple(
            _variant(v, {**common, **own}, prepare, config, f"{where}: methods.{name}")
            for v, own in variants.items()
        ),
    )


def _variant(name: str, raw: dict, prepare: dict, config: Config, where: str) -> Variant:
    from fslib.select.resolve import MethodError, Recipe

    if "use" not in raw:
        raise ConfigError(f"{where}.{name}: says nothing to `use`")
    params = {k: v for k, v in raw.items() if k not in ("use", "prepare", "seed")}
    recipe = Recipe(raw["use"], params)
    try:
        recipe.check()
        steps = raw.get("prepare")
        if steps is None:
            steps = prepare["discrete" if recipe.tags.discrete_only else "continuous"]
        else:
            _check_steps(steps, where)
        return Variant(
            name=name,
            use=raw["use"],
            params=params,
            seed_name=raw.get("seed", name),
            preparation=tuple(steps),
            control=recipe.tags.control,
            ordered=recipe.tags.ordered,
            fingerprint=recipe.fingerprint(),
        )
    except MethodError as problem:
        raise ConfigError(f"{where}: {problem}") from problem


def _check_evaluation(values: dict, where: str) -> None:
    from fslib.evaluate.names import CLASSIFIER_NAMES, STABILITY_NAMES

    for role in ("continuous", "discrete", "evaluation"):
        _check_steps(values["prepare"][role], f"{where}: prepare.{role}")
    for kind, known in (("classifiers", CLASSIFIER_NAMES), ("stability", STABILITY_NAMES)):
        for name in values["evaluate"][kind]:
            if name not in known:
                raise ConfigError(
                    f"{where}: evaluate.{kind}: unknown name {name!r}{nearest(name, known)}"
                )


def _check_steps(steps, where: str) -> None:
    for name in steps:
        try:
            step(name)
        except PreparationError as problem:
            raise ConfigError(f"{where}: {problem}") from problem
