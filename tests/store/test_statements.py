"""What a user's statement cannot do: write, read a file, load code, reach out. By each way that the engine has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from conftest import ingest_rows

from auditor.errors import SqlError, StoreError, UsageError
from auditor.store import migrations
from auditor.store.connection import MEMORY, Store
from auditor.store.readonly_sql import ask
from auditor.store.sqlfiles import catalogue
from auditor.store.statements import refuse_other_than_reading

SECRET = "hunter2"

WRITING = [
    "with x as (copy (select 'pwn') to 'out') select * from x",
    "with x as (copy (select 'pwn') to 'out' (format csv, header false)) select * from x",
    "with x as (copy (select 'pwn') to 'out.json') from x",
    "with x as (copy (select 'pwn') to 'out.parquet' (format parquet)) from x",
    "with x as (copy (select 'pwn'::blob as a) to 'out' (format blob)) from x",
    "with x as (copy (select 'pwn') to 'out.gz') from x",
    "with x as (copy (select 1 as a, 2 as b) to 'out' (format csv, partition_by (a))) from x",
    "with x as (copy captions to 'out') from x",
    "with x as (copy (select 1) to 'audit.duckdb' (format csv)) select * from x",
    "with x as (copy (select 1) to 'audit.duckdb.wal') select * from x",
    "with x as (copy (select 1) to 'audit.duckdb.tmp/out') select * from x",
    "with x as materialized (copy (select 1) to 'out') select 1",
    "with x as not materialized (copy (select 1) to 'out') select 1",
    "with x as (copy (select 1) to 'out') select 1 from x where false",
    "with y as (with x as (copy (select 1) to 'out') from x) from y",
    "select * from (with x as (copy (select 1) to 'out') from x)",
    "select (with x as (copy (select 1) to 'out') select count(*) from x)",
    "with recursive x as (copy (select 1) to 'out') from x",
    "from captions where exists (with x as (copy (select 1) to 'out') from x)",
    "select 1 union all (with x as (copy (select 1) to 'out') select 2 from x)",
    "explain with x as (copy (select 1) to 'out') from x",
    "explain analyze copy (select 'pwn') to 'out'",
    "explain analyze with x as (copy (select 'pwn') to 'out') from x",
    "explain (analyze) copy (select 'pwn') to 'out'",
    "explain (analyze, format json) copy (select 'pwn') to 'out'",
    "/* é */ explain -- é\n analyze copy (select 'pwn') to 'out'",
    "explain analyze select 1",
    "explain analyze create persistent secret s (type http, bearer_token 'x')",
    "explain analyze create table x as select 1",
    "explain analyze delete from caption",
    "explain analyze attach 'out'",
    "explain analyze from enable_logging('QueryLog', storage = 'file', storage_path = 'out')",
    "explain copy (select 1) to 'out'",
    "explain delete from caption",
    "copy (select 1) to 'out'",
    "copy captions to 'out'",
    "copy caption from 'secret.csv'",
    "copy from database audit to x",
    "export database 'out'",
    "import database 'out'",
    "attach 'out'",
    "attach 'out' as x (type sqlite)",
    "attach ':memory:' as x",
    "detach audit",
    "use memory",
    "with x as (insert into caption values (1, 'x') returning *) from x",
    "with x as (update caption set text = 'x' returning *) from x",
    "with x as (delete from caption returning *) from x",
    "with x as (merge into caption using caption as c on true when matched then delete) from x",
    "insert into caption values (1, 'x')",
    "update caption set text = 'x'",
    "delete from caption",
    "truncate caption",
    "merge into caption using caption as c on true when matched then delete",
    "create table x as select 1",
    "create temp table x as select 1",
    "create or replace view captions as select 1",
    "create macro md5(x) as 1",
    "create schema x",
    "create sequence x",
    "create type x as integer",
    "create index x on caption (caption_id)",
    "create secret s (type http, bearer_token 'x')",
    "create persistent secret s (type http, bearer_token 'x')",
    "alter table caption rename to x",
    "drop table caption",
    "drop view captions",
    "comment on table caption is 'x'",
    "checkpoint",
    "force checkpoint",
    "vacuum",
    "analyze",
    "begin transaction",
    "commit",
    "from checkpoint()",
    "from force_checkpoint()",
    "from enable_logging('QueryLog', storage = 'file', storage_path = 'out')",
    "call enable_logging('QueryLog', storage = 'file', storage_path = 'out')",
    "from enable_logging()",
    "from disable_logging()",
    "from truncate_duckdb_logs()",
    "from enable_profiling()",
    "from json_execute_serialized_sql(json_serialize_sql('with x as (copy (select 1) to ''out'') from x'))",
    "from JSON_Execute_Serialized_SQL(json_serialize_sql('select 1'))",
    "from system.main.json_execute_serialized_sql(json_serialize_sql('select 1'))",
    "pragma json_execute_serialized_sql('{}')",
    "from query('with x as (copy (select 1) to ''out'') from x')",
    "from query('select 1')",
    "from query('from json_execute_serialized_sql(''{}'')')",
    "from captions, query('select 1')",
    "select (select count(*) from query('select 1'))",
    "from create_external_resource('x')",
    "from register_external_resource('x')",
]  # fmt: skip

READING = [
    "from read_text('secret.csv')",
    "from read_text('/etc/passwd')",
    "from read_text('/proc/self/environ')",
    "from read_text('/dev/random')",
    "from read_blob('secret.csv')",
    "from read_blob('audit.duckdb')",
    "from read_csv('secret.csv')",
    "from read_csv_auto('secret.csv')",
    "from read_csv('http://127.0.0.1:9/x.csv')",
    "from read_csv('https://127.0.0.1:9/x.csv')",
    "from read_csv('s3://bucket/x.csv')",
    "from read_json('secret.csv')",
    "from read_json_auto('secret.csv')",
    "from read_json_objects('secret.csv')",
    "from read_ndjson('secret.csv')",
    "from read_ndjson_objects('secret.csv')",
    "from read_parquet('secret.parquet')",
    "from parquet_scan('secret.parquet')",
    "from parquet_metadata('secret.parquet')",
    "from parquet_schema('secret.parquet')",
    "from parquet_file_metadata('secret.parquet')",
    "from parquet_kv_metadata('secret.parquet')",
    "from parquet_bloom_probe('secret.parquet', 'a', 1)",
    "from read_duckdb('audit.duckdb', table_name = 'caption')",
    "from sniff_csv('secret.csv')",
    "from glob('*')",
    "from glob('/root/*')",
    "from 'secret.csv'",
    "from 'secret.parquet'",
    "from 'secret.json'",
    'from "secret.csv"',
    "from '/etc/passwd'",
    "from 'http://127.0.0.1:9/x.csv'",
    "from 'audit.duckdb'",
    "summarize 'secret.csv'",
    "describe 'secret.csv'",
    "describe from read_text('secret.csv')",
    "summarize from read_text('secret.csv')",
    "select count(*) from captions, 'secret.csv'",
    "from query_table('secret.csv')",
    "from query_table(['secret.csv'])",
    "select (select content from read_text('secret.csv'))",
    "with x as (from read_text('secret.csv')) from x",
    "from captions where text in (select content from read_text('secret.csv'))",
    "from captions, lateral (from read_text(text))",
    "values ((select content from read_text('secret.csv')))",
    "explain from read_csv('secret.csv')",
    "select getenv('SECRET_TOKEN')",
    "select read_text('secret.csv')",
    "from variable_of_python",
    "from frame_of_python",
    "from duckdb_secrets()",
    "from which_secret('s3://x', 's3')",
    "from duckdb_logs()",
    "from duckdb_extensions()",
    "from python_arrow_scan(1, 2, 3)",
    "from arrow_scan(1, 2, 3)",
    "from pandas_scan(1)",
    "from seq_scan('caption')",
]  # fmt: skip

LOADING = [
    "install httpfs",
    "force install httpfs",
    "install spatial from community",
    "load httpfs",
    "load '/tmp/x.duckdb_extension'",
    "update extensions",
    "from sqlite_scan('secret.csv', 'x')",
    "from postgres_scan('host=127.0.0.1', 'x', 'y')",
    "from dbgen(sf = 1)",
    "from st_read('secret.csv')",
    "select inet '1.1.1.1'",
    "from read_xlsx('secret.xlsx')",
    "from delta_scan('x')",
    "from iceberg_scan('x')",
    "from 'x.xlsx'",
]  # fmt: skip

SETTING = [
    "set enable_external_access = true",
    "set memory_limit = '100GB'",
    "set lock_configuration = false",
    "set allowed_paths = ['/']",
    "set temp_directory = '/tmp'",
    "set search_path = 'system'",
    "set variable x = 1",
    "set threads = 1",
    "reset enable_external_access",
    "reset all",
    "pragma enable_profiling",
    "pragma profile_output = 'out'",
    "pragma database_list",
    "pragma import_database('out')",
    "call pragma_version()",
    "prepare x as select 1",
    "execute x",
    "deallocate x",
    "select 1; select 2",
    "select 1; copy (select 1) to 'out'",
    "",
    "-- nothing",
]  # fmt: skip

READING_THE_STORE = [
    "from captions",
    "table captions",
    "values (1), (2)",
    "describe captions",
    "summarize captions",
    "show tables",
    "explain from captions",
    "-- of é\nEXPLAIN select 'é' as é",
    "explain with x as (from captions) from x",
    "with x as (select 1 as a), y as materialized (from x) from x union all from y",
    "with recursive t(i) as (select 1 union all select i + 1 from t where i < 3) from t",
    "from (describe captions)",
    "pivot captions on slot in (0, 1) using count(*)",
    "select unnest([1, 2]), (select count(*) from captions), [x + 1 for x in [1]]",
    "from captions order by text limit 1 offset 1",
    "from query_table('captions')",
    "from histogram(captions, slot)",
    "from duckdb_tables()",
    "from range(3), json_each('[1]')",
    "from captions using sample 1",
    "select slot, row_number() over (partition by image) from captions qualify true",
]

HOSTILE = [*WRITING, *READING, *LOADING, *SETTING]


def filled(folder: Path) -> Path:
    """Make a store in a working folder with a secret."""
    (folder / "secret.csv").write_text(f"a,b\n1,{SECRET}\n")
    with Store.open(folder / "audit.duckdb", write=True) as store:
        ingest_rows(store, [("a", 0, "a dog"), ("a", 1, "a cat")])
    return folder / "audit.duckdb"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store in the working folder of a test of its own."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return filled(tmp_path / "work").relative_to(tmp_path / "work")


@pytest.fixture(scope="module", params=["reading", "writing", "in memory"])
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Path]]:
    """A store opened in each way, as `api.Auditor.sql` may ask it, and its folder."""
    path = filled(tmp_path_factory.mktemp("work"))
    if request.param == "in memory":
        with Store.open(MEMORY) as store:
            ingest_rows(store, [("a", 0, "a dog"), ("a", 1, "a cat")])
            yield store, path.parent
    else:
        with Store.open(path, write=request.param == "writing") as store:
            yield store, path.parent


def state(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def test_there_are_many_hostile_statements() -> None:
    assert len(set(HOSTILE)) >= 100


@pytest.mark.parametrize("statement", HOSTILE)
def test_hostile_statement_is_refused_and_touches_nothing(
    opened: tuple[Store, Path], statement: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable_of_python = frame_of_python = [1]  # noqa: F841  what a statement must not find
    store, folder = opened
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SECRET_TOKEN", SECRET)
    facts = "select count(*), sum(hash(c)) from caption as c"
    before, held = state(folder), store.query(facts).rows()
    with pytest.raises((SqlError, UsageError)) as refused:
        ask(store, statement, {})
    is_one = statement and not statement.startswith(("select 1; ", "--"))
    assert refused.value.exit_code == (5 if is_one else 2)
    assert SECRET not in str(refused.value)
    assert state(folder) == before
    assert list(tmp_path.iterdir()) == []
    assert store.query(facts).rows() == held


def test_files_are_for_reading_only(path: Path, tmp_path: Path) -> None:
    before = state(tmp_path)
    with Store.open(path, files=Path.cwd()) as store:
        for statement in [*WRITING, *LOADING, *SETTING]:
            with pytest.raises((SqlError, UsageError)):
                ask(store, statement, {})
    assert state(tmp_path) == before


def test_files_are_those_of_the_working_folder(path: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.csv").write_text(f"a,b\n1,{SECRET}\n")
    Path("link.csv").symlink_to(tmp_path / "outside.csv")
    with Store.open(path, files=Path.cwd()) as store:
        for inside in ("from 'secret.csv'", "from read_csv('secret.csv')", "from read_text('secret.csv')"):
            assert SECRET in str(ask(store, inside, {}).rows())
        assert ask(store, "select count(*) from captions, 'secret.csv'", {}).item() == 2
        outside = (str(tmp_path / "outside.csv"), "../outside.csv", "/etc/passwd", "/proc/self/environ")
        reads = [f"from {function}('{name}')" for name in outside for function in ("read_csv", "read_text", "glob")]
        for statement in [*reads, "from 'link.csv'", "from read_text('link.csv')", "from 'http://127.0.0.1:9/x.csv'"]:
            with pytest.raises(SqlError):
                ask(store, statement, {})


def test_what_only_reads_is_answered(path: Path) -> None:
    with Store.open(path) as store:
        for statement in READING_THE_STORE:
            assert not ask(store, statement, {}).is_empty(), statement


def test_own_statements_are_reading_ones(path: Path) -> None:
    with Store.open(path) as store:
        for file in catalogue().values():
            refuse_other_than_reading(store.connection, file.statement)


def test_deeply_nested_statement_is_refused(path: Path) -> None:
    with Store.open(path) as store, pytest.raises(SqlError):
        ask(store, f"select {'(' * 5000}1{')' * 5000}", {})


@pytest.mark.parametrize(
    "name", ["md:x", "sqlite:x.duckdb", "ducklake:x", "https://x/y.duckdb", "s3://x/y", "postgres:x"]
)
@pytest.mark.parametrize("write", [False, True])
def test_store_is_a_file_and_no_place_of_the_engine(name: str, write: bool) -> None:
    with pytest.raises(UsageError, match="a store is a file"):
        Store.open(Path(name), write=write)
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    "macro", ["md5(x) as 7", "count_star() as 7", "duckdb_tables() as table select 1", '"+"(a, b) as 7']
)
def test_macros_of_a_store_are_refused_by_name(path: Path, macro: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"create macro {macro}").complete()
    with pytest.raises(StoreError, match=re.escape(macro.replace('"', "").partition("(")[0])):
        Store.open(path)


ALTERED = {
    "create or replace view captions as select * from main.caption": "it has replaced the view captions",
    "create or replace view token as select 1 as token": "it has replaced the view token",
    "create view md6 as select 1": "no store has the view md6",
    "create view cache.bleu as select 1": "no store has the view cache.bleu",
    "drop view ngram": "it lacks the view ngram",
    "drop view latest; create table latest (dataset varchar, seq integer)": "no store has the table latest",
    "create type score as enum ('high')": "no store has the type score",
    "alter table caption alter text set default current_query()": "it has replaced the table caption",
    "alter table membership alter slot type varchar": "it has replaced the table membership",
    "alter table caption add column length integer default 3": "it has replaced the table caption",
    "drop table tag; create table tag (dataset varchar, tag varchar, seq integer, created_at timestamptz not null,"
    " primary key (dataset, tag), check (seq > 1))": "it has replaced the table tag",
    "drop table tag; create table tag (dataset varchar, tag varchar, seq integer as (1), created_at timestamptz)": (
        "it has replaced the table tag"
    ),
    "create table captions_kept as from caption": "no store has the table captions_kept",
    "drop table tag": "it lacks the table tag",
    "create schema other; create table other.caption as from caption": "no store has the table other.caption",
    "create table cache.bleu (key varchar, score double default random())": (
        "no store has the default, check or generated column of cache.bleu"
    ),
    "create table cache.bleu (key varchar, score double as (1.0))": (
        "no store has the default, check or generated column of cache.bleu"
    ),
    "create table cache.bleu (key varchar check (length(key) > 3))": (
        "no store has the default, check or generated column of cache.bleu"
    ),
    "create index spelled on caption (upper(text))": "no store has the index spelled",
    "create sequence number": "no store has the sequence number",
    "create trigger copied after insert on caption for each statement insert into tag select 'a', 'b', 1, now()": (
        "no store has the trigger copied"
    ),
}


@pytest.mark.parametrize("statement", ALTERED)
@pytest.mark.parametrize("write", [False, True])
def test_what_a_store_defines_is_what_its_schema_defines(path: Path, statement: str, write: bool) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement).complete()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=re.escape(f"altered: {ALTERED[statement]}")):
        Store.open(path, write=write)
    assert path.read_bytes() == before


@pytest.mark.parametrize("schema", range(3, migrations.newest()))
def test_replaced_views_of_an_older_schema_are_refused_before_it_is_migrated(tmp_path: Path, schema: int) -> None:
    path = tmp_path / "old.duckdb"
    with duckdb.connect(str(path)) as connection:
        migrations.apply(connection, up_to=schema)
        connection.execute("create or replace view captions as select 1 as text").complete()
    with pytest.raises(StoreError, match="replaced the view captions"):
        Store.open(path)
    assert list(tmp_path.iterdir()) == [path]


def test_digest_of_the_definitions_is_that_of_the_newest_schema() -> None:
    """Else each opening would make the schema anew to compare with."""
    with duckdb.connect() as connection:
        migrations.apply(connection)
        assert migrations._digest(migrations._definitions(connection)) == migrations.DEFINITIONS
