"""Systems side by side: their images and means; and the scores that another program prints, with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import polars as pl

from auditor.errors import UsageError
from auditor.metrics.together import mean_of
from auditor.model import Progress, Selection
from auditor.parameters import EMPTY
from auditor.ranges import within
from auditor.result import Finding, Result, Said, Table, about, counted, findings_in, listed, notes_in
from auditor.scoring.candidates import CandidateSet, output_of
from auditor.scoring.counting import count
from auditor.scoring.registry import METRICS, MetricRequest, References, lacking, not_installed, request
from auditor.scoring.scores import refused, scorable, score_candidates, too_long
from auditor.statistics.common_items import Coverage, Items, refuse_disjoint
from auditor.statistics.intervals import WITHOUT
from auditor.statistics.paired_systems import SCHEMA, Measure, Resampling, beside_first
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.tokens import tokenize
from auditor.store.versions import images, resolve_all
from auditor.studies.score.presets import Preset, Printed

#: Systems are scored against all captions of the image, as in these programs.
_ALL = References("all")

#: The mean of the scores of a metric.
_MEAN = mean_of(lambda scores, settings: scores[settings["metric"]])


def printed(
    store: Store,
    selection: Selection,
    systems: Sequence[Selection],
    preset: Preset,
    resampling: Resampling,
    coverage: Coverage,
    messages: Sequence[Said],
    progress: Progress,
) -> Result:
    """Score whole outputs as a program does, with intervals, and tests against the first output."""
    for system in systems:
        _refuse_several(store, selection, system)
    scored, notes = _scorable(store, selection, preset)
    signed: dict[str, str] = {}
    of_tokenizer: dict[str, list[tuple[Printed, MetricRequest]]] = {}
    for candidate, metric in scored:
        of_tokenizer.setdefault(candidate.tokenizer, []).append((candidate, metric))
        signature = metric.signature(candidate.tokenizer, _ALL)
        rule = {"missing": coverage.missing} if coverage.has_gaps else {}
        signed[candidate.name] = str(replace(signature, parameters={**signature.parameters, "level": "corpus", **rule}))

    def compared(images: Items, labels: Sequence[str], is_filled: bool) -> pl.DataFrame:
        some = replace(selection, images=images)
        outputs = {one.label: output_of(one, filled=is_filled) for one in systems if one.label in labels}
        rows = {
            name: frame
            for tokenizer, numbers in of_tokenizer.items()
            for name, frame in _rows(Captions(store, some, tokenizer), outputs, numbers, resampling, progress)
        }
        return pl.concat((rows[candidate.name] for candidate, _ in scored), how="diagonal_relaxed")

    for system in systems:
        for tokenizer in of_tokenizer:
            tokenize(store, [selection, system], tokenizer, progress)
    frame = coverage.side_by_side(compared, ["metric"])
    lead = [*coverage.lead(frame, resampling.confidence, "metric"), *_without_values(frame)]
    frame = frame.rename({"label": "candidate"})
    notes += _without_intervals(frame, resampling)
    notes += [preset.on_some] if preset.on_some and coverage.has_gaps else []
    notes += _program_signatures(store, selection, preset, [candidate for candidate, _ in scored])
    reported = [*notes, *messages]
    reported += [
        note
        for name in of_tokenizer
        for note in too_long(*(Captions(store, selection, name) for selection in (selection, *systems)))
    ]
    return Result(
        "score",
        frame,
        selections=(selection, *systems),
        signatures=signed,
        tables=_tables(frame, selection, preset, resampling, coverage),
        notes=notes_in(reported),
        findings=findings_in(reported),
        lead=tuple(lead),
    )


def _scorable(
    store: Store, selection: Selection, preset: Preset
) -> tuple[list[tuple[Printed, MetricRequest]], list[Said]]:
    """Return the numbers of a preset that are installed, and notes on those that cannot be computed."""
    notes: list[Said] = []
    usable, is_any = [], False
    for row in preset.printed:
        name = row.metric.partition(":")[0]
        reason = lacking(METRICS[name])
        if reason:
            notes.append(not_installed(name, reason))
            continue
        metric = request(row.metric)
        kept, unscored = scorable(Captions(store, selection, row.tokenizer), [metric], None)
        notes += unscored
        usable.append((row, metric))
        is_any |= bool(kept)
    if not is_any:
        raise UsageError(f"{selection.label}: no number of {preset.program} can be computed: {notes[0]}")
    return usable, notes


def _rows(
    captions: Captions,
    candidates: Mapping[str, CandidateSet],
    scored: Sequence[tuple[Printed, MetricRequest]],
    resampling: Resampling,
    progress: Progress,
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the rows of each number of one tokenizer, by its name."""
    selection, reasons = captions.selection, refused(captions, [metric for _, metric in scored])
    for printed, metric in scored:
        if metric.label in reasons:
            facts = {"metric": printed.name, "level": "corpus", "reason": reasons[metric.label]}
            yield printed.name, captions.stamp(pl.DataFrame({"label": [*candidates], **facts}))
    scored = [one for one in scored if one[1].label not in reasons]
    counts = count(captions, [*candidates.values()], [*{metric.counting: None for _, metric in scored}], progress)
    measures = []
    for printed, metric in scored:
        settings = {**metric.metric.fixed, **metric.settings}
        outputs = {
            label: printed.together.sums(counts[candidate.name, metric.counting], settings)
            for label, candidate in candidates.items()
        }
        for label in (label for label, sums in outputs.items() if sums.is_empty()):
            raise UsageError(f"{label}: none of its captions has a reference in {selection.label}")
        lowest, highest = metric.metric.ends(settings)
        ends = lowest * printed.scale, highest * printed.scale
        measures.append(Measure(outputs, partial(_scaled, printed, settings), ends))
    key = (resampling.seed, *selection.content)
    contents = {label: one.drawn_from[0].content for label, one in candidates.items()}
    tested = beside_first(measures, resampling, key, contents, progress)
    for (printed, _), measure, scores in zip(scored, measures, tested, strict=True):
        within(printed.name, scores["value"], measure.ends)
        named = scores.rename({"candidate": "label"}).select(
            "label", pl.lit(printed.name).alias("metric"), pl.lit("corpus").alias("level"), pl.exclude("label")
        )
        yield printed.name, captions.stamp(named)


def _scaled(printed: Printed, settings: Mapping[str, Any], sums: pl.DataFrame) -> pl.Series:
    return printed.together.score(sums, settings) * printed.scale


def _without_intervals(frame: pl.DataFrame, resampling: Resampling) -> list[Said]:
    """Report the scores without an interval: on fewer than eight images, or if one alone differs from the others."""
    known = frame.filter(pl.col("low").is_null(), pl.col("value").is_not_null() & bool(resampling.times))
    named = known.group_by("candidate", maintain_order=True).agg("metric").iter_rows()
    return [f"{name}: no interval for {', '.join(some)}: {WITHOUT}" for name, some in named]


def _without_values(frame: pl.DataFrame) -> list[str]:
    """Report the scores that need more images."""
    unknown = frame.filter(pl.col("value").is_null())
    named = unknown.group_by("label", "reason", maintain_order=True).agg("metric") if unknown.height else unknown
    return [f"{label}: no value for {', '.join(some)}: {why}." for label, why, some in named.iter_rows()]


def _refuse_several(store: Store, selection: Selection, system: Selection) -> None:
    """Raise `UsageError` for a system with several captions per image: these programs score one."""
    described = images(store, selection)["image"]
    answers = images(store, system).filter(pl.col("captions") > 1, pl.col("image").is_in(described.implode()))
    if answers.height:
        named = listed(answers["image"], 3)
        raise UsageError(
            f"{system.label}: {counted(answers.height, 'image has', 'images have')} more than one caption, but a "
            f"preset scores one per image: {named}; leave out --preset to score every caption"
        )


def _program_signatures(store: Store, selection: Selection, preset: Preset, scored: Sequence[Printed]) -> list[Said]:
    """Return the signatures that the program prints for these numbers."""
    captions = images(store, selection)["captions"]
    nrefs = captions[0] if captions.n_unique() == 1 else "var"
    signed = {printed.name: preset.signed[printed.name] for printed in scored if preset.signed}
    return [f"{preset.program} signs {name} as nrefs:{nrefs}|{rest}" for name, rest in signed.items()]


def _tables(
    frame: pl.DataFrame, selection: Selection, preset: Preset, resampling: Resampling, coverage: Coverage
) -> tuple[Table, ...]:
    """Return the rows as the program prints them, and their intervals and tests."""
    index = ["candidate", *coverage.columns(frame)[:1]]
    wide, names = frame.pivot("metric", index=index, values="value"), frame["metric"].unique(maintain_order=True)
    title = f"scores of {preset.program} for {selection.label}"
    shown = Table(title, wide, digits=tuple((name, preset.digits) for name in names), name="printed")
    if not resampling.times:
        return (shown,)
    compared = ["difference", "p"] if wide.height > 1 else []
    columns = ["candidate", "metric", "value", "low", "high", *compared, *coverage.columns(frame)]
    title = f"confidence intervals and differences over the images of {selection.label}"
    beside = Table(title, frame.select(columns), sections="candidate", caption=resampling.caption(wide["candidate"][0]))
    return shown, replace(beside, name="intervals")


def systems_of(
    store: Store, selection: Selection, ref: str, candidates: Sequence[str], missing: str
) -> tuple[list[Selection], Coverage, list[Said]]:
    """Return the named outputs, the described images of each, and notes on mismatches with the references."""
    notes: list[Said] = []
    systems = resolve_all(store, candidates)
    for name, system in zip(candidates, systems, strict=True):
        if system.version.dataset == selection.version.dataset:
            raise UsageError(f"{name}: scores {ref} against itself; leave out --candidates for leave-one-out")
        notes += _unmatched(store, selection, system)
        if system.version.kind != "candidates":
            notes.append(
                f"{name} was ingested as {system.version.kind}, not as candidates (set --kind in `auditor ingest`)"
            )
    every = set(images(store, selection)["image"])
    of = {system.label: every.intersection(images(store, system)["image"]) for system in systems}
    return list(systems), Coverage(every, of, missing), notes


def _unmatched(store: Store, selection: Selection, system: Selection) -> list[Finding]:
    """Report the images that references and candidates do not share."""
    described, answered = (images(store, side)["image"] for side in (selection, system))
    refuse_disjoint(system.label, answered, selection.label, described)
    findings = []
    for side, own, other, others, lacks, lack in (
        (selection, described, system, answered, "has no caption", "have no caption"),
        (system, answered, selection, described, "is not", "are not"),
    ):
        unshared = own.filter(~own.is_in(others.implode()))
        if unshared.is_empty():
            continue
        what = counted(len(unshared), f"image of {side.label} {lacks}", f"images of {side.label} {lack}")
        sentence = f"{what} in {other.label}: {listed(unshared, 3)}"
        where, values = about(side, against=other.label), {"images": len(unshared)}
        findings.append(Finding("images-not-shared", sentence, where, values, len(own), "warning"))
    return findings


def means_of(
    captions: Captions,
    systems: Sequence[Selection],
    scores: pl.DataFrame,
    metrics: Sequence[MetricRequest],
    coverage: Coverage,
    resampling: Resampling,
    progress: Progress,
) -> tuple[Table, list[str]]:
    """Return the means of several systems side by side, with differences from the first, and the sentences before.

    `scores` on all images have columns system, image, slot and the metrics. Those on some images are scored again, with
    the document frequencies of these images.
    """
    key, contents = (resampling.seed, *captions.selection.content), {one.label: one.content for one in systems}

    def compared(images: Items, labels: Sequence[str], is_filled: bool) -> pl.DataFrame:
        known = [one for one in metrics if images is None or one.refusal(len(images)) is None]
        some, outputs = captions.like(replace(captions.selection, images=images)), {}
        for system in (system for system in systems if known and system.label in labels):
            own, output = scores.filter(system=system.label), output_of(system, filled=is_filled)
            if images is not None or is_filled > (coverage.missing == EMPTY):
                again = score_candidates(some, [output], known, progress)
                is_new = ~pl.col("image").is_in(coverage.of[system.label])
                same = again.join(own, on=["image", "slot"], how="semi", maintain_order="left")
                own = pl.concat([same, again.filter(is_new)])
            outputs[system.label] = own
        measures = []
        for one in known:
            sums = {label: _MEAN.sums(own, {"metric": one.label}) for label, own in outputs.items()}
            measures.append(Measure(sums, lambda sums: _MEAN.score(sums, {}), one.metric.ends(one.settings)))
        rows = beside_first(measures, resampling, key, contents, progress) if measures else []
        made = [of.with_columns(metric=pl.lit(one.label)) for one, of in zip(known, rows, strict=True)]
        lacking = pl.DataFrame(
            [(one.label, one.refusal(len(images or ()))) for one in metrics if one not in known],
            {"metric": pl.String, "reason": pl.String},
            orient="row",
        )
        bare = [pl.DataFrame(schema=SCHEMA), lacking.join(pl.DataFrame({"candidate": labels}), how="cross")]
        return pl.concat([*made, *bare], how="diagonal").rename({"candidate": "label"})

    frame = coverage.side_by_side(compared, ["metric"])
    order = pl.col("metric").cast(pl.Enum([one.label for one in metrics]))
    shown = ["n", "value", "low", "high", "difference", "p", *coverage.columns(frame)]
    means = Table(
        f"means of the systems over the captions of {captions.label}",
        frame.sort(order, maintain_order=True).select("metric", pl.col("label").alias("candidate"), *shown),
        sections="metric",
        caption=resampling.caption(systems[0].label),
        name="means",
    )
    return means, [*coverage.lead(frame, resampling.confidence, "metric"), *_without_values(frame)]
