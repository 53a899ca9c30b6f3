"""Adapter: refuse a study with failed cells."""

import fslib.run.job_start  # noqa: F401
from fslib.compare.stage import require_ok
from fslib.run.script import reporting

with reporting(snakemake.log[0]):
    require_ok(snakemake.input.ledger, snakemake.output[0])
