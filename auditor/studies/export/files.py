"""Captions in common file formats: one writer per format, and what the format cannot hold."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from auditor.errors import UsageError
from auditor.result import listed
from auditor.text import by_rules

#: A number, as COCO names images, in its only spelling.
_NUMBER = r"^(0|-?[1-9]\d{0,17})$"


@dataclass(frozen=True)
class Captions:
    """What is exported: captions (image, slot, split, text; sorted by image and slot) of a dataset's version."""

    dataset: str
    version: str
    rows: pl.DataFrame

    @property
    def has_splits(self) -> bool:
        """Whether any image is in a split."""
        return self.rows["split"].null_count() < self.rows.height

    @property
    def has_numbers(self) -> bool:
        """Whether the names of all images are numbers."""
        return bool(self.rows["image"].str.contains(_NUMBER).all())


@dataclass(frozen=True)
class FileFormat:
    """A format that is one file.

    `render` writes it. `options` are the arguments that `ingest` needs to import it. With `slots` it holds the
    position of a caption within its image; otherwise captions are renumbered from 0.
    """

    reads_as: str
    render: Callable[[Captions], str | bytes]
    options: Callable[[Captions], dict[str, Any]]
    slots: bool


def coco(captions: Captions) -> str:
    """Write COCO annotations. Images whose names are not numbers get numbers; `file_name` has their names."""
    images = _images(captions, "coco")
    number = pl.col("image").cast(pl.Int64) if captions.has_numbers else pl.int_range(1, pl.len() + 1)
    images = images.with_columns(id=number)
    rows = captions.rows.join(images.select("image", "id"), on="image", how="left", maintain_order="left")
    annotations = rows.select(pl.int_range(1, pl.len() + 1).alias("id"), image_id="id", caption="text")
    listed_images = images.select("id", file_name="image", **({"split": "split"} if captions.has_splits else {}))
    info = {"description": captions.dataset, "version": captions.version}
    parts = {"info": json.dumps(info, ensure_ascii=False), "licenses": "[]"}
    parts |= {"images": listed_images.write_json(), "annotations": annotations.write_json()}
    return "{" + ",\n".join(f'"{key}": {value}' for key, value in parts.items()) + "}\n"


def karpathy(captions: Captions) -> str:
    """Write Karpathy & Li's JSON; `tokens` are those of tokenizer bare."""
    images = _images(captions, "karpathy").with_row_index("imgid")
    sentences = captions.rows.with_columns(tokens=by_rules.bare(captions.rows["text"])).with_row_index("sentid")
    numbered = sentences.join(images.select("image", "imgid"), on="image", how="left", maintain_order="left")
    by_image = numbered.group_by("imgid", maintain_order=True)
    gathered = by_image.agg(sentids="sentid", sentences=pl.struct("tokens", "imgid", "sentid", raw="text"))
    number = [pl.col("image").cast(pl.Int64).alias("cocoid")] if captions.has_numbers else []
    split = ["split"] if captions.has_splits else []
    written = images.join(gathered, on="imgid", maintain_order="left").select(
        pl.col("image").alias("filename"), "imgid", *number, *split, "sentids", "sentences"
    )
    return f'{{"images": {written.write_json()},\n"dataset": {json.dumps(captions.dataset, ensure_ascii=False)}}}\n'


def table(captions: Captions) -> pl.DataFrame:
    """Return a table of captions: image, slot, caption, and split if there are splits."""
    split = ["split"] if captions.has_splits else []
    return captions.rows.select("image", "slot", *split, caption="text")


def _parquet(captions: Captions) -> bytes:
    file = io.BytesIO()
    table(captions).write_parquet(file)
    return file.getvalue()


def _images(captions: Captions, name: str) -> pl.DataFrame:
    """Return the images in order, each with its split. Raises `UsageError` for an image in several splits."""
    split = pl.col("split")
    images = captions.rows.group_by("image", maintain_order=True).agg(split.first(), n=split.n_unique())
    several = images.filter(pl.col("n") > 1)["image"]
    if len(several):
        raise UsageError(
            f"{captions.dataset}: {len(several):,} images are in several splits, which {name} cannot hold: "
            f"{listed(several, 3)}; write csv, jsonl, hf or a bundle"
        )
    return images.drop("n")


def _coco_options(captions: Captions) -> dict[str, Any]:
    split = ["split_key=split"] if captions.has_splits else []
    return {"options": split + ([] if captions.has_numbers else ["image_key=file_name"])}


def columns(captions: Captions) -> dict[str, Any]:
    """Return the arguments that `ingest` needs for the columns of a table."""
    split = {"split_col": "split"} if captions.has_splits else {}
    return {"image_col": "image", "caption_col": ["caption"], "slot_col": "slot", **split}


FILES: Mapping[str, FileFormat] = {
    "coco": FileFormat("coco", coco, _coco_options, slots=False),
    "karpathy": FileFormat("karpathy", karpathy, lambda _: {}, slots=False),
    "csv": FileFormat("table", lambda rows: table(rows).write_csv(quote_style="non_numeric"), columns, slots=True),
    "jsonl": FileFormat("table", lambda rows: table(rows).write_ndjson(), columns, slots=True),
    "parquet": FileFormat("table", _parquet, columns, slots=True),
}

#: The formats that export writes.
FORMATS = ("bundle", *FILES, "hf")

#: The ending of a file; of a folder, what follows a dot is rather a number.
_ENDING = re.compile(r"\.[A-Za-z]{2,8}")

#: The default format by file extension.
ENDINGS: Mapping[str, str] = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}


def format_of(name: str | None, path: Path) -> str:
    """Choose a format: by name, else by file extension, else a bundle. Raises `UsageError` for a file of JSON."""
    if name is not None:
        return name
    if path.suffix == ".json":
        raise UsageError(f"{path}: JSON can be two formats; choose --format coco or --format karpathy")
    if path.suffix.lower() not in ENDINGS and _ENDING.fullmatch(path.suffix) and not path.is_dir():
        raise UsageError(f"{path}: no format has this ending; use .csv, .jsonl or .parquet, or set --format")
    return ENDINGS.get(path.suffix.lower(), "bundle")
