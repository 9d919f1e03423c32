"""Which words do systems miss that people use of an image, and which do they use that nobody does?

Van Miltenburg, Elliott & Vossen 2018, sections 3.4 (local ranking of omitted words) and 5.1 (local precision).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress, Selection, silent
from auditor.result import Result, Signature, Table
from auditor.store.connection import Store
from auditor.store.versions import resolve, resolve_all
from auditor.studies.diversity.content_words import content_of, pairings
from auditor.studies.diversity.per_image import shared_notes, unlike_images
from auditor.studies.diversity.settings import WordSettings, settled

_VERSION = 1

_SHOWN = 20

_MISSED = ("absolute", "relative", "relative-floor")


def missed_words(
    store: Store,
    *refs: str,
    evaluation: str,
    settings: WordSettings | None = None,
    number: int | None = None,
    importance: int = 5,
    floor: int = 10,
    split: str | None = None,
    progress: Progress = silent,
) -> Result:
    """List words that human captions of an image have and systems miss, for `auditor words --by image`."""
    if importance < 1 or floor < 1 or (number is not None and number < 1):
        raise UsageError(f"--number {number}, --importance {importance}, --minimum {floor}: expected 1 or more of each")
    chosen, said = settled(store, refs, settings or WordSettings(), None, evaluation, split)
    people, systems = resolve(store, evaluation), resolve_all(store, refs, split)
    content = content_of(chosen)
    met, missed, claimed = [], [], []
    for pairing in pairings(store, systems, people, content, chosen, progress):
        pairing.at_work.params["importance"] = importance
        met.append(pairing)
        missed.append(pairing.at_work.rows("recall_by_word").rename({"missed": "times", "recalled": "otherwise"}))
        claimed.append(
            pairing.at_work.rows("precision_by_word").select(
                "word", times=pl.col("generated") - pl.col("supported"), otherwise="supported"
            )
        )
    omitted, unsupported = _together(missed), _together(claimed)
    ranked = {
        "absolute": _ranked(omitted, "times"),
        "relative": _ranked(omitted, "value"),
        "relative-floor": _ranked(omitted.filter(pl.col("least") >= floor), "value"),
        "unsupported": _ranked(unsupported, "times"),
        "unsupported-relative": _ranked(unsupported, "value"),
        "unsupported-floor": _ranked(unsupported.filter(pl.col("least") >= floor), "value"),
    }
    lacking = f"{people.label}: no word is in {importance} captions of an image, so that none can be missed"
    rules = [*dict.fromkeys(pairing.refs.rule for pairing in met)]
    parameters = {
        "tok": chosen.resolved_tokenizer, **met[0].refs.parameters, "refs": "+".join(rules), "content": content.label,
        "importance": importance, "floor": floor, "eval": people.pinned_name,
    }  # fmt: skip
    signature = str(Signature("missed", parameters, _VERSION))
    return Result(
        "missed",
        _rows(people, {name: words.head(number or words.height) for name, words in ranked.items()}, signature),
        selections=(*systems, *(() if people in systems else (people,))),
        signatures={"missed": signature},
        tables=tuple(_tables(ranked, importance, floor, number or _SHOWN)),
        notes=(*said, *shared_notes(met), *([] if omitted.height else [lacking])),
        findings=tuple(unlike_images(met)),
    )


def _together(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Add the systems up. Columns: word, times, occurrences, value, least (of any system; 0 where one never had it)."""
    occurrences = pl.col("times") + pl.col("otherwise")
    return (
        pl.concat(parts)
        .group_by("word")
        .agg(
            pl.col("times").sum(),
            occurrences=occurrences.sum(),
            least=pl.when(pl.len() == len(parts)).then(occurrences.min()).otherwise(0),
        )
        .with_columns(value=pl.col("times") / pl.col("occurrences"))
    )


def _ranked(counted: pl.DataFrame, by: str) -> pl.DataFrame:
    """Rank words of which anything is to be told, the highest first."""
    return (
        counted.filter(pl.col("times") > 0)
        .sort(by, "occurrences", "word", descending=[True, True, False])
        .select(pl.int_range(1, pl.len() + 1).alias("rank"), "word", "times", "occurrences", "value")
    )


def _rows(people: Selection, ranked: Mapping[str, pl.DataFrame], signature: str) -> pl.DataFrame:
    return pl.concat(
        words.select(
            pl.lit(None, pl.String).alias("dataset"),
            pl.lit(None, pl.String).alias("version"),
            pl.lit("missed" if ranking in _MISSED else "unsupported").alias("statistic"),
            "value",
            pl.lit(ranking).alias("ranking"),
            "rank", "word", "times", "occurrences",
            pl.lit(people.version.dataset).alias("eval"),
            pl.lit(people.version.version).alias("eval_version"),
            pl.lit(people.split, pl.String).alias("eval_split"),
            pl.lit(signature).alias("signature"),
        )
        for ranking, words in ranked.items()
    )  # fmt: skip


def _tables(ranked: Mapping[str, pl.DataFrame], importance: int, floor: int, number: int) -> list[Table]:
    said = {
        f"words in {importance} captions of an image that systems miss": {
            "absolute": "most often", "relative": "in the largest share", "relative-floor": f"of {floor} or more",
        },
        "words of systems that no caption of the image has": {
            "unsupported": "most often", "unsupported-relative": "in the largest share",
            "unsupported-floor": f"of {floor} or more",
        },
    }  # fmt: skip
    return [
        Table(
            title,
            pl.concat([_column(ranked[name], shown, number) for name, shown in columns.items()], how="horizontal"),
            name="missed-words",
        )
        for title, columns in said.items()
    ]


def _column(words: pl.DataFrame, shown: str, number: int) -> pl.DataFrame:
    """List the first words of a ranking, each with how often it is so, of how many times."""
    told = pl.format("{} {}/{}", "word", "times", "occurrences").alias(shown)
    first = words.head(number).select(told)
    return pl.concat([first, pl.DataFrame({shown: [None] * (number - first.height)}, schema={shown: pl.String})])
