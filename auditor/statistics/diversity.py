"""Scores of global diversity, from whole-number counts and from walks over captions in an order.

A walk reads the tokens of one list's captions, caption by caption. Every other function takes counts of parallel lists,
which do not depend on the order of captions, and returns a row per list and statistic: list_no, statistic, value,
reason (why a value is null). Definitions and sources are in `cards/diversity.toml`.
"""

from __future__ import annotations

import zlib
from collections.abc import Container, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import polars as pl

from auditor.arrays import NDArray, np
from auditor.compiled import uncompiled
from auditor.statistics.cards import cards_of
from auditor.statistics.intervals import POSITIVE
from auditor.statistics.resampling import Floats
from auditor.statistics.studentized import Measured, estimates

Counts = NDArray["np.float64"]

#: Their cards by name, in the order of results.
STATISTICS = cards_of("diversity")

MEASURED = {"list_no": pl.UInt32, "statistic": pl.String, "value": pl.Float64, "reason": pl.String}

_DRAWN = 42  # tokens of HD-D

_WORDLESS = "no token"

_TOO_FEW = f"fewer than {_DRAWN} tokens"

_NOTHING_LEARNABLE = "no evaluation word is in the training data"

_NOTHING_SHARED = "captions and evaluation captions share no image with words: --all-images uses all images"

RESAMPLES = 1000

CONFIDENCE = 0.95

_SUMS = ("captions", "tokens", "squares")


def lengths(counts: pl.DataFrame) -> pl.DataFrame:
    """Score the rows of `sql/diversity/list_length.sql`: tokens, asl, sdsl (sd of the population, from exact sums)."""
    n, tokens = pl.col("captions"), pl.col("tokens")
    squared = n.cast(pl.Int128) * pl.col("squares") - tokens.cast(pl.Int128) * tokens
    return _long(
        counts, {"tokens": tokens.cast(pl.Float64), "asl": tokens / n, "sdsl": squared.cast(pl.Float64).sqrt() / n}
    )


def gram_ratios(grams: pl.DataFrame, lists: pl.DataFrame) -> pl.DataFrame:
    """Score the rows of `sql/diversity/list_gram_count.sql`: types, distinct-1, distinct-2, ngram-diversity."""
    every = lists.select("list_no").join(pl.DataFrame({"n": range(1, 5)}), how="cross")
    counts = every.join(grams, on=["list_no", "n"], how="left").sort("list_no", "n")
    rows = counts.group_by("list_no", maintain_order=True).agg(
        types=pl.col("types").first().fill_null(0).cast(pl.Float64),
        one=pl.col("types").first() / pl.col("occurrences").first(),
        two=pl.col("types").get(1).fill_null(0) / pl.col("occurrences").first(),
        ratios=(pl.col("types") / pl.col("occurrences")),
    )
    whole = pl.col("ratios").list.drop_nulls().list.len() == 4
    summed = pl.when(whole).then(sum((pl.col("ratios").list.get(n) for n in range(4)), start=pl.lit(0.0)))
    return pl.concat(
        [
            _long(rows, {"types": pl.col("types")}),
            _long(rows, {"distinct-1": pl.col("one"), "distinct-2": pl.col("two")}, _WORDLESS),
            _long(rows, {"ngram-diversity": summed}, "no caption has four tokens"),
        ]
    )


def spectrum(counts: pl.DataFrame, lists: pl.DataFrame) -> pl.DataFrame:
    """Score the rows of `sql/diversity/frequency_spectrum.sql`: hd-d, yule-k, entropy, zipf-slope, top-20."""
    parts = {number: part for (number,), part in counts.group_by("list_no", maintain_order=True)}
    rows: list[tuple[int, str, float | None, str | None]] = []
    for number in lists["list_no"]:
        part = parts.get(number)
        if part is None:
            cards = (card for card in STATISTICS.values() if card.counts == "frequency_spectrum")
            rows += [(number, card.name, None, _WORDLESS) for card in cards]
            continue
        frequencies = part["occurrences"].to_numpy().astype(np.float64)
        types = part["types"].to_numpy().astype(np.float64)
        rows += [
            (number, name, value, why if value is None else None) for name, value, why in _spectrum(frequencies, types)
        ]
    return pl.DataFrame(rows, schema=MEASURED, orient="row")


def _spectrum(frequencies: Counts, types: Counts) -> list[tuple[str, float | None, str | None]]:
    total = float(frequencies @ types)
    repeated = np.repeat(frequencies, types.astype(np.int64))  # descending, as the rows are
    enough = total >= _DRAWN
    ranks = np.log(np.arange(1, len(repeated) + 1))
    slope = np.polyfit(ranks, np.log(repeated), 1)[0] if len(repeated) > 1 else None
    return [
        ("hd-d", float(_drawn(frequencies, total) @ types) / _DRAWN if enough else None, _TOO_FEW),
        ("yule-k", 1e4 * (float(frequencies**2 @ types) - total) / total**2, None),
        ("entropy", float(np.log2(total) - (frequencies * np.log2(frequencies)) @ types / total), None),
        ("zipf-slope", None if slope is None else float(slope), "one type"),
        ("top-20", float(repeated[: -(-len(repeated) // 5)].sum()) / total, None),
    ]


def _drawn(frequencies: Counts, total: float) -> Counts:
    """Return the probability that a type of each frequency is in a sample of tokens without replacement."""
    missed = np.ones_like(frequencies)
    for before in range(_DRAWN):
        missed *= np.maximum(total - frequencies - before, 0) / (total - before)
    return 1 - missed


def self_repetition(counts: pl.DataFrame) -> pl.DataFrame:
    """Score the rows of `sql/diversity/self_repetition.sql`."""
    logs = ((1 + pl.col("repetitions")).log() * pl.col("captions")).sum() / pl.col("captions").sum()
    rows = counts.sort("list_no", "repetitions").group_by("list_no", maintain_order=True).agg(value=logs)
    return _long(rows, {"self-repetition": pl.col("value")})


def shares(counts: pl.DataFrame, lists: pl.DataFrame, statistic: str, column: str) -> pl.DataFrame:
    """Return a count of captions as a share of the comparable ones."""
    rows = lists.select("list_no").join(counts, on="list_no", how="left", maintain_order="left")
    share = pl.when(pl.col("captions") > 0).then(pl.col(column) / pl.col("captions"))
    return _long(rows, {statistic: share}, "no caption can be compared")


def novel_types(counts: pl.DataFrame, lists: pl.DataFrame) -> pl.DataFrame:
    """Score the rows of `sql/diversity/novel_type.sql`."""
    rows = lists.select("list_no").join(counts, on="list_no", how="left", maintain_order="left")
    return _long(rows, {"novel-types": pl.col("novel").fill_null(0).cast(pl.Float64)})


def coverage(counts: pl.DataFrame, lists: pl.DataFrame) -> pl.DataFrame:
    """Score the rows of `sql/diversity/coverage.sql`: learnable, limit, recalled, coverage, deciles."""
    if counts.is_empty():
        nothing = dict.fromkeys(("learnable", "limit", "recalled", "coverage"), pl.lit(None, pl.Float64))
        return _long(lists, nothing, _NOTHING_SHARED)
    sums = counts.group_by("list_no", maintain_order=True).agg(pl.col("types", "learnable", "recalled").sum())
    learnable, recalled = pl.col("learnable").cast(pl.Float64), pl.col("recalled").cast(pl.Float64)
    deciles = counts.select(
        "list_no",
        statistic=pl.format("coverage-decile-{}", "decile"),
        value=pl.col("recalled") / pl.col("types"),
        reason=pl.lit(None, pl.String),
    )
    return pl.concat(
        [
            _long(sums, {"learnable": learnable, "limit": learnable / pl.col("types"), "recalled": recalled}),
            _long(sums, {"coverage": pl.when(learnable > 0).then(recalled / learnable)}, _NOTHING_LEARNABLE),
            deciles.cast({"list_no": pl.UInt32}),
        ]
    )


def _long(rows: pl.DataFrame, statistics: Mapping[str, pl.Expr], why_null: str | None = None) -> pl.DataFrame:
    """Return one row for each list and statistic; `why_null` is the reason of a null value."""
    named = [value.alias(name) for name, value in statistics.items()]
    wide = rows.select(pl.col("list_no").cast(pl.UInt32), *named)
    return wide.unpivot(index="list_no", variable_name="statistic", value_name="value").with_columns(
        reason=pl.when(pl.col("value").is_null()).then(pl.lit(why_null, pl.String))
    )


def measured_sdsl(lengths: pl.DataFrame) -> Measured:
    """Return the mean over parallel lists of the deviation, and that without each image; NaN if a list has none.

    `lengths` are the rows of `sql/diversity/image_length.sql`.
    """
    sums = image_totals(lengths, _SUMS)
    whole = sums.sum(axis=0)
    return Measured(float(_deviations(whole)), _deviations(whole - sums), POSITIVE)


def intervals(measured: Mapping[str, Measured], key: Sequence[object]) -> Mapping[str, tuple[float, float] | None]:
    """Compute 95% intervals by 1,000 resamples of the images; `key` seeds them. None for too few images.

    Values on equally many images share their resamples, which depend on nothing else.
    """
    alike: dict[int, list[str]] = {}
    for name, value in measured.items():
        alike.setdefault(len(value.without), []).append(name)
    return {
        name: estimate.interval(CONFIDENCE)
        for names in alike.values()
        for name, estimate in zip(names, estimates([measured[n] for n in names], RESAMPLES, key), strict=True)
    }


def image_totals(rows: pl.DataFrame, columns: Sequence[str]) -> Floats:
    """Return rows of (image_no, list_no) as images × lists × columns; 0 if an image has no caption in a list."""
    images, lists = rows["image_no"].n_unique(), rows["list_no"].n_unique()
    totals = np.zeros((images, lists, len(columns)))
    image, number = (rows[name].rank("dense").to_numpy() - 1 for name in ("image_no", "list_no"))
    totals[image, number] = rows.select(columns).to_numpy()
    return totals


def _deviations(sums: Floats) -> Floats:
    """Compute the mean over lists of the standard deviation of lengths from their sums (… × lists × sums)."""
    captions, tokens, squares = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        deviations: Floats = np.sqrt(captions * squares - tokens * tokens) / captions
    means: Floats = deviations.mean(axis=-1)
    return means


WALKED = {"list_no": pl.UInt32, "draw": pl.Int32, "statistic": pl.String, "value": pl.Float64, "reason": pl.String}

CURVE = {"list_no": pl.UInt32, "draw": pl.Int32, "tokens": pl.Int64, "types": pl.Int64}

#: Tokens of the window of MATTR; the type-token ratio at which MTLD ends a stretch; lengths of the plain ratios.
_WINDOW = 500

_THRESHOLD = 0.72

_FIRST = (10_000, 100_000)

_THREADS = 2


@dataclass(frozen=True)
class Walk:
    """One list's tokens in canonical order of its captions, and an order to walk them in.

    `tokens` are indexes of `types`, the numbers of the vocabulary. Caption i is `tokens[starts[i]:starts[i + 1]]`.
    """

    list_no: int
    draw: int
    tokens: NDArray[np.uint32]
    starts: NDArray[np.int64]
    types: NDArray[np.uint32]
    order: NDArray[np.uint32]

    def stream(self) -> NDArray[np.int64]:
        """Return the tokens in this order."""
        from auditor.statistics.kernels import walks  # noqa: PLC0415  numba

        with uncompiled(len(self.tokens)):
            return walks.stream(self.tokens.astype(np.int64), self.starts, self.order.astype(np.int64))


def walk(
    walks: Sequence[Walk], segment: int, positions: Sequence[int], requested: Container[str] | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Compute the statistics of walks (columns of `WALKED`), and types by position (columns of `CURVE`).

    `segment` is the length of a segment of the ttr, in tokens, bigrams or trigrams. A position beyond the end of a walk
    has no row. `requested` lists the statistics to compute; null: all.
    """
    with ThreadPoolExecutor(_THREADS) as pool:
        walked = uncompiled(max((len(walk.tokens) for walk in walks), default=0))(_walked)
        done = list(pool.map(lambda walk: walked(walk, segment, positions, requested), walks))
    rows = [row for scored, _ in done for row in scored]
    curve = [point for _, points in done for point in points]
    return pl.DataFrame(rows, schema=WALKED, orient="row"), pl.DataFrame(curve, schema=CURVE, orient="row")


Row = tuple[int, int, str, float | None, str | None]

Point = tuple[int, int, int, int]


def _walked(
    walk: Walk, segment: int, positions: Sequence[int], requested: Container[str] | None
) -> tuple[list[Row], list[Point]]:
    from auditor.statistics.kernels import walks  # noqa: PLC0415  numba

    def wanted(name: str) -> bool:
        return requested is None or name in requested

    walked = walk.stream()
    length, types = len(walked), max(len(walk.types), 1)
    scored: list[tuple[str, float | None, str | None]] = []
    for n in (1, 2, 3):
        if not wanted(f"ttr-{n}"):
            continue
        distinct, segments = walks.segment_types(walked, types, n, segment)
        too_few = f"fewer tokens than a segment of {segment:,}"
        scored.append((f"ttr-{n}", distinct / (segments * segment) if segments else None, too_few))
    for first in (first for first in _FIRST if wanted(f"ttr-{first}")):
        value = walks.growth(walked, types, np.array([first]))[0] / first if length >= first else None
        scored.append((f"ttr-{first}", value, _fewer(first)))
    if wanted("mattr"):
        total, windows = walks.window_types(walked, types, _WINDOW)
        scored.append(("mattr", total / (windows * _WINDOW) if windows else None, _fewer(_WINDOW)))
    if wanted("mtld"):
        stretches = [walks.factors(way, types, _THRESHOLD) for way in (walked, walked[::-1].copy())]
        mtld = sum(length / count for count in stretches) / 2 if all(stretches) else None
        scored.append(("mtld", mtld, "no token repeats: its type-token ratio never falls"))
    reached = np.array([position for position in positions if position <= length], np.int64)
    counts = walks.growth(walked, types, reached)
    return (
        [(walk.list_no, walk.draw, name, value, None if value is not None else why) for name, value, why in scored],
        [(walk.list_no, walk.draw, *point) for point in zip(reached.tolist(), counts.tolist(), strict=True)],
    )


def _fewer(wanted: int) -> str:
    return f"fewer than {wanted:,} tokens"


def compression_ratio(walk: Walk, words: pl.Series) -> tuple[float | None, str | None]:
    """Return bytes / compressed bytes of a walk's tokens, joined by spaces; `words` are the texts of its `types`.

    zlib at level 9, without a header. Shaib et al. 2024 use gzip, which adds 18 bytes or more.
    """
    text: bytes = (words.gather(pl.Series(walk.stream())).str.join(" ").item() or "").encode()
    return (len(text) / len(zlib.compress(text, 9)), None) if text else (None, "no token")
