"""Result files as the pipeline would write them, for methods of known quality."""

from __future__ import annotations

import numpy as np

from fslib.compare.setting import Setting
from fslib.run.artefacts import frame_of

SIZES = (1, 2, 5, 10, 20)
CLASSIFIERS = ("knn3", "nb", "svm_linear")


#: Roles of the methods that do not compete.
YARDSTICKS = {"all_features": "all_features", "oracle": "oracle"} | {
    f"random_{i}": "random" for i in range(1, 6)
}


class Study:
    """Builds the six frames of a study cell by cell."""

    def __init__(
        self, datasets=("wine", "digits", "lucas"), n_splits=6, n_features=30, seed=0, roles=None
    ):
        self.roles = YARDSTICKS if roles is None else roles
        self.datasets, self.n_splits, self.d = list(datasets), n_splits, n_features
        self.rng = np.random.default_rng(seed)
        self.rows = {name: [] for name in ("selections", "runs", "accuracy", "stability")}
        self.rows |= {"recovery": [], "unmeasured": []}
        # Some splits are easier than others, for every method alike.
        self.ease = {d: self.rng.normal(0, 0.01, n_splits) for d in datasets}

    @property
    def settings(self) -> dict[str, Setting]:
        """Folds of five rows; as many training rows as make a quarter of them test rows."""
        n = self.n_splits
        folds = {i: (1.0, np.arange(20) + 5 * n, np.arange(5 * i, 5 * i + 5)) for i in range(n)}
        y = np.arange(5 * n + 20) % 2
        return dict.fromkeys(self.datasets, Setting(self.d, y, folds))

    def frames(self):
        return {name: frame_of(rows, name) for name, rows in self.rows.items()}

    def run(
        self, dataset, method, split, status="ok", reason="", n_selected=None, seconds=0.1,
        subset=False,
    ):  # fmt: skip
        ok = status == "ok"
        self.rows["runs"].append(
            {
                "dataset": dataset,
                "method": method,
                "role": self.roles.get(method, "competitor"),
                "split": split,
                "status": status,
                "reason": reason,
                "wall_seconds": seconds if ok else None,
                "cpu_seconds": seconds if ok else None,
                "peak_mb": 40.0 if ok else None,
                "n_fits": 0,
                "seed": 1,
                "n_selected": n_selected if ok else None,
                "ordered": True if ok else None,
                "subset": subset if ok else None,
                "preparation": "standard",
                "fitted": "within_split",
                "fingerprint": "f",
            }
        )

    def fail(self, dataset, method, status, reason, splits=None):
        for split in range(-1, self.n_splits) if splits is None else splits:
            self.run(dataset, method, split, status, reason)

    def succeed(
        self, dataset, method, quality, *, order=None, size=None, sizes=SIZES, splits=None,
        stability=0.7, seconds=0.1,
    ):  # fmt: skip
        """A method that reaches ``quality`` with many features and less with few."""
        n = size or self.d
        order = np.arange(self.d) if order is None else np.asarray(order)
        for split in range(-1, self.n_splits) if splits is None else splits:
            subset = size is not None or method == "all_features"
            self.run(dataset, method, split, n_selected=n, seconds=seconds, subset=subset)
            for rank, feature in enumerate(order[:n], start=1):
                row = (dataset, method, split, rank, int(feature), f"f{feature}", 1 / rank, True)
                self.rows["selections"].append(row)
            if split < 0:
                continue
            for k in [k for k in sizes if k <= n]:
                self._accuracy(dataset, method, split, k, quality)
        for k in [k for k in sizes if k <= n]:
            for measure, low, high in (("nogueira", 0.1, 0.1), ("kuncheva", None, None)):
                value = float(stability * (0.8 + 0.2 * k / 20))
                ends = (None, None) if low is None else (value - low, value + high)
                row = (dataset, method, k, 1.0, measure, value, *ends)
                self.rows["stability"].append(row)
        return self

    def _accuracy(self, dataset, method, split, k, quality):
        for shift, classifier in enumerate(CLASSIFIERS):
            value = quality - 0.3 / (k + 1) + 0.01 * shift + self.ease[dataset][split]
            value = float(np.clip(value + self.rng.normal(0, 0.002), 0, 1))
            row = (dataset, method, split, k, classifier, value, value - 0.01)
            self.rows["accuracy"].append(row)
        if dataset == "lucas":
            hits = min(k, 5) * 0.8
            recovery = (hits / k, hits / 5, 2 * hits / (k + 5), 3)
            self.rows["recovery"].append((dataset, method, split, k, *recovery))


def rich(datasets=("wine", "breast_cancer", "digits", "waveform", "lucas"), n_extra=0, seed=0):
    """A study in which everything happens that can happen."""
    s = Study(datasets, seed=seed)
    rng = np.random.default_rng(seed + 1)
    for i, dataset in enumerate(s.datasets):
        order = rng.permutation(s.d)
        wobble = rng.normal(0, 0.02, 30)
        s.succeed(dataset, "correlation", 0.9 + wobble[0], order=order, seconds=0.002)
        s.rows["accuracy"] += [
            (d, "bw_ratio", *rest) for d, m, *rest in s.rows["accuracy"]
            if d == dataset and m == "correlation"
        ]  # fmt: skip
        s.succeed(dataset, "bw_ratio", 0.9, order=order, sizes=(), seconds=0.004)
        s.rows["stability"] += [
            (d, "bw_ratio", *rest) for d, m, *rest in s.rows["stability"]
            if d == dataset and m == "correlation"
        ]  # fmt: skip
        s.succeed(dataset, "mrmr", 0.94 + wobble[1], order=order[::-1], stability=0.6, seconds=0.05)
        s.succeed(
            dataset, "daf", 0.93 + wobble[2], order=np.roll(order, 3), size=7,
            sizes=(1, 2, 5, 7), stability=0.5, seconds=12.0,
        )  # fmt: skip
        s.succeed(dataset, "noise", 0.6, order=np.roll(order, 9), stability=0.1, seconds=0.01)
        if i % 2:
            s.fail(dataset, "signal_to_noise", "skipped", "binary_only: 3 classes")
        else:
            s.succeed(dataset, "signal_to_noise", 0.91, order=np.roll(order, 5))
        if i == 0:
            s.fail(dataset, "rfe", "timeout", "no result within 20 s")
        elif i == 1:
            s.succeed(dataset, "rfe", 0.95, order=np.roll(order, 7), splits=range(-1, 4), seconds=3)
            s.fail(dataset, "rfe", "out_of_memory", "more than 2000 MB", splits=range(4, 6))
        else:
            s.succeed(dataset, "rfe", 0.95, order=np.roll(order, 7), seconds=3)
        s.fail(dataset, "crash", "error", "ValueError: <b>tag</b> & more")
        for extra in range(n_extra):
            s.succeed(
                dataset, f"method_{extra:02d}", 0.8 + 0.1 * rng.random(),
                order=np.roll(order, 10 + extra), stability=rng.random(),
                seconds=float(10 ** rng.uniform(-3, 1)),
            )  # fmt: skip
        for j in range(1, 6):
            s.succeed(
                dataset, f"random_{j}", 0.7, order=rng.permutation(s.d), stability=0.0,
                seconds=1e-4,
            )  # fmt: skip
        s.succeed(dataset, "all_features", 0.9, sizes=(30,), stability=1.0, seconds=1e-4)
        if dataset == "lucas":
            s.succeed(dataset, "oracle", 0.97, order=order, stability=1.0, seconds=1e-4)
    return s
