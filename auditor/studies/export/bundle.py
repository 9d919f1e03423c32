"""Folders of Parquet files: format `bundle`, with a manifest of hashes and metadata, and `hf`, with a README.

The README describes the dataset for the Hugging Face Hub; its files are by split.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from auditor.dataset_card import primary_language, size_category, spdx
from auditor.errors import UsageError
from auditor.files import printable
from auditor.files.folders import replacing_folder
from auditor.files.rows import disk_errors, refuse_existing
from auditor.model import Selection, Source
from auditor.sources import bundle
from auditor.sources.bundle import ANNOTATIONS, CAPTIONS, EDITION, MANIFEST
from auditor.sources.reading.files import sha256
from auditor.store import subsets
from auditor.studies.export.files import Captions, table
from auditor.version import VERSION

#: The files in the folder.
NAMES = frozenset({MANIFEST, CAPTIONS, ANNOTATIONS})


def write(selection: Selection, contents: subsets.Contents, folder: Path, *, force: bool) -> pl.DataFrame:
    """Write a bundle. Columns: dataset, version, split, file, rows, bytes, sha256.

    Raises `UsageError` for a folder that exists and is not a bundle, and for any existing folder without `force`.
    """
    frames = {CAPTIONS: contents.captions}
    if contents.annotations.height:
        frames[ANNOTATIONS] = contents.annotations
    with _replacing(folder, NAMES, force=force) as draft:
        for name, frame in frames.items():
            frame.rechunk().write_parquet(draft / name, compression="zstd", row_group_size=bundle.ROWS_AT_ONCE)
        rows = pl.DataFrame([row_of(selection, contents, draft / name, frame.height) for name, frame in frames.items()])
        manifest = _manifest(selection, contents, rows)
        (draft / MANIFEST).write_text(manifest, encoding="utf-8", newline="\n")
    return rows


def row_of(selection: Selection, contents: subsets.Contents, path: Path, rows: int) -> dict[str, object]:
    """Return the row of a file."""
    return {
        "dataset": selection.version.dataset,
        "version": contents.version if selection.split is None else selection.version.version,
        "split": selection.split,
        "file": printable(path.name),
        "rows": rows,
        "bytes": path.stat().st_size,
        "sha256": sha256([path]),
    }


def _manifest(selection: Selection, contents: subsets.Contents, rows: pl.DataFrame) -> str:
    """Return the manifest of a bundle. Its only time is that of the version, in UTC: equal exports are equal files."""
    version = selection.version
    document = {
        "format": EDITION,
        "auditor": VERSION,
        "dataset": version.dataset,
        "kind": version.kind,
        "language": contents.language,
        "related": list(contents.related),
        "split": selection.split,
        "version": contents.version,
        "images": contents.images,
        "captions": contents.captions.height,
        "note": version.note,
        "created_at": version.created_at.astimezone(datetime.UTC).isoformat(),
        "source_sha256": version.source_sha256,
        "files": {row["file"]: {name: row[name] for name in ("rows", "sha256")} for row in rows.iter_rows(named=True)},
    }
    return json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


@contextmanager
def _replacing(folder: Path, known: Collection[str], *, force: bool) -> Iterator[Path]:
    """Yield a new folder that replaces `folder` once it is filled; until then, `folder` does not change.

    Raises `UsageError` for an existing folder without `force`, or with files that are not `known`.
    """
    if folder.exists() or folder.is_symlink():
        refuse_existing(folder, force=force)
        if folder.is_symlink() or not folder.is_dir() or not {path.name for path in folder.iterdir()} <= set(known):
            raise UsageError(
                f"{folder}: not replaced, since it was not written by `auditor export`; name another folder"
            )
    with replacing_folder(folder, force=force) as draft, disk_errors():
        yield draft


README, DATA = "README.md", "data"

#: The files in the folder.
HUB_NAMES = frozenset({README, DATA})

_TRAIN = "train"  # the split of a dataset without splits on the hub


def write_for_hub(
    captions: Captions, folder: Path, language: str, declared: Source | None, *, force: bool
) -> dict[str, int]:
    """Write the folder. Return the rows per file, by path. Raises `UsageError` for an existing folder."""
    rows, files = table(captions), dict[str, tuple[str, pl.DataFrame]]()
    parts = rows.partition_by("split", maintain_order=True, as_dict=True) if captions.has_splits else {(_TRAIN,): rows}
    for (split,), part in sorted(parts.items(), key=lambda item: str(item[0][0])):
        name = _name(None if split is None else str(split), {known for known, _ in files.values()})
        files[f"{DATA}/{name}-00000-of-00001.parquet"] = name, part
    with _replacing(folder, HUB_NAMES, force=force) as draft:
        (draft / DATA).mkdir()
        for path, (_, part) in files.items():
            part.rechunk().write_parquet(draft / path, compression="zstd")
        card = _card(captions, {path: name for path, (name, _) in files.items()}, language, declared)
        (draft / README).write_text(card, encoding="utf-8", newline="\n")
    return {path: part.height for path, (_, part) in files.items()}


def _name(split: str | None, taken: set[str]) -> str:
    """Return a name that the hub accepts: letters, digits and underscores; column `split` has the true name."""
    word = re.sub(r"[^A-Za-z0-9_]+", "_", split or "unassigned").strip("_") or "split"
    numbered = (word, *(f"{word}_{number}" for number in range(2, len(taken) + 2)))
    return next(name for name in numbered if name not in taken)


def _card(captions: Captions, names: dict[str, str], language: str, declared: Source | None) -> str:
    terms = declared.license if declared else None
    lines = ["---", f"pretty_name: {_text(captions.dataset)}"]
    if primary := primary_language(language):
        lines += ["language:", f"- {_text(primary)}"]
    if terms:
        known = spdx(terms)
        lines += [f"license: {_text(known.lower() if known else 'other')}"]
        lines += [] if known else [f"license_details: {_text(terms)}"]
    lines += ["size_categories:", f"- {_text(size_category(captions.rows.height))}"]
    lines += ["task_categories:", '- "image-to-text"', "tags:", '- "image-captioning"']
    lines += ["configs:", '- config_name: "default"', "  data_files:"]
    for path, name in names.items():
        lines += [f"  - split: {_text(name)}", f"    path: {_text(path)}"]
    images = captions.rows["image"].n_unique()
    split = ", `split`" if captions.has_splits else ""
    body = [
        "---",
        "",
        f"# {_line(captions.dataset)}",
        "",
        f"{captions.rows.height:,} captions of {images:,} images: `image` (its name), `slot` (position of the "
        f"caption within its image, from 0){split}, `caption`. Images are not included.",
        "",
        f"Written by `auditor export` from version `{captions.version}`.",
    ]
    if terms:
        body += ["", f"License, as declared: {_line(terms)}"]
    if declared and declared.citation:
        body += ["", "```bibtex", declared.citation.strip().replace("```", ""), "```"]
    return "\n".join([*lines, *body]) + "\n"


def _text(value: str) -> str:
    """Write a text as a JSON string, which YAML reads as the same text."""
    return json.dumps(_line(value), ensure_ascii=False)


def _line(value: str) -> str:
    return " ".join(value.split())
