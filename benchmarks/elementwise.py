"""numexpr against numpy on the expressions of the inner loops, and what spare threads are worth.

numpy and numexpr are measured in one process, alternately, the best of several runs: CPU seconds on
one thread, seconds by the clock on two, which mean something only while no other program runs.
"""

# ruff: noqa: E402 (thread counts must be set before numpy is imported)

from __future__ import annotations

import os

for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ[f"{_name}_NUM_THREADS"] = "1"

import argparse
import datetime
import platform
import resource
import time
from functools import partial
from pathlib import Path

import numexpr
import numpy as np
from threadpoolctl import threadpool_limits

from fslib.evaluate.classifier import classifier_of
from fslib.evaluate.classifiers import _nearest
from fslib.kernels import elementwise
from fslib.prepare.transformers import Preparation
from fslib.run import threads

RESULTS = Path(__file__).parent / "results"
REPEATS = 7
_BUSY = (
    "Other programs kept the cores busy: what the clock says of two threads means nothing, here "
    "and below."
)


def best(*works) -> list[tuple[float, float]]:
    """CPU and clock seconds of each work, the best of several rounds of all of them."""
    found = [(np.inf, np.inf)] * len(works)
    for _ in range(REPEATS):
        for i, work in enumerate(works):
            cpu, clock = time.process_time(), time.perf_counter()
            work()
            spent = time.process_time() - cpu, time.perf_counter() - clock
            found[i] = tuple(map(min, found[i], spent))
    return found


def with_threads(count: int, work):
    def run():
        numexpr.set_num_threads(count)
        work()

    return run


def soft_max(n: int):
    """exp(-d/sigma) of n pairs: I-RELIEF."""
    d = np.random.default_rng(0).random(n) * 5

    def plain():
        kernel = d / -1.3
        np.exp(kernel, out=kernel)

    return "exp(-d/σ)", plain, lambda: numexpr.evaluate("exp(d / s)", {"d": d, "s": -1.3})


def distance_update(n: int):
    """Squared differences of one feature added to the distances of n pairs, in blocks of rows."""
    rows = 100
    random = np.random.default_rng(0)
    a, b, d = random.random(rows), random.random(n // rows), np.zeros((rows, n // rows))
    room = np.empty(n // rows)

    def plain():
        for x, line in zip(a, d, strict=True):
            np.subtract(b, x, out=room)
            np.multiply(room, room, out=room)
            np.add(line, room, out=line)

    def fused():
        for x, line in zip(a, d, strict=True):
            numexpr.evaluate("d + (b - x) ** 2", {"d": line, "b": b, "x": x}, out=line)

    return "d + (a − b)²", plain, fused


def scaling(n: int):
    """Each column to [0, 1]."""
    X = np.random.default_rng(0).random((n // 500, 500))
    low, span = X.min(axis=0), np.ptp(X, axis=0)

    def plain():
        scaled = X - low
        scaled /= span

    return (
        "(x − low) / span",
        plain,
        lambda: numexpr.evaluate("(X - low) / span", {"X": X, "low": low, "span": span}),
    )


def binning(n: int):
    """Codes of ten bins of equal width."""
    X = np.random.default_rng(0).random((n // 500, 500))
    low, span, top = X.min(axis=0), np.ptp(X, axis=0), 9
    q = "((X - low) / span * 10)"

    def plain():
        codes = X - low
        codes /= span
        codes *= 10
        np.floor(codes, out=codes)
        np.clip(codes, 0, top, out=codes)

    expression = f"where({q} >= top, top, where({q} < 0, 0, floor({q})))"
    return (
        "bins",
        plain,
        lambda: numexpr.evaluate(expression, {"X": X, "low": low, "span": span, "top": top}),
    )


def likelihood(n: int):
    """Terms of Gaussian naive Bayes."""
    T = np.random.default_rng(0).random((100, n // 100))
    m, v = T.mean(axis=1, keepdims=True), T.var(axis=1, keepdims=True)
    logs = np.log(v)

    def plain():
        terms = T - m
        terms *= terms
        terms /= v
        terms += logs

    return (
        "(x − m)²/v + log v",
        plain,
        lambda: numexpr.evaluate("(T - m) ** 2 / v + l", {"T": T, "m": m, "v": v, "l": logs}),
    )


def filling(n: int):
    """The median in place of what is missing, 3 in 100 values, then each column to [0, 1]."""
    random = np.random.default_rng(0)
    X, (fill, low, span) = random.random((n // 20, 20)), random.random((3, 20))
    X[random.random(X.shape) < 0.03] = np.nan

    def plain():
        scaled = np.where(np.isnan(X), fill, X)
        scaled -= low
        scaled /= span

    return "missing, scale", plain, lambda: elementwise.filled_and_scaled(X, fill, low, span)


def expressions(sizes: list[int]) -> list[str]:
    lines = [
        "| expression | values | numpy | numexpr, 1 thread | ratio | 2 threads | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    for make in (soft_max, distance_update, scaling, binning, likelihood, filling):
        for n in sizes:
            name, plain, fused = make(n)
            (cpu, clock), (one, _), (_, two) = best(
                plain, with_threads(1, fused), with_threads(2, fused)
            )
            lines.append(
                f"| {name} | {n:,} | {cpu * 1e3:.3g} ms | {one * 1e3:.3g} ms | {cpu / one:.2f} | "
                f"{two * 1e3:.3g} ms | {clock / two:.2f} |"
            )
    return lines


def preparations(quick: bool) -> list[str]:
    """Preparations and evaluations of tables with missing values, without and with numexpr."""
    lines = [
        "| rows × columns | work | numpy | numexpr, 1 thread | ratio | 2 threads | ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    many = elementwise.MANY
    for n in [250_000] if quick else [250_000, 1_000_000]:
        random = np.random.default_rng(0)
        X, y = random.normal(size=(n, 20)), random.integers(0, 2, n)
        X[random.random(X.shape) < 0.03] = np.nan
        prepare = Preparation(["median", "standard"]).fit(X, y)

        def evaluate(X=X, y=y, prepare=prepare):
            half = len(X) // 2
            parts = prepare.transform(X[:half]), y[:half], prepare.transform(X[half:])
            classifier_of("nb").decide(*parts, [1, 5, 10, 20])

        def ways(work):
            def run(least, count):
                elementwise.MANY = least
                threads.allow(count)
                work()

            return [partial(run, np.inf, 1), partial(run, many, 1), partial(run, many, 2)]

        works = {
            "median, standard": lambda X=X, prepare=prepare: prepare.transform(X),
            "the same and an evaluation by naive Bayes": evaluate,
        }
        for name, work in works.items():
            (cpu, clock), (one, _), (_, two) = best(*ways(work))
            lines.append(
                f"| {n:,} × 20 | {name} | {cpu:.3g} s | {one:.3g} s | {cpu / one:.2f} | "
                f"{two:.3g} s | {clock / two:.2f} |"
            )
    elementwise.MANY = many
    threads.allow(1)
    return lines


def neighbours(quick: bool) -> list[str]:
    """Whole evaluations by 3-NN: without blocks, in blocks, in blocks shared by two threads."""
    lines = [
        "| training rows | test rows | sizes | no blocks | blocks | ratio | 2 threads | ratio | "
        "memory of the blocks | without |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    cases = [(1000, 1000, 50), (4000, 1000, 30), (20_000, 400, 20), (100_000, 60, 10)]
    block = _nearest._ROWS, _nearest._FEWEST_ROWS, _nearest._CACHED
    for n, m, d in cases[: 2 if quick else None]:
        random = np.random.default_rng(0)
        X, T, y = random.normal(size=(n, d)), random.normal(size=(m, d)), random.integers(0, 2, n)

        def curve(blocks, count, X=X, y=y, T=T, d=d):
            def run():
                _nearest._ROWS, _nearest._FEWEST_ROWS, _nearest._CACHED = blocks
                threads.allow(count)
                _nearest.nearest_curve(3, X, y, T, list(range(1, d + 1)))
                threads.allow(1)

            return run

        (whole, _), (cpu, clock), (_, two) = best(
            curve((m, m, 1), 1), curve(block, 1), curve(block, 2)
        )
        height = min(max(block[2] // n, block[1]), block[0])
        lines.append(
            f"| {n:,} | {m:,} | {d} | {whole:.3g} s | {cpu:.3g} s | {whole / cpu:.2f} | "
            f"{two:.3g} s | {clock / two:.2f} | {3 * 8 * height * n / 1e6:.0f} MB | "
            f"{3 * 8 * m * n / 1e6:.0f} MB |"
        )
    _nearest._ROWS, _nearest._FEWEST_ROWS, _nearest._CACHED = block
    return lines


def products() -> list[str]:
    """Which products of BLAS have the same bits with one thread and with two."""
    random = np.random.default_rng(0)
    A, B, x = random.random((700, 900)), random.random((900, 500)), random.random(900)
    long = random.random(3_000_000)
    works = {
        "matrix × matrix": lambda: A @ B,
        "matrix × its transpose": lambda: A @ A.T,
        "matrix × vector": lambda: np.tile(A, (3, 1)) @ x,
        "vector × matrix": lambda: x[:700] @ A,
        "vector · vector": lambda: long @ long,
    }
    lines = ["| product | equal bits |", "|---|---|"]
    for name, work in works.items():
        answers = []
        for count in (1, 2):
            with threadpool_limits(count, user_api="blas"):
                answers.append(np.array(work()))
        lines.append(f"| {name} | {'yes' if np.array_equal(*answers) else 'no'} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sizes, nothing is written")
    quick = parser.parse_args().quick
    sizes = [100_000, 1_000_000] if quick else [100_000, 500_000, 2_000_000, 10_000_000]
    before = os.getloadavg()[0]
    lines = [
        "# numexpr, and threads to spare",
        "",
        f"{datetime.date.today()}, {platform.machine()} with {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, numpy {np.__version__}, numexpr "
        f"{numexpr.__version__} ({'with' if numexpr.use_vml else 'without'} VML); "
        f"best of {REPEATS}, load {before:.1f} when it began; command: "
        "`python benchmarks/elementwise.py`. One thread: CPU seconds. Two threads: seconds by the "
        "clock, against the clock of one.",
        "Twice the ratio of one thread is the most that two threads can reach.",
        *([_BUSY] if before > 1 else []),
        "",
        *expressions(sizes),
        "",
        "## Where numexpr is used: tables with missing values",
        "",
        f"From {elementwise.MANY:,} values on, by `fslib/kernels/elementwise.py`.",
        "",
        *preparations(quick),
        "",
        "## Whole evaluations by 3-NN",
        "",
        *neighbours(quick),
        "",
        "## Bits of BLAS with one thread and with two",
        "",
        *products(),
        "",
        f"Peak memory of this benchmark: "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB.",
        "",
    ]
    if not quick:
        (RESULTS / "numexpr.md").write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
