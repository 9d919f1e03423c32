"""One expression of a user over the row of a caption, within the bounds of statements of users."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import polars as pl

from auditor.errors import SqlError
from auditor.model import Check
from auditor.store.connection import Store
from auditor.store.engine import quoted
from auditor.store.sqlfiles import parts
from auditor.store.statements import refuse_other_than_reading
from auditor.store.workspace import Workspace

_SECONDS = 300.0

#: What an expression is tried by, and the row of `sql/findings/caption_row.sql` that it is tried on.
_TRIED = "select 1 as found from caption where ({}\n)"
_ROW = "(select null::text as text, 0 as words, 0 as length, null::text as image, null::text as split) as caption"


def refuse(store: Store, check: Check) -> None:
    """Raise `SqlError`, with the place of its declaration, for a check that cannot be run on captions."""
    statement = _TRIED.format(_sql(check)[0])
    with _placed(check):
        refuse_other_than_reading(store.connection, statement)
        condition, around = _parsed(store, statement)
        kinds = {part.get("class") for part in parts(condition)}
        if kinds & {"SUBQUERY", "WINDOW"} or around != _parsed(store, _TRIED.format("true"))[1]:
            raise SqlError("it has a subselect, a window or a clause")
        store.bounded(lambda: store.query(statement.replace("caption", _ROW, 1)), _SECONDS)


def listed(workspace: Workspace, store: Store, check: Check) -> pl.DataFrame:
    """List the captions that a check finds. Columns: image, slot, why. Raises `SqlError` as `refuse` does."""
    refuse(store, check)
    if "caption_row" not in workspace.bound:
        workspace.bind("caption_row")
    found, why = _sql(check)
    statement = f"select image, slot, {why} as why from caption_row where ({found}\n) order by image, slot"
    with _placed(check):
        return store.bounded(lambda: workspace.query(statement), _SECONDS)


def _sql(check: Check) -> tuple[str, str]:
    """Return the condition of a check, and why a caption is listed."""
    written = quoted(check.written)
    if check.form == "where":
        return check.written, written
    if check.form == "pattern":
        return f"regexp_matches(text, {written})", f"regexp_extract(text, {written})"
    return f"not regexp_matches(text, {written})", f"'without ' || {written}"


@contextmanager
def _placed(check: Check) -> Iterator[None]:
    try:
        yield
    except SqlError as error:
        why = str(error).partition("\n")[0].rstrip(".!")
        more = "; expected one expression over text, words, length, image, split" * (check.form == "where")
        raise SqlError(f"{check.where}: {check.form}: {why}{more}") from error


def _parsed(store: Store, statement: str) -> tuple[Any, Any]:
    """Return the condition of a statement as the engine parses it, and what is around it."""
    written = store.connection.execute("select system.main.json_serialize_sql($text)", {"text": statement})
    node = json.loads(written.fetchall()[0][0])["statements"][0]["node"]
    return node.pop("where_clause", None), node
