"""`auditor diff`: what changed."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    a: Annotated[str, typer.Argument(metavar="REF", help="Before: flickr8k@v1.")],
    b: Annotated[str, typer.Argument(metavar="REF", help="After: flickr8k@v2.")],
    depth: Annotated[
        str, typer.Option("--depth", help="totals, images, text (every caption), vocabulary, lengths or drift.")
    ] = "totals",
    profile: o.TextProfile = "auto",
    as_tokens: Annotated[
        bool, typer.Option("--as-tokens", help="Compare captions by their tokens: case and punctuation do not count.")
    ] = False,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 where anything changed.")] = False,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Say what was added, removed, edited and moved from one version to another, or which words and lengths changed.

    At depth drift one number each: divergence of words, bigrams and openings, lengths, new and gone words.
    Examples: auditor diff flickr8k@v1 flickr8k@v2 --depth text · auditor diff flickr8k flickr30k --depth vocabulary
    """
    from auditor.studies.versions import diff

    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result, changed = diff(opened, a, b, depth, profile, as_tokens=as_tokens, progress=progress)
    o.deliver(result, format_name, as_json, output)
    if exit_code and changed:
        raise typer.Exit(o.FINDING)
