"""The `fslib` command: its listings, its help and its refusals."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml
from snakemake.cli import parse_config
from workflow import PROJECT

from fslib.cli import main
from fslib.data import dataset_names
from fslib.registry import METHODS


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """A folder without configuration, mirror or cache."""
    monkeypatch.chdir(tmp_path)
    for name in ("FSLIB_MIRROR", "FSLIB_DATA", "FSLIB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)


def configure(tmp_path):
    (tmp_path / "config.yaml").write_text((PROJECT / "config.yaml").read_text())
    (tmp_path / "studies").symlink_to(PROJECT / "studies")


def test_methods_lists_all(capsys):
    assert main(["methods"]) == 0
    said = capsys.readouterr().out
    assert all(f"\n{name} (" in f"\n{said}" for name in METHODS.names())


def test_datasets_lists_all_with_their_state(capsys):
    assert main(["datasets"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    listed = {line.split()[0]: line for line in lines}
    # Copies of a generator (name01, name02, …) share a line.
    assert set(listed) <= set(dataset_names())
    for name, state in (
        ("wine", "embedded"),
        ("lucas_generated", "generated"),
        ("colon", "to download"),
        ("hcc", "unavailable"),
    ):
        assert f"  {state}  " in listed[name]


def test_fetch_gets_files_from_the_mirror_given_by_the_environment(capsys, monkeypatch, tmp_path):
    from fslib.data import card

    mirror = tmp_path / "mirror"
    file = card("sonar").files[0]
    (mirror / file.mirror).parent.mkdir(parents=True)
    (mirror / file.mirror).write_bytes(b"not the sonar data")
    monkeypatch.setenv("FSLIB_MIRROR", str(mirror))
    monkeypatch.setenv("FSLIB_OFFLINE", "1")
    assert main(["datasets", "fetch", "sonar"]) == 2
    said = capsys.readouterr().err
    assert file.sha256 in said
    assert file.name in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["datasets", "fetch", "sonra"], "unknown data set 'sonra'; did you mean 'sonar'"),
        (["--config", "x.yaml", "status"], "x.yaml does not exist"),
        (["--config", "x.yaml", "retry"], "x.yaml does not exist"),
    ],
)
def test_mistakes_are_one_message(arguments, message, capsys):
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("fslib: ")


def test_methods_are_shown_in_plain_words_with_their_parameters(capsys):
    assert main(["methods"]) == 0
    said = capsys.readouterr().out
    assert ":math:" not in said
    assert "\\" not in said
    assert "n_subsets=100" in said


def test_status_explains_itself_and_leaves_dead_studies_and_entries_out(capsys, tmp_path):
    configure(tmp_path)
    lines = {
        "quick/wine/shared/batch-0": "quick/wine/shared 12/60, 2 failed",
        "quick/wine/shared/evaluate": "quick/wine/shared evaluate 3/5",
        "quick/wine/gone/batch-0": "quick/wine/gone 1/9",
        "quick/gone/shared/batch-0": "quick/gone/shared 1/9",
        "gone/wine/shared/batch-0": "gone/wine/shared 1/9",
    }
    for job, line in lines.items():
        log = tmp_path / "results" / "logs" / f"{job}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(f"some noise\n{line}\n")
    assert main(["status"]) == 0
    said = capsys.readouterr().out
    assert "quick: select 12 of 60, evaluate 3 of 5, 2 failed" in said
    assert "under way: select quick/wine/shared 12/60" in said
    assert "gone" not in said


def test_status_and_retry_of_nothing(capsys, tmp_path):
    configure(tmp_path)
    assert main(["status"]) == 0
    assert main(["retry"]) == 0
    said = capsys.readouterr().out
    assert "nothing finished yet" in said
    assert "every cell is ok" in said


@pytest.mark.parametrize("arguments", [[], ["--help"], ["retry", "--help"], ["nonsense"]])
def test_help(arguments):
    done = subprocess.run(
        [sys.executable, "-c", "from fslib.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
    )
    assert "usage: " in done.stdout + done.stderr


# fslib check


@pytest.fixture
def own_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "number": np.arange(100),
            "a": rng.normal(size=100),
            "colour": rng.choice(["red", "blue"], 100),
            "kind": rng.permutation(100) % 2,
        }
    )
    frame.write_csv("mine.csv", separator=";")


def test_check_says_what_is_there_and_what_it_will_take(own_table, capsys):
    assert main(["check", "mine.csv", "--target", "kind"]) == 0
    said = capsys.readouterr().out
    assert (
        "mine.csv: 100 rows; 2 numeric columns; 1 categorical column; classes: 0 50, 1 50" in said
    )
    assert "warning: 'number': different in every row" in said
    assert re.search(r"`snakemake --cores 2 own` will take about \d+ \w+ and \d\.\d GB", said)
    assert main(["check", "mine.csv", "--target", "kind", "--strict"]) == 1
    assert main(["check", "mine.csv", "--target", "kind", "--strict", "--id", "number"]) == 0


def test_check_knows_the_tables_of_the_configuration(own_table, capsys):
    config = yaml.safe_load((PROJECT / "config.yaml").read_text())
    config["datasets"] = {"mine": {"path": "mine.csv", "target": "kind", "drop": ["number"]}}
    Path("config.yaml").write_text(yaml.safe_dump(config))
    assert main(["check", "mine", "--strict", "--study", "own_fast"]) == 0
    assert "1 numeric column;" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mine.csv"], "which column holds the class? Say --target"),
        (["his.csv"], "his.csv: no such file, nor a table of config.yaml"),
        (["mine.csv", "--target", "knd"], "has no column 'knd'; did you mean 'kind'?"),
        (
            ["mine.csv", "--target", "kind", "--missing", "red", "--drop", "x"],
            "drop: has no column",
        ),
    ],
)
def test_check_refuses_what_it_cannot_read(own_table, capsys, arguments, message):
    assert main(["check", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_run_takes_the_keys_that_check_takes(own_table, monkeypatch):
    """What Snakemake makes of them, which hands on words only, is the table that was meant."""
    calls = []
    monkeypatch.setattr(subprocess, "call", lambda command: calls.append(command) or 0)
    said = ["--target", "kind", "--id", "number", "--missing", "-999", "--missing", "red"]
    assert main(["run", "--data", "mine.csv", *said]) == 0
    (command,) = calls
    assert command[-1] == "own"
    given = parse_config([command[command.index("--config") + 1]])
    assert given == {
        "datasets": {
            "mine": {"path": "mine.csv", "target": "kind", "id": "number"}
            | {"missing": ["-999", "red"]}
        }
    }


def test_what_a_missing_category_is_can_be_said_as_in_the_configuration(own_table, monkeypatch):
    calls = []
    monkeypatch.setattr(subprocess, "call", lambda command: calls.append(command) or 0)
    said = ["--target", "kind", "--missing", "median", "--missing", "-999"]
    assert main(["run", "--data", "mine.csv", *said]) == 0
    given = parse_config([calls[0][calls[0].index("--config") + 1]])
    assert given["datasets"]["mine"]["missing"] == {"values": ["-999"], "as": "median"}


@pytest.mark.parametrize("name", ["wine", "tables"])
def test_a_file_may_be_called_as_a_data_set_or_a_folder_is(own_table, monkeypatch, capsys, name):
    Path("mine.csv").rename(f"{name}.csv")
    assert main(["check", f"{name}.csv", "--target", "kind"]) == 0
    monkeypatch.setattr(subprocess, "call", lambda command: print(command) or 0)
    assert main(["run", "--data", f"{name}.csv", "--target", "kind"]) == 0
    assert f"my_{name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("column", "keys", "words"),
    [
        ([i % 3 for i in range(100)], ["--group", "who"], "5 folds of 3 groups. Set"),
        (["rare" if i < 4 else i for i in range(100)], ["--group", "who"], "has 1 group(s)"),
        (list(range(100)), ["--time", "who"], "has training rows of only one class"),
    ],
)
def test_check_knows_whether_the_splits_can_be_drawn(own_table, capsys, column, keys, words):
    frame = pl.read_csv("mine.csv", separator=";").drop("number")
    kind = ["no" if i < 60 else "yes" for i in range(100)]
    if "rare" in column:
        kind = ["rare" if i < 4 else "no" if i % 2 else "yes" for i in range(100)]
    who = pl.Series("who", [str(v) if keys[0] == "--group" else v for v in column])
    frame.with_columns(who, kind=pl.Series(kind)).write_csv("mine.csv")
    arguments = ["check", "mine.csv", "--target", "kind", *keys, "--strict"]
    assert main(arguments) == 1
    (warning,) = re.findall(r"warning: (.*splits.*|.*scheme.*)", capsys.readouterr().out)
    assert words in warning
    assert warning.endswith("The splits are those of studies/own_fast.yaml.")


def test_check_says_nothing_of_small_classes_where_the_splits_need_none(own_table, capsys):
    configure(Path())
    kind = pl.Series("kind", ["rare"] * 3 + ["no", "yes"] * 48 + ["no"])
    pl.read_csv("mine.csv", separator=";").drop("number").with_columns(kind).write_csv("mine.csv")
    assert main(["check", "mine.csv", "--target", "kind", "--strict"]) == 1
    said = "class 'rare' has 3 row(s), fewer than 5 folds. Set `splits.folds: 3`"
    assert said in capsys.readouterr().out
    Path("studies").unlink()
    Path("studies").mkdir()
    study = yaml.safe_load((PROJECT / "studies" / "own_fast.yaml").read_text())
    study["splits"]["stratified"] = False
    Path("studies/own_fast.yaml").write_text(yaml.safe_dump(study))
    assert main(["check", "mine.csv", "--target", "kind", "--strict"]) == 0


def test_the_sample_of_large_tables_can_be_set(own_table, monkeypatch, capsys):
    calls = []
    monkeypatch.setattr(subprocess, "call", lambda command: calls.append(command) or 0)
    assert main(["run", "own", "--most-rows", "2000"]) == 0
    (command,) = calls
    assert parse_config([command[command.index("--config") + 1]]) == {"most_rows": 2000}
    assert main(["check", "mine.csv", "--target", "kind", "--most-rows", "50"]) == 2
    assert "config.yaml: most_rows: 50: " in capsys.readouterr().err


def test_run_of_a_table_needs_its_target(own_table, capsys):
    for arguments in (["--data", "mine.csv"], ["--target", "kind"], ["--id", "number"]):
        assert main(["run", *arguments]) == 2
        assert "a table needs both: --data FILE and --target COLUMN" in capsys.readouterr().err


def test_a_started_folder_says_what_comes_next_and_is_not_written_over(capsys, tmp_path):
    assert main(["init"]) == 0
    *files, hint = capsys.readouterr().out.splitlines()
    assert all(Path(name).is_file() for name in files)
    assert f"fslib run {Path(files[-1]).stem} " in hint
    Path("config.yaml").write_text("mine")
    assert main(["init"]) == 2
    assert "there already; --force writes over" in capsys.readouterr().err
    assert Path("config.yaml").read_text() == "mine"


def test_without_a_command_the_commands_are_listed(capsys):
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 0
    assert "write config.yaml, studies/, profiles/" in capsys.readouterr().out
