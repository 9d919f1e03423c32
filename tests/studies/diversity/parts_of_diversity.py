"""The parts of `auditor diversity` that compare captions of one image, each measured alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auditor.model import silent
from auditor.result import Result
from auditor.store.captions import select_all
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.studies.diversity.content_words import content_of
from auditor.studies.diversity.per_image import local_words_met
from auditor.studies.diversity.settings import DiversitySettings, settled
from auditor.studies.diversity.within_image import METRICS, captions_of_images


def local_diversity(store: Store, *refs: str, evaluation: str, settings: DiversitySettings | None = None) -> Result:
    """Measure local recall and precision of systems against human captions of the same images."""
    chosen, notes = settled(store, refs, settings or DiversitySettings(), None, evaluation, None)
    systems = select_all(store, refs, tokenizer=chosen.resolved_tokenizer)
    human = systems[0].like(resolve(store, evaluation))
    result = local_words_met(systems, human, content_of(chosen), chosen, silent)
    return replace(result, notes=(*notes, *result.notes))


def within_image(
    store: Store, *refs: str, settings: DiversitySettings | None = None, metric_names: Sequence[str] = METRICS
) -> Result:
    """Measure mBLEU and the vocabulary of images."""
    chosen, notes = settled(store, refs, settings or DiversitySettings(), None, None, None)
    every = select_all(store, refs, tokenizer=chosen.resolved_tokenizer)
    result = captions_of_images(every, content_of(chosen), chosen, metric_names, silent)
    return replace(result, notes=(*notes, *result.notes))
