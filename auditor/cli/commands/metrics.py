"""`auditor metrics`: what the metrics are."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Explain this metric; default: list all.")] = None,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """List the metrics, or explain one: parameters, edge cases, source, how to cite it."""
    from auditor.studies.metrics import metric_cards

    o.deliver(metric_cards(name), format_name, as_json, output)
