"""How varied are the words and sentences of a dataset, or of the output of a system? (van Miltenburg et al. 2018).

Statistics per image need several captions per image, or human captions of the same images.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import question
from auditor.config import sources
from auditor.errors import SourceError
from auditor.files.rows import numbers_of, read_rows
from auditor.model import Progress, Selection, silent
from auditor.ranges import statistics_within
from auditor.result import Result, Signature, Table, findings_in, notes_in
from auditor.result.portraits import Quoted
from auditor.result.views import arranged, labeled
from auditor.scoring.registry import DECIMALS, References
from auditor.statistics.cards import ends_of
from auditor.statistics.diversity import CONFIDENCE, STATISTICS
from auditor.statistics.sameness import SAMENESS
from auditor.statistics.summary import ratio
from auditor.store.captions import Captions, selections_of
from auditor.store.connection import Store
from auditor.studies.diversity.content_words import content_of
from auditor.studies.diversity.measuring import ROWS, apart_from_people, captions_and_known, measured
from auditor.studies.diversity.measuring import robustness as moved_by_settings
from auditor.studies.diversity.per_image import local_signature, local_words_met
from auditor.studies.diversity.settings import EVERY, Asked, DiversitySettings, Statistics, settled
from auditor.studies.diversity.tables import FIGURES, correlated, lead, notes, tables
from auditor.studies.diversity.within_image import METRICS, captions_of_images, within_signatures

_LOCAL, _WITHIN = (
    tuple(card.name for card in STATISTICS.values() if card.needs == needs)
    for needs in ("evaluation", "several captions of an image")
)


def image_diversity(
    every: Sequence[Captions],
    people: Selection | None,
    apart: Mapping[str, str],
    settings: DiversitySettings,
    progress: Progress,
    asked: Asked = EVERY,
) -> list[Result]:
    """Return local recall and precision against human captions, if there are any, mBLEU and the vocabulary of images.

    `apart` has reasons why selections, by label, cannot be compared with human captions.
    """
    content, results = content_of(settings), []
    if people is not None and asked.any_of(*_LOCAL):
        met = [captions for captions in every if captions.label not in apart]
        refs = References("all", settings.references, settings.seed)
        signed = {name: local_signature(name, people, refs, settings, content) for name in _LOCAL}
        if met:
            results.append(local_words_met(met, met[0].like(people), content, settings, progress))
        for captions in every:
            if captions.label in apart:
                absent = _absent(captions, signed, apart[captions.label])
                why = f"{captions.label}: no local recall and precision: {apart[captions.label]}"
                results.append(Result("diversity", absent, notes=(why,)))
    if not asked.any_of(*_WITHIN):
        return results
    fewest = 2 if settings.references is None else settings.references + 1
    several = [captions for captions in every if (captions.images()["captions"] >= fewest).any()]
    if several:
        results.append(captions_of_images(several, content, settings, METRICS, progress))
    signatures = within_signatures(settings, content, METRICS)
    for captions in every:
        if captions not in several:
            reason = f"no image has {fewest} captions"
            note = f"{captions.label}: no mBLEU, Div-n and vocabulary of images: {reason}"
            notes = () if captions.selection.version.kind == "candidates" else (note,)
            results.append(Result("diversity", _absent(captions, signatures, reason), notes=notes))
    return results


def _absent(captions: Captions, signatures: Mapping[str, str], reason: str) -> pl.DataFrame:
    rows = pl.DataFrame({"statistic": [*signatures], "signature": [*signatures.values()]})
    return captions.stamp(rows.with_columns(tokenizer=pl.lit(captions.tokenizer), reason=pl.lit(reason)))


Robustness = Annotated[
    bool, p.Parameter("Also measure how much order, letters, tokens and references change each statistic.")
]


RatedWords = Annotated[
    Path | None, p.Input("List of words with ratings of concreteness, for the ratio of abstract to concrete words.")
]


@face(draws=True)
@question
def diversity(
    store: Store,
    *refs: p.Refs,
    settings: DiversitySettings | None = None,
    statistics: Statistics = None,
    robustness: Robustness = False,
    rated_words: RatedWords = None,
    against: p.Training = None,
    evaluation: p.Evaluation = None,
    split: p.Split = None,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Measure lexical diversity, overall and per image.

    Reports lengths, vocabulary, type-token ratios over segments of equal length (`ttr-1`, `ttr-2`), and repetition.
    With training data (`--against`), it adds novelty, the share of captions that are not in them. With human captions
    (`--eval`), it adds coverage, and local recall and precision. Coverage is the share of human words that the system
    uses. Recall is the share of the words in human captions of an image that the system also uses; precision is the
    reverse. Recall is split by how many annotators use a word.

    `sameness` is the share of words that captions of different images have in common. It needs one caption per image
    and a table of words only, so it suits any size. It is not agreement, which is between annotators of one image.
    Images with several captions also have mBLEU and Div-n (`div-1`, `div-2`: different n-grams per word).

    `--statistic` selects statistics. MTLD, MATTR, HD-D, Yule's K, compression ratio, self-repetition and Zipf's slope
    are only computed on request. For three systems or more, a table shows how statistics correlate.

    How to read it: more types, a higher type-token ratio, and higher coverage and recall mean more varied language.
    Compare a system with human captions of the same images. A system with high novelty but low precision may describe
    things that are not in the image.

    With `--rated-words`, a table of words and ratings (CSV, TSV, JSON lines, Parquet: Word and Conc.M in the norms of
    Brysbaert et al. 2014), it adds `abstract-to-concrete`. This is the number of words rated below the middle of the
    scale, divided by that of the others. `word-rating` is the mean rating, `rated-words` the share with a rating.

    With `--robustness`, one factor changes at a time, and all statistics are computed again. The factors are caption
    order, upper or lower case, tokenizer and number of references. These rows have a `factor`. `base` is the value
    before the change, `value` the one after it. `change` is value / base - 1 (empty if the base is 0). The tables show
    the largest change of any dataset, and how many pairs of datasets switch ranks (`flips`). Do not rank datasets by a
    statistic with flips.

    Limits: all statistics depend on length, on the tokenizer and on the number of captions; `--robustness` measures how
    much. It skips factors that cannot change a statistic. Varied captions are not always correct; the images are not
    used.

    Source: van Miltenburg, Elliott & Vossen 2018.

    Raises `UsageError` for settings out of range or an unknown statistic. It is also raised if the output of a system
    shares no image with the human captions.

    Examples: auditor diversity dai2017 liu2017 --against coco-train-words --eval coco-val ·
    auditor diversity dai2017 liu2017 --robustness
    """
    asked = Asked.of(statistics)
    declared = sources(config)
    settings, chosen = settled(store, refs, settings or DiversitySettings(), against, evaluation, split)
    every, known = captions_and_known(store, refs, against, evaluation, split, settings.resolved_tokenizer, progress)
    selections = selections_of(every)
    apart = apart_from_people(every, known.evaluation)
    rows, remarks = measured(every, settings, known, declared or {}, progress, asked)
    of_images = image_diversity(every, known.evaluation, apart, settings, progress, asked)
    frame = asked.rows_of(_as_rows(rows, *(part.frame for part in of_images)))
    outputs = [selection for selection in selections if selection.version.kind == "candidates"]
    systems = [selection.label for selection in outputs if selection != known.evaluation]
    pairs = correlated(labeled(selections, frame.filter(pl.col("position").is_null())), systems)
    shown = [*of_images, *([pairs] if pairs else [])]
    result = Result(
        "diversity",
        _as_rows(frame, pairs.frame) if pairs else frame,
        selections=tuple(dict.fromkeys((*selections, *filter(None, (known.training, known.evaluation))))),
        signatures=dict(frame.unique("statistic", keep="first", maintain_order=True)
                        .select("statistic", "signature").rows()),
        lead=tuple(lead(selections, rows)),
        quoted=tuple(
            Quoted(row["dataset"], SAMENESS, row["value"], row["low"], row["high"], CONFIDENCE)
            for row in labeled(selections, rows).filter(statistic=SAMENESS).drop_nulls("value").iter_rows(named=True)
        ),
        tables=(*tables(selections, rows, known, asked), *(_only(one, asked) for part in shown for one in part.tables)),
        figures=(*arranged(FIGURES, selections, rows), *(figure for part in shown for figure in part.figures)),
        notes=tuple(dict.fromkeys((*chosen, *notes_in(remarks), *notes(selections, rows, known, settings, asked),
                                   *(note for part in of_images for note in part.notes)))),
        findings=tuple(dict.fromkeys((*findings_in(remarks), *(one for part in of_images for one in part.findings)))),
    )  # fmt: skip
    further = [] if rated_words is None else [by_ratings(every, rated_words)]
    if robustness:
        moved = moved_by_settings(every, known, settings, declared or {}, progress)
        further.append(replace(moved, frame=asked.rows_of(moved.frame)))
    for part in further:
        result = replace(
            result,
            frame=pl.concat([result.frame, part.frame], how="diagonal_relaxed"),
            tables=(*result.tables, *part.tables),
            signatures={**result.signatures, **part.signatures},
            notes=tuple(dict.fromkeys((*result.notes, *part.notes))),
            findings=tuple(dict.fromkeys((*result.findings, *part.findings))),
        )
    return result


def _only(table: Table, asked: Asked) -> Table:
    """Drop the columns of statistics that were not selected."""
    names = [name for name in table.frame.columns if name not in STATISTICS or asked.any_of(name)]
    digits = tuple((name, number) for name, number in table.digits if name in names)
    return replace(table, frame=table.frame.select(names), digits=digits)


def _as_rows(*parts: pl.DataFrame) -> pl.DataFrame:
    rows = pl.concat([pl.DataFrame(schema=pl.Schema(ROWS)), *parts], how="diagonal_relaxed").cast(pl.Schema(ROWS))
    return statistics_within(rows, ends_of("diversity")).with_columns(pl.col("value", "low", "high").round(DECIMALS))


_FORM = "a column of words, and one of numbers"

#: The names that norms of concreteness give to their columns.
_WORD, _RATING = ("word", "words"), ("conc.m", "concreteness", "rating", "mean")


def by_ratings(every: Sequence[Captions], file: Path) -> Result:
    """Return the share of rated words, their mean rating, and those below the middle of the scale to the others."""
    words, middle = _read(file)
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:12]
    parts = []
    for captions in every:
        workspace = captions.workspace(middle=middle)
        workspace.bind_rows("rated_word", words)
        ratios = ratio(workspace.rows("rated_word_total"), {"rated-words"})
        rows = ratios.rename({"class": "statistic"}).sort("statistic")
        settings: dict[str, str | float] = {"tok": captions.tokenizer, "words": digest, "middle": middle}
        signed = [str(Signature(name, settings, 1)) for name in rows["statistic"]]
        numbered = rows.with_columns(pl.col("n").round().cast(pl.Int64), signature=pl.Series(signed, dtype=pl.String))
        parts.append(captions.stamp(numbered.with_columns(tokenizer=pl.lit(captions.tokenizer))))
    frame = pl.concat(parts)
    shown = labeled(selections_of(every), frame).sort("statistic", maintain_order=True)
    table = Table(
        f"words by their ratings in {file.name}",
        shown.select("dataset", "statistic", "value", "low", "high", "n"),
        sections="statistic",
        caption=f"abstract-to-concrete: words rated below {middle:g}, the middle of the scale, to the others; "
        "rated-words: share of the words that have a rating",
        name="rated-words",
    )
    signatures = dict(frame.select("statistic", "signature").iter_rows())
    return Result("diversity", frame, signatures=signatures, tables=(table,))


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
