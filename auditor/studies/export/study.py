"""How do you share a version? Exports it to a common format, optionally repaired or without listed captions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.asking import question
from auditor.called import call
from auditor.config import checks, sources
from auditor.errors import UsageError
from auditor.files import replacing
from auditor.files.rows import refuse_existing
from auditor.findings import declare, not_kept
from auditor.model import Progress, Selection, silent
from auditor.remote import address_of, sending
from auditor.result import Result, Table, counted
from auditor.sources.bundle import MANIFEST
from auditor.store import subsets, versions
from auditor.store.captions import stamp
from auditor.store.connection import Store
from auditor.studies.export import bundle
from auditor.studies.export.files import FILES, FORMATS, Captions, columns, format_of
from auditor.studies.export.repaired import Repaired, checked, named_by_findings, repaired
from auditor.studies.export.source import render

Target = Annotated[Path, p.Place("File or folder to write, local or a URL: s3://BUCKET/NAME.", "output", "o")]

Format = Annotated[
    str | None,
    p.Parameter(
        "bundle, coco, karpathy, csv, jsonl, parquet or hf (a folder for Hugging Face); default: by the file "
        "extension, else bundle.",
        "format",
        "f",
        choices=FORMATS,
        completes="export",
    ),
]

Fix = Annotated[
    Sequence[str],
    p.Parameter(
        "Repair captions with findings of this kind; 'all' for every kind with a safe fix; repeat for more.",
        check=checked,
    ),
]

SourceFile = Annotated[
    Path | None,
    p.Input("File that the version was read from: keep its format, and its columns in their order.", "source"),
]

DryRun = Annotated[bool, p.Parameter("Only list what --fix would change. Writes no file.", needs="fix")]

#: The files in the folder of a format.
_FOLDERS = {"bundle": bundle.NAMES, "hf": bundle.HUB_NAMES}

Force = Annotated[bool, p.Parameter("Replace an existing file or folder.")]

#: The options that write a list of captions, each with the end of its name.
LISTS = {"without": "left-out", "fix": "changes"}

#: The format of the file that a version was read from.
_SOURCE = "source"

#: What only a bundle holds.
_BESIDE = {
    "phrases": "phrases",
    "judgements": "ratings",
    "pair": "pairs",
    "triplet": "triplets",
    "occurrences": "counts of words",
}


@question
def export(
    store: Store,
    ref: p.Ref,
    target: Target,
    *,
    file_format: Format = None,
    without: p.Without = (),
    fix: Fix = (),
    source: SourceFile = None,
    dry_run: DryRun = False,
    force: Force = False,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Export a version to files, in one of seven formats.

    A bundle is a folder of Parquet files with a manifest of hashes; it contains the whole version. `coco` and
    `karpathy` are JSON, `csv`, `jsonl` and `parquet` are tables. `hf` is a folder for Hugging Face: Parquet files by
    split, and a README. Equal content gives identical files. `--force` replaces existing files. With `--without`,
    captions with faults of the given kinds or severities are left out. The severity is that of one caption: how many
    have the fault does not count. NAME.left-out.csv lists them, with the reasons.

    With `--fix`, captions are repaired: encoding, chat tokens, assistant text, Markdown, HTML, sentences about the
    image. Only captions that `auditor findings` lists under the kind change, and what would come out broken stays and
    is reported. A caption is left out only if nothing usable remains, such as a refusal. Whitespace, and repeats within
    an image, are fixed only if you name `whitespace` or `padded-images`. NAME.changes.csv has a row for each change:
    kind, text before, text after. A second run changes nothing. `--dry-run` returns these rows.

    With `--source`, the file that the version was read from, its format, columns and order are kept: CSV, TSV, JSON
    lines, Parquet, a JSON list or COCO. Only what `--fix` repairs changes, and records of left-out or rejected captions
    are dropped. A file with another sha256 is an error. Tables can be written as another kind of table.

    URLs such as `s3://BUCKET/NAME` need the extra `remote`. Files are uploaded under temporary names and then renamed,
    the manifest or README last. If the upload fails, the existing files are unchanged.

    How to read it: one row per file written, with its number of rows and its sha256. A note shows the command that
    imports the files, and the version that you get. That is the same version, unless the format cannot hold all of it;
    then the note lists what is lost. Slots are kept, but COCO and Karpathy renumber an image's captions if one is
    missing.

    Limits: captions are exported, in a bundle also ratings, votes and phrases. Scores are not exported, since they can
    be recomputed. Findings on a whole image, such as an unusual number of captions, remove captions only if you name
    their kind. The same is true for usable captions, such as those with a frequent opening. Kinds
    without a safe fix, such as truncated captions, stay. A note counts them.

    Raises `UsageError` for a target that exists or cannot be written, and for content that a format cannot hold. A kind
    without a fix raises it, too.

    Examples: auditor export flickr8k@camera-ready -o bundle, then, in another store, auditor ingest flickr8k --from
    bundle · auditor export coco-val2017 -f coco -o captions.json --without findings
    """
    if source is not None and file_format is not None:
        raise UsageError("--source: the file has the format of its ending; leave out --format")
    own = declare(checks(config))
    without = [*without, *(code for code in not_kept(without, own) if code in own)]
    chosen = format_of(file_format, target) if source is None else _SOURCE
    selection = versions.resolve(store, ref)
    if dry_run:
        return _dry(store, selection, without, fix, progress)
    beside, changed = list_of(target, "without"), list_of(target, "fix")
    url = address_of(target) or str(target)
    with sending(
        target,
        folder_of=_FOLDERS.get(chosen),
        beside=[*([beside] if without else []), *([changed] if fix else [])],
        last=(MANIFEST, bundle.README),
        force=force,
        progress=progress,
    ) as here:
        left_out, changes = here.parent / beside, here.parent / changed
        if chosen in (*FILES, _SOURCE):
            if here.is_dir():
                raise UsageError(f"{here}: is a folder; format {chosen} is one file")
            refuse_existing(here, force=force)
        refuse_existing(*([left_out] if without else []), *([changes] if fix else []), force=force)
        gone, repair = _cleaned(store, selection, without, fix, progress)
        texts = None if repair is None else repair.captions.select("image", "slot", "text")
        taken = None if gone is None else gone.select("image", "slot").unique()
        contents = subsets.read_out(store, selection, taken, texts)
        if contents.captions.is_empty():
            raise UsageError(f"{ref}: findings list every caption; nothing is left to write")
        captions = Captions(selection.version.dataset, contents.version, contents.captions)
        try:
            if source is None:
                rows = _write(selection, contents, captions, here, chosen, config, force=force)
            else:
                made = render(store, selection, captions.rows, source, target, sources(config))
                rows = _placed(here, made, selection, contents, captions)
            if gone is not None:
                with replacing(left_out) as file:
                    gone.write_csv(file)
            if repair is not None:
                with replacing(changes) as file:
                    repair.changes.write_csv(file)
        except OSError as error:
            raise UsageError(f"{url}: cannot be written: {error.strerror or error}") from error
    alike = f"{url} has the columns of {source}, in their order; the same arguments of `auditor ingest` import it"
    shown = rows.drop("version", "split").with_columns(pl.col("sha256").str.head(12))
    out = _gone(selection, contents, gone, _beside(url, beside))
    fixed = _changed(selection, repair, f"; listed in {_beside(url, changed)}")
    again = _again(store, selection, contents, captions, url, chosen) if source is None else (alike,)
    table = Table(f"{ref} → {url}", shown, name="bundle")
    return Result("export", rows, (selection,), tables=(table,), notes=(*out, *fixed, *again))


def list_of(target: Path, option: str) -> str:
    """Return the name of the list that one of `LISTS` writes, in the folder of `target`."""
    return f"{target.stem or target.resolve().name}.{LISTS[option]}.csv"


def _beside(url: str, name: str) -> str:
    """Return the path or URL of a file in the folder of another."""
    folder, slash, _ = url.rstrip("/").rpartition("/")
    return f"{folder}{slash}{name}"


def _cleaned(
    store: Store, selection: Selection, without: Sequence[str], fix: Sequence[str], progress: Progress
) -> tuple[pl.DataFrame | None, Repaired | None]:
    """Return the captions that are left out by `without`, and the others, repaired; null for what is not requested."""
    gone = named_by_findings(store, selection, without, progress) if without else None
    return gone, repaired(store, selection, fix, gone, progress) if fix else None


def _dry(store: Store, selection: Selection, without: Sequence[str], fix: Sequence[str], progress: Progress) -> Result:
    """Return the changes that a repair would make."""
    _, repair = _cleaned(store, selection, without, fix, progress)
    assert repair is not None  # noqa: S101 -- the caller checks it
    examples = repair.changes.group_by("kind", maintain_order=True).head(_SHOWN)
    said, *notes = _changed(selection, repair, "", "would be fixed in")
    shown, title = examples.select("kind", "image", "slot", "before", "after"), f"changes of {selection.label}, by kind"
    caption = f"at most {_SHOWN} of each kind, of {repair.changes.height:,} changes; no `after`: left out"
    table = Table(title, shown, sections="kind", caption=caption, name="changes")
    rows, lead = stamp(selection, repair.changes), f"{said[:1].upper()}{said[1:]}."
    return Result("export", rows, (selection,), tables=(table,), notes=tuple(notes), lead=(lead,))


def _changed(selection: Selection, repair: Repaired | None, listed: str, done: str = "fixed in") -> tuple[str, ...]:
    """Report how many captions a repair changes and leaves out, each once, and what it cannot repair."""
    if repair is None:
        return ()
    out = repair.changes.filter(pl.col("after").is_null())
    changed = repair.changes.join(out, on=["image", "slot"], how="anti")
    parts = []
    for what, rows in (("changed", changed), ("left out", out)):
        kinds = ", ".join(f"{kind} {number:,}" for kind, number in rows["kind"].value_counts(sort=True).rows())
        number = counted(rows.select("image", "slot").n_unique(), "caption", "captions")
        parts.append(f"{number} {what}{f' ({kinds})' if kinds else ''}")
    left = ", ".join(f"{kind} {number:,}" for kind, number, _ in repair.left.rows())
    further = f"not fixed in {selection.label}: {left}; `{call('findings', selection.label)}` lists them"
    return (f"{done} {selection.label}: {', '.join(parts)}{listed}", *([further] if left else []))


def _write(
    selection: Selection,
    contents: subsets.Contents,
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
        files = bundle.write_for_hub(captions, target, contents.language, declared, force=force)
        rows = ((name, bundle.row_of(selection, contents, target / name, height)) for name, height in files.items())
        return pl.DataFrame([row | {"file": name} for name, row in rows])
    text = FILES[chosen].render(captions)
    return _placed(target, text.encode() if isinstance(text, str) else text, selection, contents, captions)


def _placed(
    target: Path, made: bytes, selection: Selection, contents: subsets.Contents, captions: Captions
) -> pl.DataFrame:
    with replacing(target) as file:
        file.write(made)
    return pl.DataFrame([bundle.row_of(selection, contents, target, captions.rows.height)], orient="row")


def _gone(
    selection: Selection, contents: subsets.Contents, gone: pl.DataFrame | None, left_out: str
) -> tuple[str, ...]:
    """Report how many captions and images are left out."""
    if gone is None:
        return ()
    captions = gone.select("image", "slot").n_unique()
    left = contents.captions["image"].unique()
    lost = gone.select(pl.col("image").unique()).filter(~pl.col("image").is_in(left.implode())).height
    whole = f", {counted(lost, 'image', 'images')} with no caption left" if lost else ""
    why = ", ".join(f"{kind} {number:,}" for kind, number in gone["kind"].value_counts(sort=True).rows())
    what = f"{counted(captions, 'caption', 'captions')}{whole} ({why or 'no such findings'})"
    return (f"left out of {selection.label}: {what}; listed in {left_out}",)


def _again(
    store: Store, selection: Selection, contents: subsets.Contents, captions: Captions, url: str, chosen: str
) -> tuple[str, ...]:
    """Report how to import the files, which version that gives, and what the format cannot hold."""
    size = f"{contents.images:,} images and {contents.captions.height:,} captions"
    name, kind, stored = selection.version.dataset, selection.version.kind, selection.version.version
    if chosen == "bundle":
        command = call("ingest", name, files=[url])
        return (f"version {contents.version[:12]} with {size}; `{command}` imports it into another store",)
    written, held, lost = FILES.get(chosen), captions.rows, list[str]()
    if written is not None and not written.slots:
        held = held.with_columns(slot=pl.int_range(pl.len()).over("image").cast(pl.UInt32))
        if not held["slot"].equals(captions.rows["slot"]):
            lost.append("slots: the captions of an image are renumbered")
    annotated = contents.annotations
    lost += [what for column, what in _BESIDE.items() if annotated[column].null_count() < annotated.height]
    lost += [] if kind in _HELD else [f"its kind: {kind}"]
    version = subsets.hash_of_captions(store, held)
    typed = call(
        "ingest", name, files=[url], file_format=written.reads_as if written else "table",
        kind=kind if kind == "candidates" else None,
        language=None if contents.language == "en" else contents.language,
        **(written.options(captions) if written else columns(captions)),
    )  # fmt: skip
    same = ", which was exported" if version == stored else f"; version {stored[:12]} was exported"
    note = f"{size}; `{typed}` imports them as version {version[:12]}{same}"
    return (note, *([f"{chosen} cannot hold: {'; '.join(lost)}"] if lost else []))


_HELD = ("captions", "candidates")

#: Changes of each kind that a dry run shows.
_SHOWN = 3
