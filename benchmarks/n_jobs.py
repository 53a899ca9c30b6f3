"""AMFES, DAF and SVM-RFE with `n_jobs=2` beside 1: seconds by the clock, and equal rankings.

    python benchmarks/n_jobs.py

Writes `benchmarks/results/n_jobs.md`. The machine has to be at rest.
"""

from __future__ import annotations

import os
import time

os.environ.update(dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"], "1"))

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from whole_runs import RESULTS, about

from fslib import AMFES, DAF, SVMRFE
from fslib.prepare.scale import minmax

METHODS = {
    "AMFES": AMFES(random_state=0),
    "DAF, 2000 probes": DAF(n_probes=2000, max_subset_size=30, random_state=0),
    "SVM-RFE": SVMRFE(),
}
HEAD = """# Two processes beside one

`python benchmarks/n_jobs.py`: seconds by the clock of one fit. Other processes are started where
the work that is left is worth two seconds (`fslib/run/workers.py`); SVM-RFE has threads for the
pairs of classes, and with two classes nothing to share.

| method | table | n_jobs=1 | n_jobs=2 | times faster | rankings |
|---|---|---|---|---|---|
"""


def tables() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    X = np.random.default_rng(0).random((1000, 200))
    return {
        "wine": load_wine(return_X_y=True),
        "wdbc": load_breast_cancer(return_X_y=True),
        "digits": load_digits(return_X_y=True),
        "generated": (X, (X[:, :4].sum(axis=1) > 2).astype(int)),
    }


def main() -> None:
    lines = []
    for table, (X, y) in tables().items():
        for name, method in METHODS.items():
            took, orders = [], []
            for jobs in (1, 2):
                begin = time.monotonic()
                orders.append(clone(method).set_params(n_jobs=jobs).fit(minmax(X), y).order_)
                took.append(time.monotonic() - begin)
            equal = "equal" if np.array_equal(*orders) else "DIFFERENT"
            shape = f"{table} ({X.shape[0]} × {X.shape[1]}, {len(np.unique(y))} classes)"
            ratio = took[0] / took[1]
            lines.append(
                f"| {name} | {shape} | {took[0]:.2f} | {took[1]:.2f} | {ratio:.2f} | {equal} |"
            )
            print(lines[-1], flush=True)
    machine = about("python benchmarks/n_jobs.py")[0]
    (RESULTS / "n_jobs.md").write_text(HEAD + "\n".join(lines) + f"\n\n{machine}\n")


if __name__ == "__main__":
    main()
