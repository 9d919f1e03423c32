"""Published summaries of known datasets: numbers with versions and signatures, without captions.

`benchmarks/published.py` measures them, and writes `docs/homogeneity.md` from them.
"""

from __future__ import annotations

from importlib.resources import files

import polars as pl

from auditor.statistics.sameness import SAMENESS

FILE = "published.json"

#: The kinds of captions, and the sets of each that pages show as reference marks.
MARKS = {
    "photos": ("flickr8k", "coco-val2017"),
    "clip art": ("abstract50s",),
    "sounds": ("clotho", "audiocaps"),
    "machine captions": ("blip2", "llava-default"),
}


def rows(*, marks: bool = False) -> pl.DataFrame:
    """Return the numbers, or those of reference marks, with dataset, version, kind, metric, statistic, signature."""
    known = pl.read_json(files("auditor.statistics").joinpath(FILE).read_bytes(), infer_schema_length=None)
    return known.filter(pl.col("dataset").is_in([one for names in MARKS.values() for one in names])) if marks else known


def usual() -> str:
    """Write the sameness of the reference marks by kind, as a sentence."""
    known = dict(rows().filter(statistic=SAMENESS).select("dataset", "value").iter_rows())
    kinds = [f"{kind}: {', '.join(f'{name} {known[name]:.2f}' for name in names)}" for kind, names in MARKS.items()]
    return f"Known sets have, for {'; '.join(kinds)}. Longer captions have more."
