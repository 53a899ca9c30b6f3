"""What the AMFES paper is about: its data sets and repeats."""

from __future__ import annotations

from fslib.reproduce.paper import Paper, Reading

#: Training-validation pairs of each benchmark set (the paper's Π, table 4).
PAIRS = {
    "colon": 100,
    "lymphoma_malignant": 100,
    "leukemia": 100,
    "gina": 20,
    "reged": 20,
    "lucap": 20,
    "marti": 40,
}
#: The synthetic sets by group and then by size.
GROUPS = {
    "I": {f"synthetic_group1_{n}": f"I-{i}" for i, n in enumerate((500, 1000, 1500), 1)},
    "II": {f"synthetic_group2_{n}": f"II-{i}" for i, n in enumerate((500, 1000, 1500), 1)},
}


def _published_repeats(row) -> int | None:
    """Pairs of a benchmark set; None for the synthetic sets, whose cells can not be judged.

    Their printed deviations are over draws of pairs from one model {W, μ}, which is not printed.
    Ours is another, and values differ by more between two such models than between draws of pairs.
    """
    return PAIRS.get(row["dataset"])


PAPER = Paper(
    name="amfes",
    citation=(
        "Chang & Chen (2009), An adaptive multiple feature subset method for feature ranking and "
        "feature selection, TR-IIS-09-010, Academia Sinica"
    ),
    published_repeats=_published_repeats,
    layouts=dict.fromkeys("4567", (("method", "quantity"), ("dataset",)))
    | dict.fromkeys(("9", "10", "11", "12", "13"), (("dataset",), ("method", "condition"))),
    readings=(Reading("marti with C fitted (1000); the paper says 1", {"marti_hard": "marti"}),),
)
