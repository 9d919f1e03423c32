"""Frozen records that travel between rooms.

They hold what was measured and never how to show it: a `Result` knows no reporter.
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

Kind = Literal["captions", "candidates", "judgements", "pairs", "triplets", "choices", "corpus", "wordlist", "vectors"]

#: What a reader yields: one row per record of a file; columns that a reader leaves out are null. `source` and `line`
#: say where the record stands (`unit`: a line, or a record in a file that has no lines of its own). `slot` is the
#: caption's position among those of its image; where it is null, it follows from `rank`, then from the order of the
#: records. `identifier` is what no two records of a dataset may share, where the source has such a thing. `left_out`
#: says why a record is none of this dataset, as the user asked; `reason` is null for an accepted record; `raw` is the
#: record as it stands in the file and is only kept for a refused one. The other columns are annotations: what is known
#: of a caption beside its text.
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
    # Human ratings of the caption; `votes` is the number of people behind a score.
    "judgements": pl.List(pl.Struct({"judge": pl.String, "score": pl.Float64, "votes": pl.UInt32})),
    # The caption as one side (B or C) of a pair; `origin` says who wrote it, `votes` how many prefer it. Of a forced
    # choice the sides are right and wrong, `category` is the part of the benchmark and `origin` the name of the item.
    "pair": pl.Struct(
        {"pair": pl.UInt32, "side": pl.String, "category": pl.String, "origin": pl.String, "votes": pl.UInt32}
    ),
    # The caption as one of a triplet (A is compared with B and C); `votes` is null for A.
    "triplet": pl.Struct({"triplet": pl.UInt32, "side": pl.String, "category": pl.String, "votes": pl.UInt32}),
    # How often a word of a word list occurs.
    "occurrences": pl.UInt64(),
}

#: Batches of captions, each a frame with columns of `CAPTION_SCHEMA`.
Batches = Iterator[pl.DataFrame]

#: A reader's setting, as datasets.toml or the command line gives it. A setting that names a file is a `Path`.
Option = str | int | bool | Path | tuple[str, ...]


def place(source: str | Path, unit: str | None, line: int) -> str:
    """Return where a record stands: `file:line`, or the record's number in a file that has no lines of its own."""
    return f"{source}:{line}" if unit == "line" else f"{source}, {unit or 'record'} {line}"


class Progress(Protocol):
    """Told what is being done and how far it is; a front end may draw it."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Report that `done` of `total` parts of `what` are finished; behind `; ` in `what`, how fast that goes."""


def silent(what: str, done: int, total: int) -> None:
    """Report no progress."""


class Narrate(Protocol):
    """Told what is no data and a user wants to know."""

    def __call__(self, message: str) -> None:
        """Say it."""


def quiet(message: str) -> None:
    """Say nothing."""


class Confirm(Protocol):
    """Asked before something goes that cannot be had again."""

    def __call__(self, question: str) -> bool:
        """Return whether it may."""


def unasked(question: str) -> bool:
    """Let nothing go."""
    del question
    return False


#: The settings that every format has, and what each means.
COMMON_OPTIONS: Mapping[str, str] = {
    "basename": "true names images by the last part of their path or address",
    "encoding": "encoding of a file of text that is not UTF-8",
    "sentences": '"first" keeps the first sentence of each caption',
}


@dataclass(frozen=True)
class Part:
    """Files that are read together: one, several, or one per annotator.

    A path may be a pattern (`*`, `?`, `[…]`) and `-` is standard input. `split` is set where all images of the part are
    in one, `named_split` where its file's name says so of the images that the file itself puts in none; `unnamed` says
    that nobody has said of these files in which splits they are. `options` are the reader's.
    """

    paths: tuple[Path, ...]
    split: str | None = None
    options: Mapping[str, Option] = field(default_factory=dict)
    named_split: str | None = None
    unnamed: bool = False


@dataclass(frozen=True)
class Download:
    """One file to fetch: where from, where to, and what it must hash to.

    `member` is the path inside the archive at `url` that becomes the file at `path`; null for the download itself.
    `size` is how many bytes are at `url`, where that is declared. `within` is the folder outside of which nothing is
    written, whatever links lead there; null where the user chose the data folder.
    """

    url: str
    sha256: str
    path: Path
    member: str | None = None
    size: int | None = None
    within: Path | None = None


@dataclass(frozen=True)
class Source:
    """A dataset as `datasets.toml` declares it: where its captions are and what they should be.

    `splits` maps a split's name to the file that lists its images, each without `split_suffix`;
    `split_roles` says which split another counts as (Karpathy's restval as train); `images` and `captions`
    are the counts that the dataset should have, where known. `image_files` is the folder or pattern of the pictures
    themselves, which a report shows. `leaves_out` is what a set of ratings is used without: "own-references" are
    captions that are word for word a reference of their image. `obtain` tells how to come by a dataset that nobody may
    download for the user.
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
    license: str | None = None
    citation: str | None = None
    downloads: tuple[Download, ...] = ()
    obtain: str | None = None


@dataclass(frozen=True)
class Picture:
    """A small picture, ready to be shown: a JPEG without metadata, `width` by `height` dots."""

    jpeg: bytes
    width: int
    height: int


@dataclass(frozen=True)
class Pictures:
    """Pictures of the images that examples name, by dataset and image.

    `datasets` are those whose image files were looked through, `notes` say what is wrong with files, `absent` what
    would bring pictures where there are none. `most` is how many were asked for at most.
    """

    shown: Mapping[tuple[str, str], Picture] = field(default_factory=dict)
    datasets: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    most: int = 0


#: Which images the rows of a table are of: the column in whose cells pictures may be, the dataset, an image a row.
Pictured = tuple[str, str, tuple[str | None, ...]]


def pictured(frame: pl.DataFrame, dataset: str, *columns: str) -> tuple[Pictured, ...]:
    """Say that columns of a table's frame name images of a dataset."""
    return tuple((column, dataset, tuple(frame[column])) for column in columns)


@dataclass(frozen=True)
class Gate:
    """What `datasets.toml` demands of a dataset, or, where `dataset` is null, of every dataset of captions.

    `keys` are the parts of its dotted name below `check`, `sql` and a name for a statement; `limit` is what is written
    in `file`.
    """

    dataset: str | None
    keys: tuple[str, ...]
    limit: object
    file: Path

    @property
    def name(self) -> str:
        """The gate as it is written: `homogeneity.cider.high.max`."""
        return ".".join(self.keys)

    @property
    def where(self) -> str:
        """Where it is written: `datasets.toml: [flickr8k.check]`."""
        return f"{self.file}: [{'check' if self.dataset is None else f'{self.dataset}.check'}]"


#: What of a version says when and from which files, in which order, it was read: equal captions may differ in it.
VOLATILE = ("created_at", "source_sha256")


@dataclass(frozen=True)
class Version:
    """One line of the append-only log: what a dataset held from `seq` on.

    `version` is the sha256 over the sorted (image, slot, split, text), with what people said of a text; nothing else
    enters it.
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
    """A seeded draw of captions: `captions` of each image; an image that has fewer is left out.

    So is one that has fewer than `least`, where that is more: draws of different sizes then leave out the same images.
    `mirrored` draws from the `fewest` first captions in the seed's order, beginning with the last of them. Of the
    images that are left so many are drawn as `images` says; null stands for all.
    """

    captions: int
    seed: int
    least: int = 0
    mirrored: bool = False
    images: int | None = None

    @property
    def fewest(self) -> int:
        """How many captions an image must have to be drawn from."""
        return max(self.captions, self.least)


@dataclass(frozen=True)
class Selection:
    """The captions that a reference such as `flickr8k@v3:test` names.

    `shows_version` is set where a result holds several versions of one dataset, `draw` where only some captions of
    each image are at work, `distinct` where each text is once per image: it names the tokenizer by whose tokens texts
    are the same.
    """

    version: Version
    split: str | None = None
    shows_version: bool = False
    draw: Draw | None = None
    distinct: str | None = None

    @property
    def label(self) -> str:
        """What tables and messages call it: dataset and split, with the version where that tells two apart."""
        name = self.version.label if self.shows_version else self.version.dataset
        return name if self.split is None else f"{name}:{self.split}"

    @property
    def pinned_name(self) -> str:
        """What signatures call it: dataset, the first digits of its version, split."""
        name = f"{self.version.dataset}@{self.version.version[:12]}"
        return name if self.split is None else f"{name}:{self.split}"

    def rows_of(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Take those rows of a result's frame that are of this selection. Columns: dataset, version, split, others."""
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
        """Return what another store of these captions may have otherwise, as a JSON object."""
        named = {"dataset": self.version.dataset, "seq": self.version.seq, "split": self.split}
        return named | {key: getattr(self.version, key) for key in VOLATILE}


def by_number(name: str) -> tuple[list[str | int], str]:
    """Return the sorting key of a name as people count: `part-2` before `part-10`."""
    pieces = re.split(r"([0-9]+)", name)
    return [int(piece) if place % 2 else piece for place, piece in enumerate(pieces)], name
