"""What the study `own_fast` promises on noise, where no set of features predicts anything.

    python benchmarks/noise.py [--tables 8]

Tables of 60 rows and 60 columns of noise, two classes of 30 rows. The plain figure is the mean over
the splits that chose the recommended set; what to expect is the mean over the splits of what the
recommendation of the others has there. The truth is 0.5 (balanced classes, so accuracy judges).
`benchmarks/results/noise.md` keeps what this printed.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
import yaml
from whole_runs import PROJECT, RESULTS, about, snakemake


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = recommended(Path(name), options.tables)
    lines = [
        "# What is promised on noise",
        "",
        *about("python benchmarks/noise.py"),
        f"{options.tables} tables of 60 × 60, study `own_fast`; the truth is 0.50.",
        "",
        "| figure of the recommended set | mean | standard error | least | most |",
        "|---|---|---|---|---|",
    ]
    for label, column in (("plain, `value`", "value"), ("to expect, `expected`", "expected")):
        values = found[column].drop_nulls().to_numpy()
        error = values.std(ddof=1) / np.sqrt(len(values))
        ends = f"{values.min():.2f} | {values.max():.2f}"
        lines.append(f"| {label} | {values.mean():.3f} | {error:.3f} | {ends} |")
    (RESULTS / "noise.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))


def recommended(folder: Path, tables: int) -> pl.DataFrame:
    """The recommendation for each table of noise."""
    for seed in range(tables):
        X = np.random.default_rng(seed).normal(size=(60, 60))
        labels = pl.Series("label", np.repeat(["a", "b"], 30))
        pl.DataFrame(X).with_columns(labels).write_csv(folder / f"noise_{seed}.csv")
    own = {
        f"noise_{seed}": {"path": f"noise_{seed}.csv", "target": "label"} for seed in range(tables)
    }
    config = yaml.safe_load((PROJECT / "config.yaml").read_text()) | {"datasets": own}
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    snakemake(folder, "--cores", str(os.cpu_count()), "own_fast")
    return pl.read_parquet(folder / "results/own_fast/tables/recommendation.parquet")


if __name__ == "__main__":
    main()
