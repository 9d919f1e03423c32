"""Format `flickr`: the `.token` files of Flickr8k and Flickr30k, `IMAGE#N<TAB>CAPTION`, one caption per line.

A space can replace the tab; then `#N` can be missing too.
"""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from auditor.model import Batches, Part
from auditor.sources.format import Format, Reading
from auditor.sources.reading import files, lines

_KEY = r"^(?<image>.+)#(?<number>\d+)$"

_TABBED = re.compile(r"[^\t\n]+#\d+\t")

_SPACED = re.compile(r"\S+#\d+ +\S")

#: An image without a number: a file name, or a long name with a digit.
_NAMED = re.compile(r"(?i)(\S+\.(jpe?g|png|gif|webp|bmp|tiff?|wav|mp4)|(?=\S*\d)[\w./-]{6,}) +\S+ +\S")

_LOOKED_AT = 100


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize a file by its first line; with spaces instead of tabs, by its first hundred lines."""
    return _separator(head.decode("utf-8-sig", errors="replace")) is not None


def _separator(head: str) -> str | None:
    """Return what separates image and caption; null for a file of another format."""
    if _TABBED.match(head):
        return "\t"
    whole = [line for line in (head.rpartition("\n")[0] or head).splitlines() if line.strip()][:_LOOKED_AT]
    fits = bool(whole) and any(all(map(form.match, whole)) for form in (_SPACED, _NAMED))
    return " " if fits and "\t" not in head else None


def _layout(path: Path) -> tuple[str, bool]:
    """Return what separates image and caption, and whether images are numbered."""
    head = files.head(path).decode("utf-8-sig", errors="replace")
    separator = _separator(head) or "\t"
    return separator, separator == "\t" or _SPACED.match(head) is not None


def reading(part: Part) -> Reading:
    """Return the parts of a line."""
    separator, numbered = _layout(files.expand(part)[0])
    image, slot = ("IMAGE of IMAGE#N", "N") if numbered else ("the first word", "the order of the lines")
    name = "tab" if separator == "\t" else "space"
    return Reading({"image": image, "caption": f"the text after the {name}", "slot": slot})


def read(part: Part) -> Batches:
    """Yield the captions of a `.token` file; the slot is the N of its key."""
    for path in files.expand(part):
        layout = _layout(path)
        for block in lines.blocks(path):
            yield _parse(block, *layout)


def _parse(block: pl.DataFrame, separator: str, numbered: bool) -> pl.DataFrame:
    cut = block.with_columns(
        pl.col("raw").str.splitn(separator, 2).struct.rename_fields(["key", "text"]).alias("cut")
    ).unnest("cut")
    name = "tab" if separator == "\t" else "space"
    form = f"{'IMAGE#N' if numbered else 'IMAGE'}<{name.upper()}>CAPTION"
    missing = pl.col("text").is_null()
    if numbered:
        cut = cut.with_columns(pl.col("key").str.extract_groups(_KEY).alias("groups")).unnest("groups")
    else:
        cut = cut.with_columns(image="key", number=pl.lit(None, pl.String))
    image, number = pl.col("image"), pl.col("number").cast(pl.UInt32, strict=False)
    return cut.select(
        "source",
        "unit",
        "line",
        "raw",
        pl.when(pl.col("reason").is_not_null())
        .then("reason")
        .when(missing)
        .then(pl.lit(f"no {name}; expected {form}"))
        .when(image.is_null() | (number.is_null() & numbered))
        .then(pl.lit(f"the key is not IMAGE#N; expected {form}")),
        image=pl.when(~missing).then(image),
        slot=pl.when(~missing).then(number),
        text="text" if separator == "\t" else pl.col("text").str.strip_chars_start(" "),
    )


FORMAT = Format("flickr", recognizes, read, media_type="text/plain", split_by_name=True, lines=("",), reading=reading)
