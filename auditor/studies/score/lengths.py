"""Systems whose captions are much longer than the references, so that some scores are mostly about length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from auditor.called import call
from auditor.model import Selection
from auditor.result.sentences import Sentence
from auditor.scoring.registry import MetricRequest
from auditor.store.captions import Captions

#: Captions are long if they are more than so many times as long as the references.
_LONG = 2.0

#: Reference captions that have a word in `words --by image` by default; fewer if an image has fewer.
_IMPORTANCE = 5


def long_captions(
    captions: Captions, systems: Sequence[Selection], metrics: Iterable[tuple[str, MetricRequest]]
) -> list[Sentence]:
    """Return what to read before the scores if captions of systems are long; `metrics` are scores with their names."""
    theirs, most = _lengths(captions)
    long = {system.label: ours for system in systems if (ours := _lengths(captions.like(system))[0]) > _LONG * theirs}
    if not long or not theirs:
        return []
    said = [
        Sentence(
            f"{label}: captions are {ours / theirs:.1f} times as long as the references: {ours:.1f} and {theirs:.1f} "
            "tokens on average.",
            "warning",
        )
        for label, ours in long.items()
    ]
    if penalized := [name for name, metric in metrics if metric.metric.name == "cider-d"]:
        said.append(Sentence(f"Their scores by {penalized[0]} then depend mostly on its penalty for length.", "caveat"))
    command = call("words", *long, against=captions.label, by="image", importance=min(_IMPORTANCE, most))
    return [
        *said,
        Sentence("Compare them by content-recall, which has no penalty for length. Long captions recall more.", "next"),
        Sentence(
            "content-precision is the share of their words that any reference has. The rest is invented, or true but "
            "unmentioned.",
            "next",
        ),
        Sentence(f"`{command}` lists the words that they miss, and those that no reference has.", "next"),
    ]


def _lengths(captions: Captions) -> tuple[float, int]:
    """Return the mean number of tokens per caption, and the most captions of an image."""
    described = "select length, count(*) over (partition by image_no) as captions from reference"
    mean, most = captions.workspace().query(f"select avg(length), max(captions) from ({described})").row(0)
    return mean or 0.0, most or 0
