"""What is kept of a run beside its outcome, so that a later one is judged together with it."""

import polars as pl
import pytest

from fslib.reproduce.paper import HOLDS, UNTESTED, Paper, PaperError, judged
from fslib.reproduce.results import Results
from fslib.run.artefacts import CONTRACTS, write_any
from fslib.run.errors import FslibError


def results_of(folder, accuracies: dict[tuple[str, str], list[float]], kept=None) -> Results:
    """Accuracies of a method in one run, by part and data set, as the stage reads them."""
    paths = []
    for (part, dataset), values in accuracies.items():
        rows = {"dataset": dataset, "method": "a", "k": 1, "classifier": "nb"}
        frame = pl.DataFrame([{**rows, "split": s, "accuracy": v} for s, v in enumerate(values)])
        missing = [pl.lit(None).alias(n) for n in CONTRACTS["accuracy"] if n not in frame.columns]
        path = folder / f"made_up-{part}" / dataset / "a" / "accuracy.parquet"
        write_any(frame.with_columns(missing).cast(CONTRACTS["accuracy"]), path)
        paths.append(str(path))
    return Results("made_up", {"accuracy": paths}, kept=kept)


def paper_with(**how) -> Paper:
    """A claim that is decided by two parts together, from an exhibit of few numbers."""
    paper = Paper("made_up", "Nobody (2000).", **how)

    @paper.exhibit
    def means(results):
        mean = pl.col("accuracy").mean()
        return results.accuracy.group_by("part", "dataset", maintain_order=True).agg(mean)

    @paper.claim("late_beats_early")
    def late_beats_early(results):
        found = dict(means(results).select("part", "accuracy").iter_rows())
        both = {"early", "late"} <= set(found)
        return judged({"wine": found["late"] > found["early"] if both else None})

    return paper


EARLY, LATE = ("early", "wine"), ("late", "wine")


def kept_of(paper: Paper, results: Results) -> dict[str, pl.DataFrame]:
    return dict(paper.kept_of(results))


def outcome(paper: Paper, results: Results) -> str:
    return paper.claims["late_beats_early"](results).outcome


def test_runs_of_two_parts_are_judged_as_one(tmp_path):
    paper = paper_with()
    first = results_of(tmp_path / "1", {EARLY: [0.5, 0.7]})
    assert outcome(paper, first) == UNTESTED
    kept = kept_of(paper, first)
    second = results_of(tmp_path / "2", {LATE: [0.8, 0.9]}, kept)
    assert outcome(paper, second) == HOLDS
    assert "early" in second.parts
    # What is kept of the second run is enough for a third that has nothing.
    assert outcome(paper, results_of(tmp_path / "3", {}, kept_of(paper, second))) == HOLDS


def test_kinds_are_kept_whole(tmp_path):
    paper = paper_with(keeps=("accuracy",))
    kept = kept_of(paper, results_of(tmp_path / "1", {EARLY: [0.5, 0.7]}))
    assert list(kept) == ["accuracy", "means"]
    together = results_of(tmp_path / "2", {LATE: [0.8, 0.9]}, kept)
    assert together.accuracy["accuracy"].to_list() == [0.8, 0.9, 0.5, 0.7]
    assert outcome(paper, together) == HOLDS


@pytest.mark.parametrize(
    ("own", "expected"), [([0.1], [0.5, 0.7]), ([0.1, 0.2], [0.1, 0.2]), ([0.1] * 3, [0.1] * 3)]
)
def test_the_run_with_more_rows_counts_and_the_later_one_of_equals(tmp_path, own, expected):
    first = results_of(tmp_path / "1", {EARLY: [0.5, 0.7]})
    second = results_of(tmp_path / "2", {EARLY: own}, {"accuracy": first.accuracy})
    assert second.accuracy["accuracy"].to_list() == expected


def test_another_reading_sees_what_is_kept_in_its_place(tmp_path):
    paper = paper_with()
    kept = kept_of(paper, results_of(tmp_path / "1", {("hard", "wine"): [0.9], EARLY: [0.5]}))
    results = results_of(tmp_path / "2", {LATE: [0.4]}, kept)
    hard = results.read_as({"hard": "late"})
    assert hard.parts == {"early", "late"}
    assert outcome(paper, hard) == HOLDS
    assert outcome(paper, results.read_as({}, {"early"})) == UNTESTED


def test_what_is_kept_of_other_columns_is_refused(tmp_path):
    kept = {"means": pl.DataFrame({"part": ["early"], "dataset": ["wine"]})}
    results = results_of(tmp_path, {LATE: [0.8]}, kept)
    with pytest.raises(FslibError, match="kept exhibit 'means' is of before it had accuracy"):
        outcome(paper_with(), results)


@pytest.mark.parametrize("name", ["means", "accuracy"])
def test_names_of_exhibits_are_told_apart(name):
    def another(results):
        return pl.DataFrame()

    another.__name__ = name
    with pytest.raises(PaperError, match=f"the name '{name}' of an exhibit is taken"):
        paper_with().exhibit(another)
