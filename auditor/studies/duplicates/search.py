"""Searching for duplicates: what the engine counts of some selections, kept in the cache from then on.

What is put against what when duplicates are searched: sides, and questions asked of two of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from auditor.errors import MetricError
from auditor.model import Progress, Selection
from auditor.store import kept, ngrams
from auditor.store.captions import Captions, selections_of
from auditor.store.connection import Store
from auditor.store.workspace import Workspace

#: The roles that a split must have for a leak: what is tested, and what was trained on.
TEST, TRAIN = "test", "train"


@dataclass(frozen=True)
class Side:
    """Captions that are searched as one: those of a selection, or of its splits with one role."""

    number: int
    selection_no: int
    selection: Selection
    role: str | None = None

    @property
    def split(self) -> str | None:
        """The split that rows name: the role, or the split that the selection is."""
        return self.role or self.selection.split

    @property
    def label(self) -> str:
        """What tables and messages call it."""
        return f"{self.selection.label}:{self.role}" if self.role else self.selection.label

    def plays(self, role: str) -> bool:
        """Return whether all its captions are of splits that count as `role`."""
        return self.split == role


@dataclass(frozen=True)
class Question:
    """Which captions of a side occur again in `against`; `scope` says what the two are to each other."""

    number: int
    scope: str
    side: Side
    against: Side

    @property
    def is_leak(self) -> bool:
        """Return whether it asks what a test split has in common with what was trained on."""
        return self.side.plays(TEST) and self.against.plays(TRAIN)


def sides_of(
    selections: Sequence[Selection], splits: Sequence[Sequence[str]], roles: Sequence[Mapping[str, str]]
) -> list[Side]:
    """Make a side of each selection, and one of each role that its splits have.

    `splits` and `roles` belong to the selections; a split without a role is its own. A selection that is a split is one
    side only.
    """
    made: list[Side] = []
    for number, (selection, held, role_of) in enumerate(zip(selections, splits, roles, strict=True)):
        made.append(Side(len(made), number, selection))
        if selection.split is None:
            for role in sorted({role_of.get(split, split) for split in held}):
                made.append(Side(len(made), number, selection, role))
    return made


def questions_of(sides: Sequence[Side]) -> list[Question]:
    """Ask of each selection: within its images, across them, across its splits, and across all other selections.

    The test split of one is also put against the training split of another.
    """
    asked: list[tuple[str, Side, Side]] = []
    for side in sides:
        if side.role is None:
            asked += [("within-image", side, side), ("across-images", side, side)]
    for side in sides:
        for other in sides:
            scope = _scope(side, other)
            if scope is not None:
                asked.append((scope, side, other))
    return [Question(number, *what) for number, what in enumerate(asked)]


def _scope(side: Side, other: Side) -> str | None:
    """Return what two sides are to each other; null where nobody asks."""
    if side.number == other.number:
        return None
    if side.selection_no == other.selection_no:
        return "across-splits" if side.role and other.role else None
    if (side.role or other.role) and not (side.plays(TEST) and other.plays(TRAIN)):
        return None
    a, b = side.selection.version, other.selection.version
    if a.dataset != b.dataset:
        return "across-datasets"
    return "across-splits" if a.version == b.version else "across-versions"


def frames(questions: Sequence[Question]) -> dict[str, pl.DataFrame]:
    """Return relations `side` and `question` as the engine reads them."""
    sides = {side.number: side for question in questions for side in (question.side, question.against)}
    asked = [
        (
            question.number,
            question.scope,
            question.side.number,
            question.against.number,
            question.side == question.against,
        )
        for question in questions
    ]
    return {
        "side": pl.DataFrame(
            [(number, side.selection_no, side.role) for number, side in sorted(sides.items())],
            schema={"side_no": pl.UInt32, "selection_no": pl.UInt32, "role": pl.String},
            orient="row",
        ),
        "question": pl.DataFrame(
            asked,
            schema={
                "question_no": pl.UInt32,
                "scope": pl.String,
                "side_no": pl.UInt32,
                "against_no": pl.UInt32,
                "apart": pl.Boolean,
            },
            orient="row",
        ),
    }


_PARTS = 1000

#: What a search may cost: texts that meet in rare words, some minutes' work, and pairs that are compared and kept.
_MOST_PREFIX_PAIRS = 1_000_000_000

_MOST_PAIRS = 20_000_000

#: Texts of more words are not looked for by pairs of words, of which there are as many as its square.
_MOST_PAIRED = 64

#: Slots whose pairs are counted: an image of more is no image with annotators.
_MOST_SLOTS = 100

#: What is counted, and the columns that order its rows: what the cache gives back has no order.
_COUNTED = {
    "duplicate_count": ("question_no", "position"),
    "duplicate_slot": ("question_no", "slot"),
    "slot_pair": ("question_no", "slot", "against_slot"),
    "shared_image": ("question_no",),
    "side_size": ("side_no",),
    "duplicate_pair": ("question_no", "match", "nth"),
}

#: What has slots that may be annotators: not the sentences of a document, not captions drawn for a judge.
_WITH_SLOTS = ("captions", "candidates")

_REPEATED = ("duplicate_elsewhere", "duplicate_within")


@dataclass(frozen=True)
class Search:
    """What is looked for: duplicates among selections, `near` from that share of words on, so many examples.

    `captions` are in the tokens of their facts: texts are equal here that are equal in `sql/facts/copy.sql` and
    `leak.sql`. `roles` says of each selection which splits count as another.
    """

    captions: Sequence[Captions]
    roles: Sequence[Mapping[str, str]]
    near: float
    examples: int

    @property
    def store(self) -> Store:
        """The store that holds all captions."""
        return self.captions[0].store

    @property
    def selections(self) -> tuple[Selection, ...]:
        """What captions are searched."""
        return selections_of(self.captions)

    @property
    def tokenizer(self) -> str:
        """The tokenizers of all selections, as a signature names them."""
        return ",".join(sorted({caption.tokenizer for caption in self.captions}))

    @property
    def thousandths(self) -> int:
        """The share as the engine compares it, in whole numbers."""
        return round(self.near * _PARTS)

    @property
    def shown(self) -> int:
        """How many examples are kept: one at least, since 0 asks the engine for all."""
        return max(1, self.examples)


@dataclass(frozen=True)
class DuplicateCounts:
    """What the engine found; columns are those of the SQL file of that name.

    `pairs` has at least one example of each kind.
    """

    questions: Sequence[Question]
    matches: pl.DataFrame
    slots: pl.DataFrame
    slot_pairs: pl.DataFrame
    images: pl.DataFrame
    sides: pl.DataFrame
    pairs: pl.DataFrame


def search_duplicates(search: Search, progress: Progress, *, every_pair: bool = False) -> DuplicateCounts:
    """Search, or take what an earlier search has kept. Tokens of the keys must be there.

    With `every_pair`, `pairs` has every caption that occurs again, not only the examples; these are not kept. Raises
    `MetricError` where too many captions are too alike.
    """
    keys = {relation: _key(search, relation) for relation in _COUNTED}
    held = kept.get(search.store, {key: relation for relation, key in keys.items()})
    counted = {
        relation: held[key].sort(order) for relation, order in _COUNTED.items() if (key := keys[relation]) in held
    }
    questions = questions_of(_sides(search))
    if len(counted) < len(_COUNTED) or every_pair:
        workspace = _bound(search, questions)
        _search(workspace, search, progress)
        for relation, order in _COUNTED.items():
            if relation not in counted:
                counted[relation] = workspace.rows(relation).sort(order)
                kept.put(search.store, search.selections[0], relation, keys[relation], counted[relation])
        if every_pair:
            workspace.params["examples"] = 0
            counted["duplicate_pair"] = workspace.rows("duplicate_pair")
    with_slots = [question.number for question in questions if question.side.selection.version.kind in _WITH_SLOTS]
    for relation in ("duplicate_slot", "slot_pair"):
        counted[relation] = counted[relation].filter(pl.col("question_no").is_in(with_slots))
    return DuplicateCounts(questions, *(counted[relation] for relation in _COUNTED))


def _key(search: Search, relation: str) -> str:
    """Hash what a count depends on: the selections in their order, what their splits count as, and the settings."""
    facts = {
        "near": search.thousandths,
        "examples": search.shown if relation == "duplicate_pair" else None,
        "slots": _MOST_SLOTS,
        "beside": [
            (selection.version.dataset, selection.version.version, selection.split) for selection in search.selections
        ],
        "roles": [sorted(role_of.items()) for role_of in search.roles],
        "keys": [caption.tokenizer for caption in search.captions],
    }
    return kept.key(search.selections[0], search.captions[0].tokenizer, ("searched_text", *_REPEATED, relation), facts)


def _sides(search: Search) -> list[Side]:
    splits = [
        search.store.rows("split", dataset=selection.version.dataset, seq=selection.version.seq)["split"].to_list()
        for selection in search.selections
    ]
    return sides_of(search.selections, splits, search.roles)


def _bound(search: Search, questions: Sequence[Question]) -> Workspace:
    """Bind the captions of all selections, the sides that they make, and what is asked of them."""
    workspace = Workspace(
        search.store, near=search.thousandths, most_paired=_MOST_PAIRED, most_slots=_MOST_SLOTS, examples=search.shown
    )
    for number, captions in enumerate(search.captions):
        selection, version, key = captions.selection, captions.selection.version, captions.tokenizer
        workspace.params |= {"dataset": version.dataset, "seq": version.seq, "split": selection.split}
        workspace.params |= {"selection_no": number, "key": key, "tokenizer": key}
        ngrams.bind_references(workspace, selection)
        workspace.append("searched_caption", "searched_text")
    counted_as = [(number, *pair) for number, role_of in enumerate(search.roles) for pair in role_of.items()]
    schema = {"selection_no": pl.UInt32, "split": pl.String, "role": pl.String}
    workspace.bind_rows("split_role", pl.DataFrame(counted_as, schema=schema, orient="row"))
    for relation, frame in frames(questions).items():
        workspace.bind_rows(relation, frame)
    return workspace


def _search(workspace: Workspace, search: Search, progress: Progress) -> None:
    """Bind relation `duplicate`, unless that would take more than anybody waits for."""
    for step, (relation, most) in enumerate(
        {"prefix_pair_count": _MOST_PREFIX_PAIRS, "similarity_candidate_count": _MOST_PAIRS}.items()
    ):
        progress("comparing captions", step, 3)
        pairs = workspace.rows(relation).item()
        if pairs > most:
            label = ", ".join(selection.label for selection in search.selections)
            raise MetricError(
                f"{label}: so many captions are alike that {pairs:,} pairs would have to be compared at"
                f" --near {search.near:g}; raise it, or name fewer datasets or splits"
            )
    progress("comparing captions", 2, 3)
    workspace.bind("duplicate", *_REPEATED)
