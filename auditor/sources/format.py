"""The record that defines a format: the rest of the program uses nothing else of its module."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditor.model import Batches, Kind, Option, Part

if TYPE_CHECKING:
    from auditor.sources.bundle import Manifest


@dataclass(frozen=True)
class Description:
    """The kind, language and related datasets that files declare, if datasets.toml and the user do not."""

    kind: Kind
    language: str = ""
    related: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """How files are read: the column, key or position of each thing, by `image`, `caption`, `slot` and `split`.

    `unread` are the columns that are not read. `remarks` explain choices between columns, and content that is not read.
    """

    places: Mapping[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Format:
    """A format, by its `name` in datasets.toml and --format. The first three fields are required.

    `recognizes` takes a path and the first 64 KiB of its content, `read` yields frames of `CAPTION_SCHEMA`. `auditor
    formats` shows the docstring of the module, that of `recognizes` and the `options` of `formats.toml`.

    Content of the files: `kind`, or `describe` if it depends on the files; `manifest` opens that of a whole version.
    `media_type` is for catalogs, if the ending of a file name does not imply it.

    Layout of the files: `folders` if a folder can be named instead; `split_by_name` if each file is complete, so that
    its name can be that of a split; `adds_up` if records of several files can be about the same captions; `beside`
    finds files that are read without being named; `lines` has the endings of files that consist of lines ("" for any),
    whose last line should be terminated.

    Reports: `why_left_out` explains records that are left out; `reading` finds where the captions of a part come from;
    `names_of` returns the names of all columns, also of those that are not read.
    """

    name: str
    recognizes: Callable[[Path, bytes], bool]
    read: Callable[[Part], Batches]
    kind: Kind = "captions"
    describe: Callable[[Part], Description] | None = None
    manifest: Callable[[Path], Manifest] | None = None
    media_type: str | None = None
    folders: bool = False
    split_by_name: bool = False
    adds_up: bool = False
    beside: Callable[[Part], list[Path]] = lambda _: []
    lines: tuple[str, ...] = ()
    why_left_out: str = "as requested by its options"
    reading: Callable[[Part], Reading] = lambda _: Reading()
    names_of: Callable[[Path], list[str]] = lambda _: []

    @property
    def options(self) -> Mapping[str, str]:
        """The options of the format, each with its meaning."""
        return {name: " ".join(meaning.split()) for name, meaning in _declared(self.name, "options", {}).items()}

    @property
    def implied_by(self) -> frozenset[str]:
        """The options that imply the format if none is named."""
        return frozenset(_declared(self.name, "implied_by", ()))


def column_names(file_format: str) -> dict[str, Any]:
    """Return the names by which a format recognizes columns, by what these hold."""
    return {thing: tuple(names) for thing, names in _declared(file_format, "names", {}).items()}


def located(names: Sequence[str], option: Option | None, known: Sequence[str]) -> tuple[int, ...]:
    """Return the positions of the columns that an option names, perhaps separated by commas; none if one is missing.

    Without the option, that of the first known name in lower case.
    """
    if option is None:
        small = [name.lower() for name in names]
        return next(((small.index(name),) for name in known if name in small), ())
    given = option if isinstance(option, tuple) else (str(option),)
    wanted = [part.strip() for name in given for part in ([name] if name in names else name.split(","))]
    return tuple(map(names.index, wanted)) if set(wanted) <= set(names) else ()


@functools.cache
def _formats() -> Mapping[str, Any]:
    return tomllib.loads(files("auditor.sources").joinpath("formats.toml").read_text(encoding="utf-8"))


def _declared(file_format: str, what: str, otherwise: Any) -> Any:
    return _formats().get(file_format, {}).get(what, otherwise)
