"""What an ingest must hold to be kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from auditor.errors import SourceError
from auditor.model import Source, Version, place

FIRST_REFUSALS = 10


@dataclass(frozen=True)
class Terms:
    """What an ingest must hold to be kept.

    `max_rejected` is the largest share of records that may be refused; `version` the hash that the content must have,
    with its counts where known; `named_by` says who asks for it, `remedy` what to do where the content is another.
    """

    max_rejected: float = 1.0
    version: str | None = None
    images: int | None = None
    captions: int | None = None
    named_by: str = "the terms"
    remedy: str = "check the files"


#: Terms that whatever is a caption meets.
ANY = Terms()


def check_terms(source: Source, read: int, rejected: pl.DataFrame, terms: Terms) -> None:
    """Raise `SourceError`, with the first refusals, where more records were refused than may be."""
    shown = rejected.head(FIRST_REFUSALS)
    first = "; ".join(
        f"{place(*where)}: {reason}" for *where, reason in shown.select("source", "unit", "line", "reason").iter_rows()
    )
    if rejected.height == read:
        raise SourceError(f"{source.dataset}: all {read:,} records were refused: {first}")
    if rejected.height / read > terms.max_rejected + 1e-12:
        raise SourceError(
            f"{source.dataset}: {rejected.height:,} of {read:,} records were refused, more than "
            f"{terms.max_rejected:.2%} (--max-rejected); the store is unchanged; the first: {first}"
        )


def check_kind(source: Source, previous: Version | None) -> None:
    """Raise `SourceError` where a name that holds captions is to hold vectors, or the other way round."""
    if previous is not None and (previous.kind == "vectors") != (source.kind == "vectors"):
        raise SourceError(
            f"{source.dataset}: holds {previous.kind}, and these are {source.kind}; the store is unchanged; "
            "give them another name"
        )


def check_version(source: Source, content: Mapping[str, Any], terms: Terms) -> None:
    """Raise `SourceError`, with what sets the counts apart, where the content is of another version than it must be."""
    asked = {"version": terms.version, "images": terms.images, "captions": terms.captions}
    if all(value in (None, content[key]) for key, value in asked.items()):
        return
    counts = (key for key in ("images", "captions") if asked[key] not in (None, content[key]))
    apart = "; ".join(f"{content[key]:,} {key}, not {asked[key]:,}" for key in counts)
    raise SourceError(
        f"{source.dataset}: the files hold version {content['version'][:12]}, {terms.named_by} names "
        f"{str(terms.version)[:12]}: {apart or 'as many captions'}; the store is unchanged; {terms.remedy}"
    )
