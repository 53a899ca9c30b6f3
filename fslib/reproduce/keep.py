"""Small summaries of long runs, kept with their papers: what was reproduced, and what it took."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from fslib.figures.files import read_pictures, write_pictures
from fslib.reproduce.agreement import agreement_pictures
from fslib.reproduce.compare import CELLS, CLAIMS, KEY, score_line
from fslib.reproduce.stage import reproduce
from fslib.run.artefacts import atomic_path, read_any, write_any
from fslib.run.errors import FslibError
from fslib.run.layout import Layout
from fslib.run.paper_folders import outcome_folder
from fslib.run.stamp import commit

#: What the reproduce stage writes, by the names that it has for it.
OUTCOME = {
    "cells": "cells.parquet",
    "claims": "claims.parquet",
    "findings": "findings.json",
    "about": "paper.json",
    "exhibits": "exhibits",
    "folder": "figures",
    "listing": "figures.json",
}
_DECIMALS = 4
_SCHEMAS = {"cells": CELLS, "claims": CLAIMS}
_WAS_RUN = pl.col("standing") != "not run"
#: By kept table, what names a row, and how much of it a run decided.
_KEPT = {
    "cells": (KEY, pl.when(_WAS_RUN).then(pl.col("our_repeats").fill_null(1)).otherwise(0)),
    "claims": (("claim",), pl.col("places")),
}


def keep(
    at: Layout,
    study: str,
    parts: list[str],
    paper: Path,
    note: str = "",
    *,
    add: bool = False,
    apart: bool = False,
    inputs: Mapping[str, Sequence[str]] | None = None,
) -> str:
    """Copy what became of a paper in a finished study, with its circumstances, into its folder.

    Parameters
    ----------
    at : where the results lie.
    study : name of the study file, and ``parts`` the studies that it stands for.
    paper : the paper's folder.
    note : what else a reader should know of the run.
    add : leave what is kept already where this run decided less: cells that it did not run or not
        as often, claims that it judged on fewer places, findings and figures that it does not have.
        A study of many core-hours is run part by part in this way, also on several machines.
    apart : the study asks the paper's questions of other data and stands beside its main one.
    inputs : what the outcome was made of (`reproduce`). With it, and ``add``, the paper is judged
        anew on the exhibits of this run and those that are kept together.

    Returns
    -------
    The score line.
    """
    made = at.outcome(study, "claims.parquet")
    if not Path(made).exists():
        raise FslibError(f"{made} is not there yet: run `snakemake --cores N {study}` first")
    folder = outcome_folder(paper, study if apart else "")
    earlier = folder if add and folder.exists() else None
    run = _circumstances(at, study, parts, note)
    kept = read_exhibits(earlier) if earlier and inputs is not None else {}
    if not kept:
        return _written(at, at, study, run, set(run["hours"]), folder, earlier)
    judged = {f"{study}-{part}" for exhibit in kept.values() for part in exhibit["part"].unique()}
    with _judged_together(inputs, study, kept) as together:
        return _written(together, at, study, run, judged.union(run["hours"]), folder, earlier)


@contextmanager
def _judged_together(inputs, study: str, kept: Mapping[str, pl.DataFrame]):
    """The outcome of a run and of the exhibits that are kept, for as long as it is needed."""
    with TemporaryDirectory() as folder:
        together = Layout(folder)
        out = {name: together.outcome(study, file) for name, file in OUTCOME.items()}
        reproduce(inputs, out, group=study, kept=kept)
        yield together


def _written(
    judged: Layout,
    at: Layout,
    study: str,
    run: dict,
    on: set[str],
    folder: Path,
    earlier: Path | None,
) -> str:
    """Write what was judged ``on`` some parts, beside what is kept of earlier runs."""
    whole = earlier is None or all(on.issuperset(one["hours"]) for one in read_runs(earlier))
    tables = {}
    for name, (key, decided) in _KEPT.items():
        table = read_any(judged.outcome(study, f"{name}.parquet"))
        table = table.with_columns(commit=pl.lit(commit()))
        if earlier is not None:
            # A place is often a data set, but not always: where parts of earlier runs are not
            # judged with this one, as many places are less than they had.
            later = whole or name == "cells"
            table = _joined(table, read_kept(earlier, name), key, decided, later)
        tables[name] = table
    findings = json.loads(Path(judged.outcome(study, "findings.json")).read_text("utf-8"))
    pictures = read_pictures(judged.outcome(study, "figures.json"))
    ranked = set(run["hours"]) == {study}
    if ranked:  # a study without parts ranks all its methods once
        tables |= {name: read_any(at.tables(study)[name]) for name in ("ranks", "friedman")}
        pictures += [p for p in read_pictures(at.figures(study)) if not p.dataset]
    if earlier is not None:
        listing = earlier / "figures.json"
        drawn = read_pictures(listing) if listing.exists() else []
        findings = _added(findings, read_kept_findings(earlier), whole, lambda f: f["name"])
        pictures = _added(pictures, drawn, whole, lambda p: p.name)
        pictures = _added(agreement_pictures(tables["cells"]), pictures, True, lambda p: p.name)
        own = read_any(at.outcome(study, "cells.parquet"))
        runs = _with_run(read_runs(earlier), run, lambda: _again(own, read_kept(earlier, "cells")))
    else:
        runs = [run]
    for name, table in tables.items():
        with atomic_path(folder / f"{name}.csv") as temporary:
            table.write_csv(temporary, float_precision=_DECIMALS)
    write_pictures(pictures, str(folder / "figures"), str(folder / "figures.json"))
    for name, content in (("findings", findings), ("runs", runs)):
        with atomic_path(folder / f"{name}.json") as temporary:
            temporary.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for exhibit in sorted(Path(judged.outcome(study, "exhibits")).glob("*.parquet")):
        write_any(read_any(exhibit), folder / "exhibits" / exhibit.name)
    return score_line(tables["cells"], tables["claims"])


def read_exhibits(folder: Path) -> dict[str, pl.DataFrame]:
    """The kept exhibits of an outcome, by name."""
    return {path.stem: read_any(path) for path in sorted(folder.glob("exhibits/*.parquet"))}


def read_kept(folder: Path, name: str) -> pl.DataFrame:
    """The kept ``cells`` or ``claims`` of an outcome, each row with the commit that it is of."""
    return pl.read_csv(folder / f"{name}.csv", schema=_SCHEMAS[name] | {"commit": pl.String})


def read_kept_findings(folder: Path) -> list[dict]:
    """The kept findings of an outcome."""
    kept = folder / "findings.json"
    return json.loads(kept.read_text("utf-8")) if kept.exists() else []


def read_runs(folder: Path) -> list[dict]:
    """The circumstances of every run that an outcome is made of, the latest last."""
    return json.loads((folder / "runs.json").read_text("utf-8"))


def _joined(
    new: pl.DataFrame, kept: pl.DataFrame, key, decided: pl.Expr, later: bool
) -> pl.DataFrame:
    """Of each row of ``new`` that which decided more; of equals the ``later`` one, or the kept."""
    place = pl.int_range(pl.len()).alias("_place")
    rows = kept.join(new.select(*key, place), on=key, nulls_equal=True)
    stays = pl.lit(0.0) if later else 0.5 * (decided > 0)
    both = pl.concat(
        [
            new.with_columns(place, _decided=decided.cast(pl.Float64)),
            rows.with_columns(_decided=decided + stays),
        ]
    )
    most = both.sort("_place", "_decided", descending=[False, True], maintain_order=True)
    return most.unique("_place", keep="first", maintain_order=True).drop("_place", "_decided")


def _added(new: list, kept: list, later: bool, name: Callable) -> list:
    """New ones and kept ones; under a name that both have the ``later`` one, or the kept."""
    first, second = (new, kept) if later else (kept, new)
    known = set(map(name, first))
    return [*first, *(one for one in second if name(one) not in known)]


def _with_run(runs: list[dict], run: dict, again: Callable[[], dict]) -> list[dict]:
    """The circumstances of kept runs and of this one, in the place of its own earlier ones.

    A run is kept whenever more of it is finished. Its earlier circumstances are known by a part
    that took as long to the second: the very results, which do not make it a second run either.
    """
    took = run["hours"].items()
    before = [one for one in runs if one["hours"].items() & took]
    if not before:
        return [*runs, run | again()]
    told = {key: one[key] for one in before for key in ("note", "again") if key in one}
    return [*(one for one in runs if not one["hours"].items() <= took), told | run]


def _again(own: pl.DataFrame, kept: pl.DataFrame) -> dict:
    """Which of the cells that a run made, and an earlier one of as much, came out the same."""
    both = own.join(kept, on=[*KEY, "our_repeats"], nulls_equal=True, suffix="_kept")
    both = both.drop_nulls(["ours", "ours_kept"])
    if both.is_empty():
        return {}
    same = (pl.col("ours").round(_DECIMALS) - pl.col("ours_kept")).abs() < 10.0**-_DECIMALS / 2
    others = both.filter(~same)["quantity"].value_counts(sort=True)
    commits = both["commit"].unique().sort().to_list()
    return {"again": {"cells": len(both), "of": commits, "others": dict(others.iter_rows())}}


def _circumstances(at: Layout, study: str, parts: list[str], note: str) -> dict:
    run = [part for part in parts if Path(at.ledger(part)).exists()]
    left_out = ", ".join(part for part in parts if part not in run)
    without = f" --config without='[{left_out}]'" if left_out else ""
    return {
        "command": f"snakemake --cores {os.cpu_count()} {study}{without}",
        "commit": commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {_memory()} GB",
        "hours": {part: round(_hours(at, part), _DECIMALS) for part in run},
        **({"note": note} if note else {}),
    }


def _memory() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def _hours(at: Layout, part: str) -> float:
    """Core-hours of all jobs of a part, from the benchmark files that Snakemake writes.

    Sums of wall-clock time, as each job has one core; Snakemake's CPU time misses short fits.
    """
    return sum(pl.read_csv(path, separator="\t")["s"].sum() for path in at.times_of(part)) / 3600
