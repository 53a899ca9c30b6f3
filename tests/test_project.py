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


def dockerfile() -> list[tuple[str, str]]:
    """Instructions of the Dockerfile with their arguments, continued lines joined."""
    text = (PROJECT / "envs" / "Dockerfile").read_text()
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [tuple(line.split(maxsplit=1)) for line in lines if line and not line.startswith("#")]


def test_the_container_has_the_pinned_environment():
    known = {"FROM", "RUN", "WORKDIR", "COPY", "ENV", "CMD"}
    assert {name for name, _ in dockerfile()} == known
    assert dockerfile()[0][0] == "FROM"
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    version = re.fullmatch(r"python:(\d+\.\d+)-slim", dockerfile()[0][1])[1]  # no host's name
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]
    environment = yaml.safe_load((PROJECT / "envs" / "fslib.yaml").read_text())
    assert f"python={version}" in environment["dependencies"]
    sources = [arguments.split()[:-1] for name, arguments in dockerfile() if name == "COPY"]
    assert all((PROJECT / path).exists() for paths in sources for path in paths)
    installs = [run for name, run in dockerfile() if name == "RUN" and "pip install" in run]
    assert [re.sub("^pip install --no-cache-dir ", "", run) for run in installs] == [
        "--requirement requirements.txt",  # before fslib, which brings nothing of its own
        "--no-deps --editable .",
    ]
    locked = (PROJECT / "requirements.txt").read_text().splitlines()
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in locked if line[:1] != "#")


def test_hooks_run_the_pinned_tools_on_files_that_exist():
    hooks = yaml.safe_load((PROJECT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    style = (PROJECT / "Makefile").read_text()
    locked = pins((PROJECT / "requirements-test.txt").read_text().splitlines())
    for hook in hooks:
        program = re.fullmatch(r"\.venv/bin/(\S+)( .*)?", hook["entry"])[1]
        assert f"$(BIN)/{program}" in style
        assert {"lint-imports": "import-linter"}.get(program, program) in locked
    assert {"ruff-check", "ruff-format", "snakefmt"} <= {hook["id"] for hook in hooks}
    (pattern,) = (hook["files"] for hook in hooks if hook["id"] == "snakefmt")
    assert all(re.search(pattern, path) for path in ("Snakefile", "rules/data.smk"))
    assert not re.search(pattern, "profiles/default/config.yaml")


def test_github_runs_what_ci_runs_and_asks_what_we_need():
    (workflow,) = (PROJECT / ".github" / "workflows").glob("*.yaml")
    job = yaml.safe_load(workflow.read_text())["jobs"]["tests"]
    assert any(step.get("run", "").endswith(" .ci/run") for step in job["steps"])
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    tested = {f"Programming Language :: Python :: {v}" for v in job["strategy"]["matrix"]["python"]}
    supported = {c for c in project["classifiers"] if re.search(r":: 3\.\d+$", c)}
    assert tested == supported
    forms = (PROJECT / ".github" / "ISSUE_TEMPLATE").glob("*_*.yml")
    kinds = {"markdown", "input", "textarea", "dropdown", "checkboxes"}
    names = set()
    for form in map(yaml.safe_load, (path.read_text() for path in forms)):
        names.add(form["name"])
        assert form["description"]
        assert {field["type"] for field in form["body"]} <= kinds
        ids = [field["id"] for field in form["body"]]
        assert len(set(ids)) == len(ids)
        assert all(field["attributes"]["label"] for field in form["body"])
    assert names == {"New method", "New data set", "A number that you cannot reproduce"}


def test_the_security_note_knows_what_is_unpickled():
    """A pickle is a program. Beside these, a pool reads what its own processes send."""
    reads = re.compile(r"pickle\.loads?\(|joblib\.load\(|allow_pickle=True")
    modules = (PROJECT / "fslib").rglob("*.py")
    found = {path.name for path in modules if reads.search(path.read_text())}
    assert found == {"export.py", "recalled.py", "pool.py"}
    note = (PROJECT / "SECURITY.md").read_text()
    assert "`model.joblib`" in note
    assert "`.snakemake`" in note


def test_the_paper_is_short_and_its_references_exist():
    text = (PROJECT / "paper" / "paper.md").read_text()
    _, head, body = text.split("---\n", maxsplit=2)
    front = yaml.safe_load(head)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= set(front)
    assert len(body.split()) <= 1500
    assert all(f"# {part}\n" in body for part in ("Statement of need", "State of the field"))
    entries = set(
        re.findall(r"^@\w+\{(\S+),", (PROJECT / "paper" / front["bibliography"]).read_text(), re.M)
    )
    cited = set(re.findall(r"@([\w:]+)", body))
    assert cited == entries


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


def holding(how: str, pattern: str) -> str:
    """Lines of the repository that hold a text (`-F`) or a regular expression (`-E`)."""
    search = ["git", "grep", "-nI", how, pattern]
    found = subprocess.run(search, cwd=PROJECT, capture_output=True, text=True)
    assert found.returncode in (0, 1, 128), found.stderr
    return found.stdout


# Spelt in two parts, so that this file does not hold what it forbids.
@pytest.mark.parametrize("text", [str(PROJECT), "index" + "-url", "find" + "-links"])
def test_nothing_of_one_machine_is_committed(text):
    assert not holding("-F", text)


def test_nobody_is_sent_to_the_package_of_the_same_name():
    assert not holding("-E", "pip " + r"install ([^`]* )?['\"]?fslib\b")


@pytest.mark.parametrize("study", ["quick", "own_fast", "grand"])
def test_studies_of_our_own_have_controls(study):
    """`own` continues `own_fast`; the larger and smaller forms of `grand` extend it."""
    entries = yaml.safe_load((PROJECT / "studies" / f"{study}.yaml").read_text())["methods"]
    controls = {variant["use"] for variant in entries["controls"]["variants"].values()}
    assert {"all_features", "random_ranking"} <= controls
    assert "oracle" in controls or study == "own_fast", "the truth of own tables is not known"
