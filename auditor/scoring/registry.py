"""METRICS, the registry: each metric with its counts, its scorer, its parameters and its source.

A request that a user types (`cider-d:sigma=4`) becomes a `MetricRequest`. Its signature names exactly the parameters
that affect the score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar, Unpack, overload

import polars as pl

from auditor import ranges
from auditor.errors import AuditorError, MetricError, MissingExtraError, suggested
from auditor.metrics import bleu, chrf, cider, content, given, meteor, own, rouge, ter
from auditor.metrics.card import OF_FILE, CountSpec, Metric
from auditor.metrics.vectors import cards as of_vectors
from auditor.model import Draw, Selection
from auditor.parameters import MetricName
from auditor.plugins import added, described
from auditor.result import Finding, Signature, plain
from auditor.scoring.own_statements import card_of_statement, statement_of
from auditor.store.captions import Captions
from auditor.store.sqlfiles import catalogue

#: Scores are rounded when they leave a scorer. Equal scores are then equal in every bit, on any machine with any
#: number of threads, and ties stay ties in medians and ranks.
DECIMALS = 12


@dataclass(frozen=True)
class References:
    """The references of a caption: the others of its image (`loo`), or all of its image (`all`).

    `seed` draws `drawn` of them, and then so many `images`, if these are set; `draws` such samples are averaged.
    `distinct` names the tokenizer by which each text counts once per image, if it is set.
    """

    rule: Literal["loo", "all"] = "loo"
    drawn: int | None = None
    seed: int | None = None
    images: int | None = None
    distinct: str | None = None
    draws: int = 1

    @property
    def parameters(self) -> Mapping[str, str | int]:
        """The parameters that a signature prints."""
        rule = {"refs": self.rule} if self.distinct is None else {"refs": self.rule, "distinct": True}
        if self.drawn is None or self.seed is None:
            return rule
        images = {} if self.images is None else {"images": self.images}
        draws = {} if self.draws == 1 else {"draws": self.draws}
        return {**rule, "k": self.drawn, **images, "seed": self.seed, **draws}

    def of(self, selection: Selection) -> Selection:
        """Select the captions to read: for leave-one-out one more than the references, as each is held out once."""
        draw = None
        if self.drawn is not None and self.seed is not None:
            draw = Draw(self.drawn + (self.rule == "loo"), self.seed, images=self.images)
        return replace(selection, draw=draw, distinct=self.distinct)

    def select(self, captions: Captions) -> Captions:
        """Return the captions that `of` selects."""
        return captions.like(self.of(captions.selection))


@dataclass(frozen=True)
class MetricRequest:
    """A metric with a value for every parameter. `label` is its name in the rows of a result.

    Scores that are not `rounded` are those of a program that does not round. Equal ones may differ in their last bit.
    """

    metric: Metric
    label: str
    settings: Mapping[str, Any]
    rounded: bool = True

    @property
    def counting(self) -> CountSpec:
        """The counting that it needs."""
        metric = self.metric
        variant = metric.variant and metric.variant(self.settings)
        relation, kernel = variant or (metric.counts, metric.kernel)
        chosen = {name: value for name, value in self.settings.items() if metric.parameters[name].counts}
        normalization = metric.normalization(self.settings) if metric.normalization else None
        implied = {**metric.counted_with, **(metric.fixed if variant else {})}
        return CountSpec(relation, {**implied, **self._lists, **chosen}, kernel, normalization)

    @property
    def _lists(self) -> Mapping[str, str]:
        """The hash of the word lists that it reads."""
        return {"lists": self.metric.lists()} if self.metric.lists else {}

    def refusal(self, images: int) -> str | None:
        """Return why it cannot score a selection of so many images; null if it can."""
        return self.metric.refusal(self.settings, images) if self.metric.refusal else None

    def scores(self, counts: pl.DataFrame) -> pl.Series:
        """Compute scores from its counts, rounded to 12 decimals, or to significant digits if the card requires it."""
        ends = self.metric.ends(self.settings)
        if are_ours([self]):
            return ranges.scores_within(self._scores(counts), ends, counts, is_ours=True)
        try:
            scores = self._scores(counts)
            if len(scores) != counts.height or not scores.drop_nulls().is_finite().all():
                raise MetricError(f"{self.label}: must return a finite number for each of {counts.height:,} rows")
        except BaseException as error:
            if isinstance(error, AuditorError | KeyboardInterrupt):
                raise
            raise MetricError(f"{self.label}, of another package: {described(error)}") from error
        return ranges.scores_within(scores, ends, counts, is_ours=False)

    def _scores(self, counts: pl.DataFrame) -> pl.Series:
        scores = self.metric.score(counts, {**self.metric.fixed, **self.settings}).alias(self.label)
        if not self.rounded:
            return scores
        ranks_what_is_tiny = self.metric.ranks_what_is_tiny
        is_tiny = ranks_what_is_tiny is not None and ranks_what_is_tiny(self.settings)
        return scores.round_sig_figs(DECIMALS) if is_tiny else scores.round(DECIMALS)

    def signature(self, tokenizer: str, references: References) -> Signature:
        """Return its signature: the name, all parameters that affect the score, and the version."""
        fixed = self.metric.fixed if self.metric.shown else {}
        named = {
            key: value
            for key, value in self.settings.items()
            if (matters := self.metric.parameters[key].matters) is None or matters(self.settings)
        }
        beside = {**(self.metric.signed(tokenizer, self.settings) if self.metric.signed else {}), **self._lists}
        against = {"refs": "none"} if self.metric.sees_images else references.parameters
        beside |= {} if self.rounded else {"digits": "all"}
        parameters = {"tok": tokenizer, **against, **fixed, **named, **beside}
        return Signature(self.metric.name, parameters, self.metric.version)


_OURS = {card.name: card for card in (*bleu.CARDS, *rouge.CARDS, *meteor.CARDS, *cider.CARDS, *ter.CARDS, *chrf.CARDS)}
_OURS |= {card.name: card for card in (*of_vectors.CARDS, *content.CARDS)}


def _refuse(name: str, card: Metric) -> None:
    """Raise `ValueError` for a card of another package that no request can find, or whose counts are unknown."""
    if card.name != name:
        raise ValueError(f"its metric is called {card.name}")
    if card.counts not in catalogue():
        raise ValueError(f"it reads {card.counts}, which this release does not have")


def of_others() -> dict[str, Metric]:
    """Load the metrics of other packages, from entry points of group `auditor.metrics`."""
    return dict(added("auditor.metrics", Metric, _OURS, _refuse))


#: Every metric by name, in the order of results: metrics of this package, which keep their names, then others.
METRICS: dict[str, Metric] = dict(_OURS)

#: The prefixes of requests for a function of a Python module, for a file with a SELECT, and for a file of scores.
BY_MODULE, BY_FILE, BY_SCORES = "python:", "sql:", "scores:"

F = TypeVar("F", bound=Callable[..., Any])


@overload
def metric(function: F, /) -> F: ...


@overload
def metric(
    *, name: str | None = None, columns: bool = False, summary: str | None = None, **scale: Unpack[own.Scale]
) -> Callable[[F], F]: ...


def metric(
    function: F | None = None,
    /,
    *,
    name: str | None = None,
    columns: bool = False,
    summary: str | None = None,
    **scale: Unpack[own.Scale],
) -> F | Callable[[F], F]:
    """Register a function as a metric in this process, under its own name with hyphens, or under `name`.

    The function receives a candidate and the list of its references, as they are written, and returns a `float`. With
    `columns` it receives two Polars series of equal length, String and List(String), and returns a score for each row,
    in their order. It is called every time: its scores are not kept. Its signature names the sha256 of its source. Set
    `lower_is_better` for metrics that count errors. `lowest` and `highest` are the ends of its range: other scores are
    an error. `summary` is a line for `auditor metrics`. Returns the function unchanged.

    Raises `MetricError` for an invalid name, and for the name of a metric of the package or of another module.
    """

    def registering(function: F) -> F:
        _register(own.card_of(function, name or _called(function), columns=columns, summary=summary, **scale))
        return function

    return registering if function is None else registering(function)


def _register(card: Metric) -> Metric:
    """Add a metric of the user; it replaces one of the same name and module, as of a notebook cell that ran before."""
    known = METRICS.get(card.name)
    if known is not None and own.home(known) != own.home(card):
        owner = own.home(known) or "auditor, or of a package"
        raise MetricError(f"{card.name}: a metric of {owner} has this name; {own.NAMED_BY} another")
    METRICS[card.name] = card
    return card


def _called(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", "")).replace("_", "-")


def _of_function(function: Callable[..., Any], called: str) -> Metric:
    """Return the metric of a function: as its decorator declares it, or else called row by row."""
    declared = next((card for card in reversed(METRICS.values()) if own.is_of(card, function)), None)
    return declared or _register(own.card_of(function, called))


def request(text: MetricName) -> MetricRequest:
    """Parse `NAME`, `NAME:PARAMETER=VALUE,…`, `python:MODULE.FUNCTION` or `sql:FILE`, or accept a function.

    This parses what a user types or calls. `request_of_file` parses what a file contains. Raises `MetricError` with
    the nearest valid name, or with the reason why a module or file has no such metric.
    """
    if not isinstance(text, str):
        if not callable(text):
            raise MetricError(f"{text!r}: not a metric; give a name, or a function of a candidate and references")
        return defaults_of(_of_function(text, _called(text)))
    if text.startswith(BY_MODULE):
        path = text.removeprefix(BY_MODULE)
        return defaults_of(_of_function(own.function_of(path), path))
    if text.startswith(BY_FILE):
        return defaults_of(_register(card_of_statement(statement_of(Path(text.removeprefix(BY_FILE))))))
    return _by_name(text, opens=True)


def request_of_file(text: str) -> MetricRequest:
    """Parse a request from a file: a card, a gate, a plan, a receipt, a kept result.

    Such a file may be untrusted. Raises `MetricError` if the request would run code or open a file.
    """
    if text.startswith((BY_MODULE, BY_FILE, BY_SCORES)):
        raise MetricError(f"{text}: would run code, which a file must not request; request it yourself with -m")
    return _by_name(text, opens=False)


def _by_name(text: str, *, opens: bool) -> MetricRequest:
    """Parse `NAME:PARAMETER=VALUE,…`; settings may name files only if it `opens` them."""
    name, _, settings = text.partition(":")
    if name not in METRICS:
        hint = suggested(name, METRICS, "`auditor metrics` lists them all").removeprefix("unknown; ")
        raise MetricError(f"{name}: unknown metric; {hint}")
    metric = METRICS[name]
    if (lacks := lacking(metric)) is not None:
        raise MissingExtraError(lacks)
    chosen = dict(defaults_of(metric).settings)
    for setting in filter(None, settings.split(",")):
        key, _, value = setting.partition("=")
        if key not in metric.parameters:
            raise MetricError(f"{text}: {name} has no parameter {key!r}; it has {', '.join(metric.parameters)}")
        if value.startswith(OF_FILE) and not opens:
            raise MetricError(f"{text}: would open a file, which a file must not request; request it yourself with -m")
        chosen[key] = metric.parameters[key].setting(text, key, value)
    return _request(metric, chosen)


def in_scales(request: MetricRequest) -> list[MetricRequest]:
    """Return a request for each scale of a metric, its own first; only itself if the metric has none."""
    scale = request.metric.parameters.get("scale")
    others = [choice for choice in scale.choices if choice != request.settings["scale"]] if scale else []
    return [request, *(_request(request.metric, {**request.settings, "scale": choice}) for choice in others)]


def _request(metric: Metric, settings: Mapping[str, Any]) -> MetricRequest:
    """Return a request; its label names the settings that are not defaults."""
    changed = {key: value for key, value in settings.items() if value != metric.parameters[key].default}
    label = ",".join(f"{key}={plain(value)}" for key, value in changed.items())
    return MetricRequest(metric, f"{metric.name}:{label}" if label else metric.name, settings)


def defaults_of(metric: Metric) -> MetricRequest:
    """Return a request with every default, whether or not the required components are installed."""
    return MetricRequest(metric, metric.name, {key: parameter.default for key, parameter in metric.parameters.items()})


def requests(texts: Sequence[MetricName] | None) -> list[MetricRequest]:
    """Parse several requests, each once; without any, return every default metric that is installed.

    Raises `MetricError` for an invalid request and for two functions of one name, `MissingExtraError` for a metric
    whose required components are not installed.
    """
    parsed: dict[str, MetricRequest] = {}
    for wanted in (one for text in texts or defaults() for one in _each(text)):
        if parsed.setdefault(wanted.label, wanted).metric is not wanted.metric:
            raise MetricError(f"{wanted.label}: two functions have this name; {own.NAMED_BY} one of them another")
    return list(parsed.values())


def _each(text: MetricName) -> list[MetricRequest]:
    """Parse a request: `scores:FILE` is one for each column of scores."""
    if isinstance(text, str) and text.startswith(BY_SCORES):
        cards = given.cards_of_scores(Path(text.removeprefix(BY_SCORES)))
        homes = {card.name: own.home(METRICS[card.name]) for card in cards if card.name in METRICS}
        taken = {name for name, home in homes.items() if home != own.home(cards[0])}
        named = [replace(card, name=f"{Path(text).stem}.{card.name}") if card.name in taken else card for card in cards]
        return [defaults_of(_register(card)) for card in named]
    return [request(text)]


def are_ours(metrics: Sequence[MetricRequest]) -> bool:
    """Return whether all metrics are of this package: then a hash of its code covers theirs."""
    return all(metric.metric is _OURS.get(metric.metric.name) for metric in metrics)


def defaults() -> list[str]:
    """List the installed default metrics."""
    return [name for name, metric in METRICS.items() if metric.default and lacking(metric) is None]


def left_out(texts: Sequence[MetricName] | None) -> list[Finding]:
    """Report why default metrics are not installed, unless metrics were requested by name."""
    reasons = {} if texts else {name: lacking(metric) for name, metric in METRICS.items() if metric.default}
    return [not_installed(name, reason) for name, reason in reasons.items() if reason]


def not_installed(metric: str, reason: str) -> Finding:
    """Report that a metric was skipped because a required component is not installed."""
    return Finding("metric-not-installed", f"skipped: {reason}", {"metric": metric}, severity="notice")


def lacking(metric: Metric) -> str | None:
    """Return which required component of a metric is not installed; null if none is missing."""
    try:
        if metric.require:
            metric.require()
    except MissingExtraError as error:
        return str(error)
    except BaseException as error:
        if metric is _OURS.get(metric.name) or isinstance(error, KeyboardInterrupt):
            raise
        return f"{metric.name}, of another package: {described(error)}"
    return None


METRICS |= of_others()  # last: their modules may import this one
