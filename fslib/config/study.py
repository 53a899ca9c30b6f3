"""A study, resolved to plain data: what its file says, with every name looked up.

Methods and data sets are found, not loaded. Every mistake is a `ConfigError` of one or two lines
that names the file, the key, the value and the nearest valid names.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from fslib.config.checked import ConfigError, validated
from fslib.evaluate.classifier import CLASSIFIERS, name_of
from fslib.evaluate.measures import ALWAYS, MEASURES
from fslib.prepare.steps import PreparationError, preparation_name, step
from fslib.run.artefacts import EVERY
from fslib.run.layout import TAKEN, split_numbers
from fslib.run.roles import COMPETITOR, ROLES
from fslib.run.spelling import nearest
from fslib.split.schemes import SCHEMES, structured

#: Names of the workflow's rules: a study of the same name would hide the rule as a target.
RULES = {
    *("all", "fetch", "table", "prepare", "afford", "probe", "select", "evaluate", "compare"),
    *("figures", "reproduce", "report", "strict", "index"),
}
#: Splits that a study may have at most; a larger number is most likely a typing error.
_MOST_SPLITS = 1_000_000


@dataclass(frozen=True)
class Variant:
    """One row of every table: a method with its parameters and the preparation it sees."""

    name: str
    entry: str
    use: str
    params: dict
    seed_name: str
    preparation: tuple[str, ...]
    role: str
    binary_only: bool
    fingerprint: str


@dataclass(frozen=True)
class Entry:
    """Variants with the same jobs: what stands under a name in a study, or all that is cheap."""

    name: str
    variants: tuple[Variant, ...]
    fits: tuple[tuple[Variant, ...], ...]
    """The same by the fit that they share, as the select stage fits them on each split."""
    n_probes: tuple[int, ...]
    """Of each fit the probes of its search, where these can be evaluated apart; 0 elsewhere."""

    @classmethod
    def of_all(cls, name: str, entries: Iterable[Entry]) -> Entry:
        """Several entries as one."""
        entries = list(entries)
        return cls(
            name,
            tuple(v for entry in entries for v in entry.variants),
            tuple(fit for entry in entries for fit in entry.fits),
            tuple(n for entry in entries for n in entry.n_probes),
        )

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
    job_minutes: int
    limits: str
    budget: dict
    entries: dict[str, Entry]
    evaluate: dict
    judge_by: str | None
    """The measure that decides; None leaves it to the classes of each data set."""
    selection: str
    structures: dict[str, dict[str, bool]] = field(default_factory=dict)
    """Which data sets have times or groups, where the splits depend on it."""
    homes: dict[str, str] = field(default_factory=dict)
    """Entries that another study runs, and that study: the one that this one continues."""
    text: str = field(repr=False, default="")

    @property
    def methods(self) -> list[Variant]:
        return [variant for entry in self.entries.values() for variant in entry.variants]

    @property
    def within_split(self) -> bool:
        return self.prepare["fitted"] == "within_split"

    @property
    def selects_before_split(self) -> bool:
        return self.selection == "before_split"

    @cached_property
    def preparations(self) -> list[list[str]]:
        """The steps of every preparation: those that the study names, whether a method sees them
        yet or not, and those of single methods."""
        named = [self.prepare[kind] for kind in ("continuous", "discrete", "evaluation")]
        found = {preparation_name(steps): list(steps) for steps in named}
        found |= {preparation_name(v.preparation): list(v.preparation) for v in self.methods}
        return list(found.values())

    @cached_property
    def evaluation_preparation(self) -> str:
        return preparation_name(self.prepare["evaluation"])

    def on(self, dataset: str) -> Study:
        """The study as it is for one data set: with the scheme that splits its rows."""
        known = self.structures.get(dataset, {"time": False, "group": False})
        scheme = structured(self.splits["scheme"], **known)
        return replace(self, splits=self.splits | {"scheme": scheme})

    def home(self, entry: str) -> str:
        """Name of the study that runs an entry."""
        return self.homes.get(entry, self.name)

    def continuing(self, base: Study, where: str) -> Study:
        """The study with the entries of ``base`` taken from there; refused where they differ."""
        for key in ("datasets", "prepare", "splits", "final", "evaluate", "selection"):
            if getattr(self, key) != getattr(base, key):
                raise ConfigError(
                    f"{where}: {key}: differs from {base.name}, which it continues; use `extends`"
                )
        for name, entry in base.entries.items():
            if self.entries.get(name) != entry:
                raise ConfigError(
                    f"{where}: methods.{name}: differs from {base.name}, which it continues; give "
                    f"the entry another name, or use `extends`"
                )
        return replace(self, homes={name: base.home(name) for name in base.entries})

    def n_splits(self, n_rows: int | None) -> int | None:
        """Number of splits; None where it depends on the number of rows, and that is unknown."""
        return SCHEMES[self.splits["scheme"]].n_splits(self.splits, n_rows)

    def split_numbers(self, n_rows: int | None) -> list[int] | None:
        """Numbers of the splits that methods are fitted on; None where they are unknown."""
        n_splits = self.n_splits(n_rows)
        if n_splits is None and not self.selects_before_split:
            return None
        return split_numbers(n_splits, refit=self.final, before_split=self.selects_before_split)

    @property
    def facts(self) -> dict:
        """What a reader of the report is told."""
        return {
            "name": self.name,
            "title": self.title,
            "part": self.part.replace("_", " "),
            "description": self.description,
            "datasets": list(self.datasets),
            "configuration": self.text,
        }


def resolved_study(
    name: str,
    part: str,
    raw: dict,
    text: str,
    config: Mapping,
    where: str,
    beside: Mapping[str, dict] | None = None,
) -> Study:
    """A study from its file's values; ``config`` is `config.yaml` with its defaults.

    ``beside`` are the methods of studies that continue this one: their names are taken too.
    """
    values = validated(raw, "study", where)
    limits = config["limits"]
    if values["limits"] not in limits:
        raise ConfigError(
            f"{where}: limits: unknown limits {values['limits']!r}"
            f"{nearest(values['limits'], limits)}"
        )
    for kind in ("continuous", "discrete", "evaluation"):
        _check_steps(values["prepare"][kind], f"{where}: prepare.{kind}")
    entries = dict(values["methods"])
    own = (
        _own_methods(config["methods"], {**(beside or {}), **entries})
        if values["own_methods"]
        else {}
    )
    entries |= own
    check_names("method", entries, f"{where}: methods: ")
    resolved = {
        n: _entry(n, e, values["prepare"], config, "config.yaml" if n in own else where)
        for n, e in entries.items()
    }
    names = [v.name for e in resolved.values() for v in e.variants]
    for twice in {n for n in names if names.count(n) > 1}:
        raise ConfigError(f"{where}: methods: two variants are called {twice!r}")
    for variant in (v for e in resolved.values() for v in e.variants):
        if variant.role == COMPETITOR and variant.name in ROLES:
            raise ConfigError(
                f"{where}: methods: {variant.name!r} is what tables call a yardstick, and "
                f"{variant.use} is none; use another name"
            )
    datasets = _datasets(values["datasets"], config, where)
    study = Study(
        name=name,
        title=values["title"],
        part=part,
        description=values["description"],
        datasets=tuple(datasets),
        prepare=values["prepare"],
        splits=_splits(values, config),
        final=values["final"] or values["selection"] == "before_split",
        batch=values["batch"],
        threads=values["threads"],
        job_minutes=values["job_minutes"],
        limits=values["limits"],
        budget=limits[values["limits"]],
        entries=resolved,
        evaluate=_evaluation(values["evaluate"], where),
        judge_by=values["evaluate"]["judge_by"],
        selection=values["selection"],
        structures=_structures(datasets, config) if values["splits"]["scheme"] == "auto" else {},
        text=text,
    )
    n_splits = study.n_splits(None) or 0
    if n_splits > _MOST_SPLITS:
        raise ConfigError(f"{where}: splits: {n_splits} are more than {_MOST_SPLITS}")
    return study


def _splits(values: Mapping, config: Mapping) -> dict:
    """How rows are divided; of own tables the configuration says how many rows are enough."""
    most_rows = config["most_rows"] if values["datasets"] == "own" else None
    return values["splits"] | ({} if most_rows is None else {"most_rows": most_rows})


def _evaluation(raw: Mapping, where: str) -> dict:
    """What is evaluated; by what is judged changes no evaluation, and is kept apart."""
    asked = {*ALWAYS, *raw["measures"], raw["judge_by"]}
    measures = [name for name in MEASURES if name in asked]
    if raw["judge_by"] == "log_loss":
        named = [c for c in raw["classifiers"] if isinstance(c, str)]
        without = [c for c in named if not CLASSIFIERS[c].has_probabilities]
        if without:
            raise ConfigError(
                f"{where}: evaluate.judge_by: log_loss needs probabilities, which "
                f"{' and '.join(without)} {'have' if len(without) > 1 else 'has'} not"
            )
    _check_classifiers(raw["classifiers"], f"{where}: evaluate.classifiers")
    values = {key: value for key, value in raw.items() if key != "judge_by"}
    return {**values, "sizes": _sizes(raw["sizes"], where), "measures": measures}


def _own_methods(methods: Mapping, entries: Mapping) -> dict:
    """The methods of config.yaml; one with a name that the study has is called `my_<name>`.

    >>> list(_own_methods({"a": {"use": "x"}, "b": {"use": "y"}}, {"c": {"variants": {"a": {}}}}))
    ['my_a', 'b']
    """
    taken = {*entries, *(v for entry in entries.values() for v in entry.get("variants", ()))}

    def free(name: str) -> str:
        while name in taken:
            name = f"my_{name}"
        taken.add(name)
        return name

    own = {}
    for name, entry in methods.items():
        variants = {free(v): keys for v, keys in entry.get("variants", {}).items()}
        own[free(name)] = entry | ({"variants": variants} if variants else {})
    return own


def _check_classifiers(asked: list, where: str) -> None:
    """Refuse names that are taken, and classes that are not there or lack a parameter."""
    from fslib.select.resolve import MethodError

    taken = {EVERY, *CLASSIFIERS.names()}
    names = [name_of(classifier) for classifier in asked]
    for classifier in asked:
        if isinstance(classifier, str):
            continue
        name = classifier["name"]
        if name in taken or names.count(name) > 1:
            raise ConfigError(f"{where}: the name {name!r} is taken; use another")
        try:
            recipe_of(classifier).check()
            if not hasattr(recipe_of(classifier).made_from, "predict"):
                raise MethodError(f"{classifier['use']} does not `predict`: it is no classifier")
        except MethodError as problem:
            raise ConfigError(f"{where}.{name}: {problem}") from problem


def recipe_of(classifier: Mapping):
    """The class and parameters of a classifier that is not ours."""
    from fslib.select.resolve import Recipe

    params = {key: value for key, value in classifier.items() if key not in ("name", "use")}
    return Recipe(classifier["use"], params)


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


def check_names(kind: str, names, where: str) -> None:
    """Refuse names that the workflow uses for its own folders or rules."""
    taken = TAKEN[kind] | RULES if kind == "study" else TAKEN[kind]
    for name in names:
        if name in taken:
            raise ConfigError(f"{where}{name!r} is the name of a part of the workflow; use another")


def _datasets(names, config: Mapping, where: str) -> list[str]:
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


def _structures(datasets, config: Mapping) -> dict[str, dict[str, bool]]:
    """Whether each data set has times or groups."""
    from fslib.data import card

    return {
        name: {kind: kind in own for kind in ("time", "group")}
        if (own := config["datasets"].get(name))
        else {"time": False, "group": card(name).groups is not None}
        for name in datasets
    }


def _entry(name: str, raw: dict, prepare: dict, config: Mapping, where: str) -> Entry:
    common = {k: v for k, v in raw.items() if k != "variants"}
    variants = raw.get("variants", {name: {}})
    resolved = tuple(
        _variant(v, name, {**common, **own}, prepare, config, f"{where}: methods.{name}")
        for v, own in variants.items()
    )
    fits = _fits(resolved)
    return Entry(name, resolved, fits, tuple(map(_n_probes, fits)))


def _fits(variants: Iterable[Variant]) -> tuple[tuple[Variant, ...], ...]:
    """Variants of an entry by the fit that they share."""
    from fslib.select.resolve import Recipe

    shared: dict[tuple, list[Variant]] = {}
    for v in variants:
        name = "" if Recipe(v.use, v.params).shares_fits else v.name
        shared.setdefault((v.use, v.preparation, name), []).append(v)
    return tuple(map(tuple, shared.values()))


def _n_probes(fit: tuple[Variant, ...]) -> int:
    """Probes of the variants' common search; 0 if the method has none or their seeds differ."""
    from fslib.select.resolve import Recipe

    if len({v.seed_name for v in fit}) > 1:
        return 0
    return Recipe(fit[0].use, {}).tags.n_probes_together([v.params for v in fit])


def _variant(
    name: str, entry: str, raw: dict, prepare: dict, config: Mapping, where: str
) -> Variant:
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
            entry=entry,
            use=raw["use"],
            params=params,
            seed_name=raw.get("seed", name),
            preparation=tuple(steps),
            role=recipe.tags.role,
            binary_only=recipe.tags.binary_only,
            fingerprint=recipe.fingerprint(),
        )
    except MethodError as problem:
        raise ConfigError(f"{where}: {problem}") from problem


def _check_steps(steps, where: str) -> None:
    for name in steps:
        try:
            step(name)
        except PreparationError as problem:
            raise ConfigError(f"{where}: {problem}") from problem
