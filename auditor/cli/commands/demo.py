"""`auditor demo`: the whole audit on the bundled sample."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options as o

#: The metrics that SQL counts alone: a first look is not to wait for kernels to compile.
_METRICS = ("bleu-1", "bleu-2", "bleu-3", "bleu-4", "rouge-1", "rouge-2", "rouge-su4", "cider", "cider-d")

_SAMPLE = Path(__file__).parents[2] / "sample" / "datasets.toml"


def command(
    store: Annotated[Path | None, typer.Option("--store", help="Keep the store here; default: thrown away.")] = None,
) -> None:
    """Run the whole audit on three bundled sample sets: one narrow, one varied, one with planted faults."""
    from auditor.config import sources
    from auditor.studies.compare import compare
    from auditor.studies.ingest import ingest_sources
    from auditor.studies.profile import profile
    from auditor.studies.score import score

    declared = sources(_SAMPLE, data=_SAMPLE.parent)
    with tempfile.TemporaryDirectory() as folder:
        path = store or Path(folder) / "demo.duckdb"
        with o.opened(path, write=True) as opened, o.progressing() as progress:
            results = [
                ingest_sources(opened, list(declared.values()), progress=progress),
                profile(opened, *declared),
                score(opened, "sample-flawed", metrics=["cider-d"], progress=progress),
                compare(opened, *declared, metrics=_METRICS, progress=progress),
            ]
    for result in results:
        o.deliver(result, None, as_json=False, output=None)
    o.narrate("next: auditor ingest NAME --from FILE --format flickr|coco|list, then auditor bounds NAME")
