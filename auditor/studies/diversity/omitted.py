"""Which words could a system have learnt, and never says? (van Miltenburg et al. 2018, section 3.3, global ranking)."""

from __future__ import annotations

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress, Selection, silent
from auditor.result import Finding, Result, Signature, Table, about
from auditor.scoring.writing import chooses_tokenizer
from auditor.store.connection import Store
from auditor.studies.diversity.measuring import selections_with_tokens
from auditor.studies.diversity.overall import use, workspace
from auditor.studies.diversity.settings import DiversitySettings
from auditor.text import AUTO

_TOGETHER = "none of them"


@chooses_tokenizer("refs", "against", "evaluation")
def omitted_words(
    store: Store,
    *refs: str,
    against: str,
    evaluation: str,
    number: int = 20,
    tokenizer: str = AUTO,
    split: str | None = None,
    all_images: bool = False,
    progress: Progress = silent,
) -> Result:
    """List words that systems could have learnt and never use, for `auditor words --by training`."""
    if number < 1:
        raise UsageError(f"--number {number}: expected 1 or more")
    selections, known = selections_with_tokens(store, refs, against, evaluation, split, tokenizer, progress)
    at_work = workspace(store, DiversitySettings(tokenizer, all_images=all_images), known)
    parts: list[tuple[Selection | None, pl.DataFrame, int]] = []
    for place, selection in enumerate(selections):
        progress(f"{selection.label}: omitted words", place, len(selections))
        use(at_work, selection)
        omitted = at_work.rows("omitted_word").drop("token_id")
        parts.append((selection, omitted, at_work.rows("learnable_word").height))
    if len(selections) > 1:
        every = [words for _, words, _ in parts]
        together = (
            pl.concat(every)
            .group_by("word", "trained")
            .agg(pl.col("evaluated").min(), omitting=pl.len())
            .filter(omitting=len(selections))
            .drop("omitting")
        )
        parts.append((None, together, min(learnable for _, _, learnable in parts)))
    ranked = [(selection, _ranked(words)) for selection, words, _ in parts]
    images = "all" if all_images else "shared"
    parameters = {"tok": tokenizer, "words": "letters-or-digits", "ties": "word", "images": images}
    signature = Signature("omitted", parameters, 2)
    return Result(
        "omitted",
        pl.concat(_rows(selection, words, number, known.evaluation, str(signature)) for selection, words in ranked),
        selections=(*selections, *(one for one in (known.training, known.evaluation) if one)),
        signatures={"omitted": str(signature)},
        tables=tuple(_table(selection, words, number) for selection, words in ranked),
        findings=tuple(
            Finding(
                "omitted-words",
                f"{selection.label if selection else _TOGETHER}: {words.height:,} of {learnable:,} learnable words"
                " are omitted",
                about(selection) if selection else {},
                {"omitted": words.height},
                learnable,
            )
            for selection, words, learnable in parts
        ),
    )


def _ranked(words: pl.DataFrame) -> pl.DataFrame:
    for column, rank in (("evaluated", "evaluated_rank"), ("trained", "rank")):
        words = words.sort(column, "word", descending=[True, False]).with_row_index(rank, offset=1)
    return words


def _rows(
    selection: Selection | None, words: pl.DataFrame, number: int, evaluation: Selection | None, signature: str
) -> pl.DataFrame:
    version = selection and selection.version
    return words.filter((pl.col("rank") <= number) | (pl.col("evaluated_rank") <= number)).select(
        pl.lit(version and version.dataset, pl.String).alias("dataset"),
        pl.lit(version and version.version, pl.String).alias("version"),
        pl.lit(selection and selection.split, pl.String).alias("split"),
        pl.lit("omitted").alias("statistic"),
        "word",
        "trained",
        "evaluated",
        "rank",
        "evaluated_rank",
        pl.lit(signature).alias("signature"),
    )


def _table(selection: Selection | None, words: pl.DataFrame, number: int) -> Table:
    by_training = words.head(number).select(pl.col("rank"), "word", "trained")
    by_evaluation = words.sort("evaluated_rank").head(number).select(pl.col("word").alias("word "), "evaluated")
    who = f"{selection.label} does not have" if selection else f"{_TOGETHER} has"
    title = f"learnable words that {who}: by training data, by evaluation data"
    return Table(title, pl.concat([by_training, by_evaluation], how="horizontal"), name="omitted-words")
