"""Gates in SQL: statements that users write, and that must return no rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
import polars.selectors as cs

from auditor.errors import AuditorError, SqlError, UsageError
from auditor.model import Gate, Selection
from auditor.result import Table, counted
from auditor.store import readonly_sql, statements
from auditor.store.connection import Store

#: Time limit of a statement, in seconds.
TIMEOUT = 300.0

_SHOWN_ROWS = 10

_SHOWN_TEXT = 200


@dataclass(frozen=True)
class Answer:
    """The rows of a statement for a selection, or for the store (null)."""

    gate: Gate
    selection: Selection | None
    rows: pl.DataFrame

    @property
    def reason(self) -> str | None:
        """The number of rows with the first row, as text; null without rows."""
        if self.rows.is_empty():
            return None
        first = ", ".join(f"{name} = {value}" for name, value in self.rows.row(0, named=True).items())
        shown = first if len(first) <= _SHOWN_TEXT else first[: _SHOWN_TEXT - 1] + "…"
        return f"{counted(self.rows.height, 'row', 'rows')}, expected none; the first: {shown}"

    @property
    def table(self) -> Table:
        """The first rows."""
        hidden = self.rows.height - _SHOWN_ROWS
        whose = "" if self.selection is None else f"{self.selection.label}: "
        caption = f"{hidden:,} more rows" if hidden > 0 else None
        return Table(f"{whose}{self.gate.keys[1]}", self.rows.head(_SHOWN_ROWS), caption=caption, name="statement")


def answers(
    store: Store, gates: Sequence[Gate], selections: Sequence[Selection], timeout: float = TIMEOUT
) -> list[Answer]:
    """Run statements: with parameters, or of one dataset, for each selection; others once.

    A statement of one dataset replaces one with the same name for all datasets.

    The parameters are `$dataset`, `$version`, `$seq` and `$split`. Raises `SqlError`, with the statement's name and
    position, if the engine refuses it or it takes longer than `timeout` seconds.
    """
    answered = []
    for gate in gates:
        try:
            named = statements.parameters(store.connection, str(gate.limit))
        except SqlError as error:
            raise _fault(gate, error) from error
        if gate.dataset is None and not named:
            answered.append(Answer(gate, None, _rows(store, gate, {}, timeout)))
            continue
        for selection in selections:
            version = selection.version
            is_own = any((other.dataset, other.keys) == (version.dataset, gate.keys) for other in gates)
            if gate.dataset != (version.dataset if is_own else None):
                continue
            facts: dict[str, str | int | None] = {"dataset": version.dataset, "version": version.version}
            facts |= {"seq": version.seq, "split": selection.split}
            given = {name: fact for name, fact in facts.items() if name in named}
            if unknown := named - set(facts):
                raise _fault(gate, f"unknown parameter ${min(unknown)}; use {', '.join(f'${name}' for name in facts)}")
            answered.append(Answer(gate, selection, _rows(store, gate, given, timeout)))
    return answered


def _rows(store: Store, gate: Gate, given: dict[str, str | int | None], timeout: float) -> pl.DataFrame:
    statement = str(gate.limit)
    try:
        rows = readonly_sql.ask(store, statement, given, readonly_sql.Limits(timeout))
    except (SqlError, UsageError) as error:
        raise _fault(gate, error) from error
    # The engine's threads return rows in any order, and the first ones are shown.
    return rows if "order by" in statement.lower() else rows.sort(~cs.nested())


def _fault(gate: Gate, what: AuditorError | str) -> SqlError:
    return SqlError(f"{gate.where}: check {gate.keys[1]!r}: {what}")
