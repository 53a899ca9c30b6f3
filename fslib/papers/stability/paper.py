"""What Gulgezen, Cataltepe & Yu (2009) is: stability of mRMR under shrinking samples."""

from __future__ import annotations

from fslib.reproduce.paper import Paper

#: Data sets of table 2 with the numbers of features printed there: ranks are means over them.
FEATURES = {
    "ionosphere": 34,
    "sonar": 60,
    "parkinsons": 23,
    "musk1": 166,
    "gtzan": 50,
    "mfeat": 649,
    "optdigits": 64,
    "wine": 13,
}

PAPER = Paper(
    "stability",
    "Gulgezen, Cataltepe & Yu (2009), Stable and accurate feature selection, ECML PKDD.",
    published_repeats=lambda row: FEATURES[row["dataset"]],
)
