"""Captions without their adjectives, prepositional phrases or nouns, as a spaCy pipeline tags and parses them.

Tags are those of the Penn Treebank. A preposition heads its phrase, as in spaCy's English pipelines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import polars as pl

from auditor.text.spacy import pipelines


def _tagged(prefix: str) -> Callable[[Any], set[int]]:
    return lambda text: {token.i for token in text if token.tag_.startswith(prefix)}


def _prepositional(text: Any) -> set[int]:
    return {below.i for token in text if token.tag_ == "IN" for below in token.subtree}


#: What can be taken away: which tokens of a parsed text that is, by their places.
WORD_CLASSES: Mapping[str, Callable[[Any], set[int]]] = MappingProxyType(
    {"adjectives": _tagged("JJ"), "prepositional-phrases": _prepositional, "nouns": _tagged("NN")}
)


class Parser(pipelines.Pipeline):
    """A loaded pipeline that tags and parses."""

    def without(self, texts: pl.Series) -> pl.DataFrame:
        """Return each text with a space instead of every token of a class, in a column for each of `WORD_CLASSES`.

        Each text is parsed once, in order of spelling, so that no other text decides with which it is parsed.
        """
        distinct = texts.unique().sort()
        left = [
            [_blanked(parsed, places(parsed)) for places in WORD_CLASSES.values()] for parsed in self.parse(distinct)
        ]
        by_text = pl.DataFrame(left, schema=dict.fromkeys(WORD_CLASSES, pl.String), orient="row")
        position = texts.replace_strict(distinct, pl.int_range(len(distinct), eager=True), return_dtype=pl.UInt32)
        return by_text.select(pl.all().gather(position))


def pipeline(name: str | None) -> Parser:
    """Load a pipeline that tags and parses. Raises what `pipelines.pipeline` does."""
    loaded = pipelines.pipeline(name, ", ".join(WORD_CLASSES), parses=True)
    return Parser(**vars(loaded))


def _blanked(parsed: Any, places: set[int]) -> str:
    return "".join(" " if token.i in places else token.text_with_ws for token in parsed)
