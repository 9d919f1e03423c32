"""Are planted faults found? Captions of two images that changed places, and a flood of captions from one template.

`python benchmarks/planted_images.py [--data DIR]` plants them in a dataset, asks `outliers` and `templates`, and prints
precision and recall, and what `outliers` itself expects to be right. What is found beside the planted faults counts as
wrong, although some of it is true of the data.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import polars as pl

from auditor import config
from auditor.model import Source
from auditor.sources.reading.acceptance import complete
from auditor.store import ingestion
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import content, resolve
from auditor.studies.ingest.sources import ingest_sources
from auditor.studies.outliers.study import outliers
from auditor.studies.templates.study import templates
from auditor.text import AT_INGEST

SWAPPED, FLOODED = 0.01, 0.05
KEYS = ["image", "slot"]


def main() -> None:
    """Plant, look, and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, help="folder with the datasets; default: AUDITOR_DATA")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dataset", default="flickr8k")
    parser.add_argument("--every", type=int, default=1, help="take every n-th image")
    arguments = parser.parse_args()
    with Store.open(MEMORY) as store:
        ingest_sources(store, [config.sources(data=arguments.data)[arguments.dataset]])
        captions = content(store, resolve(store, arguments.dataset)).select(*KEYS, "text").sort(KEYS)
        captions = captions.filter((pl.col("image").rank("dense") - 1) % arguments.every == 0)
        print(f"{captions.height:,} captions of {arguments.dataset}, seed {arguments.seed}\n")
        print("| planted | looked at | found | of them planted | precision | recall |")
        print("| --- | --- | ---: | ---: | ---: | ---: |")
        report_swaps(store, captions, arguments.seed)
        report_flood(store, captions, arguments.seed)


def report_swaps(store: Store, captions: pl.DataFrame, seed: int) -> None:
    """Let captions change places, and look for them."""
    exchanged, planted = swapped(captions, SWAPPED, seed)
    pairs = planted.height // 2
    plant(store, exchanged, "swapped")
    result = outliers(store, "swapped")
    found = result.frame.join(planted, on=KEYS, how="left")
    told = found.filter(finding="swapped")
    right = told.filter(pl.col("partner") == pl.col("other_image"))
    label = f"{pairs} pairs of captions changed places"
    report(label, "pairs, by default", told.height // 2, right.height // 2, pairs)
    strict = told.sort("pair_evidence", descending=True).head(100)
    right = strict.filter(pl.col("partner") == pl.col("other_image"))
    report("", "the 50 surest pairs", strict.height // 2, right.height // 2, pairs)
    told = found.filter(pl.col("finding") != "unlike")
    report(f"{2 * pairs} captions of another image", "swapped or elsewhere", *counted(told, "partner"), 2 * pairs)
    placed = told.filter(pl.col("partner") == pl.col("other_image"))
    report("", "told of the image that they are of", told.height, placed.height, 2 * pairs)
    expected = result.found("swapped-captions")[0].values["expected_right"]
    report("", "expected to be, by the finding", told.height, int(expected or 0), 2 * pairs)
    report("", "the 10 % least like the others", *counted(found, "partner"), 2 * pairs)


def swapped(captions: pl.DataFrame, share: float, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Let a share of the captions change places with those of other images, at most one in an image.

    Gives the captions, and which they are: image, slot, partner (the image that the caption now there is of).
    """
    drawn = captions.with_row_index("place").sample(fraction=1.0, shuffle=True, seed=seed)
    one_each = drawn.unique("image", keep="first", maintain_order=True)["place"]
    pairs = round(share * captions.height / 2)
    a, b = one_each[:pairs], one_each[pairs : 2 * pairs]
    order = pl.int_range(captions.height, eager=True).to_frame("place").with_columns(taken=pl.col("place"))
    moved = pl.concat([pl.DataFrame({"place": a, "taken": b}), pl.DataFrame({"place": b, "taken": a})])
    order = order.update(moved.cast(pl.Int64), on="place")
    planted = captions[moved["place"]].select(KEYS).with_columns(partner=captions["image"].gather(moved["taken"]))
    return captions.with_columns(text=captions["text"].gather(order["taken"])), planted


def report_flood(store: Store, captions: pl.DataFrame, seed: int) -> None:
    """Let one caption in twenty become “There is a … in the picture.”, about its own longest word."""
    planted = captions.sample(fraction=FLOODED, shuffle=True, seed=seed)
    longest = pl.col("text").str.to_lowercase().str.extract_all(r"\p{L}+").list.eval(
        pl.element().sort_by(pl.element().str.len_chars(), descending=True, maintain_order=True)
    ).list.first()  # fmt: skip
    flooded = planted.select(*KEYS, text=pl.format("There is a {} in the picture.", longest.fill_null("thing")))
    plant(store, captions.update(flooded, on=KEYS), "flooded")
    for least in (0.001, 0.01):
        found = templates(store, "flooded", level="caption", least=least).frame
        told = found.join(flooded.select(*KEYS, planted=pl.lit(value=True)), on=KEYS, how="left")
        label = f"{flooded.height:,} captions of a template" if least == 0.001 else ""
        report(label, f"made of a template, --least {least:g}", *counted(told, "planted"), flooded.height)
    first = templates(store, "flooded").frame.filter(statistic="template").row(0, named=True)
    print(f"\nThe first template is “{first['pattern']}”, in {first['captions']:,} captions.")


def plant(store: Store, captions: pl.DataFrame, dataset: str) -> None:
    """Ingest captions as a dataset of their own."""
    frame = captions.with_columns(source=pl.lit("planted"), unit=pl.lit("line"), line=pl.int_range(1, pl.len() + 1))
    source = Source(dataset, "captions", "literal", ())
    ingestion.write(store, source, iter([complete(frame)]), {}, AT_INGEST, "0" * 64, None)


def counted(told: pl.DataFrame, column: str) -> tuple[int, int]:
    """Give how many were told, and how many of them are planted."""
    return told.height, told.height - told[column].null_count()


def report(planted: str, looked_at: str, found: int, right: int, there: int) -> None:
    """Print one row of the table."""
    print(
        f"| {planted} | {looked_at} | {found:,} | {right:,} | {right / max(found, 1):.2f} | {right / there:.2f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
