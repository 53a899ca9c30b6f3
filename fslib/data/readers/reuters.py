"""Reuters-21578: from SGML to term counts, as Somol & Grim (2011) describe it."""

from __future__ import annotations

import html
import re
from collections import Counter
from pathlib import Path

import numpy as np

from fslib.data.raw import Raw

_DOCUMENT = re.compile(r"<REUTERS ([^>]*)>(.*?)</REUTERS>", re.DOTALL)
_SPLIT = re.compile(r'LEWISSPLIT="([^"]+)"')
_TOPICS = re.compile(r"<TOPICS>(.*?)</TOPICS>", re.DOTALL)
_TEXT = re.compile(r"<TEXT[^>]*>(.*?)</TEXT>", re.DOTALL)
_PARTS = re.compile(r"<(TITLE|DATELINE|BODY)>(.*?)</\1>", re.DOTALL)


def reuters(files: dict[str, Path], *, n_classes: int, min_count: int) -> Raw:
    """Documents of one topic among the ``n_classes`` largest, as counts of stems.

    The collection is not well-formed XML (control entities, no root), hence the patterns.
    A term must occur ``min_count`` times in the kept documents.
    """
    (path,) = files.values()
    documents = _single_topic_documents(path.read_text(encoding="latin-1"))
    sizes = Counter(topic for topic, _, _ in documents)
    # Ties in size go to the topic that comes first in the alphabet.
    largest = sorted(sizes, key=lambda t: (-sizes[t], t))[:n_classes]
    documents = [d for d in documents if d[0] in largest]
    counts = [Counter(text.lower().split()) for _, _, text in documents]
    stem_of = _stems({token for count in counts for token in count})
    total = Counter()
    for count in counts:
        for token, times in count.items():
            total[stem_of.get(token)] += times
    terms = sorted(t for t, times in total.items() if t and times >= min_count)
    column = {term: i for i, term in enumerate(terms)}
    column_of = {token: column[stem] for token, stem in stem_of.items() if stem in column}
    X = np.zeros((len(documents), len(terms)))
    for row, count in zip(X, counts, strict=True):
        for token, times in count.items():
            if token in column_of:
                row[column_of[token]] += times
    return Raw(
        X,
        np.array([topic for topic, _, _ in documents]),
        terms,
        fold=np.array([part for _, part, _ in documents]),
    )


def _single_topic_documents(collection: str) -> list[tuple[str, str, str]]:
    """Topic, part and text of each document with one topic and a place in Lewis' split."""
    found = []
    for head, body in _DOCUMENT.findall(collection):
        part = _SPLIT.search(head)[1]
        topics = re.findall(r"<D>(.*?)</D>", _TOPICS.search(body)[1])
        if part in ("TRAIN", "TEST") and len(topics) == 1:
            found.append((topics[0], part.lower(), _text(body)))
    return found


def _text(body: str) -> str:
    text = _TEXT.search(body)[1]
    parts = [content for _, content in _PARTS.findall(text)]
    if "<BODY>" not in text:  # unprocessed and brief documents have only loose text
        parts.append(_PARTS.sub(" ", text))
    return html.unescape(re.sub(r"&#\d+;", " ", " ".join(parts)))


def _stems(tokens: set[str]) -> dict[str, str]:
    """Porter's stem of each token without digits that is not a stop word, letters only.

    >>> sorted(_stems({"the", "(u.k.", "3rd", "quarter-ending,"}).items())
    [('(u.k.', 'uk'), ('quarter-ending,', 'quarterend')]
    """
    import snowballstemmer
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    word_of = {t: re.sub("[^a-z]", "", t) for t in sorted(tokens) if not re.search(r"\d", t)}
    words = sorted(set(word_of.values()) - ENGLISH_STOP_WORDS - {""})
    # Porter's original algorithm is frozen; Snowball's "english" changes between releases.
    stems = dict(zip(words, snowballstemmer.stemmer("porter").stemWords(words), strict=True))
    return {token: stems[word] for token, word in word_of.items() if word in stems}
