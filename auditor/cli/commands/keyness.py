"""`auditor keyness`: words that one dataset uses more, or less, than another."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    a: Annotated[str, typer.Argument(metavar="A", help="Dataset or system output whose words are looked at.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Dataset that says how often words are expected.")],
    profile: o.TextProfile = "auto",
    split: o.Split = None,
    minimum: Annotated[
        int, typer.Option("--minimum", min=1, max=2**31, help="Leave out words that both together hold less often.")
    ] = 5,
    word: Annotated[
        list[str] | None, typer.Option("--word", help="Watch this word, however rare; repeat for more.")
    ] = None,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Watch what systems find hard: 's, n't, not, no, thrown, elderly, toast."),
    ] = False,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Words that A uses more or less than B: log-likelihood, and log ratio as its size.

    Example: auditor keyness shetty2017 coco-val --profile ptb --watch
    """
    from auditor.studies.keyness import WATCHED, keyness

    watched = [*(WATCHED if watch else ()), *(word or ())]
    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result = keyness(opened, a, b, profile, split, minimum, watched, progress)
    o.deliver(result, format_name, as_json, output)
