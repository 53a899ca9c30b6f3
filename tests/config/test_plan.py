"""What jobs ask a cluster for, how batches are cut, and which jobs go first."""

from pathlib import Path

import pytest
import yaml

from fslib.config import batches as cutting
from fslib.config.load import load_config
from fslib.config.plan import Plan
from fslib.select.stage import Fit, _sharing

PROJECT = Path(__file__).resolve().parents[2]
CONFIG = yaml.safe_load((PROJECT / "config.yaml").read_text())
DAY = 24 * 60
#: Studies whose select jobs must be short: the papers', their small forms, and all methods.
SHORT = ["amfes", "babd", "daf", "stability", "survey", "grand"]
SHORT += [f"{name}_small" for name in SHORT]
STUDY = {
    "title": "Mine",
    "datasets": ["wine", "digits"],
    "prepare": {"continuous": ["minmax"], "discrete": ["bins5"], "evaluation": ["standard"]},
    "splits": {"scheme": "holdout", "repeats": 20},
    "batch": 20,
    "limits": "paper",
    "methods": {
        "mrmr": {"use": "mrmr", "variants": {"mid": {}, "miq": {"scheme": "MIQ"}}},
        "two": {"variants": {"correlation": {"use": "correlation"}, "cmim": {"use": "cmim"}}},
    },
    "evaluate": {"classifiers": ["nb"]},
}


@pytest.fixture(scope="module")
def project():
    return Plan(load_config(CONFIG, folders=[PROJECT]), PROJECT)


@pytest.fixture
def plan_of(tmp_path):
    """A plan of one study given as values, and the warnings it said."""

    def planned(config=CONFIG, **changes):
        (tmp_path / "studies").mkdir(exist_ok=True)
        (tmp_path / "studies" / "mine.yaml").write_text(yaml.safe_dump({**STUDY, **changes}))
        said = []
        loaded = load_config({**config, "studies": ["mine"]}, folders=[tmp_path])
        return Plan(loaded, PROJECT, warn=said.append), said

    return planned


def jobs_of(plan, target):
    """Every select job of a target: study, data set, entry and number."""
    for study in plan.studies([target]):
        for dataset in study.datasets:
            for entry in study.entries:
                for number in range(len(plan.batches(study.name, dataset, entry))):
                    yield study.name, dataset, entry, number


def requests(plan, target, attempt=1):
    return {
        job: plan.select_minutes(*job, plan.study(job[0]).threads, attempt)
        for job in jobs_of(plan, target)
    }


@pytest.mark.slow
@pytest.mark.parametrize("target", ["stability_small", "stability", *SHORT, "quick"])
def test_no_request_exceeds_a_day_whatever_the_attempt(project, target):
    for attempt in (1, 3):
        assert max(requests(project, target, attempt).values()) <= DAY


def test_the_time_asked_for_is_that_of_the_fits_a_job_has(plan_of):
    plan, _ = plan_of(splits={"scheme": "holdout", "repeats": 3})
    limit = CONFIG["limits"]["paper"]["seconds"] / 60
    # Two variants share one fit; three splits, not the batch of twenty.
    assert plan.select_minutes("mine", "wine", "mrmr", 0, 1, 1) == 5 + 3 * limit
    assert plan.select_minutes("mine", "wine", "two", 0, 1, 1) == 5 + 2 * 3 * limit
    # Three fits on two workers take two rounds.
    assert plan.select_minutes("mine", "wine", "mrmr", 0, 2, 1) == 5 + 2 * limit


def test_further_attempts_ask_for_more_within_the_cap(plan_of):
    plan, _ = plan_of(splits={"scheme": "holdout", "repeats": 3})
    asked = [plan.select_minutes("mine", "wine", "two", 0, 1, attempt) for attempt in (1, 2, 3)]
    assert asked == [725, DAY, DAY]
    assert plan.evaluate_minutes("mine", "wine", "two", 9) == DAY


def test_the_cap_cuts_batches(plan_of):
    plan, said = plan_of(job_minutes=500)
    jobs = requests(plan, "mine")
    assert max(jobs.values()) <= 500
    assert said == []
    of_mrmr = plan.batches("mine", "wine", "mrmr")
    # Four fits of two hours within 500 minutes; as evenly as twenty splits allow.
    assert [len(batch.splits) for batch in of_mrmr] == [4, 4, 4, 4, 4]
    assert [s for batch in of_mrmr for s in batch.splits] == list(range(20))


def test_a_fit_that_may_exceed_the_cap_alone_is_warned_of_once(plan_of):
    plan, said = plan_of(job_minutes=100)
    assert set(requests(plan, "mine").values()) == {125}
    assert len(said) == 1
    assert "125 minutes" in said[0]
    assert "job_minutes: 100" in said[0]
    assert "\n" not in said[0]
    assert all(batch.n_fits == 1 for batch in plan.batches("mine", "wine", "mrmr"))


@pytest.mark.parametrize("target", SHORT)
def test_no_select_job_of_a_paper_or_of_grand_expects_more_than_an_hour(project, target):
    late = {job: project.batch(*job).seconds for job in jobs_of(project, target)}
    late = {job: seconds for job, seconds in late.items() if seconds > 3600}
    assert not late


@pytest.mark.parametrize("target", ["quick", "stability", "grand", "survey"])
def test_batches_hold_every_variant_on_every_split_once(project, target):
    for study in project.studies([target]):
        for dataset in study.datasets:
            for entry in study.entries.values():
                cells = [
                    (variant.name, split)
                    for batch in project.batches(study.name, dataset, entry.name)
                    for variant in batch.variants
                    for split in batch.splits
                ]
                numbers = study.split_numbers(project.known(dataset).n_rows)
                assert len(cells) == len(set(cells))
                assert set(cells) == {(v.name, s) for v in entry.variants for s in numbers}


def test_variants_that_share_a_fit_stay_in_one_job(project):
    for name in ("grand", "daf-madelon_budget", "quick"):
        for entry in project.study(name).entries.values():
            variants = [vars(v) for v in entry.variants]
            as_fitted = _sharing([Fit(v, 0, 0, "") for v in variants])
            assert [[v.name for v in fit] for fit in entry.fits] == [
                [fit.variant["name"] for fit in together] for together in as_fitted
            ]
            for dataset in project.study(name).datasets:
                for batch in project.batches(name, dataset, entry.name):
                    assert {v for fit in batch.fits for v in (w.name for w in fit)} == {
                        v.name for v in batch.variants
                    }


def test_batches_do_not_depend_on_the_machine_or_on_earlier_runs(project, tmp_path, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    elsewhere = Plan(load_config({**CONFIG, "output": str(tmp_path)}, folders=[PROJECT]), PROJECT)
    for job in jobs_of(project, "quick"):
        assert project.batch(*job) == elsewhere.batch(*job)


def test_a_costly_entry_is_cut_finer_than_a_cheap_one(project):
    costly = project.batches("quick", "lucas_generated", "wrappers")
    cheap = project.batches("quick", "wine", "controls")
    assert len(costly) > len(cheap) == 1


def test_an_own_table_is_cut_by_what_the_study_says_alone(plan_of):
    own = {**CONFIG, "datasets": {"mine": {"path": "mine.csv", "target": "label"}}}
    plan, _ = plan_of(own, datasets=["mine"], limits="quick", batch=8)
    assert [len(b.splits) for b in plan.batches("mine", "mine", "mrmr")] == [7, 7, 6]
    plan, _ = plan_of(own, datasets=["mine"], limits="quick", splits={"scheme": "loo"})
    assert [b.splits for b in plan.batches("mine", "mine", "mrmr")] == [None]


def test_long_jobs_go_first(project):
    jobs = list(jobs_of(project, "quick"))
    seconds = [project.batch(*job).seconds + project.evaluation(*job[:3]).wall() for job in jobs]
    priorities = [project.select_priority(*job) for job in jobs]
    by_cost = sorted(range(len(jobs)), key=seconds.__getitem__)
    assert [priorities[i] for i in by_cost] == sorted(priorities)
    assert len(set(priorities)) > 5
    wide = [project.evaluate_priority(*job[:3]) for job in jobs]
    assert max(wide) < 1000  # what tables and splits have in rules/common.smk


def test_a_long_evaluation_gets_more_workers(project):
    assert project.evaluation("quick", "digits", "filters").threads > 1
    assert project.evaluation("quick", "wine", "controls").threads == 1


def test_quick_stays_within_its_number_of_jobs(project):
    assert len(list(jobs_of(project, "quick"))) <= 150 - 67


def test_parts_of_an_entry_keep_the_order_of_its_fits():
    assert list(cutting._parts([1, 1, 9, 1, 1], 3, 5)) == [[0, 1], [2], [3, 4]]
    assert list(cutting._parts([1, 1, 1, 1], 3, 50)) == [[0, 1, 2], [3]]


def test_what_computes_knows_the_libraries_that_compute(plan_of, monkeypatch):
    before, _ = plan_of()
    of_evaluation, of_page = before.evaluation_code("mine"), before.page_code()
    versions = {"numpy": "9.9.1", "scipy": "1.2.3", "scikit-learn": "4.5.6"}
    monkeypatch.setattr("fslib.run.fingerprint.metadata.version", versions.get)
    after, _ = plan_of()
    assert after.evaluation_code("mine") != of_evaluation
    assert after.page_code() == of_page
