"""Judgement sets as papers use them: what is left out, how metrics are computed, which coefficient is printed.

A protocol has a name by which `agree` and `consensus` are told to follow it. Numbers of papers on one set differ since
their protocols do; what each of them changes is measured beside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from auditor.errors import UsageError


@dataclass(frozen=True)
class Definition:
    """A metric as a protocol names it, as its program computes it, and as it is sound; both on the same tokens."""

    name: str
    published: str
    sound: str
    why: str

    @property
    def metric(self) -> str:
        """Name the metric of ours that it goes by."""
        return self.sound.partition(":")[0]


@dataclass(frozen=True)
class RatedSetup:
    """How a set of ratings is used: `statistic` of all ratings pooled with the scores of their captions.

    `own_references` says whether captions that are word for word references of their image stay. `against` names the
    references. `leaves_out` says in words what is left out.
    """

    dataset: str
    against: str
    statistic: str
    own_references: bool
    leaves_out: str


@dataclass(frozen=True)
class PairedSetup:
    """How pairs are used: accuracy with so many references of each image, drawn so often; a tie counts as `ties`."""

    dataset: str
    against: str
    references: int
    draws: int
    ties: str
    leaves_out: str


@dataclass(frozen=True)
class Protocol:
    """How papers use judgement sets. `source` is where that is said, `metrics` are computed on tokens of `profile`."""

    name: str
    source: str
    profile: str
    metrics: tuple[Definition, ...]
    rated: tuple[RatedSetup, ...] = ()
    paired: tuple[PairedSetup, ...] = ()

    def of_ratings(self, dataset: str) -> RatedSetup:
        """Find how a set of ratings is used. Raises `UsageError` that names those that the protocol is of."""
        return _setup(self, self.rated, dataset)

    def of_pairs(self, dataset: str) -> PairedSetup:
        """Find how a set of pairs is used. Raises `UsageError` that names those that the protocol is of."""
        return _setup(self, self.paired, dataset)


S = TypeVar("S", RatedSetup, PairedSetup)


def _setup(protocol: Protocol, known: Sequence[S], dataset: str) -> S:
    found = next((one for one in known if one.dataset == dataset), None)
    if found is None:
        there = ", ".join(one.dataset for one in known)
        raise UsageError(f"--protocol {protocol.name} says nothing of {dataset}; it is of {there}")
    return found


_SMOOTHING = (
    "theirs adds 1e-15 to matches and 1e-9 to n-grams: a caption that shares no 4-gram has next to nothing, and is "
    "ranked by its 3-grams all the same; sound: smoothed as by Wang & Gaizauskas 2016"
)

_CLIPSCORE = (
    Definition("BLEU-1", "bleu-1:smooth=coco", "bleu-1", "theirs lets 1e-15 stand for no match; sound: smoothed"),
    Definition("BLEU-4", "bleu-4:smooth=coco", "bleu-4", _SMOOTHING),
    Definition(
        "ROUGE-L",
        "rouge-l:beta=1.2,aggregate=coco,ascii=false",
        "rouge-l",
        "theirs takes the best recall and the best precision, be they of two references, with beta 1.2; sound: "
        "ROUGE-1.5.5's, pooled over the references",
    ),
    Definition("METEOR", "meteor", "meteor", "the same"),
    Definition(
        "CIDEr",
        "cider-d:idf=run",
        "cider",
        "theirs is CIDEr-D, its documents are the ratings, each an item of the run; sound: CIDEr, its documents are "
        "images",
    ),
)

PROTOCOLS: Mapping[str, Protocol] = {
    "clipscore2021": Protocol(
        "clipscore2021",
        "Hessel et al. 2021, EMNLP, appendix A, and flickr8k_example of its repository; Sarto et al. 2023 (PAC-S) and "
        "those after them",
        "ptb",
        _CLIPSCORE,
        rated=(
            RatedSetup(
                "flickr8k-expert",
                "flickr8k",
                "kendall-c",
                own_references=False,
                leaves_out="158 captions that are a reference of their image, and their 474 ratings: 16,992 of 17,466 "
                "stay; each rating by itself, no mean of judges",
            ),
            RatedSetup(
                "flickr8k-crowd",
                "flickr8k-crowd-refs",
                "kendall-b",
                own_references=True,
                leaves_out="no rating: captions that are rated at their own image are taken out of its references",
            ),
        ),
        paired=(
            PairedSetup(
                "pascal50s-triplets",
                "pascal50s",
                references=5,
                draws=5,
                ties="half",
                leaves_out="pairs that people do not decide; a metric's tie is broken at random, and so counts half",
            ),
        ),
    ),
}


def protocols_of_ratings(dataset: str) -> list[str]:
    """Name the protocols that use a set of ratings."""
    return [name for name, one in PROTOCOLS.items() if any(setup.dataset == dataset for setup in one.rated)]


def protocol_of(name: str) -> Protocol:
    """Look a protocol up. Raises `UsageError` that names what there is instead."""
    if name not in PROTOCOLS:
        raise UsageError(f"--protocol {name}: no such protocol; known are {', '.join(PROTOCOLS)}")
    return PROTOCOLS[name]


def named_protocol(asked: Sequence[str] | None) -> Protocol | None:
    """Find the published protocol among what is asked for. Raises `UsageError` where it is not all that is asked."""
    found = [name for name in asked or () if name in PROTOCOLS]
    if not found:
        return None
    if len(set(asked or ())) > 1:
        raise UsageError(f"--protocol {found[0]} says all that is measured; leave other protocols out")
    return PROTOCOLS[found[0]]
