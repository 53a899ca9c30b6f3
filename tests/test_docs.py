"""The manual: it builds without a warning, its code blocks run, its gallery draws."""

import os
import re
import shlex
import subprocess
import sys

import polars as pl
import pytest
import snakemake.cli
import yaml
from workflow import PROJECT

from fslib import prepare
from fslib.cli import parser
from fslib.config.load import load_config
from fslib.data.stage import write_dataset
from fslib.evaluate import stability
from fslib.reference import COLUMNS, CONTENTS, PLACES, TABLE_COLUMNS, reference_pages
from fslib.run.artefacts import CONTRACTS

DOCS = PROJECT / "docs"
WRITTEN = [
    path
    for folder in ("tutorials", "explanation", "howto")
    for path in sorted((DOCS / folder).glob("*.md"))
]
EXAMPLES = sorted((DOCS / "examples").glob("plot_*.py"))
CONFIG = yaml.safe_load((PROJECT / "config.yaml").read_text())
MAKEFILE = (PROJECT / "Makefile").read_text()


def blocks(text: str) -> list[tuple[str, str]]:
    """Language and content of every code block of a page."""
    return re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def keys_within(schema) -> set[str]:
    """The keys that any part of a schema names, but for parts of a list."""
    if isinstance(schema, list):
        return set().union(*map(keys_within, schema))
    if not isinstance(schema, dict):
        return set()
    deeper = [part for name, part in schema.items() if name != "items"]
    return set(schema.get("properties", ())).union(*map(keys_within, deeper))


def test_every_key_and_column_is_in_the_reference():
    pages = reference_pages()
    for kind, page in (("config", "configuration.md"), ("study", "studies.md")):
        schema = yaml.safe_load((PROJECT / f"fslib/config/{kind}.schema.yaml").read_text())
        for key in keys_within(schema):
            assert re.search(rf"^\| `([\w.]+\.)?{key}` \|", pages[page], re.MULTILINE), key
    for key in ("extends", "parts", "parts.NAME"):
        assert f"| `{key}` |" in pages["studies.md"]
    for key in ("name", "use"):
        assert f"| `evaluate.classifiers.{key}` | text | required |" in pages["studies.md"]
    named = {column for columns in CONTRACTS.values() for column in columns}
    assert named == set(COLUMNS), "fslib/reference.py says what each column means"
    for place, columns in PLACES.items():
        listed = pages["artefacts.md"].partition(f"\n## {place}\n")[2].partition("\n## ")[0]
        assert re.findall(r"^\| `(\w+)` \|", listed, re.MULTILINE) == list(columns), place
    tables = {place.split("/")[1]: columns for place, columns in PLACES.items()}
    assert set(CONTENTS) == set(tables)
    known = {name for t, columns in tables.items() for c in columns for name in (c, f"{t}.{c}")}
    assert set(TABLE_COLUMNS) <= known
    for command in ("run", "init", "where", "cost", "explain"):
        assert f"## {command}" in pages["commands.md"]


def test_the_reference_knows_what_a_table_of_a_data_set_holds(tmp_path):
    """An own table with groups, times and names of rows has every column and key there is."""
    listed = reference_pages()["artefacts.md"].partition("\n## table\n")[2].partition("\n## ")[0]
    (tmp_path / "mine.csv").write_text(
        "id,group,time,size,target,label\n"
        + "".join(f"r{i},g{i % 4},{i},{i * i % 7},{i % 3},{'ab'[i % 2]}\n" for i in range(40))
    )
    own = {"path": str(tmp_path / "mine.csv"), "target": "label", "id": "id"}
    own |= {"group": "group", "time": "time"}
    write_dataset("mine", tmp_path / "table.parquet", own={"mine": own}, data={})
    columns = set(pl.read_parquet(tmp_path / "table.parquet").columns) - {"size", "feature.target"}
    keys = set(pl.read_parquet_metadata(tmp_path / "table.parquet"))
    for name in columns | keys - {"ARROW:schema", "fslib.sha256"}:
        assert f"`{name}`" in listed, name


def test_every_preparation_and_stability_measure_is_in_the_api():
    page = (DOCS / "reference" / "api.md").read_text()
    for name in (*prepare.__all__, *stability.STABILITY):
        assert re.search(rf"\b{name}\b", page), name


@pytest.mark.slow
def test_manual_builds_without_a_warning_and_is_read_offline(tmp_path):
    build = ["-m", "sphinx", "-W", "--keep-going", "-q", "-D", "plot_gallery=0"]
    done = subprocess.run(
        [sys.executable, *build, str(DOCS), str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tutorials" / "my_table.html").exists()
    remote = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*["'](?:https?:)?//[^>]*>""")
    loaded = {tag for page in tmp_path.rglob("*.html") for tag in remote.findall(page.read_text())}
    assert not loaded, "the manual is read without the network"


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


def snippets(page: str) -> list[str]:
    return re.findall(r"^<!-- snippet: (.+) -->\n```", page, re.MULTILINE)


def test_no_code_block_is_left_out():
    """Outside the manual's own pages, blocks are run by the name that stands above them."""
    tests = "".join(path.read_text() for path in (PROJECT / "tests").rglob("test_*.py"))
    for page in SHOWING:
        text = page.read_text()
        opened = re.findall(r"^ *```(.*)$", text, re.MULTILINE)[::2]
        indented = re.findall(r"^[ \t]+(?:```|~~~)|^~~~", text, re.MULTILINE)
        assert not indented, f"{page.name}: a fence that `blocks` does not see"
        assert all(re.match(r"\w|\{", language) for language in opened), page.name
        if page not in WRITTEN:
            code = [language for language, _ in blocks(text) if language not in ("sh", "text")]
            assert len(snippets(text)) == len(code), page.name
            for name in snippets(text):
                assert f'snippet("{name}"' in tests, name


#: Programs of others, which the pages show and no test here can start.
THEIRS = set(["source", "git", "cd", "docker", "apptainer", "squeue", "scancel", "pip", "python"])
SHOWING = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *WRITTEN]
SHOWING += [*sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("papers/*.md"))]
STUDIES = {path.stem for path in (PROJECT / "studies").glob("*.yaml")}


@pytest.mark.parametrize("page", SHOWING, ids=lambda path: path.stem)
def test_commands_that_are_shown_exist(page):
    """Where a command is too long or too far away to be run, its words are checked."""
    shown = [text for language, text in blocks(page.read_text()) if language in ("sh", "text")]
    for line in "".join(shown).splitlines():
        # What a container or `nice` runs is a command of ours again.
        line = re.sub(r"^(docker run .* fslib (?=fslib)|nice )", "", line)
        program, *words = shlex.split(line, comments=True)
        if program == "fslib":
            parser().parse_args(words[: words.index("--")] if "--" in words else words)
        elif program == "snakemake":
            options = snakemake.cli.get_argument_parser().parse_args(words)
            assert set(options.targets) <= STUDIES, line
            assert all((PROJECT / folder).is_dir() for folder in options.profile or []), line
        elif program == "make":
            assert set(words) <= set(re.findall(r"^([\w-]+):", MAKEFILE, re.MULTILINE)), line
        else:
            assert program in THEIRS, line


#: Commands of the pages that answer within seconds, in a clone with nothing done. What downloads,
#: runs a study or writes into the clone has a test of its own or none.
QUICK = {
    "fslib methods",
    "fslib datasets",
    "fslib cost quick --cores 8",
    "snakemake --cores 4 -n",
    "fslib run stability_small --cores 2 --dry-run",
    "fslib explain quick",
    "fslib status",
}


@pytest.mark.slow
@pytest.mark.parametrize("line", sorted(QUICK))
def test_quick_commands_answer(line, tmp_path):
    program, *words = shlex.split(line)
    if program == "snakemake":
        words += ["--snakefile", str(PROJECT / "Snakefile"), "--nolock"]
    ours = "from fslib.cli import main; main()"
    call = ["-c", ours] if program == "fslib" else ["-m", "snakemake"]
    done = subprocess.run(
        [sys.executable, *call, *words], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout + done.stderr


def test_quick_commands_are_those_that_are_shown():
    shown = [text for page in SHOWING for _, text in blocks(page.read_text())]
    lines = {line.partition("#")[0].strip() for line in "".join(shown).splitlines()}
    assert lines >= QUICK


@pytest.mark.parametrize("command", ["run", "retry"])
def test_the_example_below_the_help_of_a_command_can_be_typed(command, capsys):
    with pytest.raises(SystemExit):
        parser().parse_args([command, "--help"])
    example = " ".join(capsys.readouterr().out.split()).partition("fslib " + command + " -- ")[2]
    options = snakemake.cli.get_argument_parser().parse_args(shlex.split(example))
    assert options.profile
    assert all((PROJECT / folder).is_dir() for folder in options.profile)


@pytest.mark.slow
@pytest.mark.parametrize("script", EXAMPLES, ids=lambda path: path.stem)
def test_gallery_draws(script, tmp_path):
    run = f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')"
    drawn = "from matplotlib import pyplot; assert pyplot.get_fignums(), 'no picture'"
    done = subprocess.run(
        [sys.executable, "-c", f"{run}; {drawn}"],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr


def test_gallery_has_its_eight_topics():
    topics = "stability_of_mrmr amfes_and_svm_rfe daf_and_bif how_many_features selection_bias "
    topics += "pipeline interchangeable results_with_polars"
    assert {f"plot_{topic}" for topic in topics.split()} <= {path.stem for path in EXAMPLES}
