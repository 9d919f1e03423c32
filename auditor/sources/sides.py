"""Shared by the formats of forced choices: the sides of a pair or triplet, as captions of an image."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

import polars as pl

from auditor.model import CAPTION_SCHEMA
from auditor.sources.reading.json_records import BATCH, encodable

CATEGORIES = ("HC", "HI", "HM", "MM")

_COLUMNS = ("unit", "line", "image", "slot", "identifier", "text", "left_out", "reason", "raw", "pair", "triplet")


class JudgedCaption(NamedTuple):
    """A caption of a comparison, or a comparison that is rejected as a whole."""

    unit: str
    line: int
    image: str | None = None
    slot: int | None = None
    identifier: str | None = None
    text: str | None = None
    left_out: str | None = None
    reason: str | None = None
    raw: str | None = None
    pair: Mapping[str, Any] | None = None
    triplet: Mapping[str, Any] | None = None


def frames(source: str, sides: Iterable[JudgedCaption]) -> Iterator[pl.DataFrame]:
    """Turn sides into frames of captions."""
    remaining = iter(sides)
    schema = {name: CAPTION_SCHEMA[name] for name in _COLUMNS}
    while batch := list(islice(remaining, BATCH)):
        yield pl.DataFrame(batch, schema=schema, orient="row").with_columns(source=pl.lit(source))


def refused(unit: str, line: int, reason: str, record: Any) -> JudgedCaption:
    """Return the row of a rejected record."""
    return JudgedCaption(unit, line, reason=reason, raw=json.dumps(record, default=str))


def fault(texts: Mapping[str, Any]) -> str | None:
    """Return which of the named texts is missing or empty: a comparison needs all of them."""
    for name, text in texts.items():
        if not isinstance(text, str):
            return f"{name} is missing, or not a string"
        if not encodable(text):
            return f"{name} is not UTF-8 (a broken byte or a lone surrogate)"
        if not text.strip():
            return f"{name} is empty"
    return None


def pair_sides(
    position: tuple[str, int],
    number: int,
    image: str,
    texts: tuple[str, str],
    category: str | None,
    origins: tuple[str | None, str | None],
    votes: tuple[int | None, int | None],
) -> Iterator[JudgedCaption]:
    """Yield the two captions of a pair; its number distinguishes it from other pairs."""
    for side, text, origin, count in zip("BC", texts, origins, votes, strict=True):
        known = {"pair": number, "side": side, "category": category, "origin": origin, "votes": count}
        yield JudgedCaption(*position, image=image, identifier=f"side {side} of pair {number}", text=text, pair=known)


def triplet_sides(
    position: tuple[str, int],
    number: int,
    image: str,
    texts: tuple[str, str, str],
    votes: tuple[int, int],
    category: str | None = None,
) -> Iterator[JudgedCaption]:
    """Yield the three captions of a triplet; its number distinguishes it from other triplets."""
    for side, text, count in zip("ABC", texts, (None, *votes), strict=True):
        known = {"triplet": number, "side": side, "category": category, "votes": count}
        yield JudgedCaption(
            *position, image=image, identifier=f"side {side} of triplet {number}", text=text, triplet=known
        )
