"""Real captions, grown: those of Flickr30k again and again under new image ids, in other words each time.

`python benchmarks/grown.py IMAGES FILE` writes so many images of five captions as a file of format `flickr`. In every
copy but the first, half of the rarer words (those past the 2,000 most frequent) are renamed, so that vocabulary and
n-grams grow with the captions, as those of larger collections do. The same numbers give the same bytes.
"""

from __future__ import annotations

import argparse
import zlib
from pathlib import Path

FREQUENT = 2_000


def write(images: int, path: Path) -> int:
    """Write the captions of so many images; give how many there are."""
    import polars as pl
    from measuring import captions, of_images

    rows = pl.DataFrame(
        of_images(captions("flickr30k-token"), None, alike=True), schema=["image", "slot", "text"], orient="row"
    )
    rows = rows.with_columns(number=pl.col("image").rank("dense") - 1, words=pl.col("text").str.split(" "))
    counted = rows["words"].explode().value_counts(sort=True).sort("count", "words", descending=[True, False])
    rarer = counted["words"][FREQUENT:].to_list()
    each = rows["image"].n_unique()
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


def main() -> None:
    """Write the file that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images", type=int)
    parser.add_argument("file", type=Path)
    asked = parser.parse_args()
    print(f"{write(asked.images, asked.file):,} captions")


if __name__ == "__main__":
    main()
