"""Run the studies that findings and reports need, each at most once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from auditor.errors import AuditorError
from auditor.model import Progress, Selection, Source
from auditor.parameters import Metrics
from auditor.result import Result
from auditor.scoring.single_captions import lacking
from auditor.store.connection import Store
from auditor.store.versions import images
from auditor.studies.bounds import bounds
from auditor.studies.choices import choices
from auditor.studies.duplicates import duplicates
from auditor.studies.outliers import outliers
from auditor.studies.templates import templates

#: The metrics that check whether the captions of an image are paraphrases. Unlike BLEU-4, they give short captions a
#: score above 0.
METRICS = ("rouge-l", "cider-d")

#: Returns the result of a study. Arguments: its name, a function that computes it, and the selections that it reads.
Keep = Callable[[str, Callable[[], Result], Sequence[Selection]], Result]


def _uncached(_: str, make: Callable[[], Result], __: Sequence[Selection]) -> Result:
    return make()


@dataclass
class Questions:
    """The studies of some selections. `absent` has the reason, by study, why one has no result.

    `declared` are the datasets of datasets.toml, `metrics` those for forced choices, and `references` the number that
    is sampled. `measured` computes bounds by all of `METRICS` and more. `keep` stores results for later runs.
    """

    store: Store
    selections: tuple[Selection, ...]
    tokenizer: str
    seed: int
    declared: Mapping[str, Source]
    progress: Progress
    metrics: Metrics = ()
    references: int | None = None
    measured: Callable[[], Result] | None = None
    keep: Keep = _uncached
    absent: dict[str, str] = field(default_factory=dict)
    _results: dict[str, Result] = field(default_factory=dict)

    def ask(self, name: str, make: Callable[[], Result], about: Sequence[Selection] = ()) -> Result | None:
        """Return the result of a study, computed at most once; null if it fails. `name` begins with the study."""
        if name not in self._results and name not in self.absent:
            try:
                self._results[name] = self.keep(name, make, about)
            except AuditorError as error:
                self.absent[name] = f"{name.split(maxsplit=1)[0]}: {error}"
        return self._results.get(name)

    @cached_property
    def in_pairs(self) -> tuple[Selection, ...]:
        """The selections with at least one image that has two captions; others have nothing to compare."""
        return tuple(selection for selection in self.selections if not lacking(self.store, selection))

    def duplicates(self) -> Result | None:
        """Search for duplicates within the datasets and between them."""
        refs = [selection.pinned_name for selection in self.selections]
        return self.ask(
            "duplicates", lambda: duplicates(self.store, *refs, config=self.declared, progress=self.progress)
        )

    def within(self, selection: Selection, role: str) -> Result | None:
        """Search for duplicates within the split that has a role."""
        part = replace(selection, split=playing(role, self.store, selection, self.declared))
        return self.ask(
            f"duplicates of {selection.version.label} within {role}",
            lambda: duplicates(self.store, part.pinned_name, config=self.declared, examples=0, progress=self.progress),
            [selection],
        )

    def outliers(self, selection: Selection) -> Result | None:
        """Search the captions of one dataset for captions of another image."""
        return self._of_one(selection, outliers) if selection in self.in_pairs else None

    def templates(self, selection: Selection) -> Result | None:
        """Search the captions of one dataset for templates and for slots with a different style."""
        return self._of_one(selection, templates)

    def bounds(self, selection: Selection) -> Result | None:
        """Score human captions and wrong captions by `METRICS`."""
        comparable = self.in_pairs
        if selection not in comparable:
            return None
        if self.measured is not None:
            return self.ask("bounds", self.measured)
        return self.ask(
            "bounds of findings",
            lambda: bounds(
                self.store,
                *(in_pair.pinned_name for in_pair in comparable),
                metrics=METRICS,
                candidates=("human", "intra"),
                tokenizer=self.tokenizer,
                seed=self.seed,
                progress=self.progress,
            ),
            comparable,
        )

    def choices(self, selection: Selection, described: Selection | None = None) -> Result | None:
        """Test what decides the items of a benchmark; another dataset may describe its images."""
        against = described.pinned_name if described else None
        return self.ask(
            f"choices {selection.pinned_name}",
            lambda: choices(
                self.store, selection.pinned_name, against=against, metrics=self.metrics, tokenizer=self.tokenizer,
                seed=self.seed, progress=self.progress,
            ),
            [selection, *([described] if described else [])],
        )  # fmt: skip

    def _of_one(self, selection: Selection, study: Callable[..., Result]) -> Result | None:
        ref = selection.pinned_name
        return self.ask(
            f"{study.__name__} {selection.label}",
            lambda: study(self.store, ref, tokenizer=self.tokenizer, progress=self.progress),
            [selection],
        )


def playing(role: str, store: Store, selection: Selection, declared: Mapping[str, Source]) -> str:
    """Return the split with a role: the split of that name, or one that is declared to have the role."""
    available = set(images(store, selection)["split"])
    source = declared.get(selection.version.dataset)
    others = [split for split, plays in (source.split_roles if source else {}).items() if plays == role]
    return next((split for split in (role, *others) if split in available), role)
