"""The project's own promises: pins agree, files stay small, nothing of one machine is in them."""

import re
import subprocess
import tomllib

import pytest
import yaml
from workflow import PROJECT

import fslib
from fslib.data import card, dataset_names
from fslib.pages import pages


def pins(lines) -> dict[str, str]:
    found = (re.match(r"([\w.-]+)==([\w.]+)$", line.strip()) for line in lines)
    return {re.sub(r"[-_.]+", "-", m[1]).lower(): m[2] for m in found if m}


def test_conda_environment_has_the_pins_of_the_package():
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    wanted = {re.match(r"[\w.-]+", d)[0].lower() for d in project["dependencies"]}
    locked = pins((PROJECT / "requirements.txt").read_text().splitlines())
    environment = yaml.safe_load((PROJECT / "envs" / "fslib.yaml").read_text())
    (by_pip,) = (d["pip"] for d in environment["dependencies"] if isinstance(d, dict))
    assert pins(by_pip) == {name: locked[name] for name in wanted}


def test_the_deed_agrees_with_itself():
    """One licence, one owner, one version and one list of papers, wherever they are written."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    citation = yaml.safe_load((PROJECT / "CITATION.cff").read_text())
    licence = (PROJECT / "LICENSE").read_text()
    assert project["license"] == citation["license"] == "BSD-3-Clause"
    assert licence.startswith("BSD 3-Clause License\n")
    assert project["license-files"] == ["LICENSE"]
    (author,) = citation["authors"]
    assert project["authors"] == [author]
    assert re.search(r"^Copyright \(c\) \d{4}, (.*)$", licence, re.MULTILINE)[1] == author["name"]
    assert not [c for c in project["classifiers"] if c.startswith("License ::")], "PEP 639"
    assert citation["version"] == fslib.__version__
    newest = re.search(r"^## (\S+)(.*)$", (PROJECT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest[1] == re.match(r"\d+\.\d+\.\d+", fslib.__version__)[0]
    assert ("unreleased" in newest[2]) == (newest[1] != fslib.__version__)
    assert {r["notes"].strip("`") for r in citation["references"]} == {
        paper for name in dataset_names() for paper in card(name).papers
    }


def test_the_package_lists_its_classes():
    listed = dir(fslib)
    assert {"AMFES", "MRMR", "SVMRFE", "__version__"} <= set(listed)
    assert all(getattr(fslib, name) is not None for name in listed)


def test_every_rule_declares_what_a_cluster_needs():
    for path in sorted((PROJECT / "rules").glob("*.smk")):
        for rule in re.split(r"\nrule ", path.read_text())[1:]:
            for directive in ("log:", "benchmark:", "threads:", "resources:", "conda:"):
                assert f"    {directive}" in rule, (path.name, directive)


def test_snakefile_fits_a_screen_and_scripts_are_adapters():
    assert len((PROJECT / "Snakefile").read_text().splitlines()) <= 60
    for script in (PROJECT / "scripts").glob("*.py"):
        text = script.read_text()
        assert "def " not in text, script.name
        assert len(text.splitlines()) <= 35, script.name


@pytest.mark.parametrize("name", pages())
def test_generated_pages_are_fresh(name):
    stale = f"docs/{name} is stale: run `python -m fslib.pages`"
    assert (PROJECT / "docs" / name).read_text() == pages()[name], stale


# Spelt in two parts, so that this file does not hold what it forbids.
@pytest.mark.parametrize("pattern", [str(PROJECT), "index" + "-url", "find" + "-links"])
def test_nothing_of_one_machine_is_committed(pattern):
    found = subprocess.run(
        ["git", "grep", "-nIF", pattern],
        cwd=PROJECT,
        capture_output=True,
        text=True,
    )
    assert found.returncode in (1, 128), found.stdout
