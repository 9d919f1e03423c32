"""The changes of captions that test which metric reacts: words replaced, removed or added.

Wang & Gaizauskas 2016, 4.1 and 6; Vedantam et al. 2015, section 8, for changes that game a metric.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import polars as pl

from auditor.errors import AuditorError, MissingExtraError, UsageError
from auditor.model import Progress
from auditor.scoring.candidates import CandidateSet
from auditor.store import kept, tokens
from auditor.store.captions import Captions
from auditor.store.versions import CONTENT, language
from auditor.text import function_words, tokenizer_of
from auditor.text.function_words import FunctionWords
from auditor.text.normalization import porter
from auditor.text.spacy import pipelines, word_classes
from auditor.text.spacy.word_classes import WORD_CLASSES, Parser

REFERENCE_WORDS = "reference-words"

#: All components, in the order of results.
COMPONENTS = (
    *(REFERENCE_WORDS, "order", "half", "function-words", "content-words", *WORD_CLASSES),
    *("repeated-word", "padding", "inflection"),
)

_BLANKED = "blanked_text"


@dataclass(frozen=True)
class Component:
    """One change: `candidates` are scored after it, `settings` are its part of the signature."""

    probe: Literal["perturbation", "ablation", "gaming"]
    candidates: CandidateSet
    settings: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name in column `component`."""
        return self.candidates.name


@dataclass
class Components:
    """Makes components from the options; reads lists and loads the pipeline once, when first needed.

    `words` are the numbers of changed words, `listed` a file of function words, `pipeline_name` a pipeline.
    """

    names: Sequence[str]
    words: Sequence[int]
    seed: int
    tokenizer: str
    listed: Path | None = None
    pipeline_name: str | None = None
    _blanked_texts: dict[str, pl.DataFrame] = field(default_factory=dict, init=False)

    @functools.cached_property
    def function_words(self) -> FunctionWords:
        """The named list, else the English one."""
        return function_words.of_file(self.listed) if self.listed else function_words.english()

    @property
    def _listed_as(self) -> Mapping[str, str]:
        """The list in a signature."""
        return {"list": self.function_words.label}

    @functools.cached_property
    def pipeline(self) -> Parser:
        """The named pipeline, else the default one."""
        return word_classes.pipeline(self.pipeline_name)

    def of(self, captions: Captions, progress: Progress) -> tuple[list[Component], dict[str, AuditorError]]:
        """Return the possible components of a selection, and the reason for each impossible one."""
        spoken = language(captions.store, captions.selection.version.dataset)
        refusals = {name: self._refusal(name, spoken) for name in self.names}
        reasons = {name: reason for name, reason in refusals.items() if reason}
        possible = [name for name in self.names if name not in reasons]
        return [one for name in possible for one in self._made(captions, name, progress)], reasons

    def _refusal(self, name: str, spoken: str) -> AuditorError | None:
        is_english = spoken.partition("-")[0] == pipelines.LANGUAGE
        foreign = f"the language is {spoken}, but"
        if name in ("function-words", "content-words") and not (self.listed or is_english):
            return UsageError(f"{foreign} the function words are English; set --function-words FILE")
        if name == "inflection" and not is_english:
            return UsageError(f"{foreign} the stemmer is for English")
        if name in WORD_CLASSES:
            if not is_english:
                return UsageError(f"{foreign} the tags are for English")
            try:
                _ = self.pipeline
            except MissingExtraError as error:
                if self.pipeline_name:
                    raise
                return error
        return None

    def _made(self, captions: Captions, name: str, progress: Progress) -> list[Component]:
        seeded = {"seed": self.seed}
        match name:
            case "reference-words":
                return [_perturbation(words, self.seed) for words in self.words]
            case "order":
                return [Component("ablation", _reworded(name, "shuffled_word", seeded), seeded)]
            case "half":
                return [Component("ablation", _reworded(name, "halved_word"))]
            case "function-words" | "content-words":
                stay = {"function_words": name == "content-words"}
                given = {"word_in_list": self.function_words.tokens(tokenizer_of(self.tokenizer))}
                candidates = _reworded(name, "filtered_word", stay, given)
                return [Component("ablation", candidates, self._listed_as)]
            case "repeated-word" | "padding":
                padded = {"padded": name == "padding"}
                return [Component("gaming", CandidateSet(name, "candidate_made", padded, makes="repeated_text"))]
            case "inflection":
                return [Component("gaming", self._inflected(captions, name), self._listed_as)]
        given = {"given_words": self._without(captions, name, progress)}
        candidates = _reworded(name, "given_word", {"word_class": name}, given)
        return [Component("ablation", candidates, {"pipeline": self.pipeline.label})]

    def _inflected(self, captions: Captions, name: str) -> CandidateSet:
        """Replace words by other forms with the same stem, except function words (`as` and `a` share a stem)."""
        spoken = captions.workspace()
        closed = self.function_words.tokens(tokenizer_of(self.tokenizer))["word"]
        words = spoken.rows("unigram_distribution")["token"].sort()
        words = words.filter(~words.str.to_lowercase().is_in(closed.implode()))
        stems = pl.DataFrame({"word": words, "stem": porter(words).list.first()})
        return _reworded(name, "inflected_word", given={"word_stem": stems})

    def _without(self, captions: Captions, name: str, progress: Progress) -> pl.DataFrame:
        """Return each caption as words of the tokenizer, without a class of words: image, slot, words.

        Adds missing words to the vocabulary: the rest of a text may have a word that no caption has.
        """
        blanked = self._blanked(captions, progress)
        left = blanked.select("image", "slot", words=tokenizer_of(self.tokenizer)(blanked[name]))
        tokens.spell(captions.store, left["words"].explode(empty_as_null=True).drop_nulls())
        return left

    def _blanked(self, captions: Captions, progress: Progress) -> pl.DataFrame:
        """Return each caption without each class of words, from the cache or parsed now."""
        store, selection = captions.store, captions.selection
        key = kept.key(store, selection, self.pipeline.label, CONTENT, {"word_classes": list(WORD_CLASSES)})
        if key not in self._blanked_texts:
            blanked = kept.get(store, {key: _BLANKED}).get(key)
            if blanked is None:
                progress(f"{selection.label}: parsing captions", 0, 1)
                texts = captions.texts()
                blanked = texts.select("image", "slot").hstack(self.pipeline.without(texts["text"]))
                kept.put(store, selection, _BLANKED, key, blanked)
            self._blanked_texts[key] = blanked.sort("image", "slot")
        return self._blanked_texts[key]


def _reworded(
    name: str, words: str, params: Mapping[str, Any] | None = None, given: Mapping[str, pl.DataFrame] | None = None
) -> CandidateSet:
    """Return captions with the words that a SELECT returns."""
    binds = {"changed_word": words}
    return CandidateSet(name, "candidate_made", params or {}, binds=binds, makes="worded_text", given=given or {})


def _perturbation(words: int, seed: int) -> Component:
    name, settings, changed = f"{REFERENCE_WORDS}-{words}", {"seed": seed, "words": words}, "changed_reference"
    candidates = CandidateSet(name, "candidate_beside_changed", settings, makes="changed_text", references=changed)
    return Component("perturbation", candidates, settings)
