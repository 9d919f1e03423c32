"""Count votes by comparison: for B, for C, and rejected records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from auditor.errors import SourceError
from auditor.sources.reading import files
from auditor.sources.sides import CATEGORIES, JudgedCaption, pair_sides, triplet_sides

#: A record of a table of votes: `choices` are null in a table of counts, `votes_b` and `votes_c` in others.
#: `file` is the number of the file.
RECORD: Mapping[str, pl.DataType] = {
    **dict.fromkeys(("file", "line"), pl.UInt32()),
    **dict.fromkeys(("raw", "reason", "task", "image", "a", "b", "c", "judge"), pl.String()),
    "choices": pl.List(pl.String),
    **dict.fromkeys(("votes_b", "votes_c", "category", "origin_b", "origin_c"), pl.String()),
}

_KEY = ("task", "swapped", "category", "origin_b", "origin_c")

_TEXTS = ("image", "a", "b", "c")

_BLANK = pl.lit(None, pl.String)

#: A vote for both captions.
TIE = "="
_CHOICES = ("B", "C", TIE, "")


def key(path: Path) -> pl.DataFrame:
    """Read the key of questions: task, swapped, category, origin_b, origin_c (of the captions shown as B and C)."""
    with files.open_bytes(path) as file:
        try:
            questions = pl.read_csv(file.read(), infer_schema=False)
        except PolarsError as error:
            raise SourceError(f"{path}: not a key of questions: {str(error).partition(chr(10))[0]}") from error
    absent = [name for name in _KEY if name not in questions.columns]
    if absent or not questions["swapped"].is_in(["true", "false"]).all():
        what = f"no column {absent[0]}" if absent else "swapped is neither true nor false"
        raise SourceError(f"{path}: not a key of questions: {what}; use the FILE.key.csv that `auditor tasks` wrote")
    twice = questions.filter(pl.col("task").is_duplicated())["task"]
    if len(twice):
        raise SourceError(f"{path}: not a key of questions: task {twice[0]} occurs twice")
    return questions.select(*_KEY).with_columns(swapped=pl.col("swapped") == "true")


def gathered(paths: Sequence[Path], records: pl.DataFrame, key: pl.DataFrame | None) -> pl.DataFrame:
    """Return a row per comparison in order of files and lines, and one per rejected record.

    Columns: file, line, reason, left_out, raw, image, a, b, c, votes_b, votes_c, category, origin_b, origin_c. With a
    key, B and C are in the original order of the candidates. Raises `SourceError` for files without votes.
    """
    judged = _judged(_keyed(records, key))
    sound = judged.filter(pl.col("reason").is_null())
    # Without a task, the same captions in the other order are the same question.
    is_turned = pl.col("task").is_null() & (pl.col("b") != pl.col("b").first().over("question"))
    sound = sound.with_columns(
        pl.when(is_turned).then(opposite).otherwise(name).alias(name)
        for name, opposite in (("for_b", "for_c"), ("for_c", "for_b"))
    )
    counted = (
        sound.group_by("question", maintain_order=True)
        .agg(
            pl.col("file", "line", *_TEXTS, "category", "origin_b", "origin_c", "swapped", "raw").first(),
            pl.col("for_b", "for_c").sum(),
        )
        .with_columns(
            left_out=pl.when(pl.col("for_b") + pl.col("for_c") == 0).then(pl.lit("no vote")),
            reason=_BLANK,
        )
    )
    if counted.height and counted["left_out"].null_count() == 0:
        named, questions = ", ".join(map(str, paths)), f"{counted.height:,} questions"
        raise SourceError(f"{named}: none of its {questions} has a vote; fill in B or C, or numbers of votes")
    turned = _as_named(counted.drop("question")).rename({"for_b": "votes_b", "for_c": "votes_c"})
    refused = judged.filter(pl.col("reason").is_not_null()).select("file", "line", "reason", "raw")
    return pl.concat([turned, refused], how="diagonal").sort("file", "line", maintain_order=True)


def _keyed(records: pl.DataFrame, key: pl.DataFrame | None) -> pl.DataFrame:
    """Add the key of each question."""
    if key is None:
        return records.with_columns(swapped=pl.lit(False))
    unknown = pl.format("task {} is not in the key", pl.col("task").fill_null("without a name"))
    return (
        records.drop("category", "origin_b", "origin_c")
        .join(key, on="task", how="left", maintain_order="left")
        .with_columns(reason=pl.coalesce("reason", pl.when(pl.col("swapped").is_null()).then(unknown)))
    )


def _judged(records: pl.DataFrame) -> pl.DataFrame:
    """Count the votes of each record, and reject faulty records. Adds question, for_b and for_c."""
    choices = pl.col("choices")
    for_both = choices.list.count_matches(TIE)
    numbers = {side: pl.col(f"votes_{side}").str.strip_chars().replace("", "0") for side in "bc"}
    counts = {side: number.cast(pl.UInt32, strict=False) for side, number in numbers.items()}
    given = records.with_columns(
        pl.col("category", "origin_b", "origin_c", "judge").str.strip_chars().replace("", None),
        shown=pl.struct(_TEXTS).struct.json_encode(),
        odd=choices.list.eval(pl.element().filter(~pl.element().is_in(_CHOICES))).list.first(),
        for_b=pl.coalesce(choices.list.count_matches("B") + for_both, counts["b"]),
        for_c=pl.coalesce(choices.list.count_matches("C") + for_both, counts["c"]),
        pair=pl.struct("image", "a", pl.min_horizontal("b", "c"), c=pl.max_horizontal("b", "c")).struct.json_encode(),
    ).with_columns(question=pl.coalesce("task", "pair"))
    faults = [
        pl.when(pl.col("odd").is_not_null()).then(
            pl.format('choice "{}"; expected B, C, their column or author, equal, or an empty cell', "odd")
        ),
        *(
            pl.when(number.is_not_null() & counts[side].is_null()).then(
                pl.format(f'votes_{side} "{{}}" is not a whole number from 0 to 4,294,967,295', number)
            )
            for side, number in numbers.items()
        ),
        pl.when(~pl.col("category").is_in(CATEGORIES)).then(
            pl.format(f'category "{{}}"; expected {", ".join(CATEGORIES)} or an empty cell', "category")
        ),
    ]
    return _once_each(given.with_columns(reason=pl.coalesce("reason", *faults)))


def _once_each(given: pl.DataFrame) -> pl.DataFrame:
    """Reject records that repeat a question with other texts, or the vote of a judge; other votes add up."""
    sound, at = pl.col("reason").is_null(), pl.col("at")
    first = pl.col("line").filter(sound).first().over("question")
    first_of_judge = pl.col("line").filter(sound).first().over("question", "judge")
    is_later = at > at.filter(sound).first().over("question", "judge")
    again = [
        pl.when(
            pl.col("task").is_not_null() & (pl.col("shown") != pl.col("shown").filter(sound).first().over("question"))
        ).then(pl.format("task {} has other texts at line {}", "task", first)),
        pl.when(pl.col("judge").is_not_null() & is_later).then(
            pl.format("judge {} already voted on it at line {}", "judge", first_of_judge)
        ),
    ]
    return given.with_row_index("at").with_columns(reason=pl.coalesce("reason", *again))


def _as_named(counted: pl.DataFrame) -> pl.DataFrame:
    """Undo the random order of the candidates B and C."""
    pairs = (("b", "c"), ("for_b", "for_c"), ("origin_b", "origin_c"))
    return counted.with_columns(
        pl.when("swapped").then(opposite).otherwise(name).alias(name)
        for pair in pairs
        for name, opposite in (pair, pair[::-1])
    ).drop("swapped")


def sides(compared: pl.DataFrame, numbers: Iterator[int]) -> Iterator[JudgedCaption]:
    """Yield the captions of each comparison; those with votes get the next of `numbers`."""
    for row in compared.iter_rows(named=True):
        if row["reason"] is not None or row["left_out"] is not None:
            yield JudgedCaption("line", row["line"], left_out=row["left_out"], reason=row["reason"], raw=row["raw"])
            continue
        position, votes = ("line", row["line"]), (row["votes_b"], row["votes_c"])
        if row["a"] is not None:
            texts = (row["a"], row["b"], row["c"])
            yield from triplet_sides(position, next(numbers), row["image"], texts, votes, row["category"])
        else:
            origins = (row["origin_b"], row["origin_c"])
            shown = (row["b"], row["c"])
            yield from pair_sides(position, next(numbers), row["image"], shown, row["category"], origins, votes)
