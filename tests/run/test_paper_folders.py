"""Where papers are looked for, and what counts as one."""

from fslib.run.paper_folders import OWN, paper_code, paper_folders, paper_texts


def make(folder, name, *files):
    place = folder / "papers" / name
    place.mkdir(parents=True)
    for file in files:
        (place / file).touch()
    return place


def test_a_working_folder_comes_before_the_project(tmp_path):
    mine = make(tmp_path, "amfes", "paper.py")
    new = make(tmp_path, "tiny", "paper.py")
    found = paper_folders([tmp_path])
    assert found["amfes"] == mine
    assert found["tiny"] == new
    assert found["daf"] == OWN / "daf"
    assert list(found) == sorted(found)


def test_earlier_folders_come_first(tmp_path):
    first, second = (make(tmp_path / where, "tiny", "paper.py") for where in ("a", "b"))
    assert paper_folders([tmp_path / "a", tmp_path / "b"])["tiny"] == first
    assert paper_folders([tmp_path / "b", tmp_path / "a"])["tiny"] == second


def test_other_folders_are_no_papers(tmp_path):
    make(tmp_path, "pdfs", "amfes.pdf")
    make(tmp_path, "not-a-package", "paper.py")
    assert paper_folders([tmp_path]) == paper_folders()


def test_what_a_folder_is_made_of(tmp_path):
    files = ("__init__.py", "tables.py", "paper.py", "claims.py", "claims.yaml", "README.md")
    folder = make(tmp_path, "tiny", *files)
    assert [path.name for path in paper_code(folder)] == ["paper.py", "claims.py", "tables.py"]
    assert [path.name for path in paper_texts(folder)] == ["claims.yaml", "README.md"]
    (folder / "cells.csv").touch()
    assert [path.name for path in paper_texts(folder)] == ["claims.yaml", "cells.csv", "README.md"]
