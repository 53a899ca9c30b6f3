"""What the rules ask: which files a job reads, which settings it has, which code it runs.

Rules name things by their wildcards; every answer here is plain data. The answers are look-ups in
a resolved study, so that a plan of thousands of jobs is made in seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import cache
from math import log2
from pathlib import Path

from fslib.config import batches as cutting
from fslib.config.afford import changes
from fslib.config.batches import Batch
from fslib.config.cost import GROWTH_FILE, growth
from fslib.config.load import Config
from fslib.config.schedule import Task
from fslib.config.study import RULES, Entry, Study, recipe_of
from fslib.data import card
from fslib.data.catalogue import Card
from fslib.evaluate.classifier import CLASSIFIERS
from fslib.evaluate.stability import STABILITY
from fslib.run.errors import FslibError
from fslib.run.fingerprint import fingerprint, module_file, numeric_versions
from fslib.run.layout import FILES, OUTCOME, Layout
from fslib.run.paper_folders import paper_code, paper_texts
from fslib.run.project import PACKAGE
from fslib.run.spelling import nearest
from fslib.select.changes import Change

#: Added to the priority of jobs whose report comes first: more than any length of a job adds.
_FIRST = 500
#: A job is given no more threads than this, however long it is expected to take.
_MOST_THREADS = 8
#: As many jobs at least run side by side, where there are as many.
_JOBS_AT_ONCE = 8


#: Scripts whose results are numbers that numpy, scipy or scikit-learn compute. For what a method
#: computes, the fingerprint of the method knows their versions.
_COMPUTING = {"prepare.py", "evaluate.py", "compare.py"}


class Plan:
    """Look-ups for the rules of a workflow.

    Parameters
    ----------
    config : checked configuration
    project : the folder that holds `scripts/`
    refusal : what a mistake in a study becomes; Snakemake shows its own error without a traceback
    warn : says a line to the person at the keyboard
    """

    def __init__(
        self,
        config: Config,
        project: Path,
        refusal: type[Exception] = FslibError,
        warn: Callable[[str], None] = lambda line: None,
    ):
        self.config, self.project, self._refusal = config, project, refusal
        self.at = Layout(config["output"])
        self.sizes: dict[str, Card] = {}
        self.study = cache(self._study)
        self.entries = cache(self._entries)
        self.batches = cache(self._batches)
        self.variants = cache(self._variants)
        self.changes = cache(self._changes)
        self.piece = cache(self._piece)
        self.evaluation = cache(self._evaluation)
        self.warn = cache(warn)  # each line once

    def _study(self, name: str) -> Study:
        try:
            return self.config.study(name)
        except FslibError as problem:
            raise self._refusal(str(problem)) from None

    def code(self, script: str, *more: Path, **facts) -> str:
        """The fingerprint of a job: it re-runs when its code changes, and only then."""
        if script in _COMPUTING:
            facts["numerics"] = numeric_versions()
        return fingerprint(self.project / "scripts" / script, *more, **facts)

    # Targets

    def parts(self, name: str) -> list[str]:
        """The studies that a target stands for: itself, or the parts of its file."""
        return self.config.groups.get(name, [name])

    def studies(self, names: Iterable[str]) -> list[Study]:
        return [self.study(part) for name in names for part in self.parts(name)]

    def check_targets(self, targets: Iterable[str]) -> None:
        """Refuse a study that does not exist, has a mistake or has no table; what is not asked for
        may be so.

        Targets are studies, rules or files; Snakemake passes none for the default.
        """
        targets = [str(target) for target in targets]
        known = self.config.targets
        for target in targets:
            if target not in known and target not in RULES and not _names_a_file(target):
                raise self._refusal(f"unknown target {target!r}{nearest(target, known)}")
        asked = [t for t in targets if t in known] if targets else self.config["studies"]
        for study in self.studies(asked):
            missing = [d for d in study.datasets if self._is_missing(d)]
            if missing and len(missing) == len(study.datasets):
                path = self.own(missing[0])["path"]
                raise self._refusal(f"{path}: no such file (datasets.{missing[0]}.path)")

    def finished(self, names: list[str]) -> list[str]:
        """What has to exist when the targets are done."""
        default = list(names) == list(self.config["studies"])
        parts = [part for name in names for part in self.parts(name)]
        strict = [self.at.strict(part) for part in parts if self.config["strict"]]
        return [self.at.page("index" if default else "-".join(names)), *strict]

    def urgency(self, study: str) -> int:
        """Priority of all jobs of a study that another one continues: its report comes first."""
        return _FIRST if study in self.config.continued.values() else 0

    # Data

    def known(self, dataset: str) -> Card | None:
        """What the registry says of a data set; of an own table only what somebody has measured."""
        return self.sizes.get(dataset) if self.own(dataset) else card(dataset)

    def own(self, dataset: str) -> dict | None:
        """A table of the person at the keyboard, as `config.yaml` describes it."""
        return self.config["datasets"].get(dataset)

    def raw_files(self, dataset: str) -> str | list:
        """What a table is read from: an own file, the list of fetched files, or nothing."""
        if self._is_missing(dataset):
            # As an input that is not there it would have Snakemake take any report for up to date.
            self.warn(f"{self.own(dataset)['path']}: no such file; the other tables are run alone")
            return []
        if self.own(dataset):
            return self.own(dataset)["path"]
        made_here = card(dataset).kind in ("embedded", "generated")
        return [] if made_here else self.at.fetched(dataset)

    def _is_missing(self, dataset: str) -> bool:
        return bool(self.own(dataset)) and not Path(self.own(dataset)["path"]).exists()

    def raw_hashes(self, dataset: str) -> list[tuple[str, str]]:
        return [(file.name, file.sha256) for file in card(dataset).files]

    def table_facts(self, dataset: str) -> dict:
        return self.own(dataset) or asdict(card(dataset))

    def table_code(self, dataset: str) -> str:
        """Fingerprint of the code that reads or generates this very data set."""
        if self.own(dataset):
            return self.code("table.py")
        reader = card(dataset).reader.partition(":")[0]
        return self.code("table.py", module_file(f"fslib.data.{reader}"))

    # Select

    def scheme(self, study: str, dataset: str) -> dict:
        """How the rows of a data set are divided."""
        return self.study(study).on(dataset).splits

    def _entries(self, study: str, dataset: str) -> dict[str, Entry]:
        """The entries of a study as the jobs of a data set have them: cheap ones are one."""
        about = None if self.own(dataset) else self.known(dataset)
        return cutting.gathered(self.study(study).on(dataset), about)

    def places(self, study: str, dataset: str) -> list[tuple[str, str]]:
        """The entries that measure the methods of a study on a data set, and whose jobs they are:
        those of the study that it continues, if any, and its own."""
        return [
            (home, entry) for home in self._homes(study) for entry in self.entries(home, dataset)
        ]

    def _homes(self, study: str) -> list[str]:
        """The studies that run the entries of a study: those that it continues, and itself."""
        return list(dict.fromkeys([*self.study(study).homes.values(), study]))

    # Afford

    def minutes(self, study: str) -> float | None:
        """What all fits of a study on one table may be expected to take; None is no bound."""
        return self.study(study).budget.get("minutes")

    def fits(self, study: str, dataset: str) -> list[list[dict]]:
        """The variants that a study runs on a data set, by the fit that they share."""
        entries = self.entries(study, dataset).values()
        return [[asdict(variant) for variant in fit] for entry in entries for fit in entry.fits]

    def afforded(self, study: str, *datasets: str) -> list[str]:
        """What the sizes of data sets change, of all where none is named; nothing without bound."""
        if self.minutes(study) is None:
            return []
        return [self.at.afforded(study, d) for d in datasets or self.study(study).datasets]

    def all_afforded(self, study: str) -> list[str]:
        """The same of every study that runs entries of this one, each with all data sets."""
        return [path for home in self._homes(study) for path in self.afforded(home)]

    def _changes(self, study: str, dataset: str) -> dict[str, Change]:
        """What the size of a data set will change of the methods, where the size is known."""
        about, minutes = self.known(dataset), self.minutes(study)
        if about is None or minutes is None:
            return {}
        s = self.study(study).on(dataset)
        shapes = cutting.train_shapes(s, about, s.split_numbers(about.n_rows))
        return changes(self.fits(study, dataset), shapes, minutes)

    def afford_code(self) -> str:
        return self.code("afford.py", GROWTH_FILE)

    def _piece(self, study: str) -> float:
        tables = {dataset: self.known(dataset) for dataset in self.study(study).datasets}
        return cutting.piece(self.study(study), tables)

    def _batches(self, study: str, dataset: str, entry: str) -> list[Batch]:
        """The select jobs of an entry on a data set."""
        s, fitted = self.study(study).on(dataset), self.entries(study, dataset)[entry]
        return cutting.cut(s, fitted, self.known(dataset), self.piece(study))

    def batch(self, study: str, dataset: str, entry: str, number: int | str) -> Batch:
        return self.batches(study, dataset, entry)[int(number)]

    def _variants(self, study: str, dataset: str, entry: str, number: int | str) -> list[dict]:
        """The variants of a batch as plain data."""
        return [asdict(variant) for variant in self.batch(study, dataset, entry, number).variants]

    def batch_files(self, study: str, dataset: str, entry: str) -> list[str]:
        count = len(self.batches(study, dataset, entry))
        return [self.at.batch(study, dataset, entry, number) for number in range(count)]

    def probe_files(self, study: str, dataset: str, entry: str, number: int | str) -> list[str]:
        """The stretches that the search of a batch is cut into; most are not."""
        return [
            self.at.probes(study, dataset, entry, f"{number}-{stretch.first}-{stretch.end}")
            for stretch in self.batch(study, dataset, entry, number).stretches
        ]

    def selection_code(self) -> str:
        """Fingerprint of what fits and what evaluates probes: values are kept by one of both."""
        return self.code("select.py", self.project / "scripts" / "probe.py")

    def select_minutes(
        self, study: str, dataset: str, entry: str, number: int | str, threads: int, attempt: int
    ) -> int:
        """An upper bound by the study's limits, so that our limit strikes before the cluster's."""
        s = self.study(study)
        needed = cutting.minutes(s, self.batch(study, dataset, entry, number), threads)
        if needed > s.job_minutes:
            self.warn(
                f"{study}: select jobs ask for {needed} minutes, more than job_minutes: "
                f"{s.job_minutes}, as one fit may take {s.budget['seconds']:g} s (limits: "
                f"{s.limits}); a cluster may keep them waiting"
            )
        return self._growing(study, needed, attempt)

    def _growing(self, study: str, needed: int, attempt: int) -> int:
        """More time at each attempt, as a cluster may have ended the last one; within the cap."""
        return max(needed, min(attempt * needed, self.study(study).job_minutes))

    def memory(self, study: str, threads: int) -> int:
        """Megabytes for as many fits or evaluations at once as there are threads."""
        return 1000 + int(threads * self.study(study).budget["memory_mb"])

    def selection(self, study: str, dataset: str, entry: str, number: int | str) -> Task:
        """What a select job is expected to cost, and the threads that it can use."""
        batch = self.batch(study, dataset, entry, number)
        return self._task("select", study, batch.seconds, batch.n_fits)

    def _task(self, rule: str, study: str, work: float, n_parts: int) -> Task:
        """A job of so many seconds, with a thread for every piece of them."""
        pieces = -(-int(work) // int(self.piece(study)))
        threads = max(self.study(study).threads, min(pieces, n_parts, _MOST_THREADS))
        return Task(growth().start[rule], work, threads)

    def threads(self, study: str, job: Task, cores: int | None) -> int:
        """The threads that a job is given: an eighth of the machine at most.

        So one job starts, which a single core does, while others work. On a cluster, where
        ``cores`` is None, nodes may be small: a thread has as much to do there as a short job.
        """
        most = int(job.shared // cutting.SHORT) if cores is None else cores // _JOBS_AT_ONCE
        return max(self.study(study).threads, min(job.threads, most))

    def select_priority(self, study: str, dataset: str, entry: str, number: int | str) -> int:
        """Long jobs first, counting the evaluation that waits for them."""
        selection = self.batch(study, dataset, entry, number).seconds
        evaluation = self.evaluation(study, dataset, entry).wall()
        return self.urgency(study) + _priority(selection + evaluation)

    def probe_priority(self, study: str, dataset: str, entry: str, number: int | str) -> int:
        """As for the select job that waits for the stretches, and theirs on top."""
        longest = max(s.seconds for s in self.batch(study, dataset, entry, number).stretches)
        return self.select_priority(study, dataset, entry, number) + _priority(longest)

    # Evaluate

    def _evaluation(self, study: str, dataset: str, entry: str) -> Task:
        """What the measures of an entry on a data set are expected to cost, and its threads."""
        s, about = self.study(study).on(dataset), self.known(dataset)
        if about is None:
            return self._task("evaluate", study, 0.0, 1)
        work = cutting.evaluation_seconds(s, self.entries(study, dataset)[entry], about)
        return self._task("evaluate", study, work, s.n_splits(about.n_rows))

    def evaluate_minutes(self, study: str, dataset: str, entry: str, attempt: int) -> int:
        """Four hours, or four times what is expected; within the cap."""
        expected = 4 * self.evaluation(study, dataset, entry).wall() / 60
        needed = min(max(240, int(expected)), self.study(study).job_minutes)
        return self._growing(study, needed, attempt)

    def evaluate_priority(self, study: str, dataset: str, entry: str) -> int:
        return self.urgency(study) + _priority(self.evaluation(study, dataset, entry).wall())

    def evaluation_code(self, study: str) -> str:
        """Fingerprint of the evaluation with the classifiers and measures that the study names."""
        asked = self.study(study).evaluate
        foreign = [
            recipe_of(c).fingerprint() for c in asked["classifiers"] if not isinstance(c, str)
        ]
        modules = [STABILITY[name].of_rankings for name in asked["stability"]]
        return self.code(
            "evaluate.py",
            *(CLASSIFIERS.source(c) for c in asked["classifiers"] if isinstance(c, str)),
            *(module_file(module) for module in modules if module),
            **({"classifiers": foreign} if foreign else {}),
        )

    # Compare, reproduce, report

    def drawing_threads(self, study: str, cores: int | None) -> int:
        """The threads that draw figures: all of a machine, as little else is left to do by then.

        One on a cluster, where ``cores`` is None and nodes may be small; and one where another
        study goes on, whose jobs never leave all cores free at once.
        """
        return 1 if self.urgency(study) else min(cores or 1, _MOST_THREADS)

    def measured(self, target: str) -> dict[str, list[str]]:
        """Every file of the evaluate stage of a study, or of all parts of a study file, by kind."""
        places = [
            self.at.measured(home, dataset, entry)
            for s in self.studies([target])
            for dataset in s.datasets
            for home, entry in self.places(s.name, dataset)
        ]
        return {kind: [files[kind] for files in places] for kind in FILES}

    def leftovers(self, studies: Iterable[str]) -> list[Path]:
        """Measures that a reader of all files would count twice: of entries that are gone, or that
        have come to share a job, or no longer do."""
        return [
            path
            for study in studies
            for place, path in self.at.measures(study)
            if place.dataset in self.study(study).datasets
            and place.entry not in self.entries(study, place.dataset)
        ]

    def splits_of(self, names: Iterable[str]) -> list[str]:
        """The splits of some targets."""
        return [
            self.at.splits(s.name, dataset) for s in self.studies(names) for dataset in s.datasets
        ]

    def tables_of(self, names: Iterable[str]) -> list[str]:
        """The data sets of some targets, each once."""
        datasets = dict.fromkeys(d for s in self.studies(names) for d in s.datasets)
        return [self.at.table(dataset) for dataset in datasets]

    def paper_texts(self, group: str) -> list[str]:
        """The paper's claims and cells; relative to the working folder where possible."""
        texts = paper_texts(self.config.paper_folder(group))
        here = Path.cwd()
        return [str(t.relative_to(here) if t.is_relative_to(here) else t) for t in texts]

    def reproduced_from(self, group: str, parts: list[str] | None = None) -> dict[str, list[str]]:
        """What the reproduce stage reads of all parts of a study file, or of some of them."""
        parts = self.parts(group) if parts is None else parts
        measured = [self.measured(part) for part in parts]
        return {kind: [path for files in measured for path in files[kind]] for kind in FILES} | {
            "data": self.tables_of(parts),
            "splits": self.splits_of(parts),
            "paper": self.paper_texts(group),
        }

    def paper_code(self, group: str) -> str:
        return self.code("reproduce.py", *paper_code(self.config.paper_folder(group)))

    def on_page(self, page: str) -> list[str]:
        """The targets that a page shows."""
        return self.config["studies"] if page == "index" else [page]

    def papers_on_page(self, page: str) -> list[str]:
        """The study files on a page that have a paper."""
        return [name for name in self.on_page(page) if self.config.paper(name)]

    def page_inputs(self, page: str) -> list[str]:
        """All that a page lays out; the page of a study that it continues comes before it."""
        names = self.on_page(page)
        before = [self.at.page(base) for name in names if (base := self.config.continued.get(name))]
        compared = [
            path
            for s in self.studies(names)
            for path in (*self.at.tables(s.name).values(), self.at.figures(s.name))
        ]
        outcomes = [
            self.at.outcome(group, name) for group in self.papers_on_page(page) for name in OUTCOME
        ]
        return [*compared, *outcomes, *self.tables_of(names), *before]

    def page_code(self) -> str:
        """Fingerprint of the page's layout, its templates byte by byte."""
        templates = sorted(PACKAGE.glob("report/templates/**/*.*"))
        return self.code("report.py", *templates)


def _names_a_file(target: str) -> bool:
    return "/" in target or "." in target or Path(target).exists()


def _priority(seconds: float) -> int:
    """On a short scale, ten steps for twice the time: Snakemake's solver weighs priorities."""
    return round(10 * log2(1 + seconds))
