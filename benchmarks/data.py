"""From raw files to parquet: time, memory and proof of every data set.

Each data set is read in a process of its own, from a cache that has already been filled
(from FSLIB_MIRROR or the network), written as a table and read back. Times are CPU seconds,
the best of several runs; memory is the peak of the whole process, interpreter included.
"""

# ruff: noqa: E402
from __future__ import annotations

import os

for _name in ("OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "NUMEXPR_NUM", "POLARS_MAX"):
    os.environ[f"{_name}_THREADS"] = "1"  # before numpy and polars are imported

import argparse
import datetime
import json
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

QUICK = ("wine", "lucas_generated", "ionosphere", "colon", "vantveer")
RESULTS = Path(__file__).parent / "results" / "data.md"


def measure(name: str, cache: str, repeats: int) -> dict:
    """Times and peak memory of one data set, in this process."""
    from fslib.data import card, load, read_table, write_table

    e = card(name)
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.parquet")
        to_parquet, from_parquet, plain = [], [], []
        for _ in range(repeats):
            begin = time.process_time()
            d = load(name, cache=cache, offline=True)
            write_table(d, path)
            to_parquet.append(time.process_time() - begin)
        del d
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(repeats):
            begin = time.process_time()
            read_table(path)
            from_parquet.append(time.process_time() - begin)
            plain.append(_plain_read(path))
        size = path.stat().st_size
    return {
        "name": name,
        "shape": f"{e.n_rows} × {e.n_features}",
        "verified": f"{len(e.files)} of {len(e.files)}" if e.files else e.kind,
        "write": min(to_parquet),
        "read": min(from_parquet),
        "ratio": min(from_parquet) / min(plain),
        "size": size / 1e6,
        "base": start / 1024,
        "peak": peak / 1024,
    }


def _plain_read(path: Path) -> float:
    import polars as pl

    begin = time.process_time()
    pl.read_parquet(path)
    return time.process_time() - begin


def names_to_measure(quick: bool, cache: str) -> tuple[list[str], list[str]]:
    """What can be measured here, and what cannot with the reason."""
    from fslib.data import DataError, card, dataset_names, fetch

    names = [n for n in dataset_names() if "_redrawn" not in n or n.endswith("redrawn01")]
    names = [n for n in names if not quick or n in QUICK]
    there, absent = [], []
    for name in names:
        try:
            fetch([name], cache=cache)
            there.append(name)
        except DataError as problem:
            reason = str(problem).splitlines()[0] if card(name).files else str(problem)
            absent.append(reason)
    return there, absent


def page(rows: list[dict], absent: list[str], command: str) -> str:
    """The results as Markdown."""
    import numpy
    import polars
    import sklearn

    lines = [
        "# Data: from raw files to parquet",
        "",
        f"{datetime.date.today()}, {_machine()}, Python {platform.python_version()}, numpy "
        f"{numpy.__version__}, polars {polars.__version__}, scikit-learn {sklearn.__version__}. "
        f"`{command}`",
        "",
        "CPU seconds with one thread, best of several; *to parquet*: hash and read the raw files, "
        "check, write the table; *read*: the table back as a data set, its digest checked; "
        "*ratio*: to a bare `polars.read_parquet` of the same file. *Peak*: memory of the whole "
        "process, of which the interpreter and its libraries are about "
        f"{min(r['base'] for r in rows):.0f} MB before the first data set.",
        "",
        "| data set | rows × features | sha256 verified | to parquet (s) | read (s) | ratio | "
        "parquet (MB) | peak (MB) |",
        "|---|---:|---|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {r['name']} | {r['shape']} | {r['verified']} | {r['write']:.2f} | {r['read']:.3f} | "
        f"{r['ratio']:.1f} | {r['size']:.2f} | {r['peak']:.0f} |"
        for r in rows
    ]
    if absent:
        lines += ["", "Not measured:", "", *(f"- {reason}" for reason in absent)]
    return "\n".join(lines) + "\n"


def _machine() -> str:
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        found = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = found[0].partition(": ")[2] if found else model
    return f"{model}, {os.cpu_count()} cores, {platform.system()}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few data sets, one run each")
    parser.add_argument("--cache", default=None, help="folder of raw files (default: data/raw)")
    parser.add_argument("--output", type=Path, default=RESULTS, help="where the table is written")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    cache = options.cache or os.environ.get("FSLIB_DATA") or "data/raw"
    repeats = 1 if options.quick else 3
    if options.one:
        print(json.dumps(measure(options.one, cache, repeats)))
        return
    names, absent = names_to_measure(options.quick, cache)
    rows = []
    for name in names:
        command = [sys.executable, __file__, "--one", name, "--cache", cache]
        done = subprocess.run(
            command + ["--quick"] * options.quick, check=True, stdout=subprocess.PIPE, text=True
        )
        rows.append(json.loads(done.stdout))
        print(f"{name}: {rows[-1]['write']:.2f} s, {rows[-1]['peak']:.0f} MB", file=sys.stderr)
    command = "python benchmarks/data.py" + " --quick" * options.quick
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(page(rows, absent, command), encoding="utf-8")
    print(f"written: {options.output}", file=sys.stderr)


if __name__ == "__main__":
    main()
