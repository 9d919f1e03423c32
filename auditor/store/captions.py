"""Selected captions: their version and split, tokenizer and sample.

A study selects once, by `select` or `select_all`. Everything else takes that object: the relations of a workspace,
images, texts, the columns that name a dataset in the rows of a result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import polars as pl

from auditor.model import Progress, Selection, silent
from auditor.store import ngrams, tokens, versions
from auditor.store.connection import Store
from auditor.store.scripts import chosen_tokenizer, fact_tokenizer
from auditor.store.workspace import Workspace
from auditor.text import AUTO, tokenizer_of


@dataclass(frozen=True)
class Captions:
    """Captions of one version, with their `selection` and `tokenizer`.

    `notes` explain an automatic choice of a tokenizer other than the usual one.
    """

    store: Store
    selection: Selection
    tokenizer: str
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name in tables and messages: dataset and split, with the version if two would be the same."""
        return self.selection.label

    def like(self, selection: Selection) -> Captions:
        """Return captions of another selection, or draw, in the same tokens."""
        return replace(self, selection=selection)

    def tokenize(self, progress: Progress = silent) -> Captions:
        """Make the tokens that the store lacks, and return the same captions."""
        tokenize(self.store, [self.selection], self.tokenizer, progress)
        return self

    def workspace(self, **params: object) -> Workspace:
        """Open a workspace whose relation `reference` holds these captions. Their tokens must be there."""
        return ngrams.workspace(self.store, self.selection, self.tokenizer, **params)

    def facts(self, progress: Progress = silent) -> Workspace:
        """Open such a workspace, in which `sql/facts/` can be read too."""
        return self.workspace(key=fact_tokenizer(self.store, self.selection, progress))

    def images(self) -> pl.DataFrame:
        """Return the images, sorted, whatever is drawn of them. Columns: image, split, captions."""
        return versions.images(self.store, self.selection)

    def texts(self) -> pl.DataFrame:
        """Return the captions as they were read, in any order. Columns: image, slot, split, text, votes."""
        return versions.content(self.store, self.selection)

    def stamp(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a frame with the columns dataset, version and split in front."""
        return stamp(self.selection, frame)


def stamp(
    selection: Selection, frame: pl.DataFrame, columns: Sequence[str] = ("dataset", "version", "split")
) -> pl.DataFrame:
    """Return a frame with the dataset, version and split of a selection in front, in `columns`.

    A column that the frame has already stays as it is, and goes to the front.
    """
    values = (selection.version.dataset, selection.version.version, selection.split)
    return frame.select(
        *(
            pl.col(name) if name in frame.columns else pl.lit(value, pl.String).alias(name)
            for name, value in zip(columns, values, strict=True)
        ),
        pl.exclude(columns),
    )


#: The columns that name the human captions which a row was measured against.
EVALUATION = ("eval", "eval_version", "eval_split")


def in_tokens_of_facts(store: Store, selection: Selection, progress: Progress = silent) -> Captions:
    """Return captions in the tokens by which `sql/facts/` compares them, and make these."""
    return Captions(store, selection, fact_tokenizer(store, selection, progress))


def selections_of(captions: Iterable[Captions]) -> tuple[Selection, ...]:
    """Return the selections of captions, for a result."""
    return tuple(selected.selection for selected in captions)


def tokenize(store: Store, selections: Sequence[Selection], tokenizer: str, progress: Progress = silent) -> None:
    """Make the tokens of selections that the store lacks."""
    tokens.provide(store, selections, tokenizer, tokenizer_of(tokenizer), progress)


def select_all(
    store: Store,
    refs: Sequence[str],
    split: str | None = None,
    tokenizer: str = AUTO,
    *,
    beside: Sequence[str | None] = (),
    progress: Progress = silent,
) -> list[Captions]:
    """Resolve references, choose a tokenizer if none is named, and make the missing tokens.

    All of them get the same tokenizer, and so do those `beside`, which are not resolved here. If two references name
    the same dataset and split, their labels show the version. Raises `UsageError` for a reference that names nothing,
    and for two that name the same captions.
    """
    selections = versions.resolve_all(store, refs, split)
    chosen, notes = chosen_tokenizer(store, [*refs, *beside], split, tokenizer)
    tokenize(store, selections, chosen, progress)
    return [Captions(store, selection, chosen, tuple(notes)) for selection in selections]


def select(
    store: Store,
    ref: str,
    split: str | None = None,
    tokenizer: str = AUTO,
    *,
    beside: Sequence[str | None] = (),
    progress: Progress = silent,
) -> Captions:
    """Select the captions of one reference, as `select_all` does."""
    (captions,) = select_all(store, [ref], split, tokenizer, beside=beside, progress=progress)
    return captions
