"""How much do the captions of one image differ from each other? mBLEU and the image's own vocabulary.

Van Miltenburg, Elliott & Vossen 2018, section 1: diversity within an image, for sets with several captions of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from auditor.metrics.candidates import HUMAN, bind_candidates
from auditor.model import Progress, Result, Selection, Signature, Table, silent
from auditor.registry import References, requests
from auditor.statistics.ratio import INTERVAL, NORMAL, ratio
from auditor.statistics.summary import summarise
from auditor.store import ngrams, tokens
from auditor.store.connection import Store
from auditor.store.versions import images, resolve_all
from auditor.studies.local_words import Content, bind_words, content_of
from auditor.studies.scores import score_candidates
from auditor.text import tokenizer

_VERSION = 1

#: The orders of mBLEU.
METRICS = ("bleu-1", "bleu-2", "bleu-3", "bleu-4")

VOCABULARY = ("image-types", "image-content-types", "image-ttr")

_SCHEMA = {"statistic": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64}


def within_image(
    store: Store,
    refs: Sequence[str],
    text_profile: str = "bare",
    split: str | None = None,
    references: int | None = None,
    seed: int = 1,
    pipeline: str | None = None,
    function_words: Path | None = None,
    metric_names: Sequence[str] = METRICS,
    progress: Progress = silent,
) -> Result:
    """Give mBLEU and the vocabulary of images of each selection.

    `mbleu-N`: mean over images of the mean BLEU-N of their captions, each against the others: BLEU by leave-one-out.
    `image-types`, `image-content-types`: words that an image's captions hold, each once, mean over images; `image-ttr`:
    types by tokens, totals over images. All grow or shrink with the captions per image: with `references`, so many and
    one more are drawn of each image. A selection of one caption an image has no mBLEU: its value is null.
    """
    selections = resolve_all(store, refs, split)
    content = content_of(text_profile, pipeline, function_words)
    against = References("loo", references, seed)
    tokens.provide(store, selections, text_profile, tokenizer(text_profile), progress)
    parts = [
        pl.concat([
            _mbleu(store, one, against, text_profile, metric_names, progress),
            _vocabulary(store, against.of(one), text_profile, content, progress),
        ])
        for one in selections
    ]  # fmt: skip
    signatures = {
        **{_name(metric.label): str(metric.signature(text_profile, against)) for metric in requests(metric_names)},
        "image-types": str(
            Signature(
                "image-vocabulary",
                {"tok": text_profile, **against.parameters, "content": content.label, "ci": INTERVAL},
                _VERSION,
            )
        ),
    }
    labelled = list(zip(selections, parts, strict=True))
    return Result(
        "diversity",
        pl.concat(_rows(one, part, signatures) for one, part in labelled),
        selections=selections,
        signatures=signatures,
        tables=(_table(labelled),),
        notes=(*_lonely(store, selections), *_unequal(store, selections, references)),
    )


def _name(label: str) -> str:
    return f"m{label}"


def _mbleu(
    store: Store,
    selection: Selection,
    against: References,
    text_profile: str,
    metric_names: Sequence[str],
    progress: Progress,
) -> pl.DataFrame:
    metrics = requests(metric_names)
    least = 2 if against.drawn is None else against.drawn + 1
    if not (images(store, selection)["captions"] >= least).any():
        return pl.DataFrame([(_name(one.label), None, None, None, 0) for one in metrics], schema=_SCHEMA, orient="row")
    scores = score_candidates(store, against.of(selection), text_profile, [HUMAN], metrics, progress)
    summary = summarise(scores.select("image", *(one.label for one in metrics))).filter(pl.col("level") == "image")
    error = NORMAL * pl.col("sd") / pl.col("n").sqrt()
    return summary.select(
        statistic=pl.col("metric").map_elements(_name, return_dtype=pl.String),
        value=pl.col("mean"),
        low=pl.col("mean") - error,
        high=pl.col("mean") + error,
        n=pl.col("n"),
    )


def _vocabulary(
    store: Store, selection: Selection, text_profile: str, content: Content, progress: Progress
) -> pl.DataFrame:
    at_work = ngrams.workspace(store, selection, text_profile)
    bind_candidates(store, at_work, [HUMAN])
    bind_words(store, at_work, [selection], content, progress)
    counted = ratio(at_work.rows("image_vocabulary")).select(
        statistic="class", value="value", low="low", high="high", n=pl.col("images").cast(pl.Int64)
    )
    known = pl.DataFrame({"statistic": VOCABULARY})
    return known.join(counted, on="statistic", how="left", maintain_order="left").with_columns(pl.col("n").fill_null(0))


def _rows(selection: Selection, part: pl.DataFrame, signatures: dict[str, str]) -> pl.DataFrame:
    return part.select(
        pl.lit(selection.version.dataset).alias("dataset"),
        pl.lit(selection.version.version).alias("version"),
        pl.all(),
        pl.lit(selection.split, pl.String).alias("split"),
        pl.col("statistic")
        .replace_strict(signatures, default=signatures["image-types"], return_dtype=pl.String)
        .alias("signature"),
    )


def _table(labelled: Sequence[tuple[Selection, pl.DataFrame]]) -> Table:
    wide = pl.concat(part.select(pl.lit(one.label).alias("dataset"), "statistic", "value") for one, part in labelled)
    return Table(
        "captions of one image",
        wide.pivot("statistic", index="dataset", values="value", maintain_order=True),
        caption="mbleu: each caption against the others of its image; the higher, the less they differ",
    )


def _lonely(store: Store, selections: Sequence[Selection]) -> list[str]:
    """Say which selections have no mBLEU, and of how many images."""
    notes = []
    for one in selections:
        described = images(store, one)
        lonely = described.filter(pl.col("captions") < 2).height
        if lonely == described.height:
            notes.append(f"{one.label}: no mBLEU: every image has one caption only, which differs from no other")
        elif lonely:
            said = "1 image has" if lonely == 1 else f"{lonely:,} images have"
            notes.append(f"{one.label}: {said} one caption only, and no mBLEU")
    return notes


def _unequal(store: Store, selections: Sequence[Selection], references: int | None) -> list[str]:
    described = [(one.label, images(store, one)["captions"]) for one in selections]
    counts = {label: float(captions.sum()) / len(captions) for label, captions in described}
    means = list(counts.values())
    if references is not None or max(means) < 1.1 * min(means):
        return []
    listed = ", ".join(f"{label} {mean:.1f}" for label, mean in counts.items())
    return [
        f"captions per image differ ({listed}), and all of these depend on them: draw equally many with --references"
    ]
