"""Which captions are in a file, a frame or a declared dataset? Imports them as a version of the store."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import forms, question
from auditor.config.lock import Lock, beside, is_ours
from auditor.files.folders import temporary
from auditor.model import COMMON_OPTIONS, Narrate, Option, Progress, Source, quiet, silent
from auditor.remote import PATIENCE, Near, Patience
from auditor.result import Result, Table
from auditor.sources import FORMATS, find_format
from auditor.store import versions
from auditor.store.connection import MEMORY, Store
from auditor.studies.ingest.given import files_of, named_as_data
from auditor.studies.ingest.naming import advice, near_files, settings, wanted, without_archives
from auditor.studies.ingest.sources import MAX_REJECTED, ingest_sources

#: How many captions of each dataset a dry run shows.
_SHOWN = 5

#: The rows of `ingest --formats`.
_SCHEMA = dict.fromkeys(("format", "property", "option", "value"), pl.String())

Names = Annotated[
    str,
    p.Parameter(
        "A new dataset, with --from; or datasets of datasets.toml.",
        metavar="NAME…",
        optional=True,
        completes="declared",
    ),
]

Everything = Annotated[bool, p.Parameter("Every dataset that datasets.toml declares.", "all")]

Files = Annotated[
    Sequence[Path],
    p.Place(
        "Read NAME from this file, folder, pattern or URL (s3://, gs://, hf://, https://), or SPLIT=FILE; - is "
        "standard input.",
        "from",
    ),
]

Format = Annotated[
    str | None, p.Parameter("Format of the file; default: detected, and reported.", "format", completes="format")
]

Kind = Annotated[
    str | None,
    p.Parameter(
        "`captions`; `candidates`: the output of a system that you want to score; or `judgements`, `pairs`, "
        "`triplets`, `choices`, `corpus`, `wordlist`, `vectors`, `objects` or `synonyms`; default: by the format."
    ),
]

Options = Annotated[Sequence[str], p.Parameter("Setting of the format: KEY=VALUE; repeat for more.", "option")]

ColumnNames = Annotated[
    str | None, p.Parameter("Names of the columns of a table without a header: caption,url.", "columns")
]

SplitColumn = Annotated[str | None, p.Parameter("Column with the split.")]

SlotColumn = Annotated[
    str | None, p.Parameter("Column with the slot: the position of a caption within its image, from 0.")
]

Encoding = Annotated[
    str | None, p.Parameter("Encoding of files that are not UTF-8: cp1252, utf-16, gb18030, shift_jis.")
]

Language = Annotated[str | None, p.Parameter("Language of the captions: de, pt-BR; default: detected.")]

MaxRejected = Annotated[
    float | None, p.Parameter("Largest share of records that may be rejected; default: 0.01.", least=0, most=1)
]

Strict = Annotated[bool, p.Parameter("Reject the whole file if one record is rejected.")]

Frozen = Annotated[bool, p.Parameter("Fail unless the data match the versions in datasets.lock.")]

DryRun = Annotated[bool, p.Parameter("Read the files and report what would be stored; no store is opened.")]

FormatsAlone = Annotated[
    Literal[True], p.Parameter("List the supported file formats, or explain the formats NAME…; read nothing.")
]

Note = Annotated[str | None, p.Parameter("Note to keep with this version.")]


@question
def imported(
    store: Store,
    *names: Names,
    everything: Everything = False,
    files: Files = (),
    file_format: Format = None,
    kind: Kind = None,
    options: Options = (),
    image_col: p.ImageColumn = None,
    caption_col: p.CaptionColumn = (),
    column_names: ColumnNames = None,
    split_col: SplitColumn = None,
    slot_col: SlotColumn = None,
    encoding: Encoding = None,
    language: Language = None,
    max_rejected: MaxRejected = None,
    strict: Strict = False,
    frozen: Frozen = False,
    dry_run: DryRun = False,
    min_rate: p.MinRate = PATIENCE.min_rate,
    deadline: p.Deadline = PATIENCE.deadline,
    note: Note = None,
    config: p.ConfigFile = None,
    data: Any = None,
    narrate: Narrate = quiet,
    progress: Progress = silent,
) -> Result:
    """Import captions, for `auditor ingest`."""
    path = config if isinstance(config, Path) else None
    typed = [str(file) for file in files]
    with (
        temporary() as folder,
        Near(progress, Patience(min_rate, deadline)) as near,
        without_archives(near_files(files, near), narrate, file_format) as near_by,
    ):
        own = files_of(data, folder, names[0] if names else "data") if data is not None else ()
        given = [*near_by, *near_files(own, near)]
        columns: dict[str, Option | None] = {"image_col": image_col, "caption_col": tuple(caption_col) or None}
        columns |= {"columns": column_names, "split_col": split_col, "slot_col": slot_col, "encoding": encoding}
        has_lock = frozen or not (given or is_ours(beside(path)))
        lock = Lock(beside(path), frozen=frozen, narrate=narrate) if has_lock else None
        allowed = 0.0 if strict else MAX_REJECTED if max_rejected is None else max_rejected
        with advice(names, typed, given), named_as_data(str(folder)):
            said: dict[str, Any] = {"file_format": file_format, "kind": kind, "language": language}
            held = settings(options, columns)
            asked = wanted(names, everything=everything, files=given, options=held, declarations=config, **said)
            sources = [near.source(source) for source in asked]
            how: dict[str, Any] = {"max_rejected": allowed, "skip_missing": everything}
            if dry_run:
                return rehearsed(sources, progress, lock=lock if frozen else None, **how)
            return ingest_sources(store, sources, note, progress, lock=lock, **how)


def rehearsed(sources: Sequence[Source], progress: Progress, **how: Any) -> Result:
    """Ingest sources into memory, and return the counts, formats, columns and first captions."""
    with Store.open(MEMORY, write=True) as apart:
        made = ingest_sources(apart, sources, None, progress, **how)
        formats = {selection.version.dataset: selection.version.format for selection in made.selections}
        texts = {selection.label: versions.content(apart, selection) for selection in made.selections}
    rows = made.frame.with_columns(pl.col("dataset").replace_strict(formats).alias("format"), status=pl.lit("dry run"))
    counts = Table("would be stored", rows.drop("seq", "version", "added", "removed"), name="ingested")
    firsts = {label: rows.sort("image", "slot").head(_SHOWN) for label, rows in texts.items() if rows.height}
    shown = [
        Table(f"the first captions of {label}", first.select("image", "slot", "split", "text"), name=f"first/{label}")
        for label, first in firsts.items()
    ]
    refused = [table for table in made.tables if table.name == "refused"]
    notes = ("dry run: no store was opened", *made.notes)
    return replace(made, frame=rows, selections=(), tables=(counts, *shown, *refused), notes=notes)


@question
def listed_formats(store: Store, *names: Names, formats: FormatsAlone) -> Result:
    """List all formats with what they read, or explain how the named ones are recognized, with their options.

    Each row has a property: reads, recognized or option. Raises `UsageError` for an unknown name.
    """
    for name in names:
        find_format(name)
    frame = pl.DataFrame([row for name in names or FORMATS for row in _rows(name)], schema=_SCHEMA, orient="row")
    if not names:
        listed = frame.filter(property="reads").select("format", reads="value")
        return Result("formats", frame, tables=(Table("formats of files", listed, name="formats"),))
    shown = frame.select("format", pl.coalesce("option", "property").alias("about"), meaning="value")
    tables = (Table(f"format {name}", shown.filter(format=name).drop("format"), name="format") for name in names)
    return Result("formats", frame, tables=tuple(tables))


def _rows(name: str) -> list[tuple[str, str, str | None, str]]:
    file_format = FORMATS[name]
    options = {**file_format.options, **COMMON_OPTIONS}
    documented = (inspect.getmodule(file_format.read), file_format.recognizes)
    reads, recognized = (inspect.getdoc(about) or "" for about in documented)
    first = reads.partition("\n\n")[0].removeprefix(f"Format `{name}`: ")
    return [
        (name, "reads", None, " ".join(first.split())),
        (name, "recognized", None, " ".join(recognized.split())),
        *((name, "option", option, meaning) for option, meaning in options.items()),
    ]


@face(writes=True, makes=True)
@forms(imported, listed_formats, names=("an import", "--formats"))
def ingest() -> None:
    """Import captions as a new version of a dataset.

    For your own data, add `--from FILE`. The datasets that datasets.toml describes need only their name. In Python,
    `data` replaces the file: a table with a column for the image and a column for the caption. The table can be a
    Polars or pandas frame, a pyarrow Table or a Hugging Face Dataset. `data` can also be a list of dicts, a dict of
    columns, or files. For several splits, pass a dict from split name to table.

    Set the splits of several files with `--from train=a.csv --from test=b.csv`, or by the names of the files. Numbered
    columns (`caption_1` to `caption_5`) are the captions of one image. A slot is a caption's position within its image;
    `caption_1` is slot 0. A file that is not UTF-8 needs `--encoding`; the error names the likely one. `--language` is
    stored with the dataset. By default it is detected from the script and words of the captions. If several columns
    could hold the image, the one with the most distinct values is read. `--columns` names the columns of a table
    without a header.

    URLs can name a file, a pattern or a folder, in any scheme that fsspec supports, with the extra `remote`.
    The files are copied to a temporary folder first. Credentials are found as usual for that storage, such as AWS
    variables or profiles. Dropped connections are retried. Files that are incomplete, or that change during the
    download, are rejected. So are downloads that are too slow (`--min-rate`) or too long (`--deadline`).

    Image or text embeddings are a separate dataset (format `vectors`: Parquet, .npy, .npz, HDF5, folders of
    clip-retrieval), with versions like captions. `ingest` reports how many images of each caption dataset have a
    vector. Ids that differ by folder, ending, padding or prefix are matched. For others, set `--option
    image_pattern=…` or `image_suffix=.jpg`.

    With `--dry-run`, no store is opened or created. The result is the same as for an empty store. It also has the
    format, the columns that were used, and the first five captions. With `--formats`, nothing is read, and the result
    lists the file formats. `--formats coco` explains how a format is recognized, and its options.

    How to read it: the notes state where image, caption, slot and split were read, which columns were ignored, and the
    first caption. Check them before you use the data. `status` shows whether there is a new version. `read` counts the
    records in the file (for multiple-choice data, the items) and `captions` the accepted captions. `rejected` counts
    the rejected records; each is stored with file, line and reason. `normalized` counts captions with extra spaces or
    line breaks. Tokenizers read these as single spaces; the text is stored unchanged. The 12 characters after `version`
    identify the content: equal captions always give equal versions.

    Limits: a caption needs an image. If more than 1% of the records are rejected (`--max-rejected`), nothing is stored.
    If you don't set --format, the format is detected from the file. If the format is not recognized, the error shows
    the first line, and a command that reads it if possible.

    Raises `SourceError` for files that cannot be read, and `UsageError` for names that are not declared.

    Examples: auditor ingest flickr8k coco-val2017 · auditor ingest mine --from captions.csv --caption-col text
    """
