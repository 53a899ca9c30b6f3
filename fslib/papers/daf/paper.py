"""What Somol & Grim (2011) is: dependency-aware ranking beside individual ranking and SFFS."""

from __future__ import annotations

from fslib.papers.daf.measures import TRIALS, probes_run
from fslib.reproduce.paper import Paper

PAPER = Paper(
    "daf",
    "P. Somol, J. Grim (2011): Fast dependency-aware feature selection in very-high-dimensional "
    "pattern recognition problems. Research report 2295, UTIA AV CR, Prague.",
    published_repeats=lambda row: TRIALS,
    caveat=probes_run,
    keeps=("accuracy", "stability", "runs", "facts", "recovery"),
    layouts={"II": (("dataset",), ("quantity",))},
)
