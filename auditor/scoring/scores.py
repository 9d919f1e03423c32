"""Scores of candidates, from the cache or counted, and what to know of the captions that are scored.

Captions that repeat another of their image match their own copy, so human scores are too high.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce

import polars as pl

from auditor.errors import MetricError
from auditor.metrics.card import CountSpec
from auditor.model import Progress, silent
from auditor.parameters import MetricName
from auditor.result import Finding, Severity, about, counted
from auditor.scoring import frequencies
from auditor.scoring.candidates import CandidateSet
from auditor.scoring.counting import count_in_parts
from auditor.scoring.image_vectors import learnt_from, pinned, unseen
from auditor.scoring.registry import MetricRequest, References, are_ours, requests
from auditor.scoring.single_captions import lacking, refusal
from auditor.scoring.variants import DISTINCT, RAW
from auditor.store import kept, ngrams
from auditor.store.captions import Captions, in_tokens_of_facts, script_counts, why_not_english
from auditor.store.tokens import tokenize
from auditor.store.versions import params_of

#: Counts that a caller reads too, by spec; one that no metric needs is counted with those of the metrics.
Collected = Mapping[CountSpec, list[pl.DataFrame]]

#: The columns that name a candidate in counts and scores.
KEYS = ("candidate", "image", "slot")

_BYTES_AT_ONCE = 16 << 20  # of counts: a scorer needs some ten times as many


def score_candidates(
    captions: Captions,
    candidates: Sequence[CandidateSet],
    metrics: Sequence[MetricRequest],
    progress: Progress = silent,
    collected: Collected | None = None,
) -> pl.DataFrame:
    """Score each candidate by each metric. Columns: candidate, image, slot, and one for each metric, by its label.

    A candidate without references has no score and no row. With a metric that sees images, neither has a candidate
    whose image has no vector. Raises `MetricError` if no caption can have a score, and for a metric that cannot score
    so few images.
    """
    refuse_unscorable(captions, metrics)
    texts = [captions.selection, *(drawn for candidate in candidates for drawn in candidate.drawn_from)]
    seen = any(metric.metric.sees_images for metric in metrics)
    if seen:
        metrics = pinned(captions, metrics)
        texts += learnt_from(captions.store, metrics)
    metrics = frequencies.pinned(captions.store, metrics)
    texts += frequencies.counted_in(captions.store, metrics)
    tokenize(captions.store, texts, captions.tokenizer, progress)
    scores = scored(captions, candidates, metrics, progress, collected)
    if scores.is_empty() and seen:
        raise MetricError(f"{captions.label}: none of the candidates has an image with a vector")
    if scores.is_empty() and (why := lacking(captions)):
        raise refusal(captions.selection, why)
    if scores.is_empty() and (refused := too_long(captions)):
        raise MetricError(refused[0].sentence)
    return scores


def scored(
    captions: Captions,
    candidates: Sequence[CandidateSet],
    metrics: Sequence[MetricRequest],
    progress: Progress,
    collected: Collected | None = None,
) -> pl.DataFrame:
    """Score candidates as `score_candidates` does, without its checks. Their tokens must be in the store.

    Counts are scored as they come, so memory holds the counts of a few images and the scores of the others; those of
    the specs in `collected` stay. The result may be empty.
    """
    specs = list({metric.counting: None for metric in metrics})
    metrics_of = {spec: [metric for metric in metrics if metric.counting == spec] for spec in specs}
    parts: dict[CountSpec, list[pl.DataFrame]] = {spec: [] for spec in specs}
    order = pl.Enum([candidate.name for candidate in candidates])
    wanted = collected or {}
    for spec, counts in count_in_parts(captions, candidates, list(dict.fromkeys([*specs, *wanted])), progress):
        if spec in wanted:
            wanted[spec].append(counts)
        if spec not in parts:
            continue
        slices = max(1, int(counts.estimated_size()) // _BYTES_AT_ONCE)
        parts[spec] += [
            chunk.select(*_own_memory(order), *(metric.scores(chunk) for metric in metrics_of[spec]))
            for chunk in (counts.iter_slices(-(-counts.height // slices)) if counts.height else [counts])
        ]
    seen = any(metric.metric.sees_images for metric in metrics)
    frames: list[pl.DataFrame] = []
    counted, position = pl.DataFrame(), pl.Series(dtype=pl.UInt32)
    for spec in specs:
        rows = pl.concat(parts.pop(spec))
        if not rows.select(KEYS).equals(counted):  # most countings give the same candidates in the same order
            counted = rows.select(KEYS)
            position = counted.with_columns(_as_text("image")).select(pl.arg_sort_by(*KEYS)).to_series()
        needed = rows if seen or not frames else rows.drop(KEYS)  # the keys of each would take most of the memory
        frames.append(needed.select(pl.all().gather(position)))
    whole = reduce(_joined, frames) if seen else pl.concat(frames, how="horizontal")
    return whole.select(_as_text("candidate"), _as_text("image"), "slot", *(metric.label for metric in metrics))


def _as_text(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String)


def _joined(left: pl.DataFrame, right: pl.DataFrame) -> pl.DataFrame:
    return left.join(right, on=KEYS, how="inner", maintain_order="left")


def _own_memory(order: pl.Enum) -> tuple[pl.Expr, ...]:
    """Copy the keys of counts: a column from the engine keeps all columns of its batch in memory."""
    slot = pl.col("slot").cast(pl.Int64).cast(pl.UInt32)
    return pl.col("candidate").cast(order), pl.col("image").cast(pl.Categorical), slot


def refuse_unscorable(captions: Captions, metrics: Sequence[MetricRequest]) -> None:
    """Raise `MetricError` for the first metric that cannot score so few images, or such captions."""
    for label, reason in refused(captions, metrics).items():
        raise MetricError(f"{captions.label}: {label} not available: {reason}")


def scorable(
    captions: Captions, metrics: Sequence[MetricRequest], metric_names: Sequence[MetricName] | None
) -> tuple[list[MetricRequest], list[str]]:
    """Leave out the metrics that cannot score so few images, or such captions, unless no requested one can.

    Returns the others, with pinned vectors if they see images, and notes on the metrics and images left out.
    """
    seen = any(metric.metric.sees_images for metric in metrics)
    metrics = frequencies.pinned(captions.store, pinned(captions, metrics) if seen else metrics)
    reasons = refused(captions, metrics)
    if metric_names and len(reasons) == len(metrics):
        reasons = {}  # scoring them raises the reason
    notes = [
        f"{captions.label}: {', '.join(label for label in reasons if reasons[label] == why)} not available: {why}"
        for why in dict.fromkeys(reasons.values())
    ]
    notes += [f"{metric.label}: {metric.metric.caution}" for metric in metrics if metric.metric.caution]
    notes += unseen(captions, metrics) if seen else []
    return [metric for metric in metrics if metric.label not in reasons], notes


def with_reasons(rows: pl.DataFrame, captions: Captions, metrics: Sequence[MetricRequest]) -> pl.DataFrame:
    """Add a row for each metric that cannot score captions, with the reason."""
    reasons = refused(captions, metrics)
    if not reasons:
        return rows
    lacking = captions.stamp(pl.DataFrame({"metric": [*reasons], "reason": [*reasons.values()]}))
    return pl.concat([rows, lacking], how="diagonal")


def refused(captions: Captions, metrics: Sequence[MetricRequest]) -> dict[str, str]:
    """Return why metrics cannot score captions, by label."""
    selection = captions.selection
    if (selection.split, selection.draw, selection.images) == (None,) * 3:
        described = selection.version.images
    else:
        fewest = selection.draw.fewest if selection.draw else 1
        described = captions.images().filter(pl.col("captions") >= fewest).height
        if selection.draw and selection.draw.images is not None:
            described = min(described, selection.draw.images)
    reasons = {metric.label: metric.refusal(described) for metric in metrics}
    few = {label: reason for label, reason in reasons.items() if reason is not None}
    return {**unreadable(captions, metrics), **few}


def signatures(metrics: Sequence[MetricRequest], tokenizer: str, references: References) -> dict[str, str]:
    """Return the signature of each metric, by its label."""
    return {metric.label: str(metric.signature(tokenizer, references)) for metric in metrics}


def together(signed: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Join the signatures of metrics by label: all of them if they differ between selections, as vectors do."""
    gathered: dict[str, dict[str, None]] = {}
    for names in signed:
        for label, name in names.items():
            gathered.setdefault(label, {})[name] = None
    return {label: "; ".join(names) for label, names in gathered.items()}


def too_long(*audited: Captions) -> list[Finding]:
    """Report captions with more words than metrics can align, whose images have no scores."""
    findings = []
    for captions in audited:
        of = params_of(captions.selection)
        overlong = captions.store.rows("overlong", **of, tokenizer=captions.tokenizer, most_words=ngrams.MOST_WORDS)
        if overlong.height:
            subject = counted(overlong.height, "caption has", "captions have")
            pronoun, objects = ("It", "it") if overlong.height == 1 else ("They", "them")
            examples = ", ".join(f"{image}#{slot} ({words:,})" for image, slot, words in overlong.head(3).iter_rows())
            more = ", …" if overlong.height > 3 else ""
            findings.append(
                Finding(
                    "captions-too-long",
                    f"{captions.label}: {subject} more than {ngrams.MOST_WORDS:,} words, too many to align. "
                    f"{pronoun} and the captions compared with {objects} get no score: {examples}{more}",
                    about(captions.selection),
                    {"captions": overlong.height, "most_words": ngrams.MOST_WORDS},
                    severity="warning",
                )
            )
    return findings


def too_few_captions(captions: Captions, references: References) -> list[Finding]:
    """Report how many images have fewer captions than a draw of references needs."""
    drawn = references.select(captions)
    selection, draw = drawn.selection, drawn.selection.draw
    if draw is None:
        return []
    described = drawn.images()
    few = described.filter(pl.col("captions") < draw.captions).height
    if not few:
        return []
    subject = counted(few, "image has", "images have")
    sentence = f"{selection.label}: {subject} fewer than {draw.captions} captions and no score"
    values = {"images": few, "captions_needed": draw.captions}
    return [Finding("too-few-captions", sentence, about(selection), values, described.height, "notice")]


def unreadable(captions: Captions, metrics: Sequence[MetricRequest]) -> dict[str, str]:
    """Return by label why metrics cannot read captions: their language, or their script.

    Captions are not in Latin script if more than half of those with letters are not.
    """
    needed = {request.label: request.metric.writing(request.settings) for request in metrics if request.metric.writing}
    if not any(needed.values()):
        return {}
    lettered, latin, _ = script_counts(captions.store, captions.selection)
    is_latin = 2 * latin >= lettered
    why = why_not_english(captions.store, captions.selection)
    reasons = {}
    for label, writing in needed.items():
        if writing == "english" and why:
            reasons[label] = f"its stems, synonyms and function words are English, but the captions are {why}"
            reasons[label] += "; set words=all" if label.startswith("content-") else ""
        elif writing == "latin" and not is_latin:
            reasons[label] = (
                "it splits words into runs of a-z and 0-9, but the captions are not in Latin letters; set ascii=false"
            )
    return reasons


def keep_scores(
    captions: Captions, scores: pl.DataFrame, candidates: Sequence[CandidateSet], signatures: Mapping[str, str]
) -> None:
    """Keep the scores of candidates for later queries, by metrics of this package; `signatures` are by label.

    Keeps nothing if the store keeps no drawn captions, as for `reproduce`.
    """
    if not captions.store.keeps_drawn or not are_ours(requests(list(signatures))):
        return
    rows = [
        (candidate.name, candidate.source, candidate.params.get("seed"), label, signature)
        for candidate in candidates
        for label, signature in signatures.items()
    ]
    made = pl.DataFrame(rows, schema=kept.MADE, orient="row")
    kept.keep_scores(captions.store, captions.selection, scores.select("candidate", "image", "slot", *signatures), made)


_REPEATS = "repeat_count"

_FEW = 10_000  # captions whose repeats are counted faster than the count is kept

#: The largest share of captions that may repeat another of their image without a finding.
_MOST_REPEATED = 0.01


def repeats(audited: Sequence[Captions], progress: Progress, *, left_out: bool) -> list[Finding]:
    """Report selections with more than 1% of captions that repeat another of their image; all if `left_out`.

    Scores leave out captions that are equal under the tokenizer of `audited`. The finding gives their number if it
    differs.
    """
    findings = []
    for captions in audited:
        selection, tokenizer = captions.selection, captions.tokenizer
        own = in_tokens_of_facts(captions.store, selection, progress)
        number, repeated, images = _repeat_count(own).select("captions", "repeats", "images_with_repeats").row(0)
        equal = 0
        if left_out:
            equal = number - int(captions.like(replace(selection, distinct=tokenizer)).images()["captions"].sum())
        if not (repeated or equal) or (repeated <= _MOST_REPEATED * number and not left_out):
            continue
        omitted = "them out" if equal == repeated else f"out the {equal:,} that are equal under tokenizer {tokenizer}"
        verb = "repeats" if repeated == 1 else "repeat"
        end = (
            f". {DISTINCT.capitalize()} rows leave {omitted}, {RAW} rows include them"
            if left_out
            else ", so the human bound is inflated. Use --distinct to count each text once"
        )
        sentence = f"{selection.label}: {repeated:,} of {number:,} captions {verb} another of their image{end}"
        values = {"captions": repeated, "images": images}
        values |= {"equal_under_tokenizer": equal} if left_out else {}
        severity: Severity = "warning" if repeated > _MOST_REPEATED * number else "notice"
        findings.append(Finding("repeated-captions", sentence, about(selection), values, number, severity))
    return findings


def _repeat_count(captions: Captions) -> pl.DataFrame:
    selection = captions.selection
    is_kept = selection.version.captions > _FEW
    key = kept.key(captions.store, selection, captions.tokenizer, [_REPEATS])
    rows = kept.get(captions.store, {key: _REPEATS}).get(key) if is_kept else None
    if rows is None:
        rows = captions.workspace(key=captions.tokenizer).rows(_REPEATS)
        if is_kept:
            kept.put(captions.store, selection, _REPEATS, key, rows)
    return rows
