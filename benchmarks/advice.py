"""How far the advice on an own table depends on the drawn splits, by the number of repeats.

    python benchmarks/advice.py

Tables through the methods, splits and classifiers of `own_fast` with several base seeds; the advice
from one, two and more repeats of the five folds. Writes its section of `benchmarks/results/own.md`.
"""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import yaml
from whole_runs import PROJECT, RESULTS

import fslib.run.single_thread  # noqa: F401
from fslib.compare.setting import Setting
from fslib.compare.study import compare
from fslib.config.load import load_config
from fslib.config.plan import Plan
from fslib.data import load
from fslib.data.stage import write_dataset
from fslib.data.tables import read_table
from fslib.evaluate.stage import evaluate_entry
from fslib.prepare.stage import write_preparations
from fslib.run.artefacts import read
from fslib.run.layout import FILES, preparation_file
from fslib.select.fits import Job
from fslib.select.stage import select_batch
from fslib.split.stage import write_splits

SEEDS, REPEATS = range(5), (1, 2, 3, 4)
HEADING = "## How far the advice depends on the splits"
TEXT = f"""{HEADING}

`python benchmarks/advice.py`: the fast part on three tables, with {len(SEEDS)} seeds that draw
other splits. Per number of repeats of the five folds: how alike two recommended sets are (Jaccard,
mean over pairs of seeds), how many features they have, and the spread of what new rows may expect.

| table | repeats | Jaccard of two sets | features | to expect: mean | standard deviation |
|---|---|---|---|---|---|
"""


def tables() -> dict[str, pl.DataFrame]:
    """Two real ones and one of customers, 6 % of whom buy."""
    found = {}
    for name in ("wine", "wdbc"):
        data = load(name)
        frame = pl.DataFrame(data.X, schema=data.feature_names, orient="row")
        found[name] = frame.with_columns(label=np.array(data.class_names)[data.y])
    rng = np.random.default_rng(5)
    y, X = rng.random(1000) < 0.06, rng.standard_normal((1000, 12))
    X[:, :3] += np.outer(y, [2.0, 1.0, 0.5])
    frame = pl.DataFrame(X, schema=[f"x{i}" for i in range(12)], orient="row")
    return found | {"customers": frame.with_columns(label=np.where(y, "buys", "no"))}


def plan() -> Plan:
    values = yaml.safe_load((PROJECT / "config.yaml").read_text())
    values["datasets"] = {"mine": {"path": "mine.csv", "target": "label"}}
    return Plan(load_config(values, [PROJECT]), PROJECT)


def measured(folder: Path, frame: pl.DataFrame, seed: int) -> tuple[dict[str, pl.DataFrame], dict]:
    """Everything that the fast part measures with the most repeats, and where its files are."""
    study = plan().study("own_fast").on("mine")
    at = {k: str(folder / f"{k}.parquet") for k in ("table", "splits", "batch", *FILES)}
    frame.write_csv(folder / "mine.csv")
    own = {"mine": {"path": str(folder / "mine.csv"), "target": "label"}}
    write_dataset("mine", at["table"], own=own, data={})
    scheme = study.splits | {"repeats": max(REPEATS)}
    write_splits(at["table"], at["splits"], dataset="mine", scheme=scheme, seed=seed, final=True)
    prepared = str(folder / "prepared")
    write_preparations(
        at["table"],
        at["splits"],
        prepared,
        f"{prepared}.json",
        preparations=study.preparations,
        within_split=True,
    )
    variants = [asdict(variant) for variant in study.methods]
    names = sorted({"-".join(v["preparation"]) for v in variants})
    common = {"limits": study.budget, "workers": 2, "log": None}
    select_batch(
        at["table"],
        at["splits"],
        [preparation_file(prepared, name) for name in names],
        at["batch"],
        job=Job("own_fast", "mine", "e", variants, scheme["scheme"], seed, ""),
        batch=None,
        **common,
    )
    evaluate_entry(
        at["table"],
        at["splits"],
        preparation_file(prepared, study.evaluation_preparation),
        [at["batch"]],
        {kind: at[kind] for kind in FILES},
        label="advice",
        code="",
        selects_before_split=False,
        seed=seed,
        **common,
        **study.evaluate,
    )
    return {kind: read(at[kind], kind) for kind in FILES}, at


def advice(frames: dict[str, pl.DataFrame], at: dict, repeats: int) -> tuple[set[str], float]:
    """The recommended features, and what to expect of them, from the first repeats alone."""
    own = {
        kind: frame.filter(pl.col("split") < 5 * repeats) if "split" in frame.columns else frame
        for kind, frame in frames.items()
    }
    splits = read(at["splits"], "splits").filter(pl.col("split") < 5 * repeats)
    setting = Setting.of(partial(read_table, at["table"]), splits, None)
    found = compare(own, datasets=["mine"], settings={"mine": setting})
    features = set(found["selected_features"]["name"].to_list())
    return features, found["recommendation"]["expected"][0]


def main() -> None:
    rows = []
    for name, frame in tables().items():
        found: dict[int, list] = {repeats: [] for repeats in REPEATS}
        for seed in SEEDS:
            with tempfile.TemporaryDirectory() as folder:
                frames, at = measured(Path(folder), frame, seed)
                for repeats in REPEATS:
                    found[repeats].append(advice(frames, at, repeats))
        for repeats, advices in found.items():
            sets, expected = zip(*advices, strict=True)
            alike = np.mean([len(a & b) / len(a | b) for a, b in combinations(sets, 2)])
            sizes = [len(s) for s in sets]
            rows.append(
                f"| {name} | {repeats} | {alike:.2f} | {min(sizes)} to {max(sizes)} | "
                f"{np.mean(expected):.3f} | {np.std(expected, ddof=1):.4f} |"
            )
            print(rows[-1], flush=True)
    results = RESULTS / "own.md"
    before = results.read_text().partition(f"\n{HEADING}")[0]
    results.write_text(f"{before}\n{TEXT}" + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
