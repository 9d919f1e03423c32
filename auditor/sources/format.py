"""What a format is: one record in its module has all that the rest of the program asks of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.model import Batches, Kind, Part

if TYPE_CHECKING:
    from auditor.sources.bundle import Manifest


@dataclass(frozen=True)
class Description:
    """What files say of their dataset, where neither datasets.toml nor the user says it."""

    kind: Kind
    language: str = ""
    related: tuple[str, ...] = ()


@dataclass(frozen=True)
class Format:
    """One format, by the `name` that datasets.toml and --format use. The first three fields are needed.

    `recognizes` takes a path and the first 64 KiB of its content, `read` yields frames of `CAPTION_SCHEMA`. `auditor
    formats` shows the docstring of the module, that of `recognizes` and the `options`, each with its meaning.

    What files hold: `kind`, or `describe` where only the files can say it; `manifest` opens that of a whole version.
    `media_type` is for catalogues, where the ending of a file's name does not decide it.

    How files lie: `folders` where a folder may stand for them; `split_by_name` where each file stands for itself, so
    that its name may name its split; `beside` finds files that are read without being named; `lines` has the
    endings of files that consist of lines ("" for any), and warn where the last has no end.

    How a format is chosen and what is reported: `implied_by` has options that imply it where no format is named;
    `why_left_out` explains records that are left out; `remarks` reports what was assumed or is not read; `columns_of`
    finds the column of each thing, `names_of` the names of all columns, also of those that are not read.
    """

    name: str
    recognizes: Callable[[Path, bytes], bool]
    read: Callable[[Part], Batches]
    options: Mapping[str, str] = field(default_factory=dict)
    kind: Kind = "captions"
    describe: Callable[[Part], Description] | None = None
    manifest: Callable[[Path], Manifest] | None = None
    media_type: str | None = None
    folders: bool = False
    split_by_name: bool = False
    beside: Callable[[Part], list[Path]] = lambda _: []
    lines: tuple[str, ...] = ()
    implied_by: frozenset[str] = frozenset()
    why_left_out: str = "as its options ask"
    remarks: Callable[[Part], list[str]] = lambda _: []
    columns_of: Callable[[Part], Mapping[str, str]] = lambda _: {}
    names_of: Callable[[Path], list[str]] = lambda _: []
