"""Archives of every kind that the data sets' sources come in."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile


def zipped(**members: bytes) -> bytes:
    """A zip file; two underscores in a name stand for a slash."""
    return zip_of({name.replace("__", "/"): content for name, content in members.items()})


def tarred(**members: bytes) -> bytes:
    """A tar file, compressed by gzip."""
    return tar_of(members, "gz")


def zip_of(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tar_of(members: dict[str, bytes], compression: str = "") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=f"w:{compression}") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def lzw(data: bytes) -> bytes:
    """A .Z file of nine-bit codes, literals only, with a reset before the codes would grow."""
    codes = []
    for start in range(0, len(data), 248):
        codes += [*data[start : start + 248], 256]
        codes += [0] * (-len(codes) % 8)
    bits = "".join(f"{code:09b}"[::-1] for code in codes)
    bits += "0" * (-len(bits) % 8)
    return b"\x1f\x9d\x90" + bytes(int(bits[i : i + 8][::-1], 2) for i in range(0, len(bits), 8))


def packed(content: bytes, steps: tuple[str, ...], address: str) -> bytes:
    """What an address gives from which ``steps`` get ``content``: the steps backwards.

    A pattern such as ``*.sgm`` gets two members, halves of ``content``; every archive also holds
    a file that nobody asks for.
    """
    holders = [address, *(step.partition(":")[2] for step in steps)]
    for step, holder in zip(reversed(steps), reversed(holders[:-1]), strict=True):
        kind, _, member = step.partition(":")
        members = {member: content, "README": b"not this one\n"}
        if "*" in member:
            middle = len(content) // 2
            halves = {"1": content[:middle], "2": content[middle:]}
            members = {member.replace("*", name): half for name, half in halves.items()}
        if kind == "zip":
            content = zip_of(members)
        elif kind == "tar":
            # A tar file inside tells its compression by its name, as in reuters21578.tar.gz.
            ending = holder.rpartition(".")[2]
            content = tar_of(members, ending if ending in ("gz", "xz") else "")
        else:
            content = {"gz": gzip.compress, "Z": lzw}[kind](content)
    return content
