"""What does each caption score? Leave-one-out, with substituted candidates, or a system's output."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.errors import MetricError, UsageError
from auditor.metrics.candidates import HUMAN, CandidateSet, output_of
from auditor.metrics.card import Metric
from auditor.metrics.counting import CountSpec, count_in_parts
from auditor.model import Progress, Result, Selection, Table, silent
from auditor.registry import MetricRequest, References, in_scales, left_out, requests
from auditor.statistics.summary import summarise
from auditor.store import ngrams, tokens
from auditor.store.connection import Store
from auditor.store.versions import content, images, resolve
from auditor.studies.own_references import WAY_OUT, own_references
from auditor.studies.writing import chooses_profile, unreadable
from auditor.text import tokenizer

_LEAST = 10
_KEYS = ("candidate", "image", "slot")
_BYTES_AT_ONCE = 16 << 20  # of counts: a scorer needs some ten times as many


def score_candidates(
    store: Store,
    selection: Selection,
    text_profile: str,
    candidates: Sequence[CandidateSet],
    metrics: Sequence[MetricRequest],
    progress: Progress = silent,
) -> pl.DataFrame:
    """Score each candidate by each metric. Columns: candidate, image, slot, and one for each metric, by its label.

    A candidate without references has no score, and no row. Raises `MetricError` where no caption can have any, and for
    a metric that has no scores of so few images.
    """
    refuse_unscorable(store, selection, metrics)
    texts = [selection, *(drawn for candidate in candidates for drawn in candidate.drawn_from)]
    tokens.provide(store, texts, text_profile, tokenizer(text_profile), progress)
    scores = _scored(store, selection, text_profile, candidates, metrics, progress)
    if scores.is_empty() and not _has_references(store, selection):
        raise MetricError(
            f"{selection.label}: no caption has a reference to be scored against; "
            "leave-one-out needs images with two captions or more, one more than --references"
        )
    if scores.is_empty() and (refused := too_long(store, [selection], text_profile)):
        raise MetricError(refused[0])
    return scores


def _scored(
    store: Store,
    selection: Selection,
    text_profile: str,
    candidates: Sequence[CandidateSet],
    metrics: Sequence[MetricRequest],
    progress: Progress,
) -> pl.DataFrame:
    """Score counts as they come, so that those of a few images are in memory, and of the others the scores."""
    specs = list({metric.counting: None for metric in metrics})
    alike = {spec: [metric for metric in metrics if metric.counting == spec] for spec in specs}
    parts: dict[CountSpec, list[pl.DataFrame]] = {spec: [] for spec in specs}
    order = pl.Enum([candidate.name for candidate in candidates])
    for spec, counts in count_in_parts(store, selection, text_profile, candidates, specs, progress):
        slices = max(1, int(counts.estimated_size()) // _BYTES_AT_ONCE)
        parts[spec] += [
            some.select(*_own_memory(order), *(metric.scores(some) for metric in alike[spec]))
            for some in (counts.iter_slices(-(-counts.height // slices)) if counts.height else [counts])
        ]
    found: list[pl.DataFrame] = []
    for spec in specs:
        rows = pl.concat(parts.pop(spec)).with_columns(pl.col("image").cast(pl.String)).sort(*_KEYS)
        rows = rows.with_columns(pl.col("candidate").cast(pl.String))
        found.append(rows if not found else rows.drop(_KEYS))
    return pl.concat(found, how="horizontal").select(*_KEYS, *(one.label for one in metrics))


def _own_memory(order: pl.Enum) -> tuple[pl.Expr, ...]:
    """Copy the keys of counts: a column that the engine has handed over keeps all columns of its batch in memory."""
    slot = pl.col("slot").cast(pl.Int64).cast(pl.UInt32)
    return pl.col("candidate").cast(order), pl.col("image").cast(pl.Categorical), slot


def refuse_unscorable(store: Store, selection: Selection, metrics: Sequence[MetricRequest]) -> None:
    """Raise `MetricError` for the first metric that has no scores of so few images, or of such captions."""
    for label, reason in _refused(store, selection, metrics).items():
        raise MetricError(f"{selection.label}: no {label}: {reason}")


def scorable(
    store: Store, selection: Selection, metrics: Sequence[MetricRequest], metric_names: Sequence[str] | None
) -> tuple[list[MetricRequest], list[str]]:
    """Leave out the metrics that have no scores of so few images, or such captions, unless asked for by name.

    Gives the others, and notes on those left out.
    """
    refused = {} if metric_names else _refused(store, selection, metrics)
    notes = [
        f"{selection.label}: no {', '.join(label for label in refused if refused[label] == reason)}: {reason}"
        for reason in dict.fromkeys(refused.values())
    ]
    return [metric for metric in metrics if metric.label not in refused], notes


def _refused(store: Store, selection: Selection, metrics: Sequence[MetricRequest]) -> dict[str, str]:
    """Say by label why metrics have no scores of a selection."""
    if selection.split is None and selection.draw is None:
        described = selection.version.images
    else:
        fewest = selection.draw.fewest if selection.draw else 1
        described = images(store, selection).filter(pl.col("captions") >= fewest).height
        if selection.draw and selection.draw.images is not None:
            described = min(described, selection.draw.images)
    reasons = {metric.label: metric.refusal(described) for metric in metrics}
    few = {label: reason for label, reason in reasons.items() if reason is not None}
    return {**unreadable(store, selection, metrics), **few}


def _has_references(store: Store, selection: Selection) -> bool:
    """Say whether any image has a caption beside the one that is held out."""
    fewest = selection.draw.fewest if selection.draw else 2
    return bool((images(store, selection)["captions"] >= fewest).any())


def signatures(metrics: Sequence[MetricRequest], text_profile: str, references: References) -> dict[str, str]:
    """Name each metric in full, by its label."""
    return {metric.label: str(metric.signature(text_profile, references)) for metric in metrics}


@chooses_profile("ref", "candidates")
def score(
    store: Store,
    ref: str,
    metric_names: Sequence[str] | None = None,
    candidates: str | None = None,
    text_profile: str = "auto",
    split: str | None = None,
    references: int | None = None,
    seed: int = 1,
    progress: Progress = silent,
    *,
    without_own_references: bool = False,
) -> Result:
    """Score every caption of a selection against the others of its image, or a system's output against all of them.

    With `references`, against so many of them, drawn by `seed`. A note counts the captions of a system that are, word
    for word, a reference of their image, each scored against itself; `without_own_references` leaves them out. A
    system's metrics come in every scale that they have, as CIDEr's two.
    """
    selection = resolve(store, ref, split)
    selections = [selection]
    against = References("loo" if candidates is None else "all", references, seed)
    metrics, unscored = scorable(store, against.of(selection), requests(metric_names), metric_names)
    last = metrics[-1]
    chosen, notes = HUMAN, too_few_captions(store, selection, against)
    if candidates is not None:
        metrics = list({one.label: one for asked in metrics for one in in_scales(asked)}.values())
        system = resolve(store, candidates)
        selections.append(system)
        if system.version.dataset == selection.version.dataset:
            raise UsageError(f"{candidates}: scores {ref} against itself; leave --candidates out for leave-one-out")
        chosen = output_of(system)
        notes += _unmatched(store, selection, system)
        if system.version.kind != "candidates":
            notes.append(f"{candidates} was ingested as {system.version.kind}, not as a system's output (--kind)")
    scores = score_candidates(store, against.of(selection), text_profile, [chosen], metrics, progress)
    if candidates is not None:
        own = own_references(store, against.of(selection), text_profile, chosen)
        notes += _own(own.height, scores.height, selection, selections[-1], left_out=without_own_references)
        if without_own_references:
            scores = scores.join(own, on=["image", "slot"], how="anti", maintain_order="left")
            if scores.is_empty():
                raise UsageError(f"{candidates}: every caption is a reference of its image in {ref}; nothing is left")
    texts = content(store, selections[-1]).drop("split")
    described = images(store, selection).select("image", "split")
    named = scores.join(texts, on=["image", "slot"], how="left", maintain_order="left").join(
        described, on="image", how="left", maintain_order="left"
    )
    labels = [metric.label for metric in metrics]
    frame = named.unpivot(labels, index=["split", "image", "slot", "candidate"], variable_name="metric").select(
        pl.lit(selection.version.dataset).alias("dataset"), pl.lit(selection.version.version).alias("version"), pl.all()
    )
    return Result(
        "score",
        frame,
        selections=tuple(selections),
        signatures=signatures(metrics, text_profile, against),
        tables=(
            _summary_table(selections, scores, metrics),
            _least_alike_table(named, last.label, last.metric, is_system=candidates is not None),
        ),
        notes=(*left_out(metric_names), *unscored, *notes, *too_long(store, selections, text_profile)),
    )


def _own(own: int, scored: int, selection: Selection, system: Selection, *, left_out: bool) -> list[str]:
    """Say how many captions of a system are references of their image."""
    if not own:
        return []
    subject = "1 caption is" if own == 1 else f"{own:,} captions are"
    end = "left out" if left_out else f"scored against itself; {WAY_OUT}"
    return [
        f"{system.label}: of {scored:,}, {subject} word for word a reference of the image in {selection.label}: {end}"
    ]


def too_long(store: Store, selections: Sequence[Selection], text_profile: str) -> list[str]:
    """Say which captions have more words than metrics align, and so leave their images without scores."""
    notes = []
    for one in selections:
        version = one.version
        found = store.rows(
            "overlong",
            dataset=version.dataset,
            seq=version.seq,
            split=one.split,
            profile=text_profile,
            most_words=ngrams.MOST_WORDS,
        )
        if found.height:
            subject = "1 caption has" if found.height == 1 else f"{found.height:,} captions have"
            named = ", ".join(f"{image}#{slot} ({words:,})" for image, slot, words in found.head(3).iter_rows())
            more = ", …" if found.height > 3 else ""
            notes.append(
                f"{one.label}: {subject} more than {ngrams.MOST_WORDS:,} words, which no metric aligns: neither they "
                f"nor what would meet them gets a score: {named}{more}"
            )
    return notes


def too_few_captions(store: Store, selection: Selection, references: References) -> list[str]:
    """Say how many images have fewer captions than a draw of references needs."""
    draw = references.of(selection).draw
    few = images(store, selection).filter(pl.col("captions") < draw.captions).height if draw else 0
    subject = "1 image has" if few == 1 else f"{few:,} images have"
    wanted = draw.captions if draw else 0
    return [f"{selection.label}: {subject} fewer than {wanted} captions and no score"] if few else []


def _unmatched(store: Store, selection: Selection, system: Selection) -> list[str]:
    """Say which images the references and the candidates do not share."""
    described, answered = (images(store, side)["image"] for side in (selection, system))
    missing = described.filter(~described.is_in(answered.implode()))
    extra = answered.filter(~answered.is_in(described.implode()))
    if len(missing) == len(described):
        raise UsageError(
            f"{system.label} describes no image of {selection.label}: its ids look like {answered[0]!r}, "
            f"those of {selection.label} like {described[0]!r}"
        )
    sentences = (
        (missing, f"images of {selection.label} have no caption in {system.label}"),
        (extra, f"images of {system.label} are not in {selection.label}"),
    )
    return [f"{len(some):,} {what}: {_some(some)}" for some, what in sentences if len(some)]


def _some(names: pl.Series) -> str:
    return ", ".join(names.head(3)) + (", …" if len(names) > 3 else "")


def _summary_table(selections: Sequence[Selection], scores: pl.DataFrame, metrics: Sequence[MetricRequest]) -> Table:
    """Summarise over captions: those of a system where there are two selections."""
    labels = [metric.label for metric in metrics]
    summary = summarise(scores.select("image", *labels)).filter(pl.col("level") == "caption").drop("level")
    described, *system = selections
    if not system:
        return Table(f"scores of the captions of {described.label}", summary)
    cider = [metric for metric in metrics if metric.metric.name in ("cider", "cider-d")]
    raw = [metric.label for metric in cider if metric.settings["scale"] == "raw"]
    bleu = [label for label in labels if label.startswith("bleu")]
    said = []
    if raw:
        said.append(
            f"{', '.join(raw)}: scale raw, at most 1; scale=x10 is pycocoevalcap's, papers print 100 times that"
        )
    if bleu:
        said.append(f"{', '.join(bleu)}: means over captions; papers print BLEU of all captions as one text")
    title = f"scores of the captions of {system[0].label} against those of {described.label}"
    return Table(title, summary, caption="; ".join(said) or None)


def _least_alike_table(named: pl.DataFrame, label: str, metric: Metric, *, is_system: bool) -> Table:
    least = named.sort(label, "image", "slot", descending=[metric.lower_is_better, False, False]).head(_LEAST)
    others = "references" if is_system else "others"
    of_last = pl.col(label) == least[label].tail(1).first() if least.height else pl.lit(False)
    equal = named.filter(of_last).height - least.filter(of_last).height
    return Table(
        f"the {least.height} captions least like the {others} of their image, by {label}",
        least.select("image", "slot", label, "text"),
        caption=f"a caption that shares nothing with the {others} may describe another image"
        + (f"; {equal:,} more have the score of the last" if equal else ""),
    )
