"""MATLAB files: cut, crafted, of another version."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from scipy.io import savemat

from broken.case import Broken, repeated
from broken.whole import SOUND, structs

MAT = SOUND["mat"].content
HEAD = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"


def _file(name: str, content: bytes, says: str) -> Broken:
    return Broken(f"mat: {name}", "mat", {"a.mat": content}, rf"a\.mat: .*({says})")


def _cell(*items: Any) -> Any:
    array = np.empty((1, len(items)), dtype=object)
    array[0] = items
    return array


def _packed(content: bytes) -> bytes:
    body = zlib.compress(content, 9)
    return HEAD + struct.pack("<2I", 15, len(body)) + body


def _saved(name: str, variables: dict[str, Any], says: str, captions: int = 0, rejected: int = 0) -> Broken:
    return Broken(f"mat: {name}", "mat", {"a.mat": lambda path: savemat(path, variables)}, says, captions, rejected)


CASES: tuple[Broken, ...] = (
    _file("a head and nothing else", HEAD, "holds no variable|not of format"),
    _file("a file that was cut", MAT[:200], "damaged MATLAB file"),
    _file("a file that lacks its last byte", MAT[:-1], "damaged MATLAB file"),
    _file("a file with more behind it", MAT + b"more", "damaged MATLAB file"),
    _file("zeros behind its head", MAT[:128] + bytes(len(MAT) - 128), "damaged MATLAB file"),
    _file("version 7.3", b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF\r\n\x1a\n", "save it with `save -v7`"),
    _file("version 4", struct.pack("<5i", 0, 1, 1, 0, 2) + b"x\0" + bytes(8), "not a MATLAB 5 file"),
    _file("another byte order than its own", MAT[:124] + b"\x01\x00MI" + MAT[128:], "damaged MATLAB file"),
    _file("an element that declares 4 GB", HEAD + struct.pack("<2I", 14, 0xFFFFFFF0) + bytes(64), "damaged MATLAB file"),
    _saved("another variable", {"x": np.array([[1.0, 2.0]])}, "expected structs"),
    _saved("a name that is a number", {"s": structs(("name", "sentences"), ("a.jpg", _cell("A .")), (7.0, _cell("B .")))}, "name is missing, or not a string", 1, 1),
    _saved("a sentence that is a number", {"s": structs(("name", "sentences"), ("a.jpg", _cell("A .", 7.0)))}, "sentence 2 is not a text", 1, 1),
    _saved("an image twice", {"s": structs(("name", "sentences"), ("a.jpg", _cell("A .")), ("a.jpg", _cell("B .")))}, r"duplicate key a\.jpg#0", 1, 1),
    Broken("mat: a bomb", "mat", {"a.mat": lambda path: path.write_bytes(_packed(bytes(1 << 27)))}, r"a\.mat: .*zip bomb", dangerous=True),
    Broken("mat: a file of 200 MB", "mat", {"a.mat": repeated(bytes(1 << 20), 200, HEAD)}, r"a\.mat: larger than 128 MiB", dangerous=True),
)  # fmt: skip
