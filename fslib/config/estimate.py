"""What a study will cost: its jobs with their expected seconds, from measured growth and from
earlier runs in the output folder, and how far such expectations were from what those runs took."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from statistics import geometric_mean, median

import polars as pl

from fslib.config.batches import PER_FIT, Batch, fit_seconds, taken, train_shapes
from fslib.config.cost import growth
from fslib.config.plan import Plan
from fslib.config.schedule import Task, scheduled, ways_to_the_end
from fslib.config.study import Study, Variant
from fslib.run.layout import Layout, Place
from fslib.run.numbers import count
from fslib.select.changes import Change

#: Fits below this many seconds are start-up rather than method, and no test of an estimate.
_SHORTEST = 0.05
#: Seconds per cell (a method on a split) that comparing and setting beside a paper take.
_PER_CELL = {"compare": 5e-4, "reproduce": 1e-3}
#: Seconds that the figures of one data set take.
_PER_DATASET = 0.7
#: Seconds of a job of these stages beside its start and what depends on the study.
_BESIDE = {"compare": 1.0, "figures": 2.0, "reproduce": 3.0, "report": 0.5, "evaluate": 1.2}
#: Seconds per value and per column that jobs on an own table spend with reading it, the first two
#: with checking and preparing it too; measured at 1,000,000 × 20 and 100 × 20,000.
_READING = {"table": (9e-7, 3e-4), "prepare": (2e-7, 2e-4)}
_READING |= dict.fromkeys(("select", "evaluate"), (4e-8, 5e-5))
#: What Snakemake and the process of a job take beside the start of its script.
_SNAKEMAKE = 0.3

Factor = Callable[[Variant, str], float]


@dataclass(frozen=True)
class Recorded:
    """What a method took on a data set in an earlier run, and what growth alone expects."""

    study: str
    dataset: str
    variant: Variant
    took: float
    expected: float

    @property
    def ratio(self) -> float:
        return self.expected / self.took


class Earlier:
    """Earlier runs in an output folder, of studies that the configuration still has."""

    def __init__(self, plan: Plan):
        self._plan = plan

    @cached_property
    def fits(self) -> list[Recorded]:
        batches: dict[Place, list[Path]] = {}
        for place, path in self._plan.at.batches():
            batches.setdefault(place, []).append(path)
        return [fit for place, paths in batches.items() for fit in self._fits_of(place, paths)]

    def _fits_of(self, place: Place, batches: list[Path]) -> Iterator[Recorded]:
        if place.study not in self._plan.config.study_names:
            return
        study = self._plan.study(place.study).on(place.dataset)
        about = self._plan.known(place.dataset)
        if place.dataset not in study.datasets or about is None:
            return
        entry = self._plan.entries(place.study, place.dataset).get(place.entry)
        if entry is None:
            return
        wanted = ["method", "split", "status", "cpu_seconds"]
        runs = pl.concat(pl.read_parquet(path, columns=wanted) for path in batches)
        for fit in entry.fits:
            rows = runs.filter(
                pl.col("method").is_in([v.name for v in fit]) & (pl.col("status") == "ok")
            )
            took = rows["cpu_seconds"].mean() if len(rows) else None
            if took:
                shapes = train_shapes(study, about, rows["split"].unique())
                expected = sum(n * fit_seconds(fit, s) for s, n in shapes.items()) / shapes.total()
                for variant in fit:
                    yield Recorded(place.study, place.dataset, variant, took, expected)

    @cached_property
    def _of_cells(self) -> dict[tuple, float]:
        return {_cell(r.variant, r.dataset): r.took / max(r.expected, 1e-6) for r in self.fits}

    @cached_property
    def _of_methods(self) -> dict[str, float]:
        by_use: dict[str, list[float]] = {}
        for r in self.fits:
            if r.took >= _SHORTEST:
                by_use.setdefault(r.variant.use, []).append(r.took / max(r.expected, 1e-6))
        return {use: median(ratios) for use, ratios in by_use.items()}

    def factor(self, variant: Variant, dataset: str) -> float:
        """Seconds that earlier runs took / seconds that growth expects: of the variant on the data
        set, else the median of the method's fits elsewhere, else 1.
        """
        found = self._of_cells.get(_cell(variant, dataset))
        return self._of_methods.get(variant.use, 1.0) if found is None else found

    def errors(self) -> list[str]:
        """How far growth alone is from what earlier runs took, a line for each study."""
        lines = []
        for study in dict.fromkeys(r.study for r in self.fits):
            fits = [r for r in self.fits if r.study == study and r.took >= _SHORTEST]
            if fits:
                worst = max(fits, key=lambda r: max(r.ratio, 1 / max(r.ratio, 1e-9)))
                middle = geometric_mean(max(r.ratio, 1 / r.ratio) for r in fits)
                lines.append(
                    f"  {study}: {count(len(fits), 'fit')} over {_SHORTEST} s, expected over taken "
                    f"{median(r.ratio for r in fits):.2f} (median), off by a factor of "
                    f"{middle:.1f} (mean) and at worst {max(worst.ratio, 1 / worst.ratio):.1f} "
                    f"({worst.variant.name} on {worst.dataset}: {worst.expected:.2g} s for "
                    f"{worst.took:.2g} s)"
                )
        return lines


def _cell(variant: Variant, dataset: str) -> tuple:
    return variant.use, repr(sorted(variant.params.items(), key=str)), dataset


@dataclass(frozen=True)
class Jobs:
    """The jobs of some targets, named as their logs and times are."""

    tasks: dict[str, Task]
    stages: dict[str, str]
    guessed: list[str] = field(default_factory=list)
    """Methods that nobody has measured."""
    unknown: list[str] = field(default_factory=list)
    """Own tables, whose size is not known before they are read."""


def expected_jobs(
    plan: Plan,
    target: str,
    factor: Factor = lambda variant, dataset: 1.0,
    cores: int | None = None,
) -> Jobs:
    """Every job of a target with its expected cost, and its threads on so many cores."""
    tasks, stages = {}, {}

    def add(
        stage: str, name: str, after: Iterable[str] = (), shared: float = 0.0, threads: int = 1
    ):
        alone = growth().start[stage] + _SNAKEMAKE + _BESIDE.get(stage, 0.0)
        tasks[name] = Task(alone, shared, threads, tuple(after))
        stages[name] = stage
        return name

    compared = []
    base = plan.config.continued.get(target)
    for s in plan.studies([*([base] if base else []), target]):
        measured = []
        for dataset in s.datasets:
            table = f"data/{dataset}/table"
            if table not in tasks:
                raw = plan.raw_files(dataset)
                is_fetched = raw and plan.own(dataset) is None
                before = [add("fetch", f"data/{dataset}/fetch")] if is_fetched else []
                add("table", table, before, _reading(plan, dataset, "table"))
            measured += _on_dataset(plan, s.on(dataset), dataset, add, factor, cores)
        n_cells = len(s.methods) * sum(s.on(d).n_splits(100) or 1 for d in s.datasets)
        tables = add("compare", f"{s.name}/compare", measured, n_cells * _PER_CELL["compare"])
        cost, threads = len(s.datasets) * _PER_DATASET, plan.drawing_threads(s.name, cores)
        figures = add("figures", f"{s.name}/figures", [tables], cost, threads)
        compared.append((figures, measured, n_cells))
    ends = [figures for figures, _, _ in compared]
    if plan.config.paper(target):
        measured = [name for _, names, _ in compared for name in names]
        n_cells = sum(n for _, _, n in compared)
        cost = n_cells * _PER_CELL["reproduce"]
        ends.append(add("reproduce", f"{target}/reproduce", measured, cost))
    page = "index" if [target] == list(plan.config["studies"]) else target
    add("report", f"report/{page}", ends)
    uses = {v.use for s in plan.studies([target]) for v in s.methods}
    unknown = {d for s in plan.studies([target]) for d in s.datasets if plan.own(d)}
    guessed = sorted(use for use in uses if not growth().knows(use))
    return Jobs(tasks, stages, guessed, sorted(unknown))


def _on_dataset(
    plan: Plan, s: Study, dataset: str, add, factor: Factor, cores: int | None
) -> list[str]:
    """Add the jobs of a study on one data set; the names of those that measure."""
    place, measured = f"{s.name}/{dataset}", []
    table = f"data/{dataset}/table"
    prepared = add("prepare", f"{place}/prepare", [table], _reading(plan, dataset, "prepare"))
    if plan.afforded(s.name, dataset):
        prepared = add("afford", f"{place}/afford", [prepared])
    for home, entry in plan.places(s.name, dataset):
        if home != s.name:
            measured.append(f"{home}/{dataset}/{entry}/evaluate")
    for entry in plan.entries(s.name, dataset).values():
        selected = []
        for number, batch in enumerate(plan.batches(s.name, dataset, entry.name)):
            stretches = [
                add(
                    "probe",
                    f"{place}/{entry.name}/probes-{number}-{stretch.first}-{stretch.end}",
                    [prepared],
                    stretch.seconds * factor(batch.variants[0], dataset),
                )
                for stretch in batch.stretches
            ]
            threads = plan.threads(
                s.name, plan.selection(s.name, dataset, entry.name, number), cores
            )
            selected.append(
                add(
                    "select",
                    f"{place}/{entry.name}/batch-{number}",
                    stretches or [prepared],
                    _batch_seconds(plan, s, dataset, batch, factor)
                    + _reading(plan, dataset, "select"),
                    threads,
                )
            )
        cost = plan.evaluation(s.name, dataset, entry.name)
        measured.append(
            add(
                "evaluate",
                f"{place}/{entry.name}/evaluate",
                selected,
                cost.shared + _reading(plan, dataset, "evaluate"),
                plan.threads(s.name, cost, cores),
            )
        )
    return measured


def _reading(plan: Plan, dataset: str, stage: str) -> float:
    """Seconds that a job spends with reading an own table, which may be large."""
    size = plan.sizes.get(dataset)
    if size is None:
        return 0.0
    per_value, per_column = _READING[stage]
    return per_value * size.n_rows * size.n_features + per_column * size.n_features


def _batch_seconds(plan: Plan, s: Study, dataset: str, batch: Batch, factor: Factor) -> float:
    about = plan.known(dataset)
    if about is None or batch.splits is None:
        return batch.n_fits * PER_FIT
    if batch.stretches:
        return batch.seconds
    changes = plan.changes(s.name, dataset)
    fits = [_as_changed(fit, changes) for fit in batch.fits]
    return sum(
        n * taken(s, fit_seconds(fit, shape) * factor(fit[0], dataset))
        for shape, n in train_shapes(s, about, batch.splits).items()
        for fit in fits
        if fit
    )


def _as_changed(fit: tuple[Variant, ...], changes: dict[str, Change]) -> tuple[Variant, ...]:
    """The variants of a fit as the table's size leaves them."""
    kept = [(v, changes.get(v.name, Change())) for v in fit]
    return tuple(replace(v, params=v.params | c.params) for v, c in kept if not c.skipped)


def recorded_jobs(jobs: Jobs, at: Layout) -> tuple[Jobs, int]:
    """The jobs with the seconds that they took in an earlier run, and how many have such.

    Where an entry was cut otherwise then, what its jobs took beside their start is shared out anew.
    """
    tasks, n_recorded = dict(jobs.tasks), 0
    for name, task in jobs.tasks.items():
        took = _took(at, name)
        if jobs.stages[name] != "select" and took is not None:
            tasks[name] = _as_recorded(task, took)
            n_recorded += 1
    for entry, names in _entries(jobs).items():
        took = _batches_taken(at, entry)
        if not took:
            continue
        n_recorded += len(names)
        if len(took) == len(names):
            for name, seconds in zip(names, took, strict=True):
                tasks[name] = _as_recorded(tasks[name], seconds)
            continue
        start = tasks[names[0]].alone
        work = sum(max(seconds - start, 0.0) for seconds in took)
        expected = sum(tasks[name].shared for name in names)
        for name in names:
            share = tasks[name].shared / expected if expected else 1 / len(names)
            tasks[name] = replace(tasks[name], shared=work * share)
    return replace(jobs, tasks=tasks), n_recorded


def _entries(jobs: Jobs) -> dict[str, list[str]]:
    """Names of select jobs by the study, data set and entry they belong to."""
    found: dict[str, list[str]] = {}
    for name, stage in jobs.stages.items():
        if stage == "select":
            found.setdefault(name.rpartition("/")[0], []).append(name)
    return found


def _batches_taken(at: Layout, entry: str) -> list[float]:
    took = []
    while (seconds := _took(at, f"{entry}/batch-{len(took)}")) is not None:
        took.append(seconds)
    return took


def _took(at: Layout, name: str) -> float | None:
    """Core-seconds of a job by Snakemake's own record."""
    path = Path(at.times(name))
    if not path.exists():
        return None
    with path.open() as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return float(rows[-1]["s"]) * max(1.0, float(rows[-1]["mean_load"]) / 100) if rows else None


def _as_recorded(task: Task, seconds: float) -> Task:
    alone = min(task.alone, seconds)
    return replace(task, alone=alone, shared=seconds - alone)


# For people


def report(plan: Plan, target: str, cores: int, simulate: bool) -> str:
    """What `fslib cost` prints."""
    earlier = Earlier(plan)
    jobs = expected_jobs(plan, target, earlier.factor, cores)
    lines = []
    if simulate:
        jobs, n_recorded = recorded_jobs(jobs, plan.at)
        lines.append(f"{n_recorded} of {len(jobs.tasks)} jobs with their recorded times")
    lines += table(jobs, cores)
    if jobs.guessed:
        names = ", ".join(jobs.guessed)
        lines.append(f"never measured, taken as dearer than three quarters of the methods: {names}")
    if jobs.unknown:
        lines.append(f"of unknown size, counted as start alone: {', '.join(jobs.unknown)}")
    errors = earlier.errors()
    if errors:
        lines += [f"growth alone against the runs in {plan.at.output}/:", *errors]
        lines += [error_of_jobs(plan, s) for s in dict.fromkeys(r.study for r in earlier.fits)]
    else:
        lines.append(f"no earlier runs in {plan.at.output}/: by measured growth alone")
    return "\n".join(lines)


def error_of_jobs(plan: Plan, study: str) -> str:
    """How far the expected cost of a study's jobs is from what they took, start and all."""
    expected = expected_jobs(plan, study)
    recorded, _ = recorded_jobs(expected, plan.at)
    said = []
    for stage in ("select", "evaluate"):
        names = [name for name, of in expected.stages.items() if of == stage]
        hoped, took = (sum(j.tasks[n].cpu for n in names) for j in (expected, recorded))
        said.append(f"{stage} {rough_duration(hoped)} for {rough_duration(took)}")
    return f"  {study}, whole jobs: {', '.join(said)}"


def table(jobs: Jobs, cores: int) -> list[str]:
    """Jobs and core-hours by stage, the longest chain, and the wall clock on some cores."""
    lines = [f"{'stage':<10} {'jobs':>6} {'core-hours':>11}  longest job"]
    for stage in dict.fromkeys(jobs.stages.values()):
        tasks = [task for name, task in jobs.tasks.items() if jobs.stages[name] == stage]
        hours = sum(task.cpu for task in tasks) / 3600
        longest = rough_duration(max(task.wall() for task in tasks))
        lines.append(f"{stage:<10} {len(tasks):>6} {hours:>11.2f}  {longest}")
    total = summary(jobs, cores)
    return [
        *lines,
        f"{'all':<10} {total.jobs:>6} {total.hours:>11.2f}",
        f"longest chain: {rough_duration(total.chain)}",
        f"with --cores {cores}: {rough_duration(total.wall)}, the cores taken for "
        f"{total.use:.0%} of it, {total.use_while_wide:.0%} until tables and figures are all that "
        "is left",
    ]


@dataclass(frozen=True)
class Summary:
    """The cost of some targets in a few numbers."""

    jobs: int
    hours: float
    chain: float
    wall: float
    use: float
    use_while_wide: float
    """Until the last evaluation; what follows is one job after the other on any cores."""


def summary(jobs: Jobs, cores: int) -> Summary:
    run = scheduled(jobs.tasks, cores)
    last = max(run.ends[name] for name, stage in jobs.stages.items() if stage == "evaluate")
    until = [task for name, task in jobs.tasks.items() if run.ends[name] <= last]
    return Summary(
        jobs=len(jobs.tasks),
        hours=sum(task.cpu for task in jobs.tasks.values()) / 3600,
        chain=max(ways_to_the_end(jobs.tasks).values()),
        wall=run.wall,
        use=run.use,
        use_while_wide=sum(task.cpu for task in until) / (cores * last),
    )


def rough_duration(seconds: float) -> str:
    """An estimate as people say it, in whole seconds or minutes, or in tenths of hours or days.

    >>> rough_duration(42.4), rough_duration(600), rough_duration(9000), rough_duration(400_000)
    ('42 s', '10 min', '2.5 h', '4.6 days')
    """
    for unit, size, limit in (("s", 1, 120), ("min", 60, 7200), ("h", 3600, 172_800)):
        if seconds < limit:
            return f"{seconds / size:.{1 if unit == 'h' else 0}f} {unit}"
    return f"{seconds / 86_400:.1f} days"
