"""Every dataset of a comparison, measured on one footing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.model import Selection
from auditor.studies.candidate_scores import CandidateScores, missing
from auditor.studies.comparison_footing import Footing
from auditor.studies.comparison_indices import BOUNDS, Indices
from auditor.studies.comparison_pairs import Side


@dataclass(frozen=True)
class Measured:
    """All datasets on one footing: indices, sides to test, and by label what rows say of each."""

    footing: Footing
    found: tuple[Indices, ...]
    sides: tuple[Side, ...]
    facts: Mapping[str, Mapping[str, Any]]
    signatures: Mapping[str, str]
    notes: tuple[str, ...]


def measure(
    footing: Footing,
    selections: Sequence[Selection],
    scores_of: Callable[[Selection, Footing], CandidateScores],
    indices_of: Callable[[CandidateScores], Indices],
) -> Measured:
    """Measure every dataset, one after the other: no more than one has its scores in memory."""
    found, sides, facts, notes = list[Indices](), list[Side](), dict[str, dict[str, Any]](), []
    reasons: dict[str, Mapping[str, str]] = {}
    signatures: dict[str, str] = {}
    for selection in selections:
        measured = scores_of(selection, footing)
        found.append(indices_of(measured))
        described = tuple(measured.scores["image"].unique().sort())
        sides.append(Side(selection, found[-1].sums, described))
        facts[selection.label] = _facts(measured) | {"images": len(described), "captions_per_image": found[-1].captions}
        reasons[selection.label] = measured.reasons
        signatures |= measured.signatures
        notes += [*measured.notes, *found[-1].notes]
    said = (*notes, *missing(reasons), *filter(None, [footing.note]))
    return Measured(footing, tuple(found), tuple(sides), facts, signatures, said)


def _facts(measured: CandidateScores) -> dict[str, Any]:
    """Say what the rows of a dataset are about, and by statistic what their strangers were drawn from."""
    selection: Selection = measured.selection
    sources = {BOUNDS[one.name]: one.source for one in measured.sets}
    return {
        "label": selection.label,
        "dataset": selection.version.dataset,
        "version": selection.version.version,
        "split": selection.split,
        "sources": sources | {"specificity": sources.get("inter")},
    }
