"""Every data set read from the mirror, and checked against files we did not write."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from scipy.io import loadmat

from fslib.data import DataError, Dataset, card, dataset_names, load, read_table, write_table
from fslib.data.fetching import sha256_of
from fslib.data.loading import finish
from fslib.data.raw import Raw

pytestmark = pytest.mark.slow
NOT_IN_MIRROR = {"gina", "gisette"}
NAMES = [n for n in dataset_names() if card(n).kind == "download" and n not in NOT_IN_MIRROR]


@pytest.fixture(scope="module")
def get(mirror, raw_cache):
    kept: dict[str, Dataset] = {}

    def loaded(name):
        if name not in kept:
            kept[name] = load(name, mirror=mirror, cache=raw_cache, offline=True)
        return kept[name]

    return loaded


@pytest.fixture(scope="module")
def facts(mirror):
    return json.loads((mirror / "sources.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_loads_as_registered(name, get):
    """Shape, classes, missing values, folds and groups are checked by load itself."""
    d = get(name)
    provenance = json.loads(d.metadata["provenance"])
    assert [p["file"] for p in provenance] == [f.name for f in card(name).files]
    assert [p["sha256"] for p in provenance] == [f.sha256 for f in card(name).files]
    assert all(p["address"] for p in provenance)


@pytest.mark.parametrize("name", [n for n in NAMES if n != "reuters21578"])
def test_registry_has_the_mirrors_facts(name, facts):
    """Hashes and sizes of the files, and counts where one file is one data set."""
    e = card(name)
    for file in e.files:
        fact = next(f for f in facts[file.folder]["files"] if f["name"] == file.name)
        assert (file.sha256, file.bytes) == (fact["sha256"], fact["bytes"])


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("mfeat", "segmentation", "gtzan")])
def test_registry_has_the_mirrors_counts(name, facts):
    """Where a data set of the mirror is one of ours without further selection."""
    e, fact = card(name), facts.get(name, {})
    fact = fact if "n_samples" in fact else next(iter(fact.get("files", [{}])))
    if isinstance(fact.get("n_classes"), int):
        assert (e.n_rows, e.n_features) == (fact["n_samples"], fact["n_features"])
        assert e.classes == fact["class_counts"]
        assert e.missing == fact["missing"]


def test_hashes_of_what_the_mirror_lacks(facts):
    expected = {f["raw_name"]: f["expected_sha256"] for f in facts["gisette"]["not_in_mirror"]}
    for file in card("gisette").files:
        assert file.sha256 == expected[file.name]


# --- bundled sets equal UCI's files ------------------------------------------------------


def test_wine_is_ucis(mirror):
    raw = np.loadtxt(mirror / "wine/wine.data", delimiter=",")
    d = load("wine")
    np.testing.assert_array_equal(d.X, raw[:, 1:])
    np.testing.assert_array_equal(d.y, raw[:, 0] - 1)


def test_wdbc_is_ucis(mirror):
    raw = np.genfromtxt(mirror / "wdbc/wdbc.data", delimiter=",", dtype=str)
    d = load("wdbc")
    np.testing.assert_array_equal(d.X, raw[:, 2:].astype(float))
    np.testing.assert_array_equal(np.array(["M", "B"])[d.y], raw[:, 1])


def test_digits_is_the_test_part_of_ucis(mirror):
    raw = np.loadtxt(mirror / "optdigits/optdigits.tes", delimiter=",")
    d = load("digits")
    np.testing.assert_array_equal(d.X, raw[:, :-1])
    np.testing.assert_array_equal(d.y, raw[:, -1])


def test_an_edited_bundle_is_noticed():
    e, d = card("wine"), load("wine")
    X = d.X.copy()
    X[0, 0] += 1e-9
    labels = np.array(d.class_names)[d.y]
    with pytest.raises(DataError, match="sha256 of the values should be"):
        finish(e, Raw(X, labels, d.feature_names))


# --- values are those of the files, by another reader ------------------------------------


@pytest.mark.parametrize(
    ("name", "path", "columns"),
    [
        ("ionosphere", "ionosphere/ionosphere.data", slice(0, 34)),
        ("sonar", "sonar/sonar.all-data", slice(0, 60)),
        ("musk1", "musk1/clean1.data", slice(2, 168)),
        ("arrhythmia", "arrhythmia/arrhythmia.data", slice(0, 279)),
        ("spambase", "spambase/spambase.data", slice(0, 57)),
        ("waveform", "waveform/waveform.data", slice(0, 21)),
        ("optdigits", "optdigits/optdigits.tra", slice(0, 64)),
    ],
)
def test_values_are_lossless(name, path, columns, get, mirror):
    d = get(name)
    frame = pl.read_csv(mirror / path, has_header=False, null_values="?", infer_schema=False)
    X = frame[:, columns].cast(pl.Float64).to_numpy()
    np.testing.assert_array_equal(d.X, X)
    labels = frame[:, -1].str.strip_suffix(".").to_list()
    assert [d.class_names[c] for c in d.y] == labels


def test_parkinsons(get, mirror):
    frame = pl.read_csv(mirror / "parkinsons/parkinsons.data")
    d = get("parkinsons")
    assert "status" not in d.feature_names
    np.testing.assert_array_equal(d.X, frame.select(d.feature_names).to_numpy())
    np.testing.assert_array_equal(d.y, frame["status"])
    assert set(d.group[:6]) == {"phon_R01_S01"}
    assert len(np.unique(d.group)) == 32


def test_musk_molecules_have_one_class(get):
    d = get("musk1")
    classes = [set(d.y[d.group == molecule]) for molecule in np.unique(d.group)]
    assert all(len(c) == 1 for c in classes)
    assert sum(c == {1} for c in classes) == 47


def test_mfeat_is_six_files_side_by_side(get, mirror):
    d = get("mfeat")
    for part, first in (("fac", 0), ("fou", 216), ("mor", 356), ("zer", 602)):
        block = np.loadtxt(mirror / f"mfeat/mfeat-{part}")
        np.testing.assert_array_equal(d.X[:, first : first + block.shape[1]], block)
        assert d.feature_names[first].startswith(f"{part}_")


def test_segmentation_and_gtzan(get, mirror):
    d = get("segmentation")
    assert (d.X[:, d.feature_names.index("REGION-PIXEL-COUNT")] == 9).all()
    frame = pl.read_csv(mirror / "gtzan/features_30_sec.csv")
    g = get("gtzan")
    kept = frame.filter(pl.col("label").is_in(g.class_names))
    np.testing.assert_array_equal(g.X, kept.select(g.feature_names).to_numpy())
    assert "length" not in g.feature_names


def test_arrhythmia_binary(get):
    many, two = get("arrhythmia"), get("arrhythmia_binary")
    np.testing.assert_array_equal(many.y == 0, two.y == two.class_names.index("normal"))
    gaps = np.isnan(many.X).sum(axis=0)
    assert gaps[13] == 376
    assert set(np.flatnonzero(gaps)) <= set(range(10, 15))


# --- gene expression: second sources -----------------------------------------------------


def test_lung_training_samples_are_kent_ridges(get, mirror):
    raw = np.genfromtxt(mirror / "lung/lungCancer_train.data", delimiter=",", dtype=str)
    d, train = get("lung"), get("lung_train")
    np.testing.assert_array_equal(d.X[:32], raw[:, :-1].astype(float))
    np.testing.assert_array_equal(d.y[:32] == d.class_names.index("MPM"), raw[:, -1] != "ADCA")
    np.testing.assert_array_equal(train.X, d.X[d.fold == "train"])
    np.testing.assert_array_equal(train.y, d.y[:32])


def test_lymphoma_order_is_that_of_the_labels(get, mirror):
    """scikit-feature's discretised copy follows from ours at mean ± half a deviation."""
    d = get("lymphoma")
    coded = loadmat(mirror / "lymphoma/lymphoma.mat")["X"]
    mean, half = np.nanmean(d.X, axis=0), np.nanstd(d.X, axis=0) / 2
    ours = np.where(d.X > mean + half, 2, np.where(d.X < mean - half, -2, 0))
    measured = ~np.isnan(d.X)
    assert (ours == coded)[measured].mean() > 0.99
    for row in range(0, 96, 5):
        agreement = (ours[row] == coded)[:, measured[row]].mean(axis=1)
        assert agreement.argmax() == row


def test_lymphoma_malignant(get):
    nine, two = get("lymphoma"), get("lymphoma_malignant")
    malignant = two.y == two.class_names.index("malignant")
    counts = np.bincount(nine.y[malignant], minlength=9)
    assert sorted(counts[counts > 0].tolist()) == [9, 11, 42]
    np.testing.assert_array_equal(nine.X, two.X)


def test_leukemia_parts(get):
    d, train = get("leukemia"), get("leukemia_train")
    np.testing.assert_array_equal(d.X[d.fold == "train"], train.X)
    tally = {f: np.bincount(d.y[d.fold == f]).tolist() for f in ("train", "test")}
    assert tally == {"train": [27, 11], "test": [20, 14]}
    assert (d.X == np.round(d.X)).all()


def test_hedenfalk_tasks(get):
    three = get("hedenfalk")
    for name in ("BRCA1", "BRCA2", "sporadic"):
        two = get(f"hedenfalk_{name.lower()}")
        np.testing.assert_array_equal(two.y == 0, three.y == three.class_names.index(name))
    assert three.X.max() == 5530.69
    assert three.X.min() == 0.01
    assert ((three.X > 20).any(axis=0)).sum() == 57


def test_vantveer_parts_have_the_same_gene_order(get):
    d, measured = get("vantveer"), get("vantveer_measured")
    never = np.isnan(d.X).all(axis=0)
    assert never.sum() == 293
    # Were the orders different, genes missing throughout one part would not be in the other.
    for part in ("train", "test"):
        np.testing.assert_array_equal(np.isnan(d.X[d.fold == part]).all(axis=0), never)
    np.testing.assert_array_equal(measured.X, d.X[:, ~never])
    # A known gene: what goes up and down with the oestrogen receptor is the same in both parts.
    receptor = measured.feature_names.index("NM_000125")
    profiles = [
        _correlation_with(measured.X[measured.fold == f], receptor) for f in ("train", "test")
    ]
    strong = np.abs(profiles[0]) > 0.5
    assert strong.sum() > 500
    assert np.corrcoef(profiles[0][strong], profiles[1][strong])[0, 1] > 0.9
    assert np.corrcoef(profiles[0][strong], np.roll(profiles[1], 1)[strong])[0, 1] < 0.2


def _correlation_with(X, column):
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    z = (filled - filled.mean(axis=0)) / filled.std(axis=0)
    return z[:, column] @ z / len(z)


def test_glioma_folds_are_the_classic_samples(get):
    d = get("glioma")
    tally = {f: np.bincount(d.y[d.fold == f]).tolist() for f in ("train", "test")}
    assert tally == {"train": [7, 14], "test": [15, 14]}


def test_prostate_parts(get):
    d = get("prostate")
    tumor = d.class_names.index("tumor")
    assert (d.y[d.fold == "train"] == tumor).sum() == 52
    assert (d.X[d.fold == "train"].min(), d.X[d.fold == "train"].max()) == (-1807, 17530)
    assert (d.X[d.fold == "test"].min(), d.X[d.fold == "test"].max()) == (-5536, 38660)


def test_colon_names_are_unique(get):
    d = get("colon")
    assert sum("." in name.removeprefix("Hsa.") for name in d.feature_names) >= 80
    assert d.feature_names[1:3] == ["Hsa.13491", "Hsa.13491.2"]


# --- challenges --------------------------------------------------------------------------


def test_lucap_holds_lucas(get):
    plain, probes = get("lucas"), get("lucap")
    columns = [probes.feature_names.index(n) for n in plain.feature_names]
    np.testing.assert_array_equal(probes.X[:, columns], plain.X)
    np.testing.assert_array_equal(probes.y, plain.y)
    assert sum(n.startswith("probe") for n in probes.feature_names) == 132
    assert probes.essential is None


def test_marti_neighbours_on_the_array_correlate(get):
    """The noise of MARTI is smooth on a 32 × 32 array stored column by column."""
    X = get("marti").X
    r = np.corrcoef(X[:, 33:64].T)
    assert np.diag(r, 1).mean() > 0.95


def test_reged_and_madelon(get, mirror):
    for name, data in (("reged", "reged0_train.data"), ("madelon", "madelon_train.data")):
        np.testing.assert_array_equal(get(name).X, np.loadtxt(mirror / name / data))


# --- Reuters -----------------------------------------------------------------------------


def test_reuters_counts(get):
    d = get("reuters21578")
    assert d.X.shape[0] == 8941
    assert np.bincount(d.y).max() == 3924
    assert len(d.class_names) == 33
    assert d.X.sum(axis=0).min() >= 3
    assert (d.X.sum(axis=1) > 0).all()
    # cocoa documents speak of cocoa
    cocoa = d.y == d.class_names.index("cocoa")
    assert (d.X[cocoa, d.feature_names.index("cocoa")] > 0).mean() > 0.95
    assert (d.X[~cocoa, d.feature_names.index("cocoa")] > 0).mean() < 0.01


# --- from raw to table, and what a wrong file gives --------------------------------------


@pytest.mark.parametrize("name", ["arrhythmia", "vantveer", "lucas", "parkinsons"])
def test_table_keeps_everything(name, get, tmp_path):
    d = get(name)
    write_table(d, tmp_path / "t.parquet")
    back = read_table(tmp_path / "t.parquet")
    np.testing.assert_array_equal(back.X, d.X)
    np.testing.assert_array_equal(back.y, d.y)
    assert back.metadata == d.metadata
    assert sum(pl.read_parquet(tmp_path / "t.parquet").null_count().row(0)) == card(name).missing


def test_counts_that_do_not_fit_are_refused(get):
    d, e = get("sonar"), card("sonar")
    labels = np.array(d.class_names)[d.y]
    with pytest.raises(DataError, match=r"^shape should be \(208, 60\), found \(207, 60\)"):
        finish(e, Raw(d.X[1:], labels[1:], d.feature_names))
    with pytest.raises(DataError, match="rows per class"):
        finish(e, Raw(d.X, np.where(labels == "M", "R", "M"), d.feature_names))
    with pytest.raises(DataError, match="unexpected class 'X'"):
        finish(e, Raw(d.X, np.where(labels == "M", "X", "R"), d.feature_names))
    X = d.X.copy()
    X[0, 0] = np.nan
    with pytest.raises(DataError, match="missing values should be 0, found 1"):
        finish(e, Raw(X, labels, d.feature_names))


def test_mirror_is_what_it_says(mirror, facts):
    """The mirror itself: every listed file is there with its hash."""
    for name, fact in facts.items():
        for file in fact["files"]:
            assert sha256_of(mirror / name / file["name"]) == file["sha256"]
