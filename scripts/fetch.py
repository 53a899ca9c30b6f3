"""Adapter: the raw files of a data set, by name and hash."""

import fslib.run.job_start  # noqa: F401
from fslib.data.stage import write_fetched
from fslib.run.script import reporting

with reporting(snakemake.log[0]):
    write_fetched(snakemake.wildcards.dataset, snakemake.output[0], data=snakemake.config["data"])
