"""What every section of a report is asked: about which captions, how, and with what has been found before."""

from __future__ import annotations

import dataclasses
import functools
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Progress, Selection, Source, silent
from auditor.result import Result
from auditor.scoring.registry import References, are_ours, request, requests
from auditor.scoring.single_captions import referenced
from auditor.store.connection import Store
from auditor.store.kept_results import kept_result
from auditor.store.scripts import chosen_tokenizer
from auditor.studies.bounds import bounds
from auditor.studies.findings import METRICS as METRICS_OF_FINDINGS
from auditor.studies.findings import Questions
from auditor.studies.profile import profile
from auditor.text import AUTO, tokenizer_of

#: A first and a fourth order of n-grams, a subsequence, a consensus: one of each kind that needs no further part to be
#: installed and is counted in minutes, not hours.
METRICS = ("bleu-1", "bleu-4", "rouge-l", "cider-d")


Metrics = Annotated[
    Sequence[str],
    p.Parameter("Metric, with parameters: cider-d:sigma=4. Repeat for more; default: a few.", "metric", "m"),
]


@dataclass(frozen=True)
class ReportSettings:
    """What is decided for a whole report. `resamples` are those behind each interval of a comparison.

    A function among the `metrics` is called by its name from here on.
    """

    metrics: Metrics = METRICS
    tokenizer: p.Tokenizer = AUTO
    split: p.Split = None
    seed: p.Seed = 1
    references: p.References = None
    resamples: p.Resamples = 1000
    confidence: p.Confidence = 0.95

    def __post_init__(self) -> None:
        names = tuple(metric if isinstance(metric, str) else request(metric).label for metric in self.metrics)
        object.__setattr__(self, "metrics", names)
        if self.tokenizer != AUTO:
            tokenizer_of(self.tokenizer)
        if self.resamples < 0:
            raise UsageError(f"--resamples {self.resamples}: expected a number of resamples, or 0 for no interval")


@dataclass
class ReportContext:
    """One report in the making. `results` are those so far, by study, so that none is made twice.

    `tokenizer_notes` say which tokenizer was chosen where none was named, and why; `settings` then name it, and so do
    its commands (`names_tokenizer`), as they do one that would not have been chosen.

    `scored` are the selections whose captions have references, `alone` says of the others why they have no scores.

    `declared` are the datasets as datasets.toml has them, by name: what their splits count as.
    """

    store: Store
    selections: tuple[Selection, ...]
    settings: ReportSettings
    progress: Progress = silent
    declared: Mapping[str, Source] = field(default_factory=dict)
    results: dict[str, Result] = field(default_factory=dict)
    tokenizer_notes: list[str] = field(default_factory=list)
    names_tokenizer: bool = False
    scored: tuple[Selection, ...] = ()
    alone: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        against, metrics = References("loo", self.settings.references, self.settings.seed), self.settings.metrics
        self.scored, alone = referenced(self.store, self.selections, against, requests(metrics), least=0)
        self.alone = tuple(f"{name.sentence}." for name in alone)
        chosen, notes = chosen_tokenizer(self.store, self.refs)
        if self.settings.tokenizer == AUTO:
            self.settings, self.tokenizer_notes = dataclasses.replace(self.settings, tokenizer=chosen), notes
        self.names_tokenizer = bool(self.tokenizer_notes) or self.settings.tokenizer != chosen

    @property
    def refs(self) -> list[str]:
        """What the selections are called so that nothing later can change what they name."""
        return [selection.pinned_name for selection in self.selections]

    def result(self, study: str, make: Callable[[], Result], about: Sequence[Selection] = ()) -> Result:
        """Return the result of a study, made at most once, and kept in the store's cache for the next report.

        `about` are the selections that it is about, where these are not those of the report.
        """
        if study not in self.results:
            self.progress(study, len(self.results), len(self.results) + 1)
            own = [selection.version.dataset for selection in self.selections]
            roles = [(name, sorted(self.declared[name].split_roles.items())) for name in own if name in self.declared]
            settings = dataclasses.asdict(self.settings) | {"roles": roles}
            around = self.selections if about else ()
            self.results[study] = (
                kept_result(self.store, study, about or self.selections, settings, make, beside=around)
                if are_ours(requests(self.settings.metrics))
                else make()
            )
        return self.results[study]

    @functools.cached_property
    def questions(self) -> Questions:
        """What findings and sections ask of the same captions."""
        settings = self.settings
        knows = settings.references is None and set(METRICS_OF_FINDINGS) <= set(settings.metrics)
        return Questions(
            self.store, self.selections, settings.tokenizer, settings.seed, self.declared, self.progress,
            metrics=settings.metrics, references=settings.references, keep=self.result,
            measured=(lambda: self.measured(bounds)) if knows else None,
        )  # fmt: skip

    def profiled(self) -> Result:
        """Count sizes, lengths, words and signs of dirt."""
        return self.result(
            "profile",
            lambda: profile(self.store, *self.refs, tokenizer=self.settings.tokenizer, progress=self.progress),
        )

    def measured(self, study: Callable[..., Result], **more: object) -> Result:
        """Ask a study of scores what the report was asked, of the captions that have references."""
        settings = self.settings
        asked = {
            "metrics": settings.metrics, "tokenizer": settings.tokenizer, "seed": settings.seed,
            "references": settings.references, "progress": self.progress, **more,
        }  # fmt: skip
        refs = [label.pinned_name for label in self.scored]
        about = self.scored if self.alone else ()
        return self.result(study.__name__, lambda: study(self.store, *refs, **asked), about)

    def related(self, selection: Selection, *kinds: str) -> dict[str, list[str]]:
        """Name the datasets of some kinds that are related, either way, by kind."""
        named = (
            "select d.kind, d.dataset from dataset as d join dataset as own on own.dataset = $dataset"
            " where list_contains($kinds, d.kind)"
            " and (list_contains(d.related, own.dataset) or list_contains(own.related, d.dataset)) order by d.dataset"
        )
        by_kind: dict[str, list[str]] = {}
        asked = {"dataset": selection.version.dataset, "kinds": list(kinds)}
        for kind, dataset in self.store.query(named, asked).iter_rows():
            by_kind.setdefault(kind, []).append(dataset)
        return by_kind

    def to_add(self, selections: Sequence[Selection], *kinds: str) -> str:
        """Name a command that adds a dataset of some kinds, where any is declared as related to a selection."""
        names = {selection.version.dataset for selection in selections}
        related = (name for name, one in self.declared.items() if one.kind in kinds and names & {*one.related})
        first = next(related, None)
        return f"; `auditor ingest {first}` adds some" if first else ""

    def counts(self, metrics: Sequence[str] | None = None) -> tuple[str, ...]:
        """Name the SELECTs that count for the metrics."""
        wanted = requests(metrics or self.settings.metrics)
        return tuple(dict.fromkeys(name for metric in wanted for name in metric.counting.relations))

    def command(self, verb: str, *options: str, refs: Sequence[str] | None = None) -> str:
        """Write the command that makes a part of the report again."""
        named = map(shlex.quote, self.refs if refs is None else refs)
        return " ".join(["auditor", verb, *named, *options])

    def scoring(self, *, metrics: bool = True) -> list[str]:
        """Write the settings of scores as options, those that are not the default."""
        options: list[str] = [f"-m {shlex.quote(name)}" for name in self.settings.metrics] if metrics else []
        options += [f"--references {self.settings.references}"] if self.settings.references else []
        options += [f"--seed {self.settings.seed}"] if self.settings.seed != 1 else []
        return options + self.tokenizer()

    def scoring_command(self, verb: str, *options: str) -> str:
        """Write the command that scores again what the report has scored."""
        return self.command(verb, *self.scoring(), *options, refs=[label.pinned_name for label in self.scored])

    def comparing(self) -> list[str]:
        """Write the settings of intervals as options, those that are not the default."""
        default = ReportSettings()
        chosen = {"resamples": self.settings.resamples, "confidence": self.settings.confidence}
        return [f"--{name} {value:g}" for name, value in chosen.items() if value != getattr(default, name)]

    def tokenizer(self) -> list[str]:
        """Write the tokenizer as an option, where it is not the default."""
        return [f"--tokenizer {self.settings.tokenizer}"] if self.names_tokenizer else []
