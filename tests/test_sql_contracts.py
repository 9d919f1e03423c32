"""The header of every file in sql/ is a contract, checked by DuckDB; every file has a case, and the case holds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import duckdb
import pytest
from conftest import ROOT, ingest_rows
from sqlcases import (
    CAPTIONS_OF,
    CASES,
    MANY_WORDS,
    PARAMS,
    every_file,
    holds,
    load,
    order_of,
    shared_captions,
    with_captions,
)

from auditor.store import statements
from auditor.store.connection import MEMORY, Store
from auditor.store.readonly_sql import ask
from auditor.store.sqlfiles import SqlFile, catalogue, declared, fingerprint, macros, sql_root
from auditor.store.workspace import Workspace

#: What the engine says of itself.
ENGINE = {"duckdb_columns", "duckdb_tables", "duckdb_views"}

#: What counts or lists all texts of a store, or numbers new ones after them: its rows differ where there are more.
OF_ALL_TEXTS = {
    "candidate_made", "candidate_system", "changed_reference", "integrity", "new_caption", "new_token", "stored_tokens",
}  # fmt: skip

FILES = pytest.mark.parametrize("file", every_file(), ids=lambda file: file.name)
KEYWORDS = re.compile(r"\b(SELECT|FROM|WHERE|JOIN|GROUP BY|ORDER BY|WITH|UNION|CASE|WHEN|COUNT|SUM)\b")


@FILES
def test_case_holds(file: SqlFile) -> None:
    case = load(file)
    assert order_of(file.statement) == file.order, "the header declares another order than the statement asks for"
    assert not (wrong := holds(file, case)), wrong


def faults(check: Callable[[SqlFile], None]) -> list[str]:
    """Return a line per file that fails a check: a check of a file is cheap, a test of its own is not."""
    found = []
    for file in every_file():
        try:
            check(file)
        except AssertionError as error:
            found.append(f"{file.path.relative_to(ROOT)}: {error}")
    return found


@pytest.mark.full
def test_cases_hold_in_a_store_of_many_words() -> None:
    """The engine plans joins with a large table otherwise."""

    def check_case(file: SqlFile) -> None:
        wrong = holds(file, load(file), MANY_WORDS)
        assert not wrong or file.name in OF_ALL_TEXTS, wrong

    assert faults(check_case) == []


def test_declared_parameters_are_those_of_the_statement() -> None:
    assert faults(check_parameters) == []


def check_parameters(file: SqlFile) -> None:
    statements = duckdb.extract_statements(file.statement)
    assert len(statements) == 1
    assert set(statements[0].named_parameters) == set(file.params)
    assert statements[0].type == duckdb.StatementType.SELECT


def test_files_are_named_and_written_as_agreed() -> None:
    assert faults(check_text) == []


def check_text(file: SqlFile) -> None:
    text = file.path.read_text(encoding="utf-8")
    body = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    assert file.path.stem == file.name
    assert len(text.splitlines()) <= 80
    assert max(map(len, text.splitlines())) <= 140
    assert not KEYWORDS.search(body), "lower case"
    assert not re.search(r"select\s+\*", body), "name the columns"
    assert text.splitlines()[0] == f"-- name: {file.name}"


def test_every_relation_that_a_statement_names_is_declared_and_none_else() -> None:
    assert faults(check_reads) == []


def check_reads(file: SqlFile) -> None:
    body = re.sub(r"--.*", "", file.statement)
    ctes = set(
        re.findall(r"(?:with(?: recursive)?|,)\s+(\w+)\s*(?:\([^)]*\))?\s+as\s+(?:(?:not\s+)?materialized\s+)?\(", body)
    )
    body = body.replace("distinct from", "")
    named = (
        set(re.findall(r"\b(?:from|join)\s+(?:main\.)?((?:cache\.)?\w+)", body)) - ctes - {"range", "lateral", "values"}
    )
    assert named == set(file.reads)


def test_what_is_read_is_a_select_a_table_or_declared() -> None:
    with Store.open(MEMORY) as store:
        tables = set(store.rows("schema_listing")["relation"])
    read = {name for file in catalogue().values() for name in file.reads}
    assert read - set(catalogue()) - tables - ENGINE - {"cache.ngram_frequency"} == set(declared())
    assert not set(declared()) & (set(catalogue()) | tables)
    assert not set(statements.relations()) & (set(catalogue()) | set(declared()))


def test_modules_that_are_declared_to_bind_a_relation_name_it() -> None:
    for name, relation in declared().items():
        for module in relation.bound_by:
            text = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
            assert f'"{name}"' in text, module


@pytest.fixture(scope="module")
def declarations() -> Iterator[Workspace]:
    """Every declared relation, of the declared columns alone, without a row."""
    with Store.open(MEMORY) as store:
        at_work = Workspace(store, **PARAMS)
        for name, relation in declared().items():
            columns = ", ".join(f"null::{kind} as {column}" for column, kind in relation.columns.items())
            at_work._hold(name, f"select {columns} limit 0", {})
            at_work._is_bound(name)
        yield at_work


def test_a_select_counts_on_declared_columns_alone(declarations: Workspace) -> None:
    def check_columns(file: SqlFile) -> None:
        if {*file.reads} & set(declared()):
            assert tuple(declarations.rows(file.name).columns) == file.returns

    assert faults(check_columns) == []


def test_cases_on_captions_hold_the_hard_ones() -> None:
    """One caption for an image, identical captions, an empty caption, other scripts."""
    assert faults(check_captions) == []


def check_captions(file: SqlFile) -> None:
    captions = load(file)["captions"]
    if not captions:
        return  # the case gives the relations as literals
    images = Counter(image for image, *_ in captions)
    twins = Counter((image, text) for image, _, text, *_ in captions)
    texts = [text for _, _, text, *_ in captions]
    assert 1 in images.values(), "no image has one caption"
    assert max(twins.values()) > 1, "no image has the same caption twice"
    assert "" in texts, "no caption is without a word"
    assert not all(map(str.isascii, texts)), "no caption is in another script"


def test_captions_with_a_name_are_those_of_several_cases() -> None:
    parts = [part for file in every_file() for case in [load(file)] for part in (case, *case.get("also", []))]
    given = [repr(part[key]) for part in parts for key in CAPTIONS_OF if part.get(key)]
    assert {text for text, cases in Counter(given).items() if cases > 1} == {*map(repr, shared_captions().values())}


def test_a_case_that_names_unknown_captions_is_refused_with_its_file_and_the_known_names() -> None:
    with pytest.raises(LookupError, match=r"tests/cases/a/b.toml: system 'dogs' is not in .*; known: dog-runs, "):
        with_captions({"captions": [], "also": [{"system": "dogs"}]}, CASES / "a" / "b.toml")


def test_layout_and_comments_do_not_change_a_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {name: fingerprint(name) for name in catalogue()}
    relaid: dict[str, Any] = {}
    for name, file in catalogue().items():
        body = "\n".join(f"  {line}  -- why" for line in file.statement.splitlines() if not line.startswith("--"))
        relaid[name] = replace(file, statement=f"-- another comment\n\n{body}")
    monkeypatch.setattr("auditor.store.sqlfiles.catalogue", lambda: relaid)
    fingerprint.cache_clear()
    try:
        assert {name: fingerprint(name) for name in relaid} == before
    finally:
        fingerprint.cache_clear()


def test_a_changed_input_changes_the_fingerprint_of_what_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {name: fingerprint(name) for name in ("cider", "bleu", "rouge_n")}
    changed = dict(catalogue())
    file = changed["tfidf_norm"]
    changed["tfidf_norm"] = replace(file, statement=file.statement.replace("sqrt", "abs"))
    monkeypatch.setattr("auditor.store.sqlfiles.catalogue", lambda: changed)
    fingerprint.cache_clear()
    try:
        assert fingerprint("cider") != before["cider"]
        assert fingerprint("bleu") == before["bleu"]
        assert fingerprint("rouge_n") == before["rouge_n"]
    finally:
        fingerprint.cache_clear()


def test_a_changed_macro_changes_the_fingerprint_of_what_calls_it(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {name: fingerprint(name) for name in ("cider", "tfidf_norm", "bleu")}
    changed = {**macros(), "square_scale": macros()["square_scale"].replace("1180591620717411303424.0", "2.0")}
    monkeypatch.setattr("auditor.store.sqlfiles.macros", lambda: changed)
    fingerprint.cache_clear()
    try:
        assert fingerprint("tfidf_norm") != before["tfidf_norm"]
        assert fingerprint("cider") != before["cider"]
        assert fingerprint("bleu") == before["bleu"]
    finally:
        fingerprint.cache_clear()


def test_every_macro_is_called_and_no_select_spells_its_number() -> None:
    body = "".join(re.sub(r"--.*", "", file.statement) for file in catalogue().values())
    assert [name for name in macros() if f"{name}(" not in body] == []
    numbers = set(re.findall(r"\d{9,}", "".join(macros().values())))
    assert [number for number in numbers if number in body] == []


def test_schema_files_comment_every_table_and_column() -> None:
    with Store.open(MEMORY) as store:
        listed = store.rows("schema_listing")
    silent = listed.filter(listed["meaning"].is_null())
    assert silent.is_empty(), silent
    assert sql_root().is_dir()


def test_what_people_query_is_described_as_it_is() -> None:
    """Each column has a type, the engine's, and a meaning."""
    with Store.open(MEMORY) as store:
        for name, relation in statements.relations().items():
            assert tuple(column for column, _, _ in relation.columns) == relation.file.returns, name
            assert relation.file.meaning, name
            assert relation.example, name
            called = name if not relation.file.params else f"{name}({', '.join(['null'] * required(relation.called))})"
            described = ask(store, f"describe from {called}", {}).select("column_name", "column_type")
            assert dict(described.iter_rows()) == {column: kind for column, kind, _ in relation.columns}, name


def required(called: str) -> int:
    return sum(":=" not in one for one in called.partition("(")[2].rstrip(")").split(", "))


def test_tables_of_the_store_are_read_whatever_a_statement_calls_its_own() -> None:
    with Store.open(MEMORY) as store:
        ingest_rows(store, [("a", 0, "a dog"), ("a", 1, "a cat")])
        shadows = "with membership as (select 1), caption as (select 2), vocabulary as (select 3)"
        for called, rows in (("captions('set')", 2), ("tokens('set')", 4), ("ngrams('set', 2)", 2)):
            assert ask(store, f"{shadows} select count(*) from {called}", {}).item() == rows


def test_a_view_and_a_function_of_one_name_have_the_same_columns() -> None:
    with Store.open(MEMORY) as store:
        ingest_rows(store, [("a", 0, "a dog"), ("a", 1, "a cat")])
        assert ask(store, "from captions", {}).equals(ask(store, "from captions('set')", {}))


def test_no_two_files_have_one_name() -> None:
    names = Counter(path.stem for path in sql_root().rglob("*.sql"))
    assert [name for name, files in names.items() if files > 1] == []
