"""Gulgezen, Cataltepe & Yu (2009): stability and accuracy of mRMR under shrinking samples."""

from __future__ import annotations

from fslib.reproduce.paper import Paper

PAPER = Paper(
    "stability",
    "Gulgezen, Cataltepe & Yu (2009), Stable and accurate feature selection, ECML PKDD.",
)
