"""Shell completion of an unfinished word: names in the store, and names that are built in.

A completion reports no error, writes nothing, and does not wait for a locked store.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import typer

Offer = Callable[[typer.Context, str], list[str]]


def _begun(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _words_in_store(context: typer.Context, statement: str) -> list[str]:
    """Query the store that the command line names for a column of words; empty if it cannot be read at once."""
    from auditor.store.connection import Store

    path = context.params.get("store") or os.environ.get("AUDITOR_STORE") or "audit.duckdb"
    with suppress(Exception), Store.open(Path(path), migrate=False, wait=0.0) as store:
        return [str(word) for (word,) in store.query(statement).iter_rows()]
    return []


def datasets(context: typer.Context, incomplete: str) -> list[str]:
    """Offer datasets; after an `@` their tags and versions, after a colon their splits."""
    if ":" in incomplete:
        ref, _, _ = incomplete.rpartition(":")
        pairs = "select distinct dataset || ':' || split from membership where split is not null order by all"
        named = (pair.partition(":") for pair in _words_in_store(context, pairs))
        return _begun((f"{ref}:{split}" for dataset, _, split in named if dataset == ref.partition("@")[0]), incomplete)
    if "@" in incomplete:
        tags = _words_in_store(context, "select dataset || '@' || tag from tag order by all")
        numbers = _words_in_store(context, "select dataset || '@v' || seq from version order by dataset, seq desc")
        return _begun([*tags, *numbers], incomplete)
    return _begun(_words_in_store(context, "select dataset from dataset order by all"), incomplete)


def splits(context: typer.Context, incomplete: str) -> list[str]:
    """Offer the splits of any dataset."""
    statement = "select distinct split from membership where split is not null order by all"
    return _begun(_words_in_store(context, statement), incomplete)


def metrics(context: typer.Context, incomplete: str) -> list[str]:
    """Offer metrics, and after a colon the parameters of one."""
    from auditor.scoring.registry import METRICS

    name, colon, _ = incomplete.partition(":")
    if colon and name in METRICS:
        return _begun((f"{name}:{key}=" for key in METRICS[name].parameters), incomplete)
    return _begun(METRICS, incomplete)


def tokenizers(context: typer.Context, incomplete: str) -> list[str]:
    """Offer tokenizers."""
    from auditor.text import AUTO, PROFILES

    return _begun([AUTO, *PROFILES], incomplete)


def declared(context: typer.Context, incomplete: str) -> list[str]:
    """Offer the datasets that datasets.toml declares."""
    with suppress(Exception):
        from auditor.config import sources

        return _begun(sources(context.params.get("config")), incomplete)
    return []


def _names_in(module: str, attribute: str) -> Offer:
    """Return a completion that offers the names in an attribute of a module, which it imports."""

    def offer(context: typer.Context, incomplete: str) -> list[str]:
        return _begun(getattr(importlib.import_module(module), attribute), incomplete)

    return offer


#: Offers the formats that results are written in.
written_formats = _names_in("auditor.reports", "FORMATS")

#: Completions, by the name that a parameter uses.
OFFERS: Mapping[str, Offer] = {
    "dataset": datasets,
    "split": splits,
    "metric": metrics,
    "tokenizer": tokenizers,
    "format": _names_in("auditor.sources", "FORMATS"),
    "export": _names_in("auditor.studies.export", "FORMATS"),
    "declared": declared,
    "preset": _names_in("auditor.studies.score", "PRESETS"),
}
