"""What `auditor consensus` may be told, and which metrics its paper used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.registry import METRICS, MetricRequest, lacking, left_out, not_installed, requests
from auditor.result import Finding
from auditor.scoring.protocols import Protocol, protocol_of
from auditor.statistics.resampling import check_resampling
from auditor.text import AUTO

#: Share of the resamples inside an interval.
CONFIDENCE = 0.95

#: What a pair counts that a metric ties.
TIE_CREDIT = {"half": 0.5, "wrong": 0.0, "right": 1.0}

#: The metrics of Vedantam et al. 2015, appendix VII, by their equations: BLEU of stems (6-8; an order without a match
#: is 0 up to 1e-15, so that what is left still ranks), ROUGE-N as recall of all references (9), ROUGE-L of stems with
#: beta 2 and the largest recall and precision each (10-12), ROUGE-S likewise (13-15, here with single words), METEOR
#: (16-20), CIDEr of stems (section 4) and CIDEr-D without (section 8). The appendix stems for all of them; ROUGE-1
#: without is nearer to what it prints (HC of ABSTRACT-50S .715: .708, with stems .739).
AS_PUBLISHED = (
    "bleu-1:smooth=coco,stem=true",
    "bleu-1:smooth=coco,bp=none,stem=true",
    "bleu-4:smooth=coco,stem=true",
    "rouge-1:measure=recall",
    "rouge-l:aggregate=coco,beta=2,stem=true",
    "rouge-su4:aggregate=coco,beta=2,stem=true",
    "meteor",
    "cider:stem=true",
    "cider-d",
)


Most = Annotated[
    int | None, p.Parameter("References of each image; default: 48, or as many as every image has.", least=1)
]

At = Annotated[Sequence[int], p.Parameter("Accuracy at so many references too; repeat for more.", least=1)]

Curve = Annotated[bool, p.Parameter("Accuracy at every number of references from 1 on.")]

Draws = Annotated[int, p.Parameter("Draw references so often, by the seed and those after it.", least=1)]

Ties = Annotated[
    str | None,
    p.Parameter("What a pair counts that a metric ties: half, wrong or right; default: half, as published wrong."),
]


@dataclass(frozen=True)
class ConsensusSettings:
    """How accuracy is measured.

    `most` references of each image, drawn by `seed`; null: 48, or as many as every image has where some have fewer.
    `at` are further numbers of references, `curve` stands for all from 1 on; `draws` seeds follow each other. `ties`
    says what a metric's tie counts. `resamples` of images are behind each interval, 0 for none. Pairs of which a
    caption is word for word a reference of its image are left out `without_own_references`.
    """

    most: Most = None
    at: At = ()
    curve: Curve = False
    draws: Draws = 1
    seed: p.Seed = 1
    ties: Ties = None
    resamples: p.Resamples = 1000
    tokenizer: p.Tokenizer = AUTO
    split: p.Split = None
    without_own_references: p.WithoutOwn = False

    @property
    def credit(self) -> str:
        """What a tie counts, where nobody has said: half."""
        return self.ties or "half"

    def check(self) -> None:
        """Raise `UsageError` for what cannot be measured."""
        if self.credit not in TIE_CREDIT:
            raise UsageError(f"--ties {self.ties}: expected {', '.join(TIE_CREDIT)}")
        check_resampling(self.resamples, CONFIDENCE)
        low = min((*self.at, self.most or 1), default=1)
        if low < 1:
            raise UsageError(f"{low} references: expected 1 or more")
        if self.most is not None and max(self.at, default=0) > self.most:
            raise UsageError(f"--at {max(self.at)}: more references than --most {self.most}; raise that, or lower this")


def chosen_metrics(names: p.Metrics, as_published: bool) -> tuple[list[MetricRequest], list[Finding]]:
    """Choose the metrics: those named, those of the paper, or all; with what is found of those that are lacking."""
    if not as_published:
        return requests(names), left_out(names)
    if names:
        raise UsageError("--as-published names the metrics of Vedantam et al. 2015 itself; leave -m out")
    absent = {name: lacking(METRICS[name.partition(":")[0]]) for name in AS_PUBLISHED}
    missing = [not_installed(name, reason) for name, reason in absent.items() if reason]
    return requests([name for name, reason in absent.items() if reason is None]), missing


@dataclass(frozen=True)
class Followed:
    """A protocol with what it says of the pairs at hand: metrics as published and sound, references, settings."""

    protocol: Protocol
    metrics: tuple[str, ...]
    against: str
    settings: ConsensusSettings
    said: tuple[str, ...]
    missing: tuple[Finding, ...]


def follow(name: str, datasets: Sequence[str], settings: ConsensusSettings) -> Followed:
    """Set what a protocol says; the seed, and how many resamples there are, stay as asked for.

    Raises `UsageError` for a protocol that is not known or says nothing of a dataset, and for settings beside it.
    """
    protocol = protocol_of(name)
    setups = [protocol.of_pairs(dataset) for dataset in datasets]
    asked = (settings.most, settings.ties, settings.curve or None, settings.at or None)
    if any(one is not None for one in asked) or settings.tokenizer not in (AUTO, protocol.profile):
        raise UsageError(
            f"--protocol {name} has its own references, ties and tokenizer: leave --most, --at, --curve, --ties and "
            "--tokenizer out"
        )
    first = setups[0]
    reasons = {one.name: lacking(METRICS[one.metric]) for one in protocol.metrics}
    measured = [one for one in protocol.metrics if reasons[one.name] is None]
    return Followed(
        protocol,
        tuple(dict.fromkeys(metric for one in measured for metric in (one.published, one.sound))),
        first.against,
        replace(
            settings,
            most=first.references,
            draws=max(settings.draws, first.draws),
            ties=first.ties,
            tokenizer=protocol.profile,
        ),
        tuple(f"{one.dataset} by {name}: left out: {one.leaves_out}; source: {protocol.source}" for one in setups),
        tuple(not_installed(one.metric, why) for one in protocol.metrics if (why := reasons[one.name])),
    )
