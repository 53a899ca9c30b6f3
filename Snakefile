# Feature-selection benchmark: data -> prepare -> select -> evaluate -> compare -> report.
# `snakemake --cores 8` runs the studies of config.yaml; `snakemake --cores 8 NAME` runs one study.
from pathlib import Path

from snakemake.utils import min_version

from fslib.run.project import PROJECT

min_version("9.0")


# A folder without a config.yaml has the project's.
configfile: "config.yaml" if Path("config.yaml").exists() else str(PROJECT / "config.yaml")


include: "rules/common.smk"


rule all:
    default_target: True
    input:
        plan.finished(CONFIG["studies"]),


for name in CONFIG.targets:

    rule:
        name:
            name
        input:
            plan.finished([name]),


include: "rules/data.smk"
include: "rules/prepare.smk"
include: "rules/select.smk"
include: "rules/evaluate.smk"
include: "rules/compare.smk"
include: "rules/reproduce.smk"
include: "rules/report.smk"


onstart:
    asked(
        session.begin,
        at,
        jobs_by_rule(workflow.dag),
        plan.leftovers(studies_of(workflow.dag)),
        workflow.executor_settings,
        workflow.scheduler,
    )


onsuccess:
    session.end(at)


onerror:
    session.end(at)
