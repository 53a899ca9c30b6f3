# Names and look-ups that the rules share. Rules say what is made from what; everything they
# need to know about a study comes through these functions.
import os
import sys
from functools import lru_cache
from pathlib import Path

from snakemake.exceptions import WorkflowError

from fslib.config.load import load_config
from fslib.errors import FslibError
from fslib.fingerprint import fingerprint
from fslib.prepare.steps import preparation_name

PROJECT = Path(workflow.basedir)
SCRIPTS = PROJECT / "scripts"
ENVIRONMENT = PROJECT / "envs" / "fslib.yaml"

# Snakemake itself imports from beside the Snakefile; scripts must not find another copy either.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(PROJECT), *filter(None, [os.environ.get("PYTHONPATH")])]
)


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


for name in CONFIG["studies"]:
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
    strict = [f"{OUT}/{name}/strict.txt" for name in studies if CONFIG["strict"]]
    return [page(studies), *strict]


def print_summary():
    """The last lines a person sees: how the cells ended and where the report is."""
    from fslib.status import summary

    print(summary(OUT), file=sys.stderr)
