"""Which statements a user may run, and the views and functions for them, one per file in a folder of `sql/`.

A user may run one statement that only reads, by the engine's own parse of it. Views and functions are temporary, and
made on each connection that runs statements of users: stores do not define functions, since these could replace those
of the engine. A file with parameters is a function, `captions('flickr8k@v1:test')`, one without is a view. Tables have
their full names, so that a WITH of a user's statement cannot replace them.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import duckdb

from auditor.errors import SqlError, UsageError
from auditor.store.sqlfiles import SqlFile, parse, parts, sql_root

#: The tokenizer of functions that are asked for none.
TOKENIZER = "bare"

_PARAMETER = re.compile(r"(\w+) \w+(?: = (.+))?")

_COLUMN = re.compile(r"-- column (\w+) ([^:]+): (.+)")

_ALLOWED = "the store is read-only here: SELECT, DESCRIBE and EXPLAIN are allowed"

#: What does instead what a statement may not, by how its kind begins.
_INSTEAD = {
    "INSERT": "`auditor ingest` adds captions",
    "UPDATE": "`auditor ingest` of the changed file makes a new version",
    "DELETE": "`auditor store drop` forgets a dataset or a version, `auditor ingest` makes a new one",
    "DROP": "`auditor store drop` forgets a dataset or a version",
    "COPY": "`auditor sql -o FILE` writes what a statement gives",
    "EXPORT": "`auditor export` writes a dataset",
}

#: Queries, as the engine names them. Others write: the body of a CTE may be a COPY, INSERT, UPDATE or DELETE.
_QUERIES = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}

#: Functions that give rows of what they are given, or of what the store holds. Others read files, run text as a
#: statement, change settings or write.
_OF_ROWS = {
    "generate_series", "histogram", "histogram_values", "icu_calendar_names", "json_each", "json_tree",
    "pg_timezone_names", "query_table", "range", "repeat", "repeat_row", "summary", "test_all_types",
    "test_vector_types", "unnest", "duckdb_columns", "duckdb_constraints", "duckdb_databases", "duckdb_dependencies",
    "duckdb_functions", "duckdb_indexes", "duckdb_keywords", "duckdb_memory", "duckdb_optimizers", "duckdb_schemas",
    "duckdb_sequences", "duckdb_settings", "duckdb_table_sample", "duckdb_tables", "duckdb_temporary_files",
    "duckdb_triggers", "duckdb_types", "duckdb_variables", "duckdb_views", "pragma_collations",
    "pragma_database_size", "pragma_metadata_info", "pragma_platform", "pragma_show", "pragma_storage_info",
    "pragma_table_info", "pragma_user_agent", "pragma_version",
}  # fmt: skip

_READS_FILES = "reads files, which only `auditor sql --files` does, those of the working folder"

#: Functions that read files, for statements that may.
_OF_FILES = {
    "glob", "parquet_bloom_probe", "parquet_file_metadata", "parquet_full_metadata", "parquet_kv_metadata",
    "parquet_metadata", "parquet_scan", "parquet_schema", "read_blob", "read_csv", "read_csv_auto", "read_json",
    "read_json_auto", "read_json_objects", "read_json_objects_auto", "read_ndjson", "read_ndjson_auto",
    "read_ndjson_objects", "read_parquet", "read_text", "sniff_csv",
}  # fmt: skip


#: Words of statements that can list what is defined.
_LISTS = ("duckdb_", "information_schema", "pg_", "pragma", "show", "describe", "summarize", "sqlite_master")


def parameters(connection: duckdb.DuckDBPyConnection, statement: str) -> set[str]:
    """Return the names of the parameters of one or more statements. Raises `SqlError` for invalid SQL."""
    return {name for parsed in _parsed(connection, statement) for name in parsed.named_parameters}


def refuse_other_than_reading(connection: duckdb.DuckDBPyConnection, statement: str, *, files: bool = False) -> None:
    """Refuse whatever is not one statement that only reads: the store, and with `files` also files.

    An EXPLAIN is of such a statement and does not run it. Raises `SqlError`; `UsageError` for none or more than one.
    """
    statements = _parsed(connection, statement)
    if len(statements) != 1:
        raise UsageError(f"expected one statement, found {len(statements)}")
    try:
        kind = statements[0].type
    except ValueError as error:  # a kind that the engine's own list lacks
        raise SqlError(f"{_ALLOWED}, this is not") from error
    if kind not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
        instead = _INSTEAD.get(kind.name)
        raise SqlError(f"{_ALLOWED}, {kind.name} is not{f'; {instead}' if instead else ''}")
    text = statement if kind is duckdb.StatementType.SELECT else _explained(statement)
    row = connection.execute("select system.main.json_serialize_sql($text)", {"text": text}).fetchall()[0]
    try:
        parsed = json.loads(row[0])
        names = list(_facts(parsed))
    except RecursionError as error:
        raise SqlError("the statement is nested too deeply") from error
    if parsed["error"]:
        what = "EXPLAIN of anything else, or with ANALYZE," if kind is duckdb.StatementType.EXPLAIN else "this"
        raise SqlError(f"{_ALLOWED}, {what} is not")
    for name in names:
        if name.endswith("_NODE") and name not in _QUERIES:
            raise SqlError(f"{_ALLOWED}, {name.removesuffix('_NODE').removesuffix('_QUERY')} is not, nor in WITH")
        if name.endswith("()") and name[:-2] not in _OF_ROWS | relations().keys() | (_OF_FILES if files else set()):
            why = _READS_FILES if name[:-2] in _OF_FILES else "may do more than read the store"
            raise SqlError(f"{name} in FROM is refused: it {why}")


def relations_read(connection: duckdb.DuckDBPyConnection, statement: str) -> set[str]:
    """Return the tables, views and functions for users that a SELECT reads, without those of its WITH.

    Empty for another statement.
    """
    answer = connection.execute("select system.main.json_serialize_sql($text)", {"text": statement}).fetchall()[0]
    parsed = json.loads(answer[0])
    called = {name for name in _facts(parsed) if name.removesuffix("()") in relations()}
    return called | (set(_named(parsed, "table_name")) - set(_named(parsed, "key")))


def called_with(
    connection: duckdb.DuckDBPyConnection, statement: str, function: str, params: Mapping[str, Any]
) -> Iterator[list[str]]:
    """List with which texts a SELECT calls a function, in writing or by its parameters."""
    answer = connection.execute("select system.main.json_serialize_sql($text)", {"text": statement}).fetchall()[0]
    for part in parts(json.loads(answer[0])):
        if part.get("type") == "TABLE_FUNCTION" and part["function"]["function_name"].lower() == function:
            given = [argument["expression"] for argument in part["function"]["arguments"]]
            yield [
                str(value["literal"]["text"] if value["class"] == "CONSTANT" else params[value["identifier"]])
                for value in given
                if value.get("literal", {}).get("kind") == "STRING" or value.get("identifier") in params
            ]


def _parsed(connection: duckdb.DuckDBPyConnection, statement: str) -> list[duckdb.Statement]:
    try:
        return connection.extract_statements(statement)  # that of the module opens a database for it
    except duckdb.Error as error:
        raise SqlError(str(error).strip()) from error


def _explained(statement: str) -> str:
    """Return what follows EXPLAIN."""
    text = statement.encode()  # the engine's offsets count bytes
    words = [start for start, kind in duckdb.tokenize(statement) if kind is not duckdb.token_type.comment]
    return text[words[0] + len("explain") :].decode()


def _named(parsed: Any, field: str) -> Iterator[str]:
    """List what a field of any part of a statement names."""
    for part in parts(parsed):
        if isinstance(named := part.get(field), str) and (field == "key" or part.get("type") == "BASE_TABLE"):
            yield named


def _facts(parsed: Any) -> Iterator[str]:
    """List the kind of every node, and the name of every function in FROM, with brackets."""
    for part in parts(parsed):
        kind = part.get("type")
        if isinstance(kind, str):
            yield kind
        if kind == "TABLE_FUNCTION":
            yield f"{part['function']['function_name'].lower()}()"


@dataclass(frozen=True)
class Relation:
    """One view or function: how it is called, each column with type and meaning, a statement with it."""

    file: SqlFile
    called: str
    columns: tuple[tuple[str, str, str], ...]
    example: str

    @property
    def name(self) -> str:
        """What it is called without parameters."""
        return self.file.name

    @property
    def definitions(self) -> Iterator[str]:
        """The statements that define it; for a view, first an empty one, in case the cache was dropped."""
        body = "\n".join(line for line in self.file.statement.splitlines() if not line.startswith("--"))
        if self.file.params:
            macro = re.sub(r"\$(\w+)", r"\1", body)
            yield f"create or replace temp macro {self.called} as table {macro}"
        else:
            nothing = ", ".join(f"null::{kind} as {name}" for name, kind, _ in self.columns)
            yield f"create or replace temp view {self.name} as select {nothing} limit 0"
            yield f"create or replace temp view {self.name} as {body}"


@functools.cache
def relations() -> dict[str, Relation]:
    """Return every view and function, by name; each after those that it reads."""
    files = {file.name: file for file in map(parse, sorted((sql_root() / "people").glob("*.sql")))}
    ordered: dict[str, Relation] = {}

    def order(file: SqlFile) -> None:
        for read in file.reads:
            if read in files and files[read].params:
                order(files[read])
        ordered.setdefault(file.name, _relation(file))

    for file in files.values():
        order(file)
    return ordered


def provide(connection: duckdb.DuckDBPyConnection, statement: str | None = None) -> None:
    """Define the views and functions that a statement may name or list; all of them without a statement.

    Functions over counts that were dropped are left out.
    """
    absent, text = {"cache.ngram_frequency"}, (statement or "").lower()
    are_listed = statement is None or any(word in text for word in _LISTS)
    needed = {name for name in relations() if are_listed or name in text}
    for relation in reversed(relations().values()):
        needed |= {*relation.file.reads} if relation.name in needed else set()
    for relation in (relation for relation in relations().values() if relation.name in needed):
        for definition in relation.definitions:
            try:
                connection.execute(definition).complete()
            except duckdb.CatalogException:  # the cache was dropped
                if absent.isdisjoint(relation.file.reads) and relation.file.params:
                    raise
                absent.add(relation.file.name)


def _relation(file: SqlFile) -> Relation:
    header, _, _ = file.statement.partition("\n--\n")
    params = [match.groups() for match in _PARAMETER.finditer(_field(header, "params"))]
    listed = ", ".join(name if default is None else f"{name} := {default}" for name, default in params)
    columns = map(_COLUMN.fullmatch, header.splitlines())
    return Relation(
        file,
        f"{file.name}({listed})" if params else file.name,
        tuple((matched[1], matched[2], matched[3]) for matched in columns if matched),
        _field(header, "example"),
    )


def _field(header: str, name: str) -> str:
    matched = re.search(rf"^-- {name}: (.+)$", header, re.MULTILINE)
    return matched[1] if matched else ""
