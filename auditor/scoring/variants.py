"""Variants of captions: all of them (raw), and beside these each text once per image (distinct), or a sample.

A study measures every variant in the same way. What it measured is joined here: rows, signatures and notes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import polars as pl

from auditor.result import Said
from auditor.scoring.registry import References

#: Names of rows that count all captions, and of rows that count each text once per image.
RAW, DISTINCT = "raw", "distinct"


def draws_of(against: References) -> list[References]:
    """Return the references of each draw, with consecutive seeds."""
    seed = against.seed
    return [against if seed is None else replace(against, seed=seed + draw) for draw in range(against.draws)]


class Measured(NamedTuple):
    """Rows, the signature of each metric by its label, and notes."""

    rows: pl.DataFrame
    signatures: Mapping[str, str]
    notes: Sequence[Said] = ()


def variants(against: References, tokenizer: str, *, distinct: bool) -> dict[str, References]:
    """Return the references by name: all captions, and on request each text once per image."""
    return {RAW: against} | ({DISTINCT: replace(against, distinct=tokenizer)} if distinct else {})


def over(variants: Mapping[str, References], measure: Callable[[References], Measured]) -> Measured:
    """Measure each variant, and join the parts; column `variant` names it."""
    return merged({name: measure(against) for name, against in variants.items()})


def merged(parts: Mapping[str, Measured]) -> Measured:
    """Join the parts by variant.

    Signatures of a variant other than raw are named `LABEL VARIANT`. Notes that hold only if each text counts once per
    image are marked as such.
    """
    signatures = {
        label if name == RAW else f"{label} {name}": signature
        for name, part in parts.items()
        for label, signature in part.signatures.items()
    }
    raw = parts[RAW].notes
    notes = [
        _distinct(note) if name == DISTINCT else note
        for name, part in parts.items()
        for note in part.notes
        if name != DISTINCT or note not in raw
    ]
    return Measured(stacked({name: part.rows for name, part in parts.items()}), signatures, notes)


def stacked(rows_of: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the rows of all variants, one variant after another, with column `variant`."""
    return pl.concat(rows.with_columns(variant=pl.lit(name)) for name, rows in rows_of.items())


def _distinct(note: Said) -> Said:
    if isinstance(note, str):
        return f"{DISTINCT}: {note}"
    return replace(note, sentence=f"{DISTINCT}: {note.sentence}")
