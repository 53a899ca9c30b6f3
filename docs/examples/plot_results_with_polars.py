"""
Reading the results with polars
===============================

Every intermediate of a run is a parquet file; one pattern reads those of all methods. This script
runs a small study first (``fslib run``), in a folder of its own, as far as these files.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import polars as pl
import seaborn as sns

folder = Path(tempfile.mkdtemp())
(folder / "studies").mkdir()
(folder / "studies" / "small.yaml").write_text("""
title: Two filters on wine
datasets: [wine]
prepare: {continuous: [minmax], discrete: [bins5], evaluation: [standard]}
splits: {scheme: kfold, folds: 5}
limits: quick
methods: {mrmr: {use: mrmr}, correlation: {use: correlation}}
evaluate: {classifiers: [knn3, nb], sizes: [1, 2, 3, 5, 8, 13]}
""")
fslib = [sys.executable, "-c", "from fslib.cli import main; main()"]
run = ["run", "small", "--cores", "2", "--", "--until", "evaluate"]
subprocess.run([*fslib, *run], cwd=folder, check=True, capture_output=True)

# %%
# One row per (method, split, size, classifier):
accuracy = pl.read_parquet(folder / "results/small/*/*/accuracy.parquet")
print(accuracy.head(3))

# %%
# What each fit took, and what it chose first:
runs = pl.read_parquet(folder / "results/small/*/*/runs.parquet")
print(runs.group_by("method").agg(pl.col("cpu_seconds", "peak_mb").median()).sort("method"))
selections = pl.read_parquet(folder / "results/small/*/*/selections.parquet")
first = selections.filter(pl.col("rank") == 1)
print(first.group_by("method", "name").len().sort("method", "len", descending=[False, True]))

# %%
table = accuracy.to_dict(as_series=False)
sns.lineplot(table, x="k", y="accuracy", hue="method", style="classifier", errorbar="se")
plt.show()
