"""Sameness of one caption per image beside scores of several: what a dataset of single captions shows of itself.

`python benchmarks/sameness.py [--data DIR] [-o FILE]` reads datasets with five captions per image or more, and takes
the first five of 2,000 images, sampled by md5. Sameness is of one caption of each image, sampled by seed 1. `intra` and
`upper` are those of `auditor bounds -m rouge-1`. Then the first captions of Flickr8k are read from one file, and from
1,000.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import polars as pl
from measuring import table
from scipy.stats import spearmanr

import auditor
from auditor.model import silent
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY
from auditor.store.versions import resolve
from auditor.studies.compare.sameness import ranked_by_sameness

DECLARED = ("flickr8k", "flickr30k", "coco-val2014-a", "pascal50s", "abstract50s", "abstract-scenes")

_IMAGES, _CAPTIONS, _SHARDS = 2_000, 5, 1_000


def sounds(data: Path) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the two datasets of sounds, of which a recording stands for an image."""
    clotho = pl.concat(pl.read_csv(data / "clotho" / f"{part}.csv.gz") for part in ("train", "val", "test"))
    captions = [f"caption_{number}" for number in range(1, 6)]
    yield "clotho", clotho.unpivot(captions, index="file_name").select(image="file_name", caption="value")
    parts = [pl.read_csv(data / "audiocaps" / f"{part}.csv.gz") for part in ("val", "test")]
    named = pl.concat(part.select(pl.col("youtube_id").alias("image"), "caption") for part in parts)
    yield "audiocaps", named.filter(pl.len().over("image") >= 5)


def sample(captions: pl.DataFrame) -> pl.DataFrame:
    """Take five captions of each of 2,000 images that have as many; columns image, caption."""
    enough = captions.drop_nulls().filter(pl.len().over("image") >= _CAPTIONS)
    turns = sorted(set(enough["image"]), key=lambda image: hashlib.md5(image.encode()).digest())
    return enough.filter(pl.col("image").is_in(turns[:_IMAGES])).group_by("image", maintain_order=True).head(_CAPTIONS)


def measured(audit: auditor.Auditor, name: str) -> tuple[str, int, float, float, float]:
    """Return name, images, S on one caption per image, then intra and upper by ROUGE-1."""
    found = audit.bounds(name, metrics=["rouge-1"], candidates=["human", "intra"]).frame
    means = dict(found.filter(level="caption").select("candidate", "mean").iter_rows())
    captions = Captions(audit.store, resolve(audit.store, name), "bare")
    (same,) = ranked_by_sameness([captions], 1, 0, 0.95, silent).frame["value"]
    return name, captions.images().height, same, means["intra"], means["human"]


def integers(audit: auditor.Auditor, names: list[str]) -> tuple[int, int, int]:
    """Return captions, words and pairs of datasets together, from the sum of their tables of words."""
    counts, tables = 0, []
    words = audit.store.query("select token_id, token from vocabulary")
    for name in names:
        workspace = Captions(audit.store, resolve(audit.store, name), "bare").tokenize().workspace(lists=1)
        tables.append(workspace.rows("list_word"))
        counts += workspace.rows("sameness")["captions"].item()
    df = pl.concat(tables).join(words, on="token_id").group_by("token").agg(pl.col("captions").cast(pl.Int64).sum())
    return counts, int(df["captions"].sum()), int((df["captions"] * (df["captions"] - 1)).sum())


def _parts(captions: pl.DataFrame, shards: int) -> Iterator[pl.DataFrame]:
    """Cut captions into parts of nearly equal size."""
    ends = [captions.height * number // shards for number in range(shards + 1)]
    return (captions[start:end] for start, end in pairwise(ends))


def sharded(captions: pl.DataFrame) -> list[str]:
    """Read the same captions from one file and from 1,000, each a dataset; write the integers."""
    made = []
    with tempfile.TemporaryDirectory() as folder:
        for shards in (1, _SHARDS):
            with auditor.Auditor(MEMORY, write=True) as audit:
                names = []
                for number, part in enumerate(_parts(captions, shards)):
                    file = Path(folder) / f"part{number}.csv"
                    part.write_csv(file)
                    audit.ingest(f"part{number}", files=[file], config={})
                    names.append(f"part{number}")
                made.append((len(names), *integers(audit, names)))
    rows = [[f"{number:,}" for number in row] for row in made]
    return table(["files", "captions", "different words, summed", "pairs"], rows)


def rho(rows: list[tuple[str, int, float, float, float]], place: int) -> str:
    """Return Spearman's rho of S with a column, and its p."""
    found = spearmanr([row[2] for row in rows], [row[place] for row in rows])
    return f"{found.statistic:.2f} (p = {found.pvalue:.2g}, {len(rows)} datasets)"


def page(data: Path) -> str:
    """Measure everything, and write the page."""
    os.environ["AUDITOR_DATA"] = str(data)
    rows = []
    with auditor.Auditor(MEMORY, write=True) as audit:
        every = dict(sounds(data))
        for name in DECLARED:
            audit.ingest(name)
            read = Captions(audit.store, resolve(audit.store, name), "bare").texts().sort("image", "slot")
            every[name] = read.select("image", caption="text")
        for name, captions in every.items():
            audit.ingest(f"{name}-sample", data=sample(captions), config={})
            rows.append(measured(audit, f"{name}-sample"))
    rows.sort(key=lambda row: -row[2])
    shown = [
        [name.removesuffix("-sample"), f"{images:,}", *(f"{value:.4f}" for value in numbers)]
        for name, images, *numbers in rows
    ]
    apart = max(abs(same - intra) for _, _, same, intra, _ in rows)
    one = every["flickr8k"].unique("image", keep="first", maintain_order=True)
    return "\n".join(
        [
            "# Sameness",
            "",
            "Written by `python benchmarks/sameness.py -o benchmarks/sameness.md`.",
            "",
            *table(["dataset", "images", "sameness", "intra", "upper"], shown),
            "",
            f"Spearman's rho of sameness with intra: {rho(rows, 3)}; with upper: {rho(rows, 4)}.",
            f"Largest difference from intra: {apart:.3f}.",
            "",
            "## From parts",
            "",
            *sharded(one),
            "",
        ]
    )


def main() -> None:
    """Write the page to a file, or print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("AUDITOR_DATA", "data")))
    parser.add_argument("-o", dest="file", type=Path)
    asked = parser.parse_args()
    written = page(asked.data)
    if asked.file:
        asked.file.write_text(written, encoding="utf-8")
    else:
        print(written)


if __name__ == "__main__":
    main()
