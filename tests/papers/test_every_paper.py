"""What holds for the folder of every paper of the project."""

from __future__ import annotations

import ast

import pytest
import yaml
from make_results import MadeResults
from workflow import PROJECT

from fslib.data.catalogue import dataset_names
from fslib.reproduce.compare import compared_cells, judged_claims
from fslib.reproduce.paper import UNTESTED, paper_in
from fslib.run.fingerprint import covered_files
from fslib.run.paper_folders import OWN, outcome_folder, paper_code, paper_folders

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
