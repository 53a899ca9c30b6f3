"""One address to one local file: retries, resuming, time-outs, progress."""

from __future__ import annotations

import http.client
import logging
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from fslib.data.errors import DataError

log = logging.getLogger("fslib.data")

ATTEMPTS = 4
FIRST_PAUSE = 0.5
"""Seconds before the second attempt; each later pause is twice as long."""
LONGEST_PAUSE = 30.0
TIMEOUT = 30.0
"""Seconds without a byte before an attempt is given up."""
_BLOCK = 1 << 16
_PASSING = {408, 425, 429, 500, 502, 503, 504}


class DownloadError(DataError):
    """An address did not give its file."""


def download(
    url: str, part: Path, *, size: int | None = None, label: str = "", progress: bool = False
) -> None:
    """Download ``url`` to ``part``; after a broken attempt go on where it stopped.

    ``size`` is the expected number of bytes: an answer that announces another is refused
    before it is downloaded. Errors of the local disk are raised as ``OSError``: no other address
    could help.
    """
    bar = _Bar(label or url, progress)
    seen: dict[str, str] = {}
    for attempt in range(1, ATTEMPTS + 1):
        pause = FIRST_PAUSE * 2 ** (attempt - 1)
        try:
            return _attempt(url, part, size, bar, seen)
        except urllib.error.HTTPError as answer:
            problem = f"the server answered {answer.code} {answer.reason}"
            if answer.code == 416:  # our partial file is no beginning of the server's
                part.unlink(missing_ok=True)
            elif answer.code not in _PASSING:
                raise DownloadError(problem) from None
            pause = _wanted_pause(answer, pause)
        except urllib.error.URLError as failure:
            problem = f"no connection ({failure.reason})"
        except (http.client.HTTPException, ConnectionError, TimeoutError) as failure:
            problem = f"the connection broke ({failure or type(failure).__name__})"
        finally:
            bar.close()
        if attempt < ATTEMPTS:
            time.sleep(min(pause, LONGEST_PAUSE))
    raise DownloadError(f"{problem}, {ATTEMPTS} times")


def _attempt(url: str, part: Path, size: int | None, bar: _Bar, seen: dict[str, str]) -> None:
    have = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": "fslib", "Accept-Encoding": "identity"}
    if have:
        # With If-Range the server sends the whole file if it has changed since the first attempt.
        headers |= {"Range": f"bytes={have}-", **seen}
    request = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
        if answer.status != 206:
            have = 0
        etag, date = answer.headers.get("ETag", "W/"), answer.headers.get("Last-Modified")
        if version := (date if etag.startswith("W/") else etag):
            seen["If-Range"] = version
        length = answer.headers.get("Content-Length")
        total = have + int(length) if length and length.isdigit() else None
        if None not in (size, total) and total != size:
            kind = answer.headers.get_content_type()
            raise DownloadError(f"expected {size:,} bytes, the server sends {total:,} ({kind})")
        with part.open("ab" if have else "wb") as out:
            while block := answer.read(_BLOCK):
                out.write(block)
                have += len(block)
                bar.show(have, total)
    if total is not None and have < total:
        raise http.client.HTTPException(f"{have:,} of {total:,} bytes came")


def _wanted_pause(answer: urllib.error.HTTPError, pause: float) -> float:
    wanted = answer.headers.get("Retry-After", "")
    return max(pause, float(wanted)) if wanted.isdigit() else pause


class _Bar:
    """A line on the terminal that fills up; elsewhere a line in the log every few seconds."""

    def __init__(self, label: str, wanted: bool):
        self.label = label
        self.active = wanted and sys.stderr.isatty()
        self.pause = 0.1 if self.active else 5.0
        self.last = time.monotonic()
        self.open = False

    def show(self, have: int, total: int | None) -> None:
        now = time.monotonic()
        if now - self.last < self.pause and have != total:
            return
        self.last = now
        of = f" of {total / 1e6:.1f}" if total else ""
        size = f"{have / 1e6:.1f}{of} MB"
        if not self.active:
            log.info("%s %s", self.label, size)
            return
        filled = 30 * have // total if total else 0
        bar = f"[{'#' * filled}{'.' * (30 - filled)}] " if total else ""
        print(f"\r{self.label} {bar}{size}\x1b[K", end="", file=sys.stderr, flush=True)
        self.open = True

    def close(self) -> None:
        if self.open:
            print(file=sys.stderr)
            self.open = False
