"""What the project's studies cost, for docs/cluster.md: by the growth table alone, so that the page
is the same wherever it is made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fslib.config.cost import Shape, growth
from fslib.config.estimate import expected_jobs, rough_duration, summary
from fslib.config.load import Config, load_config
from fslib.config.plan import Plan

#: Fits that readers know: a microarray, a challenge set, AMFES's largest synthetic set.
_TABLES = {"62 × 2,000": Shape(62, 2000), "400 × 1,000": Shape(400, 1000)} | {
    "1,200 × 2,000": Shape(1200, 2000)
}
_CORES = 32


def cost_lines(project: Path) -> list[str]:
    """The costs as markdown."""
    config = load_config(project / "config.yaml", folders=[project])
    plan = Plan(config, project)
    return [
        f"| study | jobs | core-hours | longest selection | longest chain | {_CORES} cores | use |",
        "|---|---|---|---|---|---|---|",
        *(_row(plan, target) for target in _targets(config)),
        "",
        f"| CPU seconds of one fit | {' | '.join(_TABLES)} |",
        "|---|---|---|---|",
        *_fits(),
    ]


def _targets(config: Config) -> Iterator[str]:
    """Study files, each with its parts below; a practitioner's own tables are not known here."""
    for name, parts in config.groups.items():
        if name not in ("own", "own_fast"):
            yield name
            yield from (part for part in parts if part != name and not name.endswith("_small"))


def _row(plan: Plan, target: str) -> str:
    jobs = expected_jobs(plan, target, cores=_CORES)
    total = summary(jobs, _CORES)
    stages = ("probe", "select")
    selects = [t.wall() for name, t in jobs.tasks.items() if jobs.stages[name] in stages]
    is_part = target not in plan.config.groups
    cells = [
        f"… {target.partition('-')[2]}" if is_part else f"**{target}**",
        str(total.jobs),
        f"{total.hours:.1f}" if total.hours >= 1 else f"{total.hours:.2f}",
        rough_duration(max(selects)),
        rough_duration(total.chain),
        rough_duration(total.wall),
        f"{total.use:.0%}",
    ]
    return f"| {' | '.join(cells)} |"


def _fits() -> Iterator[str]:
    law = growth()
    for name, use, params in (
        ("correlation", "correlation", {}),
        ("mRMR, full ranking", "mrmr", {}),
        ("JMI, full ranking", "jmi", {}),
        ("I-RELIEF", "irelief", {}),
        ("SVM-RFE", "svm_rfe", {}),
        ("AMFES, 100 subsets", "amfes", {}),
        (
            "DAF, 5,000 probes of 3-NN up to 100 features",
            "daf",
            {"n_probes": 5000, "max_subset_size": 100},
        ),
        ("BABD, linear", "babd", {}),
    ):
        cells = [f"{law.fit(use, params, shape):.2g}" for shape in _TABLES.values()]
        yield f"| {name} | {' | '.join(cells)} |"
