"""Adapter: training and test rows of a data set, and what each preparation learned of them."""

import fslib.run.job_start  # noqa: F401
from fslib.prepare.stage import write_preparations
from fslib.run.script import reporting
from fslib.split.stage import write_splits

table, splits, asked = snakemake.input[0], snakemake.output.splits, snakemake.params

with reporting(snakemake.log[0]):
    write_splits(
        table,
        splits,
        dataset=snakemake.wildcards.dataset,
        scheme=asked.scheme,
        seed=asked.seed,
        final=asked.final,
    )
    write_preparations(
        table,
        splits,
        snakemake.output.prepared,
        snakemake.output.listed,
        preparations=asked.preparations,
        within_split=asked.within_split,
    )
