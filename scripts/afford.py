"""Adapter: which methods a table is too large for."""

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
        minutes=snakemake.params.minutes,
    )
