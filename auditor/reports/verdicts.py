"""Verdicts of a result, one by one, as the formats of test reports and code hosts want them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from auditor.reports.cells import text
from auditor.result import Result


@dataclass(frozen=True)
class Case:
    """One row of a result with column `verdict`: whose it is, what it is called, what is said of it."""

    whose: str
    name: str
    row: dict[str, Any]

    @property
    def passed(self) -> bool:
        """Say whether it holds."""
        return bool(self.row["verdict"] == "passed")

    @property
    def failed(self) -> bool:
        """Say whether it does not hold; what can be neither is not answerable."""
        return bool(self.row["verdict"] == "failed")

    @property
    def message(self) -> str:
        """Say why, in one sentence."""
        return str(self.row["reason"] or self.row["verdict"])

    @property
    def details(self) -> str:
        """Give the number with its interval, limit and signature, one a line."""
        named = ("value", "low", "high", "limit", "version", "signature")
        return "\n".join(f"{name}: {text(self.row[name])}" for name in named if self.row[name] is not None)


def cases(result: Result) -> list[Case]:
    """Give every row of a result that has verdicts."""
    return [Case(_whose(row), _name(row), row) for row in result.frame.iter_rows(named=True)]


def _whose(row: dict[str, Any]) -> str:
    dataset = row["dataset"] or "store"
    return dataset if row["split"] is None else f"{dataset}:{row['split']}"


def _name(row: dict[str, Any]) -> str:
    metric = row["metric"]
    return row["gate"] if metric is None or metric in row["gate"] else f"{row['gate']} ({metric})"
