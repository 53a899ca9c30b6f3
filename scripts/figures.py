"""Adapter: the figures of a study."""

import fslib.run.single_thread  # noqa: F401
from fslib.report.stage import write_figures
from fslib.run.script import reporting

with reporting(snakemake.log[0]):
    write_figures(
        dict(snakemake.input.items()),
        snakemake.output.folder,
        snakemake.output.hashes,
        study=snakemake.params.study,
    )
