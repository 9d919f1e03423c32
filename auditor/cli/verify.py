"""`auditor verify`: is the store whole?"""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    ref: Annotated[str | None, typer.Argument(metavar="REF", help="Hash this version only; default: all.")] = None,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Hash the stored captions again, compare with the log, check every reference between tables. Exit 4: damaged."""
    from auditor.errors import StoreError
    from auditor.studies.history import verify

    with o.opened(store, wait=wait) as opened:
        result, well = verify(opened, ref)
    o.deliver(result, format_name, as_json, output)
    if not well:
        raise StoreError(f"{store}: damaged, see the rows above; restore a backup or ingest into a new store")
