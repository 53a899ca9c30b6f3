"""Adapter: the page of some studies."""

import fslib.run.job_start  # noqa: F401
from fslib.report.stage import write_report
from fslib.run.layout import Layout
from fslib.run.script import reporting

with reporting(snakemake.log[0]):
    write_report(
        Layout(snakemake.config["output"]),
        snakemake.output[0],
        studies=snakemake.params.studies,
        papers=snakemake.params.papers,
        seed=snakemake.params.seed,
    )
