"""Names of a study's tables; importing this costs nothing."""

TABLES = (
    "ledger",
    "methods",
    "scores",
    "ranks",
    "friedman",
    "pairs",
    "cost",
    "recovery",
    "stability",
    "recommendation",
    "selected_features",
    "notes",
)
