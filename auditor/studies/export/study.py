"""How does a version reach others? Writes it in a format that they read, with or without what findings name."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.config import sources
from auditor.errors import UsageError
from auditor.files import replacing
from auditor.model import Progress, Selection, silent
from auditor.remote import address_of, sending
from auditor.result import Result, Table, counted
from auditor.sources.bundle import MANIFEST
from auditor.store import bundles, versions
from auditor.store.connection import Store
from auditor.studies.export import bundle, hub
from auditor.studies.export.cleaned import named_by_findings
from auditor.studies.export.files import FILES, Captions, columns, format_of

Target = Annotated[
    Path, p.Parameter("File or folder to make, on this disk or at an address as s3://BUCKET/NAME.", "output", "o")
]

Format = Annotated[
    str | None,
    p.Parameter(
        "bundle, coco, karpathy, csv, jsonl or hf (a folder for Hugging Face); default: by the ending, else bundle.",
        "format",
        "f",
        completes="export",
    ),
]

Without = Annotated[
    Sequence[str],
    p.Parameter(
        "Leave out the captions that findings name: a kind, a severity (that bad or worse), or findings for errors and "
        "warnings; repeat for more."
    ),
]

#: The names in the folders that formats are.
_FOLDERS = {"bundle": bundle.NAMES, "hf": hub.NAMES}

Force = Annotated[bool, p.Parameter("Replace what is there.")]

#: What no format but the bundle holds.
_BESIDE = {
    "phrases": "phrases",
    "judgements": "ratings",
    "pair": "pairs",
    "triplet": "triplets",
    "occurrences": "counts of words",
}


def export(
    store: Store,
    ref: p.Ref,
    target: Target,
    *,
    file_format: Format = None,
    without: Without = (),
    force: Force = False,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Write a version to files, in one of seven formats.

    A bundle is a folder of Parquet files that a manifest hashes: all that a version is. `coco` and `karpathy` are the
    field's JSON, `csv` and `jsonl` tables, `hf` a folder of Parquet files by split and a README that Hugging Face
    shows. Equal content gives equal bytes. With `force`, what is there gives way. With `without`, captions that
    `auditor findings` names are left out; a list of them, each with why, is written beside, as NAME.left-out.csv.

    An address, as `s3://BUCKET/NAME` (extra `remote`), is written when all is made here: under names of drafts first,
    then under its own, the manifest or README last. Where that breaks off, what was there stays.

    How to read it: one row a file, with its rows and its sha256. A note has the command that reads it again, and the
    version that this gives: the one that was written, or where the format cannot hold all of it, another, with what is
    lost. Slots are kept, but COCO and Karpathy number an image's captions anew where one is missing.

    Limits: captions, and in a bundle what is beside them (ratings, votes, phrases); no scores, which are counted again
    from these. What findings say of a whole image, as of
    an unusual number of captions, leaves it out only where that kind is named.

    Raises `UsageError` for a place that is in use, or cannot be written, and for what a format cannot hold at all.

    Examples: auditor export flickr8k@camera-ready -o bundle, then auditor ingest flickr8k --from bundle elsewhere ·
    auditor export coco-val2017 -f coco -o captions.json --without findings
    """
    chosen = format_of(file_format, target)
    selection = versions.resolve(store, ref)
    beside = left_out_of(target)
    place = address_of(target) or str(target)
    with sending(
        target,
        folder_of=_FOLDERS.get(chosen),
        beside=[beside] if without else [],
        last=(MANIFEST, hub.README),
        force=force,
        progress=progress,
    ) as here:
        left_out = here.parent / beside
        _check_free(here, chosen, force)
        if without and left_out.exists() and not force:
            raise UsageError(f"{left_out}: is there already; name another file, or replace it with --force")
        gone = named_by_findings(store, selection, without, progress) if without else None
        contents = bundles.read_out(store, selection, None if gone is None else gone.select("image", "slot").unique())
        if contents.captions.is_empty():
            raise UsageError(f"{ref}: findings name every caption; nothing is left to write")
        captions = Captions(selection.version.dataset, contents.version, contents.captions)
        try:
            rows = _write(store, selection, contents, captions, here, chosen, config, force=force)
            if gone is not None:
                with replacing(left_out) as file:
                    gone.write_csv(file)
        except OSError as error:
            raise UsageError(f"{place}: cannot be written: {error.strerror or error}") from error
    shown = rows.drop("version", "split").with_columns(pl.col("sha256").str.head(12))
    return Result(
        "export",
        rows,
        (selection,),
        tables=(Table(f"{ref} → {place}", shown, name="bundle"),),
        notes=(
            *_gone(selection, contents, gone, _beside(place, beside)),
            *_again(store, selection, contents, captions, place, chosen),
        ),
    )


def left_out_of(target: Path) -> str:
    """Name the list of captions that are left out, which is beside `target`."""
    return f"{target.stem or target.resolve().name}.left-out.csv"


def _beside(place: str, name: str) -> str:
    """Return where a file is that lies beside another."""
    folder, slash, _ = place.rstrip("/").rpartition("/")
    return f"{folder}{slash}{name}"


def _write(
    store: Store,
    selection: Selection,
    contents: bundles.Contents,
    captions: Captions,
    target: Path,
    chosen: str,
    config: p.Config,
    *,
    force: bool,
) -> pl.DataFrame:
    if chosen == "bundle":
        return bundle.write(selection, contents, target, force=force)
    if chosen == "hf":
        declared = sources(config).get(selection.version.dataset)
        files = hub.write(captions, target, contents.language, declared, force=force)
        found = [
            bundle.row_of(selection, contents, target / name, rows) | {"file": name} for name, rows in files.items()
        ]
        return pl.DataFrame(found)
    text = FILES[chosen].render(captions)
    with replacing(target) as file:
        file.write(text.encode())
    return pl.DataFrame([bundle.row_of(selection, contents, target, captions.rows.height)])


def _check_free(target: Path, chosen: str, force: bool) -> None:
    """Raise `UsageError` where a file is in the way, or a folder is where a file should be."""
    if chosen not in FILES:
        return
    if target.is_dir():
        raise UsageError(f"{target}: is a folder; {chosen} is one file")
    if target.exists() and not force:
        raise UsageError(f"{target}: is there already; name another file, or replace it with --force")


def _gone(
    selection: Selection, contents: bundles.Contents, gone: pl.DataFrame | None, left_out: str
) -> tuple[str, ...]:
    """Return how many captions and images are left out."""
    if gone is None:
        return ()
    captions = gone.select("image", "slot").n_unique()
    left = contents.captions["image"].unique()
    lost = gone.select(pl.col("image").unique()).filter(~pl.col("image").is_in(left.implode())).height
    whole = f", {counted(lost, 'image', 'images')} with none left" if lost else ""
    why = ", ".join(f"{kind} {number:,}" for kind, number in gone["kind"].value_counts(sort=True).rows())
    said = f"left out of {selection.label}: {counted(captions, 'caption', 'captions')}{whole} ({why or 'nothing'})"
    return (f"{said}; listed in {left_out}",)


def _again(
    store: Store, selection: Selection, contents: bundles.Contents, captions: Captions, place: str, chosen: str
) -> tuple[str, ...]:
    """Return how the files are read again, which version that gives, and what of this one the format cannot hold."""
    size = f"{contents.images:,} images and {contents.captions.height:,} captions"
    name = selection.version.dataset
    command = f"auditor ingest {name} --from {shlex.quote(place)}"
    if chosen == "bundle":
        return (f"version {contents.version[:12]} with {size}; `{command}` reads it into another store",)
    written = FILES.get(chosen)
    options = written.options(captions) if written else columns(captions)
    kind = selection.version.kind
    options += [f"--kind {kind}"] if kind == "candidates" else []
    options += [] if contents.language == "en" else [f"--language {contents.language}"]
    held = captions.rows
    lost = []
    if written is not None and not written.slots:
        held = held.with_columns(slot=pl.int_range(pl.len()).over("image").cast(pl.UInt32))
        if not held["slot"].equals(captions.rows["slot"]):
            lost.append("slots: the captions of an image are numbered anew")
    lost += [
        said
        for column, said in _BESIDE.items()
        if contents.annotations[column].null_count() < contents.annotations.height
    ]
    lost += [] if kind in _HELD else [f"that it holds {kind}"]
    version = bundles.hash_of_captions(store, held)
    read_as = written.reads_as if written else "table"
    typed = " ".join([command, f"--format {read_as}", *options])
    same = "the same" if version == contents.version else f"not {contents.version[:12]}"
    said = f"{size}; `{typed}` reads them as version {version[:12]}, {same}"
    return (said, *([f"{chosen} cannot hold: {'; '.join(lost)}"] if lost else []))


_HELD = ("captions", "candidates")
