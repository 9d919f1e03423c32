"""spaCy's English pipelines, by the name of their package or by their folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from auditor.errors import MissingExtraError, UsageError

#: The pipeline that stands for none in particular.
PIPELINE = "en_core_web_sm"

#: The language whose tags are read.
LANGUAGE = "en"

_UNUSED = ("ner", "lemmatizer", "senter", "textcat")

_TEXTS_AT_ONCE = 1_000


@dataclass(frozen=True)
class Pipeline:
    """A loaded pipeline; `label` names it with its version and the hash of everything it holds."""

    label: str
    parse: Callable[[Iterable[str]], Iterable[Any]]


def pipeline(name: str | None, purpose: str, *, parses: bool) -> Pipeline:
    """Load a pipeline that tags, and, where `parses` is set, parses; `purpose` names in a message what needs it.

    Raises `MissingExtraError` where spaCy or the default pipeline is not installed, `UsageError` for a name that is no
    pipeline, and for one of another language, without tags or without a parser.
    """
    try:
        import spacy  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError(
            f"{purpose} need spaCy, which is not installed: pip install 'auditor[spacy]'"
        ) from error
    try:
        loaded = spacy.load(name or PIPELINE, exclude=(*_UNUSED, *(() if parses else ("parser",))))
    except (OSError, ValueError) as error:
        if name is None:
            raise MissingExtraError(
                f"{purpose} need a spaCy pipeline, and {PIPELINE} is not installed: "
                f"python -m spacy download {PIPELINE}, or name another with --pipeline"
            ) from error
        raise UsageError(
            f"{name}: no spaCy pipeline of this name and no folder of one; python -m spacy download {PIPELINE}"
        ) from error
    _require_tags(name or PIPELINE, loaded, parses)
    meta = loaded.meta
    held = hashlib.sha256(loaded.to_bytes()).hexdigest()[:12]
    label = f"{meta['lang']}_{meta['name']}-{meta['version']}@{held}"
    return Pipeline(label, lambda texts: loaded.pipe(texts, batch_size=_TEXTS_AT_ONCE))


def _require_tags(name: str, loaded: Any, parses: bool) -> None:
    if loaded.lang != LANGUAGE:
        raise UsageError(f"{name}: a pipeline of language {loaded.lang}; the tags that are read here are English")
    tried = loaded("a dog")
    for annotation, what in (("TAG", "tagger"), *((("DEP", "parser"),) if parses else ())):
        if not tried.has_annotation(annotation):
            raise UsageError(f"{name}: a pipeline without a {what}; {PIPELINE} has one")
