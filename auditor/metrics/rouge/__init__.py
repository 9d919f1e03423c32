"""ROUGE of a caption, as computed by ROUGE-1.5.5: n-grams, skip-bigrams, longest common subsequences (Lin 2004)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auditor.metrics.card import Counting, cards
from auditor.metrics.rouge import subsequences, units
from auditor.metrics.rouge.scoring import Score

#: Counts of the units that a candidate shares with each reference.
_UNITS: Counting = ("rouge_by_reference", units.UNITS)


def _normalization(settings: Mapping[str, Any]) -> str | None:
    return {
        (True, False): "rouge",
        (True, True): "rouge-stem",
        (False, True): "rouge-stem-tokens",
    }.get((settings["ascii"], settings["stem"]))


def _own(score: Score, by_reference: Counting | None = None, **more: Any) -> dict[str, Any]:
    """Return the functions of a card; `by_reference` counts what is not added over the references."""
    return {
        "score": score,
        "variant": lambda settings: None if settings["aggregate"] == "pooled" else by_reference,
        **more,
    }


CARDS = cards(
    "rouge",
    {
        **{f"rouge-{n}": _own(units.scorer(units.n_grams(n)), _UNITS if n < 3 else None) for n in (1, 2, 3, 4)},
        **{f"rouge-{name}": _own(units.scorer(units.skip_bigrams), _UNITS) for name in ("su4", "s4")},
        "rouge-l": _own(
            subsequences.score_plain,
            ("candidate_tokens", subsequences.PLAIN_BY_REFERENCE),
            kernel=subsequences.PLAIN,
        ),
        "rouge-w-1.2": _own(
            subsequences.score_weighted,
            ("candidate_tokens", subsequences.WEIGHTED_BY_REFERENCE),
            kernel=subsequences.WEIGHTED,
        ),
    },
    {
        "alpha": {"matters": lambda settings: settings["measure"] == "f" and not settings["beta"]},
        "beta": {"matters": lambda settings: settings["measure"] == "f" and settings["beta"] > 0},
    },
    normalization=_normalization,
    writing=lambda settings: "latin" if settings["ascii"] else None,
)
