"""Chang & Chen (2009): cells, claims and figures of the AMFES paper."""

from __future__ import annotations

from fslib.reproduce.paper import Paper

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


def _published_repeats(row) -> int:
    if row["dataset"] in PAIRS:
        return PAIRS[row["dataset"]]
    return 400 if row["condition"] == "procedure=omega_pi" else 20


PAPER = Paper(
    name="amfes",
    citation=(
        "Chang & Chen (2009), An adaptive multiple feature subset method for feature ranking and "
        "feature selection, TR-IIS-09-010, Academia Sinica"
    ),
    published_repeats=_published_repeats,
)
