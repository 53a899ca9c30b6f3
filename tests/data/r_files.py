"""Small R workspaces (``.rda``), written byte by byte as R's ``save`` does.

Only what the readers meet: vectors with attributes, lists, factors, data frames, environments and
S4 objects. The format is described in "R Internals", section *Serialization Formats*.
"""

from __future__ import annotations

import lzma
import struct

import numpy as np

_SYMBOL, _PAIRLIST, _ENVIRONMENT, _CHAR, _INT, _REAL, _STRING, _LIST, _S4 = (
    1, 2, 4, 9, 13, 14, 16, 19, 25,
)  # fmt: skip
_NULL, _GLOBAL_ENVIRONMENT = 254, 253
_IS_OBJECT, _HAS_ATTRIBUTES, _HAS_TAG, _IS_S4, _ASCII = 0x100, 0x200, 0x400, 0x10000, 0x40000
NOTHING = struct.pack(">i", _NULL)


def workspace(**objects: bytes) -> bytes:
    """An .rda file with named objects, compressed by xz as CRAN's are."""
    content = b"RDX2\nX\n" + struct.pack(">3i", 2, 0x20F00, 0x20300) + pairs(objects)
    return lzma.compress(content, check=lzma.CHECK_CRC32)


def pairs(tagged: dict[str, bytes]) -> bytes:
    """R's linked list of named values; attributes and the objects of a file are such lists."""
    head = struct.pack(">i", _PAIRLIST | _HAS_TAG)
    return b"".join(head + _symbol(tag) + value for tag, value in tagged.items()) + NOTHING


def numeric(values, **attributes: bytes) -> bytes:
    """A numeric vector, a matrix if it has two dimensions; R stores columns one after another."""
    values = np.asarray(values, dtype=">f8")
    if values.ndim == 2:
        attributes = {"dim": integers(values.shape), **attributes}
    return _vector(_REAL, values.size, values.tobytes("F"), attributes)


def integers(values, **attributes: bytes) -> bytes:
    values = np.asarray(values, dtype=">i4")
    return _vector(_INT, values.size, values.tobytes(), attributes)


def strings(values, **attributes: bytes) -> bytes:
    return _vector(_STRING, len(values), b"".join(map(_char, values)), attributes)


def factor(values: list[str]) -> bytes:
    levels = sorted(set(values))
    codes = [levels.index(value) + 1 for value in values]
    return integers(codes, levels=strings(levels), **{"class": strings(["factor"])})


def named_list(members: dict[str, bytes], **attributes: bytes) -> bytes:
    attributes = {"names": strings(list(members)), **attributes}
    return _vector(_LIST, len(members), b"".join(members.values()), attributes)


def data_frame(row_names: list[str], **columns: bytes) -> bytes:
    names = {"row.names": strings(row_names), "class": strings(["data.frame"])}
    return named_list(columns, **names)


def dimnames(rows: list[str], columns: list[str]) -> bytes:
    return _vector(_LIST, 2, strings(rows) + strings(columns), {})


def environment(**members: bytes) -> bytes:
    """An environment without a hash table, below the global one."""
    enclosure = struct.pack(">i", _GLOBAL_ENVIRONMENT)
    return struct.pack(">2i", _ENVIRONMENT, 0) + enclosure + pairs(members) + NOTHING + NOTHING


def s4(of_class: str, **slots: bytes) -> bytes:
    """An S4 object: its slots are attributes, its class names the package."""
    of = strings([of_class], package=strings(["Biobase"]))
    flags = _S4 | _IS_OBJECT | _HAS_ATTRIBUTES | _IS_S4
    return struct.pack(">i", flags) + pairs({**slots, "class": of})


def _vector(kind: int, length: int, content: bytes, attributes: dict[str, bytes]) -> bytes:
    flags = kind | (_HAS_ATTRIBUTES if attributes else 0)
    flags |= _IS_OBJECT if "class" in attributes else 0
    after = pairs(attributes) if attributes else b""
    return struct.pack(">2i", flags, length) + content + after


def _symbol(name: str) -> bytes:
    return struct.pack(">i", _SYMBOL) + _char(name)


def _char(text: str) -> bytes:
    content = text.encode("ascii")
    return struct.pack(">2i", _CHAR | _ASCII, len(content)) + content
