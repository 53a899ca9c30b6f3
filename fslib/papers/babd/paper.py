"""What Abe (2014) is: incremental block addition and block deletion with least-squares SVMs."""

from __future__ import annotations

from fslib.reproduce.paper import Paper, Reading

PAPER = Paper(
    name="babd",
    citation=(
        "Abe (2014), Incremental feature selection by block addition and block deletion using "
        "least squares SVRs, ANNPR."
    ),
    published_repeats=lambda row: {"1": 20, "2": 100}[row["table"]],
    keeps=("accuracy", "stability", "runs", "facts"),
    layouts=dict.fromkeys("12", (("dataset", "condition", "method"), ("quantity",))),
    readings=(
        Reading(
            "tolerances of 1e-3 (mae) and 2e-4 (mm), fitted to the printed numbers of features; "
            "the paper says 1e-5",
            {f"{part}_fitted": part for part in ("hedenfalk", "leukemia", "colon")},
        ),
    ),
)
