"""What a person sees while a study runs: one line a job, and how long it will still take."""

from __future__ import annotations

import logging
import sys
import time
from collections import Counter, defaultdict

from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

from fslib.run.numbers import duration

#: What Snakemake says of these is said here in fewer words.
_REPLACED = {
    LogEvent.JOB_STARTED,
    LogEvent.JOB_FINISHED,
    LogEvent.PROGRESS,
    LogEvent.RESOURCES_INFO,
}


def follow(planned: Counter) -> None:
    """Say a line for each job that ends; ``planned`` counts the jobs of each rule."""
    for handler in logger.handlers:
        if isinstance(handler, logging.StreamHandler) and not isinstance(
            handler, logging.FileHandler
        ):
            handler.addFilter(_is_news)
    logger.addHandler(Console(planned))


def _is_news(record: logging.LogRecord) -> bool:
    chatter = record.getMessage() == "Select jobs to execute..."
    return not chatter and getattr(record, "event", None) not in _REPLACED


class Console(logging.Handler):
    """A line for each job: how many are done, which it was, its time, and the time that is left.

    What is left is reckoned from the mean time of each rule's jobs so far and from how many ran at
    once on average.
    """

    def __init__(self, planned: Counter):
        super().__init__(logging.INFO)
        self.planned = planned
        self.names: dict[int, tuple[str, str]] = {}
        self.begun: dict[int, float] = {}
        self.times: dict[str, list[float]] = defaultdict(list)
        self.started = time.monotonic()

    def emit(self, record: logging.LogRecord) -> None:
        event = getattr(record, "event", None)
        if event == LogEvent.JOB_INFO:
            places = [str(value) for value in (record.wildcards or {}).values()]
            self.names[record.jobid] = record.rule_name, "/".join(places)
            self.begun[record.jobid] = time.monotonic()
        elif event == LogEvent.JOB_FINISHED and record.job_id in self.names:
            rule, place = self.names[record.job_id]
            if rule in self.planned:  # a target is a rule too
                self._say(rule, place, time.monotonic() - self.begun[record.job_id])
        elif event == LogEvent.JOB_ERROR:
            rule, place = self.names.get(record.jobid, (record.rule_name, ""))
            logs = ", ".join(map(str, record.log or []))
            print(f"FAILED {rule} {place}: see {logs}", file=sys.stderr, flush=True)

    def _say(self, rule: str, place: str, seconds: float) -> None:
        self.times[rule].append(seconds)
        done = sum(map(len, self.times.values()))
        left = self.seconds_left()
        ending = f", about {duration(left)} left" if left >= 1 else ""
        line = f"{done}/{self.planned.total()} {rule} {place}".rstrip()
        print(f"{line} {duration(seconds)}{ending}", file=sys.stderr, flush=True)

    def seconds_left(self) -> float:
        """Expected seconds until the last job ends."""
        spent = [seconds for of_rule in self.times.values() for seconds in of_rule]
        if not spent:
            return 0.0
        usual = sum(spent) / len(spent)
        at_once = max(1.0, sum(spent) / max(time.monotonic() - self.started, 1e-9))
        waiting = 0.0
        for rule, count in self.planned.items():
            own = self.times[rule]
            waiting += (count - len(own)) * (sum(own) / len(own) if own else usual)
        return waiting / at_once
