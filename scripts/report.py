"""Adapter: the page of some studies."""

import fslib.run.single_thread  # noqa: F401
from fslib.report.stage import write_report
from fslib.run.script import reporting

with reporting(snakemake.log[0]):
    write_report(
        snakemake.input.tables,
        snakemake.input.figures,
        snakemake.input.reproductions,
        snakemake.input.data,
        snakemake.output[0],
        studies=snakemake.params.studies,
        seed=snakemake.params.seed,
    )
