"""Relations that SELECTs read and no SELECT makes, as `sql/relations.toml` declares them."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass

from auditor.store.sqlfiles import sql_root


@dataclass(frozen=True)
class Relation:
    """A relation that Python binds.

    `grain` is the meaning of one row, `holds` describes all rows; `columns` are those that a SELECT may count on, with
    their types; `bound_by` names the modules that bind it.
    """

    grain: str
    holds: str
    columns: dict[str, str]
    bound_by: tuple[str, ...]


@functools.cache
def declared() -> dict[str, Relation]:
    """Read the declarations, by name."""
    tables = tomllib.loads((sql_root() / "relations.toml").read_text(encoding="utf-8"))
    return {
        name: Relation(
            table["grain"],
            table["holds"],
            {column: kind for column, _, kind in (written.partition(" ") for written in table["columns"])},
            tuple(table["bound_by"]),
        )
        for name, table in tables.items()
    }


def check_declaration(relation: str, columns: Sequence[str]) -> None:
    """Raise `TypeError` for a relation that is bound without a column that it is declared with."""
    declaration = declared().get(relation)
    lacking = [column for column in declaration.columns if column not in columns] if declaration else []
    if lacking:
        raise TypeError(f"{relation} is bound without {', '.join(lacking)}, which sql/relations.toml declares")
