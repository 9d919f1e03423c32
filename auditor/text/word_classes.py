"""Captions without their adjectives, prepositional phrases or nouns, as a spaCy pipeline tags and parses them.

Tags are those of the Penn Treebank. A preposition heads its phrase, as in spaCy's English pipelines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import polars as pl

from auditor.errors import MissingExtraError, UsageError

#: The pipeline that stands for none in particular.
PIPELINE = "en_core_web_sm"

#: The language whose tags are read.
LANGUAGE = "en"

_UNUSED = ("ner", "lemmatizer", "senter", "textcat")


def _tagged(prefix: str) -> Callable[[Any], set[int]]:
    return lambda text: {token.i for token in text if token.tag_.startswith(prefix)}


def _prepositional(text: Any) -> set[int]:
    return {below.i for token in text if token.tag_ == "IN" for below in token.subtree}


#: What can be taken away: which tokens of a parsed text that is, by their places.
WORD_CLASSES: Mapping[str, Callable[[Any], set[int]]] = MappingProxyType(
    {"adjectives": _tagged("JJ"), "prepositional-phrases": _prepositional, "nouns": _tagged("NN")}
)


@dataclass(frozen=True)
class Pipeline:
    """A loaded pipeline; `label` names it with its version and the hash of everything it holds."""

    label: str
    parse: Callable[[Iterable[str]], Iterable[Any]]

    def without(self, texts: pl.Series) -> pl.DataFrame:
        """Give each text with a blank in place of every token of a class, in a column for each of `WORD_CLASSES`.

        Each text is parsed once, in order of spelling, so that no other text decides with which it is parsed.
        """
        distinct = texts.unique().sort()
        left = [
            [_blanked(parsed, places(parsed)) for places in WORD_CLASSES.values()] for parsed in self.parse(distinct)
        ]
        by_text = pl.DataFrame(left, schema=dict.fromkeys(WORD_CLASSES, pl.String), orient="row")
        place = texts.replace_strict(distinct, pl.int_range(len(distinct), eager=True), return_dtype=pl.UInt32)
        return by_text.select(pl.all().gather(place))


def pipeline(name: str | None) -> Pipeline:
    """Load a pipeline by the name of its package or by its folder.

    Raises `MissingExtraError` where spaCy or the default pipeline is not installed, `UsageError` for a name that is no
    pipeline, and for one of another language, without tags or without a parser.
    """
    try:
        import spacy  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError(
            f"{', '.join(WORD_CLASSES)} need spaCy, which is not installed: pip install 'auditor[spacy]'"
        ) from error
    try:
        loaded = spacy.load(name or PIPELINE, exclude=_UNUSED)
    except (OSError, ValueError) as error:
        if name is None:
            raise MissingExtraError(
                f"{', '.join(WORD_CLASSES)} need a spaCy pipeline, and {PIPELINE} is not installed: "
                f"python -m spacy download {PIPELINE}, or name another with --pipeline"
            ) from error
        raise UsageError(
            f"{name}: no spaCy pipeline of this name and no folder of one; python -m spacy download {PIPELINE}"
        ) from error
    _require_tags(name or PIPELINE, loaded)
    meta = loaded.meta
    held = hashlib.sha256(loaded.to_bytes()).hexdigest()[:12]
    return Pipeline(f"{meta['lang']}_{meta['name']}-{meta['version']}@{held}", loaded.pipe)


def _require_tags(name: str, loaded: Any) -> None:
    if loaded.lang != LANGUAGE:
        raise UsageError(f"{name}: a pipeline of language {loaded.lang}; the tags that are read here are English")
    tried = loaded("a dog")
    for annotation, what in (("TAG", "tagger"), ("DEP", "parser")):
        if not tried.has_annotation(annotation):
            raise UsageError(f"{name}: a pipeline without a {what}; {PIPELINE} has one")


def _blanked(parsed: Any, places: set[int]) -> str:
    return "".join(" " if token.i in places else token.text_with_ws for token in parsed)
