"""The words in the captions of each image and in those of a system, which local statistics count.

Content words are tagged by a pipeline, or are all words that are not function words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress, Selection
from auditor.scoring.candidates import HUMAN, bind_candidates, output_of
from auditor.scoring.counting import LAST_IMAGE
from auditor.scoring.registry import References
from auditor.store import parses
from auditor.store.captions import Captions, selections_of
from auditor.store.matching import match
from auditor.store.tokens import tokenize
from auditor.store.workspace import Workspace
from auditor.studies.diversity.settings import DiversitySettings
from auditor.text import function_words, tokenizer_of
from auditor.text.spacy.annotation import Annotator, annotator
from auditor.text.spacy.processes import annotated

#: The tokenizer whose words a pipeline tags.
PROFILE = "spacy"


@dataclass(frozen=True)
class Content:
    """How content words are identified: by tags of `tagger`, or as tokens that are not in `listed` (function words)."""

    label: str
    listed: pl.DataFrame
    tagger: Annotator | None = None

    @property
    def file(self) -> str:
        """The SELECT that identifies them."""
        return "content_word_by_list" if self.tagger is None else "content_word_by_tag"


def content_of(settings: DiversitySettings) -> Content:
    """Choose a spaCy pipeline, the user's list of function words, or the English list and numerals.

    Raises `UsageError` for a pipeline with a list, and for a pipeline with a tokenizer whose words it does not tag.
    """
    tokenizer, words = settings.resolved_tokenizer, settings.function_words
    if settings.pipeline is None:
        listed = function_words.not_content() if words is None else function_words.of_file(words)
        return Content(f"list:{listed.label}", listed.tokens(tokenizer_of(tokenizer)))
    if words is not None:
        raise UsageError("--pipeline and --function-words both define content words; set only one")
    if tokenizer != PROFILE:
        why = f"--pipeline tags the words of tokenizer {PROFILE}; set --tokenizer {PROFILE}"
        raise UsageError(f"--tokenizer {tokenizer}: {why}")
    loaded = annotator(settings.pipeline, "content words by tags")
    return Content(f"tags:{loaded.label}", pl.DataFrame(schema={"word": pl.String}), loaded)


@dataclass(frozen=True)
class Pairing:
    """The captions of a system and the references of the same images; `refs` is the rule: all, or leave-one-out.

    `lacking` counts images of the references that the system does not describe, `beyond` images that only the system
    describes. `wordless` counts its captions without words, `captions` all captions that were compared.
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
    systems: Sequence[Captions], evaluation: Captions, content: Content, settings: DiversitySettings, progress: Progress
) -> Iterator[Pairing]:
    """Yield the comparison of each system with the references; the references themselves are scored leave-one-out.

    With `references`, that many are sampled with the seed. Relations belong to one comparison at a time. Raises
    `UsageError` for a system that describes no image of the references.
    """
    selections = [captions.selection for captions in (*systems, evaluation)]
    tokenize(evaluation.store, selections, evaluation.tokenizer, progress)
    people, workspace, rule = evaluation.selection, None, ""
    for done, system in enumerate(systems):
        progress(f"{system.label}: words of images", done, len(systems))
        itself = _is_itself(system.selection, people)
        refs = References("loo" if itself else "all", settings.references, settings.seed)
        lacking, beyond = unshared(system, evaluation)
        if workspace is None or refs.rule != rule:
            rule = refs.rule
            same_rule = [one for one in systems if _is_itself(one.selection, people) == itself]
            workspace = refs.select(evaluation).workspace()
            bind_candidates(workspace, [HUMAN if itself else output_of(one.selection) for one in same_rule])
            bind_words(workspace, [*same_rule, evaluation], content, progress)
        bind_candidates(workspace, [HUMAN if itself else output_of(system.selection)])
        counted = workspace.query("select count(*), count(*) filter (where length = 0) from candidate")
        captions, wordless = counted.row(0)
        yield Pairing(system.selection, people, refs, workspace, captions, lacking, beyond, wordless)


def bind_words(workspace: Workspace, every: Sequence[Captions], content: Content, progress: Progress) -> None:
    """Bind the words of all texts, which of them are content words, and how many captions of an image use them.

    The last captions are the references. The relations do not change while sets of candidates are bound. Raises
    `UsageError` for a pipeline that splits texts into other words than the tokenizer.
    """
    workspace.bind("text_type")
    workspace.bind_rows("word_in_list", content.listed)
    if content.tagger is not None:
        annotate = partial(annotated, content.tagger, None)
        told = parses.provide(every[0].store, selections_of(every), content.tagger.label, annotate, progress)
        told.bind(workspace)
        _require_same_words(workspace, content.tagger)
    workspace.bind("content_word", content.file)
    workspace.bind("reference_word_importance", first_image=0, last_image=LAST_IMAGE)


def _is_itself(system: Selection, evaluation: Selection) -> bool:
    """Return whether both are the same captions. Raises `UsageError` if only some may be the same."""
    if system.version.dataset != evaluation.version.dataset:
        return False
    if (system.version.version, system.split) != (evaluation.version.version, evaluation.split):
        raise UsageError(
            f"{system.label} and {evaluation.label} are of one dataset: captions could be compared with themselves; use"
            " the same version and split, so that each is held out"
        )
    return True


def unshared(system: Captions, evaluation: Captions) -> tuple[int, int]:
    """Count the images of the evaluation data that the system does not describe, and those that only it describes.

    Raises `UsageError` if they share no image, or captions could be compared with themselves.
    """
    _is_itself(system.selection, evaluation.selection)
    match(system.store, system.selection, evaluation.selection)
    described, answered = evaluation.images()["image"], system.images()["image"]
    lacking = int((~described.is_in(answered.implode())).sum())
    return lacking, int((~answered.is_in(described.implode())).sum())


def _require_same_words(workspace: Workspace, by: Annotator) -> None:
    """Raise `UsageError` if the pipeline has tagged another number of words than the tokenizer has found."""
    strayed = workspace.query(
        "select c.text, len(p.tags) as tagged, len(t.tokens) as words from parse as p"
        " join caption as c on c.caption_id = p.caption_id"
        f" join caption_tokens as t on t.caption_id = p.caption_id and t.tokenizer = '{PROFILE}'"
        " where len(p.tags) <> len(t.tokens) order by c.text limit 1"
    )
    if strayed.height:
        text, tagged, words = strayed.row(0)
        raise UsageError(
            f"{by.label} and tokenizer {PROFILE} split texts differently: {text!r} into {tagged} and {words} words;"
            " use a pipeline with spaCy's own English tokenizer"
        )
