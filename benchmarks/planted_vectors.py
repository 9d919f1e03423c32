"""What do vectors of images add? Swapped captions found by words alone and with vectors, on the same plantings.

`python benchmarks/planted_vectors.py [--data DIR] [--seeds 0,1,2]` takes the captions of Flickr8k whose images have a
vector in `flickr8k-clip`, lets one in a hundred change places (none for seed 0), asks `outliers` twice, and prints a
row each. *Right* is told of the image that the caption was taken from. Then how often a caption is preferred to one of
another image, on images that no model has learnt from, and how near metrics come to people on the pairs they all score.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import polars as pl
from planted_images import KEYS, SWAPPED, plant, swapped

from auditor import config
from auditor.metrics.candidates import HUMAN
from auditor.registry import requests
from auditor.scoring.scores import score_candidates
from auditor.scoring.substitutes import intra
from auditor.store import vectors
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import content, resolve
from auditor.studies.agree import agree
from auditor.studies.ingest.sources import ingest_sources
from auditor.studies.outliers import outliers

_COLUMNS = ("protocol", "metric", "value", "low", "high")

_METRICS = ("cider", "vector-ridge", "vector-rank")


def main() -> None:
    """Plant, look, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, help="folder with the datasets; default: AUDITOR_DATA")
    parser.add_argument("--seeds", default="0,1,2,3,4,5")
    arguments = parser.parse_args()
    sources = config.sources(data=arguments.data)
    with Store.open(MEMORY) as store:
        ingest_sources(store, [sources[name] for name in ("flickr8k", "flickr8k-clip", "flickr8k-expert")])
        print("| seed | planted captions | seen by | told | right | expected right | precision | recall | CPU s |")
        print("| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        for seed in map(int, arguments.seeds.split(",")):
            report_swaps(store, seed)
        report_choices(store)
        report_people(store)


def report_swaps(store: Store, seed: int) -> None:
    """Let captions change places with those of other images, at most one in an image, and look for them."""
    seen, _ = vectors.of_images(store, resolve(store, "flickr8k-clip", vectors=True).version)
    captions = content(store, resolve(store, "flickr8k")).select(*KEYS, "text").sort(KEYS)
    captions = captions.filter(pl.col("image").is_in(seen.implode()))
    exchanged, planted = swapped(captions, SWAPPED if seed else 0, seed)
    name = f"swapped-{seed}"
    plant(store, exchanged, name)
    for by, asked in (("words", "none"), ("words and vectors", None)):
        begun = time.process_time()
        result = outliers(store, name, vectors=asked)
        spent = time.process_time() - begun
        told = result.frame.filter(pl.col("finding") != "unlike").join(planted, on=KEYS, how="left")
        right = told.filter(pl.col("partner") == pl.col("other_image")).height
        expected = result.found("swapped-captions")[0].values["expected_right"]
        shares = (
            f"{right / told.height:.2f}" if told.height else "–",
            f"{right / planted.height:.2f}" if planted.height else "–",
        )
        print(
            f"| {seed} | {planted.height} | {by} | {told.height} | {right} | {expected} | {shares[0]} | {shares[1]} | "
            f"{spent:.1f} |",
            flush=True,
        )


def report_choices(store: Store) -> None:
    """Prefer each caption of a test image, or one of another test image, which no model has learnt from."""
    print("\n| metric | captions | preferred to one of another image |\n| --- | ---: | ---: |")
    selection = resolve(store, "flickr8k:test")
    for name in _METRICS:
        asked = requests([name, "vector-ridge"])
        scores = score_candidates(store, selection, "bare", [HUMAN, intra(1)], asked)
        own, other = (scores.filter(candidate=who).select(*KEYS, name) for who in (HUMAN.name, "intra"))
        both = own.join(other, on=KEYS, suffix="_other")
        ahead = (pl.col(name) - pl.col(f"{name}_other")).sign()
        print(f"| {name} | {both.height:,} | {both.select((ahead + 1).mean() / 2).item():.4f} |")


def report_people(store: Store) -> None:
    """Correlate with experts on the pairs whose image has a vector; say by how much a metric is ahead of the next."""
    result = agree(store, "flickr8k-expert", metrics=list(_METRICS))
    print("\n| captions | protocol | metric | Spearman | low | high |\n| --- | --- | --- | ---: | ---: | ---: |")
    rows = result.frame.filter(pl.col("protocol").is_in(["pooled", "mean"]), pl.col("statistic") == "spearman")
    for *named, value, low, high in rows.select("candidates", *_COLUMNS).iter_rows():
        print(f"| {' | '.join(named)} | {value:.4f} | {low:.4f} | {high:.4f} |")
    ahead = next(table for table in result.tables if "difference" in table.frame.columns)
    print(f"\n{ahead.title}\n")
    print("| metric | next | difference | low | high |\n| --- | --- | ---: | ---: | ---: |")
    for metric, other, *values in ahead.frame.select("metric", "next", "difference", "low", "high").iter_rows():
        print(f"| {metric} | {other} | {' | '.join(f'{one:.4f}' for one in values)} |")


if __name__ == "__main__":
    main()
