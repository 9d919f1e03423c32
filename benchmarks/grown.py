"""Real captions, grown: again and again under new image ids, in other words each time.

`python benchmarks/grown.py IMAGES FILE` writes so many images of Flickr30k, of five captions, as a file of format
`flickr`. In every copy but the first, half of the rarer words (those past the 2,000 most frequent) are renamed, so that
vocabulary and n-grams grow with the captions, as those of larger collections do.

`python benchmarks/grown.py IMAGES FOLDER --shards` writes Parquet shards of 50,000 rows with splits. The images are
those of Flickr30k and of half of COCO's val2014. The last caption of each is by one of nine systems. In every copy, as
many rarer words are renamed as Heaps' law has new words; it is fitted on COCO's captions.
The same numbers give the same bytes.
"""

from __future__ import annotations

import argparse
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from measuring import captions, of_images

if TYPE_CHECKING:
    import polars as pl

FREQUENT = 2_000
SHARD, MACHINE = 50_000, 4
SYSTEMS = (
    *("liu2017", "mun2017", "shetty2016", "tavakoli2017", "vinyals2017", "wu2016", "zhou2017", "dai2017"),
    "shetty2017",
)


def chosen(dataset: str) -> pl.DataFrame:
    """Read the images of a declared dataset that have five captions. Columns: image, slot, text."""
    import polars as pl

    rows = of_images(captions(dataset), None, alike=True)
    schema = {"image": pl.String, "slot": pl.Int64, "text": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        pl.col("slot").fill_null(pl.int_range(pl.len()).over("image"))
    )


def rarer_words(words: pl.Series) -> list[str]:
    """List the words of captions past the most frequent ones, from the most frequent on."""
    counted = words.explode().value_counts(sort=True).sort("count", "words", descending=[True, False])
    return list(counted["words"][FREQUENT:])


def write(images: int, path: Path) -> int:
    """Write the captions of so many images; give how many there are."""
    import polars as pl

    rows = chosen("flickr30k-token")
    rows = rows.with_columns(number=pl.col("image").rank("dense") - 1, words=pl.col("text").str.split(" "))
    rarer, each = rarer_words(rows["words"]), rows["image"].n_unique()
    written = 0
    with path.open("wb") as file:
        for tile in range(-(-images // each)):
            some = rows.filter(pl.col("number") < images - tile * each)
            if tile:
                renamed = {word: f"{word}x{tile}" for word in rarer if zlib.crc32(f"{word} {tile}".encode()) & 1}
                some = some.with_columns(pl.col("words").list.eval(pl.element().replace(renamed)))
            lines = some.select(
                pl.format("{}{}#{}", pl.lit(f"{tile:04}-"), "image", "slot"), pl.col("words").list.join(" ")
            )
            lines.write_csv(file, include_header=False, separator="\t", quote_style="never")
            written += lines.height
    return written


def heaps(texts: pl.Series) -> tuple[float, float]:
    """Fit Heaps' law, types = K tokens^beta, by least squares of logarithms at 30 sizes. Return K and beta."""
    import numpy as np
    import polars as pl

    from auditor.text import by_rules

    words = by_rules.bare(texts).explode().drop_nulls().alias("word").to_frame().with_row_index("place")
    first = words.group_by("word").agg(pl.col("place").min())["place"].sort().to_numpy()
    sizes = np.geomspace(10_000, words.height, 30)
    beta, log_k = np.polyfit(np.log(sizes), np.log(np.searchsorted(first, sizes)), 1)
    return float(np.exp(log_k)), float(beta)


def write_shards(images: int, folder: Path) -> int:
    """Write the captions of so many images as shards; give how many there are."""
    import polars as pl

    coco = chosen("coco-val")
    k, beta = heaps(coco["text"])
    rows = pl.concat([coco, chosen("flickr30k-token")]).sort(pl.col("image").hash(1), "image", "slot")
    rows = rows.with_columns(number=pl.col("image").rle_id(), words=pl.col("text").str.split(" "))
    by_systems = pl.Series([text for name in SYSTEMS for _, _, text in captions(name)])
    rarer = [word for word in rarer_words(rows["words"]) if word.isalpha() and word.islower()]
    each, tokens = rows["number"].n_unique(), rows["words"].list.len().sum()
    folder.mkdir()
    held, shards, written = rows.clear(), 0, 0
    for tile in range(-(-images // each)):
        some = rows.filter(pl.col("number") < images - tile * each)
        if tile:
            new = round(k * tokens**beta * ((tile + 1) ** beta - tile**beta))
            drawn = sorted(rarer, key=lambda word, tile=tile: zlib.crc32(f"{word} {tile}".encode()))[:new]
            renamed = {word: f"{word}x{tile}" for word in drawn}
            some = some.with_columns(pl.col("words").list.eval(pl.element().replace(renamed)))
        place = (pl.col("number") + tile * each) % by_systems.len()
        some = some.select(
            pl.format("{}{}", pl.lit(f"{tile:04}-"), "image").alias("image"),
            pl.when(pl.col("number") % 20 == 0).then(pl.lit("test")).otherwise(pl.lit("train")).alias("split"),
            pl.when(pl.col("slot") < MACHINE).then(pl.col("words").list.join(" "))
            .otherwise(by_systems.gather(some.select(place).to_series())).alias("caption"),
        )  # fmt: skip
        held = some if held.is_empty() else pl.concat([held, some])
        is_last = tile == -(-images // each) - 1
        while held.height >= SHARD or (is_last and held.height):
            held.head(SHARD).write_parquet(folder / f"part-{shards:05}.parquet")
            held, shards, written = held[SHARD:], shards + 1, written + min(SHARD, held.height)
    print(f"types = {k:.2f} tokens^{beta:.4f}")
    return written


def main() -> None:
    """Write the files that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images", type=int)
    parser.add_argument("file", type=Path)
    parser.add_argument("--shards", action="store_true", help="write a folder of Parquet files, with systems' captions")
    asked = parser.parse_args()
    print(f"{(write_shards if asked.shards else write)(asked.images, asked.file):,} captions")


if __name__ == "__main__":
    main()
