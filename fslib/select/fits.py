"""What one fit of the select stage is: its seed, its fingerprint, its table and its selector."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fslib.base import FeatureSelector
from fslib.data.dataset import Dataset
from fslib.prepare.stage import Prepared, read_preparation
from fslib.prepare.steps import preparation_name
from fslib.run.artefacts import stored
from fslib.run.fingerprint import fingerprint
from fslib.run.seeds import random_state, seed
from fslib.select.columns import Columns
from fslib.select.resolve import Recipe
from fslib.split.schemes import Split
from fslib.split.stage import read_splits


@dataclass(frozen=True)
class Job:
    """What one job has to do, as plain data from the rule."""

    study: str
    dataset: str
    entry: str
    variants: list[dict]
    scheme: str
    seed: int
    code: str

    @classmethod
    def of(cls, wildcards, params) -> Job:
        """The job of a rule with these wildcards and parameters."""
        place = (wildcards.study, wildcards.dataset, wildcards.entry)
        return cls(*place, params.variants, params.scheme, params.seed, params.code)


@dataclass(frozen=True)
class Fit:
    """One row of `runs`: a variant on a split."""

    variant: dict
    split: int
    seed: int
    fingerprint: str

    @property
    def recipe(self) -> Recipe:
        return Recipe(self.variant["use"], self.variant["params"])


def planned(job: Job, variant: dict, split: int, inputs: Sequence[str], seed_name: str) -> Fit:
    """A fit with its seed, and the fingerprint of its code, its settings and what it reads."""
    # The seed belongs to what is fitted, not to the study: a reduced study's rows are the
    # same as the full one's.
    value = seed(job.seed, seed_name, job.scheme, split, variant["seed_name"])
    return Fit(variant, split, value, fingerprint(code=job.code, variant=variant, inputs=inputs))


class Material:
    """What the fits of a job read: a table, its splits and its preparations.

    Raises `Refused` where one of these could not be made.
    """

    def __init__(self, table: str, splits: str, prepared: Sequence[str]):
        self.splits = read_splits(splits)
        self.views: dict[str, Prepared] = {
            Path(path).stem: read_preparation(table, path) for path in prepared
        }
        any_view = next(iter(self.views.values()))
        self.data: Dataset = any_view.data
        self.fitted: str = any_view.fitted
        # A fit reads its own preparation alone, whatever others in its job read.
        self._digests = {
            Path(path).stem: [stored(p) for p in (table, splits, path)] for path in prepared
        }

    def inputs(self, variant: dict) -> list[str]:
        """Digests of the files that a variant's fits read."""
        return self._digests[preparation_name(variant["preparation"])]

    def chosen(self, numbers: Sequence[int] | None) -> list[Split]:
        """The splits of these numbers that there are; all where none are named."""
        asked = self.splits if numbers is None else numbers
        return [self.splits[s] for s in asked if s in self.splits]

    def fits(self, job: Job, numbers: Sequence[int] | None) -> list[Fit]:
        """Every variant of a job on some splits."""
        return [
            planned(job, variant, s.split, self.inputs(variant), self.data.seed_name)
            for s in self.chosen(numbers)
            for variant in job.variants
        ]


class Group:
    """Fits of one split, preparation and class, with the table that they have in common."""

    def __init__(self, fits: Sequence[Fit], material: Material):
        self.fits, self._data = list(fits), material.data
        split = material.splits[fits[0].split]
        view = material.views[preparation_name(fits[0].variant["preparation"])]
        self.X, self.y = view.rows(split.split, split.train), self._data.y[split.train]
        features = view.features(split.split)
        self.columns = [
            Columns.of(fit.variant["params"], self.X.shape[1], features) for fit in self.fits
        ]

    def selector(self, number: int) -> FeatureSelector:
        """The unfitted selector of one of the fits."""
        fit, essential = self.fits[number], self._data.essential
        recipe = Recipe(fit.variant["use"], self.columns[number].params)
        return recipe.build(
            random_state=random_state(fit.seed),
            essential=None if essential is None else essential.tolist(),
        )

    def selectors(self) -> list[FeatureSelector]:
        return [self.selector(number) for number in range(len(self.fits))]

    def seed_global_generators(self) -> None:
        """Code that draws from the global generators gives the same answer in every run too."""
        random.seed(self.fits[0].seed)
        np.random.seed(random_state(self.fits[0].seed))  # noqa: NPY002
