"""Traces of models, planted into human captions and into those of systems: what is found of them, and what is left?

`python benchmarks/planted.py machine [SET…] [--images N] [-o FILE]` draws images by md5. The texts are written here,
apart from the patterns. One caption in a hundred gets each trace of a single caption; at the limit of a length, and
with a common opening, skeleton or phrase, the captions of the set as a whole are changed.

Recall is the share of what was planted that is found as its kind; precision is that of the captions named only after
planting. `after --fix` is what `findings` still lists of the kind in the repaired captions, or how many of the planted
captions if the kind has no fix. With common openings, skeletons and phrases, natural ones are named too. `untouched`
are the captions named before planting: models loop and guess, and a few human captions repeat a phrase or begin with a
number.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl
from measuring import table
from planted_faults import number
from planted_wholes import KEYS, drawn, ingested, listed

from auditor.result import Result
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve
from auditor.studies.export.repaired import DROPPED, MENDED, repaired
from auditor.studies.findings import findings

HEADER = ("trace", "found as", "planted", "found", "recall", "named", "precision", "after --fix", "untouched")

#: Texts with a trace, by its kind. {0} is the caption with a full stop, {1} and {4} without it and with a small letter,
#: {2} without quotation marks, {3} a word of it, {5} its first words.
TEXTS: Mapping[str, list[str]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))

#: Kinds that are right, too.
ALSO = {"loops": ("repeated-words",)}

#: Kinds of which some texts are right: “### Response:” is a role, a heading, and what an assistant writes. An assistant
#: begins a paragraph. “503 Service Unavailable” and “1. A dog” begin with a number.
HAVE_IT_TOO = {
    "assistant-texts": ("chat-tokens",),
    "markdown-or-json": ("chat-tokens", "assistant-texts"),
    "leading-numbers": ("api-errors", "markdown-or-json"),
}

_IDIOMS = ("{0}, adding to the overall charm of the scene", "{0}, creating a warm and inviting atmosphere for everyone")


def made(text: str, pattern: str) -> str:
    """Write a caption with a trace."""
    bare = text.strip().rstrip(" .")
    small = bare[:1].lower() + bare[1:]
    word = next((word for word in bare.lower().split()[::-1] if word.isalpha()), "dog")
    quoted = bare.replace('"', "'").replace("\\", " ")
    first = " ".join(bare.split()[:5])
    return pattern.format(f"{bare}.", small, quoted, word, small, first)


def _cut(length: int, of_words: bool) -> Callable[[pl.DataFrame], tuple[pl.DataFrame, pl.DataFrame]]:
    def plant(captions: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        text = pl.col("text").str.strip_chars()
        short = text.str.extract_all(r"\S+").list.head(length).list.join(" ") if of_words else text.str.slice(0, length)
        whole = text.str.replace_all(r"\s+", " ") if of_words else text
        cut = captions.with_columns(text=short.str.strip_chars(), whole=whole)
        changed = cut.filter(pl.col("text") != pl.col("whole")).filter(~pl.col("text").str.contains(r"[.!?]$"))
        return cut.drop("whole"), changed.select(KEYS)

    return plant


def _of_half(texts: Sequence[str]) -> Callable[[pl.DataFrame], tuple[pl.DataFrame, pl.DataFrame]]:
    """Write a text into every other caption."""

    def plant(captions: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        chosen = [number("half", f"{image} {slot}") % 2 == 0 for image, slot in captions.select(KEYS).iter_rows()]
        new = [
            made(text, texts[place % len(texts)]) if here else text
            for place, (text, here) in enumerate(zip(captions["text"], chosen, strict=True))
        ]
        return captions.with_columns(text=pl.Series(new)), captions.filter(pl.Series(chosen)).select(KEYS)

    return plant


def _limit(captions: pl.DataFrame, quantile: float, of_words: bool) -> int:
    lengths = captions["text"].str.strip_chars()
    sizes = lengths.str.count_matches(r"\S+") if of_words else lengths.str.len_chars()
    return int(sizes.quantile(quantile) or 1)


def wholes(captions: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame, pl.DataFrame]]:
    """Yield faults of the set: name, kind, captions with it, and the captions that should be named."""
    plantings = {
        "cut at characters": ("cut-at-limit", _cut(_limit(captions, 0.8, of_words=False), of_words=False)),
        "cut at words": ("cut-at-limit", _cut(_limit(captions, 0.8, of_words=True), of_words=True)),
        "same opening": ("common-openings", _of_half(["There we have {4}"])),
        "same skeleton": ("common-skeletons", _of_half(["With {3} and a {3} on the {3} of the {3}, {4}"])),
        "same phrase": ("boilerplate", _of_half(_IDIOMS)),
    }
    for name, (kind, plant) in plantings.items():
        yield name, kind, *plant(captions)


def of_dataset(name: str, images: int) -> Iterator[str]:
    """Plant all traces into a set, look, fix, look again, and yield the lines of its section."""
    captions = drawn(_read(name), images)
    with Store.open(MEMORY, write=True) as store:
        rows = [*_singles(store, captions), *_wholes(store, captions)]
    size = f"{captions['image'].n_unique():,} images, {captions.height:,} captions"
    yield from (f"## {name}", "", f"{size}.", "", *table(HEADER, rows))


def _singles(store: Store, captions: pl.DataFrame) -> Iterator[tuple[str, ...]]:
    order = sorted(range(captions.height), key=lambda row: number("trace", "{} {}".format(*captions.row(row)[:2])))
    texts, planted, each = captions["text"].to_list(), dict[int, str](), max(captions.height // 100, 20)
    for place, (kind, traces) in enumerate(TEXTS.items()):
        for nth, row in enumerate(order[place * each : (place + 1) * each]):
            texts[row] = made(texts[row], traces[nth % len(traces)])
            planted[row] = kind
    _ingested(store, captions, "untouched")
    changed = captions.select(*KEYS, "split", text=pl.Series(texts))
    _ingested(store, changed, "planted")
    kinds = [*TEXTS, *ALSO["loops"]]
    natural, found = (findings(store, one, kinds=kinds, captions_only=True) for one in ("untouched", "planted"))
    repair = repaired(store, resolve(store, "planted"), ["all"], None)
    _ingested(store, repair.captions.drop("split").with_columns(split=pl.lit(None, pl.String)), "fixed")
    after = findings(store, "fixed", kinds=kinds, captions_only=True)
    traced = captions[list(planted)].select(*KEYS, kind=pl.Series(list(planted.values())))
    for kind in TEXTS:
        there = traced.filter(kind=kind)
        right = traced.filter(pl.col("kind").is_in([kind, *HAVE_IT_TOO.get(kind, ())]))
        before, named, left = (_named(result, kind) for result in (natural, found, after))
        fixed = f"{left.height:,}" if kind in (*MENDED, *DROPPED) else f"no fix, {_both(left, there):,} of these"
        yield _row(kind, kind, there, right, before, named, fixed)


def _wholes(store: Store, captions: pl.DataFrame) -> Iterator[tuple[str, ...]]:
    for place, (what, kind, changed, planted) in enumerate(wholes(captions)):
        _ingested(store, changed, f"whole-{place}")
        before, named = (
            listed(findings(store, one, kinds=[kind], captions_only=True), kind)
            for one in ("untouched", f"whole-{place}")
        )
        yield _row(what, kind, planted, planted, before, named, "no fix")


def _named(result: Result, kind: str) -> pl.DataFrame:
    return pl.concat([listed(result, one) for one in (kind, *ALSO.get(kind, ()))]).unique()


def _both(some: pl.DataFrame, others: pl.DataFrame) -> int:
    return some.join(others, on=KEYS, how="semi").height


def _row(
    name: str,
    kind: str,
    planted: pl.DataFrame,
    right: pl.DataFrame,
    before: pl.DataFrame,
    named: pl.DataFrame,
    fixed: str,
) -> tuple[str, ...]:
    new = named.join(before, on=KEYS, how="anti")
    caught = _both(planted, named)
    recall = f"{caught / planted.height:.2f}" if planted.height else "–"
    precision = f"{_both(new, right) / new.height:.2f}" if new.height else "–"
    counts = (f"{planted.height:,}", f"{caught:,}", recall, f"{new.height:,}", precision)
    return (name, f"`{kind}`", *counts, fixed, f"{before.height:,}")


def _ingested(store: Store, captions: pl.DataFrame, name: str) -> None:
    ingested(store, "flickr8k", captions.select(*KEYS, "split", "text"), name)


def _read(name: str) -> pl.DataFrame:
    """Read a set of the data folder: image, slot, split, text."""
    folder = Path(os.environ["AUDITOR_DATA"])
    file, pairs = SETS[name]
    with gzip.open(folder / file, "rt", encoding="utf-8") as opened:
        rows = [(image, text.strip()) for image, text in pairs(opened.read()) if text.strip()]
    frame = pl.DataFrame(rows, schema={"image": pl.String, "text": pl.String}, orient="row")
    slot = pl.int_range(pl.len()).over("image").cast(pl.UInt32)
    return frame.with_columns(slot=slot, split=pl.lit(None, pl.String))


Pairs = Iterator[tuple[str, str]]


def _flickr(text: str) -> Pairs:
    for line in text.splitlines():
        place, _, caption = line.partition("\t")
        yield place.partition("#")[0], caption


def _coco(text: str) -> Pairs:
    yield from ((str(one["image_id"]), one["caption"]) for one in json.loads(text)["annotations"])


def _audiocaps(text: str) -> Pairs:
    yield from ((row["youtube_id"], row["caption"]) for row in csv.DictReader(text.splitlines()))


def _clotho(text: str) -> Pairs:
    for place, row in enumerate(csv.DictReader(text.splitlines())):
        yield from ((str(place), row[f"caption_{nth}"]) for nth in range(1, 6))


def mapping(text: str) -> Pairs:
    """Yield the captions of a JSON object, by image."""
    yield from json.loads(text).items()


def objects(text: str) -> Pairs:
    """Yield the captions of JSON objects that follow each other."""
    decoder, place = json.JSONDecoder(), 0
    while text[place:].strip():
        place += len(text[place:]) - len(text[place:].lstrip())
        one, place = decoder.raw_decode(text, place)
        yield str(one.get("image_id") or one.get("image") or one["question_id"]), one["text"]


#: Four sets of human captions, and three of systems.
SETS: Mapping[str, tuple[str, Callable[[str], Pairs]]] = {
    "flickr8k": ("flickr8k/Flickr8k.token.txt.gz", _flickr),
    "coco": ("coco-val2014/captions_val2014.subset-a.json.gz", _coco),
    "clotho": ("clotho/train.csv.gz", _clotho),
    "audiocaps": ("audiocaps/train.csv.gz", _audiocaps),
    "llava-1.5-7b": ("coco-systems/llava-1.5-7b_default.json.gz", mapping),
    "blip-2": ("coco-systems/blip2_results_xe.json.gz", mapping),
    "instructblip": ("vlm-captions/pope/Instruction1_instructblip.json.gz", objects),
}
