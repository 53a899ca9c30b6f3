"""Adapter: a stretch of the search that the variants of an entry share on one split."""

import fslib.run.job_start  # noqa: F401
from fslib.run.layout import preparation_file, protected
from fslib.run.script import reporting
from fslib.select.fits import Job
from fslib.select.probes import probe_stretch

with reporting(snakemake.log[0]):
    probe_stretch(
        snakemake.input.table,
        snakemake.input.splits,
        [preparation_file(snakemake.input.prepared, p) for p in snakemake.params.preparations],
        snakemake.output[0],
        job=Job.of(snakemake.wildcards, snakemake.params),
        split=snakemake.params.split,
        first=int(snakemake.wildcards.first),
        end=int(snakemake.wildcards.end),
        limits=snakemake.config["limits"][snakemake.params.limits],
        log=snakemake.log[0],
        protected=protected(snakemake.config["output"]),
    )
