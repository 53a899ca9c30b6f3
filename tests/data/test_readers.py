"""Readers on small files written here: each data set's ten lines, what each option means, and what
is refused.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil

import numpy as np
import pytest
from packing import packed
from scripted_server import Answer
from ten_lines import EXAMPLES

from fslib.data import DataError, card, dataset_names, load, readers
from fslib.data.archives import unpack
from fslib.data.loading import read_function
from fslib.data.readers import causality, expression, reuters, text, weka


@pytest.fixture
def files(tmp_path):
    def write(**contents):
        paths = {}
        for name, content in contents.items():
            path = tmp_path / name
            path.write_text(content, encoding="latin-1")
            paths[name] = path
        return paths

    return write


# --- ten lines of every data set, as its card says they are to be read --------------------


def test_every_data_set_and_so_every_reader_has_its_ten_lines():
    downloaded = {name for name in dataset_names() if card(name).kind == "download"}
    assert set(EXAMPLES) == downloaded, "tests/data/ten_lines.py has an example of each"
    read = {read_function(card(name)) for name in downloaded}
    for module in pkgutil.iter_modules(readers.__path__):
        functions = vars(importlib.import_module(f"{readers.__name__}.{module.name}")).values()
        for function in filter(inspect.isfunction, functions):
            if function.__module__.endswith(f".{module.name}") and takes_files(function):
                assert function in read, f"no data set is read by {function.__qualname__}"


def takes_files(function) -> bool:
    return next(iter(inspect.signature(function).parameters), None) == "files"


@pytest.mark.parametrize("name", EXAMPLES)
def test_ten_lines_hold_what_they_hold(name, tmp_path):
    e, expected = card(name), EXAMPLES[name]
    contents = expected.raw_files()
    assert set(contents) == {file.name for file in e.files}
    paths = {}
    for file in e.files:  # readers get the files in the card's order
        paths[file.name] = tmp_path / file.name
        paths[file.name].write_bytes(contents[file.name])
    raw = read_function(e)(paths, **e.options)
    assert raw.X.dtype == np.float64
    np.testing.assert_array_equal(raw.X, expected.X)
    assert raw.labels.tolist() == expected.labels
    assert set(expected.labels) <= set(e.classes)
    assert raw.feature_names == expected.names
    for part in ("fold", "group", "essential"):
        found = getattr(raw, part)
        assert (None if found is None else found.tolist()) == getattr(expected, part), part


@pytest.mark.parametrize("name", EXAMPLES)
def test_ten_lines_come_out_of_every_archive_that_a_source_sends(name, tmp_path):
    contents = EXAMPLES[name].raw_files()
    for file in card(name).files:
        ways = [(source.url, source.unpack) for source in file.sources]
        for address, steps in [*ways, (file.mirror, file.mirror_unpack)]:
            content = contents[file.name]
            whole, found = tmp_path / "whole", tmp_path / "found"
            whole.write_bytes(packed(content, steps, address))
            unpack(whole, steps, found, len(content))
            assert found.read_bytes() == content, address


def test_probes_beside_other_rows_are_refused(files):
    contents = {n: c.decode() for n, c in EXAMPLES["lucap"].raw_files().items()}
    contents["lucas.csv"] = contents["lucas.csv"].replace("0,0,1,", "0,1,1,")
    with pytest.raises(DataError, match="do not have the same rows"):
        causality.lucap(files(**contents))


# --- options and refusals ----------------------------------------------------------------


def test_separated_with_every_option(files):
    data = files(
        a="remark\nid, first ,second,kind\nm1_1,1,?,x.\nm1_2, .5 ,2,y.\n\n",
        b="remark\nid,first,second,kind\nm2_1,-3e2,4,x.\n",
    )
    raw = text.separated(
        data,
        skip=2,
        header=1,
        drop=(0,),
        group=0,
        group_pattern="m[0-9]+",
        missing="?",
        labels={"x.": "x", "y.": "y"},
        folds={"b": "test", "a": "train"},
    )
    np.testing.assert_array_equal(raw.X, [[-300, 4], [1, np.nan], [0.5, 2]])
    assert raw.labels.tolist() == ["x", "x", "y"]
    assert raw.feature_names == ["first", "second"]
    assert raw.fold.tolist() == ["test", "train", "train"]
    assert raw.group.tolist() == ["m2", "m1", "m1"]


def test_separated_by_white_space_with_target_in_front_and_a_choice_of_classes(files):
    raw = text.separated(
        files(a="x 1  2\ny 3 4 \nz 5 6\n"), separator=None, target=0, keep=("x", "z")
    )
    assert raw.X.tolist() == [[1, 2], [5, 6]]
    assert raw.labels.tolist() == ["x", "z"]
    assert raw.feature_names == ["f1", "f2"]


def test_rows_of_unequal_length_are_refused(files):
    with pytest.raises(DataError, match="a: row 2 has 2 cells, the first has 3"):
        text.separated(files(a="1,2,x\n3,y\n"))


def test_labels_apart(files):
    raw = text.labels_apart(files(d="1 2 \n3 4 \n", l="-1\n1\n"), data="d", labels="l")
    assert raw.X.tolist() == [[1, 2], [3, 4]]
    assert raw.labels.tolist() == ["-1", "1"]


ARFF = """% a comment
@relation r
@attribute 'a b' numeric
@attribute c real
@attribute label {kind}
@data
1,2.5,{first}
3,?,{second}
"""


def test_arff_with_nominal_class_and_missing_value(files):
    content = ARFF.replace("{kind}", "{-1,1}").replace("{first}", "-1").replace("{second}", "1")
    raw = weka.arff(files(a=content))
    np.testing.assert_array_equal(raw.X, [[1, 2.5], [3, np.nan]])
    assert raw.labels.tolist() == ["-1", "1"]
    assert raw.feature_names == ["a b", "c"]
    assert raw.fold is None


def test_arff_with_numeric_class(files):
    content = ARFF.replace("{kind}", "numeric").replace("{first}", "-1").replace("{second}", "1")
    assert weka.arff(files(a=content)).labels.tolist() == ["-1", "1"]


def test_arff_that_is_none_or_does_not_fit(files):
    with pytest.raises(DataError, match="a: cannot be read as ARFF"):
        weka.arff(files(a="<html>gone</html>"))
    good = ARFF.replace("{kind}", "{u,v}").replace("{first}", "u").replace("{second}", "v")
    with pytest.raises(DataError, match="b: its attributes are not those of the first file"):
        weka.arff(files(a=good, b=good.replace(" c ", " d ")))


def test_damaged_r_data(files):
    with pytest.raises(DataError, match=r"Colon.rda: cannot be read as R data"):
        expression.colon(files(**{"Colon.rda": "RDX3 not really"}))


SGML = """<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" NEWID="1">
<TOPICS><D>cocoa</D></TOPICS><TEXT>&#2;
<TITLE>COCOA &lt;RISES></TITLE><DATELINE> BAHIA, March 3 - </DATELINE><BODY>Cocoa rose; the
rising 2nd-quarter price of 5.00 dlrs. Cocoa&#3;</BODY></TEXT></REUTERS>
<REUTERS TOPICS="NO" LEWISSPLIT="TEST" NEWID="2">
<TOPICS><D>tin</D></TOPICS><TEXT TYPE="BRIEF">******<TITLE>Tin rises, tin's rise</TITLE></TEXT>
</REUTERS>
<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" NEWID="3">
<TOPICS><D>tin</D><D>zinc</D></TOPICS><TEXT><BODY>two topics</BODY></TEXT></REUTERS>
<REUTERS TOPICS="YES" LEWISSPLIT="NOT-USED" NEWID="4">
<TOPICS><D>tin</D></TOPICS><TEXT><BODY>not used</BODY></TEXT></REUTERS>
<REUTERS TOPICS="BYPASS" LEWISSPLIT="TRAIN" NEWID="5">
<TOPICS><D>zinc</D></TOPICS><TEXT TYPE="UNPROC">zinc, loose text; rises</TEXT></REUTERS>
"""


def test_reuters(files):
    data = files(a=SGML)
    raw = reuters.reuters(data, n_classes=3, min_count=1)
    assert raw.labels.tolist() == ["cocoa", "tin", "zinc"]
    assert raw.fold.tolist() == ["train", "test", "train"]
    count = dict(zip(raw.feature_names, raw.X.T, strict=True))
    assert count["cocoa"].tolist() == [3, 0, 0]
    assert count["rise"].tolist() == [2, 2, 1], "rises, rising and rise are one stem"
    assert count["loos"].tolist() == [0, 0, 1]
    assert "the" not in count
    assert not any(ch.isdigit() for term in count for ch in term)
    fewer = reuters.reuters(data, n_classes=2, min_count=3)
    assert fewer.labels.tolist() == ["cocoa", "tin"], "ties in size by the alphabet"
    assert fewer.feature_names == ["cocoa", "rise"]


def test_load_through_a_mirror_on_the_network(site, mirror, tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    site.serve("/m/lucas/lucas.csv", Answer((mirror / "lucas/lucas.csv").read_bytes()))
    d = load("lucas", mirror=site.address + "/m", cache=tmp_path)
    (source,) = json.loads(d.metadata["provenance"])
    assert source["address"] == site.address + "/m/lucas/lucas.csv"
    assert source["sha256"] == card("lucas").files[0].sha256


def test_a_damaged_file_without_a_known_hash_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv("FSLIB_MIRROR", raising=False)  # a mirror might have the whole file
    path = tmp_path / "gina" / "gina_agnostic.arff"
    path.parent.mkdir()
    path.write_text("@relation cut off")
    with pytest.raises(DataError, match=r"gina: .*cannot be read as ARFF.*delete it: ") as caught:
        load("gina", cache=tmp_path, offline=True)
    assert str(path) in str(caught.value)
    path.write_text("<html>not found</html>")
    with pytest.raises(DataError, match="it is an HTML page"):
        load("gina", cache=tmp_path, offline=True)
