"""The section of a report on forced-choice items: which caption is right, and can it be told without the image?"""

from __future__ import annotations

import polars as pl

from auditor.errors import AuditorError
from auditor.model import Selection
from auditor.result import Result, Section
from auditor.store.versions import resolve
from auditor.studies.choices import choices, of_all_items
from auditor.studies.report.request import ReportContext

_KIND = "choices"

#: The tables that are shown at once.
_FIRST = ("choices", "against-blind")

_SQL = (
    "choice_item",
    "choice_surface",
    "caption_chance",
    "caption_bits",
    "choice_feature",
    "candidate_choice",
    "fair_choice",
)


def forced_choice(context: ReportContext, name: str, title: str) -> Section:
    """Ask every benchmark that the report is about, or whose images its datasets describe."""
    asked: dict[str, Selection | None] = {}
    for one in context.selections:
        if one.version.kind == _KIND:
            asked.setdefault(one.pinned_name, None)
        else:
            asked |= dict.fromkeys(context.related(one, _KIND).get(_KIND, []), one)
    if not asked:
        add = context.to_add(context.selections, _KIND)
        return Section(name, title, absent=f"The store holds no forced-choice items of these images{add}.")
    parts = [_result(context, ref, described) for ref, described in asked.items()]
    results = [part for part in parts if isinstance(part, Result)]
    commands = [
        context.command(
            "choices", *([f"--against {described.pinned_name}"] if described else []), *context.scoring(), refs=[ref]
        )
        for ref, described in asked.items()
    ]
    return Section(
        name, title, tuple(_words(one) for one in results), tuple(results),
        tuple(table for one in results for table in one.tables if table.name in _FIRST),
        tuple(table for one in results for table in one.tables if table.name not in _FIRST),
        tuple(figure for one in results for figure in one.figures),
        (*(part for part in parts if isinstance(part, str)), *(note for one in results for note in one.notes)),
        tuple(commands), _SQL if results else (), findings=tuple(found for one in results for found in one.findings),
    )  # fmt: skip


def _result(context: ReportContext, ref: str, described: Selection | None) -> Result | str:
    """Ask one benchmark; where it has no answer, say why."""
    settings = context.settings

    def make() -> Result:
        return choices(
            context.store,
            ref,
            against=described.pinned_name if described else None,
            metrics=settings.metrics if described else None,
            tokenizer=settings.tokenizer,
            seed=settings.seed,
            progress=context.progress,
        )

    about = [resolve(context.store, ref), *([described] if described else [])]
    try:
        return context.result(f"choices {ref}", make, about)
    except AuditorError as error:
        return f"{ref}: {error}"


def _words(result: Result) -> str:
    """Say how far the best scorer without the image comes, and the best that sees anything."""
    whole = of_all_items(result.frame)
    blind = whole.filter(pl.col("scorer") == pl.col("best_blind"))
    label = result.selections[0].label
    if blind.is_empty():
        return f"{label} has no items that can be scored."
    best = blind.row(0, named=True)
    said = (
        f"Of the {best['n']:,} items of {label}, {best['accuracy']:.1%} are told without the image, by"
        f" {best['scorer']}; chance is {100 * best['expected']:.0f} %."
    )
    seeing = whole.filter(pl.col("accuracy").is_not_null(), kind="metric").sort("accuracy", descending=True)
    if seeing.height:
        name, accuracy = seeing.select("scorer", "accuracy").row(0)
        said += f" {name}, the best of the metrics, which know other captions of the image, is right in {accuracy:.1%}."
    return said
