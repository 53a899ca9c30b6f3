"""Where the CPU goes: selection and evaluation, or Snakemake, process start and imports.

Every Python process of a run notes its CPU seconds when it ends, its own and those of the
children it waited for. Fits and classifier curves run in such children; the rest of a job is
start, imports and files.
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
from functools import cache
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


def shares(folder: Path, target: str, cores: int) -> tuple[dict[str, float], int]:
    """CPU seconds of a whole run by where they went, and the number of jobs."""
    notes = folder / "notes"
    cost = snakemake(folder, target, "--cores", str(cores))
    count = int(re.search(r"^total\s+(\d+)$", cost.said, re.MULTILINE)[1])
    spent = dict.fromkeys(
        ["selection", "evaluation", "start and imports", "other work in jobs"], 0.0
    )
    for line in notes.read_text().splitlines():
        (program, *_), own, children = json.loads(line)
        script = re.search(r"\.(\w+)\.py$", program)
        if not script:
            continue
        name = script[1]
        start = min(own, start_and_imports(name))
        spent["start and imports"] += start
        if name == "select":
            spent["selection"] += children
            spent["other work in jobs"] += own - start
        elif name == "evaluate":
            spent["evaluation"] += children + own - start
        else:
            spent["other work in jobs"] += own - start + children
    notes.unlink()
    spent["Snakemake"] = cost.cpu - sum(spent.values())
    return spent, count


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


def on_slurm(folder: Path, config: dict) -> list[str]:
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
        f"SLURM, smoke study: {len(wall)} cluster jobs on two nodes of this machine, "
        f"{statistics.mean(wall):.0f} s of wall clock each, of which {beside:.0f} s beside the "
        f"job's own script; {per_job:.1f} s of CPU per job for starting Snakemake on the node "
        f"({len(starts)} starts).",
    ]


def table(spent: dict[str, float], count: int, name: str) -> list[str]:
    total = sum(spent.values())
    inside = (spent["selection"] + spent["evaluation"]) / total
    return [
        f"## {name}: {count} jobs, {total:.0f} s of CPU, {inside:.0%} inside selection and "
        "evaluation",
        "",
        "| where | CPU s | share |",
        "|---|---|---|",
        *(f"| {where} | {cpu:.1f} | {cpu / total:.0%} |" for where, cpu in spent.items()),
        "",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only `quick` and its no-op re-run")
    parser.add_argument("--slurm", action="store_true", help="also a throw-away SLURM (root)")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS / "overhead.md")
    options = parser.parse_args()
    config = yaml.safe_load((PROJECT / "config.yaml").read_text())
    config["limits"]["real"] = {"seconds": 600, "memory_mb": 4000}
    path = os.environ.get("PYTHONPATH", "")
    lines = []
    with tempfile.TemporaryDirectory() as top:
        folder = prepared_folder(Path(top, "quick"), config)
        lines += table(*shares(folder, "quick", options.cores), "quick")
        again = [snakemake(folder, "quick", "--cores", "1").cpu for _ in range(3)]
        lines += [f"A no-op re-run of `quick` takes {min(again):.1f} s of CPU (best of 3).", ""]
        print("\n".join(lines), flush=True)
        if not options.quick:
            folder = prepared_folder(Path(top, "real"), config, real=REAL)
            lines += table(*shares(folder, "real", options.cores), "A real study")
            lines += [
                f"{', '.join(REAL['datasets'])}; {', '.join(REAL['methods'])}; "
                f"{REAL['splits']['repeats']} bootstrap splits; three classifiers.",
                "",
            ]
            print("\n".join(lines), flush=True)
        if options.slurm:
            lines += on_slurm(Path(top, "slurm"), config)
    os.environ["PYTHONPATH"] = path
    flags = "".join(f" --{f}" for f in ("quick", "slurm") if getattr(options, f))
    text = "\n".join(["# Overhead", "", *about(f"python benchmarks/overhead.py{flags}"), *lines])
    options.out.write_text(text.rstrip() + "\n")
    print(text)


if __name__ == "__main__":
    main()
