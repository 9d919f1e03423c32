"""List words that A uses more, less or never, next to B."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor import parameters as p
from auditor.arrays import scipy
from auditor.asking import forms, question
from auditor.errors import MetricError
from auditor.model import Progress, silent
from auditor.result import Finding, Result, Signature, Table, about, listed
from auditor.result.views import EMPTY, View, filled
from auditor.statistics.significance import SMALLEST_P
from auditor.store.captions import Captions, select_all, selections_of, stamp
from auditor.store.connection import Store
from auditor.store.workspace import Workspace
from auditor.studies.words.lacking import Against, ByCorpus, Minimum, Words, missed_words, omitted_words
from auditor.text import AUTO

_VERSION = 1


@question
def keyness(
    store: Store,
    ref: p.Refs,
    *,
    against: Against,
    by: ByCorpus = "corpus",
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    minimum: Minimum = 5,
    words: Words = (),
    progress: Progress = silent,
) -> Result:
    """Compare the words of two datasets, for `auditor words`.

    Rows: dataset, against, word, occurrences, expected, log_likelihood, log_ratio, p, direction (over, under, even).
    They contain words that occur at least `minimum` times in both datasets together, and all of `words`. Raises
    `MetricError` for a dataset without a token.
    """
    sides = select_all(store, [ref, against], split, tokenizer, progress=progress)
    watched = list(dict.fromkeys(word.lower() for word in words))
    both = Workspace(store, minimum=1 if watched else minimum)
    for side, captions in zip("ab", sides, strict=True):
        both.append("token_of_side", "token_count", of=captions.workspace(), side=side)
        if both.query(f"select 1 from token_of_side where side = '{side}' limit 1").is_empty():
            raise MetricError(f"{captions.label}: no caption has a token, so its words cannot be compared")
    counted = both.rows("keyness")
    often = pl.col("occurrences") + pl.col("occurrences_b") >= minimum
    frame = _rows(sides, counted.filter(often | pl.col("word").is_in(watched)))
    unseen = ", ".join(word for word in watched if word not in set(frame["word"]))
    a, b = (side.label for side in sides)
    ordered = frame.sort(pl.col("log_likelihood").abs(), descending=True, maintain_order=True)
    over, under = (listed(ordered.filter(direction=way)["word"], 4) for way in ("over", "under"))
    chosen, least = sides[0].tokenizer, f"{0.05 / max(frame.height, 1):.1g}"
    signature = Signature("keyness", {"tok": chosen, "minimum": minimum, "zero": 0.5}, _VERSION)
    absent = [f"these words are in neither dataset (tokenizer {chosen}): {unseen}"] if unseen else []
    single = f"p is for a single word, but {frame.height:,} were compared. To correct for this (Bonferroni), require p"
    return Result(
        "words",
        frame,
        selections=selections_of(sides),
        signatures={"keyness": str(signature)},
        tables=tuple(filled(_views(a, b, watched), frame)),
        notes=(*sides[0].notes, *absent, f"{single} below {least}"),
        findings=tuple(_images(sides)),
        lead=(f"{a} uses {over or 'no word'} more than {b}, and {under or 'none'} less.",),
    )


def _rows(sides: Sequence[Captions], counted: pl.DataFrame) -> pl.DataFrame:
    a, b = sides
    likelihood = counted["log_likelihood"].abs().to_numpy()
    rows = counted.select(
        pl.lit(b.selection.version.dataset).alias("against"),
        "word", "occurrences", "expected", "log_likelihood", "log_ratio",
        pl.Series("p", scipy.special.chdtrc(1, likelihood), dtype=pl.Float64).clip(lower_bound=SMALLEST_P),
        pl.when(pl.col("log_likelihood") > 0).then(pl.lit("over"))
        .when(pl.col("log_likelihood") < 0).then(pl.lit("under"))
        .otherwise(pl.lit("even")).alias("direction"),
        "occurrences_b", "tokens", "tokens_b",
        ratio=(pl.col("occurrences") / pl.col("tokens")) / (pl.col("occurrences_b") / pl.col("tokens_b")),
    ).with_columns(pl.when(pl.col("ratio").is_finite()).then("ratio").alias("ratio"))  # fmt: skip
    versions = ("version", "split", "against_version", "against_split")
    named = a.stamp(stamp(b.selection, rows, ("against", *versions[2:])))
    return named.select("dataset", "against", pl.exclude("dataset", "against", *versions), *versions)


def _views(a: str, b: str, watched: Sequence[str]) -> list[View[Table]]:
    chosen = (
        ("over", f"words that {a} uses more than {b}", pl.col("direction") == "over"),
        ("under", f"words that {a} uses less than {b}", pl.col("direction") == "under"),
        ("watched", "watched words", pl.col("word").is_in(watched)),
    )
    columns = ("word", "occurrences", "expected", "log_likelihood", "log_ratio")
    rest = "more words: -o FILE writes all"
    return [View(Table(title, EMPTY, name=name), which, columns, top=20, rest=rest) for name, title, which in chosen]


def _images(sides: Sequence[Captions]) -> list[Finding]:
    """Return a finding if the two datasets describe different images, whose content also changes the words."""
    a, b = (side.images()["image"] for side in sides)
    shared = int(a.is_in(b.implode()).sum())
    if shared == len(a) == len(b):
        return []
    sentence = (
        f"{sides[0].label} describes {len(a):,} images, {sides[1].label} {len(b):,}, and both share {shared:,}. Part of"
        " the differences in words comes from the content of other images"
    )
    where = about(sides[0].selection, against=sides[1].label)
    return [Finding("images-not-shared", sentence, where, {"images": len(a) - shared}, len(a), "notice")]


@forms(keyness, omitted_words, missed_words, names=("--by corpus", "--by training", "--by image"))
def words() -> None:
    """List words that A uses more, less or never, next to B.

    By corpus: the log-likelihood is G2 = 2 Σ observed ln(observed / expected), with the sign of observed - expected.
    The expected frequency in A is that in both datasets together. The log ratio is log2 of the relative frequency in A
    divided by that in B. A word that one dataset lacks counts there as half an occurrence.

    By training: a word is learnable if both the training data (B) and human captions (`--eval`) contain it. Punctuation
    does not count. Only images that both the system and the human captions describe count, unless `--all-images`. Ties
    are sorted by word.

    By image: all systems are counted together, and only content words. For words in at least `--importance` captions of
    an image, there are three rankings:

    - `absolute`: by the number of times they are missed;
    - `relative`: by missed / (missed + recalled);
    - `relative-floor`: the same, for words that each system could recall at least `--minimum` times.

    For words that systems use, there are three more:

    - `unsupported`: by the number of times no human caption of the image has them;
    - `unsupported-relative`: by the share of such uses;
    - `unsupported-floor`: the same, for words that each system uses at least `--minimum` times.

    Ties are sorted by frequency, then by spelling.

    How to read it: by corpus, the words with the clearest difference come first. `direction` is over if A uses the word
    more than B. The log-likelihood is the evidence for a difference, the log ratio its size: 1 is twice as often, 3 is
    eight times. By training, a row is a learnable word that the system never uses. `rank` is by its frequency in the
    training data (`trained`), `evaluated_rank` by that in human captions (`evaluated`). Rows without `dataset` are
    words that no system uses. By image, a row is a word. It was missed (or made up) `times` of `occurrences`.

    Limits: by corpus, `p` is for a single word, but thousands are compared. Words occur in clusters, so a few captions
    on one topic can make a word look significant. With large datasets almost every word is significant, so read the log
    ratio. By training and by image, a word may be missing because the system uses a synonym. A correct word that no
    annotator used counts as made up. Inflected forms are separate words.

    Source: Rayson & Garside 2000; Dunning 1993; Hardie 2014. By training and by image: van Miltenburg, Elliott & Vossen
    2018, sections 3.3, 3.4 and 5.1. The authors' program requires more than 10 occurrences per system on average, and
    sorts ties in reverse.

    Raises `MetricError` for a dataset without a token, `UsageError` for an unknown dataset or an option of another
    comparison.

    Examples: auditor words shetty2017 --against coco-val -t ptb ·
    auditor words dai2017 --against coco-train-words --eval coco-val --by training ·
    auditor words dai2017 liu2017 --against coco-val --by image
    """
