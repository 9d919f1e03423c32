"""METRICS: what each metric is, in one place: its counts, its scorer, its parameters, where it comes from.

A request as a user types it (`cider-d:sigma=4`) becomes a `MetricRequest`, whose signature names exactly the parameters
that matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

import polars as pl

from auditor.errors import AuditorError, MetricError, MissingExtraError
from auditor.metrics import bleu, chrf, cider, meteor, own, rouge, ter
from auditor.metrics.card import OF_FILE, CountSpec, Metric
from auditor.metrics.vectors import cards as of_vectors
from auditor.model import Draw, Selection
from auditor.parameters import MetricName
from auditor.plugins import added, said
from auditor.result import Finding, Signature, plain
from auditor.scoring.own_statements import card_of_statement, statement_of
from auditor.statistics import cards
from auditor.statistics.cards import Statistic
from auditor.store.captions import Captions
from auditor.store.sqlfiles import catalogue

#: Scores are rounded where they leave a scorer: equal scores then are equal in every bit, on any machine and any
#: number of threads, and ties stay ties in medians and ranks.
DECIMALS = 12


@dataclass(frozen=True)
class References:
    """Against what a caption is scored: the others of its image (`loo`), or all of it (`all`).

    `drawn` of them, where only some are, by `seed`; then of so many `images`, where only some are drawn. `distinct`
    names the tokenizer by whose tokens each text is once per image, where it is.
    """

    rule: Literal["loo", "all"] = "loo"
    drawn: int | None = None
    seed: int | None = None
    images: int | None = None
    distinct: str | None = None

    @property
    def parameters(self) -> Mapping[str, str | int]:
        """What of it a signature prints."""
        told = {"refs": self.rule} if self.distinct is None else {"refs": self.rule, "distinct": True}
        if self.drawn is None or self.seed is None:
            return told
        images = {} if self.images is None else {"images": self.images}
        return {**told, "k": self.drawn, **images, "seed": self.seed}

    def of(self, selection: Selection) -> Selection:
        """Select the captions at work: for leave-one-out, one more than the references, since each is held out once."""
        draw = None
        if self.drawn is not None and self.seed is not None:
            draw = Draw(self.drawn + (self.rule == "loo"), self.seed, images=self.images)
        return replace(selection, draw=draw, distinct=self.distinct)

    def select(self, captions: Captions) -> Captions:
        """Return the captions at work, as `of` selects them."""
        return captions.like(self.of(captions.selection))


@dataclass(frozen=True)
class MetricRequest:
    """A metric with every parameter decided. `label` is what the rows of a result call it.

    Scores that are not `rounded` are those of a program that does not round: equal ones may differ in their last bit.
    """

    metric: Metric
    label: str
    settings: Mapping[str, Any]
    rounded: bool = True

    @property
    def counting(self) -> CountSpec:
        """What has to be counted for it."""
        metric = self.metric
        variant = metric.variant(self.settings) if metric.variant else None
        relation, kernel = variant or (metric.counts, metric.kernel)
        chosen = {name: value for name, value in self.settings.items() if metric.parameters[name].counts}
        normalization = metric.normalization(self.settings) if metric.normalization else None
        return CountSpec(relation, {**metric.counted_with, **self._lists, **chosen}, kernel, normalization)

    @property
    def _lists(self) -> Mapping[str, str]:
        """Name the word lists that it reads."""
        return {"lists": self.metric.lists()} if self.metric.lists else {}

    def refusal(self, images: int) -> str | None:
        """Return why a selection of so many images can have no such scores; null where it can."""
        return self.metric.refusal(self.settings, images) if self.metric.refusal else None

    def scores(self, counts: pl.DataFrame) -> pl.Series:
        """Turn its counts into scores, rounded to 12 decimals, or significant digits where the card says so."""
        if are_ours([self]):
            return self._scores(counts)
        try:
            scores = self._scores(counts)
            if len(scores) != counts.height or not scores.drop_nulls().is_finite().all():
                raise MetricError(f"{self.label}: does not give a finite number for each of {counts.height:,} rows")
        except BaseException as error:
            if isinstance(error, AuditorError | KeyboardInterrupt):
                raise
            raise MetricError(f"{self.label}, of another package: {said(error)}") from error
        return scores

    def _scores(self, counts: pl.DataFrame) -> pl.Series:
        scores = self.metric.score(counts, {**self.metric.fixed, **self.settings}).alias(self.label)
        if not self.rounded:
            return scores
        ranks_what_is_tiny = self.metric.ranks_what_is_tiny
        is_tiny = ranks_what_is_tiny is not None and ranks_what_is_tiny(self.settings)
        return scores.round_sig_figs(DECIMALS) if is_tiny else scores.round(DECIMALS)

    def signature(self, tokenizer: str, references: References) -> Signature:
        """Name it in full."""
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
_OURS |= {card.name: card for card in of_vectors.CARDS}


def _refuse(name: str, card: Metric) -> None:
    """Refuse the card of another package that no request would find, or whose counts nothing counts."""
    if card.name != name:
        raise ValueError(f"its metric is called {card.name}")
    if card.counts not in catalogue():
        raise ValueError(f"it reads {card.counts}, which is no SELECT of this release")


def of_others() -> dict[str, Metric]:
    """Load the metrics of other packages: each that an entry point of group `auditor.metrics` names."""
    return {name: card for name, card, _ in added("auditor.metrics", Metric, _OURS, _refuse)}


#: Every metric by name, in the order in which results show them: ours, which keep their names, then those of others.
METRICS: dict[str, Metric] = dict(_OURS)

#: How a request begins that names a function of a Python module, or a file that holds a SELECT.
BY_MODULE, BY_FILE = "python:", "sql:"

F = TypeVar("F", bound=Callable[..., Any])

#: Every statistic of a dataset version by name, in the order in which results show them.
STATISTICS: Mapping[str, Statistic] = {card.name: card for card in (*cards.GLOBAL, *cards.LOCAL)}


@overload
def metric(function: F, /) -> F: ...


@overload
def metric(
    *, name: str | None = None, columns: bool = False, lower_is_better: bool = False, summary: str | None = None
) -> Callable[[F], F]: ...


def metric(
    function: F | None = None,
    /,
    *,
    name: str | None = None,
    columns: bool = False,
    lower_is_better: bool = False,
    summary: str | None = None,
) -> F | Callable[[F], F]:
    """Let a function be a metric in this process, under its own name with hyphens, or under `name`.

    The function gets a candidate and the list of its references, all as they are written, and gives a number: `float`.
    With `columns` it gets two Polars series of equal length, String and List(String), and gives a score for each row,
    in their order. It is called anew each time: nothing of it is kept. Its signature names the sha256 of its source.
    `lower_is_better` is for metrics that count errors. The function itself is given back, unchanged.

    Raises `MetricError` for a name that is taken by a metric of the package, or of another module, or is none.
    """

    def registering(function: F) -> F:
        called = name or _called(function)
        _register(
            own.card_of(function, called, columns=columns, lower_is_better=lower_is_better, summary=summary),
        )
        return function

    return registering if function is None else registering(function)


def _register(card: Metric) -> Metric:
    """Add a metric of the user's own; one of the same name and module, as a cell that is run again makes, gives way."""
    there = METRICS.get(card.name)
    if there is not None and own.home(there) != own.home(card):
        whose = own.home(there) or "auditor, or of a package"
        raise MetricError(f"{card.name}: a metric of {whose} has this name; {own.NAMED_BY} another")
    METRICS[card.name] = card
    return card


def _called(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", "")).replace("_", "-")


def _of_function(function: Callable[..., Any], called: str) -> Metric:
    """Find the metric that a function is: as its decorator declares it, or else called row by row."""
    declared = next((card for card in reversed(METRICS.values()) if own.is_of(card, function)), None)
    return declared or _register(own.card_of(function, called, columns=False, lower_is_better=False, summary=None))


def request(text: MetricName) -> MetricRequest:
    """Read `NAME`, `NAME:PARAMETER=VALUE,…`, `python:MODULE.FUNCTION` or `sql:FILE`; take a function as it is.

    What a user types or calls is read so; what a file holds is read by `request_of_file`. Raises `MetricError` that
    names what there is instead, or says why a module has no such function, or a file no such SELECT.
    """
    if not isinstance(text, str):
        if not callable(text):
            raise MetricError(f"{text!r}: no metric: expected a name, or a function of a candidate and its references")
        return defaults_of(_of_function(text, _called(text)))
    if text.startswith(BY_MODULE):
        path = text.removeprefix(BY_MODULE)
        return defaults_of(_of_function(own.function_of(path), path))
    if text.startswith(BY_FILE):
        return defaults_of(_register(card_of_statement(statement_of(Path(text.removeprefix(BY_FILE))))))
    return _by_name(text, opens=True)


def request_of_file(text: str) -> MetricRequest:
    """Read a request that stands in a file: a card, a gate, a plan, a receipt, a kept result.

    Such a file may be a stranger's. Raises `MetricError` where the request would run code or open a file.
    """
    if text.startswith((BY_MODULE, BY_FILE)):
        raise MetricError(f"{text}: would run code, which no file may ask for; ask for it yourself, with -m")
    return _by_name(text, opens=False)


def _by_name(text: str, *, opens: bool) -> MetricRequest:
    """Read `NAME:PARAMETER=VALUE,…`; settings name files only where it `opens` them."""
    name, _, settings = text.partition(":")
    if name not in METRICS:
        near = get_close_matches(name, METRICS, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise MetricError(f"{name}: no such metric; {hint}`auditor metrics` lists them")
    metric = METRICS[name]
    if (lacks := lacking(metric)) is not None:
        raise MissingExtraError(lacks)
    chosen = dict(defaults_of(metric).settings)
    for setting in filter(None, settings.split(",")):
        key, _, value = setting.partition("=")
        if key not in metric.parameters:
            raise MetricError(f"{text}: {name} has no parameter {key!r}; it has {', '.join(metric.parameters)}")
        if value.startswith(OF_FILE) and not opens:
            raise MetricError(f"{text}: would open a file, which no file may ask for; ask for it yourself, with -m")
        chosen[key] = metric.parameters[key].setting(text, key, value)
    return _asked(metric, chosen)


def in_scales(asked: MetricRequest) -> list[MetricRequest]:
    """Ask for a metric in every scale that it has, its own first; one without scales alone."""
    scale = asked.metric.parameters.get("scale")
    others = [other for other in scale.choices if other != asked.settings["scale"]] if scale else []
    return [asked, *(_asked(asked.metric, {**asked.settings, "scale": other}) for other in others)]


def _asked(metric: Metric, settings: Mapping[str, Any]) -> MetricRequest:
    """Name a metric by its settings, as far as they are not the defaults."""
    changed = {key: value for key, value in settings.items() if value != metric.parameters[key].default}
    label = ",".join(f"{key}={plain(value)}" for key, value in changed.items())
    return MetricRequest(metric, f"{metric.name}:{label}" if label else metric.name, settings)


def defaults_of(metric: Metric) -> MetricRequest:
    """Ask for a metric with every parameter at its default, whether or not this installation has what it needs."""
    return MetricRequest(metric, metric.name, {key: parameter.default for key, parameter in metric.parameters.items()})


def requests(texts: Sequence[MetricName] | None) -> list[MetricRequest]:
    """Read several; none stands for every default metric that this installation has. Asked for twice counts once.

    Raises `MetricError` for what is no request and for two functions of one name, `MissingExtraError` for a metric that
    needs what is not installed.
    """
    wanted: dict[str, MetricRequest] = {}
    for asked in map(request, texts or defaults()):
        if wanted.setdefault(asked.label, asked).metric is not asked.metric:
            raise MetricError(f"{asked.label}: two functions have this name; {own.NAMED_BY} one of them another")
    return list(wanted.values())


def are_ours(asked: Sequence[MetricRequest]) -> bool:
    """Return whether all of them are of this package, so that a hash of its code stands for theirs."""
    return all(metric.metric is _OURS.get(metric.metric.name) for metric in asked)


def defaults() -> list[str]:
    """Name the metrics that a request for none in particular means."""
    return [name for name, metric in METRICS.items() if metric.default and lacking(metric) is None]


def left_out(texts: Sequence[MetricName] | None) -> list[Finding]:
    """Say of each default metric that this installation cannot have why it is missing where none was asked for."""
    reasons = {} if texts else {name: lacking(metric) for name, metric in METRICS.items() if metric.default}
    return [not_installed(name, reason) for name, reason in reasons.items() if reason]


def not_installed(metric: str, reason: str) -> Finding:
    """Say that a metric was left out, since this installation cannot have it, and why."""
    return Finding("metric-not-installed", f"left out: {reason}", {"metric": metric}, severity="notice")


def lacking(metric: Metric) -> str | None:
    """Return what a metric needs and this installation has not; null where nothing is lacking."""
    try:
        if metric.require:
            metric.require()
    except MissingExtraError as error:
        return str(error)
    except BaseException as error:
        if metric is _OURS.get(metric.name) or isinstance(error, KeyboardInterrupt):
            raise
        return f"{metric.name}, of another package: {said(error)}"
    return None


METRICS |= of_others()  # only now: their modules may import this one
