"""The manual: it builds without a warning, its code blocks run, its gallery draws."""

import os
import re
import shlex
import subprocess
import sys

import pytest
import yaml
from workflow import PROJECT

from fslib.config.load import load_config
from fslib.reference import COLUMNS, reference_pages
from fslib.run.artefacts import CONTRACTS

DOCS = PROJECT / "docs"
WRITTEN = [
    path
    for folder in ("tutorials", "explanation", "howto")
    for path in sorted((DOCS / folder).glob("*.md"))
]
EXAMPLES = sorted((DOCS / "examples").glob("plot_*.py"))
CONFIG = yaml.safe_load((PROJECT / "config.yaml").read_text())


def blocks(text: str) -> list[tuple[str, str]]:
    """Language and content of every code block of a page."""
    return re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def test_every_key_and_column_is_in_the_reference():
    pages = reference_pages()
    for kind, page in (("config", "configuration.md"), ("study", "studies.md")):
        schema = yaml.safe_load((PROJECT / f"fslib/config/{kind}.schema.yaml").read_text())
        for key in schema["properties"]:
            assert f"| `{key}` |" in pages[page], key
    named = {column for columns in CONTRACTS.values() for column in columns}
    assert named == set(COLUMNS), "fslib/reference.py says what each column means"
    for command in ("run", "init", "where", "cost", "explain"):
        assert f"## {command}" in pages["commands.md"]


@pytest.mark.slow
def test_manual_builds_without_a_warning(tmp_path):
    build = ["-m", "sphinx", "-W", "--keep-going", "-q", "-D", "plot_gallery=0"]
    done = subprocess.run(
        [sys.executable, *build, str(DOCS), str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tutorials" / "my_table.html").exists()


@pytest.mark.slow
@pytest.mark.parametrize("page", WRITTEN, ids=lambda path: path.stem)
def test_code_blocks_run(page, tmp_path, monkeypatch):
    """In the order of the page, in one folder: what a reader does who types everything."""
    monkeypatch.chdir(tmp_path)
    names = {}
    for language, content in blocks(page.read_text()):
        if language == "python":
            exec(content, names)
        elif language == "sh":
            for line in content.splitlines():
                program, *arguments = shlex.split(line)
                assert program == "fslib", line
                call = [sys.executable, "-c", "from fslib.cli import main; main()", *arguments]
                done = subprocess.run(call, capture_output=True, text=True, timeout=600)
                assert done.returncode == 0, done.stderr
        elif language == "yaml":
            values = yaml.safe_load(content)
            if "evaluate" in values:
                (tmp_path / "studies").mkdir(exist_ok=True)
                (tmp_path / "studies" / "mine.yaml").write_text(content)
            else:
                (tmp_path / "config.yaml").write_text(yaml.safe_dump(CONFIG | values))
            config = load_config("config.yaml", [tmp_path, PROJECT])
            config.study("mine" if "evaluate" in values else "quick")
        else:
            assert language in ("text", "toctree", "eval"), f"{language} blocks are not run"


@pytest.mark.slow
@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_gallery_draws(script, tmp_path):
    done = subprocess.run(
        [sys.executable, script],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr


def test_gallery_has_eight_scripts():
    assert len(EXAMPLES) >= 8
