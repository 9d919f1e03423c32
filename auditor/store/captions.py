"""Selected captions: their version and split, tokenizer and sample. Unless one is named, their script chooses it.

A study selects once, by `select` or `select_all`. Everything else takes that object: the relations of a workspace,
images, texts, the columns that name a dataset in the rows of a result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress, Selection, silent
from auditor.steps import Steps
from auditor.store import kept, versions
from auditor.store.connection import Store
from auditor.store.tokens import tokenize
from auditor.store.versions import language, params_of, resolve
from auditor.store.workspace import Workspace
from auditor.text import AUTO

#: What relation `made_text` holds where no study makes texts.
NO_TEXT = pl.DataFrame(
    schema={
        "candidate": pl.String,
        "image": pl.String,
        "slot": pl.UInt32,
        "caption_id": pl.UInt32,
        "tokens": pl.List(pl.UInt32),
        "text": pl.String,
    }
)


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
        made = Workspace(self.store, tokenizer=self.tokenizer, **params | params_of(self.selection))
        bind_references(made, self.selection)
        made.bind("text_at_work", "reference_text")
        made.bind_rows("made_text", NO_TEXT)
        return made

    def facts(self, progress: Progress = silent) -> Workspace:
        """Open such a workspace, in which `sql/facts/` can be read too."""
        return self.workspace(key=in_tokens_of_facts(self.store, self.selection, progress).tokenizer)

    def annotated(self) -> Workspace:
        """Open a workspace over the captions as they were read, with their annotations in relation `annotated`."""
        return versions.annotated(self.store, self.selection, self.tokenizer)

    def images(self) -> pl.DataFrame:
        """Return the images, sorted, whatever is drawn of them. Columns: image, split, captions."""
        return versions.images(self.store, self.selection)

    def texts(self) -> pl.DataFrame:
        """Return the captions as they were read, in any order. Columns: image, slot, split, text, votes."""
        return versions.content(self.store, self.selection)

    def with_texts(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Add column text to a few captions, which have columns image and slot."""
        workspace = Workspace(self.store, **params_of(self.selection))
        workspace.bind_rows("chosen_caption", rows.select("image", "slot"))
        return rows.join(workspace.rows("chosen_text"), on=["image", "slot"], how="left", maintain_order="left")

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
    """Return captions in the tokens by which `sql/facts/` decides which are equal, and make these.

    The tokenizer is `bare`, or `char` for scripts without spaces, whatever tokenizer a command uses.
    """
    tokenizer, _ = chosen_tokenizer(store, [replace(selection, split=None)])
    return Captions(store, selection, tokenizer).tokenize(progress)


def selections_of(captions: Iterable[Captions]) -> tuple[Selection, ...]:
    """Return the selections of captions, for a result."""
    return tuple(selected.selection for selected in captions)


def bind_references(workspace: Workspace, selection: Selection) -> None:
    """Bind relation `reference` to the captions of a selection: all, some images, different texts, or a sample.

    The workspace must have the parameters of the selection.
    """
    if selection.images is not None:
        workspace.bind_rows("compared_image", pl.DataFrame({"image": selection.images}, schema={"image": pl.String}))
    asked = {"shared": selection.images, "distinct": selection.distinct, "drawn": selection.draw}
    steps = ["reference", *(f"{step}_reference" for step, what in asked.items() if what is not None)]
    for step in steps[:-1]:
        workspace.bind("every_reference", step)
    workspace.bind("reference", steps[-1])


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
    chosen, notes = chosen_tokenizer(store, [*selections, *beside], split, tokenizer)
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


_ENGLISH = "en"

_SCRIPT = "script_count"

_SPACED, _UNSPACED = "bare", "char"

#: Languages that are written without spaces between words, BCP 47.
_WITHOUT_SPACES = ("zh", "cmn", "yue", "ja", "th", "lo", "km", "my")


def chosen_tokenizer(
    store: Store, every: Sequence[Selection | str | None], split: str | None = None, named: str = AUTO
) -> tuple[str, list[str]]:
    """Return the named tokenizer, or else the one for the script of the captions, with a note if it is `char`.

    All datasets get the same tokenizer, so that their tokens are comparable: `char` if any of them is in a language or
    a script without spaces between words. References of `split` are resolved; one that names nothing is skipped here.
    """
    if named != AUTO:
        return named, []
    if not _may_be_unspaced(store):
        return _SPACED, []
    reasons: dict[str, str | None] = {}
    for ref in every:
        if ref is None:
            continue
        with suppress(UsageError):
            selection = resolve(store, ref, split) if isinstance(ref, str) else replace(ref, shows_version=False)
            reasons[selection.label] = _why_unspaced(store, selection)
    unspaced_ones = [f"{label} {why}" for label, why in reasons.items() if why]
    if not unspaced_ones:
        return _SPACED, []
    others = [label for label, why in reasons.items() if not why]
    same = f"; it is also used for {', '.join(others)}, to keep tokens comparable" if others else ""
    return _UNSPACED, [f"tokenizer char splits text into characters: {'; '.join(unspaced_ones)}{same}"]


def _may_be_unspaced(store: Store) -> bool:
    """Return whether a language or a word of the store is written without spaces, so that datasets must be checked."""
    spoken = store.known("select language from dataset")["language"]
    return bool(store.known_rows("unspaced_word").item()) or any(map(_is_unspaced, spoken))


def _is_unspaced(spoken: str) -> bool:
    return spoken.lower().partition("-")[0] in _WITHOUT_SPACES


def _why_unspaced(store: Store, selection: Selection) -> str | None:
    """Return why captions count as written without spaces between words; null if they do not."""
    with store.unnoted():  # what chooses the tokenizer is behind no number
        captions, _, without = script_counts(store, selection)
    if 2 * without < captions or not captions:
        spoken = language(store, selection.version.dataset)
        return f"is declared as {spoken}, written without spaces between words" if _is_unspaced(spoken) else None
    return f"has {without:,} of {captions:,} captions in scripts without spaces between words"


def why_not_english(store: Store, selection: Selection) -> str | None:
    """Return why captions are not English, by their letters or the declared language; null if they are."""
    captions, latin, _ = script_counts(store, selection)
    if 2 * latin < captions:
        return "not in Latin letters"
    spoken = language(store, selection.version.dataset)
    return None if spoken.lower().partition("-")[0] == _ENGLISH else f"declared as {spoken}"


def unspaced(store: Store, selection: Selection) -> str | None:
    """Return a note on the tokenizer for captions without spaces between words; null for other captions."""
    why = _why_unspaced(store, selection) if _may_be_unspaced(store) else None
    return (
        f"{selection.label} {why}: by default, studies use tokenizer char, which splits text into characters"
        if why
        else None
    )


def script_counts(store: Store, selection: Selection) -> tuple[int, int, int]:
    """Count captions with letters, with Latin letters and with unspaced scripts; the counts of a version are kept."""
    whole = Selection(selection.version)
    key = kept.key(store, whole, "", [_SCRIPT], {})
    rows = kept.get(store, {key: _SCRIPT}).get(key)
    if rows is None:
        rows = Workspace(store, **params_of(whole)).rows(_SCRIPT)
        kept.put(store, whole, _SCRIPT, key, rows)
    if selection.split is not None:
        rows = rows.filter(split=selection.split)
    captions, latin, without = rows.select(pl.col("captions", "latin", "unspaced").sum()).row(0)
    return captions, latin, without


def stepwise(every: Sequence[Captions], progress: Progress) -> Iterator[tuple[Captions, Progress]]:
    """Yield captions, each with the progress of its step."""
    steps = Steps(progress, [captions.label for captions in every])
    return ((captions, steps) for captions in steps.over(every))
