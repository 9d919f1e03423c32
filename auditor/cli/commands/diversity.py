"""`auditor diversity`: how varied words and sentences are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options as o

Against = Annotated[str | None, typer.Option("--against", help="Training data, for novelty and coverage.")]

Evaluation = Annotated[
    str | None, typer.Option("--eval", help="People's captions of the same images, for coverage, recall, precision.")
]

Lists = Annotated[
    str, typer.Option("--lists", help="mean: each parallel list of captions alone, averaged; all: all captions as one.")
]

Published = Annotated[
    bool,
    typer.Option("--as-published", help="Follow the code of van Miltenburg et al. 2018: order of the file, spaCy."),
]

Segment = Annotated[int, typer.Option("--segment", min=1, help="Tokens, bigrams or trigrams of a segment of the ttr.")]

Shuffles = Annotated[int, typer.Option("--shuffles", min=1, help="Orders of the captions that are drawn.")]

Curve = Annotated[int, typer.Option("--curve", min=0, help="Tokens up to which the type-token curve goes; 0: none.")]

Omitted = Annotated[
    int | None, typer.Option("--omitted", min=1, help="Instead: the first N learnable words that are never said.")
]

Missed = Annotated[
    int | None,
    typer.Option("--missed", min=1, help="Instead: the first N words that people say of an image and systems do not."),
]

Importance = Annotated[
    int, typer.Option("--importance", min=1, help="With --missed: words in so many captions of an image.")
]

Floor = Annotated[
    int, typer.Option("--floor", min=1, help="With --missed: relative-floor has words that each could say so often.")
]

Pipeline = Annotated[
    str | None,
    typer.Option("--pipeline", help="spaCy pipeline that tells content words, with --profile spacy; default: a list."),
]

AllImages = Annotated[
    bool,
    typer.Option(
        "--all-images", help="Coverage and omitted words by the words of any image; default: of the images in both."
    ),
]

Robustness = Annotated[
    bool, typer.Option("--robustness", help="Instead: how far order, letters, tokens and references move each of them.")
]

Profile = Annotated[
    str | None,
    typer.Option(
        "--profile", help="Text profile: bare, char, ptb, spacy or whitespace; default: bare, as published spacy."
    ),
]

Config = Annotated[
    Path | None, typer.Option("--config", help="A datasets.toml in place of the shipped one.", rich_help_panel="Store")
]


def command(
    refs: o.Refs,
    against: Against = None,
    evaluation: Evaluation = None,
    lists: Lists = "mean",
    published: Published = False,
    segment: Segment = 1000,
    shuffles: Shuffles = 10,
    curve: Curve = 50_000,
    references: o.References = None,
    pipeline: Pipeline = None,
    function_words: o.FunctionWords = None,
    all_images: AllImages = False,
    omitted: Omitted = None,
    missed: Missed = None,
    importance: Importance = 5,
    floor: Floor = 10,
    robust: Robustness = False,
    profile: Profile = None,
    split: o.Split = None,
    seed: o.Seed = 1,
    config: Config = None,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """How varied words are, and whether each image gets what people say of it.

    Lengths, vocabulary, type-token ratios, repetition, novelty; with --eval also coverage, recall of the words of an
    image by how many people say them, and precision. Example: auditor diversity dai2017 liu2017 --against
    coco-train-words --eval coco-val
    """
    from auditor.config import sources
    from auditor.errors import UsageError
    from auditor.studies.diversity import PUBLISHED_PROFILE, Settings, diversity
    from auditor.studies.diversity.missed import missed_words
    from auditor.studies.diversity.omitted import omitted_words
    from auditor.studies.diversity.robustness import robustness

    text_profile = profile or (PUBLISHED_PROFILE if published else "auto")
    settings = Settings(
        text_profile, lists, published, segment, shuffles, seed, curve,
        references=references, pipeline=pipeline, function_words=function_words, all_images=all_images,
    )  # fmt: skip
    if (omitted is not None) + (missed is not None) + robust > 1:
        raise UsageError("--omitted, --missed and --robustness are questions of their own: ask one at a time")
    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        if missed is not None:
            result = missed_words(opened, refs, evaluation, settings, missed, importance, floor, split, progress)
        elif omitted is not None:
            result = omitted_words(
                opened, refs, omitted, text_profile, against, evaluation, split, progress, all_images=all_images
            )
        else:
            study = robustness if robust else diversity
            result = study(opened, refs, settings, against, evaluation, split, sources(config), progress)
    o.deliver(result, format_name, as_json, output)
