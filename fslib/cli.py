"""The `fslib` command: what there is, how far it is, and another try for what failed."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

from fslib.run.errors import FslibError
from fslib.run.layout import TAKEN, Layout, Place
from fslib.run.project import PROJECT
from fslib.run.spelling import nearest


def main(arguments: list[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    # What stands behind -- is for Snakemake.
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser().parse_args(arguments[:end])
    options.snakemake = arguments[end + 1 :]
    try:
        return options.run(options) or 0
    except FslibError as problem:
        print(f"fslib: {problem}", file=sys.stderr)
        return 2
    except KeyError as problem:  # unknown names, with the nearest known ones
        print(f"fslib: {problem.args[0]}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 0


def parser() -> argparse.ArgumentParser:
    """The command line, for the manual too."""
    parser = argparse.ArgumentParser(prog="fslib", description=__doc__)
    parser.add_argument(
        "--config",
        default=_default_config(),
        help="configuration file (default: config.yaml here, or else the project's)",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="run studies to a finished report")
    run.add_argument("study", nargs="*", help="studies (default: those of the configuration)")
    run.add_argument("--cores", default="all", help="cores to use (default: all)")
    run.add_argument("--data", metavar="FILE", help="a table of yours; the study is then `own`")
    _take_own_keys(run)
    run.add_argument("--dry-run", "-n", action="store_true", help="say what would run")
    passed_on = (
        "What stands behind -- is passed on to Snakemake: fslib {} -- --profile profiles/slurm"
    )
    run.epilog = passed_on.format("run")
    run.set_defaults(run=_run)

    init = commands.add_parser("init", help="write config.yaml, studies/, profiles/ to start from")
    init.add_argument("folder", nargs="?", default=".", help="where (default: here)")
    init.add_argument("--force", action="store_true", help="write over what is there")
    init.set_defaults(run=_init)

    where = commands.add_parser("where", help="print the folder of the Snakefile")
    where.set_defaults(run=lambda options: print(PROJECT))

    datasets = commands.add_parser("datasets", help="list the data sets, or fetch some ahead")
    datasets.set_defaults(run=_datasets)
    actions = datasets.add_subparsers(metavar="ACTION")
    fetch = actions.add_parser("fetch", help="get raw files ahead, for nodes without network")
    fetch.add_argument("names", nargs="+", metavar="NAME", help="data sets, or `all`")
    fetch.set_defaults(run=_fetch)

    check = commands.add_parser(
        "check", help="what is in a table of yours, what will mislead, and what `own` will take"
    )
    check.add_argument("table", help="a file, or a table of config.yaml by its name")
    _take_own_keys(check)
    check.add_argument("--study", default="own", help="the study to foresee (default: own)")
    check.add_argument("--cores", type=_positive, default=2, help="cores to run on (default: 2)")
    check.add_argument("--strict", action="store_true", help="fail where there are warnings")
    check.set_defaults(run=_check)

    methods = commands.add_parser("methods", help="list the methods with their tags")
    methods.set_defaults(run=_methods)

    status = commands.add_parser("status", help="how far the runs in the output folder are")
    status.add_argument("--output", help="output folder (default: that of the configuration)")
    status.set_defaults(run=_status)

    explain = commands.add_parser("explain", help="why jobs would run again, a line each")
    explain.add_argument("study", nargs="*", help="studies (default: those of the configuration)")
    explain.set_defaults(run=_explain)

    cost = commands.add_parser("cost", help="what a study will cost, before it is run")
    cost.add_argument("study", help="a study, or a part of one")
    cost.add_argument("--cores", type=_positive, default=32, help="cores to run on (default: 32)")
    cost.add_argument(
        "--simulate", type=_positive, metavar="N", help="recorded job times on N cores instead"
    )
    cost.add_argument(
        "--output", help="folder of earlier runs (default: that of the configuration)"
    )
    cost.set_defaults(run=_cost)

    retry = commands.add_parser("retry", help="run again just the cells that are not ok")
    retry.add_argument("study", nargs="?", help="only this study (default: all with results)")
    retry.add_argument("--cores", default="1", help="cores for Snakemake (default: 1)")
    retry.add_argument("--dry-run", action="store_true", help="list the cells, run nothing")
    retry.epilog = passed_on.format("retry")
    retry.set_defaults(run=_retry)

    export = commands.add_parser("export", help="write the recommended features as a model to use")
    export.add_argument("study", help="a study that has run")
    export.add_argument("dataset", help="one of its data sets")
    export.add_argument("-o", dest="folder", required=True, help="folder to write to")
    export.add_argument("--classifier", help="one of the study's (default: the best)")
    export.add_argument("--output", help="output folder (default: that of the configuration)")
    export.set_defaults(run=_export)

    keep = commands.add_parser("keep", help="keep the outcome of a paper's study with the paper")
    keep.add_argument("study", help="a finished study with a paper")
    keep.add_argument("--note", default="", help="what a reader should know of the run")
    keep.add_argument(
        "--add",
        action="store_true",
        help="leave what is kept already where this run decided less, to keep a study part by part",
    )
    keep.add_argument(
        "--apart",
        action="store_true",
        help="beside the outcome of the paper's main study, as grand_multi stands beside grand",
    )
    keep.add_argument("--output", help="output folder (default: that of the configuration)")
    keep.set_defaults(run=_keep)
    return parser


def _default_config() -> str:
    return "config.yaml" if Path("config.yaml").exists() else str(PROJECT / "config.yaml")


def _run(options) -> int:
    studies = options.study
    command = [*_snakemake(options), "--cores", options.cores]
    said, settings = _own_keys(options), _own_settings(options)
    if options.data or said:
        if not options.data or "target" not in said:
            raise FslibError("a table needs both: --data FILE and --target COLUMN")
        settings["datasets"] = {_name_of(options.data): {"path": options.data, **said}}
        studies = studies or ["own"]
    if settings:
        command += ["--config", *(f"{key}={json.dumps(value)}" for key, value in settings.items())]
    if options.dry_run:
        command.append("--dry-run")
    # Targets last, after an option that takes one word: most options of Snakemake take several.
    return subprocess.call([*command, *options.snakemake, "--nolock", *studies])


def _init(options) -> None:
    from fslib.run.starter import write_starter

    for path in write_starter(Path(options.folder), force=options.force):
        print(path)
    print("Tables and methods of yours go into config.yaml. To begin: fslib run my_study --cores 4")


def _layout(options) -> Layout:
    return Layout(options.output or _config(options)["output"])


def _config(options):
    from fslib.config.load import load_config

    return load_config(options.config, folders=[Path.cwd(), PROJECT])


def _data_settings(options) -> dict:
    """Where data come from: the configuration if there is one, else the environment alone."""
    if Path(options.config).exists():
        settings = _config(options)["data"]
        return {**settings, "offline": settings["offline"] or None}
    return {"mirror": None, "offline": None, "cache": None}


def _datasets(options) -> None:
    from fslib.data import describe_datasets, state

    settings = _data_settings(options)
    rows = []
    for about in describe_datasets():
        where = state(about["name"], settings["mirror"], settings["cache"])
        shape = f"{about['rows']} × {about['features']}"
        rows.append((about["name"], shape, str(about["classes"]), where, about["title"]))
    _print_table(("name", "shape", "classes", "state", "title"), rows)


def _fetch(options) -> None:
    from fslib.data import card, dataset_names, fetch

    names = options.names
    if names == ["all"]:
        names = [n for n in dataset_names() if card(n).kind == "download"]
    fetch(names, **_data_settings(options), progress=True)


#: Keys of an own table beside `path`, as config.yaml has them.
_OWN_KEYS = {
    "target": "the column that holds the class",
    "drop": "a column that is no feature, * for any letters; may be repeated",
    "id": "the column of row names",
    "group": "the column that tells which rows belong together",
    "time": "the column that tells when a row was observed",
    "categorical": "a column of numbers that stand for categories; may be repeated",
    "missing": "a value that stands for missing, may be repeated; or what a missing category is, "
    "`level` or `median`",
    "sheet": "the sheet of a spreadsheet",
    "positive": "the class of interest",
}
_LISTS = ("drop", "categorical", "missing")


def _take_own_keys(command: argparse.ArgumentParser) -> None:
    for key, about in _OWN_KEYS.items():
        command.add_argument(f"--{key}", action="append" if key in _LISTS else "store", help=about)
    command.add_argument(
        "--most-rows",
        type=_positive,
        metavar="N",
        help="rows of a split at most, a sample of larger tables (default: the study's)",
    )


def _own_keys(options) -> dict:
    """What the command line says of an own table, as config.yaml has it."""
    said = {key: value for key in _OWN_KEYS if (value := getattr(options, key)) is not None}
    ways = [word for word in said.get("missing", ()) if word in ("level", "median")]
    if ways:
        values = [word for word in said["missing"] if word not in ways]
        said["missing"] = {"values": values, "as": ways[-1]}
    return said


def _own_settings(options) -> dict:
    """What the command line says of the studies on own tables, as config.yaml has it."""
    return {} if options.most_rows is None else {"most_rows": options.most_rows}


def _name_of(path: str) -> str:
    """What a table that no configuration names is called: as its file, without its ends."""
    from fslib.data import dataset_names

    name = re.sub(r"\W+", "_", Path(path).name.partition(".")[0])
    return f"my_{name}" if name in {*dataset_names(), *TAKEN["data set"]} else name


def _check(options) -> int:
    from fslib.config.afford import Size
    from fslib.config.foresight import foresight
    from fslib.config.load import load_config
    from fslib.config.plan import Plan
    from fslib.data import check_table, read_own

    config = _config(options)
    name, keys = _own_table(options, config)
    data = read_own(**keys, name=name)
    values = {**config.values, **_own_settings(options), "datasets": {name: keys}}
    plan = Plan(load_config(values, config.folders), PROJECT)
    study = plan.studies([options.study])[0].on(name)
    found = check_table(data, folds=None, refusal=_refusal(data, study, config))
    print(f"{keys['path']}: {found.facts()}")
    for warning in found.warnings:
        print(f"warning: {warning.text}")
    print(*foresight(plan, options.study, Size.of(data), options.cores), sep="\n")
    return 1 if options.strict and found.warnings else 0


def _refusal(data, study, config) -> str | None:
    """Why a study cannot divide a table into its splits, if it cannot, and where to change it."""
    from fslib.data.canonical import canonical
    from fslib.split.stage import refusal

    why = refusal(canonical(data), study.splits, config["seed"])
    if why is None:
        return None
    name = study.name
    while name in config.continued:  # it has the splits of the study that it continues
        name = config.continued[name]
    return f"{why} The splits are those of studies/{name}.yaml."


def _own_table(options, config) -> tuple[str, dict]:
    """The name of a table and its keys: those of config.yaml, changed by the command line's."""
    said, known = _own_keys(options), config["datasets"]
    if options.table in known:
        return options.table, {**known[options.table], **said}
    if "target" not in said:
        if not Path(options.table).is_file():
            near = nearest(options.table, known)
            raise FslibError(f"{options.table}: no such file, nor a table of config.yaml{near}")
        raise FslibError(f"{options.table}: which column holds the class? Say --target COLUMN")
    return _name_of(options.table), {"path": options.table, **said}


def _methods(options) -> None:
    from fslib.pages import parameters, summary_of, tags
    from fslib.registry import METHODS

    for name, cls in METHODS.all().items():
        said = f" [{', '.join(tags(cls))}]" if tags(cls) else ""
        print(f"{name} ({cls.__name__}){said}: {summary_of(cls)}")
        for line in textwrap.wrap(parameters(cls), 96):
            print(f"    {line}")


def _status(options) -> None:
    from fslib.config.plan import Plan
    from fslib.run.status import progress, summary

    at, config = _layout(options), _config(options)
    plan = Plan(config, PROJECT)
    by_study: dict[str, list] = {}
    for job in progress(at):
        if _is_planned(job.place, plan):
            by_study.setdefault(job.place.study, []).append(job)
    if by_study:
        print("Of the jobs begun so far, select: fits of a method on a split;")
        print("evaluate: splits of a method entry, measured by a classifier.")
        if any(job.stage == "probes" for jobs in by_study.values() for job in jobs):
            print("probes: stretches of a search that is too long for one job.")
    for study, jobs in by_study.items():
        counts = []
        for stage in ("probes", "select", "evaluate"):
            own = [job for job in jobs if job.stage == stage]
            if own or stage != "probes":
                counts.append(f"{stage} {sum(j.done for j in own)} of {sum(j.total for j in own)}")
        failed = sum(job.failed for job in jobs)
        print(f"{study}: {', '.join(counts)}" + (f", {failed} failed" if failed else ""))
        for job in jobs:
            if job.done < job.total:
                print(f"  under way: {job.stage} {job.label} {job.done}/{job.total}")
    print(summary(at, known=config.study_names))


def _explain(options) -> None:
    from fslib.config.explain import explained
    from fslib.config.plan import Plan
    from fslib.run.numbers import count

    config = _config(options)
    for name in options.study:
        if name not in config.targets:
            raise FslibError(f"unknown study {name!r}{nearest(name, config.targets)}")
    lines = list(explained(Plan(config, PROJECT), _snakemake(options), options.study))
    for line in lines:
        print(line)
    print(count(len(lines), "job") if lines else "nothing would run: everything is up to date")


def _cost(options) -> None:
    from fslib.config.estimate import report
    from fslib.config.plan import Plan

    config = _config(options)
    if options.study not in config.targets:
        raise FslibError(f"unknown study {options.study!r}{nearest(options.study, config.targets)}")
    plan = Plan(config, PROJECT)
    plan.at = _layout(options)
    cores = options.simulate or options.cores
    print(report(plan, options.study, cores, simulate=options.simulate is not None))


def _positive(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


def _retry(options) -> int:
    from fslib.config.plan import Plan
    from fslib.run.status import failures

    config = _config(options)
    if options.study:
        config.study(options.study)  # refuses a name that is none
    found = failures(Layout(config["output"]), options.study)
    plan = Plan(config, PROJECT)
    files = {path: failed for path, failed in found.items() if _is_wanted(path, failed[0], plan)}
    for path in found.keys() - files.keys():
        print(f"{path}: left alone, no study has it any more")
    if not files:
        print("every cell is ok: nothing to run again")
        return 0
    for place, cells in files.values():
        for dataset, method, split, status, reason in cells:
            print(f"{place.study}: {dataset} × {method}, split {split}: {status}: {reason}")
    print(f"{sum(len(cells) for _, cells in files.values())} cells in {len(files)} jobs")
    if options.dry_run:
        return 0
    studies = sorted({place.study for place, _ in files.values()})
    command = [*_snakemake(options), *studies, "--cores", options.cores, "--forcerun"]
    return subprocess.call([*command, *map(str, files), *options.snakemake])


def _snakemake(options) -> list[str]:
    """The call of Snakemake that a person would type."""
    # The configuration first: that option takes every word up to the next option.
    call = [sys.executable, "-m", "snakemake", "--configfile", options.config]
    return [*call, "--snakefile", str(PROJECT / "Snakefile")]


def _export(options) -> None:
    from fslib.compare.export import export
    from fslib.data import dataset_names

    config, at = _config(options), _layout(options)
    if options.dataset not in config["datasets"] and options.dataset not in dataset_names():
        # A table of `fslib run --data` that no configuration names; its results know all else.
        own = {options.dataset: {"path": at.table(options.dataset), "target": "target"}}
        config = replace(config, values=config.values | {"datasets": own})
    study = config.study(options.study)
    about = export(
        at,
        study.name,
        options.dataset,
        options.folder,
        steps=study.prepare["evaluation"],
        classifiers=study.evaluate["classifiers"],
        base_seed=config["seed"],
        classifier=options.classifier,
    )
    share = f"{about['expected']:.3f}" if about["expected"] is not None else "unknown"
    print(
        f"{options.folder}: {len(about['features'])} features and {about['classifier']}; "
        f"{about['measure'].replace('_', ' ')} to expect: {share}. "
        f"Try: python {options.folder}/use_it.py NEW.csv"
    )


def _keep(options) -> None:
    from fslib.config.plan import Plan
    from fslib.reproduce.keep import keep

    config = _config(options)
    if options.study not in config.groups:
        raise FslibError(f"unknown study {options.study!r}{nearest(options.study, config.groups)}")
    parts, paper = config.groups[options.study], config.paper_folder(options.study)
    plan = Plan(config, PROJECT)
    plan.at = _layout(options)
    run = [part for part in parts if Path(plan.at.ledger(part)).exists()]
    how = {"add": options.add, "apart": options.apart}
    inputs = plan.reproduced_from(options.study, run)
    print(keep(plan.at, options.study, parts, paper, options.note, inputs=inputs, **how))


def _is_wanted(path: Path, place: Place, plan) -> bool:
    """Whether a file still belongs to a study; studies change and results stay."""
    if not _is_planned(place, plan):
        return False
    batches = plan.batch_files(*place)
    probes = [file for number in range(len(batches)) for file in plan.probe_files(*place, number)]
    return path in map(Path, [*batches, *probes, *plan.at.measured(*place).values()])


def _is_planned(place: Place, plan) -> bool:
    """Whether a study still has an entry on a data set."""
    return (
        place.study in plan.config.study_names
        and place.dataset in plan.study(place.study).datasets
        and place.entry in plan.entries(place.study, place.dataset)
    )


def _print_table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    widths = [max(len(r[i]) for r in [header, *rows]) for i in range(len(header) - 1)]
    for row in [header, *rows]:
        print("  ".join(c.ljust(w) for c, w in zip(row, [*widths, 0], strict=True)).rstrip())
