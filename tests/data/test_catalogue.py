"""The registry: complete, quick, and the documentation made from it is fresh."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from fslib.data import (
    DataError,
    card,
    dataset_names,
    describe_datasets,
    fetch,
    load,
    markdown_page,
    state,
)
from fslib.data.catalogue import SETS
from fslib.data.loading import read_function

PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"
NAMES = [n for n in dataset_names() if not re.search("_redrawn(?!01)", n)]


@pytest.mark.parametrize("name", NAMES)
def test_entry_is_complete(name):
    e = card(name)
    assert e.title
    assert e.citation
    assert e.licence
    assert e.kind in {"embedded", "generated", "download", "unavailable"}
    assert set(e.papers) <= {"amfes", "stability", "survey", "babd", "daf"}
    assert sum(e.classes.values()) == e.n_rows
    assert len(e.classes) >= 2
    assert e.fold is None or sum(e.fold.values()) == e.n_rows
    assert bool(e.files) == (e.kind == "download")
    for file in e.files:
        assert file.sources
        assert file.sha256 is not None or name == "gina"
        assert re.fullmatch("[0-9a-f]{64}", file.sha256 or "0" * 64)
        assert (file.bytes is not None) or name in ("gina", "gisette")
        for source in file.sources:
            assert source.url.startswith("https://")
            if "githubusercontent" in source.url:
                assert re.search("/[0-9a-f]{40}/", source.url), "pinned by commit"
    if e.kind == "unavailable":
        assert "No public copy" in e.notes
        with pytest.raises(DataError, match=f"{name} cannot be had: No public copy"):
            load(name)
    else:
        assert callable(read_function(e))


def test_what_the_papers_need_is_there():
    papers = {p: {n for n in NAMES if p in card(n).papers} for p in papers_named()}
    assert papers["stability"] == {
        "ionosphere", "sonar", "parkinsons", "musk1", "gtzan", "mfeat", "optdigits", "wine",
    }  # fmt: skip
    assert papers["survey"] == {
        "arrhythmia", "arrhythmia_binary", "sonar", "ionosphere", "segmentation", "waveform",
        "lung_train", "leukemia_train",
    }  # fmt: skip
    assert papers["babd"] == {
        "ionosphere", "wdbc", "hedenfalk_brca1", "hedenfalk_brca2", "hedenfalk_sporadic",
        "vantveer_measured", "colon", "hcc", "glioma", "leukemia", "prostate",
    }  # fmt: skip
    assert papers["daf"] == {"reuters21578", "gisette", "madelon", "spambase"}
    assert papers["amfes"] >= {
        "colon", "lymphoma_malignant", "leukemia", "gina", "reged", "lucap", "marti",
    }  # fmt: skip


def papers_named():
    return {p for n in NAMES for p in card(n).papers}


def test_unknown_name():
    with pytest.raises(KeyError, match="unknown data set 'ionospere'; did you mean 'ionosphere'"):
        load("ionospere")
    with pytest.raises(KeyError, match="did you mean"):
        fetch(["wine", "leukaemia"])


def test_misspelt_field_is_refused(tmp_path, monkeypatch):
    fields = yaml.safe_load((SETS / "sonar.yaml").read_text(encoding="utf-8"))
    fields["titel"] = "x"
    (tmp_path / "odd.yaml").write_text(yaml.safe_dump(fields), encoding="utf-8")
    from fslib.data import catalogue

    monkeypatch.setattr(catalogue, "SETS", tmp_path)
    with pytest.raises(TypeError, match="titel"):
        catalogue._card.__wrapped__("odd", "odd")


def test_copies_are_sets_of_their_own():
    names = [n for n in dataset_names() if n.startswith("synthetic_group1_500_redrawn")]
    assert names[0] == "synthetic_group1_500_redrawn01"
    assert len(names) == 20
    assert card(names[4]).options["copy"] == 5


def test_states(tmp_path):
    assert state("wine") == "embedded"
    assert state("waveform_generated") == "generated"
    assert state("hcc") == "unavailable"
    empty = tmp_path / "none"
    assert state("lucas", empty, tmp_path) == "to download"
    assert state("lucas", "https://example.org", tmp_path) == "to download"
    size = card("lucas").files[0].bytes
    (tmp_path / "mirror/lucas").mkdir(parents=True)
    (tmp_path / "mirror/lucas/lucas.csv").write_bytes(bytes(size))
    assert state("lucas", tmp_path / "mirror", tmp_path) == "in mirror"
    (tmp_path / "lucas").mkdir()
    (tmp_path / "lucas/lucas.csv").write_bytes(bytes(size - 1))
    assert state("lucas", empty, tmp_path) == "to download"
    (tmp_path / "lucas/lucas.csv").write_bytes(bytes(size))
    assert state("lucas", empty, tmp_path) == "cached"


def test_fetch_tries_all_before_it_complains(tmp_path):
    with pytest.raises(DataError) as caught:
        fetch(["wine", "sonar", "hcc", "lucas"], offline=True, mirror=tmp_path, cache=tmp_path)
    for part in ("sonar: could not get", "hcc cannot be had", "lucas: could not get"):
        assert part in str(caught.value)


def test_page_is_fresh():
    fresh = markdown_page()
    assert PAGE.read_text(encoding="utf-8") == fresh, (
        "docs/datasets.md is stale: python -c 'from fslib.data import markdown_page; "
        'open("docs/datasets.md", "w").write(markdown_page())\''
    )
    for row in describe_datasets():
        assert f"`{row['name']}`" in fresh
        assert row["citation"] in fresh
        assert row["differences"] in fresh


def test_names_and_entries_need_nothing_heavy():
    """Snakemake asks for names and entries at every start."""
    code = (
        "import sys, fslib.data as d; d.dataset_names(); d.card('colon');"
        "heavy = {'sklearn', 'scipy', 'polars', 'pandas', 'rdata', 'numpy'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
