"""Frozen records that travel between rooms.

They hold what was measured, and never how to show it: a `Result` does not know reporters.
"""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import polars as pl

Kind = Literal[
    "captions", "candidates", "judgements", "pairs", "triplets", "choices", "corpus", "wordlist", "vectors", "objects",
    "synonyms",
]  # fmt: skip

#: The rows of a reader: one per record of a file. Columns that a reader leaves out are null. `source` and `line` locate
#: the record (`unit`: a line, or a record in a file without lines). `slot` is the position of the caption within its
#: image; if it is null, it follows from `rank`, then from the order of the records. `identifier` is unique within a
#: dataset, if the source has one. `left_out` is the reason why the user's options exclude a record. `reason` is why a
#: record is rejected, null for an accepted one. `raw` is the text of a rejected record. The other columns are
#: annotations of the caption.
CAPTION_SCHEMA: Mapping[str, pl.DataType] = {
    "source": pl.String(),
    "unit": pl.String(),
    "line": pl.UInt32(),
    "image": pl.String(),
    "slot": pl.UInt32(),
    "rank": pl.Int64(),
    "identifier": pl.String(),
    "split": pl.String(),
    "text": pl.String(),
    "left_out": pl.String(),
    "reason": pl.String(),
    "raw": pl.String(),
    # Phrases that mention something in the image: `start` and `length` in characters of `text`, `start` from 0.
    "phrases": pl.List(
        pl.Struct({"chain": pl.String, "types": pl.List(pl.String), "start": pl.UInt32, "length": pl.UInt32})
    ),
    # Human ratings of the caption; `votes` is the number of raters behind a score.
    "judgements": pl.List(pl.Struct({"judge": pl.String, "score": pl.Float64, "votes": pl.UInt32})),
    # The caption as one side (B or C) of a pair; `origin` is its author, `votes` how many raters prefer it. In a forced
    # choice, the sides are right and wrong, `category` is the part of the benchmark and `origin` the name of the item.
    "pair": pl.Struct(
        {"pair": pl.UInt32, "side": pl.String, "category": pl.String, "origin": pl.String, "votes": pl.UInt32}
    ),
    # The caption as a member of a triplet (A is compared with B and C); `votes` is null for A.
    "triplet": pl.Struct({"triplet": pl.UInt32, "side": pl.String, "category": pl.String, "votes": pl.UInt32}),
    # How often a word of a word list occurs.
    "occurrences": pl.UInt64(),
}

#: Batches of captions, each a frame with columns of `CAPTION_SCHEMA`.
Batches = Iterator[pl.DataFrame]

#: A reader's setting, as datasets.toml or the command line gives it. A setting that names a file is a `Path`.
Option = str | int | bool | Path | tuple[str, ...]


def location(source: str | Path, unit: str | None, line: int) -> str:
    """Return the location of a record: `file:line`, or its number in a file without lines."""
    return f"{source}:{line}" if unit == "line" else f"{source}, {unit or 'record'} {line}"


class Progress(Protocol):
    """A function that reports progress; a front end can draw it."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Report that `done` of `total` parts of `what` are finished; `what` can end with the speed, after `; `."""


def silent(what: str, done: int, total: int) -> None:
    """Report no progress."""


class Narrate(Protocol):
    """A function that prints messages that are not data."""

    def __call__(self, message: str) -> None:
        """Print a message."""


def quiet(message: str) -> None:
    """Print nothing."""


class Confirm(Protocol):
    """A function that asks before something is removed for good."""

    def __call__(self, question: str) -> bool:
        """Return whether the user agrees."""


def unasked(question: str) -> bool:
    """Return no: without a user to ask, nothing is removed."""
    return False


#: The settings that every format has, and what each means.
COMMON_OPTIONS: Mapping[str, str] = {
    "basename": "true names images by the last part of their path or URL",
    "coco_ids": "true names COCO images by the number in their file names (000000565045.jpg is 565045)",
    "encoding": "encoding of a file of text that is not UTF-8",
    "sentences": '"first" keeps the first sentence of each caption',
}


@dataclass(frozen=True)
class Part:
    """Files that are read together: one, several, or one per annotator.

    A path may be a pattern (`*`, `?`, `[…]`), and `-` is standard input. `split` is the split of all images of the
    part. `named_split` is the split in the file's name, for images without a split in the file itself. `unnamed` marks
    files whose split is not declared. `options` are the reader's.
    """

    paths: tuple[Path, ...]
    split: str | None = None
    options: Mapping[str, Option] = field(default_factory=dict)
    named_split: str | None = None
    unnamed: bool = False


@dataclass(frozen=True)
class Download:
    """One file to fetch: its URL, its path, and its checksum.

    `member` is the path inside the archive at `url` that becomes the file at `path`; null for the download itself.
    `size` is the number of bytes at `url`, if it is declared. `within` is the folder that must contain every file
    written, also through links; null if the user chose the data folder.
    """

    url: str
    sha256: str
    path: Path
    member: str | None = None
    size: int | None = None
    within: Path | None = None


@dataclass(frozen=True)
class Source:
    """A dataset as `datasets.toml` declares it.

    `splits` maps the name of a split to the file that lists its images, each without `split_suffix`. `split_roles` maps
    a split to the split that it counts as (Karpathy's restval as train). `images` and `captions` are the expected
    counts, if known. `image_files` is the folder or pattern of the image files that a report shows. `leaves_out` names
    what is left out of a set of ratings: "own-references" are captions that equal a reference of their image. `item` is
    the word for what captions describe, if it is declared. `obtain` explains how to get a dataset that cannot be
    downloaded automatically.
    """

    dataset: str
    kind: Kind
    format: str
    parts: tuple[Part, ...]
    language: str = "en"
    related: tuple[str, ...] = ()
    splits: Mapping[str, Path] = field(default_factory=dict)
    split_suffix: str = ""
    split_roles: Mapping[str, str] = field(default_factory=dict)
    images: int | None = None
    captions: int | None = None
    image_files: Path | None = None
    leaves_out: str = ""
    item: str = ""
    license: str | None = None
    citation: str | None = None
    downloads: tuple[Download, ...] = ()
    obtain: str | None = None


@dataclass(frozen=True)
class Picture:
    """A thumbnail of an image: a JPEG without metadata, of `width` by `height` pixels."""

    jpeg: bytes
    width: int
    height: int


@dataclass(frozen=True)
class Pictures:
    """Thumbnails of the images that examples name, by dataset and image.

    `datasets` are those whose image files were searched. `notes` report faulty files, `absent` how to add missing
    image files. `most` is the largest number of thumbnails.
    """

    shown: Mapping[tuple[str, str], Picture] = field(default_factory=dict)
    datasets: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    most: int = 0


#: The images of the rows of a table: the column whose cells can show them, the dataset, and one image per row.
Pictured = tuple[str, str, tuple[str | None, ...]]


def pictured(frame: pl.DataFrame, dataset: str, *columns: str) -> tuple[Pictured, ...]:
    """Return the images of the rows of a table, for columns that name images of a dataset."""
    return tuple((column, dataset, tuple(frame[column])) for column in columns)


@dataclass(frozen=True)
class Gate:
    """A limit that `datasets.toml` sets for a dataset, or for every dataset of captions if `dataset` is null.

    `keys` are the parts of its dotted name below `check`, or `sql` and a name for a statement. `limit` is the value in
    `file`.
    """

    dataset: str | None
    keys: tuple[str, ...]
    limit: object
    file: Path

    @property
    def name(self) -> str:
        """The dotted name of the gate: `homogeneity.cider.high.max`."""
        return ".".join(self.keys)

    @property
    def where(self) -> str:
        """The location of the gate: `datasets.toml: [flickr8k.check]`."""
        return f"{self.file}: [{'check' if self.dataset is None else f'{self.dataset}.check'}]"


@dataclass(frozen=True)
class Check:
    """A check of a user, declared at `where`: an expression or a pattern (RE2), by the `form` that is `written`."""

    name: str
    title: str
    severity: str
    form: str
    written: str
    where: str


#: Fields of a version that can differ between equal captions: the time, and the hash of the files as they were read.
VOLATILE = ("created_at", "source_sha256")


@dataclass(frozen=True)
class Version:
    """One line of the append-only log: the contents of a dataset from `seq` on.

    `version` is the sha256 of the sorted (image, slot, split, text), with the human ratings of a text, and of nothing
    else.
    """

    dataset: str
    seq: int
    version: str
    created_at: datetime.datetime
    source_sha256: str
    format: str
    tokenizers: tuple[str, ...]
    images: int
    captions: int
    note: str | None = None
    kind: Kind = "captions"

    @property
    def label(self) -> str:
        """The version as a user types it: `flickr8k@v3`."""
        return f"{self.dataset}@v{self.seq}"


@dataclass(frozen=True)
class Draw:
    """A seeded sample of captions: `captions` per image. An image that has fewer is left out.

    An image with fewer than `least` is left out too: samples of different sizes then leave out the same images. A
    `mirrored` sample takes the first `fewest` captions in the order of the seed, beginning with the last of them.
    `images` is the number of images to sample from those that are left; null keeps all.
    """

    captions: int
    seed: int
    least: int = 0
    mirrored: bool = False
    images: int | None = None

    @property
    def fewest(self) -> int:
        """The smallest number of captions of a sampled image."""
        return max(self.captions, self.least)


@dataclass(frozen=True)
class Selection:
    """The captions that a reference such as `flickr8k@v3:test` names.

    `shows_version` is set if a result holds several versions of one dataset. `draw` is set for a sample of the captions
    of each image. `distinct` is set if each text counts once per image: it names the tokenizer whose tokens decide
    which texts are equal. `images` are the only ones that count, sorted, if the captions are compared on some of them.
    """

    version: Version
    split: str | None = None
    shows_version: bool = False
    draw: Draw | None = None
    distinct: str | None = None
    images: tuple[str, ...] | None = field(default=None, repr=False)

    @property
    def label(self) -> str:
        """The name in tables and messages: dataset and split, with the version if `shows_version` is set."""
        name = self.version.label if self.shows_version else self.version.dataset
        return name if self.split is None else f"{name}:{self.split}"

    @property
    def pinned_name(self) -> str:
        """The name in signatures: dataset, the first digits of its version, split."""
        name = f"{self.version.dataset}@{self.version.version[:12]}"
        return name if self.split is None else f"{name}:{self.split}"

    @property
    def content(self) -> tuple[str, str | None]:
        """The hash of the version, and the split: seeds draws, so that they are equal under any name."""
        return self.version.version, self.split

    def rows_of(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the rows of a frame that belong to this selection. Columns: dataset, version, split, and others."""
        return frame.filter(
            pl.col("dataset") == self.version.dataset,
            pl.col("version") == self.version.version,
            pl.col("split").eq_missing(pl.lit(self.split, pl.String)),
        )

    def record(self) -> dict[str, Any]:
        """Return the selection as a JSON object, the same in every store that holds these captions."""
        given = {key: value for key, value in dataclasses.asdict(self.version).items() if key not in VOLATILE}
        return {key: value for key, value in given.items() if value is not None} | {"split": self.split}

    def volatile(self) -> dict[str, Any]:
        """Return the values that can differ in another store of these captions, as a JSON object."""
        named = {"dataset": self.version.dataset, "seq": self.version.seq, "split": self.split}
        return named | {key: getattr(self.version, key) for key in VOLATILE}


def by_number(name: str) -> tuple[list[str | int], str]:
    """Return the key of a natural sort: `part-2` before `part-10`."""
    pieces = re.split(r"([0-9]+)", name)
    return [int(piece) if index % 2 else piece for index, piece in enumerate(pieces)], name
