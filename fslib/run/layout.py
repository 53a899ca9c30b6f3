"""Where every artefact lies below the output folder, and how splits are numbered.

Nobody else spells a path: rules ask with wildcards (``at.splits("{study}", "{dataset}")``),
programs with names, and both get the same files.

    data/<dataset>/{fetched.json,table.parquet}
    <study>/<dataset>/splits.parquet            <study>/<dataset>/prepared/<preparation>.parquet
    <study>/<dataset>/afforded.json             (of studies whose `limits` have `minutes`)
    <study>/<dataset>/<entry>/batch-<b>.parquet → {selections,runs,accuracy,…}.parquet
                                                (`shared` stands for all entries that are cheap)
    <study>/<dataset>/<entry>/probes-<b>-<first>-<end>.parquet, where a search is too long for a job
    <study>/ledger.parquet                      <study>/tables/<table>.{parquet,csv}
    <study>/figures.json, figures/*.svg         <study>/reproduction/…
    report/<page>.html                          logs/…  benchmarks/…  code/…
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

#: The files of one (data set, method entry), in the order the evaluate stage writes them.
FILES = ("selections", "runs", "accuracy", "unmeasured", "stability", "recovery", "facts")

#: The tables of one study, in the order the compare stage makes them.
TABLES = (
    "ledger",
    "methods",
    "curves",
    "answers",
    "scores",
    "ranks",
    "friedman",
    "pairs",
    "cost",
    "recovery",
    "stability",
    "recommendation",
    "by_classifier",
    "equivalent_sets",
    "selected_features",
    "consensus",
    "fewer_features",
    "interchangeable",
    "notes",
)

#: What becomes of a paper: published cells with ours, claims with verdicts, what was found beside
#: them, who wrote it.
OUTCOME = ("cells.parquet", "claims.parquet", "findings.json", "paper.json", "figures.json")

#: Names that belong to folders here and would be written over.
TAKEN = {
    "study": {"data", "logs", "benchmarks", "code", "report"},
    "data set": {"tables", "figures", "reproduction"},
    "method": {"prepared", "shared"},
}

#: The folder of all entries that are cheap on a data set: they share its jobs.
SHARED = "shared"

#: The refit on all rows that a practitioner gets; it has no test rows.
REFIT = -1


def split_numbers(n_splits: int, *, refit: bool, before_split: bool) -> list[int]:
    """Numbers of the splits that methods are fitted on, the refit last.

    Features that are selected before splitting are selected once, on all rows.

    >>> split_numbers(3, refit=True, before_split=False)
    [0, 1, 2, -1]
    """
    return [REFIT] if before_split else [*range(n_splits), *[REFIT] * refit]


def batched(numbers: list[int], size: int) -> list[list[int]]:
    """Split numbers job by job, at most ``size`` each and evenly: the last job is no leftover.

    >>> batched([0, 1, 2, 3, -1], 3)
    [[0, 1, 2], [3, -1]]
    """
    count = -(-len(numbers) // size)
    edges = [-(-len(numbers) * i // count) for i in range(count + 1)]
    return [numbers[first:end] for first, end in pairwise(edges)]


def protected(output: str) -> tuple[str, ...]:
    """What a fit has no business to change: all results, and Snakemake's notes on them."""
    return output, ".snakemake"


def preparation_file(prepared: str | Path, preparation: str) -> str:
    """The file of one preparation, in the folder of all or beside the list of all."""
    return f"{str(prepared).removesuffix('.json')}/{preparation}.parquet"


class Place(NamedTuple):
    """The study, data set and method entry that a file belongs to."""

    study: str
    dataset: str
    entry: str


def place_of(path: str | Path) -> Place:
    """What a file of the select or evaluate stage belongs to."""
    return Place(*Path(path).parts[-4:-1])


@dataclass(frozen=True)
class Layout:
    """The artefacts below one output folder."""

    output: str

    def table(self, dataset: str) -> str:
        return f"{self.output}/data/{dataset}/table.parquet"

    def fetched(self, dataset: str) -> str:
        """The list of a data set's raw files and their hashes."""
        return f"{self.output}/data/{dataset}/fetched.json"

    def splits(self, study: str, dataset: str) -> str:
        return f"{self.output}/{study}/{dataset}/splits.parquet"

    def prepared(self, study: str, dataset: str) -> str:
        """The folder of what every preparation of a study learned on a data set."""
        return f"{self.output}/{study}/{dataset}/prepared"

    def preparations(self, study: str, dataset: str) -> str:
        """The list of those preparations with their digests; folders have only times to compare."""
        return f"{self.prepared(study, dataset)}.json"

    def afforded(self, study: str, dataset: str) -> str:
        """What a study with bounded minutes will take on a data set, and which methods it makes
        shorter or skips."""
        return f"{self.output}/{study}/{dataset}/afforded.json"

    def batch(self, study: str, dataset: str, entry: str, number: int | str) -> str:
        return f"{self.output}/{study}/{dataset}/{entry}/batch-{number}.parquet"

    def probes(self, study: str, dataset: str, entry: str, stretch: str) -> str:
        """A stretch of a search: number of its batch, first probe, the one after its last."""
        return f"{self.output}/{study}/{dataset}/{entry}/probes-{stretch}.parquet"

    def measured(self, study: str, dataset: str, entry: str) -> dict[str, str]:
        """What the evaluate stage writes, by kind."""
        return {kind: f"{self.output}/{study}/{dataset}/{entry}/{kind}.parquet" for kind in FILES}

    def ledger(self, study: str) -> str:
        return f"{self.output}/{study}/ledger.parquet"

    def tables(self, study: str) -> dict[str, str]:
        """What the compare stage writes, by name; the ledger stands above the others."""
        folder = f"{self.output}/{study}/tables"
        return {name: f"{folder}/{name}.parquet" for name in TABLES} | {
            "ledger": self.ledger(study)
        }

    def selected_features(self, study: str) -> str:
        """The recommended features as a file that any program reads."""
        return f"{self.output}/{study}/tables/selected_features.csv"

    def figures(self, study: str) -> str:
        """The list of a study's figures; they lie in the folder of its name beside it."""
        return f"{self.output}/{study}/figures.json"

    def figure_folder(self, study: str) -> str:
        return f"{self.output}/{study}/figures"

    def outcome(self, group: str, name: str) -> str:
        """One of the files of `OUTCOME` for the paper of a study file."""
        return f"{self.output}/{group}/reproduction/{name}"

    def strict(self, study: str) -> str:
        return f"{self.output}/{study}/strict.txt"

    def page(self, name: str) -> str:
        return f"{self.output}/report/{name}.html"

    def log(self, job: str) -> str:
        return f"{self.output}/logs/{job}.log"

    def times(self, job: str) -> str:
        """Snakemake's record of what a job took."""
        return f"{self.output}/benchmarks/{job}.tsv"

    def code(self, fingerprint: str) -> Path:
        """What a fingerprint covers, so that a change can be named later."""
        return Path(self.output, "code", f"{fingerprint}.json")

    # What is there

    def ledgers(self) -> dict[str, Path]:
        """Ledgers of finished studies by the study's name."""
        return {
            path.parent.name: path for path in sorted(Path(self.output).glob("*/ledger.parquet"))
        }

    def batches(self, study: str | None = None) -> Iterator[tuple[Place, Path]]:
        """Batch files of one or all studies, and what they belong to."""
        return self._of_entries("batch-*", study)

    def stretches(self, study: str | None = None) -> Iterator[tuple[Place, Path]]:
        """Files of probes of one or all studies, and what they belong to."""
        return self._of_entries("probes-*", study)

    def measures(self, study: str) -> Iterator[tuple[Place, Path]]:
        """Every file of the evaluate stage of a study, and what it belongs to."""
        for kind in FILES:
            yield from self._of_entries(kind, study)

    def unmeasured(self, study: str | None = None) -> Iterator[tuple[Place, Path]]:
        """What the evaluate stage could not measure, of one or all studies."""
        return self._of_entries("unmeasured", study)

    def _of_entries(self, name: str, study: str | None) -> Iterator[tuple[Place, Path]]:
        for path in sorted(Path(self.output).glob(f"{study or '*'}/*/*/{name}.parquet")):
            yield place_of(path), path

    def pages(self) -> list[Path]:
        return sorted(Path(self.output, "report").glob("*.html"))

    def logs(self) -> list[Path]:
        return sorted(Path(self.output, "logs").rglob("*.log"))

    def times_of(self, study: str) -> Iterable[Path]:
        return Path(self.output, "benchmarks", study).rglob("*.tsv")
