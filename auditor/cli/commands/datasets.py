"""`auditor datasets`: what the store holds."""

from __future__ import annotations

from auditor.cli import options as o


def command(
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """List the datasets of the store, each with its newest version."""
    from auditor.studies.versions import datasets

    with o.opened(store, wait=wait) as opened:
        result = datasets(opened)
    o.deliver(result, format_name, as_json, output)
