"""Requirements for the captions of every format, and the options that every format has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import polars as pl

from auditor.errors import UsageError
from auditor.model import CAPTION_SCHEMA, Option, Part
from auditor.sources.reading.encoding import codec
from auditor.sources.reading.json_records import COCO_FILE

_LONGEST = 1 << 20

_RAW_SHOWN = 2000

_FILE_NAME = r"(?i)^\S+\.(jpe?g|png|gif|webp|bmp|tiff?)(#\d+)?$"

#: Abbreviations that belong to the following word.
_BEFORE = "Mr|Mrs|Ms|Dr|Prof|Mt|Ft|Sgt|Capt|Lt|Col|Gen|Gov|Sen|Rep|Rev|Hon|vs|approx|ca|cf|fig"

#: Abbreviations that can also end a sentence.
_ANYWHERE = "St|Ave|Blvd|Rd|Hwy|Sq|Jr|Sr|Inc|Ltd|Corp|Co|Bros|Dept|etc|al|oz|lbs?|hrs?|mins?"

#: Words that begin a sentence after an abbreviation of the second kind.
_OPENING = (
    "The|A|An|There|It|He|She|They|We|I|In|On|At|One|Two|Three|Some|Several|Many|This|That|These|His|Her|Its|Their"
    "|Behind|Another|Both|People"
)

_STOP, _END = "\ufdd0", "\ufdd1"  # noncharacters, which texts do not contain

_SENTENCE = rf"^\s*(?s:(.+?(?:[.!?]|{_END})))(?:\s|$)"


def check_common(options: Mapping[str, Option]) -> None:
    """Raise `UsageError` for a wrong value of an option that every format has."""
    for name in ("basename", "coco_ids"):
        if not isinstance(options.get(name, False), bool):
            raise UsageError(f"{name} must be true or false, not {options[name]}")
    codec(options.get("encoding"))
    if options.get("sentences", "first") not in ("first", "all"):
        raise UsageError(f'sentences must be "first" or "all", not {options["sentences"]}')


def accept(batch: pl.DataFrame, part: Part, cut: Counter[str] | None = None) -> pl.DataFrame:
    """Complete a reader's frame to `CAPTION_SCHEMA`, apply the common options, reject invalid captions.

    A rejected record keeps its raw form, or its text instead. The number of captions cut to a first sentence is added
    to `cut`.
    """
    whole = complete(batch)
    if part.options.get("basename") is True or part.options.get("coco_ids") is True:
        image, reason = spelled(pl.col("image"), part.options)
        whole = whole.with_columns(
            image=image,
            reason=pl.coalesce("reason", reason),
            identifier=_renamed(image) if part.options.get("coco_ids") is True else "identifier",
        )
    if part.options.get("sentences") == "first":
        full = whole["text"]
        whole = whole.with_columns(first_sentence(pl.col("text")))
        if cut is not None:
            cut["captions"] += int((whole["text"] != full.str.strip_chars()).sum())
    if part.split is not None:
        whole = whole.with_columns(split=pl.lit(part.split))
    if part.named_split is not None:
        whole = whole.with_columns(split=pl.coalesce("split", pl.lit(part.named_split)))
    fault = pl.when(pl.col("left_out").is_null()).then(pl.coalesce("reason", _fault()))
    return whole.with_columns(reason=fault).with_columns(
        raw=pl.when(pl.col("reason").is_not_null()).then(pl.coalesce("raw", "text").str.head(_RAW_SHOWN))
    )


def spelled(image: pl.Expr, options: Mapping[str, Option]) -> tuple[pl.Expr, pl.Expr]:
    """Return the names of images as the common options ask for them, and the reason for one that has no number."""
    reason = pl.lit(None, pl.String)
    if options.get("basename") is True:
        image = image.str.extract(r"([^/\\]+)[/\\]*$", 1)
    if options.get("coco_ids") is True:
        number = image.str.strip_chars().str.extract(f"^{COCO_FILE}$", 1)
        faulty = image.is_not_null() & number.is_null()
        reason, image = (
            pl.when(faulty).then(pl.lit("the image is not named like a file of COCO")),
            pl.coalesce(number, image),
        )
    return image, reason


def file_names(captions: pl.DataFrame) -> int:
    """Count the captions that are names of image files."""
    return int(captions["text"].str.contains(_FILE_NAME).sum())


def complete(batch: pl.DataFrame) -> pl.DataFrame:
    """Return a frame with the columns of `CAPTION_SCHEMA` in order; missing ones are null."""
    absent = [pl.lit(None).alias(name) for name in CAPTION_SCHEMA if name not in batch.columns]
    return batch.with_columns(absent).select(pl.col(name).cast(kind) for name, kind in CAPTION_SCHEMA.items())


def _fault() -> pl.Expr:
    text, image = pl.col("text"), pl.col("image")
    return (
        pl.when(image.is_null() | (image == ""))
        .then(pl.lit("no image"))
        .when(text.is_null())
        .then(pl.lit("no caption"))
        .when(text.str.contains("\x00", literal=True) | image.str.contains("\x00", literal=True))
        .then(pl.lit("contains a NUL character"))
        .when(text.str.len_chars() > _LONGEST)
        .then(pl.lit(f"longer than {_LONGEST:,} characters: not a caption"))
    )


def _renamed(image: pl.Expr) -> pl.Expr:
    """Replace the image at the end of an identifier, which then names it as its row does."""
    named, before = pl.col("identifier"), pl.col("image")
    is_last = named.str.ends_with(before) & image.is_not_null()
    return pl.when(is_last).then(named.str.strip_suffix(before) + image).otherwise(named)


def first_sentence(texts: pl.Expr) -> pl.Expr:
    """Return the first sentence of each text, without surrounding whitespace; other texts stay as they are.

    A sentence ends at `.`, `!` or `?` before whitespace. A period does not end it after a title (`Mr.`), an initial,
    letters with periods (`e.g.`), `No.` before a number, and the abbreviations above. Those of the second kind end a
    sentence if the next word begins one. English only: packages for splitting are large, or not maintained.
    """
    spelled = rf"\b(?:\p{{L}}\.){{2,}}|\b(?i:{_ANYWHERE})\."
    marked = (
        texts.str.replace_all(rf"({spelled})(\s+(?:{_OPENING})\b)", f"${{1}}{_END}${{2}}")
        .str.replace_all(rf"\b((?i:{_BEFORE}|{_ANYWHERE}))\.", f"${{1}}{_STOP}")
        .str.replace_all(r"\b(\p{Lu})\.", f"${{1}}{_STOP}")
        .str.replace_all(r"\b(\p{L})\.(\p{L})\.", f"${{1}}{_STOP}${{2}}{_STOP}")
        .str.replace_all(r"\b(?i:(No))\.(\s*\d)", f"${{1}}{_STOP}${{2}}")
    )
    first = marked.str.extract(_SENTENCE, 1).str.replace_all(_STOP, ".").str.replace_all(_END, "")
    return pl.coalesce(first, texts)
