"""What jobs ask a cluster for, how batches are cut, and which jobs go first."""

from pathlib import Path

import pytest
import yaml

from fslib.config import batches as cutting
from fslib.config.estimate import expected_jobs
from fslib.config.load import load_config
from fslib.config.plan import Plan
from fslib.select.fits import Fit
from fslib.select.stage import _sharing

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
            for entry in plan.entries(study.name, dataset):
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
    # Two of four variants share one fit; three splits, not the batch of twenty.
    assert plan.select_minutes("mine", "wine", "shared", 0, 1, 1) == 5 + 3 * 3 * limit
    # Nine fits on two workers take five rounds.
    assert plan.select_minutes("mine", "wine", "shared", 0, 2, 1) == 5 + 5 * limit


def test_further_attempts_ask_for_more_within_the_cap(plan_of):
    plan, _ = plan_of(splits={"scheme": "holdout", "repeats": 3})
    asked = [plan.select_minutes("mine", "wine", "shared", 0, 1, attempt) for attempt in (1, 2, 3)]
    assert asked == [1085, DAY, DAY]
    assert plan.evaluate_minutes("mine", "wine", "shared", 9) == DAY


def test_the_cap_cuts_batches(plan_of):
    plan, said = plan_of(job_minutes=500, methods={"mrmr": STUDY["methods"]["mrmr"]})
    jobs = requests(plan, "mine")
    assert max(jobs.values()) <= 500
    assert said == []
    of_mrmr = plan.batches("mine", "wine", "shared")
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
    assert all(batch.n_fits == 1 for batch in plan.batches("mine", "wine", "shared"))


@pytest.mark.parametrize("target", SHORT)
def test_no_select_job_of_a_paper_or_of_grand_expects_more_than_an_hour(project, target):
    for job in jobs_of(project, target):
        batch = project.batch(*job)
        assert max([batch.seconds, *(s.seconds for s in batch.stretches)]) <= 3600, job


@pytest.mark.parametrize(("part", "n_probes"), [("reuters", 148_000), ("reuters_day", 74_000)])
def test_a_search_too_long_for_a_job_is_cut_into_stretches(project, part, n_probes):
    place = f"daf-{part}", "reuters21578", "daf"
    batches = project.batches(*place)
    assert [batch.splits for batch in batches] == [[split] for split in range(20)]
    for batch in batches:
        ends = [stretch.end for stretch in batch.stretches]
        assert [stretch.first for stretch in batch.stretches] == [0, *ends[:-1]]
        assert ends[-1] == n_probes
        assert all(end % cutting.TOGETHER == 0 for end in ends[:-1])
    files = project.probe_files(*place, 3)
    assert files[0].startswith("results/daf-")
    assert files[0].endswith(f"/daf/probes-3-0-{ends[0]}.parquet")
    jobs = expected_jobs(project, place[0])
    stretches = [name for name, stage in jobs.stages.items() if stage == "probe"]
    assert len(stretches) == 20 * len(files)
    assert jobs.tasks[f"{'/'.join(place)}/batch-3"].after == tuple(
        f"{'/'.join(place)}/{Path(file).stem}" for file in files
    )


def test_limits_that_forbid_long_jobs_are_limits_of_the_whole_search(plan_of):
    def stretches(**changes):
        daf = {"use": "daf", "criterion": "svm_rbf", "n_probes": 10**7, **changes.pop("daf", {})}
        plan, _ = plan_of(methods={"daf": daf}, datasets=["digits"], **changes)
        return plan.batch("mine", "digits", "daf", 0).stretches

    assert len(stretches()) > 1
    assert not stretches(limits="long")  # ten minutes: what takes longer is a timeout
    assert not stretches(daf={"time_limit": 10**6})  # nobody knows how many probes that is
    assert not stretches(daf={"n_probes": 100})
    budgets = {"variants": {"short": {"n_probes": 10**6}, "long": {}}}
    assert not stretches(daf=budgets)  # of two seeds, so two searches
    assert len(stretches(daf={**budgets, "seed": "daf"})) > 1


def test_figures_of_a_first_report_wait_for_no_second_core(project):
    """Jobs of the study that goes on always have the others."""
    assert project.drawing_threads("own_fast", 8) == 1
    assert project.drawing_threads("own", 2) == project.drawing_threads("quick", 2) == 2
    assert project.drawing_threads("quick", None) == 1


@pytest.mark.parametrize("target", ["quick", "stability", "grand", "survey"])
def test_batches_hold_every_variant_on_every_split_once(project, target):
    for study in project.studies([target]):
        for dataset in study.datasets:
            for entry in project.entries(study.name, dataset).values():
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
        for dataset in project.study(name).datasets:
            for entry in project.entries(name, dataset).values():
                variants = [vars(v) for v in entry.variants]
                as_fitted = _sharing([Fit(v, 0, 0, "") for v in variants])
                assert [[v.name for v in fit] for fit in entry.fits] == [
                    [fit.variant["name"] for fit in together] for together in as_fitted
                ]
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
    cheap = project.batches("quick", "wine", "shared")
    assert len(costly) > len(cheap) == 1


def test_cheap_entries_share_their_jobs_and_no_other_does(plan_of):
    methods = {
        **STUDY["methods"],
        "trees": {"use": "sklearn.ensemble:RandomForestClassifier"},
        "dear": {"use": "amfes", "n_subsets": 5000},
    }
    plan, _ = plan_of(methods=methods)
    study = plan.study("mine")
    entries = plan.entries("mine", "wine")
    # Nobody knows what the forest costs.
    assert set(entries) == {"shared", "trees", "dear"}
    shared = {v.name: v.entry for v in entries["shared"].variants}
    assert shared == {"mid": "mrmr", "miq": "mrmr", "correlation": "two", "cmim": "two"}
    # Variants of different entries share no fit, even of one method.
    both = {"one": {"use": "mrmr"}, "other": {"use": "mrmr", "scheme": "MIQ"}}
    apart, _ = plan_of(methods=both)
    assert len(apart.entries("mine", "wine")["shared"].fits) == 2
    own = {**CONFIG, "datasets": {"mine": {"path": "mine.csv", "target": "label"}}}
    of_own, _ = plan_of(own, datasets=["mine"])
    assert of_own.entries("mine", "mine") == of_own.study("mine").entries
    assert set(study.entries) == set(methods)


def test_measures_of_an_earlier_plan_are_known(plan_of, tmp_path):
    plan, _ = plan_of({**CONFIG, "output": str(tmp_path)})
    for entry in ("shared", "mrmr"):
        for kind in ("accuracy", "runs", "batch-0"):
            path = tmp_path / "mine" / "wine" / entry / f"{kind}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    # What was selected stays: it has taken time.
    gone = {path.relative_to(tmp_path).as_posix() for path in plan.leftovers(["mine"])}
    assert gone == {"mine/wine/mrmr/accuracy.parquet", "mine/wine/mrmr/runs.parquet"}


def test_an_added_entry_moves_no_fit_of_others(plan_of):
    def fits(plan):
        return {
            (entry, number, variant.name, split)
            for _, _, entry, number in jobs_of(plan, "mine")
            for variant in plan.batch("mine", "wine", entry, number).variants
            for split in plan.batch("mine", "wine", entry, number).splits
        }

    more = {name: {"use": name} for name in ("jmi", "disr", "irelief", "svm_rfe", "babd")}
    asked = {"datasets": ["wine"], "limits": "quick", "batch": 5}
    before = fits(plan_of(**asked)[0])
    assert len(before) == 4 * 20
    assert before < fits(plan_of(**asked, methods={**more, **STUDY["methods"]})[0])


@pytest.mark.parametrize(("cores", "most"), [(1, 1), (2, 1), (15, 1), (16, 2), (32, 4), (99, 8)])
def test_a_job_has_an_eighth_of_the_machine_at_most(project, cores, most):
    jobs = list(jobs_of(project, "quick"))
    threads = [project.threads("quick", project.selection(*job), cores) for job in jobs]
    threads += [project.threads("quick", project.evaluation(*job[:3]), cores) for job in jobs]
    assert max(threads) == most


def test_threads_on_a_cluster_are_worth_a_request(project):
    for job in jobs_of(project, "quick"):
        for task in (project.selection(*job), project.evaluation(*job[:3])):
            threads = project.threads("quick", task, None)
            assert threads == 1 or task.shared / threads >= 16


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
    assert project.evaluation("quick", "wine", "shared").threads == 1


def test_quick_stays_within_its_number_of_jobs(project):
    assert len(list(jobs_of(project, "quick"))) <= 15


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


def test_a_classifier_of_ones_own_has_its_own_fingerprint(plan_of, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "my_classifier.py"
    asked = [{"name": "mine", "use": "my_classifier.py:Mine"}]

    def code(classifiers):
        return plan_of(evaluate={"classifiers": classifiers})[0].evaluation_code("mine")

    text = "class Mine:\n    def fit(self, X, y): ...\n    def predict(self, X): return {}\n"
    own.write_text(text.format("X[:, 0] > 0"))
    first = code(["nb", *asked])
    assert first == code(["nb", *asked]) != code(["nb"])
    assert first != code(["nb", {"name": "trees", "use": "sklearn.tree:DecisionTreeClassifier"}])
    own.write_text(text.format("X[:, 0] > 1"))
    assert code(["nb", *asked]) != first
