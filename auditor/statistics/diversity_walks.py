"""Statistics of global diversity that depend on the order of captions.

A walk reads the tokens of one list's captions, caption by caption, in one order. Definitions and sources are in
`cards`.
"""

from __future__ import annotations

import zlib
from collections.abc import Container, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

WALKED = {
    "list_no": pl.UInt32,
    "draw": pl.Int32,
    "statistic": pl.String,
    "value": pl.Float64,
    "reason": pl.String,
}

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
    tokens: NDArray[np.int64]
    starts: NDArray[np.int64]
    types: NDArray[np.uint32]
    order: NDArray[np.int64]


def walk(
    walks: Sequence[Walk], segment: int, positions: Sequence[int], requested: Container[str] | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Compute the statistics of walks (columns of `WALKED`), and types by position (columns of `CURVE`).

    `segment` is the length of a segment of the ttr, in tokens, bigrams or trigrams. A position beyond the end of a walk
    has no row. `requested` lists the statistics to compute; null: all.
    """
    with ThreadPoolExecutor(_THREADS) as pool:
        done = list(pool.map(lambda walk: _walked(walk, segment, positions, requested), walks))
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

    walked = walks.stream(walk.tokens, walk.starts, walk.order)
    length, types = len(walked), max(len(walk.types), 1)
    scored: list[tuple[str, float | None, str | None]] = []
    for n, unit in ((1, "tokens"), (2, "bigrams"), (3, "trigrams")):
        if not wanted(f"ttr-{n}"):
            continue
        distinct, segments = walks.segment_types(walked, types, n, segment)
        grams = max(0, length - n + 1)
        too_few = f"{grams:,} {unit}, fewer than one segment of {segment:,}"
        scored.append((f"ttr-{n}", distinct / (segments * segment) if segments else None, too_few))
    for first in (first for first in _FIRST if wanted(f"ttr-{first}")):
        value = walks.growth(walked, types, np.array([first]))[0] / first if length >= first else None
        scored.append((f"ttr-{first}", value, _fewer(length, first)))
    if wanted("mattr"):
        total, windows = walks.window_types(walked, types, _WINDOW)
        scored.append(("mattr", total / (windows * _WINDOW) if windows else None, _fewer(length, _WINDOW)))
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


def _fewer(length: int, wanted: int) -> str:
    return f"{length:,} tokens, fewer than {wanted:,}"


def compression_ratio(walk: Walk, words: pl.Series) -> tuple[float | None, str | None]:
    """Return bytes / compressed bytes of a walk's tokens, joined by spaces; `words` are the texts of its `types`.

    zlib at level 9, without a header. Shaib et al. 2024 use gzip, which adds 18 bytes or more.
    """
    from auditor.statistics.kernels import walks  # noqa: PLC0415  numba

    walked = walks.stream(walk.tokens, walk.starts, walk.order)
    text: bytes = (words.gather(pl.Series(walked)).str.join(" ").item() or "").encode()
    return (len(text) / len(zlib.compress(text, 9)), None) if text else (None, "no token")
