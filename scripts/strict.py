"""Adapter: refuse a study with failed cells."""

import fslib.single_thread  # noqa: F401
from fslib.compare.stage import require_ok
from fslib.script import reporting

with reporting(snakemake.log[0]):
    require_ok(snakemake.input.ledger, snakemake.output[0])
