"""Adapter: the figures of a study."""

import fslib.run.job_start  # noqa: F401
from fslib.compare.figures import write_figures
from fslib.run.script import reporting

with reporting(snakemake.log[0]):
    write_figures(
        dict(snakemake.input.items()),
        snakemake.output.folder,
        snakemake.output.listing,
        datasets=snakemake.params.datasets,
        workers=snakemake.threads,
    )
