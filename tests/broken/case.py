"""What a broken input is, and the hands that break files."""

from __future__ import annotations

import gzip
import io
import json
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

#: A file: its content, or what makes whatever is to stand at a path.
Content = bytes | Callable[[Path], object]


@dataclass(frozen=True)
class Broken:
    """An input and how its ingest must end: refused as a whole, or some of its records refused and counted.

    The first of `files` is what the command names, unless `named` says otherwise. `says` is a pattern for the one line
    of the error, or for what every refused record is told; `captions` of them are kept, `rejected` are not. An input
    that is `dangerous` may take all time or memory there is where a reader fails, and gets a process of its own.
    """

    name: str
    format: str
    files: Mapping[str, Content]
    says: str
    captions: int = 0
    rejected: int = 0
    arguments: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    declared: bool = False
    code: int = 3
    dangerous: bool = False

    @property
    def is_refused(self) -> bool:
        """Say whether the input as a whole is refused."""
        return not self.captions

    def paths(self, folder: Path) -> list[Path]:
        """Give the paths that the command names; none where the dataset is a declared one."""
        return [] if self.declared else [folder / name for name in self.named or tuple(self.files)[:1]]

    def command(self, folder: Path) -> list[str]:
        """Give the arguments of the ingest, for files in a folder."""
        sources = [part for path in self.paths(folder) for part in ("--from", str(path))]
        chosen = ["--format", self.format] if self.format else []
        settings = [argument.replace("@", f"{folder}/") for argument in self.arguments]
        allowed = [] if self.is_refused else ["--max-rejected", "1"]
        return ["ingest", "broken", *sources, *chosen, *settings, *allowed]

    def write(self, folder: Path) -> None:
        """Put the files into a folder."""
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                path.write_bytes(content)
            else:
                content(path)


def flickr(count: int, first: int = 0) -> bytes:
    return b"".join(b"%d.jpg#%d\tA dog number %d .\n" % (n // 2, n % 2, n) for n in range(first, first + count))


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()


def repeated(block: bytes, times: int, start: bytes = b"", end: bytes = b"", packed: str = "") -> Content:
    """Write a large file, perhaps packed, without holding it."""

    def make(path: Path) -> None:
        opened = {"gz": gzip.open, "zst": zstd.open}.get(packed, open)
        with opened(path, "wb") as file:
            file.write(start)
            for _ in range(times):
                file.write(block)
            file.write(end)

    return make


def gz(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)


def zst(content: bytes) -> bytes:
    return zstd.compress(content)


def tarred(*members: tuple[str, bytes] | tarfile.TarInfo) -> bytes:
    """Pack files, and headers that stand for themselves: links, devices."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
                continue
            entry = tarfile.TarInfo(member[0])
            entry.size = len(member[1])
            archive.addfile(entry, io.BytesIO(member[1]))
    return stream.getvalue()


def header(name: str, kind: bytes, target: str = "/etc/hostname") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, target
    return entry


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes], stored: bool = False) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return stream.getvalue()


def frame_bytes(write: Callable[[pl.DataFrame, Any], object], frame: pl.DataFrame) -> bytes:
    stream = io.BytesIO()
    write(frame, stream)
    return stream.getvalue()


def folder(path: Path) -> None:
    path.mkdir()
