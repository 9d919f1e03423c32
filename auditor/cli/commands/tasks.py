"""`auditor tasks`: questions for people, whose votes `auditor ingest --format votes` reads back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options as o

Candidates = Annotated[
    list[str] | None,
    typer.Option(
        "--candidates",
        help="Who is compared: datasets, human (a held-out caption), intra (one of another image), or a dataset of "
        "pairs; repeat for more, compared two by two; default: human and human.",
    ),
]

Form = Annotated[str, typer.Option("--kind", help="triplets: closer to a reference; pairs: better for the image.")]

Images = Annotated[
    int | None, typer.Option("--images", min=1, max=2**31 - 1, help="Images, drawn by the seed; default: all.")
]

Judges = Annotated[int, typer.Option("--judges", min=1, max=100, help="Columns for votes; the paper: 3, for pairs 11.")]

File = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Write the questions to FILE.csv or FILE.jsonl, and FILE.key.csv beside it."),
]


def command(
    ref: Annotated[str, typer.Argument(metavar="REF", help="Dataset whose captions are the references.")],
    candidates: Candidates = None,
    form: Form = "triplets",
    images: Images = None,
    references: o.References = None,
    judges: Judges = 3,
    split: o.Split = None,
    seed: o.Seed = 1,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
    file: File = None,
) -> None:
    """Questions for people: which of two captions is closer to a third, or describes the image better.

    Example: auditor tasks pascal50s --candidates midge --candidates babytalk --images 100 --references 20 -o tasks.csv
    """
    from auditor.studies.tasks import check_path, tasks, write

    if file is not None:
        check_path(file, force=force)
    with o.opened(store, wait=wait) as opened:
        result = tasks(opened, ref, candidates or (), form, split, images, references, seed)
    if file is not None:
        result = write(result, file, judges, force=force)
    o.deliver(result, format_name, as_json, None)
