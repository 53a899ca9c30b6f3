"""A cluster without accounting: handled where squeue can tell, refused where it cannot."""

from dataclasses import dataclass

import pytest

from fslib.run.errors import FslibError
from fslib.run.slurm import settle


@dataclass
class Settings:
    """What the plug-in's settings have."""

    status_command: str = "sacct"
    no_account: bool = False
    init_seconds_before_status_checks: int = 10


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    """SLURM's commands as they would answer."""

    def answering(sacct: str, min_job_age: int):
        for name, script in (
            ("sacct", sacct),
            ("scontrol", f"echo 'MinJobAge               = {min_job_age} sec'"),
        ):
            (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
            (tmp_path / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

    return answering


DISABLED = "echo 'Slurm accounting storage is disabled' >&2; exit 1"


def test_without_accounting_squeue_is_asked(cluster, capsys):
    cluster(DISABLED, 300)
    settings = Settings()
    settle(settings)
    assert (settings.status_command, settings.no_account) == ("squeue", True)
    said = capsys.readouterr().err
    assert "slurm-status-command: squeue" in said
    assert "slurm-no-account: true" in said


@pytest.mark.parametrize("asked", ["sacct", "squeue"])
def test_refused_with_the_keys_to_set_where_squeue_forgets_at_once(cluster, asked):
    cluster(DISABLED, 20)
    with pytest.raises(FslibError) as refused:
        settle(Settings(status_command=asked))
    for key in ("slurm-init-seconds-before-status-checks: 6", "slurm-status-command: squeue"):
        assert key in str(refused.value)
    assert "profiles/slurm/config.yaml" in str(refused.value)


@pytest.mark.parametrize("answer", ["exit 0", "echo 'slurmdbd is away' >&2; exit 1"])
def test_accounting_that_is_on_or_away_for_a_moment_is_left_alone(cluster, answer):
    cluster(answer, 300)
    settings = Settings()
    settle(settings)
    assert settings == Settings()


def test_other_executors_are_left_alone(cluster):
    cluster(DISABLED, 300)
    settle(None)
    settle(object())
