"""Papers are read from the very folder that is named."""

import sys

import pytest

from fslib.reproduce.paper import PaperError, paper_in
from fslib.run.paper_folders import OWN

PAPER = """
from fslib.reproduce.paper import Paper

PAPER = Paper("{name}", "{citation}")
"""
CLAIMS = """
import fslib.papers.tiny.paper as about
from fslib.papers.tiny import words

about.PAPER.claim(words.CLAIM)(lambda results: None)
"""


@pytest.fixture
def write(tmp_path):
    """Write a paper called tiny into a folder of its own; afterwards nothing is left of it."""

    def written(where, citation, claim, name="tiny"):
        folder = tmp_path / where / "papers" / "tiny"
        folder.mkdir(parents=True)
        (folder / "paper.py").write_text(PAPER.format(name=name, citation=citation))
        (folder / "claims.py").write_text(CLAIMS)
        (folder / "words.py").write_text(f"CLAIM = {claim!r}\n")
        return folder

    yield written
    for name in [n for n in sys.modules if n.startswith("fslib.papers.tiny")]:
        del sys.modules[name]


def test_modules_outside_the_project_import_each_other_as_those_inside(write):
    paper = paper_in(write("here", "Nobody (2000).", "first"))
    assert paper.citation == "Nobody (2000)."
    assert list(paper.claims) == ["first"]


def test_papers_of_one_name_in_two_folders_are_not_mixed(write):
    here, there = write("here", "Nobody (2000).", "first"), write("there", "Who (2001).", "second")
    assert [paper_in(folder).citation for folder in (here, there, here)] == [
        "Nobody (2000).",
        "Who (2001).",
        "Nobody (2000).",
    ]
    assert list(paper_in(there).claims) == ["second"]


def test_a_paper_is_read_once():
    from fslib.papers.survey.paper import PAPER

    assert paper_in(OWN / "survey") is paper_in(OWN / "survey") is PAPER


def test_a_paper_is_called_as_its_folder(write):
    with pytest.raises(PaperError, match=r"paper.py calls it 'tinny', the folder 'tiny'"):
        paper_in(write("here", "Nobody (2000).", "first", name="tinny"))
