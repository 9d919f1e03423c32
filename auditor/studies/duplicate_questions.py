"""What is put against what when duplicates are searched: sides, and questions asked of two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from auditor.model import Selection

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
        """Say whether all its captions are of splits that count as `role`."""
        return self.split == role


@dataclass(frozen=True)
class Question:
    """Which captions of a side stand again in `against`; `scope` says what the two are to each other."""

    number: int
    scope: str
    side: Side
    against: Side

    @property
    def is_leak(self) -> bool:
        """Say whether it asks what a test split has in common with what was trained on."""
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
    """Say what two sides are to each other; null where nobody asks."""
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
    """Give relations `side` and `question` as the engine reads them."""
    sides = {side.number: side for one in questions for side in (one.side, one.against)}
    asked = [(one.number, one.scope, one.side.number, one.against.number, one.side == one.against) for one in questions]
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
