"""Adapter: what a preparation learned per split, or the table prepared as a whole."""

import fslib.run.single_thread  # noqa: F401
from fslib.prepare.stage import write_fitted, write_prepared
from fslib.run.script import reporting

table, splits, out = snakemake.input.table, snakemake.input.get("splits"), snakemake.output[0]
steps = snakemake.wildcards.preparation.split("-")

with reporting(snakemake.log[0]):
    if splits:
        write_fitted(table, splits, out, steps=steps)
    else:
        write_prepared(table, out, steps=steps)
