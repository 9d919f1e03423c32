"""Which parts of captions do metrics react to? (Wang & Gaizauskas 2016, sections 4.1, CIDEr, and 6).

And which changes raise a score but should not? (Vedantam et al. 2015, section 8.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import question
from auditor.model import Progress, Selection, silent
from auditor.result import Figure, Finding, Result, Said, Table, about
from auditor.result.views import EMPTY, View, arranged
from auditor.scoring.candidate_sets import missing
from auditor.scoring.candidates import HUMAN, text_changes
from auditor.scoring.registry import MetricRequest, References, left_out, requests
from auditor.scoring.scores import scorable, score_candidates, signatures, together, too_long, with_reasons
from auditor.scoring.single_captions import referenced, without_references
from auditor.statistics.summary import summarize
from auditor.store.captions import Captions, select_all, selections_of, stepwise
from auditor.store.connection import Store
from auditor.studies.probe.changes import COMPONENTS, Component, Components
from auditor.text import AUTO

#: The default numbers of changed words of a reference.
WORDS = (1, 2, 3)


Changes = Annotated[
    Sequence[str] | None,
    p.Parameter(
        "reference-words, order, half, function-words, content-words, adjectives, prepositional-phrases, nouns, "
        "repeated-word, padding, inflection; repeat for more; default: all that are possible.",
        "component",
        "c",
        choices=COMPONENTS,
    ),
]

Words = Annotated[
    Sequence[int] | None,
    p.Parameter("Number of words to change in one reference; repeat for more; default: 1, 2, 3.", least=1, most=1000),
]

Pipeline = Annotated[
    str | None, p.Parameter("spaCy pipeline that tags and parses; default: en_core_web_sm, if installed.")
]


@face(draws=True)
@question
def probe(
    store: Store,
    *refs: p.Refs,
    metrics: p.Metrics = None,
    components: Changes = None,
    words: Words = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    seed: p.Seed = 1,
    function_words: p.FunctionWords = None,
    pipeline: Pipeline = None,
    progress: Progress = silent,
) -> Result:
    """Test which parts of captions metrics react to.

    Scores captions before and after a change. Document frequencies are those of the unchanged captions.

    - References (reference-words): 1, 2, … words of one reference are replaced by other words.
    - Captions (order, half, adjectives, nouns, …): the caption loses its word order, its second half, its adjectives, …
    - Gaming: the most confident word is repeated, once (repeated-word) or up to the length of the other captions
      (padding). With inflection, words take other forms.

    How to read it: `relative` is the change as a share of the score before: at -0.3, 30% of the score is lost. A metric
    that loses nothing without word order does not read it. `gained` is the share of captions that score better after
    the change. For repeated-word and padding it should be 0, or the metric can be gamed.

    Limits: probes show what changes a score, not whether it should. Parts of speech need a spaCy pipeline. The
    confident word of the gaming probes comes from the references: an upper bound of what a system could gain.

    Rows, per metric and component: n, mean (after), before, change, relative, gained, changed, replaced and words.
    changed is the share of captions that changed, or whose references did. replaced counts the words replaced per
    changed reference (mean), words those left in a caption (mean).

    Source: Wang & Gaizauskas 2016, sections 4.1 and 6; Vedantam et al. 2015, section 8.

    Raises `UsageError` or `MissingExtraError` if a component that you name cannot be made.

    Example: auditor probe flickr8k:test -m cider -m cider-d -c repeated-word
    """
    requested = requests(metrics)
    names = [name for name in COMPONENTS if not components or name in components]
    selected = select_all(store, refs, split, tokenizer, progress=progress)
    every, alone = referenced(selected, References("loo"), requested)
    selections = selections_of(every)
    tokenizer = selected[0].tokenizer
    possible = Components(names, sorted(set(words or WORDS)), seed, tokenizer, function_words, pipeline)
    notes: list[Said] = [*selected[0].notes, *left_out(metrics), *alone]
    parts, lacking, signed = [], [], []
    for captions, steps in stepwise(every, progress):
        selection = captions.selection
        usable, unscored = scorable(captions, requested, metrics)
        made, reasons = possible.of(captions, steps)
        for name, reason in reasons.items() if components else ():
            raise type(reason)(f"{selection.label}: no {name}: {reason}")
        signed.append(signatures(usable, tokenizer, References("loo")))
        parts.append(_probed(captions, usable, made, steps))
        lacking.append(with_reasons(parts[-1].clear(), captions, requested))
        absent = missing({selection.label: {name: str(reason) for name, reason in reasons.items()}})
        notes += [*unscored, *absent, *without_references(captions), *too_long(captions)]
    frame = pl.concat(parts)
    return Result(
        "probe",
        pl.concat([frame, *lacking], how="diagonal"),
        selections=selections,
        signatures=together(signed),
        tables=arranged(_TABLES, selections, frame),
        figures=arranged(_FIGURES, selections, frame),
        said=(*notes, *findings(selections, frame)),
        lead=tuple(_lead(selections, frame)),
    ).led_by("gamed-metric")


def _probed(
    captions: Captions, metrics: Sequence[MetricRequest], made: Sequence[Component], progress: Progress
) -> pl.DataFrame:
    sets = [component.candidates for component in made]
    scores = score_candidates(captions, [HUMAN, *sets], metrics, progress)
    changes = text_changes(captions, sets)
    untouched = scores.filter(pl.col("candidate") == HUMAN.name).drop("candidate")
    parts = []
    for component in made:
        after = scores.filter(pl.col("candidate") == component.name).drop("candidate")
        own = changes.filter(pl.col("candidate") == component.name).drop("candidate")
        if component.probe == "perturbation":
            after = after.join(own, on=["image", "slot"], how="anti")
            met = after.select("image").join(own, on="image")
            own = met.with_columns(words=pl.lit(None, pl.UInt32))
            replaced = met["replaced"].mean()
        else:
            own = own.join(after, on=["image", "slot"], how="semi")
            replaced = None
        before = untouched.join(after, on=["image", "slot"], how="semi")
        means = _means(before, "before").join(_means(after, "mean"), on=["metric", "n"], maintain_order="left")
        scored = means.join(_gained(before, after, metrics), on="metric", maintain_order="left")
        numbers = {"changed": own["changed"].sum() / after.height, "replaced": replaced, "words": own["words"].mean()}
        seed, signed = component.settings.get("seed"), _signed(metrics, component, captions.tokenizer)
        scored = scored.with_columns(
            probe=pl.lit(component.probe), component=pl.lit(component.name), seed=pl.lit(seed, pl.Int64)
        )
        more = {name: pl.lit(number, pl.Float64) for name, number in numbers.items()}
        parts.append(scored.with_columns(signature=pl.col("metric").replace_strict(signed), **more))
    rows = pl.concat(parts).select(
        "metric", "probe", "component", "n", "mean", "before",
        (pl.col("mean") - pl.col("before")).alias("change"),
        pl.when(pl.col("before") != 0).then((pl.col("mean") - pl.col("before")) / pl.col("before")).alias("relative"),
        "gained", "changed", "replaced", "words", "seed", "signature",
    )  # fmt: skip
    last = ("split", "seed", "signature")
    return captions.stamp(rows).select(pl.exclude(last), *last)


def _means(scores: pl.DataFrame, name: str) -> pl.DataFrame:
    summary = summarize(scores.drop("slot"), ["caption"])
    return summary.select("metric", "n", pl.col("mean").alias(name))


def _gained(before: pl.DataFrame, after: pl.DataFrame, metrics: Sequence[MetricRequest]) -> pl.DataFrame:
    """Return the share of captions that score better after a change, by metric."""
    both = after.join(before, on=["image", "slot"], suffix=" before")
    gained = {}
    for metric in metrics:
        now, once = pl.col(metric.label), pl.col(f"{metric.label} before")
        is_better = now < once if metric.metric.lower_is_better else now > once
        gained[metric.label] = is_better.sum().cast(pl.Float64) / max(1, both.height)
    return both.select(**gained).unpivot(variable_name="metric", value_name="gained")


def _signed(metrics: Sequence[MetricRequest], component: Component, tokenizer: str) -> dict[str, str]:
    """Return the signature of each metric, with the component that changed the captions."""
    probed, signed = {"probe": component.name, **component.settings}, {}
    for metric in metrics:
        plain = metric.signature(tokenizer, References("loo"))
        signed[metric.label] = str(replace(plain, parameters={**plain.parameters, **probed}))
    return signed


#: A metric is gamed if more than this share of captions gains.
_MOST = 0.5

#: The changes of the captions of each dataset, and their effect on each score.
_TABLES = (
    *(
        View(
            Table(
                f"relative change of the mean scores of {{label}}, {probe}", EMPTY, name=f"relative-change/{probe}",
                caption="-0.5: the mean score is halved; for ter, lower is better, so an increase is a loss",
            ),
            where=pl.col("probe") == probe,
            pivot=("component", "metric", "relative"),
        )
        for probe in ("ablation", "gaming", "perturbation")
    ),
    View(
        Table(
            "share of the captions of {label} that score better", EMPTY, name="gained",
            caption="these changes do not improve a caption: a metric that increases can be gamed",
        ),
        where=pl.col("probe") == "gaming",
        pivot=("component", "metric", "gained"),
    ),
    View(
        Table(
            "changes of the captions of {label}", EMPTY, bars=("changed",), name="components",
            caption="changed: share of the scored captions that changed, or whose reference did; replaced: mean words "
            "replaced in a changed reference; words: mean words left in a caption",
        ),
        unique="component",
        columns=("probe", "component", "n", "changed", "replaced", "words"),
    ),
)  # fmt: skip

_FIGURES = (
    View(
        Figure(
            "probe", "Relative change of mean scores, {label}", "heatmap", EMPTY, "component", "metric",
            value="relative", x_label="removed or changed component", y_label="metric", span=(-1.0, 1.0),
        ),
        columns=("component", "metric", "relative"),
    ),
)  # fmt: skip


def _lead(selections: Sequence[Selection], rows: pl.DataFrame) -> Iterator[str]:
    """Yield the change that moves a metric most, by dataset."""
    for selection in selections:
        moved = selection.rows_of(rows).drop_nulls("relative").sort(pl.col("relative").abs())
        if moved.height:
            most = moved.row(-1, named=True)
            yield f"{selection.label}: of all changes, {most['component']} moves {_change(most)} most."


def findings(selections: Sequence[Selection], rows: pl.DataFrame) -> Iterator[Finding]:
    """Yield which metric reacts most and least to each component, and components without effect."""
    for selection in selections:
        for (named,), part in selection.rows_of(rows).group_by("component", maintain_order=True):
            component, where = str(named), about(selection, component=str(named))
            ordered = part.drop_nulls("relative").sort(pl.col("relative").abs(), maintain_order=True)
            if part["changed"].item(0) == 0:
                sentence = f"{selection.label}: {component} changed no caption"
                yield Finding("component-without-effect", sentence, where)
            elif ordered.height > 1:
                most, least = ordered.row(-1, named=True), ordered.row(0, named=True)
                sentence = f"{selection.label}: {component} moves {_change(most)} most, {_change(least)} least"
                values = {"most": most["metric"], "most_relative": most["relative"]}
                values |= {"least": least["metric"], "least_relative": least["relative"]}
                yield Finding("component-effect", sentence, where, values, most["n"])
            yield from _gamed(selection, component, part)


def _gamed(selection: Selection, component: str, part: pl.DataFrame) -> list[Finding]:
    """Report metrics that score most captions higher although they are not better."""
    gamed = part.filter(pl.col("gained") > _MOST, probe="gaming").select("metric", "gained")
    metrics = ", ".join(f"{metric} ({share:.0%} of captions)" for metric, share in gamed.iter_rows())
    values, where = dict(gamed.iter_rows()), about(selection, component=component)
    sentence = f"{selection.label}: {component} games {metrics}"
    return [Finding("gamed-metric", sentence, where, values, severity="warning")] if metrics else []


def _change(row: dict[str, float]) -> str:
    return f"{row['metric']} ({row['relative']:+.1%})"
