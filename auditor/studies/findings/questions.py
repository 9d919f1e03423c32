"""Run the studies that findings and reports need, each at most once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from auditor.errors import AuditorError
from auditor.model import Progress, Selection, Source
from auditor.parameters import Metrics
from auditor.result import Result, Sentence
from auditor.scoring.references import first_related
from auditor.scoring.registry import are_ours, requests
from auditor.scoring.single_captions import lacking
from auditor.store.captions import Captions, selections_of
from auditor.store.connection import Store
from auditor.store.kept_results import kept_result
from auditor.studies.bounds import METRICS, bounds
from auditor.studies.choices import choices
from auditor.studies.duplicates import duplicates
from auditor.studies.outliers import outliers
from auditor.studies.templates import templates

#: What identifies a result: the study, then what is special about this one, such as the dataset.
Key = tuple[str, ...]

#: The metric of slots: bounds count it in the same pass, so templates need not.
_OF_SLOTS = "cider"


@dataclass
class Questions:
    """The studies of some captions. `absent` has the reason, by study, why one has no result.

    `declared` are the datasets of datasets.toml, `metrics` those for forced choices, and `references` the number that
    is sampled. `measured` computes bounds by all of `METRICS` and more, and keeps them itself.
    """

    every: tuple[Captions, ...]
    seed: int
    declared: Mapping[str, Source]
    progress: Progress
    metrics: Metrics = ()
    references: int | None = None
    measured: Callable[[], Result] | None = None
    results: dict[Key, Result] = field(default_factory=dict)
    absent: dict[Key, str] = field(default_factory=dict)

    def ask(self, key: Key, make: Callable[[], Result], about: Sequence[Selection] = ()) -> Result | None:
        """Return the result of a study, computed at most once; null if it fails."""
        if key not in self.results and key not in self.absent:
            try:
                self.results[key] = make() if make is self.measured else self._kept(key, make, about)
            except AuditorError as error:
                self.absent[key] = Sentence(f"{key[0]}: {error}", "skipped")
        if result := self.results.get(key):
            self.store.record(*result.sql)
        return result

    def why_not(self, study: str) -> list[str]:
        """List the reasons why a study has no result for some datasets."""
        return [why for key, why in self.absent.items() if key[0] == study]

    def _kept(self, key: Key, make: Callable[[], Result], about: Sequence[Selection]) -> Result:
        """Return the result of a study, kept in the store unless it has metrics whose code may change."""
        if not are_ours(requests(self.metrics)):
            return make()
        roles = [source.split_roles for _, source in sorted(self.declared.items())]
        settings = {"tokenizer": self.tokenizer, "seed": self.seed, "roles": roles}
        if key[0] == "choices":  # all others are the same in findings and in a report
            settings |= {"metrics": self.metrics, "references": self.references}
        return kept_result(self.store, " ".join(key), about or selections_of(self.every), settings, make)

    @property
    def store(self) -> Store:
        """The store that holds the captions."""
        return self.every[0].store

    @property
    def tokenizer(self) -> str:
        """The tokenizer of all studies."""
        return self.every[0].tokenizer

    @cached_property
    def in_pairs(self) -> tuple[Captions, ...]:
        """The datasets with at least one image that has two captions; others have nothing to compare."""
        return tuple(captions for captions in self.every if not lacking(captions))

    def duplicates(self) -> Result | None:
        """Search for duplicates within the datasets and between them."""
        refs = [captions.selection.pinned_name for captions in self.every]
        return self.ask(
            ("duplicates",), lambda: duplicates(self.store, *refs, config=self.declared, progress=self.progress)
        )

    def outliers(self, captions: Captions) -> Result | None:
        """Search the captions of one dataset for captions of another image."""
        return self._of_one(captions, outliers) if captions in self.in_pairs else None

    def templates(self, captions: Captions) -> Result | None:
        """Search the captions of one dataset for templates and for slots with a different style."""
        return self._of_one(captions, templates)

    def bounds(self, captions: Captions) -> Result | None:
        """Score human captions and wrong captions by `METRICS`."""
        comparable = selections_of(self.in_pairs)
        if captions.selection not in comparable:
            return None
        if self.measured is not None:
            return self.ask(("bounds",), self.measured)
        return self.ask(
            ("bounds", "of findings"),
            lambda: bounds(
                self.store,
                *(in_pair.pinned_name for in_pair in comparable),
                metrics=(*METRICS, _OF_SLOTS),
                candidates=("human", "intra"),
                tokenizer=self.tokenizer,
                seed=self.seed,
                progress=self.progress,
            ),
            comparable,
        )

    def of_choices(self, selection: Selection, described: Selection | None = None) -> dict[str, Any]:
        """Return how the items of a benchmark are tested; another dataset may describe its images.

        Metrics need a dataset that does. Without one, the notes report it, and blind scorers remain.
        """
        related = described or self._related(selection)
        metrics = self.metrics if related or not self.metrics else None
        return {"against": described and described.pinned_name, "metrics": metrics, "seed": self.seed}

    def choices(self, selection: Selection, described: Selection | None = None) -> Result | None:
        """Test what decides the items of a benchmark."""
        options = {**self.of_choices(selection, described), "tokenizer": self.tokenizer, "progress": self.progress}
        about = filter(None, [selection, described or self._related(selection)])
        asked = partial(choices, self.store, selection.pinned_name, **options)
        return self.ask(("choices", selection.pinned_name), asked, [*about])

    def _related(self, selection: Selection) -> Selection | None:
        return first_related(Captions(self.store, selection, self.tokenizer))

    def _of_one(self, captions: Captions, study: Callable[..., Result]) -> Result | None:
        ref = captions.selection.pinned_name
        return self.ask(
            (study.__name__, captions.label),
            lambda: study(self.store, ref, tokenizer=self.tokenizer, progress=self.progress),
            [captions.selection],
        )
