"""Abstract and concrete words: the words of captions by a list of rated words (norms such as Brysbaert et al. 2014)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from auditor.errors import SourceError
from auditor.files.rows import numbers_of, read_rows
from auditor.result import Result, Signature, Table
from auditor.result.views import labeled
from auditor.statistics.summary import ratio
from auditor.store.captions import Captions, selections_of

_FORM = "a column of words, and one of numbers"

#: The names that norms of concreteness give to their columns.
_WORD, _RATING = ("word", "words"), ("conc.m", "concreteness", "rating", "mean")


def rated_words(every: Sequence[Captions], file: Path) -> Result:
    """Return the share of rated words, their mean rating, and those below the middle of the scale to the others."""
    words, middle = _read(file)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:12]
    parts = []
    for captions in every:
        workspace = captions.workspace(middle=middle)
        workspace.bind_rows("rated_word", words)
        ratios = ratio(workspace.rows("rated_word_total"), {"rated-words"})
        rows = ratios.rename({"class": "statistic"}).sort("statistic")
        signed = [
            str(Signature(name, {"tok": captions.tokenizer, "words": digest, "middle": middle}, 1))
            for name in rows["statistic"]
        ]
        numbered = rows.with_columns(pl.col("n").round().cast(pl.Int64), signature=pl.Series(signed, dtype=pl.String))
        parts.append(captions.stamp(numbered.with_columns(tokenizer=pl.lit(captions.tokenizer))))
    frame = pl.concat(parts)
    shown = labeled(selections_of(every), frame).sort("statistic", maintain_order=True)
    return Result(
        "diversity",
        frame,
        signatures=dict(frame.select("statistic", "signature").iter_rows()),
        tables=(
            Table(
                f"words by their ratings in {file.name}",
                shown.select("dataset", "statistic", "value", "low", "high", "n"),
                sections="statistic",
                caption=f"abstract-to-concrete: words rated below {middle:g}, the middle of the scale, to the others; "
                "rated-words: share of the words that have a rating",
                name="rated-words",
            ),
        ),
    )


def _read(file: Path) -> tuple[pl.DataFrame, float]:
    """Read words, in lower case and each once, with their ratings; and the middle of the ratings.

    Raises `SourceError` for a file without words and ratings.
    """
    rows = read_rows(file, "rated words", _FORM)
    names = {name.lower(): name for name in reversed(rows.columns)}
    word, rating = (next((names[one] for one in known if one in names), None) for known in (_WORD, _RATING))
    if word is None or rating is None:
        known = f"{', '.join(rows.columns[:8])}; expected {_FORM}: word, and Conc.M, concreteness or rating"
        raise SourceError(f"{file}: has no words with ratings: it has {known}")
    numbers = numbers_of(file, rows[rating])
    words = rows.select(pl.col(word).cast(pl.String).str.strip_chars().str.to_lowercase().alias("word"), rating=numbers)
    low, high = float(numbers.min()), float(numbers.max())  # type: ignore[arg-type]
    return words.group_by("word", maintain_order=True).agg(pl.col("rating").mean()), (low + high) / 2
