"""What holds for the folder of every paper of the project."""

from __future__ import annotations

import ast
import shutil

import polars as pl
import pytest
import yaml
from make_results import MadeResults
from workflow import PROJECT

from fslib.data.catalogue import dataset_names
from fslib.figures.files import read_pictures
from fslib.reproduce.compare import compared_cells, judged_claims
from fslib.reproduce.keep import OUTCOME, keep, read_kept
from fslib.reproduce.paper import UNTESTED, paper_in
from fslib.reproduce.stage import reproduce
from fslib.run.fingerprint import covered_files
from fslib.run.layout import FILES, Layout
from fslib.run.paper_folders import OWN, outcome_folder, paper_code, paper_folders, paper_texts

FOLDERS = paper_folders()
FIELDS = {"id", "claim", "quotation", "where", "datasets"}


@pytest.fixture(params=FOLDERS)
def folder(request):
    return FOLDERS[request.param]


@pytest.fixture
def claims(folder):
    return yaml.safe_load((folder / "claims.yaml").read_text(encoding="utf-8"))


def test_all_five_are_found_and_what_is_asked_of_all_of_them():
    assert list(FOLDERS) == ["amfes", "babd", "daf", "grand", "stability", "survey"]
    assert {folder.parent for folder in FOLDERS.values()} == {OWN}


def test_nothing_is_said_and_drawn_without_results(folder):
    """Nor is there a predicate without a claim, or a claim with neither predicate nor `why_not`."""
    paper, nothing = paper_in(folder), MadeResults()
    assert set(judged_claims(paper, nothing, folder)["verdict"]) == {UNTESTED}
    standings = set(compared_cells(paper, nothing, folder)["standing"])
    assert standings <= {"not run", "not printed"}
    assert all(draw(nothing) is None for _, draw in paper.figures.values())


def test_claims_have_their_fields(claims):
    for claim in claims:
        assert FIELDS <= set(claim) <= FIELDS | {"why_not", "note"}, claim["id"]
        assert claim["claim"].endswith(".")
        assert claim["datasets"] or "why_not" in claim, claim["id"]


def test_claims_are_told_apart_and_name_their_paper(claims, folder):
    ids = [claim["id"] for claim in claims]
    assert len(set(ids)) == len(ids)
    assert all(name.startswith(f"{folder.name}_") for name in ids)


def test_quotations_are_short(claims):
    for claim in claims:
        assert 0 < len(claim["quotation"].split()) < 20, claim["id"]


def test_claims_speak_of_known_data_sets(claims):
    known = set(dataset_names())
    for claim in claims:
        assert set(claim["datasets"]) <= known, claim["id"]


def test_every_predicate_says_what_decides(folder):
    """A claim is prose; its threshold or tolerance stands with the code that applies it."""
    silent = [name for name, predicate in paper_in(folder).claims.items() if not predicate.__doc__]
    assert silent == []


def test_modules_are_short_and_known_by_plain_names(folder):
    for module in paper_code(folder):
        assert not module.name.startswith("_")
        assert len(module.read_text().splitlines()) <= 400, module
    assert (folder / "__init__.py").read_text() == ""


def test_the_kept_outcome_is_of_these_claims(claims, folder):
    if not outcome_folder(folder).exists():
        # Nobody has seen the end of it yet: the page on long runs says how to get there.
        assert f"| `{folder.name}` |" in (PROJECT / "docs" / "long_runs.md").read_text()
        return
    kept = (outcome_folder(folder) / "claims.csv").read_text()
    assert all(f"{folder.name},{claim['id']}," in kept for claim in claims)
    assert f"## {folder.name}\n" in (PROJECT / "docs" / "reproduction.md").read_text()
    assert (PROJECT / "docs" / "papers" / f"{folder.name}.md").exists()


def test_a_run_of_nothing_that_is_added_takes_nothing_away(folder, tmp_path):
    """What is kept is of several versions, and all of it can be read and judged together."""
    copy = tmp_path / folder.name
    shutil.copytree(outcome_folder(folder), outcome_folder(copy))
    before = {name: read_kept(outcome_folder(copy), name) for name in ("cells", "claims")}
    figures = read_pictures(outcome_folder(copy) / "figures.json")
    at, study = Layout(tmp_path / "results"), folder.name
    inputs = {kind: [] for kind in (*FILES, "data", "splits")} | {"paper": paper_texts(folder)}
    reproduce(inputs, {n: at.outcome(study, file) for n, file in OUTCOME.items()}, group=study)
    keep(at, study, [], copy, inputs=inputs, add=True)
    for name, table in before.items():
        after = read_kept(outcome_folder(copy), name)
        made = pl.col("verdict") != UNTESTED if name == "claims" else pl.col("ours").is_not_null()
        decided = ["ours", "standing"] if name == "cells" else ["verdict", "places"]
        assert after.filter(made).select(decided).equals(table.filter(made).select(decided))
    assert {p.name for p in figures} <= {
        p.name for p in read_pictures(outcome_folder(copy) / "figures.json")
    }


def test_a_paper_depends_on_no_other(folder):
    """Else an edit to one paper's claims would make another's outcome anew."""
    files = covered_files(PROJECT / "scripts" / "reproduce.py", *paper_code(folder))
    assert {file.parent for file in files if file.is_relative_to(OWN)} == {folder}


@pytest.mark.parametrize(
    ("package", "others"),
    [("report", ("reproduce", "papers")), ("reproduce", ("papers", "report"))],
)
def test_layers(package, others):
    """The report shows what it finds; the stage knows no paper but the one it is given."""
    for module in (OWN.parent / package).glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                assert not name.startswith(tuple(f"fslib.{other}" for other in others)), module
