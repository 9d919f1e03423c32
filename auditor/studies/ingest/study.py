"""What does a file, a frame or a declared dataset hold, and what of it is kept? Makes it a version of the store."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import polars as pl

from auditor import parameters as p
from auditor.config.lock import Lock, beside
from auditor.errors import UsageError
from auditor.model import COMMON_OPTIONS, Narrate, Option, Progress, Source, quiet, silent
from auditor.remote import PATIENCE, Near, Patience
from auditor.result import Result, Table
from auditor.sources import FORMATS, columns_of, find_format
from auditor.sources.reading.declared import with_standard_input
from auditor.sources.reading.encoding import as_utf8
from auditor.store import versions
from auditor.store.connection import MEMORY, Store
from auditor.studies.ingest.given import files_of, named_as_data
from auditor.studies.ingest.naming import near_files, wanted
from auditor.studies.ingest.sources import MAX_REJECTED, ingest_sources

#: First captions of each dataset that a dry run shows.
_SHOWN = 5

#: The rows of `ingest --formats`.
_SCHEMA = dict.fromkeys(("format", "property", "option", "value"), pl.String())

Names = Annotated[
    str, p.Parameter("Datasets that datasets.toml declares.", metavar="NAME…", optional=True, completes="declared")
]

Everything = Annotated[bool, p.Parameter("Every dataset that datasets.toml declares.", "all")]

Files = Annotated[
    Sequence[Path],
    p.Parameter(
        "Read NAME from this file, folder, pattern or address (s3://, gs://, hf://, https://), or SPLIT=FILE; - is "
        "standard input.",
        "from",
    ),
]

Format = Annotated[
    str | None, p.Parameter("Format of that file; else it is guessed, and said.", "format", completes="format")
]

Kind = Annotated[str | None, p.Parameter("captions, or candidates for a system's output.")]

Options = Annotated[Sequence[str], p.Parameter("A setting of the format: KEY=VALUE. May be repeated.", "option")]

ImageColumn = Annotated[str | None, p.Parameter("Column of a table that names the image.")]

CaptionColumn = Annotated[
    Sequence[str],
    p.Parameter(
        "Column that holds the caption; repeat, or give a pattern as 'caption_*', for a caption in each of several."
    ),
]

CaptionIdColumn = Annotated[str | None, p.Parameter("Column that numbers captions.")]

SplitColumn = Annotated[str | None, p.Parameter("Column that holds the split.")]

SlotColumn = Annotated[str | None, p.Parameter("Column that numbers the captions of an image, from 0: its slots.")]

Encoding = Annotated[
    str | None, p.Parameter("Encoding of files that are not UTF-8: cp1252, utf-16, gb18030, shift_jis.")
]

Language = Annotated[
    str | None,
    p.Parameter("Language of the captions: de, pt-BR; default: what letters tell, else en."),
]

MaxRejected = Annotated[float | None, p.Parameter("Share of records that may be refused; default 0.01.")]

Strict = Annotated[bool, p.Parameter("Refuse the whole file for one refused record.")]

Frozen = Annotated[bool, p.Parameter("Only the versions that datasets.lock names; it is not written.")]

DryRun = Annotated[bool, p.Parameter("Read the files and say what would be stored; no store is opened.")]

FormatsAlone = Annotated[
    bool, p.Parameter("List the formats of files that can be read, or explain those that NAME… names; read nothing.")
]

Note = Annotated[str | None, p.Parameter("What to remember of this version.")]


def ingest(
    store: Store,
    *names: Names,
    everything: Everything = False,
    files: Files = (),
    file_format: Format = None,
    kind: Kind = None,
    options: Options = (),
    image_col: ImageColumn = None,
    caption_col: CaptionColumn = (),
    caption_id_col: CaptionIdColumn = None,
    split_col: SplitColumn = None,
    slot_col: SlotColumn = None,
    encoding: Encoding = None,
    language: Language = None,
    max_rejected: MaxRejected = None,
    strict: Strict = False,
    frozen: Frozen = False,
    dry_run: DryRun = False,
    formats: FormatsAlone = False,
    min_rate: p.MinRate = PATIENCE.min_rate,
    deadline: p.Deadline = PATIENCE.deadline,
    note: Note = None,
    config: p.ConfigFile = None,
    data: Any = None,
    narrate: Narrate = quiet,
    progress: Progress = silent,
) -> Result:
    """Read captions into the store as a new version.

    A name that datasets.toml declares is read as declared there; any other needs a file. From Python, `data` stands in
    place of a file, a table with a column for the image and one for the caption: a Polars or pandas frame, a pyarrow
    Table, a Hugging Face Dataset, a list of dicts, columns by name, or files; by split in a dict.

    Several files are given as `--from train=a.csv --from test=b.csv`, or their names tell the splits. Numbered columns
    (`caption_1` to `caption_5`) are the captions of one image, their slots by number. A file that is not UTF-8 needs
    `encoding`; the message names the likely one. `language` is kept with the dataset; where nobody says it,
    letters that are not Latin tell. Whatever is taken for something that nobody named is said.

    An address is whatever fsspec reads (extra `remote`): a file, a pattern or a folder. What it names is copied to a
    temporary folder and then read as any file; credentials are those that its library finds in the environment or a
    profile. A connection that drops is tried again; what cannot be had whole, or changes meanwhile, is refused. From
    the web, what is too slow (`min_rate`) or takes too long (`deadline`) is refused too.

    Vectors that an encoder made of images, or of texts, are a dataset of their own (format `vectors`: Parquet, .npy,
    .npz, HDF5, folders of clip-retrieval), with versions like captions. What is said is how many images of each dataset
    of captions have one; `basename`, `image_suffix` and `coco_ids` bring ids together.

    With `dry_run` the store is neither opened nor made: the answer is what an empty store would hold, the format, the
    columns that a table is read by, and the first five captions. With `formats` nothing is read: the answer lists the
    formats of files, or of those that are named how each is recognized and its options.

    How to read it: `status` says whether there is a new version. `read` counts the records of the file (of forced
    choices, the items), `captions` what was accepted, `rejected` the records refused, each kept with file, line and
    reason. `normalized` captions have blanks or line breaks that tokenizers read as single blanks; the text stays as it
    is. The 12 letters after `version` name the content: equal captions give equal letters, wherever and whenever they
    are read.

    Limits: a caption needs an image that it belongs to. Beyond 1 % refused records (`max_rejected`) nothing is stored.
    A format that nobody names is recognized by the file's content, and said: look whether it is right.

    Raises `SourceError` for what cannot be read, and `UsageError` for what nobody declares.

    Examples: auditor ingest flickr8k coco-val2017 · auditor ingest mine --from captions.csv --caption-col text
    """
    if formats:
        return formats_of_files(names)
    path = config if isinstance(config, Path) else None
    with tempfile.TemporaryDirectory() as folder, Near(progress, Patience(min_rate, deadline)) as near:
        own = files_of(data, Path(folder), names[0] if names else "data") if data is not None else ()
        given = [*near_files(files, near), *near_files(own, near)]
        columns: dict[str, Option | None] = {"image_col": image_col, "caption_col": tuple(caption_col) or None}
        columns |= {"caption_id_col": caption_id_col, "split_col": split_col, "slot_col": slot_col}
        columns |= {"encoding": encoding}
        sources = wanted(
            names,
            everything=everything,
            files=given,
            file_format=file_format,
            kind=kind,
            options=settings(options, columns),
            language=language,
            declarations=config,
        )
        sources = [near.source(source) for source in sources]
        lock = None if given and not frozen else Lock(beside(path), frozen=frozen, narrate=narrate)
        allowed = 0.0 if strict else MAX_REJECTED if max_rejected is None else max_rejected
        with named_as_data(folder):
            if dry_run:
                locked = lock if frozen else None
                return rehearsed(sources, progress, max_rejected=allowed, skip_missing=everything, lock=locked)
            return ingest_sources(
                store, sources, note, progress, max_rejected=allowed, skip_missing=everything, lock=lock
            )


def settings(pairs: Sequence[str], named: Mapping[str, Option | None]) -> dict[str, Option]:
    """Read KEY=VALUE pairs as a format's settings, and add those that have an option of their own.

    A key that ends in `_file` is a path; `true` and `false` are what they say; a repeated key has several values.
    Raises `UsageError` for what is no pair.
    """
    read: dict[str, Option] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"--option {pair}: expected KEY=VALUE")
        given: Option = {"true": True, "false": False}.get(value.lower(), value)
        given = Path(value) if key.endswith("_file") else given
        before = read.get(key, ())
        read[key] = (*(before if isinstance(before, tuple) else (str(before),)), value) if key in read else given
    return read | {key: value for key, value in named.items() if value is not None}


def rehearsed(
    sources: Sequence[Source], progress: Progress, *, max_rejected: float, skip_missing: bool, lock: Lock | None
) -> Result:
    """Ingest sources into memory, and say what that gave: counts, formats, columns, the first captions."""
    with Store.open(MEMORY, write=True) as apart, ExitStack() as workspace:
        sources = [workspace.enter_context(with_standard_input(source)) for source in sources]
        made = ingest_sources(
            apart, sources, None, progress, max_rejected=max_rejected, skip_missing=skip_missing, lock=lock
        )
        formats = {selection.version.dataset: selection.version.format for selection in made.selections}
        firsts = {
            selection.label: versions.content(apart, selection)
            .select("image", "slot", "split", "text")
            .sort("image", "slot")
            for selection in made.selections
        }
        columns = [
            f"{source.dataset}: read by columns {', '.join(f'{thing} = {column}' for thing, column in found.items())}"
            for source in sources
            if (found := _columns(source, formats.get(source.dataset)))
        ]
    rows = made.frame.with_columns(pl.col("dataset").replace_strict(formats).alias("format"), status=pl.lit("dry run"))
    counts = Table("would be stored", rows.drop("seq", "version", "added", "removed"), name="ingested")
    shown = [
        Table(f"the first captions of {label}", first.head(_SHOWN), name=f"first/{label}")
        for label, first in firsts.items()
        if first.height
    ]
    refused = [table for table in made.tables if table.name == "refused"]
    notes = ("dry run: no store was opened", *columns, *made.notes)
    return replace(made, frame=rows, selections=(), tables=(counts, *shown, *refused), notes=notes)


def _columns(source: Source, file_format: str | None) -> Mapping[str, str]:
    if file_format is None:
        return {}
    with as_utf8(source) as there:
        return columns_of(there.parts[0], file_format)


def formats_of_files(names: Sequence[str]) -> Result:
    """List every format with what it reads; of those named, how they are recognized, and their options.

    Rows have a property each: reads, recognized, option. Raises `UsageError` for an unknown name.
    """
    for name in names:
        find_format(name)
    frame = pl.DataFrame([row for name in names or FORMATS for row in _rows(name)], schema=_SCHEMA, orient="row")
    if not names:
        listed = frame.filter(property="reads").select("format", reads="value")
        return Result("formats", frame, tables=(Table("formats of files", listed, name="formats"),))
    told = ((name, frame.filter(format=name)) for name in names)
    tables = (
        Table(
            f"format {name}",
            rows.select(pl.coalesce("option", "property").alias("about"), meaning="value"),
            name="format",
        )
        for name, rows in told
    )
    return Result("formats", frame, tables=tuple(tables))


def _rows(name: str) -> list[tuple[str, str, str | None, str]]:
    file_format = FORMATS[name]
    options = {**file_format.options, **COMMON_OPTIONS}
    reads, recognized = (
        inspect.getdoc(about) or "" for about in (inspect.getmodule(file_format.read), file_format.recognizes)
    )
    first = reads.partition("\n\n")[0].removeprefix(f"Format `{name}`: ")
    return [
        (name, "reads", None, " ".join(first.split())),
        (name, "recognized", None, " ".join(recognized.split())),
        *((name, "option", option, meaning) for option, meaning in options.items()),
    ]
