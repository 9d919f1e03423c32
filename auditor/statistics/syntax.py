"""The statistics of syntax: parts of speech, the composition of phrases, the complexity of sentences.

Each is the ratio of two totals over images. `sql/syntax/text_count.sql` has the names of the counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from auditor.ranges import Ends
from auditor.statistics.summary import ratio

_MILTENBURG = "van Miltenburg et al. 2018"

_TABLE = f"{_MILTENBURG}, section 4, table 3"

#: Parts of speech, as `sql/syntax/parsed_word.sql` derives them from tags.
CLASSES = (
    "noun", "verb", "adjective", "adverb", "determiner", "pronoun", "preposition", "numeral", "conjunction", "particle",
    "other",
)  # fmt: skip

#: The counted lengths of compounds and depths of prepositional phrases; the last includes all above it.
LENGTHS, DEPTHS = (2, 3, 4, 5), (1, 2, 3, 4, 5, 6)


#: The kinds of words that negate, each a list of `auditor.text.word_lists`.
NEGATIONS = ("determiner", "adverb", "preposition", "pronoun", "conjunction")


@dataclass(frozen=True)
class Types:
    """The number of different phrases of a kind of `sql/syntax/phrase_said.sql`, a mean over parallel lists."""

    kind: str
    definition: str
    parsed: bool


#: The phrases counted by types, by the names of statistics.
TYPES: Mapping[str, Types] = {
    "compound-types-2": Types("compound-2", "different compounds of two nouns", parsed=False),
    "prepositional-types-1": Types("pp-1", "different prepositional phrases of depth 1", parsed=True),
}


@dataclass(frozen=True)
class Statistic:
    """The card of a statistic of syntax.

    Its value is `scale` × count `part` / count `whole`. `group` is its table. `parsed` marks a statistic that needs
    heads, which some pipelines lack. `lowest` and `highest` are the ends of its range, infinite if it has none.
    """

    name: str
    part: str
    whole: str
    definition: str
    source: str
    group: str
    parsed: bool = False
    scale: float = 1.0
    lowest: float = 0.0
    highest: float = math.inf


def _by_number(name: str, counted: str, numbers: Sequence[int], what: str, *, parsed: bool) -> list[Statistic]:
    return [
        Statistic(
            f"{name}-{number}", f"{counted}-{number}", "caption",
            f"{what} {number}{' or more' if number == numbers[-1] else ''}, per caption",
            f"{_MILTENBURG}, figure 7", name, parsed,
        )
        for number in numbers
    ]  # fmt: skip


#: In the order in which results show them.
STATISTICS = (
    Statistic(
        "compound-ratio", "compound", "caption", "compounds, runs of two nouns or more (tags NN*), per caption",
        f"{_MILTENBURG}, section 4", "phrases",
    ),
    Statistic(
        "preposition-ratio", "tagged-preposition", "caption", "prepositions (tag IN) per caption: each heads a phrase",
        f"{_MILTENBURG}, section 4", "phrases",
    ),
    *_by_number("compounds", "compound", LENGTHS, "compounds of length", parsed=False),
    *_by_number("prepositional-depth", "pp", DEPTHS, "prepositional phrases of depth", parsed=True),
    *(
        Statistic(f"pos-{word_class}", word_class, "word", f"share of words that are of class {word_class}",
                  f"Ferraro et al. 2015, in {_MILTENBURG}, section 5.1", "parts-of-speech", highest=1.0)
        for word_class in CLASSES
    ),
    Statistic(
        "adjectives-per-noun", "adjective", "noun", "adjectives / nouns", "Penn tags JJ*, NN*", "modifiers",
    ),
    Statistic("adverbs-per-noun", "adverb", "noun", "adverbs / nouns", "Penn tags RB*, NN*", "modifiers"),
    Statistic("colors", "color", "caption", "basic color terms per caption", "Berlin & Kay 1969", "modifiers"),
    Statistic("numbers", "number", "caption", "cardinal numerals, with digits, per caption", "a list", "modifiers"),
    Statistic(
        "spatial-relations", "spatial", "caption", "prepositions of place and path per caption",
        "after Landau & Jackendoff 1993, table 1", "modifiers",
    ),
    Statistic(
        "negations", "negation", "caption", "words of negation per caption",
        "van Miltenburg, Morante & Elliott 2016", "rare",
    ),
    *(
        Statistic(f"negations-{name}", f"negation-{name}", "caption", f"negations by a {name} per caption",
                  "van Miltenburg, Morante & Elliott 2016, table 1, by the part of speech of the word", "rare")
        for name in NEGATIONS
    ),
    Statistic(
        "negated", "negated", "caption", "share of captions with a word of negation",
        "van Miltenburg, Morante & Elliott 2016", "rare", highest=1.0,
    ),
    Statistic(
        "possessives", "possessive", "caption", "possessives ('s, their) per caption: tags POS, PRP$, WP$",
        f"{_MILTENBURG}, section 3.3", "rare",
    ),
    Statistic(
        "contractions", "contraction", "caption", "contracted words (n't, 're) per caption",
        f"{_MILTENBURG}, section 3.3", "rare",
    ),
    Statistic(
        "dependency-distance", "distance", "dependency", "mean distance in words from a word to its head",
        "Liu 2008, section 2.2", "complexity", parsed=True,
    ),
    Statistic(
        "yngve", "yngve", "parsed-word", "mean over words of the branches to the right on the path from the root",
        f"Yngve 1960; {_MILTENBURG}, section 5.1", "complexity", parsed=True,
    ),
    Statistic(
        "frazier", "frazier-half", "parsed-word",
        "mean over words of the nodes that begin with the word, a sentence counting 1.5",
        f"Frazier 1985; {_MILTENBURG}, section 5.1", "complexity", parsed=True, scale=0.5,
    ),
    *(
        Statistic(f"opening-{word_class}", f"opening-{word_class}", "opened",
                  f"share of captions whose first word is of class {word_class}",
                  "as part-of-speech distribution, of first words", "openings", highest=1.0)
        for word_class in CLASSES
    ),
)  # fmt: skip


#: The ranges of all of them.
ENDS: Mapping[str, Ends] = {statistic.name: (statistic.lowest, statistic.highest) for statistic in STATISTICS}


def definitions() -> pl.DataFrame:
    """Return the counts of each statistic's ratio. Columns: class, side (part or whole), counted."""
    rows = [
        (statistic.name, side, counted)
        for statistic in STATISTICS
        for side, counted in (("part", statistic.part), ("whole", statistic.whole))
    ]
    return pl.DataFrame(rows, schema=["class", "side", "counted"], orient="row")


def explained() -> dict[str, tuple[str, str, bool]]:
    """Return the definition and source of every statistic of syntax, and whether it needs a parser."""
    return {
        **{statistic.name: (statistic.definition, statistic.source, statistic.parsed) for statistic in STATISTICS},
        **{
            name: (f"{word_type.definition}, a mean over parallel lists", _TABLE, word_type.parsed)
            for name, word_type in TYPES.items()
        },
    }


def measured(totals: pl.DataFrame, *, parsed: bool) -> pl.DataFrame:
    """Compute values from totals (rows of `sql/syntax/syntax_total.sql`), with intervals over images.

    Columns: statistic, value, low, high, count (its part), n (its whole), images, in the order of `STATISTICS`. Without
    a parser, the statistics that need one have no value.
    """
    scale = {statistic.name: statistic.scale for statistic in STATISTICS}
    known = pl.DataFrame(
        {
            "class": [statistic.name for statistic in STATISTICS],
            "known": [parsed or not statistic.parsed for statistic in STATISTICS],
        }
    )
    shares = {statistic.name for statistic in STATISTICS if statistic.highest == 1}
    values = ratio(totals, shares).join(totals.select("class", count="part"), on="class")
    scaled = known.join(values, on="class", how="left", maintain_order="left").with_columns(
        pl.col("value", "low", "high") * pl.col("class").replace_strict(scale, return_dtype=pl.Float64)
    )
    shown = ("value", "low", "high", "count", "n", "images")
    return scaled.select(
        pl.col("class").alias("statistic"), *(pl.when("known").then(pl.col(name)).alias(name) for name in shown)
    )
