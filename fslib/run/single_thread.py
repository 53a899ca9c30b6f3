"""Import before numpy: one BLAS, OpenMP, numexpr and polars thread per process.

Snakemake exports these variables as the rule's thread count, and each of those threads is a
worker process of ours: threads within workers would multiply.
"""

import os

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMEXPR_MAX_THREADS",
    "POLARS_MAX_THREADS",
)

os.environ.update({name: "1" for name in VARIABLES})
