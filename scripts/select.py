"""Adapter: one method entry on one batch of splits."""

import fslib.run.job_start  # noqa: F401
from fslib.run.layout import preparation_file, protected
from fslib.run.script import reporting
from fslib.select.fits import Job
from fslib.select.stage import select_batch

with reporting(snakemake.log[0]):
    select_batch(
        snakemake.input.table,
        snakemake.input.splits,
        [preparation_file(snakemake.input.prepared, p) for p in snakemake.params.preparations],
        snakemake.output[0],
        job=Job.of(snakemake.wildcards, snakemake.params),
        batch=snakemake.params.splits,
        probes=snakemake.input.probes,
        limits=snakemake.config["limits"][snakemake.params.limits],
        workers=snakemake.threads,
        log=snakemake.log[0],
        protected=protected(snakemake.config["output"]),
        afforded=snakemake.input.afforded,
    )
