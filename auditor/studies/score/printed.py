"""Systems side by side: their images and means; and the scores that another program prints, with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import polars as pl

from auditor.errors import UsageError
from auditor.metrics.together import Together, mean_of
from auditor.model import Progress, Selection
from auditor.parameters import EMPTY
from auditor.ranges import Ends, within
from auditor.result import LEAST_P, Finding, Result, Said, Table, about, counted, digits, interval, listed
from auditor.scoring.candidates import CandidateSet, output_of
from auditor.scoring.counting import count
from auditor.scoring.registry import METRICS, MetricRequest, References, lacking, not_installed, request
from auditor.scoring.scores import refused, scorable, score_candidates, too_long
from auditor.statistics.common_items import Coverage, Items
from auditor.statistics.intervals import WITHOUT
from auditor.statistics.paired_systems import SCHEMA, Measure, Resampling, beside_first
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.matching import match
from auditor.store.tokens import tokenize
from auditor.store.versions import images, resolve_all
from auditor.studies.score.lengths import long_captions
from auditor.studies.score.presets import Preset, Printed

#: Systems are scored against all captions of the image, as in these programs.
_ALL = References("all")

#: Numbers that a program prints, with the metric of each.
Numbers = list[tuple[Printed, MetricRequest]]

#: The mean of the scores of a metric.
_MEAN = mean_of(lambda scores, settings: scores[settings["metric"]])


class Outputs(NamedTuple):
    """The outputs of systems, the described images of each, and notes on mismatches with the references."""

    systems: Sequence[Selection]
    coverage: Coverage
    notes: Sequence[Said]


def printed(
    store: Store, selection: Selection, outputs: Outputs, preset: Preset, resampling: Resampling, progress: Progress
) -> Result:
    """Score whole outputs as a program does, with intervals, and tests against the first output."""
    systems, coverage, messages = outputs
    for system in systems:
        _refuse_several(store, selection, system)
    scored, notes = _scorable(store, selection, preset)
    of_tokenizer, signed = dict[str, Numbers](), dict[str, str]()
    rule = {"missing": coverage.missing} if coverage.has_gaps else {}
    for number, metric in scored:
        of_tokenizer.setdefault(number.tokenizer, []).append((number, metric))
        signature = metric.signature(number.tokenizer, _ALL)
        signed[number.name] = str(replace(signature, parameters={**signature.parameters, "level": "corpus", **rule}))
    order = pl.col("metric").cast(pl.Enum([*signed]))

    def compared(images: Items, labels: Sequence[str], is_filled: bool) -> pl.DataFrame:
        some = replace(selection, images=images)
        outputs = {system.label: output_of(system, filled=is_filled) for system in systems if system.label in labels}
        rows = [
            _rows(Captions(store, some, tokenizer), outputs, numbers, resampling, progress)
            for tokenizer, numbers in of_tokenizer.items()
        ]
        return pl.concat(rows, how="diagonal_relaxed").sort(order, maintain_order=True)

    for system in systems:
        for tokenizer in of_tokenizer:
            tokenize(store, [selection, system], tokenizer, progress)
    frame = coverage.side_by_side(compared, ["metric"])
    lead = (
        *long_captions(
            Captions(store, selection, preset.printed[0].tokenizer), systems, [(of.name, by) for of, by in scored]
        ),
        *_lead(frame, coverage, resampling),
    )
    frame = frame.rename({"label": "candidate"})
    if resampling.times:
        bare = frame.filter(pl.col("low").is_null()).drop_nulls("value").group_by("candidate", maintain_order=True)
        notes += [f"{name}: no interval for {', '.join(of)}: {WITHOUT}" for name, of in bare.agg("metric").rows()]
    notes += [preset.on_some] if preset.on_some and coverage.has_gaps else []
    captions = images(store, selection)["captions"]
    nrefs = captions[0] if captions.n_unique() == 1 else "var"
    signs = {name: preset.signed[name] for name in signed if preset.signed}
    notes += [f"{preset.program} signs {name} as nrefs:{nrefs}|{rest}" for name, rest in signs.items()]
    reported = [*notes, *messages]
    for name in of_tokenizer:
        reported += too_long(*(Captions(store, selection, name) for selection in (selection, *systems)))
    return Result(
        "score",
        frame,
        selections=(selection, *systems),
        signatures=signed,
        tables=_tables(frame, selection, preset, resampling, coverage),
        said=reported,
        lead=lead,
    )


def _scorable(store: Store, selection: Selection, preset: Preset) -> tuple[Numbers, list[Said]]:
    """Return the numbers of a preset that are installed, and notes on those that cannot be computed."""
    usable, notes, is_any = Numbers(), list[Said](), False
    for number in preset.printed:
        name = number.metric.partition(":")[0]
        if reason := lacking(METRICS[name]):
            notes.append(not_installed(name, reason))
            continue
        metric = request(number.metric)
        kept, unscored = scorable(Captions(store, selection, number.tokenizer), [metric], None)
        notes += unscored
        usable.append((number, metric))
        is_any |= bool(kept)
    if not is_any:
        raise UsageError(f"{selection.label}: no number of {preset.program} can be computed: {notes[0]}")
    return usable, notes


def _rows(
    captions: Captions, outputs: Mapping[str, CandidateSet], scored: Numbers, resampling: Resampling, progress: Progress
) -> pl.DataFrame:
    """Return the rows of the numbers of one tokenizer."""
    selection, reasons = captions.selection, refused(captions, [metric for _, metric in scored])
    counted = dict.fromkeys(metric.counting for _, metric in scored if metric.label not in reasons)
    counts, measures, absent = count(captions, [*outputs.values()], [*counted], progress), dict[str, Measure](), {}
    for number, metric in scored:
        if metric.label in reasons:
            absent[number.name] = reasons[metric.label]
            continue
        settings = {**metric.metric.fixed, **metric.settings}
        of_output = {label: counts[output.name, metric.counting] for label, output in outputs.items()}
        ends = metric.metric.ends(settings)
        measure = measures[number.name] = _measure(number.together, of_output, settings, ends, number.scale)
        for label in (label for label, sums in measure.outputs.items() if sums.is_empty()):
            raise UsageError(f"{label}: none of its captions has a reference in {selection.label}")
    contents = {label: output.drawn_from[0].content for label, output in outputs.items()}
    rows = _beside_first(measures, absent, resampling, selection, contents, progress)
    for name, measure in measures.items():
        within(name, rows.filter(metric=name)["value"], measure.ends)
    level = pl.lit("corpus").alias("level")
    return captions.stamp(rows.select("label", "metric", level, pl.exclude("label", "metric")))


def _measure(
    together: Together, rows: Mapping[str, pl.DataFrame], settings: Mapping[str, Any], ends: Ends, scale: int = 1
) -> Measure:
    sums = {label: together.sums(of_output, settings) for label, of_output in rows.items()}
    return Measure(sums, lambda sums: together.score(sums, settings) * scale, (ends[0] * scale, ends[1] * scale))


def _beside_first(
    measures: Mapping[str, Measure],
    absent: Mapping[str, str],
    resampling: Resampling,
    selection: Selection,
    contents: Mapping[str, Sequence[object]],
    progress: Progress,
) -> pl.DataFrame:
    """Compare each output with the first by each metric; those that are `absent` have a reason instead of a value."""
    key = (resampling.seed, *selection.content)
    rows = beside_first([*measures.values()], resampling, key, contents, progress) if measures else []
    scored = [of.with_columns(metric=pl.lit(name)) for name, of in zip(measures, rows, strict=True)]
    unscored = [pl.DataFrame({"candidate": [*contents], "metric": name, "reason": why}) for name, why in absent.items()]
    return pl.concat([pl.DataFrame(schema=SCHEMA), *scored, *unscored], how="diagonal").rename({"candidate": "label"})


def _lead(frame: pl.DataFrame, coverage: Coverage, resampling: Resampling) -> tuple[str, ...]:
    """Return the sentences to read first, and the scores that need more images."""
    absent = frame.filter(pl.col("value").is_null())
    why = absent.group_by("label", "reason", maintain_order=True).agg("metric").rows() if absent.height else []
    sentences = coverage.lead(frame, resampling.confidence, "metric") or (*_answer(frame, resampling.confidence),)
    return (*sentences, *(f"{label}: no value for {', '.join(names)}: {reason}." for label, reason, names in why))


def _p(value: float) -> str:
    return f"< {LEAST_P:g}" if value < LEAST_P else f"= {value:.3f}"


def _answer(frame: pl.DataFrame, confidence: float) -> Iterator[str]:
    """Write the scores by the last metric that the program prints, as a sentence: of COCO's row, CIDEr."""
    last = frame.filter(metric=frame["metric"].last()).drop_nulls("value")
    if last.height:
        quoted = [
            f"{row['label']} {digits(row['value'])}{interval(row.get('low'), row.get('high'), confidence)}"
            + (f"; p {_p(row['p'])} against {last['label'][0]}" if row.get("p") is not None else "")
            for row in last.rows(named=True)
        ]
        yield f"{last['metric'][0]}: {', '.join(quoted)}."


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


def systems_of(store: Store, selection: Selection, ref: str, candidates: Sequence[str], missing: str) -> Outputs:
    """Return the named outputs, the described images of each, and notes on mismatches with the references."""
    systems, notes = resolve_all(store, candidates), list[Said]()
    for name, system in zip(candidates, systems, strict=True):
        if system.version.dataset == selection.version.dataset:
            raise UsageError(f"{name}: scores {ref} against itself; leave out --candidates for leave-one-out")
        notes += _unmatched(store, selection, system)
        kind = system.version.kind
        if kind != "candidates":
            notes.append(f"{name} was ingested as {kind}, not as candidates (set --kind in `auditor ingest`)")
    every = set(images(store, selection)["image"])
    of = {system.label: every.intersection(images(store, system)["image"]) for system in systems}
    return Outputs(systems, Coverage(every, of, missing), notes)


def _unmatched(store: Store, selection: Selection, system: Selection) -> list[Finding]:
    """Report the images that references and candidates do not share."""
    match(store, system, selection)
    described, answered = (images(store, side)["image"] for side in (selection, system))
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
    outputs: Outputs,
    scores: pl.DataFrame,
    metrics: Sequence[MetricRequest],
    resampling: Resampling,
    progress: Progress,
) -> tuple[Table, tuple[str, ...]]:
    """Return the means of several systems side by side, with differences from the first, and the sentences before.

    `scores` on all images have columns system, image, slot and the metrics. Those on some images are scored again, with
    the document frequencies of these images.
    """
    systems, coverage, _ = outputs

    def compared(images: Items, labels: Sequence[str], is_filled: bool) -> pl.DataFrame:
        reasons = {} if images is None else {metric.label: metric.refusal(len(images)) for metric in metrics}
        absent = {label: reason for label, reason in reasons.items() if reason is not None}
        usable = [metric for metric in metrics if metric.label not in absent]
        some, scored = captions.like(replace(captions.selection, images=images)), {}
        for system in (system for system in systems if usable and system.label in labels):
            rows, output = scores.filter(system=system.label), output_of(system, filled=is_filled)
            if images is not None or is_filled > (coverage.missing == EMPTY):
                again = score_candidates(some, [output], usable, progress)
                is_new = ~pl.col("image").is_in(coverage.of[system.label])
                same = again.join(rows, on=["image", "slot"], how="semi", maintain_order="left")
                rows = pl.concat([same, again.filter(is_new)])
            scored[system.label] = rows
        measures = {
            metric.label: _measure(_MEAN, scored, {"metric": metric.label}, metric.metric.ends(metric.settings))
            for metric in usable
        }
        contents = {system.label: system.content for system in systems if system.label in labels}
        return _beside_first(measures, absent, resampling, captions.selection, contents, progress)

    frame = coverage.side_by_side(compared, ["metric"])
    order = pl.col("metric").cast(pl.Enum([metric.label for metric in metrics]))
    shown = ["n", "value", "low", "high", "difference", "p", *coverage.columns(frame)]
    means = Table(
        f"means of the systems over the captions of {captions.label}",
        frame.sort(order, maintain_order=True).select("metric", pl.col("label").alias("candidate"), *shown),
        sections="metric",
        caption=resampling.caption(systems[0].label),
        name="means",
    )
    return means, _lead(frame, coverage, resampling)
