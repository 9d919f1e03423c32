"""`auditor verify`: is the store whole?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    ref: Annotated[str | None, typer.Argument(metavar="REF", help="Hash this version only; default: all.")] = None,
    config: Annotated[Path | None, typer.Option("--config", help="Another datasets.toml.")] = None,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Hash the stored captions again, compare with the log, check every reference between tables. Exit 4: damaged.

    Counts that are not those of datasets.toml are told (`differs`); they are no damage, and the exit code stays 0.
    """
    from auditor.config import sources
    from auditor.errors import StoreError
    from auditor.studies.upkeep.verify import verify

    declared = sources(config)
    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result, sound = verify(opened, ref, declared, progress)
    o.deliver(result, format_name, as_json, output)
    if not sound:
        raise StoreError(f"{store}: damaged, see the rows above; restore a backup or ingest into a new store")
