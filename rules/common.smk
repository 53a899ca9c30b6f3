# What all rules share: the plan they ask, and the folders they name. What a job reads, which
# settings it has and which code it runs is looked up in `plan` (fslib/config/plan.py); where a
# file lies is known by `at` (fslib/run/layout.py).
import gc
import sys
from collections import Counter
from pathlib import Path

from snakemake.exceptions import WorkflowError

from fslib.config.load import load_config
from fslib.config.plan import Plan
from fslib.run import session
from fslib.run.errors import FslibError
from fslib.run.project import INSTALLED, PROJECT
from fslib.run.script import import_from

ENVIRONMENT = PROJECT / "envs" / "fslib.yaml"
# Of this machine; None where a cluster runs the jobs, also on a node, whose job has the threads that
# it was submitted with.
CORES = None if workflow.remote_exec else workflow.resource_settings.cores

# Snakemake itself imports from beside the Snakefile; scripts must not find another copy either.
if not INSTALLED:
    import_from(PROJECT)


def asked(look_up, *arguments):
    """An answer of the plan; a mistake in a file is one message, no traceback."""
    try:
        return look_up(*arguments)
    except (FslibError, OSError, WorkflowError) as problem:
        raise WorkflowError(str(problem)) from None


def warn(line):
    """A line on standard error while planning; the processes of single jobs plan silently."""
    if workflow.is_main_process:
        print(f"fslib: warning: {line}", file=sys.stderr)


# What is imported stays until the end: no collection of garbage has to look at it, the last ones
# least of all, which would take a tenth of a run with nothing to do.
gc.freeze()

CONFIG = asked(load_config, config, [Path.cwd(), PROJECT])
plan = Plan(CONFIG, PROJECT, refusal=WorkflowError, warn=warn)
at = plan.at

# Scripts see the configuration with its defaults.
config.update(CONFIG.values)
# A mistake in what is asked for is told before anything is planned; where this workflow is a module
# of another one, the targets are that one's.
if workflow.is_main_process and Path(workflow.basedir).resolve() == PROJECT:
    asked(plan.check_targets, session.requested_targets())


wildcard_constraints:
    study="|".join(CONFIG.study_names),
    group="|".join(CONFIG.groups),
    dataset=r"[\w.-]+",
    entry=r"[\w.-]+",
    batch=r"\d+",
    first=r"\d+",
    end=r"\d+",


def jobs_by_rule(dag):
    """How many jobs of each rule will run, the targets apart."""
    return Counter(j.rule.name for j in dag.needrun_jobs() if j.rule.output)


def studies_of(dag):
    """The studies that will be worked on."""
    return {
        j.wildcards.study for j in dag.needrun_jobs() if "study" in j.wildcards.keys()
    }


def growing(amount):
    """More of a resource at each attempt: a cluster may have ended the one before for it."""
    return lambda wildcards, attempt: attempt * amount


# Of what is ready, tables and preparations go first, as they open the way for the others;
# select and evaluate jobs then have priorities by their expected cost.
OPENS_THE_WAY = 1000


# Used with `--software-deployment-method apptainer` only; None is no container.
container: CONFIG["container"]
