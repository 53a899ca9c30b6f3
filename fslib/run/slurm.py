"""A cluster without accounting, noticed before the first job is submitted.

SLURM's plug-in asks `sacct` how jobs are. Where accounting is off, that fails at every try, which
the plug-in mentions in its debug output only: jobs end and nobody hears of it.
"""

from __future__ import annotations

import subprocess
import sys

from fslib.run.errors import FslibError


def settle(settings) -> None:
    """Have the plug-in ask `squeue` where `sacct` has no answer, or refuse and say what to do.

    Parameters
    ----------
    settings : the executor's settings; None, or those of another executor, are left alone.
    """
    if not hasattr(settings, "status_command") or not _accounting_is_off():
        return
    from snakemake_executor_plugin_slurm.job_status_query import get_min_job_age

    known_for = get_min_job_age() or 0
    wait = settings.init_seconds_before_status_checks
    # Below three waits the plug-in goes back to `sacct` whatever it was told.
    if known_for < 3 * wait:
        raise FslibError(
            f"SLURM's accounting is off (sacct says so), and squeue forgets a finished job after "
            f"{known_for} s (MinJobAge), so nobody could tell how jobs end. Set "
            f"`slurm-init-seconds-before-status-checks: {max(known_for // 3, 1)}` or less and "
            f"`slurm-status-command: squeue` in profiles/slurm/config.yaml, or raise MinJobAge."
        )
    if settings.status_command != "squeue":
        print(
            "fslib: SLURM's accounting is off: squeue is asked how jobs are, without an account "
            "(slurm-status-command: squeue, slurm-no-account: true)",
            file=sys.stderr,
        )
        settings.status_command, settings.no_account = "squeue", True


def _accounting_is_off() -> bool:
    try:
        done = subprocess.run(
            ["sacct", "--noheader", "--allocations"], capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return False  # without `sacct` the plug-in takes `squeue` by itself
    return done.returncode != 0 and "disabled" in done.stderr + done.stdout
