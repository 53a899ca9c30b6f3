"""What Gulgezen, Cataltepe & Yu (2009) is: stability of mRMR under shrinking samples."""

from __future__ import annotations

from fslib.reproduce.paper import Paper

#: Data sets of table 2.
DATASETS = ("ionosphere", "sonar", "parkinsons", "musk1", "gtzan", "mfeat", "optdigits", "wine")

PAPER = Paper(
    "stability",
    "Gulgezen, Cataltepe & Yu (2009), Stable and accurate feature selection, ECML PKDD.",
    # A published rank comes from one run of the whole protocol.
    published_repeats=lambda row: 1,
    layouts=dict.fromkeys("345678", (("dataset", "condition"), ("method",))),
)
