"""What one workspace holds no other can read, and it goes with it."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
import pytest
from conftest import ingest_rows

from auditor.scoring import frequencies
from auditor.store import versions
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.workspace import _HELD_AGAIN, Workspace


@pytest.fixture
def filled() -> Iterator[Store]:
    """Dataset small has one image, dataset large two."""
    with Store.open(MEMORY) as store:
        ingest_rows(store, [("cat", 0, "a cat"), ("cat", 1, "the cat sat")], "small")
        ingest_rows(store, [("dog", 0, "a dog"), ("emu", 0, "an emu ran"), ("emu", 1, "an emu")], "large")
        yield store


def over(store: Store, name: str) -> Workspace:
    at_work = Captions(store, versions.resolve(store, name), "bare").workspace()
    at_work.params["key"] = "bare"
    return at_work


def images(at_work: Workspace) -> float:
    return at_work.rows("profile")["images"].item()


def tables(store: Store) -> list[str]:
    return store.query("select table_name from duckdb_tables() where temporary")["table_name"].to_list()


def test_a_second_workspace_changes_nothing_that_the_first_reads(filled: Store) -> None:
    small = over(filled, "small")
    assert images(small) == 1
    large = over(filled, "large")
    assert images(large) == 2
    assert images(small) == 1


def test_a_workspace_reads_no_relation_that_another_bound(filled: Store) -> None:
    one = Workspace(filled, dataset="small", seq=1, split=None)
    one.bind("annotated", "annotation_as_of")
    with pytest.raises(LookupError, match="judged_pair reads annotated, which is not bound in this workspace"):
        Workspace(filled, dataset="small", seq=1, split=None, tokenizer="bare").rows("judged_pair")


def test_a_workspace_reads_what_is_handed_over(filled: Store) -> None:
    both = Workspace(filled)
    for relation, name in (("every_reference", "small"), ("reference", "large")):
        both.take(relation, over(filled, name), "reference")
    counted = [both.query(f"select count(*) from {relation}").item() for relation in ("every_reference", "reference")]
    assert counted == [2, 3]


def test_rows_of_two_sides_are_one_relation_with_their_side(filled: Store) -> None:
    both = Workspace(filled)
    for side, name in (("a", "small"), ("b", "large")):
        both.append("reference_of_side", "reference", of=over(filled, name), side=side)
    counted = both.rows("length_drift").filter(statistic="captions")
    assert counted.select("a", "b").row(0) == (2, 3)


def test_a_relation_made_part_by_part_has_the_rows_of_each_part(filled: Store) -> None:
    at_work = over(filled, "large")
    at_work.params |= {"first_image": 1, "last_image": 1}
    at_work.append("ngram_frequency_part")
    first = at_work.query("select count(*) from ngram_frequency_part").item()
    at_work.params |= {"first_image": 2, "last_image": 2}
    at_work.append("ngram_frequency_part")
    assert at_work.query("select count(*) from ngram_frequency_part").item() > first


def test_a_relation_is_bound_with_its_declared_columns(filled: Store) -> None:
    with pytest.raises(TypeError, match="chosen_caption is bound without slot"):
        Workspace(filled).bind_rows("chosen_caption", pl.DataFrame({"image": ["cat"]}))
    with pytest.raises(TypeError, match="given_frequency is bound without gram, images"):
        Workspace(filled, dataset="small", seq=1, split=None, tokenizer="bare").bind("given_frequency", "reference")


def test_what_a_workspace_holds_is_dropped_with_it(filled: Store) -> None:
    filled.query("select 1")
    before = tables(filled)
    at_work = over(filled, "large")
    at_work.rows("profile")
    assert len(tables(filled)) > len(before)
    del at_work
    left = {name.partition(" ")[0] for name in {*tables(filled)} - {*before}}
    assert left <= _HELD_AGAIN  # which the next workspace of these captions takes


def test_workspaces_of_the_same_captions_read_the_same_rows(filled: Store) -> None:
    def held() -> list[str]:
        return [name for name in tables(filled) if name.startswith("reference ")]

    first, other = over(filled, "large"), over(filled, "small")
    again = over(filled, "large")
    assert len(held()) == 2
    assert first.query("from reference").equals(again.query("from reference"))
    assert not other.query("from reference").equals(again.query("from reference"))


def test_what_is_bound_anew_leaves_nothing_behind(filled: Store) -> None:
    at_work = Workspace(filled)
    for number in range(3):
        at_work.bind_rows(
            "chosen_caption", pl.DataFrame({"image": ["cat"], "slot": pl.Series([number], dtype=pl.UInt32)})
        )
    assert at_work.query("select slot from chosen_caption").item() == 2
    assert len([name for name in tables(filled) if name.startswith("chosen_caption ")]) == 1


def test_pooled_frequencies_are_those_of_the_datasets_that_are_named(filled: Store) -> None:
    both = [Captions(filled, versions.resolve(filled, name), "bare") for name in ("small", "large")]
    with frequencies.together(both) as outer:
        with frequencies.together(both[:1]) as inner:
            assert inner != outer
            assert frequencies._POOLS[filled][inner].images == 1
        assert frequencies._POOLS[filled][outer].images == 3
