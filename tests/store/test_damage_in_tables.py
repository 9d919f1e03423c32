"""Every table is read, and is one of the facts or of the cache."""

from __future__ import annotations

from auditor.store.connection import Store
from auditor.store.upkeep import relations
from auditor.store.verification import legible


def test_tables_of_facts_and_of_the_cache_are_counted_apart(store: Store) -> None:
    cached = sum(relation.startswith("cache.") for relation in relations(store))
    facts = len(relations(store)) - cached
    assert facts > cached + 1
    assert legible(store).rows() == [
        ("every table can be read", "facts", facts, 0), ("every table can be read", "cache", cached, 0)
    ]  # fmt: skip
