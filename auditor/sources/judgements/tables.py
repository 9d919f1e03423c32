"""Tables of judgements: a row is a rating, a caption with its judges, or an image with its captions.

A table is CSV or TSV with a header, or JSON with the same keys: lines of records, or a list of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from auditor.errors import UsageError
from auditor.model import Batches, Option
from auditor.sources.format import column_names, located
from auditor.sources.judgements import flickr8k
from auditor.sources.reading import files
from auditor.sources.table.json import LINES, LIST, NESTED, first_names, rows_of

_RECORD: Mapping[str, pl.DataType] = {
    **dict.fromkeys(("image", "identity", "judge", "votes", "key"), pl.String()),
    "line": pl.UInt32(),
    "scores": pl.List(pl.String),
    "reason": pl.String(),
    "raw": pl.String(),
}


def table(head: bytes, options: Mapping[str, Option]) -> tuple[str, Columns] | None:
    """Find the separator and the columns of a table by its first line; null if it has no judgements."""
    for separator, names in first_names(head).items():
        columns = find(names, options)
        if columns is not None:  # nested ratings of a caption come from several raters
            return separator, columns._replace(by_people=columns.by_people or separator == NESTED)
    return None


def widest(head: bytes) -> list[str]:
    """List the column names of a table, or the keys of its first record."""
    return max(first_names(head).values(), key=len, default=[])


def read(path: Path, separator: str, columns: Columns, options: Mapping[str, Option]) -> Batches:
    """Yield the rated captions of a table in one frame, each once and with all its judgements.

    Rows of the same image and caption are joined, unless rows have an identity.
    """
    rated = pl.DataFrame(list(_records(path, separator, columns)), schema=_RECORD, orient="row")
    ratings = _judged(_with_texts(path, rated, columns, options), columns)
    refused = ratings.filter(pl.col("reason").is_not_null()).unique("record", keep="first", maintain_order=True)
    yield (
        pl.concat([_gathered(ratings, columns), refused.select("line", "reason", "raw")], how="diagonal")
        .sort("line", maintain_order=True)
        .with_columns(source=pl.lit(path.name), unit=pl.lit("record" if separator in (LIST, NESTED) else "line"))
    )


def _records(path: Path, separator: str, columns: Columns) -> Iterator[tuple[object, ...]]:
    places = (columns.image, columns.identity, columns.judge, columns.votes)
    for line, raw, reason, fields in _rows(path, separator, columns):
        known = [None if position is None or reason else fields[position] for position in places]
        rated = [] if reason else _rated(fields, columns)
        for key, scores in rated:
            yield *known, key, line, scores, None, raw
        if not rated:
            yield *known, None, line, [""], reason or "no caption and no score", raw


def _rows(path: Path, separator: str, columns: Columns) -> Iterator[tuple[int, str, str | None, list[Any]]]:
    """Yield line, raw, fault and fields of each record below the header, or of each record of JSON."""
    if separator not in (LINES, LIST, NESTED):
        yield from rows_of(path, separator, [""] * columns.width)
        return
    names = widest(files.head(path))
    judged = [names[at] for at in columns.scores] if len(columns.captions) == 1 else []
    for line, raw, fault, fields in rows_of(path, separator, names):
        read = [(_several if name in judged else _text)(field) for name, field in zip(names, fields, strict=False)]
        yield line, raw, fault, read


def _several(value: Any) -> str | list[str]:
    """Return a score in JSON, or a list of scores of several judges, as text."""
    return [_text(score) for score in value] if isinstance(value, list) and value else _text(value)


def _text(value: Any) -> str:
    """Return a value of JSON as in a table; empty if it is not a text or number."""
    return "" if value is None or isinstance(value, dict | list | bool) else str(value)


def _rated(row: list[Any], columns: Columns) -> list[tuple[str, list[str]]]:
    """Return the captions of a row, or their keys, with their scores; some of several candidates may be empty.

    A list of scores comes from several judges.
    """
    captions, scores = [row[at] for at in columns.captions], [row[at] for at in columns.scores]
    if len(captions) == 1:
        return [(captions[0], [score for cell in scores for score in (cell if isinstance(cell, list) else [cell])])]
    return [(key, [score]) for key, score in zip(captions, scores, strict=True) if key.strip() or score.strip()]


def _with_texts(path: Path, rated: pl.DataFrame, columns: Columns, options: Mapping[str, Option]) -> pl.DataFrame:
    """Add the texts of captions that are named by keys."""
    if columns.lookup is None:
        return rated.with_columns(text="key")
    by_number = columns.lookup == "candidates_file"
    captions = flickr8k.by_number(options) if by_number else flickr8k.by_id(path, options)
    missing = pl.format("caption {} is not in {}", "key", pl.lit(Path(str(options[columns.lookup])).name))
    return rated.join(captions, on="key", how="left", maintain_order="left").with_columns(
        reason=pl.coalesce("reason", pl.when(pl.col("text").is_null()).then(missing))
    )


def _judged(rated: pl.DataFrame, columns: Columns) -> pl.DataFrame:
    """Turn records into a row per score; a faulty score rejects its record, an empty one is not a rating."""
    given = pl.col("scores").str.strip_chars()
    score = given.cast(pl.Float64, strict=False)
    sound = score.is_finite().fill_null(False)
    expected = "a number"
    if columns.scale is not None:
        sound &= score.is_between(1, columns.scale) & (score == score.round())
        expected = f"a whole number from 1 to {columns.scale}"
    votes = pl.lit("1") if columns.votes is None else pl.col("votes").str.strip_chars()
    return (
        rated.with_row_index("record")
        .with_columns(position=pl.int_ranges(1, pl.col("scores").list.len() + 1))
        .explode("scores", "position")
        .with_columns(score=score, is_given=given != "", people=votes.cast(pl.UInt32, strict=False))
        .with_columns(
            fault=pl.when("is_given").then(
                pl.when(~sound)
                .then(pl.format(f"score {{}} is not {expected}", given))
                .when(pl.col("people").is_null())
                .then(pl.format("votes {} are not a whole number", "votes"))
            )
        )
        .with_columns(
            reason=pl.coalesce(
                "reason",
                pl.when(pl.col("image").str.strip_chars() == "").then(pl.lit("no image")),
                pl.when(pl.col("text").str.strip_chars() == "").then(pl.lit("no caption")),
                pl.col("fault").drop_nulls().first().over("record"),
                pl.when(~pl.col("is_given").any().over("record")).then(pl.lit("no score")),
            )
        )
    )


def _gathered(ratings: pl.DataFrame, columns: Columns) -> pl.DataFrame:
    """Gather the scores of each caption; judges without a name are numbered."""
    caption = ["record"] if columns.identity is not None else ["image", "key"]
    one_each = len(columns.scores) == len(columns.captions) and (ratings["position"] <= 1).all()
    number = pl.int_range(1, pl.len() + 1).over(caption) if one_each else pl.col("position")
    named = pl.col("judge").replace("", None) if one_each else pl.lit(None, pl.String)
    return (
        ratings.filter(pl.col("reason").is_null() & pl.col("is_given"))
        .with_columns(judge=pl.coalesce(named, pl.format("judge-{}", number)))
        .group_by(caption, maintain_order=True)
        .agg(
            pl.col("line").first(),
            pl.col("text").first(),
            *([] if "image" in caption else [pl.col("image").first()]),
            identifier=pl.format("the rating of {} for {}", "identity", "image").first(),
            judgements=pl.struct("judge", "score", votes="people"),
        )
        .select("line", "image", "identifier", "text", "judgements")
    )


_NAMES: dict[str, tuple[str, ...]] = column_names("judgements")
#: Columns of rated captions, and of the references that they are compared with.
_CANDIDATES, _REFERENCES = _NAMES.pop("candidate"), _NAMES.pop("references")
_NAMES["caption_col"] = (*_CANDIDATES, *_NAMES["caption_col"])
_RATING = re.compile(r"(human[ _-]?)?(score|rating|judgement|judgment)s?([ _-]?\d+)?", re.IGNORECASE)


class Columns(NamedTuple):
    """Positions of the columns in a row of `width` fields.

    There are as many `scores` as `captions`, or one caption and a score of each judge. `lookup` names the option whose
    file has the captions, if their columns only hold keys. If `identity` is a column, two rows of an image cannot have
    the same value in it. `scale` is the highest score, if the scores are whole numbers from 1. `by_people` is true if
    names imply raters: judges, several scores, human scores, or a score of a candidate with references.
    """

    width: int
    image: int
    captions: tuple[int, ...]
    scores: tuple[int, ...]
    judge: int | None = None
    votes: int | None = None
    lookup: str | None = None
    identity: int | None = None
    scale: int | None = None
    by_people: bool = True


def find(header: Sequence[str], options: Mapping[str, Option]) -> Columns | None:
    """Find the columns by options, or by their names; null if one is missing.

    Raises `UsageError` if the columns of captions and scores do not match.
    """
    names = [name.strip() for name in header]
    if not set(_NAMES) & set(options):
        known = _elliott_keller(names, options) or _composite(names)
        if known is not None:
            return known
    places = {option: located(names, options.get(option), known) for option, known in _NAMES.items()}
    if not all(places[option] for option in ("image_col", "caption_col", "score_col", *(set(options) & set(_NAMES)))):
        return None
    captions, scores = places["caption_col"], places["score_col"]
    if len(captions) not in {1, len(scores)}:
        raise UsageError(
            f"{len(captions)} caption columns and {len(scores)} score columns: expected a score column per "
            "caption column, or one caption column with the scores of several judges"
        )
    judge = next(iter(places["judge_col"]), None)
    human = names[scores[0]].lower().startswith("human")
    compared = names[captions[0]].lower() in _CANDIDATES and bool(references(names))
    return Columns(
        len(names),
        places["image_col"][0],
        captions,
        scores,
        judge,
        next(iter(places["votes_col"]), None),
        next((option for option in ("captions_file", "candidates_file") if option in options), None),
        next(iter(places["id_col"]), None),
        by_people=judge is not None or len(scores) > 1 or human or compared,
    )


def may_be_scores(names: Sequence[str], options: Mapping[str, Option]) -> list[str]:
    """List the columns that could be `score_col`, if that is all that a table of judgements lacks."""
    places = {option: located(names, options.get(option), known) for option, known in _NAMES.items()}
    lacking = {option for option in ("image_col", "caption_col", "score_col", *options) if not places.get(option, True)}
    known = {names[at] for found in places.values() for at in found} | {*references(names)}
    return [name for name in names if name and name not in known] if lacking == {"score_col"} else []


def references(names: Sequence[str]) -> list[str]:
    """List the columns with references for a candidate, by their names."""
    return [name for name in names if name.strip().lower() in _REFERENCES]


def ratings(names: Sequence[str]) -> list[str]:
    """List the columns with ratings of captions, by their names."""
    return [name for name in names if _RATING.fullmatch(name.strip())]


def _elliott_keller(names: Sequence[str], options: Mapping[str, Option]) -> Columns | None:
    """Recognize the table of Elliott & Keller: `id,j1,j2,j3,imageid,textid,refid`, with captions in another file."""
    judges = tuple(position for position, name in enumerate(names) if re.fullmatch(r"j\d+", name))
    if not {"id", "imageid", "textid"} <= set(names) or not judges:
        return None
    lookup, key = ("candidates_file", "id") if "candidates_file" in options else ("captions_file", "textid")
    return Columns(
        len(names),
        names.index("imageid"),
        (names.index(key),),
        judges,
        lookup=lookup,
        identity=names.index("textid"),
        scale=4,
    )


def _composite(names: Sequence[str]) -> Columns | None:
    """Recognize the batches of the Composite set: `Input.text1` is rated in `Answer.Q1Answer`, and so on."""
    image = next((position for position, name in enumerate(names) if re.match(r"Input\.image", name)), None)
    numbers = [match[1] for name in names if (match := re.fullmatch(r"Input\.text(\d+)", name))]
    rated = [number for number in numbers if f"Answer.Q{number}Answer" in names]
    if image is None or not rated:
        return None
    return Columns(
        len(names),
        image,
        tuple(names.index(f"Input.text{number}") for number in rated),
        tuple(names.index(f"Answer.Q{number}Answer") for number in rated),
        names.index("WorkerId") if "WorkerId" in names else None,
    )
