"""What a method is in a comparison: a competitor, or a yardstick the others are held against."""

ROLES = ("competitor", "all_features", "random", "oracle")
COMPETITOR, ALL_FEATURES, RANDOM, ORACLE = ROLES
