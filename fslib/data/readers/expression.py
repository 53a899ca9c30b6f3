"""Gene expression sets, each with the quirks of its file."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from fslib.data.errors import DataError
from fslib.data.raw import Raw, numbered
from fslib.data.readers.text import numbers, rows_of


def colon(files: dict[str, Path]) -> Raw:
    """An R list of X, Y (1 normal, 2 tumour) and gene names, some of which repeat."""
    data = _r_data(files["Colon.rda"])["Colon"]
    labels = np.where(np.asarray(data["Y"]) == 1, "normal", "tumor")
    return Raw(np.asarray(data["X"]), labels, [str(n) for n in data["gene.names"]])


def lymphoma(files: dict[str, Path], *, malignant: tuple[int, ...] | None = None) -> Raw:
    """Genes × samples of 100 times a log ratio, 999 where missing; classes in a MATLAB file.

    With ``malignant`` (sample positions) the two-class task of Weston et al. (2003).
    """
    from scipy.io import loadmat

    X = numbers(rows_of(files["lymphoma.matrix"], None)).T
    X[X == 999] = np.nan
    labels = loadmat(files["lymphoma.mat"])["Y"].ravel().astype(str)
    if malignant is not None:
        labels = np.where(np.isin(np.arange(len(X)), malignant), "malignant", "other")
    return Raw(X, labels, numbered("gene", X.shape[1]))


def lung(files: dict[str, Path], *, only_train: bool = False) -> Raw:
    """Genes × samples, the class (1 ADCA, 2 MPM) in the last row; the first 32 are for training."""
    values = np.asarray(_r_data(files["lung.rda"])["lung"]).T
    X, codes = values[:, :-1], values[:, -1]
    fold = np.where(np.arange(len(X)) < 32, "train", "test")
    raw = Raw(X, np.where(codes == 1, "ADCA", "MPM"), numbered("gene", X.shape[1]), fold=fold)
    if only_train:
        raw = Raw(X[:32], raw.labels[:32], raw.feature_names)
    return raw


def hedenfalk(files: dict[str, Path], *, against: str | None = None) -> Raw:
    """Clones × samples of intensity ratios; the mutation of each sample in the second line.

    ``against``: one class, the other two become ``rest``.
    """
    (path,) = files.values()
    _, mutation, _, *rows = rows_of(path, "\t")
    # The one sample of methylated BRCA1 counts as sporadic, as in the paper's seven.
    labels = ["sporadic" if m.startswith("Sporadic") else m for m in mutation[3:]]
    if against is not None:
        labels = [label if label == against else "rest" for label in labels]
    X = numbers([row[3:] for row in rows]).T
    return Raw(X, np.array(labels), [f"{row[0]}_{row[1]}" for row in rows])


def vantveer(files: dict[str, Path], *, measured: bool = False) -> Raw:
    """78 training samples from Bioconductor and 19 test samples from the Kent Ridge repository.

    Both have their genes in the same order. ``measured`` drops the genes that have no value
    in any of the 97 samples.
    """
    veer = _r_data(files["VEER.RData"])["VEER"]
    expression = veer.assayData.frame["exprs"]
    train = np.asarray(expression, dtype=float).T
    train_labels = np.where(veer.phenoData.data["class"] == "DM", "relapse", "non-relapse")
    rows = rows_of(files["breastCancer-test.data"])
    test = numbers([row[:-1] for row in rows])
    test[test == 100] = np.nan
    X = np.vstack([train, test])
    names = [str(n) for n in np.asarray(expression.coords["dim_0"])]
    if measured:
        kept = ~np.isnan(X).all(axis=0)
        X, names = X[:, kept], [n for n, k in zip(names, kept, strict=True) if k]
    return Raw(
        X,
        np.concatenate([train_labels, [row[-1] for row in rows]]).astype(str),
        names,
        fold=np.repeat(["train", "test"], [len(train), len(test)]),
    )


def glioma(files: dict[str, Path]) -> Raw:
    """GEMS' Brain_Tumor2: four histologies; the classic ones are the original training set."""
    from scipy.io import loadmat

    data = loadmat(files["Brain_Tumor_2.mat"])
    histology = np.array(["", "CO", "NG", "NO", "CG"])[data["Y"].ravel()]
    return Raw(
        data["X"],
        np.where(np.char.endswith(histology, "G"), "GBM", "AO"),
        numbered("gene", data["X"].shape[1]),
        fold=np.where(np.char.startswith(histology, "C"), "train", "test"),
    )


def _r_data(path: Path) -> dict:
    import rdata

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes of Bioconductor that rdata has no converter for
        try:
            return rdata.read_rda(path)
        except Exception as problem:  # rdata raises whatever its parser meets
            raise DataError(f"{path.name}: cannot be read as R data ({problem}).") from problem
