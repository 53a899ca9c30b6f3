"""What surrounds a whole run: its hold on the output folder, interrupts, and the last words."""

from __future__ import annotations

import signal
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil
from snakemake import benchmark

from fslib.run.console import follow
from fslib.run.coverage import write_covered
from fslib.run.errors import FslibError
from fslib.run.layout import Layout
from fslib.run.lock import hold
from fslib.run.sandbox import UNPROTECTED, View
from fslib.run.slurm import settle
from fslib.run.status import summary

#: Seconds between two looks at the processes of a job. Snakemake's half a second takes a tenth of a
#: core for each job, as the kernel walks through all their memory for it.
_LOOK_SECONDS = 2.0
#: Jobs per seconds that Snakemake starts at the most, if nobody asks for another number.
_DEFAULT_RATE = 100, 1


def requested_targets() -> list[str]:
    """What stands on Snakemake's command line as targets; nothing where there is no such line.

    Snakemake knows its targets only after the rules are read, too late for a word about a typo.
    """
    if "snakemake" not in Path(sys.argv[0]).parts[-2:]:  # `snakemake`, `snakemake/__main__.py`
        return []
    from snakemake.cli import get_argument_parser

    known, _ = get_argument_parser().parse_known_args(sys.argv[1:])
    return sorted(known.targets or [])


def begin(
    at: Layout,
    planned: Counter,
    leftovers: Sequence[Path] = (),
    executor_settings=None,
    scheduler=None,
) -> None:
    """Refuse to write where another run writes or where jobs would be waited for in vain; keep what
    fingerprints stand for; say a line a job.

    ``planned`` counts the jobs of each rule that will run; ``leftovers`` are measures that no
    longer belong to their study, which are removed.
    """
    settle(executor_settings)
    if scheduler is not None:
        schedule_when_jobs_end(scheduler)
    benchmark.BENCHMARK_INTERVAL_SHORT = _LOOK_SECONDS
    hold(at.output)
    warn_of_missing_views()
    for folder in dict.fromkeys(path.parent for path in leftovers):
        print(f"fslib: {folder}: measures of an earlier plan are removed", file=sys.stderr)
    for path in leftovers:
        path.unlink()
    write_covered(at)
    follow(planned)
    _pass_interrupts_on()


def schedule_when_jobs_end(scheduler) -> None:
    """Take Snakemake's limit of jobs per second away, unless it was asked for.

    With a limit, Snakemake (9.27) looks at all ready jobs again a second after each look, and every
    job that ends begins another such chain of looks, which lasts as long as the run: of a study of
    some hundred jobs the chains take a whole core. Without one it looks when a job ends.
    """
    limit = scheduler.job_rate_limiter
    if limit is not None and (limit.max_jobs, limit.timespan) == _DEFAULT_RATE:
        scheduler.job_rate_limiter = None


def warn_of_missing_views() -> None:
    """Say at the start, too, what every job's log says where the kernel refuses views."""
    try:
        View().close()
    except OSError as problem:
        print(f"fslib: warning: {problem.strerror}: {UNPROTECTED}", file=sys.stderr)


def _pass_interrupts_on() -> None:
    """End the jobs too when only this process is interrupted, not the whole terminal's group."""

    def interrupt(number, frame):
        time.sleep(1)  # those that ctrl-c has reached end by themselves
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                process.send_signal(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)


def end(at: Layout) -> None:
    """The last lines a person sees: how the cells ended and where the report is."""
    try:
        print(summary(at), file=sys.stderr)
    except FslibError as problem:
        print(problem, file=sys.stderr)
