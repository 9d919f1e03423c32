"""Document frequencies of CIDEr: what counts as a document, and how many of them hold an n-gram.

`dataset`: the images of the selection, with all their captions, once. `fold` and `run`: what the CIDEr authors'
program does, whose documents are the items of a run, candidates with their references: one run for each place of the
caption left out, or all of them as one run. `datasets#DIGEST`: the images of several datasets together, which a study
has counted (Wang & Gaizauskas 2016, note 7). `none`: every idf is 1. `file:PATH`: a table of the user.

Document frequencies from a file of the user: a table with columns gram (words joined by blanks) and images.

The empty gram, which every document holds, says how many documents there are: 40,504 for COCO's validation captions.
"""

from __future__ import annotations

import hashlib
import math
import re
from pathlib import Path

import polars as pl

from auditor.errors import MetricError

FORM = "file:PATH"

_DIGEST = re.compile(r"#([0-9a-f]{12})$")


def file_setting(word: str) -> str:
    """Make a setting of `file:PATH`: `file:PATH#DIGEST`, so that a signature and kept counts stand for these contents.

    A digest that is there already must be that of the file. Raises `MetricError` where the file cannot be read.
    """
    path, expected = _path(word), _DIGEST.search(word)
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    except OSError as error:
        raise MetricError(f"{path}: cannot be read as document frequencies: {error.strerror}") from error
    if expected and expected[1] != digest:
        raise MetricError(f"{path}: holds other document frequencies than {expected[1]}: its digest is {digest}")
    return f"file:{path}#{digest}"


def load(setting: str) -> tuple[pl.DataFrame, float]:
    """Read the file behind a setting: its n-grams (gram, images), and the natural logarithm of the number of documents.

    Raises `MetricError` where it is no table of document frequencies.
    """
    path = _path(setting)
    try:
        table = _table(path).select(pl.col("gram").cast(pl.String).fill_null(""), pl.col("images").cast(pl.UInt32))
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).partition("\n")[0]
        raise MetricError(f"{path}: no table with columns gram and images (whole numbers): {reason}") from error
    documents = table.filter(pl.col("gram") == "")["images"]
    if len(documents) != 1 or (documents[0] or 0) < 2:
        raise MetricError(
            f"{path}: needs one row with an empty gram, whose images are the number of documents, 2 or more"
        )
    if table["gram"].is_duplicated().any():
        raise MetricError(f"{path}: {table.filter(table['gram'].is_duplicated())['gram'][0]!r} is there more than once")
    wrong = table.filter(pl.col("images").is_null() | ~pl.col("images").is_between(1, documents[0]))
    if wrong.height:
        raise MetricError(f"{path}: {wrong['gram'][0]!r} is in {wrong['images'][0]} of {documents[0]:,} documents")
    return table.filter(pl.col("gram") != ""), math.log(documents[0])


def _path(setting: str) -> Path:
    return Path(_DIGEST.sub("", setting.partition(":")[2]))


def _table(path: Path) -> pl.DataFrame:
    match path.suffix:
        case ".parquet":
            return pl.read_parquet(path)
        case ".jsonl" | ".ndjson":
            return pl.read_ndjson(path)
        case _:
            separator = "\t" if path.suffix == ".tsv" else ","
            return pl.read_csv(path, separator=separator, schema_overrides={"gram": pl.String})


DATASET = "dataset"

READINGS = (DATASET, "fold", "run", "none")

TOGETHER = re.compile(r"datasets#[0-9a-f]{12}")

_RETIRED = (
    "idf=pooled was the items of a run and is now called idf=run; document frequencies of several datasets together "
    "are those of `auditor reproduce wang2016`"
)


def by_items(idf_mode: str) -> bool:
    """Return whether documents are items, and so depend on who the candidates are."""
    return idf_mode in ("fold", "run")


def named(word: str) -> str | None:
    """Make a setting of a word that is no fixed mode; null for one that says nothing.

    Raises `MetricError` for a name that once meant something else.
    """
    if word == "pooled":
        raise MetricError(_RETIRED)
    return word if TOGETHER.fullmatch(word) else None


def refusal(idf_mode: str, images: int) -> str | None:
    """Return why so few images have no idf."""
    if images != 1 or idf_mode not in (DATASET, "fold", "run"):
        return None
    return (
        "with one image every n-gram is in every image, and so every idf is 0; "
        "idf=none weighs all n-grams alike, idf=file:PATH takes document frequencies from elsewhere"
    )
