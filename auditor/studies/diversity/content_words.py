"""What each image's captions say, and what those of a system say of it: the words that local measures count.

Content words are those of a tagger, or all that are no function words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress, Selection
from auditor.scoring.candidates import HUMAN, CandidateSet, bind_candidates, output_of
from auditor.scoring.registry import References
from auditor.store import ngrams, parses, versions
from auditor.store.captions import tokenize
from auditor.store.workspace import Workspace
from auditor.studies.diversity.settings import DiversitySettings
from auditor.text import function_words, tokenizer_of
from auditor.text.spacy.annotation import Annotator, annotator
from auditor.text.spacy.processes import annotated

if TYPE_CHECKING:
    from auditor.store.connection import Store

#: Cardinal numbers, which taggers count among no content class.
_NUMERALS = (
    "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million"
)

#: The tokenizer whose words a pipeline tags.
PROFILE = "spacy"


@dataclass(frozen=True)
class Content:
    """How content words are told: by tags of `tagger`, or as whatever is not in `listed`, tokens of function words."""

    label: str
    listed: pl.DataFrame
    tagger: Annotator | None = None

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
    loaded = annotator(settings.pipeline, "content words by tags")
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
    workspace: Workspace
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
    tokenizer = settings.resolved_tokenizer
    tokenize(store, [*systems, evaluation], tokenizer, progress)
    workspace, rule = None, ""
    for done, system in enumerate(systems):
        progress(f"{system.label}: words of images", done, len(systems))
        itself = _is_itself(system, evaluation)
        refs = References("loo" if itself else "all", settings.references, settings.seed)
        lacking, beyond = unshared(store, system, evaluation)
        if workspace is None or refs.rule != rule:
            rule = refs.rule
            alike = [selection for selection in systems if _is_itself(selection, evaluation) == itself]
            workspace = ngrams.workspace(store, refs.of(evaluation), tokenizer)
            bind_candidates(workspace, [_candidates(selection, evaluation) for selection in alike])
            bind_words(store, workspace, [*alike, evaluation], content, progress)
        bind_candidates(workspace, [_candidates(system, evaluation)])
        counted = workspace.query("select count(*), count(*) filter (where length = 0) from candidate")
        captions, wordless = counted.row(0)
        yield Pairing(system, evaluation, refs, workspace, captions, lacking, beyond, wordless)


def bind_words(
    store: Store, workspace: Workspace, selections: Sequence[Selection], content: Content, progress: Progress
) -> None:
    """Bind the words of all texts at work, which of them are content, and how many descriptions of an image hold them.

    The last of the selections is that of the references. Relations then stay what they are while candidates are bound,
    one set after another. Raises `UsageError` for a pipeline that splits texts into other words than the tokenizer.
    """
    workspace.bind("text_type", "text_type")
    workspace.bind_rows("function_word", content.listed)
    if content.tagger is not None:
        annotate = partial(annotated, content.tagger, None)
        parses.provide(store, selections, content.tagger.label, annotate, progress).bind(workspace)
        _require_same_words(workspace, content.tagger)
    workspace.bind("content_word", content.file)
    workspace.bind("reference_word_importance", "reference_word_importance")


def _is_itself(system: Selection, evaluation: Selection) -> bool:
    """Return whether both are the same captions. Raises `UsageError` where some may be, and not all."""
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


def _require_same_words(workspace: Workspace, by: Annotator) -> None:
    """See to it that every text at work has as many words of the tokenizer as the pipeline has tagged."""
    strayed = workspace.query(
        "select c.text, len(p.tags) as tagged, len(t.tokens) as words from parse as p"
        " join caption as c on c.caption_id = p.caption_id"
        f" join caption_tokens as t on t.caption_id = p.caption_id and t.tokenizer = '{PROFILE}'"
        " where len(p.tags) <> len(t.tokens) order by c.text limit 1"
    )
    if strayed.height:
        text, tagged, words = strayed.row(0)
        raise UsageError(
            f"{by.label} splits texts otherwise than tokenizer {PROFILE}: {text!r} into {tagged} words, not {words};"
            " use a pipeline with spaCy's own English tokenizer"
        )
