"""Search for duplicates: counts by the engine, stored in the cache.

A *side* is a set of captions. A *question* compares two sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from auditor.errors import MetricError
from auditor.model import Progress, Selection, silent
from auditor.store import kept
from auditor.store.captions import Captions, bind_references, selections_of
from auditor.store.connection import Store
from auditor.store.versions import params_of, splits
from auditor.store.workspace import Workspace

#: The roles of the two splits of a leak.
TEST, TRAIN = "test", "train"


@dataclass(frozen=True)
class Side:
    """A set of captions: those of a selection, or of its `splits` with one role."""

    number: int
    selection_no: int
    selection: Selection
    role: str | None = None
    splits: tuple[str, ...] | None = None

    @property
    def split(self) -> str | None:
        """The split in the rows: the role, or the split of the selection."""
        return self.role or self.selection.split

    @property
    def label(self) -> str:
        """The name in tables and messages."""
        return f"{self.selection.label}:{self.role}" if self.role else self.selection.label

    def plays(self, role: str) -> bool:
        """Return whether all its captions belong to splits with `role`."""
        return self.split == role


@dataclass(frozen=True)
class Question:
    """The search for captions of a side that also occur in `against`; `scope` is the relation of the two."""

    number: int
    scope: str
    side: Side
    against: Side

    @property
    def is_leak(self) -> bool:
        """Return whether it compares a test split with a train split."""
        return self.side.plays(TEST) and self.against.plays(TRAIN)

    @property
    def is_expectation(self) -> bool:
        """Return whether it compares a train split with itself, as chance for leaks. It is not a row of a result."""
        return self.side == self.against and self.side.role is not None

    @property
    def gives_chance(self) -> bool:
        """Return whether it states what is expected by chance: also a selection of one split, across its images."""
        return self.is_expectation or (self.scope == "across-images" and self.side.selection.split is not None)


def sides_of(
    selections: Sequence[Selection], splits: Sequence[Sequence[str]], roles: Sequence[Mapping[str, str]]
) -> list[Side]:
    """Return a side for each selection, and one for each role of its splits.

    `splits` and `roles` belong to the selections. A split without a role has its name as the role. A selection of one
    split is one side only.
    """
    made = list[Side]()
    for number, (selection, names, role_of) in enumerate(zip(selections, splits, roles, strict=True)):
        made.append(Side(len(made), number, selection))
        if selection.split is None:
            for role in sorted({role_of.get(split, split) for split in names}):
                playing = tuple(split for split in names if role_of.get(split, split) == role)
                made.append(Side(len(made), number, selection, role, playing))
    return made


def questions_of(sides: Sequence[Side]) -> list[Question]:
    """List the questions on each selection: within images, across images, across splits, across other selections.

    The test split of one selection is also compared with the train split of another.
    """
    whole = (side for side in sides if side.role is None)
    pairs = [(scope, side, side) for side in whole for scope in ("within-image", "across-images")]
    pairs += [(scope, side, against) for side in sides for against in sides if (scope := _scope(side, against))]
    pairs += [("across-images", side, side) for side in expectations_of(sides)]
    return [Question(number, *pair) for number, pair in enumerate(pairs)]


def expectations_of(sides: Sequence[Side]) -> list[Side]:
    """Return a side for each train split with a leak, to be compared with itself: what is expected by chance.

    If splits that are named otherwise play the role too (`restval`), only the one named `train` is compared.
    """
    tested = {side.selection_no for side in sides if side.role == TEST}
    made = list[Side]()
    for side in sides:
        if side.role == TRAIN and side.splits and side.selection_no in tested:
            one = TRAIN if TRAIN in side.splits else side.splits[0]
            made.append(replace(side, number=len(sides) + len(made), splits=(one,)))
    return made


def _scope(side: Side, against: Side) -> str | None:
    """Return the relation of two sides; null if they are not compared."""
    if side.number == against.number:
        return None
    if side.selection_no == against.selection_no:
        return "across-splits" if side.role and against.role else None
    if (side.role or against.role) and not (side.plays(TEST) and against.plays(TRAIN)):
        return None
    a, b = side.selection.version, against.selection.version
    if a.dataset != b.dataset:
        return "across-datasets"
    return "across-splits" if a.version == b.version else "across-versions"


def frames(questions: Sequence[Question]) -> dict[str, pl.DataFrame]:
    """Return the relations `side` and `question` for the engine."""
    sides = {side.number: side for question in questions for side in (question.side, question.against)}
    of_sides = [(number, side.selection_no, side.splits) for number, side in sorted(sides.items())]
    compared = [
        (one.number, one.scope, one.side.number, one.against.number, one.side == one.against) for one in questions
    ]
    numbers = ("question_no", "scope", "side_no", "against_no")
    kinds = pl.Schema({**dict.fromkeys(numbers, pl.UInt32()), "scope": pl.String(), "apart": pl.Boolean()})
    columns = pl.Schema({"side_no": pl.UInt32(), "selection_no": pl.UInt32(), "splits": pl.List(pl.String)})
    return {
        "side": pl.DataFrame(of_sides, schema=columns, orient="row"),
        "question": pl.DataFrame(compared, schema=kinds, orient="row"),
    }


#: Limits of a search: pairs of texts that share rare words (some minutes of work), and pairs that are compared.
_MOST_PREFIX_PAIRS = 1_000_000_000

_MOST_PAIRS = 20_000_000

#: The SELECTs that count pairs beforehand, and the most that a search compares.
_LIMITED = {"prefix_pair_count": _MOST_PREFIX_PAIRS, "similarity_candidate_count": _MOST_PAIRS}

#: Longer texts are not searched by pairs of words: the number of pairs grows with the square of the length. A word
#: that is in few texts is searched without a second one. Pairs of slots are counted up to a slot: images with more
#: captions have no annotators by slot.
LIMITS = {"most_paired": 192, "most_texts": 50, "most_slots": 100}

#: The relations that are counted, and the columns that order their rows: the cache keeps no order.
_COUNTED = {
    "duplicate_count": ("question_no", "position"),
    "duplicate_slot": ("question_no", "slot"),
    "slot_pair": ("question_no", "slot", "against_slot"),
    "shared_image": ("question_no",),
    "side_size": ("side_no",),
    "duplicate_pair": ("question_no", "match", "nth"),
}

#: Kinds of datasets whose slots may be annotators.
_WITH_SLOTS = ("captions", "candidates")

REPEATED = ("duplicate_elsewhere", "duplicate_within")


@dataclass(frozen=True)
class Search:
    """The settings of a search: the selections, the least share of common words (`near`), the number of examples.

    `captions` have the tokens of their facts, so equal texts are the same as in `sql/facts/copy.sql` and `leak.sql`.
    `roles` maps the splits of each selection to their roles.
    """

    captions: Sequence[Captions]
    roles: Sequence[Mapping[str, str]]
    near: float
    examples: int

    @property
    def store(self) -> Store:
        """The store of all captions."""
        return self.captions[0].store

    @property
    def selections(self) -> tuple[Selection, ...]:
        """The selections that are searched."""
        return selections_of(self.captions)

    @property
    def tokenizer(self) -> str:
        """The tokenizers of all selections, as in a signature."""
        return ",".join(sorted({caption.tokenizer for caption in self.captions}))

    @property
    def thousandths(self) -> int:
        """The share `near` in thousandths, which the engine compares as a whole number."""
        return round(self.near * 1000)

    @property
    def shown(self) -> int:
        """The number of examples that are kept: at least one, since 0 requests all."""
        return max(1, self.examples)


@dataclass(frozen=True)
class DuplicateCounts:
    """The counts of the engine. Each frame has the columns of its SQL file.

    `pairs` has at least one example of each kind. `expected` are the counts of train splits compared with themselves,
    by the number of their selection and the kind of match, each with the number of all captions.
    """

    questions: Sequence[Question]
    expected: Mapping[tuple[int, str], tuple[int, int]]
    matches: pl.DataFrame
    slots: pl.DataFrame
    slot_pairs: pl.DataFrame
    images: pl.DataFrame
    sides: pl.DataFrame
    pairs: pl.DataFrame


def search_duplicates(search: Search, progress: Progress, *, every_pair: bool = False) -> DuplicateCounts:
    """Search for duplicates, or read the counts of an earlier search. The captions must be tokenized.

    With `every_pair`, `pairs` has every caption with a duplicate, not only the examples; these are not cached. Raises
    `MetricError` if too many captions are too similar.
    """
    keys = {relation: _key(search, relation) for relation in _COUNTED}
    search.store.record(*_LIMITED)
    cached = kept.get(search.store, {key: relation for relation, key in keys.items()})
    counted = {name: cached[key].sort(_COUNTED[name]) for name, key in keys.items() if key in cached}
    named = [splits(search.store, selection.version) for selection in search.selections]
    questions = questions_of(sides_of(search.selections, named, search.roles))
    if len(counted) < len(_COUNTED) or every_pair:
        workspace = _bound(search, questions)
        _search(workspace, search, progress)
        for relation, order in _COUNTED.items():
            if relation not in counted:
                counted[relation] = workspace.rows(relation).sort(order)
                kept.put(search.store, search.selections[0], relation, keys[relation], counted[relation])
        if every_pair:
            counted["duplicate_pair"] = workspace.rows("duplicate_pair", examples=0)
    return counts_of(questions, counted)


def counts_of(questions: Sequence[Question], counted: Mapping[str, pl.DataFrame]) -> DuplicateCounts:
    """Separate the counts that answer questions of a result from those that state what is expected by chance."""
    asked = [question for question in questions if not question.is_expectation]
    matches = counted["duplicate_count"].select("question_no", "match", "captions", "of_captions")
    expected = {
        (questions[number].side.selection_no, match): (found, of)
        for number, match, found, of in matches.iter_rows()
        if questions[number].gives_chance
    }
    with_slots = [question for question in asked if question.side.selection.version.kind in _WITH_SLOTS]
    made = list[pl.DataFrame]()
    for relation, order in _COUNTED.items():
        shown = with_slots if relation in ("duplicate_slot", "slot_pair") else asked
        of_shown = pl.col("question_no").is_in([question.number for question in shown])
        made.append(counted[relation].filter(of_shown if "question_no" in order else True))
    return DuplicateCounts(asked, expected, *made)


def _key(search: Search, relation: str) -> str:
    """Hash the inputs of a count: the selections in their order, the roles of their splits, and the settings."""
    facts = {
        "near": search.thousandths,
        "examples": search.shown if relation == "duplicate_pair" else None,
        "slots": LIMITS["most_slots"],
        "beside": [(one.version.dataset, one.version.version, one.split) for one in search.selections],
        "roles": [sorted(role_of.items()) for role_of in search.roles],
        "keys": [caption.tokenizer for caption in search.captions],
        "expected": True,
    }
    relations = ("searched_text", *REPEATED, relation)
    return kept.key(search.store, search.selections[0], search.captions[0].tokenizer, relations, facts)


def _bound(search: Search, questions: Sequence[Question]) -> Workspace:
    """Bind the captions of all selections, their sides, and the questions."""
    workspace = Workspace(search.store, near=search.thousandths, examples=search.shown, **LIMITS)
    for number, captions in enumerate(search.captions):
        selection, key = captions.selection, captions.tokenizer
        searched = workspace.given(**params_of(selection), selection_no=number, key=key, tokenizer=key)
        bind_references(searched, selection)
        searched.append("searched_text")
    for relation, frame in frames(questions).items():
        workspace.bind_rows(relation, frame)
    return workspace


def _search(workspace: Workspace, search: Search, progress: Progress) -> None:
    """Bind relation `duplicate`. Raises `MetricError` if that would take too long."""
    if pairs := too_many(workspace, progress):
        label = ", ".join(selection.label for selection in search.selections)
        raise MetricError(
            f"{label}: too many similar captions: --near {search.near:g} would compare {pairs:,} pairs;"
            " increase --near, or select fewer datasets or splits"
        )
    progress("comparing captions", 2, 3)
    workspace.bind("duplicate", *REPEATED)


def too_many(workspace: Workspace, progress: Progress = silent) -> int:
    """Return the number of pairs that a search would compare if there are too many; otherwise 0."""
    for step, (relation, most) in enumerate(_LIMITED.items()):
        progress("comparing captions", step, 3)
        if (pairs := int(workspace.rows(relation).item())) > most:
            return pairs
    return 0
