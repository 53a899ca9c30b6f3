"""Raw files from a server that misbehaves in every way we could think of."""

from __future__ import annotations

import errno
import gzip
import hashlib
import multiprocessing
import socket
from pathlib import Path

import pytest
from packing import lzw, tar_of, tarred, zipped
from scripted_server import Answer

from fslib.data import downloads, fetching
from fslib.data.catalogue import Card, File, Source
from fslib.data.errors import DataError
from fslib.data.fetching import FetchError, Places, obtain

GOOD = b"1,2,yes\n3,4,no\n" * 4000
HASH = hashlib.sha256(GOOD).hexdigest()


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    monkeypatch.setattr(downloads, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(downloads, "TIMEOUT", 0.5)
    for name in ("FSLIB_MIRROR", "FSLIB_OFFLINE", "FSLIB_DATA", "http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")


def file_from(*sources, name="toy.csv", size=60_000, sha256=HASH, also=(), unpack=()):
    return File(
        name=name,
        folder="toy",
        bytes=size,
        sha256=sha256,
        also_sha256=tuple(also),
        mirror=f"toy/{name}",
        mirror_unpack=tuple(unpack),
        sources=tuple(s if isinstance(s, Source) else Source(s) for s in sources),
    )


def card_with(*files) -> Card:
    blank = dict.fromkeys(Card.__dataclass_fields__, "")
    return Card(**{**blank, "name": "toy", "kind": "download", "files": files})


def get(tmp_path, *files, mirror=None, offline=False):
    return obtain(card_with(*files), Places(tmp_path / "cache", mirror, offline))


def no_leftovers(tmp_path):
    left = [p.name for p in (tmp_path / "cache").rglob("*") if p.is_file()]
    return set(left) <= {".lock", "toy.csv", "toy.csv.source"}


def test_plain_download_is_cached_with_its_address(site, tmp_path):
    url = site.serve("/toy.csv", Answer(GOOD))
    found = get(tmp_path, file_from(url))["toy.csv"]
    assert found.path == tmp_path / "cache/toy/toy.csv"
    assert found.path.read_bytes() == GOOD
    assert (found.sha256, found.address) == (HASH, url)
    again = get(tmp_path, file_from(url))["toy.csv"]
    assert again == found
    assert len(site.asked) == 1
    assert no_leftovers(tmp_path)


@pytest.mark.parametrize("status", [503, 500, 429])
def test_passing_trouble_is_retried(site, tmp_path, status):
    url = site.serve("/toy.csv", Answer(status=status), Answer(status=status), Answer(GOOD))
    assert get(tmp_path, file_from(url))["toy.csv"].path.read_bytes() == GOOD
    assert len(site.asked) == 3


def test_a_server_that_stays_down(site, tmp_path):
    url = site.serve("/toy.csv", Answer(status=503))
    with pytest.raises(FetchError, match=r"503 .*4 times") as caught:
        get(tmp_path, file_from(url))
    assert url in str(caught.value)
    assert "toy.csv" in str(caught.value)
    assert len(site.asked) == downloads.ATTEMPTS


def test_not_found_is_not_retried_and_the_next_address_is_used(site, tmp_path):
    good = site.serve("/b.csv", Answer(GOOD))
    found = get(tmp_path, file_from(site.address + "/a.csv", good))["toy.csv"]
    assert found.address == good
    assert [path for path, _ in site.asked] == ["/a.csv", "/b.csv"]


def test_not_found_anywhere_names_every_address_and_the_way_out(site, tmp_path):
    with pytest.raises(FetchError) as caught:
        get(tmp_path, file_from(site.address + "/a", site.address + "/b"))
    message = str(caught.value)
    for part in ("/a: ", "/b: ", "404", HASH, f"{len(GOOD):,} bytes", "cache/toy/toy.csv"):
        assert part in message
    assert no_leftovers(tmp_path)


def test_redirect_is_followed(site, tmp_path):
    site.serve("/real.csv", Answer(GOOD))
    url = site.serve("/old.csv", Answer(status=302, headers={"Location": "/real.csv"}))
    assert get(tmp_path, file_from(url))["toy.csv"].path.read_bytes() == GOOD


def test_endless_redirect_ends(site, tmp_path):
    url = site.serve("/loop", Answer(status=302, headers={"Location": "/loop"}))
    with pytest.raises(FetchError, match="302"):
        get(tmp_path, file_from(url))


def test_refused_connection(tmp_path):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    with pytest.raises(FetchError, match=r"no connection .*refused"):
        get(tmp_path, file_from(f"http://127.0.0.1:{port}/toy.csv"))


def test_silent_server_times_out(tmp_path, monkeypatch):
    monkeypatch.setattr(downloads, "ATTEMPTS", 2)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        with pytest.raises(FetchError, match="timed out"):
            get(tmp_path, file_from(f"http://127.0.0.1:{s.getsockname()[1]}/toy.csv"))


def test_broken_download_goes_on_where_it_stopped(site, tmp_path):
    url = site.serve("/toy.csv", Answer(GOOD, cut_after=10_000), Answer(GOOD))
    assert get(tmp_path, file_from(url))["toy.csv"].path.read_bytes() == GOOD
    assert site.asked[1] == ("/toy.csv", "bytes=10000-")


def test_server_without_ranges_starts_again(site, tmp_path):
    url = site.serve("/toy.csv", Answer(GOOD, cut_after=10_000), Answer(GOOD, ranges=False))
    assert get(tmp_path, file_from(url))["toy.csv"].path.read_bytes() == GOOD


def test_file_that_changed_between_attempts_starts_again(site, tmp_path):
    old = Answer(GOOD[::-1], cut_after=10_000, headers={"ETag": '"one"'})
    url = site.serve("/toy.csv", old, Answer(GOOD, headers={"ETag": '"two"'}))
    assert get(tmp_path, file_from(url))["toy.csv"].path.read_bytes() == GOOD
    assert site.asked[1] == ("/toy.csv", "bytes=10000-")


def test_refused_range_starts_again(site, tmp_path):
    url = site.serve("/toy.csv", Answer(GOOD, cut_after=9), Answer(status=416), Answer(GOOD))
    assert get(tmp_path, file_from(url))["toy.csv"].path.read_bytes() == GOOD


def test_always_cut_off(site, tmp_path):
    url = site.serve("/toy.csv", Answer(GOOD, cut_after=5, ranges=False))
    with pytest.raises(FetchError, match=r"5 of 60,000 bytes") as caught:
        get(tmp_path, file_from(url))
    assert url in str(caught.value)
    assert no_leftovers(tmp_path)


def test_truncated_at_the_source(site, tmp_path):
    url = site.serve("/toy.csv", Answer(GOOD[:-7]))
    with pytest.raises(FetchError, match=r"expected 60,000 bytes, the server sends 59,993"):
        get(tmp_path, file_from(url))


def test_wrong_content_of_the_right_size(site, tmp_path):
    other = GOOD[::-1]
    url = site.serve("/toy.csv", Answer(other))
    with pytest.raises(FetchError) as caught:
        get(tmp_path, file_from(url))
    for part in ("toy.csv", url, HASH, hashlib.sha256(other).hexdigest()):
        assert part in str(caught.value)
    assert not (tmp_path / "cache/toy/toy.csv").exists()
    assert no_leftovers(tmp_path)


def test_html_page_instead_of_data(site, tmp_path):
    page = b"<!DOCTYPE html>\n<html><title>Moved</title></html>"
    url = site.serve("/toy.csv", Answer(page, headers={"Content-Type": "text/html"}))
    with pytest.raises(FetchError, match="text/html"):
        get(tmp_path, file_from(url))
    with pytest.raises(FetchError, match="it is an HTML page"):
        get(tmp_path, file_from(url, size=None))
    with pytest.raises(FetchError, match=r"damaged or no such archive .* it is an HTML page"):
        get(tmp_path, file_from(Source(url, ("zip:toy.csv",))))


def test_other_bytes_known_to_be_the_same_are_taken(site, tmp_path):
    body = b"\n" + GOOD
    url = site.serve("/toy.csv", Answer(body))
    also = hashlib.sha256(body).hexdigest()
    assert get(tmp_path, file_from(url, size=None, also=[also]))["toy.csv"].sha256 == also


def test_file_without_a_pinned_hash_reports_its_own(site, tmp_path):
    url = site.serve("/toy.csv", Answer(GOOD))
    assert get(tmp_path, file_from(url, size=None, sha256=None))["toy.csv"].sha256 == HASH
    empty = site.serve("/empty.csv", Answer(b""))
    with pytest.raises(FetchError, match="empty"):
        get(tmp_path / "other", file_from(empty, size=None, sha256=None))


@pytest.mark.parametrize(
    ("packed", "unpack"),
    [
        (zipped(data__toy=GOOD, other=b"no"), ("zip:data/toy",)),
        (zipped(inner=gzip.compress(GOOD)), ("zip:inner", "gz")),
        (gzip.compress(GOOD), ("gz",)),
        (tarred(a=b"no", toy=GOOD), ("tar:toy",)),
        (tarred(part2=GOOD[30_000:], part1=GOOD[:30_000], other=b"no"), ("tar:part*",)),
        (zipped(inner=tarred(toy=GOOD)), ("zip:inner", "tar:toy")),
        (tar_of({"./toy": GOOD}), ("tar:toy",)),
        (tar_of({"toy": GOOD}, "xz"), ("tar:toy",)),
    ],
    ids=["zip", "zip of gz", "gz", "tar", "joined members", "tar in zip", "plain tar", "tar.xz"],
)
def test_archives(site, tmp_path, packed, unpack):
    url = site.serve("/archive", Answer(packed))
    file = file_from(Source(url, unpack))
    assert get(tmp_path, file)["toy.csv"].path.read_bytes() == GOOD
    assert no_leftovers(tmp_path)


def test_unix_compress(site, tmp_path):
    text = b"a short text\n"
    url = site.serve("/toy.Z", Answer(lzw(text)))
    file = file_from(Source(url, ("Z",)), size=len(text), sha256=hashlib.sha256(text).hexdigest())
    assert get(tmp_path, file)["toy.csv"].path.read_bytes() == text
    broken = site.serve("/bad.Z", Answer(b"this is not compressed"))
    with pytest.raises(FetchError, match=r"no \.Z file"):
        get(tmp_path / "other", file_from(Source(broken, ("Z",))))


def test_archive_of_several_files_is_downloaded_once(site, tmp_path):
    url = site.serve("/both.zip", Answer(zipped(a=GOOD, b=GOOD)))
    files = [file_from(Source(url, (f"zip:{n}",)), name=n) for n in "ab"]
    assert set(get(tmp_path, *files)) == {"a", "b"}
    assert len(site.asked) == 1


def test_zip_without_the_member(site, tmp_path):
    url = site.serve("/toy.zip", Answer(zipped(readme=b"hello")))
    with pytest.raises(FetchError, match=r"has no member 'toy.csv'; it has 'readme'") as caught:
        get(tmp_path, file_from(Source(url, ("zip:toy.csv",))))
    assert url in str(caught.value)


def test_damaged_archives(site, tmp_path):
    for kind, packed in (("zip:toy", zipped(toy=GOOD)), ("gz", gzip.compress(GOOD))):
        middle = len(packed) // 2
        for number, broken in enumerate(
            (packed[:-30], packed[:middle] + b"\0\xff" * 9 + packed[middle + 18 :])
        ):
            url = site.serve(f"/{kind[:2]}{number}", Answer(broken))
            with pytest.raises(FetchError, match="damaged or no such archive"):
                get(tmp_path, file_from(Source(url, (kind,))))


def test_hostile_names_write_nowhere_else(site, tmp_path):
    evil = "../../../evil.txt"
    url = site.serve("/evil.zip", Answer(zipped(**{evil: b"evil", "toy.csv": GOOD})))
    found = get(tmp_path, file_from(Source(url, ("zip:toy.csv",))))
    assert found["toy.csv"].path.read_bytes() == GOOD
    inside = file_from(Source(url, (f"zip:{evil}",)), name="evil.txt")
    with pytest.raises(FetchError, match=r"evil\.txt should have 60,000 bytes"):
        get(tmp_path, inside)
    assert [p for p in tmp_path.rglob("evil*")] == []
    assert not list(tmp_path.parent.glob("evil*"))


def test_a_bomb_is_stopped_at_the_expected_size(site, tmp_path):
    url = site.serve("/bomb.gz", Answer(gzip.compress(bytes(50_000_000))))
    with pytest.raises(FetchError, match="more than the expected 60,000 bytes"):
        get(tmp_path, file_from(Source(url, ("gz",))))


def test_full_disk(site, tmp_path, monkeypatch):
    """The device /dev/full answers every write as a full disk does."""
    url = site.serve("/toy.csv", Answer(GOOD))
    original = Path.open

    def full(self, mode="r", *args, **kwargs):
        if self.suffix == ".part" and "b" in mode and "r" not in mode:
            return open("/dev/full", mode)
        return original(self, mode, *args, **kwargs)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(FetchError, match=r"No space left on device.*FSLIB_DATA") as caught:
        get(tmp_path, file_from(url, url))
    assert "toy.csv" in str(caught.value)
    assert isinstance(caught.value.__cause__, OSError)
    assert caught.value.__cause__.errno == errno.ENOSPC
    assert len(site.asked) == 1, "another address would not help"
    monkeypatch.undo()
    assert no_leftovers(tmp_path)


def test_cache_that_cannot_be_written(site, tmp_path):
    url = site.serve("/toy.csv", Answer(GOOD))
    (tmp_path / "cache").write_text("a file where the folder should be")
    with pytest.raises(FetchError, match=r"toy: cannot write toy.csv below .*cache"):
        get(tmp_path, file_from(url))
    assert site.asked == []


def test_file_system_without_locks(site, tmp_path, monkeypatch, caplog):
    def no_locks(*args):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(fetching.fcntl, "flock", no_locks)
    url = site.serve("/toy.csv", Answer(GOOD))
    assert get(tmp_path, file_from(url))["toy.csv"].sha256 == HASH
    assert "no lock on" in caplog.text


def test_mirror_folder_comes_first_and_needs_no_network(site, tmp_path):
    url = site.serve("/toy.csv", Answer(GOOD))
    folder = tmp_path / "mirror"
    (folder / "toy").mkdir(parents=True)
    (folder / "toy/toy.csv").write_bytes(GOOD)
    found = get(tmp_path, file_from(url), mirror=str(folder), offline=True)["toy.csv"]
    assert found.address == str(folder / "toy/toy.csv")
    assert site.asked == []


def test_damaged_mirror_is_passed_over(site, tmp_path):
    url = site.serve("/toy.csv", Answer(GOOD))
    folder = tmp_path / "mirror"
    (folder / "toy").mkdir(parents=True)
    (folder / "toy/toy.csv").write_bytes(b"edited")
    assert get(tmp_path, file_from(url), mirror=str(folder))["toy.csv"].address == url
    with pytest.raises(FetchError, match="found 6 bytes"):
        get(tmp_path / "other", file_from(url), mirror=str(folder), offline=True)


def test_mirror_on_the_network(site, tmp_path):
    site.serve("/mirror/toy/toy%20a.csv", Answer(GOOD))
    file = file_from(name="toy a.csv")
    found = get(tmp_path, file, mirror=site.address + "/mirror/")["toy a.csv"]
    assert found.address.endswith("/mirror/toy/toy%20a.csv")


def test_offline_opens_no_connection_and_says_what_to_do(site, tmp_path):
    url = site.serve("/toy.csv", Answer(GOOD))
    with pytest.raises(FetchError) as caught:
        get(tmp_path, file_from(url), mirror=site.address, offline=True)
    assert site.asked == []
    for part in ("Offline", url, HASH, str(tmp_path / "cache/toy/toy.csv"), "FSLIB_MIRROR"):
        assert part in str(caught.value)


def test_damaged_cache_is_fetched_again(site, tmp_path):
    url = site.serve("/toy.csv", Answer(GOOD))
    path = get(tmp_path, file_from(url))["toy.csv"].path
    path.write_bytes(GOOD[:100])
    assert get(tmp_path, file_from(url))["toy.csv"].path.read_bytes() == GOOD
    path.write_bytes(GOOD[:100])
    with pytest.raises(FetchError, match="found 100 bytes"):
        get(tmp_path, file_from(url), offline=True)


def test_file_put_there_by_hand(tmp_path):
    path = tmp_path / "cache/toy/toy.csv"
    path.parent.mkdir(parents=True)
    path.write_bytes(GOOD)
    assert get(tmp_path, file_from(), offline=True)["toy.csv"].address == "put there by hand"


def _fetch_in_child(url, folder, queue):
    try:
        queue.put(get(folder, file_from(url))["toy.csv"].sha256)
    except DataError as problem:
        queue.put(str(problem))


def test_processes_at_the_same_file_do_not_collide(site, tmp_path):
    url = site.serve("/toy.csv", Answer(GOOD))
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [
        context.Process(target=_fetch_in_child, args=(url, tmp_path, queue)) for _ in range(4)
    ]
    for child in children:
        child.start()
    results = [queue.get(timeout=60) for _ in children]
    for child in children:
        child.join()
    assert results == [HASH] * 4
    assert len(site.asked) == 1, "the others waited and used the cache"
    assert no_leftovers(tmp_path)


def test_places_from_the_environment(monkeypatch, tmp_path):
    assert Places.given() == Places(Path("data/raw"), None, False)
    monkeypatch.setenv("FSLIB_MIRROR", "http://example.org/m")
    monkeypatch.setenv("FSLIB_OFFLINE", "true")
    monkeypatch.setenv("FSLIB_DATA", str(tmp_path))
    assert Places.given() == Places(tmp_path, "http://example.org/m", True)
    assert Places.given("m", False, "c") == Places(Path("c"), "m", False)
    monkeypatch.setenv("FSLIB_OFFLINE", "0")
    assert Places.given().offline is False


def test_progress_bar_on_a_terminal_else_the_log(site, tmp_path, capsys, caplog, monkeypatch):
    url = site.serve("/toy.csv", Answer(GOOD))
    places = Places(tmp_path / "a", None, False)
    with caplog.at_level("INFO", logger="fslib.data"):
        obtain(card_with(file_from(url)), places, progress=True)
    assert "\r" not in capsys.readouterr().err
    assert "toy/toy.csv 0.1 of 0.1 MB" in caplog.text
    monkeypatch.setattr(downloads.sys.stderr, "isatty", lambda: True, raising=False)
    obtain(card_with(file_from(url)), Places(tmp_path / "b", None, False), progress=True)
    shown = capsys.readouterr().err
    assert "toy/toy.csv [####" in shown
    assert "0.1 of 0.1 MB" in shown
