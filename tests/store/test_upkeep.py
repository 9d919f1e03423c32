"""Looking after the store: what it holds, migrating it, winning room back without touching a fact."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest
from conftest import forget_results, ingest_rows
from running import Run, run_auditor

from auditor.errors import StoreError
from auditor.scoring.registry import requests
from auditor.store import file as opening
from auditor.store import migrations, upkeep, verification, versions
from auditor.store.connection import MEMORY, Store
from auditor.studies.bounds.study import bounds
from auditor.studies.upkeep import store as study

BOUNDS = ["human", "intra"]
OLD = [(f"i{i}", slot, f"words of old {i} {slot}") for i in range(40) for slot in range(3)]
NEW = [*OLD[:-1], ("i39", 2, "日本 café")]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of two versions with the counts of both, of which tests have copies."""
    path = tmp_path_factory.mktemp("filled") / "audit.duckdb"
    with Store.open(path, write=True) as store:
        ingest_rows(store, OLD, note="before")
        ingest_rows(store, NEW)
    for ref in ("set@v1", "set"):
        with Store.open(path) as store:
            bounds(store, ref, metrics=["bleu-1", "cider"], candidates=BOUNDS)
    return path


@pytest.fixture
def path(filled: Path, tmp_path: Path) -> Path:
    """A store of a test's own: two versions with the counts of both."""
    return Path(shutil.copy2(filled, tmp_path))


def gc(path: Path, **options: bool) -> dict[str, int]:
    with Store.open(path, write=True, make=False) as store:
        rows = study.gc(store, **options).frame
    return dict(rows.select("statistic", "value").iter_rows())


def facts(path: Path) -> list[Any]:
    """Everything that is not the cache, in rows."""
    with Store.open(path) as store:
        assert verification.check(store)["faults"].sum() == 0
        names = [name for name in upkeep.relations(store) if not name.startswith("cache.")]
        return [(name, sorted(store.query(f"from {name}").rows(), key=repr)) for name in names]


def test_info_counts_what_is_there(path: Path) -> None:
    with Store.open(path, migrate=False) as store:
        rows = study.info(store).frame.rows()
    numbers = {statistic: value for statistic, relation, value in rows if relation is None}
    counted = {relation: value for statistic, relation, value in rows if statistic == "rows"}
    assert numbers["bytes"] == path.stat().st_size
    assert 0 < numbers["bytes-of-cache"] < numbers["bytes"]
    assert (numbers["schema"], numbers["newest-schema"]) == (migrations.newest(), migrations.newest())
    assert (numbers["datasets"], numbers["versions"]) == (1, 2)
    assert counted["membership"] == 121
    # For both versions: two counts of human captions, scores of two candidates, one draw, one of letters, one result.
    assert counted["cache.entry"] == 14


def test_gc_sweeps_counts_of_old_versions_and_keeps_those_of_the_newest(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = facts(path)
    with Store.open(path) as store:
        expected = bounds(store, "set", metrics=["bleu-1", "cider"], candidates=BOUNDS).frame
    told = gc(path)
    assert told["bytes"] == path.stat().st_size < told["bytes-before"]
    assert (told["entries-swept"], told["tables-dropped"]) == (7, 0)
    assert told["ngram-frequencies-swept"] > 0
    assert facts(path) == before
    forget_results(path)
    with Store.open(path) as store:
        newest = versions.resolve(store, "set").version.version
        for relation in ("entry", "ngram_frequency"):
            assert store.query(f"select distinct version from cache.{relation}").rows() == [(newest,)]
        for relation in ("bleu", "cider", "drawn_candidate"):
            orphans = f"select count(*) from cache.{relation} anti join cache.entry using (key)"
            assert store.query(orphans).item() == 0
        monkeypatch.setattr("auditor.scoring.counting._count", lambda *_: pytest.fail("counted again"))
        human = bounds(store, "set", metrics=["bleu-1", "cider"], candidates=["human"]).frame
        assert human.equals(expected.filter(candidate="human"))


def test_gc_keeps_the_cache_of_content_that_came_back(path: Path) -> None:
    """A revert has the old hash: what was counted of it is of the newest version again."""
    with Store.open(path, write=True) as store:
        ingest_rows(store, OLD)
    gc(path)
    with Store.open(path) as store:
        reverted = versions.resolve(store, "set").version.version
        assert store.query("select distinct version from cache.entry").rows() == [(reverted,)]


def test_gc_of_everything_empties_the_cache_and_the_numbers_stay(path: Path) -> None:
    before = facts(path)
    with Store.open(path) as store:
        expected = bounds(store, "set", candidates=BOUNDS).frame
    told = gc(path, everything=True)
    counted = {asked.counting for asked in requests(None)}
    # Those of the old version; counts of human captions; human and intra: scores by two metrics, by the others; what was
    # drawn, in which letters captions are written, two results.
    entries = 7 + len(counted) + 2 * 2 + 4
    assert (told["entries-swept"], told["tables-dropped"]) == (entries, len({spec.table for spec in counted}) + 2)
    with Store.open(path) as store:
        lasting = ["drawn_candidate", "entry", "finding", "ngram_frequency", "parse", "score_column", "score_list"]
        assert upkeep.relations(store)[-len(lasting) :] == [f"cache.{name}" for name in lasting]
        assert store.query("select count(*) from cache.ngram_frequency").item() == 0
        assert bounds(store, "set", candidates=BOUNDS).frame.equals(expected)
    assert facts(path) == before
    with Store.open(path, write=True) as store:
        assert not ingest_rows(store, NEW).is_new
        assert store.query("select count(*) from cache.ngram_frequency").item() > 0


def test_gc_drops_tables_without_entries_and_entries_without_tables(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table cache.leftover as select 'k' as key").complete()
        connection.execute("drop table cache.cider").complete()
    assert gc(path)["tables-dropped"] == 1
    with Store.open(path) as store:
        assert store.query("select distinct relation from cache.entry order by all").rows() == [
            ("bleu",),
            ("drawn_candidate",),
            ("score_list",),
            ("script_count",),
            ("study_result",),
        ]
        assert "cache.leftover" not in upkeep.relations(store)
        bounds(store, "set", metrics=["cider"], candidates=BOUNDS)
    with Store.open(path) as store:
        assert "cache.cider" in upkeep.relations(store), "counts are kept again"


def test_gc_keeps_views_comments_keys_mode_and_link(path: Path, tmp_path: Path) -> None:
    def described() -> list[Any]:
        with Store.open(path) as store:
            keys = (
                "select table_name, constraint_text from duckdb_constraints() where schema_name = 'main' order by all"
            )
            return [store.rows("schema_listing").rows(), store.query(keys).rows()]

    gc(path)
    before = described()
    path.chmod(0o640)
    link = tmp_path / "link.duckdb"
    link.symlink_to(path)
    gc(link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert described() == before


def test_gc_sweeps_what_killed_processes_left_beside_the_store(path: Path) -> None:
    spilled = path.with_name(f"{path.name}.tmp")
    spilled.mkdir()
    (spilled / "duckdb_temp_1_0_storage_DEFAULT-0.tmp").write_bytes(bytes(10_000_000))
    path.with_name(f"{path.name}.partial").write_bytes(b"half a copy")
    told = gc(path)
    assert told["bytes-before"] < 10_000_000, "to open a store removes them already"
    assert not [*spilled.glob("*")]
    assert not path.with_name(f"{path.name}.partial").exists()


def test_gc_makes_no_store_where_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no store here"):
        gc(tmp_path / "none.duckdb")
    assert not list(tmp_path.iterdir())
    with Store.open(MEMORY) as store, pytest.raises(StoreError, match="has no file"):
        upkeep.rewrite(store)


def test_copy_that_is_not_equal_never_takes_the_place_of_the_store(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = facts(path)
    inventories = iter([["one"], ["another"]])
    monkeypatch.setattr(opening, "_inventory", lambda *_: next(inventories))
    with pytest.raises(StoreError, match="not equal to it; the store is unchanged"):
        gc(path)
    assert facts(path) == before
    assert not path.with_name(f"{path.name}.partial").exists()


@pytest.mark.parametrize(
    "change",
    [
        "delete from membership where slot = 0",
        "update caption set text = 'x' where caption_id = 1",
        "drop view captions",
    ],
)
def test_inventory_tells_any_change(path: Path, change: str) -> None:
    with duckdb.connect(str(path)) as connection:
        name = connection.execute("select current_database()").fetchall()[0][0]
        before = opening._inventory(connection, name)
        assert opening._inventory(connection, name) == before
        connection.execute(change).complete()
        assert opening._inventory(connection, name) != before


def test_store_whose_file_is_replaced_while_it_is_opened_is_opened_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the opening of a file and its lock, a gc may put its copy in place: the old file is nobody's then."""
    connect = duckdb.connect
    copy = path.with_name("copy.duckdb")
    copy.write_bytes(path.read_bytes())

    def replaced(*arguments: Any, **options: Any) -> duckdb.DuckDBPyConnection:
        connection = connect(*arguments, **options)
        if copy.exists():
            copy.replace(path)
        return connection

    monkeypatch.setattr(duckdb, "connect", replaced)
    with Store.open(path, write=True) as store:
        ingest_rows(store, OLD[:30], dataset="later")
    monkeypatch.undo()
    with Store.open(path) as store:
        assert versions.resolve(store, "later").version.captions == 30


def test_command_line_looks_after_the_store(path: Path) -> None:
    def auditor(*arguments: str) -> Run:
        return run_auditor(*arguments, "--store", str(path), COLUMNS="99")

    shown = [auditor("store", name) for name in ("info", "gc")]
    assert [done.returncode for done in shown] == [0, 0]
    assert "bytes-of-cache" in shown[0].stdout
    assert "bytes-before" in shown[1].stdout
    data = auditor("store", "info", "--format", "csv").stdout.splitlines()
    assert data[0] == "statistic,relation,value"
    assert auditor("store", "gc", "--all", "-q", "--json").stdout.startswith('{\n  "auditor.store-gc/v3"')
