"""What each image's captions say, and what those of a system say of it: the words that local measures count.

Content words are those of a tagger, or all that are no function words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from auditor.errors import UsageError
from auditor.metrics.candidates import HUMAN, CandidateSet, bind_candidates, output_of
from auditor.model import Progress, Selection
from auditor.registry import References
from auditor.store import cache, ngrams, tokens, versions
from auditor.store.workspace import Workspace
from auditor.studies.diversity.settings import DiversitySettings
from auditor.text import function_words, tokenizer_of
from auditor.text.spacy.content_words import PROFILE, Tagger, tagger

if TYPE_CHECKING:
    from auditor.store.connection import Store

#: Cardinal numbers, which taggers count among no content class.
_NUMERALS = (
    "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million"
)

_TAGGED = "tagged_content"

_TEXTS_AT_ONCE = 20_000


@dataclass(frozen=True)
class Content:
    """How content words are told: by `tagger`, or as whatever is not in `listed`, tokens of function words."""

    label: str
    listed: pl.DataFrame
    tagger: Tagger | None = None

    @property
    def file(self) -> str:
        """The SELECT that tells them."""
        return "content_word_by_list" if self.tagger is None else "content_word_by_tag"


def content_of(settings: DiversitySettings) -> Content:
    """Tell content words by a spaCy pipeline, by the user's list of function words, or by the English one and numerals.

    Raises `UsageError` for both at once, and for a pipeline beside a tokenizer whose words it does not tag.
    """
    tokenizer, words = settings.resolved_tokenizer, settings.function_words
    if settings.pipeline is None:
        listed = function_words.english() if words is None else function_words.of_file(words)
        spelled = listed.tokens(tokenizer_of(tokenizer))
        if words is not None:
            return Content(f"list:{listed.label}", spelled)
        numerals = pl.DataFrame({"word": _NUMERALS.split()})
        return Content(f"list:{listed.label}+numerals", pl.concat([spelled, numerals]).unique(maintain_order=True))
    if words is not None:
        raise UsageError("content words are told by a tagger or by a list of function words, not by both")
    if tokenizer != PROFILE:
        raise UsageError(f"--tokenizer {tokenizer}: a tagger tags the words of tokenizer {PROFILE}: name that one")
    loaded = tagger(settings.pipeline)
    return Content(f"tags:{loaded.label}", pl.DataFrame(schema={"word": pl.String}), loaded)


@dataclass(frozen=True)
class Pairing:
    """One system's captions put against the references of the same images; `refs` is the rule: all, or leave-one-out.

    `lacking` images of the references the system does not describe, `beyond` are described by it alone; `wordless` are
    captions of it without a word, `captions` all that were put against references.
    """

    system: Selection
    evaluation: Selection
    refs: References
    at_work: Workspace
    captions: int
    lacking: int
    beyond: int
    wordless: int


def pairings(
    store: Store,
    systems: Sequence[Selection],
    evaluation: Selection,
    content: Content,
    settings: DiversitySettings,
    progress: Progress,
) -> Iterator[Pairing]:
    """Put one system after another against the references; where both are the same captions, each is held out once.

    With `references`, against so many, drawn by the seed. Relations are those of one meeting at a time. Raises
    `UsageError` for a system that describes no image of the references.
    """
    profile = settings.resolved_tokenizer
    tokens.provide(store, [*systems, evaluation], profile, tokenizer_of(profile), progress)
    at_work, rule = None, ""
    for done, system in enumerate(systems):
        progress(f"{system.label}: words of images", done, len(systems))
        itself = _is_itself(system, evaluation)
        refs = References("loo" if itself else "all", settings.references, settings.seed)
        lacking, beyond = unshared(store, system, evaluation)
        if at_work is None or refs.rule != rule:
            rule = refs.rule
            alike = [one for one in systems if _is_itself(one, evaluation) == itself]
            at_work = ngrams.workspace(store, refs.of(evaluation), profile)
            bind_candidates(store, at_work, [_candidates(one, evaluation) for one in alike])
            bind_words(store, at_work, [*alike, evaluation], content, progress)
        bind_candidates(store, at_work, [_candidates(system, evaluation)])
        counted = at_work.query("select count(*), count(*) filter (where length = 0) from candidate")
        captions, wordless = counted.row(0)
        yield Pairing(system, evaluation, refs, at_work, captions, lacking, beyond, wordless)


def bind_words(
    store: Store, at_work: Workspace, selections: Sequence[Selection], content: Content, progress: Progress
) -> None:
    """Bind the words of all texts at work, which of them are content, and how many descriptions of an image hold them.

    The last of the selections is that of the references. Relations then stay what they are while candidates are bound,
    one set after another. Raises `UsageError` for a pipeline that splits texts into other words than the tokenizer.
    """
    at_work.bind("text_type", "text_type")
    at_work.bind_rows("function_word", content.listed)
    if content.tagger is not None:
        images = versions.images(store, selections[-1])["image"]
        tagged = pl.concat(_tagged(store, one, selections[-1], images, content.tagger, progress) for one in selections)
        tagged = tagged.unique("text")
        spelled = tagged.explode("words", empty_as_null=True).drop_nulls().rename({"words": "word"})
        at_work.bind_rows("tagged_word", spelled)
    at_work.bind("content_word", content.file)
    if content.tagger is not None:
        _require_same_words(at_work, content.tagger)
    at_work.bind("reference_word_importance", "reference_word_importance")


def _is_itself(system: Selection, evaluation: Selection) -> bool:
    """Say whether both are the same captions. Raises `UsageError` where some may be, and not all."""
    if system.version.dataset != evaluation.version.dataset:
        return False
    if (system.version.version, system.split) != (evaluation.version.version, evaluation.split):
        raise UsageError(
            f"{system.label} and {evaluation.label} are of one dataset: captions would meet themselves; name the same"
            " version and split, and each is held out"
        )
    return True


def _candidates(system: Selection, evaluation: Selection) -> CandidateSet:
    return HUMAN if _is_itself(system, evaluation) else output_of(system)


def unshared(store: Store, system: Selection, evaluation: Selection) -> tuple[int, int]:
    """Count the images of the evaluation data that the system does not describe, and those that it alone does.

    Raises `UsageError` where they share none, or where captions would meet themselves.
    """
    _is_itself(system, evaluation)
    described, answered = versions.images(store, evaluation)["image"], versions.images(store, system)["image"]
    lacking = int((~described.is_in(answered.implode())).sum())
    if lacking == len(described):
        ids = [repr(some[0]) if len(some) else "none" for some in (answered, described)]
        raise UsageError(
            f"{system.label} describes no image of {evaluation.label}: its ids look like {ids[0]},"
            f" those of {evaluation.label} like {ids[1]}"
        )
    return lacking, int((~answered.is_in(described.implode())).sum())


def _tagged(
    store: Store, selection: Selection, evaluation: Selection, images: pl.Series, by: Tagger, progress: Progress
) -> pl.DataFrame:
    """Give the content words of each text that a selection has of the images of `evaluation`. Columns: text, words.

    What was tagged before comes from the cache.
    """
    place = (evaluation.version.dataset, evaluation.version.version, evaluation.split)
    key = cache.key(selection, PROFILE, (), {"tagger": by.label, "tags": "JJ NN VB RB", "images of": place})
    kept = cache.get(store, {key: _TAGGED})
    if key in kept:
        return kept[key]
    texts = versions.content(store, selection).filter(pl.col("image").is_in(images.implode()))["text"].unique().sort()
    parts = []
    for first in range(0, max(len(texts), 1), _TEXTS_AT_ONCE):
        progress(f"{selection.label}: tagging", first, len(texts))
        parts.append(by.content_words(texts.slice(first, _TEXTS_AT_ONCE)))
    tagged = pl.concat(parts)
    cache.put(store, selection, _TAGGED, key, tagged)
    return tagged


def _require_same_words(at_work: Workspace, by: Tagger) -> None:
    """See to it that every word that was tagged in a text at work is a word of that text."""
    strayed = at_work.query(
        "with at_work as (select distinct caption_id from caption_type)"
        " select w.word, c.text from tagged_word as w join caption as c on c.text = w.text"
        " semi join at_work as a on a.caption_id = c.caption_id"
        " left join vocabulary as v on v.token = w.word"
        " anti join content_word as k on k.caption_id = c.caption_id and k.token_id = v.token_id"
        " order by c.text, w.word limit 1"
    )
    if strayed.height:
        word, text = strayed.row(0)
        raise UsageError(
            f"{by.label} splits texts otherwise than tokenizer {PROFILE}: {word!r} in {text!r}; use a pipeline with"
            " spaCy's own English tokeniser"
        )
