"""What a person has who installs the wheel: the library and the workflow, without a clone."""

import os
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

import polars as pl
import pytest
import yaml
from sklearn.datasets import load_wine
from workflow import CONFIG, STUDY, copy_of_project

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    source = copy_of_project(tmp_path_factory.mktemp("source"))
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(source)]
    subprocess.run(build, check=True, capture_output=True)
    return sorted(out.iterdir())


@pytest.fixture(scope="module")
def installed(distributions, tmp_path_factory):
    """A fresh environment with the wheel; its dependencies are those of the environment here.

    A line in a .pth file adds a folder without reading the .pth files in it, so the editable
    installation of the clone is out of sight.
    """
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    (wheel,) = (path for path in distributions if path.suffix == ".whl")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index"]
    subprocess.run([*pip, "--no-deps", str(wheel)], check=True)
    (site,) = (folder / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


@pytest.fixture
def call(installed, tmp_path):
    """Run a command of the environment in an empty folder outside the clone; what it printed."""

    of = {"fslib": [installed / "bin" / "fslib"], "snakemake": ["-m", "snakemake"]}

    def run(program: str, *arguments: str) -> str:
        done = subprocess.run(
            [installed / "bin" / "python", *of[program], *arguments],
            cwd=tmp_path,
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    return run


def test_distributions_are_well_formed(distributions):
    check = [sys.executable, "-m", "twine", "check", "--strict", *map(str, distributions)]
    subprocess.run(check, check=True, capture_output=True)
    assert [path.suffix for path in distributions] == [".whl", ".gz"]


def test_source_distribution_is_the_whole_project(distributions, tmp_path):
    source = copy_of_project(tmp_path)
    files = {str(path.relative_to(source)) for path in source.rglob("*") if path.is_file()}
    with tarfile.open(distributions[1]) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    assert files <= packed


def test_default_study_is_planned_in_an_empty_folder(call, installed, tmp_path):
    """Planned only: it takes minutes, and its jobs are those of the tables that are run below."""
    where = Path(call("fslib", "where").strip())
    assert where.is_relative_to(installed)
    assert "evaluate" in call("fslib", "run", "quick", "--cores", "1", "--dry-run")
    assert "evaluate" in call(
        "snakemake", "-s", str(where / "Snakefile"), "--cores", "1", "--dry-run"
    )
    assert list(tmp_path.iterdir()) in ([], [tmp_path / ".snakemake"])


def test_own_table_is_run_to_a_report(call, tmp_path):
    """The README's command. A tiny study stands in for `own`, whose two parts take minutes."""
    wine = load_wine(as_frame=True).frame
    table = pl.from_pandas(wine).rename({"target": "label"})
    table.write_csv(tmp_path / "mine.csv")
    small = STUDY | {"datasets": "own"}
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / "own.yaml").write_text(yaml.safe_dump(small))
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(CONFIG | {"studies": ["quick"]}))
    command = ("fslib", "run", "own", "--data", "mine.csv", "--target", "label", "--cores", "2")
    said = call(*command)
    assert "own.html" in said
    assert "mine" in (tmp_path / "results" / "report" / "own.html").read_text()
    runs = pl.read_parquet(tmp_path / "results/own/mine/*/runs.parquet")
    assert set(runs["status"]) == {"ok"}
    assert "Nothing to be done" in call(*command)


def test_started_folder_can_be_run(call, tmp_path):
    said = call("fslib", "init").split()
    assert {"config.yaml", "profiles/slurm/config.yaml", "studies/my_study.yaml"} <= set(said)
    assert "evaluate" in call("fslib", "run", "my_study", "--cores", "1", "--dry-run")


def test_workflow_is_a_module_of_another(call, tmp_path):
    where = call("fslib", "where").strip()
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / "tiny.yaml").write_text(yaml.safe_dump(STUDY))
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(CONFIG | {"studies": ["tiny"]}))
    (tmp_path / "Snakefile").write_text(f"""
module fslib:
    snakefile: "{where}/Snakefile"

use rule * from fslib as fslib_*

rule best:
    default_target: True
    input: "results/tiny/tables/ranks.parquet"
    output: "best.csv"
    run:
        import polars
        polars.read_parquet(input[0]).head(1).write_csv(output[0])
""")
    call("snakemake", "best", "--cores", "2")
    assert len(pl.read_csv(tmp_path / "best.csv")) == 1
