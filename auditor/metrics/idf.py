"""Document frequencies of CIDEr: what a document is, and how many documents contain an n-gram.

`dataset`: the images of the selection, with all their captions, once. `fold` and `run`: as in the CIDEr authors'
program, whose documents are the items of a run, candidates with their references. `fold` is one run for each position
of the caption left out, `run` is all items as one run. `datasets#DIGEST`: the images of several datasets together,
counted by a study (Wang & Gaizauskas 2016, note 7). `of:DATASET`: the images of a dataset of the store. `none`: every
idf is 1. `file:PATH`: a table of the user, or a pickle (`df_pickle`).

Such a table has columns gram (words joined by spaces) and images. The empty gram, which every document contains, gives
the number of documents: 40,504 for COCO's validation captions.
"""

from __future__ import annotations

import hashlib
import math
import re
from pathlib import Path

import polars as pl

from auditor.errors import MetricError
from auditor.files import content
from auditor.metrics import df_pickle

_DIGEST = re.compile(r"#([0-9a-f]{12})$")


def file_setting(word: str) -> str:
    """Return `file:PATH#DIGEST` for `file:PATH`: signatures and kept counts then depend on the content.

    A digest in the setting must be that of the file. Raises `MetricError` if it is not, or the file cannot be read.
    """
    path, expected = _path(word), _DIGEST.search(word)
    try:
        digest = hashlib.sha256(content(path)).hexdigest()[:12]
    except OSError as error:
        raise MetricError(f"{path}: cannot be read as document frequencies: {error.strerror}") from error
    if expected and expected[1] != digest:
        raise MetricError(f"{path}: expected digest {expected[1]}, but its digest is {digest}: the file has changed")
    return f"file:{path}#{digest}"


def load(setting: str) -> tuple[pl.DataFrame, float]:
    """Read the file of a setting: its n-grams (gram, images), and the natural logarithm of the number of documents.

    Raises `MetricError` if it is not a table of document frequencies.
    """
    path = _path(setting)
    try:
        table = _table(path).select(pl.col("gram").cast(pl.String).fill_null(""), pl.col("images").cast(pl.UInt32))
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).partition("\n")[0]
        raise MetricError(f"{path}: not a table with columns gram and images (whole numbers): {reason}") from error
    documents = table.filter(pl.col("gram") == "")["images"]
    if len(documents) != 1 or (documents[0] or 0) < 2:
        raise MetricError(
            f"{path}: needs one row with an empty gram, whose images are the number of documents (at least 2)"
        )
    if table["gram"].is_duplicated().any():
        raise MetricError(f"{path}: {table.filter(table['gram'].is_duplicated())['gram'][0]!r} occurs more than once")
    wrong = table.filter(pl.col("images").is_null() | ~pl.col("images").is_between(1, documents[0]))
    if wrong.height:
        raise MetricError(f"{path}: {wrong['gram'][0]!r} is in {wrong['images'][0]} of {documents[0]:,} documents")
    return table.filter(pl.col("gram") != ""), math.log(documents[0])


def _path(setting: str) -> Path:
    return Path(_DIGEST.sub("", setting.partition(":")[2]))


def _table(path: Path) -> pl.DataFrame:
    match path.suffix:
        case suffix if suffix in df_pickle.SUFFIXES:
            return df_pickle.table(path)
        case ".parquet":
            return pl.read_parquet(path)
        case ".jsonl" | ".ndjson":
            return pl.read_ndjson(path)
        case _:
            separator = "\t" if path.suffix == ".tsv" else ","
            return pl.read_csv(path, separator=separator, schema_overrides={"gram": pl.String})


DATASET = "dataset"

OF = "of:"

TOGETHER = re.compile(r"datasets#[0-9a-f]{12}")

_RETIRED = (
    "idf=pooled is now called idf=run; document frequencies of several datasets together are only available in "
    "`auditor reproduce wang2016`"
)


def named(word: str) -> str | None:
    """Return the mode that a word beside the choices of the setting names; null for an unknown word.

    Raises `MetricError` for a mode that was renamed.
    """
    if word == "pooled":
        raise MetricError(_RETIRED)
    return word if TOGETHER.fullmatch(word) or dataset_of(word) else None


def dataset_of(word: object) -> str:
    """Return the dataset of `of:DATASET`; empty for another mode."""
    return str(word).removeprefix(OF) if str(word).startswith(OF) else ""
