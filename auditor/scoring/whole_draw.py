"""The n-grams of a whole draw of references: scores against its first 1, 2, … find them there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from auditor.store.captions import Captions
from auditor.store.ngrams import Bucket
from auditor.store.workspace import Workspace, is_read

_OCCURRENCE, _FREQUENCY = "growing_occurrence", "growing_frequency"

_drawn: ContextVar[Workspace | None] = ContextVar("drawn", default=None)


@contextmanager
def drawn_from(whole: Workspace | None) -> Iterator[None]:
    """Let counts within a block read the n-grams of a workspace that `gather` filled."""
    token = _drawn.set(whole)
    try:
        yield
    finally:
        _drawn.reset(token)


def gather(whole: Workspace, buckets: Sequence[Bucket]) -> None:
    """Find the n-grams of all drawn captions, whose candidates and tokens are bound."""
    for bucket in buckets:
        at_work = whole.given(first_image=bucket.first, last_image=bucket.last)
        for relation in (_OCCURRENCE, _FREQUENCY):
            at_work.append(relation)
        at_work.release(())


def bind_occurrences(workspace: Workspace, normalization: str | None, relations: Sequence[str]) -> None:
    """Bind the n-grams of one bucket of images to those of the whole draw, where words are as they were read."""
    whole = _drawn.get()
    if whole is None:
        return
    if normalization is not None:
        workspace.forget("ngram_occurrence")
    elif is_read("ngram_occurrence", relations):
        workspace.take(_OCCURRENCE, whole, _OCCURRENCE)
        workspace.bind("ngram_occurrence", "occurrence_so_far")


def bind_frequencies(captions: Captions, workspace: Workspace, relation: str) -> bool:
    """Bind a relation to the document frequencies of the captions drawn so far; return whether there is a draw."""
    whole, draw = _drawn.get(), captions.selection.draw
    if whole is None or draw is None:
        return False
    workspace.take(_FREQUENCY, whole, _FREQUENCY)
    workspace.bind(relation, "frequency_so_far", drawn=draw.captions)
    return True
