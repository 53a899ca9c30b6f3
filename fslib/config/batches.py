"""Which fits make one job: an entry on a data set, cut by what it may and should cost.

Entries that are cheap on a data set share its jobs, as starting a process takes longer than they
do; each row keeps a fingerprint of its own, by which it is kept when another one changes. Three
things cut an entry's fits into select jobs: the study's `batch`; its `job_minutes`, which the time
limits of all fits of a job must not exceed; and the cost that the checked-in growth table expects,
so that no job is much longer than the others. Nothing else decides, so that jobs are the same on
every machine and after every run; results do not depend on them: seeds come from names.

A single fit that would be too long is cut only if it is a search by probes that can be evaluated
apart: into stretches, jobs of their own, from whose values the select job goes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import inf, log2

from fslib.config.cost import Shape, growth
from fslib.config.study import Entry, Study, Variant
from fslib.data.catalogue import Card
from fslib.run.layout import REFIT, SHARED, batched
from fslib.split.schemes import SCHEMES

#: A study's selection is cut into about so many pieces, three for each of 32 cores, …
_PIECES = 96
#: … of at least and at most so many seconds. A core gets a piece at a time: a job of one, or a
#: thread of a job of several.
_PIECE_SECONDS = 1.0, 1800.0
#: A job is not made shorter than this many seconds: starting one takes two. An entry that takes
#: fewer on a data set, selection and evaluation, has no job of its own.
SHORT = 16.0
#: Beside the fits themselves: reading, writing and the process of each, in seconds.
PER_FIT = 0.04
#: A search by probes that takes longer is cut into stretches that do not, in seconds.
LONGEST_SEARCH = 1800.0
#: Probes that a search evaluates together: no stretch begins between them.
TOGETHER = 32
#: Seconds for each probe of a search of which all values are known: drawing it, counting it.
_PER_KNOWN_PROBE = 1e-4
#: Minutes of a job's request beside its fits.
BESIDE = 5


@dataclass(frozen=True)
class Stretch:
    """The probes ``first`` to ``end - 1`` of a search, and the seconds that they should take."""

    first: int
    end: int
    seconds: float


@dataclass(frozen=True)
class Batch:
    """One select job: some variants of an entry on some splits."""

    variants: tuple[Variant, ...]
    splits: list[int] | None
    """None for all of them, where only the rows of a table could tell how many."""
    fits: tuple[tuple[Variant, ...], ...]
    """The same variants by the fit that they share on each split."""
    n_fits: int
    """Fits on all splits, each of which may reach the limit."""
    seconds: float
    """CPU seconds that the fits are expected to take in all."""
    stretches: tuple[Stretch, ...] = ()
    """What is evaluated before, in jobs of their own; then the batch is one fit on one split."""


def train_shape(study: Study, about: Card, split: int) -> Shape:
    """The table that a method sees on one split."""
    s, n = study.splits, about.n_rows
    fold = (about.fold or {}).get("train", n) / n
    share = 1.0 if split == REFIT else SCHEMES[s["scheme"]].share(s, split, fold)
    n = min(n, s["most_rows"] or n)
    return Shape(share * n, about.n_features, len(about.classes), about.text)


def train_shapes(study: Study, about: Card, splits: Iterable[int]) -> Counter[Shape]:
    """The tables that a method sees on some splits, each with how often it does."""
    return Counter(train_shape(study, about, split) for split in splits)


def fit_seconds(fit: tuple[Variant, ...], shape: Shape) -> float:
    """Expected seconds of a fit that variants share: those of its dearest."""
    able = [v for v in fit if not _is_skipped(v, shape)]
    return max((growth().fit(v.use, v.params, shape) for v in able), default=0.0)


def taken(study: Study, seconds: float, n_probes: int = 0) -> float:
    """What a fit of so many seconds takes of its job: its process too, but within the limit.

    The limit of a search of ``n_probes`` that is cut is one of each stretch.
    """
    if is_cut(study, seconds, n_probes):
        return PER_FIT + seconds
    return min(PER_FIT + seconds, max(study.budget["seconds"], PER_FIT))


def is_cut(study: Study, seconds: float, n_probes: int) -> bool:
    """Whether a search is too long for one job, in a study whose limits allow long jobs at all."""
    return n_probes > 0 and min(seconds, study.budget["seconds"]) > LONGEST_SEARCH


def stretches(seconds: float, n_probes: int) -> Iterator[Stretch]:
    """A search of so many seconds in stretches of half an hour at most.

    Their length is a power of two, so that growth measured anew seldom cuts otherwise.

    >>> [(s.first, s.end) for s in stretches(seconds=3600, n_probes=100_000)]
    [(0, 32768), (32768, 65536), (65536, 98304), (98304, 100000)]
    """
    each = seconds / n_probes
    length = max(2 ** int(log2(max(LONGEST_SEARCH / each, 1))), TOGETHER)
    for first in range(0, n_probes, length):
        end = min(first + length, n_probes)
        yield Stretch(first, end, each * (end - first))


def _is_skipped(variant: Variant, shape: Shape) -> bool:
    return shape.classes > 2 and variant.binary_only


def _mean_costs(study: Study, entry: Entry, about: Card) -> list[float]:
    """Expected seconds of each fit of an entry on one split, the mean over the splits."""
    shapes = train_shapes(study, about, study.split_numbers(about.n_rows))
    return [
        sum(n * taken(study, fit_seconds(fit, s), n_probes) for s, n in shapes.items())
        / shapes.total()
        for fit, n_probes in zip(entry.fits, entry.n_probes, strict=True)
    ]


def gathered(study: Study, about: Card | None) -> dict[str, Entry]:
    """The entries that a study runs as the jobs of a data set have them: all cheap ones are one.

    Whether an entry is cheap depends on nothing but itself, so that no entry moves when another
    one is added or changed. Methods that nobody has measured never share, as nobody knows how long
    others would wait for them. Of a person's own table nothing is known before it is read.
    """
    own = {n: entry for n, entry in study.entries.items() if study.home(n) == study.name}
    if about is None:
        return own
    dear = {name: entry for name, entry in own.items() if not _is_cheap(study, entry, about)}
    cheap = [entry for name, entry in own.items() if name not in dear]
    return {SHARED: Entry.of_all(SHARED, cheap), **dear} if cheap else dear


def _is_cheap(study: Study, entry: Entry, about: Card) -> bool:
    if not all(growth().knows(v.use) for v in entry.variants):
        return False
    selection = sum(_mean_costs(study, entry, about)) * len(study.split_numbers(about.n_rows))
    return selection + evaluation_seconds(study, entry, about) < SHORT


def piece(study: Study, tables: Mapping[str, Card | None]) -> float:
    """How many seconds one core should work for a job of the study, by the cost of the whole."""
    total = sum(
        sum(_mean_costs(on, entry, about)) * len(on.split_numbers(about.n_rows))
        for on, about in ((study.on(name), about) for name, about in tables.items())
        if about is not None
        for entry in study.entries.values()
    )
    shortest, longest = _PIECE_SECONDS
    return min(max(total / _PIECES, shortest), longest)


def cut(study: Study, entry: Entry, about: Card | None, piece: float) -> list[Batch]:
    """The select jobs of an entry on a data set.

    ``about`` is None for a person's own table, of which nothing is known before it is read: it is
    cut by `batch` and `job_minutes` alone. So are the entries that share their jobs: else one that
    is added would move the others' fits from job to job.
    """
    most_seconds = inf if entry.name == SHARED else max(piece, SHORT)
    numbers = study.split_numbers(about.n_rows if about else None)
    costs = _mean_costs(study, entry, about) if about else [0.0] * len(entry.fits)
    most_fits = fits_within(study)
    batches = []
    for part in _parts(costs, most_fits, most_seconds):
        fits = tuple(entry.fits[i] for i in part)
        variants = tuple(v for v in entry.variants if any(v in fit for fit in fits))
        cost = sum(costs[i] for i in part)
        n_probes = entry.n_probes[part[0]]
        if len(part) == 1 and is_cut(study, cost, n_probes):
            apart = tuple(stretches(cost, n_probes))
            known = n_probes * _PER_KNOWN_PROBE
            batches += [Batch(variants, [s], fits, 1, known, apart) for s in numbers]
            continue
        if numbers is None:
            batches.append(Batch(variants, None, fits, study.batch * len(fits), 0.0))
            continue
        within = min(most_seconds / max(cost, 1e-9), study.batch)
        size = max(1, min(int(within), most_fits // len(fits)))
        batches += [
            Batch(variants, splits, fits, len(splits) * len(fits), len(splits) * cost)
            for splits in batched(numbers, size)
        ]
    return batches


def _parts(costs: list[float], most_fits: int, most_seconds: float) -> Iterator[list[int]]:
    """Neighbouring fits together as long as one split of them all is no job too long.

    >>> list(_parts([1, 1, 9, 1, 1], 3, 5))
    [[0, 1], [2], [3, 4]]
    """
    part: list[int] = []
    for i, cost in enumerate(costs):
        full = len(part) == most_fits or sum(costs[j] for j in part) + cost > most_seconds
        if part and full:
            yield part
            part = []
        part.append(i)
    yield part


def fits_within(study: Study) -> int:
    """How many fits may reach their limit within `job_minutes`; one for each thread at least."""
    rounds = int((study.job_minutes - BESIDE) * 60 // study.budget["seconds"])
    return study.threads * max(rounds, 1)


def minutes(study: Study, batch: Batch, threads: int) -> int:
    """What a job has to ask for, so that our limit strikes before the cluster's."""
    rounds = -(-batch.n_fits // threads)
    return BESIDE + -(-int(rounds * study.budget["seconds"]) // 60)


def evaluation_seconds(study: Study, entry: Entry, about: Card) -> float:
    """Expected seconds of all measures of an entry on a data set."""
    shapes = train_shapes(study, about, range(study.n_splits(about.n_rows)))
    law, asked = growth(), study.evaluate
    total = 0.0
    for shape, count in shapes.items():
        variants = [v for v in entry.variants if not _is_skipped(v, shape)]
        total += count * law.selections_measured(asked, len(variants), shape)
        if "su_matching" in asked["stability"]:
            total += count * len(variants) * law.ranking_measured(shape)
    if "su_matching" in asked["stability"]:
        total += law.rankings_prepared(Shape(about.n_rows, about.n_features))
    return total + PER_FIT * shapes.total()
