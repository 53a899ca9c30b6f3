"""Adapter: a paper's cells, claims, findings and figures from the results of its study."""

import fslib.run.job_start  # noqa: F401
from fslib.reproduce.stage import reproduce
from fslib.run.script import reporting

with reporting(snakemake.log[0]):
    reproduce(
        dict(snakemake.input.items()),
        dict(snakemake.output.items()),
        group=snakemake.wildcards.group,
    )
