"""A sixth paper, added as anybody would: a folder and a study, and nothing else is touched."""

from __future__ import annotations

import json

import polars as pl
import pytest
from workflow import CONFIG, STUDY, Workflow, changed

#: Two cells and one claim; what a paper's folder has to say of them.
FILES = {
    "paper.py": '''
from fslib.reproduce.paper import Paper

PAPER = Paper("tiny", "Nobody & Nowhere (2000), Three features.", published_repeats=lambda row: 10)
''',
    "tables.py": '''
import polars as pl

from fslib.papers.tiny.paper import PAPER
from fslib.reproduce.paper import Cell


def accuracy(results, k):
    """Accuracies of the splits in percent."""
    return 100 * results.accuracy.filter(method="correlation", k=k)["accuracy"]


@PAPER.table
def table_1(results):
    for k in (1, 3):
        values = accuracy(results, k)
        condition = f"k={k}"
        yield Cell(
            "1", "wine", "correlation", "accuracy", condition,
            values.mean(), values.std(), len(values),
        )
''',
    "claims.py": '''
from fslib.papers.tiny.paper import PAPER
from fslib.papers.tiny.tables import accuracy
from fslib.reproduce.paper import judged


@PAPER.claim("tiny_three_beat_one")
def three_beat_one(results):
    """A higher mean."""
    one, three = accuracy(results, 1).mean(), accuracy(results, 3).mean()
    return judged({"wine": three > one}, f"{one:.1f} and {three:.1f}")
''',
    "figures.py": '''
from fslib.figures.panels import line_panels, points
from fslib.papers.tiny.paper import PAPER
from fslib.papers.tiny.tables import accuracy


@PAPER.figure("figure_1", "Accuracy against the number of features.")
def figure_1(results):
    means = [accuracy(results, k).mean() for k in (1, 3)]
    return line_panels("wine", points("accuracy, percent", "correlation", [1, 3], means))
''',
    "cells.csv": """table,dataset,method,quantity,condition,value,deviation,note
1,wine,correlation,accuracy,k=1,20.0,1.0,
1,wine,correlation,accuracy,k=3,90.0,20.0,
""",
    "claims.yaml": """
- id: tiny_three_beat_one
  claim: Three features are better than one.
  quotation: "better than one"
  where: abstract
  datasets: [wine]
""",
}  # fmt: skip
#: Instead of the above: a claim that two parts decide together.
PARTS_TOGETHER = {
    "paper.py": FILES["paper.py"].replace(
        "lambda row: 10)", 'lambda row: 10, keeps=("accuracy",))'
    ),
    "claims.py": '''
import polars as pl

from fslib.papers.tiny.paper import PAPER
from fslib.reproduce.paper import judged


@PAPER.claim("tiny_three_beat_one")
def three_beat_one(results):
    """The second part's mean is as high as the first part's, of one feature by one method."""
    means = results.accuracy.filter(k=1).group_by("part").agg(pl.col("accuracy").mean())
    found = dict(means.iter_rows())
    both = found.keys() >= {"first", "second"}
    return judged({"wine": found["second"] >= found["first"] if both else None})
''',
    "claims.yaml": FILES["claims.yaml"],
}
SMALL = changed(STUDY, methods={"correlation": {"use": "correlation"}})


def add_paper(workflow: Workflow, name: str, files: dict[str, str] = FILES) -> None:
    folder = workflow.folder / "papers" / name
    folder.mkdir(parents=True)
    for file, text in files.items():
        (folder / file).write_text(text.replace("tiny", name))


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Workflow:
    """Two studies beside two papers of the working folder, one without cells, run to the pages."""
    studies = {name: changed(SMALL, paper=name) for name in ("tiny", "other")}
    config = changed(CONFIG, studies=["tiny", "other"])
    workflow = Workflow(tmp_path_factory.mktemp("sixth"), config=config, **studies)
    for name in studies:
        add_paper(workflow, name)
    (workflow.folder / "papers" / "other" / "cells.csv").unlink()
    workflow.run("tiny", "other")
    return workflow


def test_its_cells_and_claims_are_judged(finished):
    made = finished.results / "tiny" / "reproduction"
    cells = pl.read_parquet(made / "cells.parquet")
    assert cells["paper"].to_list() == ["tiny"] * 2
    assert cells["standing"].to_list() == ["outside", "within"]
    claims = pl.read_parquet(made / "claims.parquet")
    assert claims.select("claim", "verdict").rows() == [("tiny_three_beat_one", "holds")]
    assert json.loads((made / "paper.json").read_text()) == {
        "name": "tiny",
        "citation": "Nobody & Nowhere (2000), Three features.",
        "score": "1 of 2 cells within two standard errors; claims: holds 1",
        "layouts": {},
        "remarks": {},
    }


def test_a_paper_may_print_no_numbers(finished):
    made = finished.results / "other" / "reproduction"
    assert pl.read_parquet(made / "cells.parquet").is_empty()
    about = json.loads((made / "paper.json").read_text())
    assert about["score"] == "no published cells; claims: holds 1"


def test_its_page_shows_it(finished):
    page = (finished.results / "report" / "tiny.html").read_text()
    assert "Nobody &amp; Nowhere (2000), Three features." in page
    assert "1 of 2 cells within two standard errors; claims: holds 1" in page
    assert "Three features are better than one." in page
    assert "Accuracy against the number of features." in page


def test_its_outcome_is_kept_with_it(finished):
    said = finished.fslib("keep", "tiny")
    assert said.returncode == 0, said.stdout
    assert "1 of 2 cells within two standard errors; claims: holds 1" in said.stdout
    outcome = finished.folder / "papers" / "tiny" / "outcome"
    assert pl.read_csv(outcome / "claims.csv")["verdict"].to_list() == ["holds"]
    assert len(pl.read_csv(outcome / "cells.csv")) == 2
    (run,) = json.loads((outcome / "runs.json").read_text())
    assert list(run["hours"]) == ["tiny"]
    assert finished.planned("tiny", "other") == []


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("claims.py", "three > one", "one > three"),
        ("claims.yaml", "Three features are", "A third feature is"),
        ("cells.csv", "90.0", "80.0"),
    ],
)
def test_an_edit_makes_its_own_outcome_and_page_anew(finished, file, old, new):
    path = finished.folder / "papers" / "tiny" / file
    before = path.read_text()
    assert old in before
    path.write_text(before.replace(old, new))
    try:
        assert finished.planned("other") == []
        assert finished.planned("tiny", "other") == ["report tiny", "reproduce tiny"]
    finally:
        path.write_text(before)


def test_words_and_new_papers_rerun_nothing(finished):
    add_paper(finished, "seventh")
    path = finished.folder / "papers" / "tiny" / "claims.py"
    before = path.read_text()
    path.write_text(before.replace('"""A higher mean."""', '"""Other words."""'))
    assert finished.planned("tiny", "other") == []
    path.write_text(before)


def test_parts_that_were_run_apart_are_judged_together(tmp_path):
    """Each in an output folder of its own, as on two machines; only the kept outcome is shared."""
    part = {"datasets": ["wine"]}
    study = changed(SMALL, paper="tiny", parts={"first": part, "second": part})
    study.pop("datasets")
    workflow = Workflow(tmp_path, tiny=study)
    add_paper(workflow, "tiny", PARTS_TOGETHER)
    outcome = tmp_path / "papers" / "tiny" / "outcome"
    verdicts, together = [], []
    for part, other in (("first", "second"), ("second", "first")):
        workflow.configure(**changed(CONFIG, output=part))
        workflow.run("tiny", "--config", f"without=[tiny-{other}]")
        said = workflow.fslib("keep", "tiny", "--add")
        assert said.returncode == 0, said.stdout
        verdicts += pl.read_csv(outcome / "claims.csv")["verdict"].to_list()
        together.append(set(pl.read_parquet(outcome / "exhibits" / "accuracy.parquet")["part"]))
    assert verdicts == ["not tested", "holds"]
    assert together == [{"first"}, {"first", "second"}]
    hours = [list(run["hours"]) for run in json.loads((outcome / "runs.json").read_text())]
    assert hours == [["tiny-first"], ["tiny-second"]]


def test_mistakes_are_one_message(finished):
    finished.study("mistaken", changed(SMALL, paper="tinny"))
    finished.configure(**changed(CONFIG, studies=["mistaken"]))
    assert "paper: unknown paper 'tinny'; did you mean 'tiny'" in finished.refused()
    finished.study("mistaken", changed(SMALL, paper=None))
    said = finished.fslib("keep", "mistaken")
    assert said.returncode == 2
    assert "studies/mistaken.yaml: names no `paper`" in said.stdout
