"""What people query: it says what commands say, of what they were asked, and no more is kept than is bounded."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from conftest import ingest_rows, searching_for

from auditor.errors import SqlError, UsageError
from auditor.store import kept, versions
from auditor.store.connection import Store
from auditor.store.readonly_sql import ask
from auditor.store.versions import difference, resolve
from auditor.studies.bounds import bounds
from auditor.studies.findings import captions, findings
from auditor.studies.score import score

OLD = [(image, slot, f"a {image} {slot} dog runs on the grass") for image in "abcd" for slot in range(3)]

NEW = [*OLD[1:], ("a", 0, "another dog ran over the wet grass"), ("e", 0, "日本 日本"), ("e", 1, "")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Store.open(tmp_path / "audit.duckdb", write=True) as store:
        ingest_rows(store, OLD, splits={"train": ["a", "b"], "test": ["c", "d"]}, kind="candidates")
        ingest_rows(store, NEW, splits={"train": ["a"], "test": ["b", "c", "d"]}, kind="candidates")
        ingest_rows(store, [("x", 0, "a lone text")], "other")
        versions.set_tag(store, resolve(store, "set@v1").version, "old")
        versions.set_tag(store, resolve(store, "set@v1").version, "abc")
    return tmp_path / "audit.duckdb"


@pytest.fixture
def opened(path: Path) -> Iterator[Store]:
    with Store.open(path) as store:
        yield store


def test_functions_take_the_names_that_commands_take(opened: Store) -> None:
    hashes = [f"set@{resolve(opened, ref).version.version[:length]}" for ref in ("set", "set@v1") for length in (4, 64)]
    today, tomorrow = (datetime.datetime.now(tz=datetime.UTC) + datetime.timedelta(days=days) for days in (0, 1))
    dates = [f"set@{one:%Y-%m-%d}" for one in (today, tomorrow)]
    bad = ["", "@", "set@", "no", "set@v9", "set@v99999999999", "set@2020-01-01", "set@2020-99-99", "set:no", "set@zz"]
    for ref in [
        "set",
        "set@v1",
        "set@v2",
        "set:test",
        "set@v1:train",
        "set@old:test",
        "set@abc",
        "other",
        *hashes,
        *dates,
        *bad,
    ]:
        try:
            selection = resolve(opened, ref)
        except UsageError:
            for called in ("resolved", "captions", "tokens"):
                with pytest.raises(SqlError):
                    ask(opened, f"select * from {called}($ref)", {"ref": ref})
            continue
        version = selection.version
        expected = (version.dataset, version.seq, version.version, selection.split)
        assert ask(opened, "from resolved($ref)", {"ref": ref}).row(0) == expected, ref


@pytest.mark.parametrize(
    ("a", "b"), [("set@v1", "set"), ("set", "set@v1"), ("set:test", "set@v1:test"), ("set", "other")]
)
def test_changes_are_those_that_diff_tells(opened: Store, a: str, b: str) -> None:
    told = difference(opened, resolve(opened, a), resolve(opened, b), "change")
    order = ["image", "slot", "change"]
    assert told.height
    assert ask(opened, "from changes($a, $b)", {"a": a, "b": b}).sort(order).equals(told.sort(order))


def test_functions_can_be_asked_of_each_row_of_another_table(opened: Store) -> None:
    rows = ask(
        opened,
        "select v.seq, count(*) from versions v, captions('set@v' || v.seq) where v.dataset = 'set' group by all order by all",
        {},
    )
    assert rows.rows() == [(1, len(OLD)), (2, len(NEW))]


def test_tokens_that_are_not_stored_are_asked_for(opened: Store) -> None:
    with pytest.raises(SqlError, match="auditor profile set --tokenizer ptb"):
        ask(opened, "from tokens('set', tokenizer := 'ptb')", {})


def test_captions_of_any_length_have_tokens_and_ngrams(store: Store) -> None:
    words = 5000
    ingest_rows(store, [("a", 0, " ".join(f"w{number}" for number in range(words))), ("a", 1, "short")])
    assert ask(store, "select count(*) from tokens('set')", {}).item() == words + 1
    for n in (1, 2, 7):
        found = ask(
            store, "select count(*), max(gram) filter (position = 1 and slot = 0) from ngrams('set', $n)", {"n": n}
        )
        assert found.row(0) == (words + 1 - (n - 1) - (n > 1), " ".join(f"w{number}" for number in range(n)))


def test_scores_are_those_that_were_made(path: Path) -> None:
    with Store.open(path) as store:
        made = score(store, "set", metrics=["bleu-2", "cider"])
        bounds(store, "set", metrics=["cider"], candidates=["human", "intra"], seed=7)
    with Store.open(path) as store:
        score(store, "set", metrics=["cider"])
    with Store.open(path) as store:
        scores = ask(store, "from scores", {})
        assert scores.filter(candidate="intra")["seed"].unique().to_list() == [7]
        human = scores.filter(candidate="human")
        keys = ["metric", "image", "slot"]
        assert human.select(*keys, "value").sort(keys).equals(made.frame.select(*keys, "value").sort(keys))
        assert set(human["signature"]) == set(made.signatures.values())
        assert set(human["version"]) == {resolve(store, "set").version.version}


def test_scores_are_bounded_and_the_oldest_give_way(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def made(*metrics: str) -> list[str]:
        with Store.open(path) as store:
            score(store, "set", metrics=metrics)
        with Store.open(path) as store:
            assert ask(store, "select count(*) from scores", {}).item() <= kept.MOST_SCORES
            return ask(store, "select distinct metric from scores order by metric", {})["metric"].to_list()

    scored = len(NEW)
    monkeypatch.setattr(kept, "MOST_SCORES", 2 * scored)
    assert made("bleu-1") == ["bleu-1"]
    assert made("bleu-2") == ["bleu-1", "bleu-2"]
    assert made("cider") == ["bleu-2", "cider"]
    assert made("bleu-1", "bleu-3", "bleu-4") == ["bleu-2", "cider"], "a run of more than all keeps none"
    assert made("bleu-2", "bleu-4") in (["bleu-2", "bleu-4"], ["bleu-4", "cider"])


def test_findings_are_those_of_the_last_run(path: Path) -> None:
    def told() -> pl.DataFrame:
        with Store.open(path) as store:
            return ask(store, "from findings order by kind, image, slot", {})

    assert told().is_empty()
    with Store.open(path) as store:
        made = findings(store, "set", captions_only=True)
    assert made.frame.height
    assert told().is_empty(), "captions alone are not all"
    with Store.open(path) as store:
        made = findings(store, "set")
    first = told()
    assert set(first["kind"]) == {one.kind for one in made.findings}
    listed = first.filter(pl.col("image").is_not_null())
    keys = ["kind", "image", "slot", "text", "why"]
    assert listed.select(keys).sort(keys).equals(made.frame.select(keys).sort(keys))
    with Store.open(path) as store:
        findings(store, "set", kinds=[made.findings[0].kind])
    assert told().equals(first), "each kind is replaced by itself"


def test_each_kind_is_searched_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    for kind, finder in captions.FINDERS.items():
        monkeypatch.setitem(
            captions.FINDERS, kind, lambda checked, kind=kind, finder=finder: searched.append(kind) or finder(checked)
        )
    with Store.open(path) as store:
        some = findings(store, "set", kinds=["padded-images", "placeholders"])
    assert sorted(searched) == ["padded-images", "placeholders"]
    with Store.open(path) as store:
        every = findings(store, "set")
    assert len(searched) == len(set(searched)) > 20
    with Store.open(path) as store:
        again = findings(store, "set")
        assert not store.on_close, "findings that did not change are not written"
        assert findings(store, "set", kinds=["padded-images", "placeholders"]).findings == some.findings
        findings(store, "set", split="test", kinds=["placeholders"])
    assert again.findings == every.findings
    assert again.frame.equals(every.frame)
    assert searched[-1] == "placeholders", "another selection has other captions"
    assert len(searched) == len(set(searched)) + 1


def test_views_are_empty_where_the_cache_was_dropped(path: Path) -> None:
    with Store.open(path, write=True) as store:
        store.execute("drop schema cache cascade")
    with Store.open(path) as store:
        for view in ("scores", "findings"):
            assert ask(store, f"from {view}", {}).is_empty()
        assert ask(store, "select count(*) from captions('set')", {}).item() == len(NEW)


@searching_for("padded-images", "captions-at-several-images", "swapped-captions")
def test_every_table_of_counts_says_what_it_holds(path: Path) -> None:
    with Store.open(path) as store:
        bounds(store, "set", metrics=["bleu-1", "rouge-l", "cider"], candidates=["human", "intra"])
        findings(store, "set")
    with Store.open(path) as store:
        listed = store.rows("schema_listing")
    assert "cache.bleu" in listed["relation"]
    assert listed.filter(pl.col("meaning").is_null()).is_empty()
