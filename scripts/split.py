"""Adapter: training and test rows of a data set."""

import fslib.run.single_thread  # noqa: F401
from fslib.run.script import reporting
from fslib.split.stage import write_splits

with reporting(snakemake.log[0]):
    write_splits(
        snakemake.input[0],
        snakemake.output[0],
        dataset=snakemake.wildcards.dataset,
        scheme=snakemake.params.scheme,
        seed=snakemake.params.seed,
        final=snakemake.params.final,
    )
