"""`auditor sql`, in one statement and at its prompt: where statements come from, how much is shown, what completes them."""

from __future__ import annotations

import io
import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ingest_rows
from hypothesis import given
from hypothesis import strategies as st

from auditor.cli import app
from auditor.cli.commands.shell import Names, completions, statements
from auditor.store.connection import Store
from auditor.store.statements import relations
from auditor.studies.upkeep.sql import query, schema


@pytest.fixture(autouse=True)
def path() -> Path:
    with Store.open(Path("audit.duckdb"), write=True) as store:
        ingest_rows(store, [("a", slot, f"a dog {slot}") for slot in range(3)], "dogs")
    return Path("audit.duckdb")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as ended:
        app.main([*words])
    out, err = capsys.readouterr()
    return ended.value.code, out, err


class Piped(io.TextIOWrapper):
    def __init__(self, text: str | bytes) -> None:
        super().__init__(io.BytesIO(text.encode() if isinstance(text, str) else text), encoding="utf-8")


@pytest.mark.parametrize("words", [["-"], ["-f", "-"], ["-f", "asked.sql"]])
def test_statements_come_from_standard_input_or_a_file(
    words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    statement = "select $who as a\n-- é\n"
    Path("asked.sql").write_text(statement)
    monkeypatch.setattr(sys, "stdin", Piped(statement))
    code, out, _ = run(capsys, "sql", *words, "-p", "who=é", "--format", "csv")
    assert (code, out) == (None, "a\né\n") or (code, out) == (0, "a\né\n")


def test_input_that_is_no_text_is_refused(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Piped(b"select '\xff'"))
    code, _, err = run(capsys, "sql", "-")
    assert code == 2
    assert err.startswith("error: -: cannot be read")


@pytest.mark.parametrize("chosen", ["table", "csv", "json", "parquet"])
@pytest.mark.parametrize(("limit", "more"), [(1, True), (2, True), (3, False), (9, False)])
def test_limit_gives_the_first_rows_and_says_whether_there_are_more(
    chosen: str, limit: int, more: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(
        capsys, "sql", "select slot from captions order by slot", "--limit", str(limit), "-o", f"out.{chosen}",
        "--format", chosen,
    )  # fmt: skip
    told = err + (Path("out.table").read_text() if chosen == "table" else "")
    assert code in (None, 0)
    assert ("there are more" in told) is more
    if chosen == "csv":
        assert Path("out.csv").read_text().split() == ["slot", *map(str, range(min(limit, 3)))]
    if chosen == "json":
        rows = json.loads(Path("out.json").read_text())["auditor.sql/v3"]["rows"]
        assert rows == [{"slot": slot} for slot in range(min(limit, 3))]


def test_limit_ends_what_has_no_end(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "sql", "from range(9000000000000000000)", "--limit", "2", "--format", "csv")
    assert (code, out) in ((None, "range\n0\n1\n"), (0, "range\n0\n1\n"))
    assert "only the first 2 rows shown; there are more" in err


def test_ids_are_printed_as_ids_and_amounts_with_separators(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(
        capsys, "sql", "select 12345 as caption_id, 12345 as slot, 12345 as image, 12345 as images, sum(12345) as s"
    )
    assert out.split()[-5:] == ["12345", "12345", "12345", "12,345", "12,345"]


def test_catalogue_fits_a_terminal_of_eighty_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run(capsys, "sql", "--schema")
    assert max(map(len, out.splitlines())) <= 80
    for named in ("captions(ref)", "ngrams(ref, n, tokenizer := 'bare')", "cache.score_list"):
        assert named in out
    assert len(out.splitlines()) < 120
    _, everything, _ = run(capsys, "sql", "--schema", "all")
    assert everything.startswith(out.partition("• ")[0].rstrip())
    assert "example: from images" in everything
    assert "from captions('dogs@v1') limit 3" in everything, "examples name what the store has"
    _, own, _ = run(capsys, "sql", "--schema", "tokens")
    assert own.startswith("tokens(ref, tokenizer := 'bare'):")
    assert len(own.splitlines()) < 25
    code, _, err = run(capsys, "sql", "--schema", "nothing")
    assert (code, "nothing" in err) == (2, True)


def test_every_example_of_the_catalogue_runs() -> None:
    with Store.open(Path("audit.duckdb")) as store:
        examples = schema(store).frame["example"].drop_nulls().to_list()
        assert len(examples) == len(relations())
        for example in examples:
            query(store, example)


def typed(monkeypatch: pytest.MonkeyPatch, lines: str) -> None:
    """Type lines at a terminal without prompt_toolkit."""
    left = iter(lines.split("\n"))

    def read(_prompt: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    terminal = Piped("")
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", terminal)
    monkeypatch.setattr("auditor.cli.commands.shell._reader", lambda _: read)


def test_without_a_statement_a_pipe_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Piped("select 1;"))
    code, out, err = run(capsys, "sql")
    assert (code, out) == (2, "")
    assert "- for standard input" in err


def test_prompt_answers_and_goes_on_after_a_mistake(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, ".schema images\nselect ';' as one; -- a;b\nselect nope;\n.nothing\nselect\n 2 as two;")
    code, out, err = run(capsys, "sql")
    assert code in (None, 0)
    assert [word for word in out.split() if word in ("one", ";", "two", "2")] == ["one", ";", "two", "2"]
    assert "images: The images" in out
    assert "error: " in err
    assert ".nothing: unknown command" in err


@pytest.mark.parametrize("last", ["quit", "exit;", ".quit"])
def test_prompt_ends_where_it_is_told_to(
    last: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, f"help\nselect 1 as one;\n{last}\nselect x;")
    code, out, err = run(capsys, "sql")
    assert code in (None, 0)
    assert out.split()[0] == "one"
    assert ".schema NAME" in err
    assert "error" not in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["caption_token", "--schema"], "did you mean caption_tokens"),
        (["zzz", "--schema"], "`auditor sql --schema` lists all names"),
        (["asked.sql"], "asked.sql: is a file; `auditor sql --file asked.sql` runs the statement in it"),
        (["select $k"], "$k has no value; set it with -p k=VALUE"),
        (["select $k", "-p", "k=1", "-p", "j=2"], "the statement has no $j; it has $k"),
        (["select 1", "-p", "j=2"], "the statement has no $j; it has none"),
        (["delete from caption"], "`auditor store drop` forgets a dataset or a version"),
        (["select list_transform([1], x -> x + 1)"], "write a lambda as `lambda word: …`"),
        (["copy caption to 'x.csv'"], "`auditor sql -o FILE` writes what a statement gives"),
        (["from read_csv('x.csv')"], "reads files, which only `auditor sql --files` does"),
        (["from '/etc/x.csv'", "--files"], "with `auditor sql --files` those in the working folder"),
    ],
)
def test_what_is_refused_says_what_to_do_instead(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "sql", *words)
    assert code in (2, 5)
    assert not out
    assert told in err


def test_file_of_rows_says_how_many_and_null_is_no_empty_text(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, err = run(capsys, "sql", "from captions('dogs')", "-o", "rows.csv")
    assert err == "written: rows.csv, 3 rows\n"
    _, out, _ = run(capsys, "sql", "select null as a, '' as b")
    assert out.split()[-1] == "null"


@pytest.mark.skipif(sys.platform == "win32", reason="terminals of POSIX")
def test_prompt_on_a_terminal_completes_remembers_and_lets_others_write(tmp_path: Path) -> None:
    pytest.importorskip("prompt_toolkit")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-m", "auditor", "sql"], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    ) as running:
        shown = heard(ours, "auditor>")
        os.write(ours, b"select 6 * count(*) as n from captions('dogs@\t")
        shown += heard(ours, "dogs@v1")
        with Store.open(Path("audit.duckdb"), write=True, wait=0):
            pass  # nobody holds the store between two statements
        os.write(ours, b"');\r")
        shown += heard(ours, "18")
        os.write(ours, b"select nonsense;\r")
        shown += heard(ours, "Binder Error")
        os.write(ours, b".quit\r")
        heard(ours, "", seconds=1)
    os.close(theirs)
    assert running.returncode == 0, shown
    history = tmp_path / "state" / "auditor" / "shell_history"
    assert "captions('dogs@v1');" in history.read_text()
    assert history.stat().st_mode & 0o077 == 0


def heard(terminal: int, awaited: str, seconds: float = 20) -> str:
    received, until = "", time.monotonic() + seconds
    while time.monotonic() < until and (not awaited or awaited not in received):
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                received += os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                break
    return received


NAMES = Names(["captions", "versions"], ["tokens('"], ["caption_id", "dataset"], ["dogs", "dogs@v1"])


@pytest.mark.parametrize(
    ("before", "offered"),
    [
        ("from cap", ["captions", "caption_id"]),
        ("from TOK", ["tokens('"]),
        ("from tokens('do", ["dogs", "dogs@v1"]),
        ("from tokens('dogs') where da", ["dataset"]),
        ("sel", ["select"]),
        ("from tokens('dogs') ", []),
        ("", []),
    ],
)
def test_what_is_begun_is_completed(before: str, offered: list[str]) -> None:
    assert [one for one, _ in completions(NAMES, before)] == offered


@given(
    st.lists(
        st.sampled_from(["select 1", "select ';' as a", 'select ";" from t', "select 1 -- a;b\n + 2", "/* ; */ from x"])
    )
)
def test_statements_are_parted_where_they_end(asked: list[str]) -> None:
    ended, rest = statements("".join(f"{one};\n" for one in asked))
    assert (ended, rest.strip()) == (asked, "")
    begun = "select 'unended;"
    assert statements(begun) == ([], begun)
