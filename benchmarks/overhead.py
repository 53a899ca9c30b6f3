"""Where the CPU goes: selection and evaluation, or Snakemake, process start and imports.

Every Python process of a run notes its CPU seconds when it ends, its own and those of the
children it waited for. Fits and classifier curves run in such children. Selection is what the
children of select jobs took; evaluation what evaluate jobs took beside their start. The start of a
job is what its script's imports take in a process that does nothing else, the best of three.
Everything that the run took beside the processes of its jobs is Snakemake's, its shells included.

Parts are measured one by one, and each takes the place of its section in the results.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import yaml
from whole_runs import PROJECT, RESULTS, about, job_costs, snakemake

#: Text of a `sitecustomize.py`, which Python runs at its start: each process notes its CPU seconds.
NOTING = """
import atexit, json, os, resource, sys

def note():
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    spent = [u.ru_utime + u.ru_stime for u in used]
    with open(os.environ["CPU_NOTES"], "a") as lines:
        print(json.dumps([sys.argv, *spent]), file=lines)

if "CPU_NOTES" in os.environ:
    atexit.register(note)
"""
REAL = {
    "title": "A study of real size",
    "datasets": ["sonar", "ionosphere", "colon"],
    "prepare": {
        "continuous": ["median", "minmax"],
        "discrete": ["median", "bins5"],
        "evaluation": ["median", "standard"],
    },
    "splits": {"scheme": "bootstrap", "repeats": 50},
    "batch": 50,
    "limits": "real",
    "methods": {
        "univariate": {"variants": {"correlation": {"use": "correlation"}}},
        "mrmr": {"use": "mrmr", "variants": {"mid": {}, "miq": {"scheme": "MIQ"}}},
        "cmim": {"use": "cmim"},
        "irelief": {"use": "irelief"},
        "svm_rfe": {"use": "svm_rfe"},
        "amfes": {"use": "amfes"},
    },
    "evaluate": {"classifiers": ["knn3", "nb", "svm_linear"], "sizes": [1, 2, 5, 10, 20, 50]},
}


#: What a script imports once it knows its settings: both studies ask the same classifiers.
LATER = {
    "evaluate": "from fslib.evaluate.classifier import CLASSIFIERS\n"
    f"for name in {REAL['evaluate']['classifiers']}: CLASSIFIERS[name]"
}


@cache
def start_and_imports(script: str) -> float:
    """CPU seconds of a script's process that does nothing but import; best of three."""
    source = (PROJECT / "scripts" / f"{script}.py").read_text()
    imports = "\n".join(re.findall(r"^(?:import|from) .*$", source, re.MULTILINE))
    best = float("inf")
    for _ in range(3):
        code = f"{imports}\n{LATER.get(script, '')}\nimport time; print(time.process_time())"
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True
        )
        best = min(best, float(done.stdout))
    return best


@dataclass
class Jobs:
    """CPU seconds of the jobs of one rule."""

    count: int = 0
    start: float = 0.0
    own: float = 0.0
    children: float = 0.0


def spent(notes: Path) -> dict[str, Jobs]:
    """CPU seconds of a run's jobs by rule, from the notes of their processes."""
    rules: dict[str, Jobs] = {}
    for line in notes.read_text().splitlines():
        (program, *_), own, children = json.loads(line)
        script = re.search(r"\.(\w+)\.py$", program)
        if script:
            jobs = rules.setdefault(script[1], Jobs())
            start = min(own, start_and_imports(script[1]))
            jobs.count += 1
            jobs.start += start
            jobs.own += own - start
            jobs.children += children
    notes.unlink()
    return rules


def study_section(title: str, folder: Path, target: str, cores: int) -> list[str]:
    """Where the CPU of a whole run went."""
    cost = snakemake(folder, target, "--cores", str(cores))
    rules = spent(folder / "notes")
    selection, evaluation = rules["select"].children, rules["evaluate"].children
    evaluation += rules["evaluate"].own
    inside = (selection + evaluation) / cost.cpu
    of_jobs = sum(jobs.start + jobs.own + jobs.children for jobs in rules.values())
    where = {
        "selection": selection,
        "evaluation": evaluation,
        "start and imports of jobs": sum(jobs.start for jobs in rules.values()),
    }
    where["other work in jobs"] = of_jobs - sum(where.values())
    where["Snakemake and its shells"] = cost.cpu - of_jobs
    count = sum(jobs.count for jobs in rules.values())
    return [
        f"## {title}: {inside:.0%} of the CPU inside selection and evaluation",
        "",
        f"{count} jobs, {cost.cpu:.0f} s of CPU, {cost.wall:.0f} s by the clock on {cores} cores.",
        "",
        "| where | CPU s | share |",
        "|---|---|---|",
        *(f"| {name} | {cpu:.1f} | {cpu / cost.cpu:.0%} |" for name, cpu in where.items()),
        "",
        "| rule | jobs | start and imports | the rest of its process | children |",
        "|---|---|---|---|---|",
        *(
            f"| {name} | {j.count} | {j.start:.1f} | {j.own:.1f} | {j.children:.1f} |"
            for name, j in rules.items()
        ),
        "",
    ]


def quick(folder: Path, config: dict, cores: int) -> list[str]:
    prepared_folder(folder, config)
    lines = study_section("quick", folder, "quick", cores)
    again = [snakemake(folder, "quick", "--cores", "1") for _ in range(3)]
    best = min(again, key=lambda cost: cost.cpu)
    simulated = subprocess.run(
        [Path(sys.executable).with_name("fslib"), "cost", "quick", "--simulate", "32"],
        cwd=folder, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    told = re.findall(r"^(?:longest chain|with --cores).*$", simulated, re.MULTILINE)
    return [
        *lines,
        f"By the times of these jobs, `fslib cost quick --simulate 32` says: {'; '.join(told)}.",
        "",
        f"With nothing to do, the same command takes {best.cpu:.1f} s of CPU and {best.wall:.1f} s "
        "by the clock (best of 3).",
        "",
    ]


def real(folder: Path, config: dict, cores: int) -> list[str]:
    prepared_folder(folder, config, real=REAL)
    return [
        *study_section("A real study", folder, "real", cores),
        f"{', '.join(REAL['datasets'])}; {', '.join(REAL['methods'])}; "
        f"{REAL['splits']['repeats']} bootstrap splits; three classifiers.",
        "",
    ]


def clone(folder: Path, config: dict, cores: int) -> list[str]:
    """From `git clone` to the report, by the clock: environment, installation, run."""
    folder.mkdir()
    began = time.monotonic()
    run = partial(subprocess.run, check=True, capture_output=True, text=True)
    run(["git", "clone", "--quiet", str(PROJECT), "project"], cwd=folder)
    run(["make", ".venv/ready"], cwd=folder / "project")
    ready = time.monotonic()
    run(["make", "benchmark", f"CORES={cores}"], cwd=folder / "project")
    done = time.monotonic()
    if not (folder / "project" / "results" / "report" / "index.html").exists():
        raise SystemExit("no report")
    return [
        "## From a fresh clone to the report",
        "",
        f"`make benchmark CORES={cores}` in a fresh clone: {done - began:.0f} s by the clock, "
        f"{ready - began:.0f} s of them until everything is installed (packages from an index near "
        "by).",
        "",
    ]


def prepared_folder(folder: Path, config: dict, **studies: dict) -> Path:
    """A working folder whose Python processes note what they use."""
    (folder / "studies").mkdir(parents=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    for name, study in studies.items():
        (folder / "studies" / f"{name}.yaml").write_text(yaml.safe_dump(study, sort_keys=False))
    (folder / "noting").mkdir()
    (folder / "noting" / "sitecustomize.py").write_text(NOTING)
    os.environ["PYTHONPATH"] = str(folder / "noting")
    os.environ["CPU_NOTES"] = str(folder / "notes")
    return folder


def slurm(folder: Path, config: dict, cores: int) -> list[str]:
    """Seconds that a job costs on SLURM beside its own work, on the smoke study."""
    sys.path[:0] = [str(PROJECT / "tests"), str(PROJECT / "tests" / "rules")]
    from slurm_cluster import slurm_cluster
    from test_cluster import ON_LOOPBACK

    prepared_folder(folder, config)
    (folder / "cluster").mkdir()
    with slurm_cluster(folder / "cluster") as cluster:
        os.environ.update(cluster.environment)
        profile = ("--profile", str(PROJECT / "profiles" / "slurm"), *ON_LOOPBACK)
        snakemake(folder, "smoke", *profile)
        times = [
            re.search(
                r"RunTime=(\d+):(\d+):(\d+)", cluster.call("scontrol", "show", "job", j["id"])
            )
            for j in cluster.jobs()
        ]
    wall = [sum(int(part) * 60**i for i, part in enumerate(t.groups()[::-1])) for t in times]
    inside = job_costs(folder / "results")
    scripts = [
        j["s"] for rule in ("select", "evaluate", "compare", "figures") for j in inside[rule]
    ]
    starts = []
    for line in (folder / "notes").read_text().splitlines():
        (program, *arguments), own, _ = json.loads(line)
        if "snakemake" in program and "--mode" in arguments:
            starts.append(own)
    beside = (sum(wall) - sum(scripts)) / len(wall)
    per_job = sum(starts) / len(wall)
    return [
        "## SLURM",
        "",
        f"The smoke study: {len(wall)} cluster jobs on two nodes of this machine, "
        f"{statistics.mean(wall):.0f} s of wall clock each, of which {beside:.0f} s beside the "
        f"job's own script; {per_job:.1f} s of CPU per job for starting Snakemake on the node "
        f"({len(starts)} starts).",
        "",
    ]


PARTS = {part.__name__: part for part in (quick, real, clone, slurm)}


def replaced(text: str, section: str) -> str:
    """A text with a section in the place of the one of the same title, or at its end.

    A title is what stands before a colon in a heading.
    """
    title = section.partition("\n")[0].partition(":")[0]
    sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    same = [i for i, old in enumerate(sections) if re.split(r"[:\n]", old)[0] == title]
    place = same[0] if same else len(sections)
    sections[place : place + 1] = [section]
    return "".join(sections)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="+", choices=PARTS, help="slurm needs root")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS / "overhead.md")
    options = parser.parse_args()
    config = yaml.safe_load((PROJECT / "config.yaml").read_text())
    config["limits"]["real"] = {"seconds": 600, "memory_mb": 4000}
    environment = dict(os.environ)
    for part in options.parts:
        os.environ.clear()
        os.environ.update(environment)
        with tempfile.TemporaryDirectory() as top:
            heading, *lines = PARTS[part](Path(top, part), config, options.cores)
        made = [heading, "", *about(f"python benchmarks/overhead.py {part}")[:-1], *lines]
        section = "\n".join(made) + "\n"
        print(section, flush=True)
        text = options.out.read_text() if options.out.exists() else "# Overhead\n\n"
        options.out.write_text(replaced(text, section).rstrip() + "\n")


if __name__ == "__main__":
    main()
