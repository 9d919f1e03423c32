"""`auditor bounds`: upper and lower bounds by leave-one-out."""

from __future__ import annotations

from typing import Annotated

import typer

from auditor.cli import options as o

PoolIdf = Annotated[
    bool,
    typer.Option("--pool-idf", help="CIDEr's document frequencies are those of all REFs together, not of each."),
]

Candidates = Annotated[
    list[str] | None,
    typer.Option(
        "--candidate",
        "-c",
        help="human, intra, inter, brown, gibberish-10, gibberish-mean, gibberish-brown-10, gibberish-brown-mean; "
        "repeat for more; default: all that can be drawn.",
    ),
]


def command(
    refs: o.Refs,
    metric: o.Metrics = None,
    candidate: Candidates = None,
    profile: o.TextProfile = "auto",
    split: o.Split = None,
    references: o.References = None,
    others: o.Others = None,
    corpus: o.Corpus = None,
    seed: o.Seed = 1,
    draws: o.Draws = 1,
    pool_idf: PoolIdf = False,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Upper bound (each caption against the others of its image) and lower bounds (a stranger in its place).

    A stranger is a caption of another image (intra), one of another dataset (inter), a sentence of the Brown corpus
    (brown), or words drawn one by one (gibberish). Example: auditor bounds flickr8k:test -m cider -c human -c intra
    """
    from auditor.studies.bounds import bounds

    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        result = bounds(
            opened, refs, metric, profile, split, seed, references, candidate, others or (), corpus, draws,
            progress=progress, pool_idf=pool_idf,
        )  # fmt: skip
    o.deliver(result, format_name, as_json, output)
