"""Costs are told beforehand: by measured growth, corrected by earlier runs, with their error."""

import re
import time
from pathlib import Path

import polars as pl
import pytest
import yaml

from fslib.cli import main
from fslib.config.cost import COMPOSED, Shape, growth
from fslib.config.estimate import Earlier, expected_jobs, recorded_jobs, summary
from fslib.config.load import load_config
from fslib.config.plan import Plan
from fslib.evaluate.classifier import CLASSIFIERS
from fslib.registry import METHODS
from fslib.run.artefacts import frame_of, write

PROJECT = Path(__file__).resolve().parents[2]
CONFIG = yaml.safe_load((PROJECT / "config.yaml").read_text())
STUDY = {
    "title": "Mine",
    "datasets": ["wine", "wdbc"],
    "prepare": {"continuous": ["minmax"], "discrete": ["bins5"], "evaluation": ["standard"]},
    "splits": {"scheme": "holdout", "repeats": 4},
    "limits": "quick",
    "methods": {name: {"use": name} for name in ("correlation", "svm_rfe")},
    "evaluate": {"classifiers": ["nb"], "sizes": [1, 3]},
}


@pytest.fixture
def plan(tmp_path):
    """A plan of a small study with an output folder of its own."""
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / "mine.yaml").write_text(yaml.safe_dump(STUDY))
    config = {**CONFIG, "studies": ["mine"], "output": str(tmp_path / "results")}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config))
    return Plan(load_config(config, folders=[tmp_path]), PROJECT)


def write_runs(plan, dataset, entry, seconds):
    """What an earlier run left behind of one entry, whether it went on or not."""
    row = {
        "dataset": dataset,
        "method": entry,
        "role": "competitor",
        "status": "ok",
        "reason": "",
        "wall_seconds": seconds,
        "cpu_seconds": seconds,
        "peak_mb": 1.0,
        "n_fits": 0,
        "seed": 1,
        "n_selected": 1,
        "ordered": True,
        "preparation": "minmax",
        "fitted": "within_split",
        "fingerprint": "",
    }
    rows = frame_of([{**row, "split": split} for split in range(4)], "batch")
    write(rows, plan.at.batch("mine", dataset, "shared", 0), "batch")


def write_times(plan, job, seconds):
    path = Path(plan.at.times(job))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"s\tmean_load\tcpu_time\n{seconds}\t90\t{seconds}\n")


def test_every_method_and_classifier_has_been_measured():
    law = growth()
    assert [name for name in METHODS.names() if not law.knows(name)] == []
    assert set(law.curves) == set(CLASSIFIERS.names())
    assert set(law.start) == {path.stem for path in (PROJECT / "scripts").glob("*.py")}


@pytest.mark.parametrize(("method", "seconds"), [("amfes", 12), ("svm_rfe", 36)])
def test_the_synthetic_sets_of_amfes_cost_what_was_measured(method, seconds):
    assert growth().fit(method, {}, Shape(1200, 2000)) == pytest.approx(seconds, rel=0.5)


@pytest.mark.parametrize(
    ("method", "params", "times"),
    [
        ("amfes", {"n_subsets": 20}, 0.2),
        ("amfes", {"keep": 0.5**0.5}, 2),
        ("daf", {"n_probes": 5000}, 5),
        ("mrmr", {"n_features_to_select": 20}, 0.2),
        ("irelief", {"max_iter": 5}, 1 / 3),
    ],
)
def test_parameters_that_matter_count_in_proportion(method, params, times):
    shape = Shape(200, 100)
    plain = growth().fit(method, {}, shape)
    assert growth().fit(method, params, shape) == pytest.approx(times * plain)


def test_a_method_that_fits_others_costs_what_they_cost():
    shape, ranker = Shape(500, 100), {"use": "amfes"}
    assert set(COMPOSED) <= set(METHODS.names())
    once = growth().fit("select_by_validation", {"ranker": ranker, "n_pairs": 1}, shape)
    many = growth().fit("select_by_validation", {"ranker": ranker, "n_pairs": 20}, shape)
    assert many == pytest.approx(20 * once)
    assert once > 0.5 * growth().fit("amfes", {}, shape)
    assert growth().fit("best_prefix", {"ranker": ranker, "cv": 5}, shape) > 4 * once


def test_rankings_on_halves_of_the_rows_cost_what_these_cost():
    ranker = {"use": "relieff"}
    cost = growth().fit("stability_selection", {"ranker": ranker, "n_pairs": 10}, Shape(400, 100))
    assert cost == pytest.approx(20 * growth().fit("relieff", {}, Shape(200, 100)))


def test_a_classifier_of_somebody_else_has_a_cost_too():
    params = {"ranker": {"use": "correlation"}, "classifier": {"use": "sklearn.svm:LinearSVC"}}
    assert growth().fit("best_prefix", params, Shape(400, 100)) > 0


def test_a_search_among_texts_costs_what_was_measured():
    """0.06 to 0.09 s for a probe of Reuters, by how busy the machine was."""
    search = {"criterion": "svm_linear", "max_subset_size": 200, "n_probes": 1000}
    texts = Shape(4470, 9719, 33, text=True)
    assert 30 < growth().fit("daf", search, texts) < 150
    assert growth().fit("daf", search, Shape(4470, 9719, 33)) > 1000


def test_each_pair_of_classes_has_a_machine_of_its_own():
    two, ten = Shape(1000, 64, 2), Shape(1000, 64, 10)
    assert growth().fit("svm_rfe", {}, ten) > growth().fit("svm_rfe", {}, two)
    assert growth().fit("mrmr", {}, ten) == growth().fit("mrmr", {}, two)


def test_a_method_of_somebody_else_is_guessed_and_said_to_be(plan, capsys, monkeypatch):
    monkeypatch.chdir(Path(plan.at.output).parent)
    forest = "sklearn.ensemble:RandomForestClassifier"
    assert 0 < growth().fit(forest, {}, Shape(200, 100)) < 10
    study = STUDY | {"methods": {"forest": {"use": forest}}}
    Path("studies/mine.yaml").write_text(yaml.safe_dump(study))
    assert main(["cost", "mine"]) == 0
    said = capsys.readouterr().out
    assert "never measured" in said
    assert forest in said


@pytest.mark.parametrize("target", ["amfes", "grand"])
def test_the_command_answers_in_seconds(target, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(PROJECT)
    begin = time.process_time()
    assert main(["cost", target, "--cores", "32", "--output", str(tmp_path)]) == 0
    assert time.process_time() - begin < 15
    said = capsys.readouterr().out
    for wanted in (
        "core-hours",
        "longest chain: ",
        "with --cores 32: ",
        "by measured growth alone",
    ):
        assert wanted in said
    assert re.search(r"^select +\d+ +\d+\.\d+", said, re.MULTILINE)


def test_an_unknown_study_is_refused_with_the_nearest(capsys, monkeypatch):
    monkeypatch.chdir(PROJECT)
    assert main(["cost", "quik"]) == 2
    assert "did you mean 'quick'" in capsys.readouterr().err


def test_jobs_are_those_that_snakemake_plans(plan):
    jobs = expected_jobs(plan, "mine")
    # Two tables; their preparation, a selection and an evaluation of all that is cheap on each.
    assert len(jobs.tasks) == 2 * 4 + 3
    assert jobs.tasks["mine/wine/shared/evaluate"].after == ("mine/wine/shared/batch-0",)
    assert jobs.tasks["mine/wine/shared/batch-0"].after == ("mine/wine/prepare",)
    assert set(jobs.tasks["report/index"].after) == {"mine/figures"}


def test_earlier_runs_correct_growth_by_cell_or_by_method(plan):
    def expected(dataset):
        job = f"mine/{dataset}/shared/batch-0"
        return expected_jobs(plan, "mine", Earlier(plan).factor).tasks[job].shared

    before = expected("wine"), expected("wdbc")
    write_runs(plan, "wine", "svm_rfe", 5.0)
    # Four splits, and the correlation, which takes its process alone.
    assert expected("wine") == pytest.approx(4 * (5 + 0.04) + 4 * 0.04, abs=0.05)
    # The same method on another data set grows as before from there.
    assert expected("wdbc") > 3 * before[1]
    # What is cut does not move.
    assert plan.batch("mine", "wine", "shared", 0).seconds == pytest.approx(before[0])


def test_the_error_of_growth_is_told_for_each_study(plan, capsys, monkeypatch):
    monkeypatch.chdir(Path(plan.at.output).parent)
    assert main(["cost", "mine"]) == 0
    assert "no earlier runs" in capsys.readouterr().out
    taken = growth().fit("svm_rfe", {}, Shape(0.8 * 569, 30))
    write_runs(plan, "wdbc", "svm_rfe", 4 * taken)
    assert main(["cost", "mine"]) == 0
    said = capsys.readouterr().out
    assert "mine: 1 fit" in said
    assert "0.25 (median)" in said
    assert "at worst 4.0 (svm_rfe on wdbc" in said
    for name, stage in expected_jobs(plan, "mine").stages.items():
        write_times(plan, name, 50.0 if stage == "select" else 25.0)
    assert main(["cost", "mine"]) == 0
    assert re.search(
        r"mine, whole jobs: select \d+ s for 100 s, evaluate \d+ s for 50 s",
        capsys.readouterr().out,
    )


def test_recorded_times_replace_expected_ones(plan):
    jobs = expected_jobs(plan, "mine")
    for name in jobs.tasks:
        write_times(plan, name, 4.0)
    recorded, count = recorded_jobs(jobs, plan.at)
    assert count == len(jobs.tasks)
    assert {task.cpu for task in recorded.tasks.values()} == {4.0}
    total = summary(recorded, cores=1)
    assert total.wall == 4 * len(jobs.tasks)
    assert total.use == 1
    # table, prepare, select, evaluate, compare, figures, report
    assert total.chain == 7 * 4


def test_times_of_another_cut_are_shared_out_anew(plan):
    jobs = expected_jobs(plan, "mine")
    start = jobs.tasks["mine/wine/shared/batch-0"].alone
    for number in range(2):  # a run with two batches, where there is one now
        write_times(plan, f"mine/wine/shared/batch-{number}", start + 3)
    recorded, _ = recorded_jobs(jobs, plan.at)
    assert recorded.tasks["mine/wine/shared/batch-0"].cpu == pytest.approx(start + 6)


def test_the_command_simulates_from_recorded_times(plan, capsys, monkeypatch):
    monkeypatch.chdir(Path(plan.at.output).parent)
    for name in expected_jobs(plan, "mine").tasks:
        write_times(plan, name, 4.0)
    assert main(["cost", "mine", "--simulate", "2"]) == 0
    said = capsys.readouterr().out
    assert "11 of 11 jobs with their recorded times" in said
    assert "with --cores 2: " in said


@pytest.mark.parametrize("target", ["amfes", "grand"])
def test_32_cores_are_used(target):
    plan = Plan(load_config(CONFIG, folders=[PROJECT]), PROJECT)
    assert summary(expected_jobs(plan, target, cores=32), cores=32).use >= 0.85


def test_quick_takes_little_longer_on_32_cores_than_its_longest_chain():
    """Its jobs are four minutes of one core in all, and the starts of a chain of seven take longer
    than 32 cores would need for those: no cut could keep them busy."""
    plan = Plan(load_config(CONFIG, folders=[PROJECT]), PROJECT)
    total = summary(expected_jobs(plan, "quick", cores=32), cores=32)
    assert total.wall <= 1.1 * total.chain


def test_earlier_runs_of_studies_that_are_gone_are_left_alone(plan):
    frame = pl.DataFrame({"method": ["a"]})
    path = Path(plan.at.output, "gone", "wine", "a", "batch-0.parquet")
    path.parent.mkdir(parents=True)
    frame.write_parquet(path)
    assert Earlier(plan).fits == []
