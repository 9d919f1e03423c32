"""The conditions under which an ingest is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from auditor.errors import SourceError
from auditor.model import Source, Version, location

FIRST_REFUSALS = 10


@dataclass(frozen=True)
class Terms:
    """The conditions under which an ingest is kept.

    `max_rejected` is the largest share of records that may be rejected. `version` is the hash that the content must
    have, with its counts if known. `named_by` names the source of that hash, `remedy` is the advice if it differs.
    """

    max_rejected: float = 1.0
    version: str | None = None
    images: int | None = None
    captions: int | None = None
    named_by: str = "the terms"
    remedy: str = "check the files"


#: Terms that every set of captions meets.
ANY = Terms()


def check_terms(source: Source, read: int, rejected: pl.DataFrame, terms: Terms) -> None:
    """Raise `SourceError`, with the first rejected records, if too many records are rejected."""
    shown = rejected.head(FIRST_REFUSALS)
    first = "; ".join(
        f"{location(*where)}: {reason}"
        for *where, reason in shown.select("source", "unit", "line", "reason").iter_rows()
    )
    if rejected.height == read:
        raise SourceError(f"{source.dataset}: all {read:,} records were rejected: {first}")
    if rejected.height / read > terms.max_rejected + 1e-12:
        raise SourceError(
            f"{source.dataset}: {rejected.height:,} of {read:,} records were rejected, more than "
            f"{terms.max_rejected:.2%} (--max-rejected); the store is unchanged; the first: {first}"
        )


def check_kind(source: Source, previous: Version | None) -> None:
    """Raise `SourceError` for vectors under the name of a dataset of captions, or the other way round."""
    if previous is not None and (previous.kind == "vectors") != (source.kind == "vectors"):
        raise SourceError(
            f"{source.dataset}: is a dataset of {previous.kind}, and the files hold {source.kind}; the store is "
            "unchanged; choose another name"
        )


def check_version(source: Source, content: Mapping[str, Any], terms: Terms) -> None:
    """Raise `SourceError`, with the different counts, if the content does not have the expected version."""
    expected = {"version": terms.version, "images": terms.images, "captions": terms.captions}
    if all(value in (None, content[key]) for key, value in expected.items()):
        return
    counts = (key for key in ("images", "captions") if expected[key] not in (None, content[key]))
    differences = "; ".join(f"{content[key]:,} {key}, not {expected[key]:,}" for key in counts)
    raise SourceError(
        f"{source.dataset}: the files hold version {content['version'][:12]}, but {terms.named_by} names "
        f"{str(terms.version)[:12]}: {differences or 'as many captions'}; the store is unchanged; {terms.remedy}"
    )
