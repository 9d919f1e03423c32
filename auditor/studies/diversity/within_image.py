"""How much do the captions of one image differ from each other? mBLEU, Div-n, and the image's own vocabulary.

Van Miltenburg, Elliott & Vossen 2018, section 1, and Shetty et al. 2017: diversity within an image with several
captions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from auditor.model import Progress
from auditor.result import Finding, Result, Signature, Table, about, counted
from auditor.result.views import EMPTY, View, arranged
from auditor.scoring.candidates import HUMAN, bind_candidates
from auditor.scoring.registry import References, requests
from auditor.scoring.scores import score_candidates, too_long
from auditor.scoring.single_captions import SINGLE_CAPTION
from auditor.statistics.diversity import STATISTICS
from auditor.statistics.intervals import around, low_and_high
from auditor.statistics.summary import CONFIDENCE, INTERVAL, ratio, summarize
from auditor.store.captions import Captions, selections_of
from auditor.store.tokens import tokenize
from auditor.studies.diversity.content_words import Content, bind_words
from auditor.studies.diversity.settings import DiversitySettings

_VERSION = 1

#: The orders of mBLEU.
METRICS = ("bleu-1", "bleu-2", "bleu-3", "bleu-4")

#: Different words and bigrams as shares of the words of an image.
DIV = ("div-1", "div-2")

VOCABULARY = ("image-types", "image-content-types", "image-ttr")

_SCHEMA = {"statistic": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64}


def captions_of_images(
    every: Sequence[Captions],
    content: Content,
    settings: DiversitySettings,
    metric_names: Sequence[str],
    progress: Progress,
) -> Result:
    """Return mBLEU, Div-n and the vocabulary of images of each dataset; `auditor metrics` defines them.

    All depend on the number of captions per image: with `references`, that many and one more are sampled per image.
    With one caption per image, mBLEU and Div-n are null.
    """
    against = References("loo", settings.references, settings.seed)
    tokenize(every[0].store, selections_of(every), every[0].tokenizer, progress)
    parts = [
        pl.concat([
            _mbleu(captions, against, metric_names, progress),
            _div(against.select(captions)),
            _vocabulary(against.select(captions), content, progress),
        ])
        for captions in every
    ]  # fmt: skip
    signatures = within_signatures(settings, content, metric_names)
    rows = pl.concat(_rows(captions, part, signatures, against) for captions, part in zip(every, parts, strict=True))
    selections = selections_of(every)
    return Result(
        "diversity",
        rows,
        selections=selections,
        signatures=signatures,
        tables=arranged([_TABLE], selections, rows),
        findings=(*_single_captions(every), *_unequal(every, settings.references), *too_long(*every)),
    )


def within_signatures(settings: DiversitySettings, content: Content, metric_names: Sequence[str]) -> dict[str, str]:
    """Return the signature of each statistic."""
    tokenizer, against = settings.resolved_tokenizer, References("loo", settings.references, settings.seed)
    parameters = {"tok": tokenizer, **against.parameters, "content": content.label, "ci": INTERVAL}
    return {
        **{f"m{metric.label}": f"m{metric.signature(tokenizer, against)}" for metric in requests(metric_names)},
        **{name: str(Signature(name, {"tok": tokenizer, **against.parameters}, _VERSION)) for name in DIV},
        **{name: str(Signature(name, parameters, _VERSION)) for name in VOCABULARY},
    }


def _mbleu(captions: Captions, against: References, metric_names: Sequence[str], progress: Progress) -> pl.DataFrame:
    metrics = requests(metric_names)
    named = {metric.label: f"m{metric.label}" for metric in metrics}
    if not (captions.images()["captions"] >= _fewest(against)).any():
        return _none(named.values())
    scores = score_candidates(against.select(captions), [HUMAN], metrics, progress)
    return _over_images(scores.select("image", *named).rename(named))


def _div(captions: Captions) -> pl.DataFrame:
    counted = captions.workspace().rows("image_gram")
    several = counted.filter(pl.col("captions") > 1, pl.col("words") > 0)
    if several.is_empty():
        return _none(DIV)
    shares = {name: pl.col(grams) / pl.col("words") for name, grams in zip(DIV, ("unigrams", "bigrams"), strict=True)}
    return _over_images(several.select("image", **shares))


def _none(statistics: Iterable[str]) -> pl.DataFrame:
    """Return the rows of statistics without a value."""
    return pl.DataFrame([{"statistic": name, "n": 0} for name in statistics], schema=_SCHEMA)


def _fewest(against: References) -> int:
    """Return how many captions of an image its statistics need."""
    return 2 if against.drawn is None else against.drawn + 1


def _over_images(values: pl.DataFrame) -> pl.DataFrame:
    """Return the mean over images of each column but `image`, with its interval."""
    summary = summarize(values, ["image"])
    ends = [
        around(mean, sd and sd / n**0.5, n, CONFIDENCE, STATISTICS[name].ends)
        for name, mean, sd, n in summary.select("metric", "mean", "sd", "n").iter_rows()
    ]
    shown = summary.rename({"metric": "statistic", "mean": "value"}).with_columns(low_and_high(ends))
    return shown.select("statistic", "value", "low", "high", "n")


def _vocabulary(captions: Captions, content: Content, progress: Progress) -> pl.DataFrame:
    workspace = captions.workspace()
    bind_candidates(workspace, [HUMAN])
    bind_words(workspace, [captions], content, progress)
    shares = {name for name in VOCABULARY if STATISTICS[name].ends[1] == 1}
    ratios, n = ratio(workspace.rows("image_vocabulary"), shares), pl.col("images").cast(pl.Int64)
    counted = ratios.select(statistic="class", value="value", low="low", high="high", n=n)
    known = pl.DataFrame({"statistic": VOCABULARY})
    return known.join(counted, on="statistic", how="left", maintain_order="left").with_columns(pl.col("n").fill_null(0))


def _rows(captions: Captions, part: pl.DataFrame, signatures: dict[str, str], against: References) -> pl.DataFrame:
    fewest = _fewest(against)
    rows = part.rename({"n": "images"}).with_columns(
        pl.when(pl.col("low").is_not_null()).then(pl.lit("images")).alias("spread"),
        pl.lit(captions.tokenizer).alias("tokenizer"),
        pl.lit(against.parameters.get("seed"), pl.Int64).alias("seed"),
        pl.col("statistic").replace_strict(signatures, return_dtype=pl.String).alias("signature"),
        pl.when(pl.col("value").is_null()).then(pl.lit(f"no image has {fewest} captions")).alias("reason"),
    )
    return captions.stamp(rows)


_TABLE = View(
    Table(
        "captions of one image",
        EMPTY,
        caption="mbleu: each caption against the others of its image; a high value means that they are similar. div-n "
        "(Div-n): different n-grams of an image's captions / their words; a high value means that they differ",
        name="captions-of-one-image",
    ),
    pivot=("statistic", "dataset", "value"),
)


def _single_captions(every: Sequence[Captions]) -> Iterator[Finding]:
    """Report selections and images without mBLEU."""
    for captions in every:
        numbers, where = captions.images()["captions"], about(captions.selection)
        single = int((numbers < 2).sum())
        sentence = f"{captions.label}: no mBLEU, since every image has a single caption"
        if single < len(numbers):
            subject = counted(single, "image has", "images have")
            sentence = f"{captions.label}: {subject} a single caption, and no mBLEU"
        if single:
            yield Finding(SINGLE_CAPTION, sentence, where, {"images": single}, len(numbers), "notice")


def _unequal(every: Sequence[Captions], references: int | None) -> list[Finding]:
    described = [(captions.label, captions.images()["captions"]) for captions in every]
    counts = {label: float(numbers.sum()) / len(numbers) for label, numbers in described}
    if references is not None or max(counts.values()) < 1.1 * min(counts.values()):
        return []
    listed = ", ".join(f"{label} {mean:.1f}" for label, mean in counts.items())
    sentence = f"captions per image differ ({listed}), and these numbers depend on them. "
    sentence += "Use --references to sample the same number"
    return [Finding("unequal-captions-per-image", sentence, values=counts, n=len(counts), severity="warning")]
