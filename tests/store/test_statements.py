"""What a user's statement can do, and that no store stands for more; what it cannot do is in test_hostile.py."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import duckdb
import pytest
from conftest import asked, ingest_rows
from test_hostile import HOSTILE

from auditor.errors import SqlError, StoreError, UsageError
from auditor.store import migrations, verification
from auditor.store.connection import Store
from auditor.store.readonly_sql import ask
from auditor.store.sqlfiles import catalogue
from auditor.store.statements import refuse_other_than_reading

SECRET = "hunter2"

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


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store and a secret, of which tests have copies."""
    folder = tmp_path_factory.mktemp("filled")
    (folder / "secret.csv").write_text(f"a,b\n1,{SECRET}\n")
    with Store.open(folder / "audit.duckdb", write=True) as store:
        ingest_rows(store, [("a", 0, "a dog"), ("a", 1, "a cat")])
    return folder


@pytest.fixture
def path(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store in the working folder of a test of its own."""
    shutil.copytree(filled, tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    return Path("audit.duckdb")


def state(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def test_files_are_for_reading_only(path: Path, tmp_path: Path) -> None:
    before = state(tmp_path)
    with Store.open(path, files=Path.cwd()) as store:
        for statement in [*HOSTILE["writing"], *HOSTILE["loading"], *HOSTILE["setting"]]:
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
    "create or replace view captions as select * from main.caption": "the view captions was changed",
    "create or replace view token as select 1 as token": "the view token was changed",
    "create view md6 as select 1": "the view md6 was added",
    "create view cache.bleu as select 1": "the view cache.bleu was added",
    "drop view ngram": "the view ngram is missing",
    "drop view latest; create table latest (dataset varchar, seq integer)": "the table latest was added",
    "create type score as enum ('high')": "the type score was added",
    "alter table caption alter text set default current_query()": "the table caption was changed",
    "alter table membership alter slot type varchar": "the table membership was changed",
    "alter table caption add column length integer default 3": "the table caption was changed",
    "drop table tag; create table tag (dataset varchar, tag varchar, seq integer, created_at timestamptz not null,"
    " primary key (dataset, tag), check (seq > 1))": "the table tag was changed",
    "drop table tag; create table tag (dataset varchar, tag varchar, seq integer as (1), created_at timestamptz)": (
        "the table tag was changed"
    ),
    "create table captions_kept as from caption": "the table captions_kept was added",
    "drop table tag": "the table tag is missing",
    "create schema other; create table other.caption as from caption": "the schema other was added",
    "create schema temp": "the schema temp was added",
    "create table cache.bleu (key varchar, score double default random())": (
        "the default, check or generated column of cache.bleu was added"
    ),
    "create table cache.bleu (key varchar, score double as (1.0))": (
        "the default, check or generated column of cache.bleu was added"
    ),
    "create table cache.bleu (key varchar check (length(key) > 3))": (
        "the default, check or generated column of cache.bleu was added"
    ),
    "create index spelled on caption (upper(text))": "the index spelled was added",
    "create sequence number": "the sequence number was added",
    "create trigger copied after insert on caption for each statement insert into tag select 'a', 'b', 1, now()": (
        "the trigger copied was added"
    ),
}


@pytest.mark.parametrize("statement", ALTERED)
def test_what_a_store_defines_is_what_its_schema_defines(path: Path, statement: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement).complete()
    before = path.read_bytes()
    for write in (False, True):
        with pytest.raises(StoreError, match=re.escape(f"altered or of a pre-release: {ALTERED[statement]}")):
            Store.open(path, write=write)
        assert path.read_bytes() == before, f"{write=}"


def test_digest_of_the_definitions_is_that_of_the_newest_schema() -> None:
    """Else each opening would make the schema anew to compare with."""
    with duckdb.connect() as connection:
        migrations.apply(connection)
        assert migrations._digest(migrations._definitions(connection)) == migrations.DEFINITIONS
        assert migrations._digest(migrations._cached(connection)) == migrations.CACHED


@pytest.mark.parametrize(
    "statement",
    [
        "delete from schema_version",
        "update schema_version set number = -number",
        "alter table schema_version rename number to n",
        "drop table schema_version; create table schema_version (number varchar);"
        " insert into schema_version values ('newest')",
    ],
)
def test_store_that_names_no_schema_is_refused(path: Path, statement: str, capsys: pytest.CaptureFixture[str]) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement).complete()
    Path("c.csv").write_text("image,caption\na,a dog\n")
    for command in ("store verify", "findings set", "ingest new --from c.csv", "store gc --all", "store info"):
        assert asked(*command.split(), "--store", str(path)) == 4
        assert capsys.readouterr().err.startswith(f"error: {path}: altered: ")


CACHES = {
    "drop table cache.entry; create table cache.entry (key varchar)": "entry",
    "drop table cache.entry; create table cache.entry as select 1 as key, 2 as relation": "entry",
    "alter table cache.ngram_frequency rename gram to g": "ngram_frequency",
    "alter table cache.finding add column more integer": "finding",
    "drop table cache.parse; create table cache.parse (pipeline integer)": "parse",
    "create table cache.bleu (key varchar unique, score double)": "bleu",
}


@pytest.mark.parametrize("statement", CACHES)
def test_cache_of_another_shape_is_named_and_made_anew(path: Path, statement: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement).complete()
    said = f"{path}: altered: table cache.{CACHES[statement]} differs from the schema; run `auditor store gc --all`"
    with pytest.raises(StoreError, match=re.escape(said)):
        Store.open(path)
    with Store.open(path, write=True) as store:
        assert store.query("select * from cache.entry").columns[:2] == ["key", "relation"]
    with Store.open(path) as store:
        assert verification.legible(store)["faults"].to_list() == [0, 0]


def test_cache_of_another_shape_stops_no_ingest_and_is_swept(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    altered = "drop table cache.entry; create table cache.entry (key varchar)"
    Path("c.csv").write_text("image,caption\na,a dog\na,the dog\n")
    for command in ("ingest new --from c.csv", "store gc --all"):
        with duckdb.connect(str(path)) as connection:
            connection.execute(altered).complete()
        assert asked("store", "verify", "--store", str(path)) == 4
        assert capsys.readouterr().err.count("\n") == 1
        assert asked(*command.split(), "--store", str(path)) == 0
    assert asked("score", "new", "--store", str(path), "-m", "bleu-1") == 0
