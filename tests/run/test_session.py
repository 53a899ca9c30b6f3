"""What surrounds a run."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from snakemake.cli import get_argument_parser
from snakemake.scheduling.job_scheduler import JobRateLimiter

from fslib.run.session import schedule_when_jobs_end


@pytest.mark.parametrize(("asked", "stays"), [([], False), (["50/1m"], True)])
def test_snakemakes_own_limit_of_jobs_per_second_is_taken_away(asked, stays):
    words = ["--max-jobs-per-timespan", *asked] if asked else []
    limit = get_argument_parser().parse_args(words).max_jobs_per_timespan
    scheduler = SimpleNamespace(job_rate_limiter=JobRateLimiter(limit))
    schedule_when_jobs_end(scheduler)
    assert (scheduler.job_rate_limiter is not None) == stays
