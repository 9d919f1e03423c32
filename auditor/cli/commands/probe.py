"""`auditor probe`: which parts of captions metrics react to."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o

Component = Annotated[
    list[str] | None,
    typer.Option(
        "--component",
        "-c",
        help="reference-words, order, half, function-words, content-words, adjectives, prepositional-phrases, nouns, "
        "repeated-word, padding, inflection; repeat for more; default: all that can be had.",
    ),
]

Words = Annotated[
    list[int] | None,
    typer.Option(
        "--words", min=1, max=1000, help="How many words of one reference change; repeat for more; default: 1, 2, 3."
    ),
]

Pipeline = Annotated[
    str | None,
    typer.Option("--pipeline", help="spaCy pipeline that tags and parses; default: en_core_web_sm, where installed."),
]


def command(
    refs: o.Refs,
    metric: o.Metrics = None,
    component: Component = None,
    words: Words = None,
    profile: o.TextProfile = "auto",
    split: o.Split = None,
    seed: o.Seed = 1,
    function_words: o.FunctionWords = None,
    pipeline: Pipeline = None,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Which parts of captions metrics react to, and what games them: mean scores before and after a change.

    One reference of each caption gets other words (reference-words); the caption itself loses its word order, its
    second half, its adjectives, …; or it says its most confident word again (repeated-word, padding), or takes other
    forms of its words (inflection). Example: auditor probe flickr8k:test -m cider -m cider-d -c repeated-word
    """
    from auditor.studies.probe import probe

    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result = probe(
            opened, refs, metric, component, words, profile, split, seed, function_words, pipeline, progress
        )  # fmt: skip
    o.deliver(result, format_name, as_json, output)
