"""Tables as people have them: every format, encoding and dialect gives the same data set."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zipfile

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from fslib.data import DataError, read_own
from fslib.data.gaps import DOUBTFUL


def frame_of(bunch) -> pl.DataFrame:
    kinds = pl.Series("kind", bunch.target_names[bunch.target].tolist())
    return pl.DataFrame(bunch.data, schema=list(bunch.feature_names)).with_columns(kinds)


WINE = frame_of(load_wine())
GAPS = WINE.with_columns(
    pl.when(pl.int_range(pl.len()) % 7 == i).then(None).otherwise(pl.col(name)).alias(name)
    for i, name in enumerate(WINE.columns[:3])
)


def same(d, frame: pl.DataFrame) -> None:
    features = frame.drop("kind")
    assert d.feature_names == features.columns
    np.testing.assert_array_equal(d.X, features.to_numpy())
    assert [d.class_names[c] for c in d.y] == frame["kind"].to_list()
    assert not d.categories


def arff(frame: pl.DataFrame) -> bytes:
    kinds = sorted(set(frame["kind"]))
    lines = ["@relation table"]
    lines += [f'@attribute "{name}" numeric' for name in frame.columns[:-1]]
    lines += [f"@attribute kind {{{','.join(kinds)}}}", "@data"]
    lines += [",".join("?" if v is None else str(v) for v in row) for row in frame.rows()]
    return "\n".join(lines).encode()


def written(frame: pl.DataFrame, write: str, **options) -> bytes:
    stream = io.BytesIO()
    getattr(frame, write)(stream, **options)
    return stream.getvalue()


def zipped(name: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(f"folder/{name}", content)
        archive.writestr("__MACOSX/._x", b"litter")
    return stream.getvalue()


FORMATS = {
    "t.csv": lambda f: written(f, "write_csv"),
    "t.tsv": lambda f: written(f, "write_csv", separator="\t", null_value="NA"),
    "t.txt": lambda f: written(f, "write_csv", separator="|", null_value="<NA>"),
    "t.parquet": lambda f: written(f, "write_parquet"),
    "t.feather": lambda f: written(f, "write_ipc", compression="lz4"),
    "t.arrow": lambda f: written(f, "write_ipc"),
    "t.xlsx": lambda f: written(f, "write_excel"),
    "t.arff": arff,
    "t.csv.gz": lambda f: gzip.compress(written(f, "write_csv")),
    "t.parquet.gz": lambda f: gzip.compress(written(f, "write_parquet")),
    "t.zip": lambda f: zipped("t.csv", written(f, "write_csv")),
    "u.zip": lambda f: zipped("t.xlsx", written(f, "write_excel")),
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("frame", [WINE, GAPS], ids=["whole", "with gaps"])
def test_formats(tmp_path, name, frame):
    path = tmp_path / name
    path.write_bytes(FORMATS[name](frame))
    same(read_own(path, "kind"), frame)


@pytest.mark.parametrize("bunch", [load_iris, load_breast_cancer])
def test_other_tables(tmp_path, bunch):
    frame = frame_of(bunch())
    for name in ("t.csv", "t.xlsx", "t.feather"):
        (tmp_path / name).write_bytes(FORMATS[name](frame))
        same(read_own(tmp_path / name, "kind"), frame)


# As programs write text


def r_write_table(frame: pl.DataFrame, **options) -> str:
    """As `write.table` does: quoted names, none for the row names in front."""
    mark = options.get("sep", " ")
    lines = [mark.join(f'"{n}"' for n in frame.columns)]
    for number, row in enumerate(frame.rows(), 1):
        cells = [f'"{number}"']
        cells += ["NA" if v is None else f'"{v}"' if isinstance(v, str) else str(v) for v in row]
        lines.append(mark.join(cells))
    return "\n".join(lines) + "\n"


def decimal_comma(frame: pl.DataFrame) -> str:
    lines = [";".join(frame.columns)]
    for row in frame.rows():
        lines.append(";".join("" if v is None else str(v).replace(".", ",") for v in row))
    return "\n".join(lines)


PLAIN = GAPS.write_csv()
DIALECTS = {
    "decimal comma": decimal_comma(GAPS).encode(),
    "sep line": b"sep=;\r\n" + decimal_comma(GAPS).replace("\n", "\r\n").encode(),
    "comments": b"# made by hand, on a Monday\n# twice\n" + PLAIN.encode(),
    "comments of programmers": b"// made by hand, on a Monday\n" + PLAIN.encode(),
    "header behind a comment sign": b"#" + PLAIN.encode(),
    "utf-8 with mark": PLAIN.encode("utf-8-sig"),
    "utf-16": PLAIN.encode("utf-16"),
    "utf-16 without mark": PLAIN.encode("utf-16-le"),
    "tabs at the ends": "".join(f"{r}\t\n" for r in PLAIN.replace(",", "\t").splitlines()).encode(),
    "quoted": GAPS.write_csv(quote_style="always", null_value="NA").encode(),
    "blanks": PLAIN.replace(",", " , ").encode(),
    "lines of old Macs": PLAIN.replace("\n", "\r").encode(),
    "empty lines": PLAIN.replace("\n", "\n\n", 1).encode() + b"\n\n",
    "write.table": r_write_table(GAPS).encode(),
    "write.table with tabs": r_write_table(GAPS, sep="\t").encode(),
    "write.csv": "".join(
        f'"{i or ""}",{line}\n' for i, line in enumerate(PLAIN.splitlines())
    ).encode(),
    "to_csv": "".join(
        f"{'' if not i else i - 1},{line}\n" for i, line in enumerate(PLAIN.splitlines())
    ).encode(),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_dialects(tmp_path, dialect):
    path = tmp_path / "t.csv"
    path.write_bytes(DIALECTS[dialect])
    d = read_own(path, "kind")
    same(d, GAPS)
    assert ("row_names" in d.metadata) == dialect.startswith(("write.", "to_csv"))


@pytest.mark.parametrize("below", ["# by hand, at home, alone", "#"])
def test_comments_below_the_header(tmp_path, below):
    path = tmp_path / "t.csv"
    path.write_text(f"# by hand\na,kind\n1,x\n{below}\n2,y\n3,x\n")
    assert read_own(path, "kind").X.ravel().tolist() == [1, 2, 3]
    path.write_text(f"a,kind\n1,x\n{below}\n2,y\n3,x\n")
    with pytest.raises(DataError, match=r"line 3 has .* It looks like a comment: remove it"):
        read_own(path, "kind")
    path.write_text("a,kind\n1,x\n// more\n2,y\n3,x\n")
    with pytest.raises(DataError, match=r"line 3 has 1 cell, .* looks like a comment"):
        read_own(path, "kind")


def test_rows_that_begin_like_a_comment_do_not_vanish(tmp_path):
    path = tmp_path / "t.csv"
    rows = "colour,kind\n" + "".join(f"#{i},{'xy'[i % 2]}\n" for i in range(3)) + "red,x\n"
    path.write_text("# by hand\n" + rows)
    with pytest.raises(DataError, match=r"line 3 begins with '#' .* as many cells as a row"):
        read_own(path, "kind")
    path.write_text(rows)
    assert read_own(path, "kind").categories == {0: ["#0", "#1", "#2", "red"]}


def test_line_ends_in_quotes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('"a\n(cm)",b,kind\n1,"red\n\nor, blue",x\n2,green,y\n3,"gr\n, een",x\n')
    d = read_own(path, "kind")
    assert (d.feature_names, len(d.y)) == (["a (cm)", "b"], 3)
    assert d.categories == {1: ["gr\n, een", "green", "red\n\nor, blue"]}
    path.write_text('a,b,kind\n1,"red\n\nor, blue",x,\n2,green,y\n')
    with pytest.raises(DataError, match="line 2 has 4 cells"):
        read_own(path, "kind")


def test_letters_of_western_europe(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("größe;kind\n1;Müller\n2;Ærø\n3;Ærø\n4;Müller\n".encode("latin-1"))
    d = read_own(path, "kind")
    assert (d.feature_names, d.class_names) == (["größe"], ["Müller", "Ærø"])


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1,5", "2,25", "-3"], [1.5, 2.25, -3]),
        (["1,234", "12,345.5", "7"], [1234, 12345.5, 7]),
        (["1.234,5", "12,5", "-7"], [1234.5, 12.5, -7]),
        ([" 1.5", "2 ", "3e2"], [1.5, 2, 300]),
    ],
)
def test_ways_to_write_numbers(tmp_path, cells, numbers):
    path = tmp_path / "t.csv"
    path.write_text("a,kind\n" + "".join(f'"{c}",{k}\n' for c, k in zip(cells, "xyx", strict=True)))
    assert read_own(path, "kind").X.ravel().tolist() == numbers


def test_a_spreadsheet_without_its_reader_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    with pytest.raises(DataError, match=r"pip install fastexcel, or save the table as CSV"):
        read_own(tmp_path / "t.xlsx", "kind")


MISSING = ["None", "n/a", "#N/A", "<NA>", "-", ".", "", "  ", "NA", "NaN", "null", "?", " NA "]


@pytest.mark.parametrize("word", MISSING)
def test_spellings_of_missing(tmp_path, word):
    path = tmp_path / "t.csv"
    path.write_text(f"a,b,kind\n1.5,red,x\n{word},{word},y\n-2,blue,x\n")
    d = read_own(path, "kind", missing=[word] if word in DOUBTFUL else [])
    np.testing.assert_array_equal(d.X, [[1.5, 1], [np.nan, np.nan], [-2, 0]])
    assert d.categories == {1: ["blue", "red"]}


SIGNS = pl.DataFrame(
    {
        "size": [1.5, -2.0, 3.0, 4.0],
        "test": ["+", "-", None, "+"],
        "pain": ["none", "mild", "none", "bad"],
        "two": [".", "red", "-", "blue"],
        "kind": ["none", "soft", "hard", "soft"],
    }
)


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.xlsx"])
def test_words_for_missing_may_be_values(tmp_path, name):
    """Among numbers they are missing, and where a column has two of them."""
    path = tmp_path / name
    path.write_bytes(FORMATS[name](SIGNS))
    d = read_own(path, "kind")
    assert d.class_names == ["hard", "none", "soft"]
    assert d.categories == {1: ["+", "-"], 2: ["bad", "mild", "none"], 3: ["blue", "red"]}
    np.testing.assert_array_equal(d.X[:, 1], [0, 1, np.nan, 0])
    np.testing.assert_array_equal(d.X[:, 3], [np.nan, 1, np.nan, 0])


def test_among_numbers_a_dash_is_missing_whatever_the_dialect(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b;kind\n1,234;10 m;0\n-;-;.\n3,5;12 m;1\n")
    with pytest.raises(DataError, match=r"'kind' is empty in 1 row.* too among numbers"):
        read_own(path, "kind")
    path.write_text("a;b;kind\n1,234;10 m;x\n-;-;+\n3,5;12 m;x\n")
    d = read_own(path, "kind")
    np.testing.assert_array_equal(d.X, [[1.234, 0], [np.nan, np.nan], [3.5, 1]])


def test_missing_target_in_any_spelling_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,kind\n1,x\n2, n/a \n3,y\n4,y\n")
    with pytest.raises(DataError, match="target 'kind' is empty in 1 row, first in data row 2"):
        read_own(path, "kind")


# Keys


def test_columns_that_are_no_features(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b1,b2,name,kind\n1,2,3,p,x\n2,4,5,q,y\n3,5,6,r,x\n")
    d = read_own(path, "kind", drop=["b*"], id="name")
    assert d.feature_names == ["a"]
    with pytest.raises(DataError, match="drop: has no column 'b3'; did you mean 'b"):
        read_own(path, "kind", drop=["b3"])
    with pytest.raises(DataError, match="no feature column"):
        read_own(path, "kind", drop="*", id="name")


def test_numbers_that_stand_for_categories(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("zip,a,kind\n10115,1,x\n80331,2,y\n10115,3,x\n,4,y\n")
    d = read_own(path, "kind", categorical=["zip"])
    assert d.categories == {0: ["10115", "80331"]}
    np.testing.assert_array_equal(d.X[:, 0], [0, 1, 0, np.nan])


def test_codes_are_different_levels_however_long_they_are(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("code,kind\n12345671,x\n12345672,y\n0.1234567,x\n7,y\n")
    levels = read_own(path, "kind", categorical="code").categories[0]
    assert levels == ["0.1234567", "7", "12345671", "12345672"]


@pytest.mark.parametrize("missing", [[-999], {"values": [-999], "as": "median"}, ["-999"]])
def test_own_values_for_missing(tmp_path, missing):
    path = tmp_path / "t.csv"
    path.write_text("a,b,kind\n1,-999,x\n-999,v,y\n3,w,x\n")
    d = read_own(path, "kind", missing=missing)
    assert np.isnan(d.X[1, 0])
    assert np.isnan(d.X[0, 1])
    assert d.metadata["missing_category"] == ("median" if isinstance(missing, dict) else "level")


def test_one_class_against_all_others(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,kind\n1,x\n2,y\n3,z\n4,y\n")
    d = read_own(path, "kind", positive="y")
    assert (d.class_names, d.y.tolist()) == (["not y", "y"], [0, 1, 0, 1])
    path.write_text("a,kind\n1,1\n2,0\n3,0\n4,1\n")
    assert read_own(path, "kind", positive=0).class_names == ["1", "0"]
    with pytest.raises(DataError, match="has no class '2'"):
        read_own(path, "kind", positive=2)
    path.write_text("a,kind\n1,yes\n2,no\n3,no\n4,yes\n")
    assert read_own(path, "kind", positive="YES").class_names == ["no", "yes"]
    with pytest.raises(DataError, match=r"no class 'True'\. YAML reads yes .* put it in quotes"):
        read_own(path, "kind", positive=True)


def test_sheets(tmp_path):
    import xlsxwriter

    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(path) as book:
        WINE.write_excel(book, worksheet="first")
        GAPS.write_excel(book, worksheet="gaps")
        GAPS.write_excel(book, worksheet="1")
    same(read_own(path, "kind"), WINE)
    for sheet in ("gaps", 2, "2", 1, "1"):  # a name goes before a number
        same(read_own(path, "kind", sheet=sheet), GAPS)
    with pytest.raises(DataError, match="has no sheet 'third'; it has first, gaps, 1"):
        read_own(path, "kind", sheet="third")
    (tmp_path / "t.csv").write_text(PLAIN)
    with pytest.raises(DataError, match="has no sheets; remove `sheet: gaps`"):
        read_own(tmp_path / "t.csv", "kind", sheet="gaps")


@pytest.mark.parametrize("suffix", ["xlsx", "feather", "arff", "parquet", "csv.gz", "zip"])
def test_damaged_files_are_named(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    for content in (b"\x00\x01 not what the name says", FORMATS.get(f"t.{suffix}")(WINE)[:40]):
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"cannot be (read|unpacked)") as caught:
            read_own(path, "kind")
        assert str(path) in str(caught.value)


def test_other_kinds_of_files_are_refused_by_their_names(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text("[]")
    with pytest.raises(DataError, match=r"end in \.json are not read\. Save the table as CSV"):
        read_own(path, "kind")


def test_a_zip_of_one_table_and_what_comes_with_it(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("README.md", "from somewhere")
        archive.writestr("licence.txt", "free")
        archive.writestr("t.csv", PLAIN)
    same(read_own(tmp_path / "t.zip", "kind"), GAPS)


def test_a_spreadsheet_with_two_columns_of_one_name_is_refused(tmp_path):
    import xlsxwriter

    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate([("a", "a", "kind"), (1, 2, "x"), (2, 3, "y"), (4, 4, "x")]):
            sheet.write_row(number, 0, row)
    with pytest.raises(DataError, match="column name 'a' occurs more than once"):
        read_own(path, "kind")


def test_arff_as_weka_writes_it(tmp_path):
    path = tmp_path / "t.arff"
    header = "% made\n@RELATION x\n@ATTRIBUTE 'body size' REAL\n@attribute day date yyyy-MM-dd\n"
    header += "@attribute farbe {'hell grün', blau}\n@ATTRIBUTE kind {none,soft}\n@DATA\n"
    rows = "1.5,2024-01-31,blau,none\n% more\n?,?,'hell grün',soft\n2, 1970-01-01 ,?,none\n"
    for encoding in ("utf-8", "latin-1"):
        path.write_bytes((header + rows).encode(encoding))
        d = read_own(path, "kind")
        assert (d.feature_names, d.class_names) == (["body size", "day", "farbe"], ["none", "soft"])
        assert d.categories == {2: ["blau", "hell grün"]}
        expected = [[1.5, 19753, 0], [np.nan, np.nan, 1], [2, 0, np.nan]]
        np.testing.assert_array_equal(d.X, expected)
    for row, message in (
        ("{0 1.5, 3 soft}", r"sparse rows.* SparseToNonSparse"),
        ("1,2024-01-31,blau", "the row '1,2024-01-31,blau' has 3 cells for 4 attributes"),
        ("big,2024-01-31,blau,soft", "column 'body size' is real and holds 'big'"),
    ):
        path.write_text(f"{header}{row}\n")
        with pytest.raises(DataError, match=message):
            read_own(path, "kind")


def test_a_zip_of_several_files_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("a.csv", "x")
        archive.writestr("b.csv", "y")
    with pytest.raises(DataError, match=r"holds 2 files \(a.csv, b.csv\); unpack it"):
        read_own(tmp_path / "t.zip", "kind")


def test_columns_of_pandas_and_polars_types(tmp_path):
    frame = pl.DataFrame(
        {
            "level": pl.Series(["low", None, "high", "low"], dtype=pl.Categorical),
            "when": pl.Series([1, 2, 3, 4]).cast(pl.Date),
            "price": pl.Series(["1", "2", "3", "4"]).cast(pl.Decimal(10, 2)),
            "kind": ["x", "y", "x", "y"],
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    d = read_own(tmp_path / "t.parquet", "kind")
    assert d.categories == {0: ["high", "low"]}
    np.testing.assert_array_equal(d.X, [[1, 1, 1], [np.nan, 2, 2], [0, 3, 3], [1, 4, 4]])
    assert json.loads(d.metadata["dates"]) == ["when"]
    frame.with_columns(odd=pl.Series([[1], [2], [3], [4]])).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match="column 'odd' holds List"):
        read_own(tmp_path / "t.parquet", "kind")


def test_a_date_is_the_same_in_every_format(tmp_path):
    from datetime import date, datetime

    frame = pl.DataFrame(
        {
            "day": [date(2024, 1, 31), None, date(1970, 1, 2), date(1970, 1, 1)],
            "hour": [datetime(1970, 1, 2, 12), datetime(1970, 1, 1), None, datetime(1970, 1, 1, 6)],
            "kind": ["x", "y", "x", "y"],
        }
    )
    for name in ("t.csv", "t.parquet", "t.xlsx", "t.feather"):
        path = tmp_path / name
        path.write_bytes(FORMATS[name](frame))
        d = read_own(path, "kind")
        expected = [[19753, 1.5], [np.nan, 0], [1, np.nan], [0, 0.25]]
        np.testing.assert_array_equal(d.X, expected, name)
        assert json.loads(d.metadata["dates"]) == ["day", "hour"]
        assert read_own(path, "kind", categorical="day").categories[0][-1] == "2024-01-31"
