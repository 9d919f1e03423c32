"""Content words by a spaCy pipeline's tagger: adjectives, nouns, verbs and adverbs (Penn tags JJ*, NN*, VB*, RB*).

So van Miltenburg, Elliott & Vossen 2018, section 3.2. Words are those of text profile `spacy`: lower case, no blanks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import polars as pl

from auditor.errors import MissingExtraError, UsageError

#: The text profile whose words are tagged.
PROFILE = "spacy"

_CONTENT = ("JJ", "NN", "VB", "RB")
_UNUSED = ("parser", "ner", "lemmatizer", "senter", "textcat")
_TEXTS_AT_ONCE = 1_000


@dataclass(frozen=True)
class Tagger:
    """A loaded pipeline; `label` names it with its version and the hash of everything it holds."""

    label: str
    parse: Callable[[Iterable[str]], Iterable[Any]]

    def content_words(self, texts: pl.Series) -> pl.DataFrame:
        """Tag each distinct text, in order of spelling; `text` and `words`, a list of its content words, each once."""
        distinct = texts.unique().sort()
        words = [
            sorted({token.lower_ for token in parsed if token.tag_.startswith(_CONTENT) and not token.is_space})
            for parsed in self.parse(distinct)
        ]
        return pl.DataFrame({"text": distinct, "words": pl.Series(words, dtype=pl.List(pl.String))})


def tagger(name: str) -> Tagger:
    """Load a pipeline by the name of its package or by its folder.

    Raises `MissingExtraError` where spaCy is not installed, `UsageError` for a name that is no pipeline and for one
    without English tags.
    """
    try:
        import spacy  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError(
            "content words by tags need spaCy, which is not installed: pip install 'auditor[spacy]'"
        ) from error
    try:
        loaded = spacy.load(name, exclude=_UNUSED)
    except (OSError, ValueError) as error:
        raise UsageError(f"{name}: no spaCy pipeline of this name and no folder of one") from error
    if loaded.lang != "en" or not loaded("a dog").has_annotation("TAG"):
        raise UsageError(f"{name}: a pipeline without English part-of-speech tags; leave it out for the list of words")
    meta = loaded.meta
    held = hashlib.sha256(loaded.to_bytes()).hexdigest()[:12]
    label = f"{meta['lang']}_{meta['name']}-{meta['version']}@{held}"
    return Tagger(label, lambda texts: loaded.pipe(texts, batch_size=_TEXTS_AT_ONCE))
