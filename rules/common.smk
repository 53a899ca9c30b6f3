# Names and look-ups that the rules share. Rules say what is made from what; everything they
# need to know about a study comes through these functions.
import signal
import sys
import time
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path

from snakemake.exceptions import WorkflowError

from fslib.compare.tables import TABLES
from fslib.config.load import load_config
from fslib.data import card as data_card
from fslib.run.errors import FslibError
from fslib.run.layout import FILES
from fslib.run.fingerprint import fingerprint
from fslib.run.paper_folders import paper_code, paper_texts
from fslib.run.script import import_from

PROJECT = Path(workflow.basedir)
SCRIPTS = PROJECT / "scripts"
ENVIRONMENT = PROJECT / "envs" / "fslib.yaml"
TEMPLATES = sorted((PROJECT / "fslib" / "report" / "templates").iterdir())

# Snakemake itself imports from beside the Snakefile; scripts must not find another copy either.
import_from(PROJECT)


def refused(problem):
    """A mistake of the person at the keyboard: one message, no traceback."""
    return WorkflowError(str(problem))


try:
    CONFIG = load_config(config, folders=[Path.cwd(), PROJECT])
except FslibError as problem:
    raise refused(problem) from None

# Scripts see the configuration with its defaults.
config.update(CONFIG.values)

OUT = CONFIG["output"]
LOGS = f"{OUT}/logs"
TIMES = f"{OUT}/benchmarks"


wildcard_constraints:
    study="|".join(CONFIG.study_names),
    group="|".join(CONFIG.groups),
    dataset=r"[\w.-]+",
    entry=r"[\w.-]+",
    preparation=r"[a-z0-9-]+",
    batch=r"\d+",


@lru_cache(maxsize=None)
def study(name):
    try:
        return CONFIG.study(name)
    except FslibError as problem:
        raise refused(problem) from None


def studies_of(name):
    """What a study file stands for: one study, or its parts."""
    return CONFIG.groups.get(name, [name])


for name in [s for group in CONFIG["studies"] for s in studies_of(group)]:
    study(name)


def code(script, *more, **facts):
    """The fingerprint a job carries, so that it re-runs when its code changes, and only then."""
    return fingerprint(SCRIPTS / script, *more, **facts)


def page(studies):
    """The report of some studies: index.html for those of config.yaml, else named after them."""
    name = "index" if list(studies) == list(CONFIG["studies"]) else "-".join(studies)
    return f"{OUT}/report/{name}.html"


def finished(studies):
    """What has to exist when the studies are done."""
    strict = [
        f"{OUT}/{name}/strict.txt"
        for group in studies
        for name in studies_of(group)
        if CONFIG["strict"]
    ]
    return [page(studies), *strict]


# Data


def own_or_entry(name):
    own = CONFIG["datasets"].get(name)
    return own or asdict(data_card(name))


def raw_files(wildcards):
    """What a table is read from: an own file, the list of fetched files, or nothing."""
    own = CONFIG["datasets"].get(wildcards.dataset)
    if own:
        return own["path"]
    if data_card(wildcards.dataset).kind in ("embedded", "generated"):
        return []
    return f"{OUT}/data/{wildcards.dataset}/fetched.json"


def reader_code(wildcards):
    """Fingerprint of the code that reads or generates this very data set."""
    if wildcards.dataset in CONFIG["datasets"]:
        return code("table.py")
    reader = data_card(wildcards.dataset).reader.partition(":")[0].replace(".", "/")
    return code("table.py", PROJECT / "fslib" / "data" / f"{reader}.py")


# Prepare


def splits_if_within(wildcards):
    if study(wildcards.study).within_split:
        return f"{OUT}/{wildcards.study}/{wildcards.dataset}/splits.parquet"
    return []


# Select


def prepared(study_name, dataset, preparations):
    folder = f"{OUT}/{study_name}/{dataset}/prepared"
    return [f"{folder}/{preparation}.parquet" for preparation in preparations]


def split_numbers(study_name, dataset):
    """Numbers of all splits, the refit last; None where only the data can tell."""
    s = study(study_name)
    if s.selects_before_split:
        return [-1]
    n_splits = s.n_splits
    if n_splits is None:
        if dataset in CONFIG["datasets"]:
            return None
        n_splits = data_card(dataset).n_rows
    return [*range(n_splits), *([-1] if s.final else [])]


def batch_splits(wildcards):
    numbers = split_numbers(wildcards.study, wildcards.dataset)
    size = study(wildcards.study).batch
    start = int(wildcards.batch) * size
    return None if numbers is None else numbers[start : start + size]


def batches(wildcards):
    """All batch files of one (study, data set, entry)."""
    numbers = split_numbers(wildcards.study, wildcards.dataset)
    size = study(wildcards.study).batch
    count = 1 if numbers is None else -(-len(numbers) // size)
    folder = f"{OUT}/{wildcards.study}/{wildcards.dataset}/{wildcards.entry}"
    return [f"{folder}/batch-{b}.parquet" for b in range(count)]


@lru_cache(maxsize=None)
def plain_variants(study_name, entry):
    """The variants of an entry as plain data, made once: thousands of batches share them."""
    return [asdict(variant) for variant in study(study_name).entries[entry].variants]


def select_minutes(wildcards, threads, attempt):
    """An upper bound by the study's limits, so that our limit strikes before the cluster's."""
    s = study(wildcards.study)
    fits = s.batch * len(s.entries[wildcards.entry].variants)
    return attempt * (5 + -(-int(fits * s.budget["seconds"]) // (60 * threads)))


def select_memory(wildcards, threads, attempt):
    return attempt * (1000 + int(threads * study(wildcards.study).budget["memory_mb"]))


def growing(amount):
    """More of a resource at each attempt: a cluster may have ended the one before for it."""
    return lambda wildcards, attempt: attempt * amount


# Compare


def measured(wildcards):
    """Every file of the evaluate stage of a study, by kind."""
    s = study(wildcards.study)
    return {
        name: [
            f"{OUT}/{s.name}/{dataset}/{entry}/{name}.parquet"
            for dataset in s.datasets
            for entry in s.entries
        ]
        for name in FILES
    }


def splits_of_study(wildcards):
    s = study(wildcards.study)
    return [f"{OUT}/{s.name}/{dataset}/splits.parquet" for dataset in s.datasets]


def table_files(name):
    """All tables of a study; the ledger stands above the others, for `fslib retry`."""
    tables = [f"{OUT}/{name}/tables/{table}.parquet" for table in TABLES[1:]]
    return [f"{OUT}/{name}/ledger.parquet", *tables]


# Reproduce


def texts_of_paper(group):
    """Claims and cells, by paths that stay the same where the working folder is moved."""
    texts = paper_texts(CONFIG.paper_folder(group))
    here = Path.cwd()
    return [str(p.relative_to(here) if p.is_relative_to(here) else p) for p in texts]


def measured_in_group(wildcards):
    """Every file of the evaluate stage of all parts of a study, by kind."""
    return {
        name: [
            f"{OUT}/{s.name}/{dataset}/{entry}/{name}.parquet"
            for s in map(study, studies_of(wildcards.group))
            for dataset in s.datasets
            for entry in s.entries
        ]
        for name in FILES
    }


def tables_of_group(wildcards):
    names = {
        d: None for s in map(study, studies_of(wildcards.group)) for d in s.datasets
    }
    return [f"{OUT}/data/{dataset}/table.parquet" for dataset in names]


# Report


def study_facts(name):
    s = study(name)
    return {
        "name": s.name,
        "title": s.title,
        "part": s.part.replace("_", " "),
        "description": s.description,
        "datasets": list(s.datasets),
        "configuration": s.text,
    }


def groups_of_page(wildcards):
    return CONFIG["studies"] if wildcards.page == "index" else [wildcards.page]


def reproductions_of_page(wildcards):
    """What the reproduce stage made for the page's studies that have a paper."""
    return [
        f"{OUT}/{group}/reproduction/{name}"
        for group in groups_of_page(wildcards)
        if CONFIG.paper(group)
        for name in ("cells.parquet", "claims.parquet", "paper.json", "figures.json")
    ]


def studies_of_page(wildcards):
    return [name for group in groups_of_page(wildcards) for name in studies_of(group)]


def claim_output():
    """Refuse to write where another run writes."""
    from fslib.run.lock import hold

    try:
        hold(OUT)
    except (FslibError, OSError) as problem:
        raise refused(problem) from None


def pass_interrupts_on():
    """End the jobs too when only this process is interrupted, not the whole terminal's group."""
    import psutil

    def interrupt(number, frame):
        time.sleep(1)  # those that ctrl-c has reached end by themselves
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                process.send_signal(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)


def print_summary():
    """The last lines a person sees: how the cells ended and where the report is."""
    from fslib.run.status import summary

    try:
        print(summary(OUT), file=sys.stderr)
    except FslibError as problem:
        print(problem, file=sys.stderr)
