"""`auditor store`: how large is the file, is it current, and how is room won back?"""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o

app = typer.Typer(help="Look after the store: its size, its schema, its cache.", no_args_is_help=True)


def info(
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Say how large the store is, of which schema, and what its tables hold. Changes nothing, not even an old schema.

    Example: auditor store info
    """
    from auditor.store.connection import Store
    from auditor.studies.upkeep import store as upkeep

    with Store.open(store, migrate=False, wait=wait, narrate=o.narrate) as opened:
        result = upkeep.info(opened)
    o.deliver(result, format_name, as_json, output)


def migrate(
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Bring a store of an older auditor to the newest schema, as every other command does that opens one.

    The old file is kept beside it. Example: auditor store migrate
    """
    from auditor.store.connection import Store
    from auditor.studies.upkeep import store as upkeep

    with Store.open(store, write=True, make=False, wait=wait, narrate=o.narrate) as opened:
        result = upkeep.migrate(opened)
    o.deliver(result, format_name, as_json, output)


def gc(
    everything: Annotated[bool, typer.Option("--all", help="Sweep the whole cache, which is counted again.")] = False,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Sweep counts of outdated versions from the cache, and write the file anew so that it shrinks. Facts stay.

    Needs room for a second file until it is done. Example: auditor store gc
    """
    from auditor.store.connection import Store
    from auditor.studies.upkeep import store as upkeep

    with Store.open(store, write=True, make=False, wait=wait, narrate=o.narrate) as opened, o.progressing() as progress:
        result = upkeep.gc(opened, everything=everything, progress=progress)
    o.deliver(result, format_name, as_json, output)


for function in (info, migrate, gc):
    app.command()(o.with_verbosity(function, function.__name__))
