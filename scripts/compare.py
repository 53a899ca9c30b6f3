"""Adapter: the tables of a study."""

import fslib.run.job_start  # noqa: F401
from fslib.compare.stage import write_tables
from fslib.run.script import reporting

with reporting(snakemake.log[0]):
    write_tables(
        dict(snakemake.input.items()),
        dict(snakemake.output.items()),
        datasets=snakemake.params.datasets,
        judge_by=snakemake.params.judge_by,
    )
