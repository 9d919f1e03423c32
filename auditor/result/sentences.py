"""Sentences for readers, each with its role. Front ends place a sentence by its role, never by its words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol, Self

#: What a sentence is for: the answer to the question and what follows from it, or (the last three) how numbers were
#: computed, what was left out and what a baseline knows.
Role = Literal[
    "answer", "amount", "why", "homogeneity", "significance", "agreement", "wrong", "caveat", "warning", "next",
    "lengths", "note", "skipped", "known",
]  # fmt: skip

#: The words before a sentence, by its role; others have none.
LABELS: Mapping[str, str] = {
    "amount": "By how much",
    "why": "Why",
    "homogeneity": "Homogeneity",
    "significance": "Significance",
    "agreement": "Metrics",
    "wrong": "Wrong",
    "caveat": "Caveat",
    "warning": "Warning",
    "next": "Next",
}


class _Told(Protocol):
    @property
    def sentence(self) -> str: ...


class Sentence(str):
    """A sentence as a reader sees it, with the label of its role; `text` is without the label.

    A plain string is an answer in the lead of a result, and a note elsewhere. `finding` is the one that it repeats,
    `label` the dataset that it is about, if it is about one.
    """

    text: str
    role: Role
    finding: Any
    label: str

    def __new__(cls, text: str, role: Role = "answer", finding: object = None, label: str = "") -> Self:
        """Make a sentence from its text."""
        made = super().__new__(cls, f"{LABELS[role]}: {text}" if role in LABELS else text)
        made.text, made.role, made.finding, made.label = text, role, finding, label
        return made

    def like(self, text: str) -> Self:
        """Make a sentence of another text with the same role."""
        return type(self)(text, self.role, self.finding, self.label)

    @classmethod
    def of(cls, finding: _Told, role: Role = "answer", end: str = ".") -> Self:
        """Make the sentence of a finding."""
        return cls(f"{finding.sentence}{end}", role, finding)


def with_role(text: str, role: Role) -> Sentence:
    """Return a text as a sentence; `role` is that of plain strings."""
    return text if isinstance(text, Sentence) else Sentence(text, role)


def record(text: str, role: Role) -> dict[str, str]:
    """Return a sentence as a JSON object."""
    sentence = with_role(text, role)
    return {"role": sentence.role, "text": sentence.text}
