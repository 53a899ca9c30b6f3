"""Adapter: what a study takes on a table, and which methods the table is too large for."""

import fslib.run.job_start  # noqa: F401
from fslib.config.afford import write_afforded
from fslib.run.script import reporting

with reporting(snakemake.log[0]):
    write_afforded(
        snakemake.input.table,
        snakemake.input.splits,
        snakemake.output[0],
        study=snakemake.wildcards.study,
        fits=snakemake.params.fits,
        evaluate=snakemake.params.evaluate,
        minutes=snakemake.params.minutes,
    )
