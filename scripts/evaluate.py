"""Adapter: everything measured of one method entry on one data set."""

import fslib.run.job_start  # noqa: F401
from fslib.evaluate.stage import evaluate_entry
from fslib.run.layout import preparation_file, protected
from fslib.run.script import reporting

with reporting(snakemake.log[0]):
    evaluate_entry(
        snakemake.input.table,
        snakemake.input.splits,
        preparation_file(snakemake.input.prepared, snakemake.params.preparation),
        snakemake.input.batches,
        dict(snakemake.output.items()),
        label="/".join(snakemake.wildcards),
        code=snakemake.params.code,
        selects_before_split=snakemake.params.selects_before_split,
        limits=snakemake.config["limits"][snakemake.params.limits],
        seed=snakemake.params.seed,
        workers=snakemake.threads,
        log=snakemake.log[0],
        protected=protected(snakemake.config["output"]),
        **snakemake.params.evaluate,
    )
