"""Adapter: one data set as a checked table."""

import fslib.run.job_start  # noqa: F401
from fslib.data.stage import write_dataset
from fslib.run.script import reporting

with reporting(snakemake.log[0]):
    write_dataset(
        snakemake.wildcards.dataset,
        snakemake.output[0],
        own=snakemake.config["datasets"],
        data=snakemake.config["data"],
    )
