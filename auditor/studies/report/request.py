"""The input of every section of a report: selections, settings, and earlier results."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from auditor import parameters as p
from auditor.called import call
from auditor.findings.wording import item_of
from auditor.model import Progress, Selection, Source, silent
from auditor.result import IMAGE, Result
from auditor.scoring.registry import References, are_ours, request, requests
from auditor.scoring.single_captions import referenced
from auditor.store.captions import Captions, chosen_tokenizer, selections_of
from auditor.store.connection import Store
from auditor.store.kept_results import kept_result
from auditor.studies.bounds import bounds
from auditor.studies.findings import METRICS as METRICS_OF_FINDINGS
from auditor.studies.findings import Key, Questions
from auditor.studies.profile import profile
from auditor.text import AUTO, tokenizer_of

#: The default metrics: n-grams of order one and four, a subsequence, a consensus. They need no extra component and take
#: minutes, not hours.
METRICS = ("bleu-1", "bleu-4", "rouge-l", "cider-d")

#: Why items have no scores by the other captions of their image: right and wrong captions are not references.
_OF_ITEMS = "right and wrong captions of forced-choice items are not references of each other."

Metrics = Annotated[
    Sequence[str],
    p.Parameter(
        "Metric with parameters, such as cider-d:sigma=4. Several: a,b or repeat. Default: a few.",
        "metric",
        "m",
        read=p.each_metric,
    ),
]


@dataclass(frozen=True)
class ReportSettings:
    """The settings of a report and of a dataset card. Functions among the `metrics` are replaced by their names."""

    metrics: Metrics = METRICS
    tokenizer: p.Tokenizer = AUTO
    split: p.Split = None
    seed: p.Seed = 1
    references: p.References = None

    def __post_init__(self) -> None:
        names = tuple(metric if isinstance(metric, str) else request(metric).label for metric in self.metrics)
        object.__setattr__(self, "metrics", names)
        if self.tokenizer != AUTO:
            tokenizer_of(self.tokenizer)


@dataclass
class ReportContext:
    """The state of a report in progress. `results` are those computed so far, by study; each is computed once.

    `tokenizer_notes` explain the default tokenizer if it was chosen by the captions. `settings` then contain it, and so
    do the commands (`names_tokenizer`). Commands also contain a tokenizer that differs from the default.

    `every` has the captions of the selections, `scored` those that have references. `alone` has the reasons why others
    have no scores.

    `declared` are the datasets of datasets.toml, by name, with the roles of their splits. `resamples` is the number for
    each interval of a comparison.
    """

    store: Store
    selections: tuple[Selection, ...]
    settings: ReportSettings
    progress: Progress = silent
    declared: Mapping[str, Source] = field(default_factory=dict)
    resamples: int = 1000
    confidence: float = 0.95
    results: dict[Key, Result] = field(default_factory=dict)
    tokenizer_notes: list[str] = field(default_factory=list)
    names_tokenizer: bool = False
    every: tuple[Captions, ...] = ()
    scored: tuple[Captions, ...] = ()
    alone: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        chosen, notes = chosen_tokenizer(self.store, self.selections)
        if self.settings.tokenizer == AUTO:
            self.settings, self.tokenizer_notes = dataclasses.replace(self.settings, tokenizer=chosen), notes
        self.names_tokenizer = bool(self.tokenizer_notes) or self.settings.tokenizer != chosen
        settings = self.settings
        self.every = tuple(Captions(self.store, selection, settings.tokenizer) for selection in self.selections)
        against = References("loo", settings.references, settings.seed)
        own = [captions for captions in self.every if captions.selection.version.kind != "choices"]
        self.scored, unscored = referenced(own, against, requests(settings.metrics), least=0)
        items = [f"{captions.label}: {_OF_ITEMS}" for captions in self.every if captions not in own]
        self.alone = (*(f"{finding.sentence}." for finding in unscored), *items)

    @property
    def refs(self) -> list[str]:
        """The names of the selections, with pinned versions."""
        return [selection.pinned_name for selection in self.selections]

    def result(self, key: Key, make: Callable[[], Result], about: Sequence[Selection] = ()) -> Result:
        """Return the result of a study, computed at most once, and cached in the store for the next report.

        `about` are the selections that it reads, if these differ from those of the report.
        """
        if key not in self.results:
            named = (selection.version.dataset for selection in self.selections)
            own = [(name, self.declared[name]) for name in named if name in self.declared]
            settings = dataclasses.asdict(self.settings)
            settings |= {"resamples": self.resamples, "confidence": self.confidence}
            settings |= {"roles": [(name, sorted(of.split_roles.items()), of.item) for name, of in own]}
            read, beside = about or self.selections, self.selections if about else ()
            is_kept = are_ours(requests(self.settings.metrics))
            self.results[key] = (
                kept_result(self.store, " ".join(key), read, settings, make, beside=beside) if is_kept else make()
            )
        self.store.record(*self.results[key].sql)
        return self.results[key]

    @functools.cached_property
    def questions(self) -> Questions:
        """The studies that findings and sections share."""
        settings = self.settings
        knows = settings.references is None and set(METRICS_OF_FINDINGS) <= set(settings.metrics)
        return Questions(
            self.every, settings.seed, self.declared, self.progress,
            metrics=settings.metrics, references=settings.references,
            measured=(lambda: self.measured(bounds)) if knows else None, results=self.results,
        )  # fmt: skip

    @functools.cached_property
    def item(self) -> str:
        """The word for what the captions of all datasets describe; `image` if they have different words."""
        named = ((self.declared.get(one.selection.version.dataset), one.images()["image"]) for one in self.every)
        items = {item_of(source, images) for source, images in named}
        return items.pop() if len(items) == 1 else IMAGE

    def profiled(self) -> Result:
        """Count sizes, lengths, words and possible text defects."""
        how: dict[str, Any] = {"tokenizer": self.settings.tokenizer, "declared": self.declared}
        return self.result(("profile",), lambda: profile(self.store, *self.refs, progress=self.progress, **how))

    def measured(self, study: Callable[..., Result], **more: object) -> Result:
        """Run a study of scores with the settings of the report, on the captions that have references."""
        settings = self.settings
        options = {
            "metrics": settings.metrics, "tokenizer": settings.tokenizer, "seed": settings.seed,
            "references": settings.references, "progress": self.progress, **more,
        }  # fmt: skip
        scored = selections_of(self.scored)
        refs = [selection.pinned_name for selection in scored]
        about = scored if self.alone else ()
        return self.result((study.__name__,), lambda: study(self.store, *refs, **options), about)

    def related(self, selection: Selection, *kinds: str) -> dict[str, list[str]]:
        """List the datasets of these kinds that are related in either direction, by kind."""
        named = (
            "select d.kind, d.dataset from dataset as d join dataset as own on own.dataset = $dataset"
            " where list_contains($kinds, d.kind)"
            " and (list_contains(d.related, own.dataset) or list_contains(own.related, d.dataset)) order by d.dataset"
        )
        rows = self.store.query(named, {"dataset": selection.version.dataset, "kinds": list(kinds)})
        return dict(rows.group_by("kind", maintain_order=True).agg("dataset").iter_rows())

    def to_add(self, selections: Sequence[Selection], *kinds: str) -> str:
        """Return a hint to ingest a dataset of these kinds, if one is declared as related to a selection."""
        names = {selection.version.dataset for selection in selections}
        related = (name for name, source in self.declared.items() if source.kind in kinds and names & {*source.related})
        first = next(related, None)
        return f". To add some: `{call('ingest', first)}`" if first else ""

    @property
    def tokenizer(self) -> str | None:
        """The tokenizer in commands; null if it is the default."""
        return self.settings.tokenizer if self.names_tokenizer else None

    @property
    def sampling(self) -> dict[str, Any]:
        """The settings of samples in commands."""
        return {"tokenizer": self.tokenizer, "references": self.settings.references, "seed": self.settings.seed}

    @property
    def typed(self) -> dict[str, Any]:
        """The settings of the report in its command; the split is in the names of the selections."""
        return {"settings": dataclasses.replace(self.settings, tokenizer=self.tokenizer or AUTO, split=None)}
