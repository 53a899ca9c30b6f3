"""Finished runs that many tests look at; whoever changes one puts it back."""

from __future__ import annotations

from pathlib import Path

import pytest
from workflow import Workflow, copy_of_project

MARK = "code of the copy"


def project_with_mark(folder: Path) -> Path:
    """A copy of the project whose every script says that it runs the copy's code."""
    copy_of_project(folder)
    with open(folder / "fslib" / "run" / "single_thread.py", "a") as code:
        code.write(f"\nprint({MARK!r})\n")
    return folder


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Workflow:
    """A copy of the project with a small study run to its end inside it, and what that said."""
    folder = project_with_mark(tmp_path_factory.mktemp("finished") / "project")
    workflow = Workflow(folder, project=folder)
    workflow.said = workflow.run(cores=4)
    return workflow
