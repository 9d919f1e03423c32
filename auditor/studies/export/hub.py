"""Format `hf`: a dataset folder for the Hugging Face Hub, with Parquet by split and a README that describes it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl

from auditor.dataset_card import primary_language, size_category, spdx
from auditor.model import Source
from auditor.studies.export.bundle import replacing_folder
from auditor.studies.export.files import Captions, table

README, DATA = "README.md", "data"

#: The files in the folder.
NAMES = frozenset({README, DATA})

_TRAIN = "train"  # the split of a dataset without splits on the hub


def write(captions: Captions, folder: Path, language: str, declared: Source | None, *, force: bool) -> dict[str, int]:
    """Write the folder. Return the rows per file, by path. Raises `UsageError` for an existing folder."""
    rows = table(captions)
    files: dict[str, tuple[str, pl.DataFrame]] = {}
    parts = rows.partition_by("split", maintain_order=True, as_dict=True) if captions.has_splits else {(_TRAIN,): rows}
    for (split,), part in sorted(parts.items(), key=lambda item: str(item[0][0])):
        name = _name(None if split is None else str(split), {known for known, _ in files.values()})
        files[f"{DATA}/{name}-00000-of-00001.parquet"] = name, part
    with replacing_folder(folder, NAMES, force=force) as draft:
        (draft / DATA).mkdir()
        for path, (_, part) in files.items():
            part.rechunk().write_parquet(draft / path, compression="zstd")
        names = {path: name for path, (name, _) in files.items()}
        card = _card(captions, names, language, declared)
        (draft / README).write_text(card, encoding="utf-8", newline="\n")
    return {path: part.height for path, (_, part) in files.items()}


def _name(split: str | None, taken: set[str]) -> str:
    """Return a name that the hub accepts: letters, digits and underscores; column `split` has the true name."""
    word = re.sub(r"[^A-Za-z0-9_]+", "_", split or "unassigned").strip("_") or "split"
    number, name = 1, word
    while name in taken:
        number += 1
        name = f"{word}_{number}"
    return name


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
