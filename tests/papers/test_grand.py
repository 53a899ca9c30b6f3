"""The study over everything must not miss what is added to the library."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fslib.config.load import load_config
from fslib.data.catalogue import card, dataset_names
from fslib.registry import METHODS

ROOT = Path(__file__).resolve().parents[2]
#: They share their rows with a set of the study, or have no public copy.
LEFT_OUT = (
    r"hcc|hedenfalk_brca2|hedenfalk_sporadic|leukemia_train|lung_train|lucas_generated|vantveer"
    r"|synthetic_group[12]_(1000|1500)|synthetic_group[12]_\d+_redrawn\d\d"
)


@pytest.fixture(scope="module")
def config():
    return load_config(ROOT / "config.yaml", [ROOT])


#: Ways to cut any ranking, not rankings of their own.
CUTTERS = {"best_prefix", "select_by_validation", "stability_selection"}


@pytest.mark.parametrize("name", ["grand", "grand_small"])
def test_every_method_is_in_it(config, name):
    assert {variant.use for variant in config.study(name).methods} >= set(METHODS.names()) - CUTTERS


def test_every_two_class_set_is_in_it(config):
    known = [n for n in dataset_names() if not re.fullmatch(LEFT_OUT, n)]
    everything = sorted(n for n in known if len(card(n).classes) == 2)
    assert sorted(config.study("grand_all").datasets) == everything
    assert set(config.study("grand").datasets) == set(everything) - {"gina", "gisette"}
    assert set(config.study("grand_small").datasets) <= set(config.study("grand").datasets)


def test_every_table_of_more_classes_is_in_its_own_study(config):
    study = config.study("grand_multi")
    tables = {n for n in dataset_names() if len(card(n).classes) > 2}
    # On Reuters half of the methods would need hours for a fit; the study daf has it.
    assert set(study.datasets) == tables - {"reuters21578"}
    asked = {variant.use for variant in study.methods}
    binary = {name for name, method in METHODS.all().items() if method.binary_only}
    assert asked >= set(METHODS.names()) - CUTTERS - binary
    assert not asked & binary


def test_rows_of_one_subject_or_molecule_stay_together(config):
    for name in ("grand", "grand_small"):
        study = config.study(name)
        schemes = {dataset: study.on(dataset).splits["scheme"] for dataset in study.datasets}
        grouped = {dataset for dataset, scheme in schemes.items() if scheme == "group_kfold"}
        assert grouped == {"musk1", "parkinsons"}
        assert set(schemes.values()) == {"kfold", "group_kfold"}
    # The papers' own studies divide rows as the papers did, groups or not.
    assert config.study("stability-main").on("parkinsons").splits["scheme"] == "shrinking_bootstrap"
