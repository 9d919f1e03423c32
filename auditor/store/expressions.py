"""One expression of a user over the row of a caption, run within the bounds of statements of users.

It is checked by the engine's own parse: it has no subselect and no window, so it depends on the row alone.
"""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from auditor.errors import SqlError
from auditor.model import Check
from auditor.store.connection import Store
from auditor.store.engine import quoted
from auditor.store.sqlfiles import parts
from auditor.store.statements import refuse_other_than_reading
from auditor.store.workspace import Workspace

#: The columns of `sql/findings/caption_row.sql` that an expression may read, with their types.
COLUMNS = {"text": "varchar", "words": "integer", "length": "integer", "image": "varchar", "split": "varchar"}

_SECONDS = 300.0

_ROW = f"(select {', '.join(f'null::{kind} as {name}' for name, kind in COLUMNS.items())})"

_TRIED = "select 1 as found from caption where ({}\n)"

_FOUND = "select image, slot, {why} as why from {{}} as caption where ({found}\n) order by image, slot"


def refuse(store: Store, check: Check) -> None:
    """Raise `SqlError`, with the place of its declaration, for a check that cannot be run on captions."""
    try:
        statement = _TRIED.format(_found(check))
        refuse_other_than_reading(store.connection, statement)
        condition, around = _parsed(store, statement)
        kinds = {part.get("class") for part in parts(condition)}
        if kinds & {"SUBQUERY", "WINDOW"} or around != _parsed(store, _TRIED.format("true"))[1]:
            raise SqlError("it has a subselect, a window or a clause")
        tried = statement.replace("from caption", f"from {_ROW} as caption", 1)
        store.bounded(lambda: store.query(tried), _SECONDS)
    except SqlError as error:
        columns = ", ".join(COLUMNS)
        why = str(error).partition("\n")[0].rstrip(".!")
        said = f"{check.where}: {check.form}: {why}; expected one expression over the columns {columns}"
        raise SqlError(said if check.form == "where" else f"{check.where}: {check.form}: {why}") from error


def listed(workspace: Workspace, store: Store, check: Check) -> pl.DataFrame:
    """List the captions that a check finds. Columns: image, slot, why. Raises `SqlError` as `refuse` does, and late."""
    refuse(store, check)
    why = quoted(check.written if check.form == "where" else f"without “{check.written}”")
    if check.form == "pattern":
        why = f"regexp_extract(text, {quoted(check.written)})"
    form = _FOUND.format(why=_braced(why), found=_braced(_found(check)))
    try:
        return workspace.bounded_rows("caption_row", form, _SECONDS)
    except SqlError as error:
        raise SqlError(f"{check.where}: {check.form}: {error}") from error


def _found(check: Check) -> str:
    if check.form == "where":
        return check.written
    return f"{'not ' if check.form == 'requires' else ''}regexp_matches(text, {quoted(check.written)})"


def _braced(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _parsed(store: Store, statement: str) -> tuple[Any, Any]:
    """Return the condition of a statement as the engine parses it, and what is around it."""
    written = store.connection.execute("select system.main.json_serialize_sql($text)", {"text": statement})
    node = json.loads(written.fetchall()[0][0])["statements"][0]["node"]
    return node.pop("where_clause", None), node
