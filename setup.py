"""Puts the workflow into the wheel; everything else about the package stands in pyproject.toml."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

#: What `fslib run` needs, at the top of a clone and in `fslib/workflow/` of an installation.
WORKFLOW = ("Snakefile", "config.yaml", "rules", "scripts", "studies", "profiles", "envs")


class BuildWithWorkflow(build_py):
    def run(self):
        super().run()
        if self.editable_mode:
            return  # an editable installation uses the clone's own workflow
        for name in WORKFLOW:
            target = Path(self.build_lib, "fslib", "workflow", name)
            target.parent.mkdir(parents=True, exist_ok=True)
            if Path(name).is_dir():
                # The methods of the smoke test are among the tests.
                unwanted = shutil.ignore_patterns("__pycache__", "smoke.yaml")
                shutil.copytree(name, target, dirs_exist_ok=True, ignore=unwanted)
            else:
                shutil.copy(name, target)


setup(cmdclass={"build_py": BuildWithWorkflow})
