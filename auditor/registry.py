"""METRICS: what each metric is, in one place: its counts, its scorer, its parameters, where it comes from.

A request as a user types it (`cider-d:sigma=4`) becomes a `MetricRequest`, whose signature names exactly the parameters
that matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from auditor.errors import MetricError
from auditor.metrics import bleu, cider, rouge_1
from auditor.metrics.counting import CountSpec
from auditor.model import Signature, plain

#: Scores are rounded where they leave a scorer: equal scores then are equal in every bit, on any machine and any
#: number of threads, and ties stay ties in medians and ranks.
DECIMALS = 12


@dataclass(frozen=True)
class Parameter:
    """A setting of a metric.

    `choices` lists what it may be, `aliases` other words for them; a setting without choices is a positive number.
    """

    default: str | float | bool
    meaning: str
    choices: tuple[str | bool, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    counts: bool = False  # whether it changes what SQL counts, and not only how counts become scores


@dataclass(frozen=True)
class Metric:
    """A metric's card. `counts` is the SELECT behind it.

    `fixed` are settings that the name itself makes, `shown` whether a signature repeats them; `counted_with` are those
    parameters of the SELECT that the name makes.
    """

    name: str
    counts: str
    score: Callable[[pl.DataFrame, Mapping[str, Any]], pl.Series]
    summary: str
    references: str
    edge_cases: str
    source: str
    bibtex: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    shown: bool = False
    counted_with: Mapping[str, Any] = field(default_factory=dict)
    version: int = 1


@dataclass(frozen=True)
class MetricRequest:
    """A metric with every parameter decided. `label` is what the rows of a result call it."""

    metric: Metric
    label: str
    settings: Mapping[str, Any]

    @property
    def counting(self) -> CountSpec:
        """What has to be counted for it."""
        declared = self.metric.parameters
        chosen = {name: value for name, value in self.settings.items() if declared[name].counts}
        return CountSpec(self.metric.counts, {**self.metric.counted_with, **chosen})

    def scores(self, counts: pl.DataFrame) -> pl.Series:
        """Turn its counts into scores, rounded to 12 decimals."""
        return self.metric.score(counts, {**self.metric.fixed, **self.settings}).round(DECIMALS).alias(self.label)

    def signature(self, profile: str, references: str) -> Signature:
        """Name it in full. `references` is `loo` (the caption's own slot left out) or `all`."""
        fixed = self.metric.fixed if self.metric.shown else {}
        parameters = {"tok": profile, "refs": references, **fixed, **self.settings}
        return Signature(self.metric.name, parameters, self.metric.version)


_SMOOTH = Parameter(
    "paper",
    "what a n-gram order without a match counts: paper = 1/(2^k total), also where the caption is too short for the "
    "order (total 1); mteval = the same, but an order it is too short for counts as matched; none = the score is 0",
    ("paper", "mteval", "none"),
)
_BP = Parameter(
    "closest",
    "brevity penalty: against the closest reference length (ties: the shorter), or none",
    ("closest", "none"),
    {"true": "closest", "false": "none"},
)
_SCALE = Parameter("raw", "raw: at most 1; x10: at most 10, the scale of the official programs", ("raw", "x10"))
_IDF = Parameter(
    "dataset",
    "documents of the idf: the images of the reference's dataset and split, natural logarithm, df at least 1",
    ("dataset",),
)

_PAPINENI = """@inproceedings{papineni-etal-2002-bleu,
  title = {{BLEU}: a Method for Automatic Evaluation of Machine Translation},
  author = {Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing},
  booktitle = {Proc. ACL}, year = {2002}, pages = {311--318}
}"""
_LIN = """@inproceedings{lin-2004-rouge,
  title = {{ROUGE}: A Package for Automatic Evaluation of Summaries},
  author = {Lin, Chin-Yew},
  booktitle = {Text Summarization Branches Out}, year = {2004}, pages = {74--81}
}"""
_VEDANTAM = """@inproceedings{vedantam-etal-2015-cider,
  title = {{CIDEr}: Consensus-based Image Description Evaluation},
  author = {Vedantam, Ramakrishna and Zitnick, C. Lawrence and Parikh, Devi},
  booktitle = {Proc. CVPR}, year = {2015}, pages = {4566--4575}
}"""


def _bleu(order: int) -> Metric:
    return Metric(
        name=f"bleu-{order}",
        counts="bleu",
        score=bleu.score,
        summary=f"sentence-level BLEU: geometric mean of clipped precisions, n = 1 to {order}, with brevity penalty",
        references="clips against the union of the references: grows with their number; compare only equal numbers",
        edge_cases=(
            "no token in common is smoothed too (BLEU-1 of 'cat' against 'dog' is .5); an empty caption scores 0; "
            "an identical pair shorter than N words scores below 1"
        ),
        source="Papineni et al. 2002; smoothing: Wang & Gaizauskas 2016, footnote 4, after mteval-v13a",
        bibtex=_PAPINENI,
        parameters={"smooth": _SMOOTH, "bp": _BP},
        fixed={"n": order},
    )


def _cider(
    name: str, counted_with: Mapping[str, Any], summary: str, parameters: Mapping[str, Parameter], source: str
) -> Metric:
    return Metric(
        name=name,
        counts="cider",
        counted_with=counted_with,
        score=cider.score,
        summary=summary,
        references="mean over the references: does not grow with their number",
        edge_cases=(
            "n-grams that every image has weigh 0; a single image makes every idf, and so every score, 0; a text of "
            "k < 4 words reaches at most k/4 of the scale; an empty caption scores 0"
        ),
        source=source,
        bibtex=_VEDANTAM,
        parameters=parameters,
        fixed={"n": 4},
        shown=True,
    )


_ALL: Sequence[Metric] = (
    *(_bleu(order) for order in range(1, 5)),
    Metric(
        name="rouge-1",
        counts="rouge_1",
        score=rouge_1.score,
        summary="unigram overlap as ROUGE-1.5.5 `-n 1 -f A` has it: hits and totals pooled over the references",
        references="pooled over the references: does not grow with their number; long references weigh more",
        edge_cases="an empty caption scores 0; an empty reference adds to the candidate's total only",
        source="Lin 2004; ROUGE-1.5.5.pl; precision and recall weigh the same (alpha .5), no stemming",
        bibtex=_LIN,
        parameters={
            "measure": Parameter("f", "f = harmonic mean of precision and recall", ("f", "precision", "recall")),
            "ascii": Parameter(
                True,
                "split tokens into runs of a-z and 0-9 as the script does (café → caf); false keeps every token",
                (True, False),
                counts=True,
            ),
        },
    ),
    _cider(
        "cider",
        {"clipped": False, "sigma": None},
        "mean cosine of tf-idf vectors with each reference, n = 1 to 4",
        {"idf": _IDF, "scale": _SCALE},
        "Vedantam et al. 2015, eq. 1-3, as its authors' program computes it: raw counts, no stemming",
    ),
    _cider(
        "cider-d",
        {"clipped": True},
        "CIDEr with clipped counts and a Gaussian penalty on the difference in length, n = 1 to 4",
        {
            "sigma": Parameter(6.0, "width of the length penalty, in bigrams", counts=True),
            "idf": _IDF,
            "scale": _SCALE,
        },
        "Vedantam et al. 2015, section 8, eq. 4-5, as its authors' program computes it: lengths in bigrams",
    ),
)

#: Every metric by name, in the order in which results show them.
METRICS: Mapping[str, Metric] = {metric.name: metric for metric in _ALL}


def request(text: str) -> MetricRequest:
    """Read `NAME` or `NAME:PARAMETER=VALUE,…`. Raises `MetricError` that names what there is instead."""
    name, _, settings = text.partition(":")
    if name not in METRICS:
        raise MetricError(f"{name}: no such metric; known are {', '.join(METRICS)}")
    metric = METRICS[name]
    chosen = {key: parameter.default for key, parameter in metric.parameters.items()}
    for setting in filter(None, settings.split(",")):
        key, _, value = setting.partition("=")
        if key not in metric.parameters:
            raise MetricError(f"{text}: {name} has no parameter {key!r}; it has {', '.join(metric.parameters)}")
        chosen[key] = _value(text, key, value, metric.parameters[key])
    changed = {key: value for key, value in chosen.items() if value != metric.parameters[key].default}
    label = ",".join(f"{key}={plain(value)}" for key, value in changed.items())
    return MetricRequest(metric, f"{name}:{label}" if label else name, chosen)


def requests(texts: Sequence[str] | None) -> list[MetricRequest]:
    """Read several; none stands for every metric. A metric asked for twice counts once."""
    wanted = {asked.label: asked for asked in map(request, texts or METRICS)}
    return list(wanted.values())


def _value(text: str, key: str, value: str, parameter: Parameter) -> str | float | bool:
    if not parameter.choices:
        try:
            number = float(value)
        except ValueError:
            number = 0.0
        if not 0 < number < float("inf"):
            raise MetricError(f"{text}: {key} must be a positive number, not {value!r}")
        return number
    word = parameter.aliases.get(value.lower(), value.lower())
    for choice in parameter.choices:
        if str(choice).lower() == word:
            return choice
    known = ", ".join(str(choice).lower() for choice in parameter.choices)
    raise MetricError(f"{text}: {key} must be one of {known}, not {value!r}")
