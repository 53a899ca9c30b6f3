"""Why a job would run again, in words: one line a job, the changed file named."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fslib.config.plan import Plan
from fslib.run.coverage import coverage
from fslib.run.errors import FslibError

_FINGERPRINT = re.compile(r"'([0-9a-f]{16})'")
#: A variant among the settings of a select job, as Snakemake shows it: its first and last key.
_VARIANT = re.compile(r"{'name': '([^']*)', 'entry': .*?'fingerprint': '([0-9a-f]{16})'}")
#: Settings longer than this are cut when they are shown.
_MOST_SHOWN = 60


class PlanError(FslibError):
    """Snakemake cannot plan what was asked for."""


@dataclass(frozen=True)
class _Job:
    name: str
    outputs: list[str]
    reason: str


def explained(plan: Plan, snakemake: list[str], targets: list[str]) -> Iterator[str]:
    """One line for each job that a run of the targets would do now.

    Parameters
    ----------
    snakemake : the call of Snakemake without targets.
    targets : studies; the ones of `config.yaml` by default.
    """
    _compute_fingerprints(plan, targets or plan.config["studies"])
    jobs = _planned(snakemake, targets)
    maker = {path: job.name for job in jobs for path in job.outputs}
    for job in jobs:
        yield f"{job.name}: {'; '.join(_reasons(job.reason, maker, plan)) or job.reason}"


def _compute_fingerprints(plan: Plan, targets: list[str]) -> None:
    """Compute the fingerprints of the targets, so that `coverage` knows the files behind them."""
    for script in sorted((plan.project / "scripts").glob("*.py")):
        plan.code(script.name)
    plan.selection_code()
    plan.afford_code()
    plan.page_code()
    for study in plan.studies(targets):
        plan.evaluation_code(study.name)
        for dataset in study.datasets:
            plan.table_code(dataset)
    for target in targets:
        if plan.config.paper(target):
            plan.paper_code(target)


def _planned(snakemake: list[str], targets: list[str]) -> list[_Job]:
    """The jobs of a dry run, without those that only stand for a target (and have no wildcards)."""
    done = subprocess.run(
        [*snakemake, *targets, "--dry-run", "--cores", "1", "--nocolor", "--quiet", "host"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise PlanError(f"nothing can be planned:\n{done.stdout.strip()}")
    jobs = []
    for block in re.split(r"\n(?=(?:local)?rule )", done.stdout)[1:]:
        said = dict(re.findall(r"^    (\w+): (.*)$", block, re.MULTILINE))
        if "wildcards" in said:
            rule = re.match(r"(?:local)?rule (\w+):", block)[1]
            values = [pair.partition("=")[2] for pair in said["wildcards"].split(", ")]
            outputs = [path.split(" (")[0] for path in said.get("output", "").split(", ")]
            jobs.append(_Job(f"{rule} {'/'.join(values)}", outputs, said.get("reason", "")))
    stages = list(dict.fromkeys(job.name.split()[0] for job in jobs))
    return sorted(jobs, key=lambda job: (stages.index(job.name.split()[0]), job.name))


def _reasons(reason: str, maker: dict[str, str], plan: Plan) -> Iterator[str]:
    """Snakemake's reasons as sentences; Snakemake's `Reason` class has the texts searched for."""
    if reason.startswith("Missing output files"):
        yield "not made yet"
    before_now = re.search(r"Params have changed.*? before: (.*) now: (.*)", reason)
    if before_now:
        yield from _changes(*before_now.groups(), plan)
    made_again = re.search(r"Input files updated by another job: ([^;]*)", reason)
    if made_again:
        jobs = {maker.get(path, path) for path in made_again[1].strip().split(", ")}
        yield f"follows {_listed(sorted(jobs))}"
    changed = re.search(r"Updated input files: ([^;]*)", reason)
    if changed:
        yield f"{_listed(changed[1].strip().split(', '))} changed"
    if "Set of input files has changed" in reason:
        yield "reads other files than before"
    if "Software environment" in reason:
        yield "envs/fslib.yaml changed"
    if "Forced execution" in reason:
        yield "forced"


def _changes(before: str, now: str, plan: Plan) -> Iterator[str]:
    """What differs between a job's parameters at its last run (``before``) and ``now``."""
    old, new = set(_FINGERPRINT.findall(before)), set(_FINGERPRINT.findall(now))
    then, today = _covered(old - new, plan), _covered(new - old, plan)
    if then is None or today is None:
        yield "its code changed (what it was is not on record)"
    else:
        files = sorted(name for name in {*then, *today} if then.get(name) != today.get(name))
        if files:
            yield f"{_listed(files)} changed{_only(before, now)}"
    # Snakemake lists parameters in any order, so the words are compared, not their sequence.
    said, says = (
        Counter(word.strip() for word in _FINGERPRINT.sub("", text).split(","))
        for text in (before, now)
    )
    gone, come = (_cut(", ".join(words.elements())) for words in (said - says, says - said))
    if gone or come:
        yield f"its settings changed: {gone or 'nothing'} became {come or 'nothing'}"


def _only(before: str, now: str) -> str:
    """Which methods of a job are fitted again, where these are not all."""
    then, today = (dict(_VARIANT.findall(text)) for text in (before, now))
    again = [name for name, made in today.items() if then.get(name) != made]
    return f" (fits {_listed(again)} again)" if 0 < len(again) < len(today) else ""


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"


def _covered(fingerprints: Iterable[str], plan: Plan) -> dict[str, str] | None:
    found: dict[str, str] = {}
    for made in fingerprints:
        covered = coverage(made, plan.at)
        if covered is None:
            return None
        found |= covered
    return found


def _listed(things: Iterable[str], most: int = 3) -> str:
    things = list(things)
    more = f" and {len(things) - most} more" if len(things) > most else ""
    return ", ".join(things[:most]) + more
