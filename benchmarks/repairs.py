"""Draw repairs of `export --fix all` to be read by hand, and count what was read.

`python benchmarks/repairs.py draw [SET…] --brought DIR -o FILE.csv` repairs each set, and lists its changes: each
kind in turn gives its next one by md5, until there are `--rows` of a set. Kinds with few are read completely. Write 1
into column `wrong` where a person would not make the change, or would keep a caption that is left out. `python
benchmarks/repairs.py count FILE.csv` prints the table of `benchmarks/repairs.md`, with upper limits (Clopper-Pearson,
one-sided 95%).

AUDITOR_DATA names the folder of the sets at hand, `--brought` that of the others, which `repairs.md` lists.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import polars as pl
from measuring import positive, table
from planted_faults import FAULTS, Fault, number
from planted_machine import SETS as READ
from planted_machine import TEXTS, Pairs, made, mapping, objects
from read_by_hand import upper

from auditor import config
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve
from auditor.studies.export.repaired import FIXABLE, repaired
from auditor.studies.ingest import ingest
from auditor.studies.ingest.sources import ingest_sources

_HELD = ("set", "captions", "kind", "changes", "wrong", "image", "slot", "before", "after")


def _tabbed(text: str) -> Pairs:
    yield from (tuple(line.split("\t", 1)) for line in text.splitlines() if "\t" in line)


def _first_column(text: str) -> Pairs:
    yield from ((str(place), line.partition("\t")[0]) for place, line in enumerate(text.splitlines()))


def _differences(text: str) -> Pairs:
    yield from ((str(one["img_id"]), said) for one in json.loads(text) for said in one["sentences"])


def _annotated(text: str) -> Pairs:
    yield from ((str(one["image_id"]), one["caption"]) for one in json.loads(text)["annotations"])


def _compared(text: str) -> Pairs:
    yield from ((f"{one['candidate']} {one['target']}", said) for one in json.loads(text) for said in one["captions"])


def _column(image: str, *captions: str) -> Callable[[str], Pairs]:
    def pairs(text: str) -> Pairs:
        rows = csv.DictReader(text.removeprefix("\ufeff").splitlines())
        yield from ((row[image], row[caption]) for row in rows for caption in captions)

    return pairs


def _lines(text: str) -> Pairs:
    yield from ((str(place), line) for place, line in enumerate(text.splitlines()))


#: Datasets of datasets.toml, and files of the data folder.
OURS = ("flickr8k", "flickr30k", "coco-val", "multi30k", "pascal50s", "abstract50s")

#: Files that are brought for the measurement: their names, which `repairs.md` traces, and how they are read.
BROUGHT: Mapping[str, tuple[tuple[str, ...], Callable[[str], Pairs]]] = {
    "radiology": (("roco-val.txt", "roco-test.txt"), _tabbed),
    "differences": (("std-train.json", "std-val.json", "std-test.json"), _differences),
    "music": (("musiccaps.csv",), _column("ytid", "caption")),
    "alt-text": (("cc3.tsv",), _first_column),
    "german": (tuple(f"de-{part}.{nth}.txt" for part in ("val", "test_2016") for nth in range(1, 6)), _lines),
    "narrations": (("epic.csv",), _column("narration_id", "narration")),
    "remote-sensing": (("rsicd-val.json", "rsicd-test.json"), _annotated),
    "chinese": (("msvd-cn.csv",), _column("video_id", "sentence")),
    "fashion": (("fashion-dress.json", "fashion-shirt.json", "fashion-toptee.json"), _compared),
    "reports": (("indiana.csv",), _column("uid", "findings", "impression")),
}

_MACHINES = {
    "llava-1.5-7b": ("coco-systems/llava-1.5-7b_default.json.gz", mapping),
    "gpt-4o": ("vlm-captions/comprecap/GPT-4o.json.gz", mapping),
    "llava-next": ("vlm-captions/comprecap/LLava-Next-34B.json.gz", mapping),
    "mplug": ("vlm-captions/pope/Instruction2_mplug.json.gz", objects),
    "minigpt-4": ("vlm-captions/pope/Instruction2_minigpt-4.json.gz", objects),
}

_FILES = {name: READ[name] for name in ("clotho", "audiocaps", "flickr8k")} | _MACHINES

EVERY = (*OURS, *(name for name in _FILES if name not in OURS), *BROUGHT)


def main(arguments: Sequence[str]) -> None:
    """Draw changes, or count those that were read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    draw = parts.add_parser("draw")
    draw.add_argument("sets", nargs="*", metavar="SET", help=f"default: {', '.join(EVERY)}")
    draw.add_argument("--brought", type=Path, required=True)
    draw.add_argument("--rows", type=positive, default=60, metavar="N", help="changes drawn of a set; default: 60")
    draw.add_argument("--seed", default="read", help="another word draws others; default: read")
    draw.add_argument("-o", "--output", type=Path, required=True)
    parts.add_parser("count").add_argument("file", type=Path)
    parts.add_parser("planted")
    asked = parser.parse_args(arguments)
    if asked.part == "planted":
        print("\n".join(planted()))
        return
    if asked.part == "count":
        print("\n".join(counted(asked.file)))
        return
    with asked.output.open("w", encoding="utf-8") as file:
        for number_of_set, name in enumerate(asked.sets or EVERY):
            drawn = drawn_of(name, asked.brought, asked.rows, asked.seed)
            file.write(drawn.write_csv(include_header=number_of_set == 0))
            file.flush()


def drawn_of(name: str, brought: Path, rows: int, seed: str) -> pl.DataFrame:
    """Repair a set, and draw its changes."""
    with Store.open(MEMORY, write=True) as store:
        if name in OURS:
            ingest_sources(store, [config.sources()[name]])
        else:
            frame = pl.DataFrame([*_read(name, brought)], schema=["image", "caption"], orient="row")
            ingest(
                store, name, data=frame.filter(pl.col("caption") != ""), kind="candidates", max_rejected=1.0, config={}
            )
        selection = resolve(store, name)
        changes = repaired(store, selection, ["all"], None).changes
        captions = selection.version.captions
    later = sum(_fragments(*texts) for texts in changes.select("before", "after").drop_nulls().iter_rows())
    print(
        f"{name}: {captions:,} captions, {changes.height:,} changes, {later} later sentences without a verb",
        file=sys.stderr,
    )
    keys = changes.select(
        pl.concat_str("kind", "image", pl.col("slot").cast(pl.String), "before", separator=" ")
    ).to_series()
    order = pl.Series("order", [number(seed, key) / 2**128 for key in keys], dtype=pl.Float64)
    turns = changes.with_columns(order, changes=pl.len().over("kind")).sort("order")
    turns = turns.with_columns(turn=pl.int_range(pl.len()).over("kind")).sort("turn", "order").head(rows)
    held = turns.with_columns(set=pl.lit(name), captions=pl.lit(captions), wrong=pl.lit(""))
    return held.sort("kind", "turn").select(pl.col(name).cast(pl.String) for name in _HELD)


def planted() -> list[str]:
    """Plant faults in captions of Flickr8k, and return how many of each kind are repaired or left out."""
    texts = [text for _, text in _read("flickr8k", Path())]
    faults = {kind: [partial(made, pattern=one) for one in each] for kind, each in TEXTS.items() if kind in FIXABLE}
    for fault in FAULTS:
        if fault.kind in FIXABLE and fault.name not in _PARTLY:
            faults.setdefault(fault.kind, []).extend(partial(_planted, fault=fault, place=nth) for nth in range(43))
    rows = [(kind, make) for kind, each in faults.items() for make in each]
    captions = pl.DataFrame(
        [(f"{nth}", kind, make(texts[7 * nth])) for nth, (kind, make) in enumerate(rows)],
        schema=["image", "kind", "caption"],
        orient="row",
    )
    with Store.open(MEMORY, write=True) as store:
        ingest(store, "planted", data=captions.select("image", "caption"), kind="candidates", config={})
        changed = repaired(store, resolve(store, "planted"), ["all"], None).changes
    fixed = captions.join(changed, on="image", how="left").unique("image", keep="first")
    for row in fixed.filter(pl.col("before").is_null()).sort("kind").iter_rows(named=True):
        print(f"not repaired: {row['kind']}: {row['caption']}", file=sys.stderr)
    apart = pl.when(pl.col("caption").str.contains(_LOST)).then(pl.col("kind") + " that stay").otherwise("kind")
    counted = fixed.with_columns(kind=apart).group_by("kind")
    counts = counted.agg(planted=pl.len(), repaired=pl.col("before").count()).sort("kind")
    others = counts.filter(~pl.col("kind").str.ends_with("stay"))
    total = others.select(kind=pl.lit("all"), planted=pl.col("planted").sum(), repaired=pl.col("repaired").sum())
    lines = [
        (f"`{kind}`", f"{number:,}", f"{done:,}", f"{done / number:.0%}")
        for kind, number, done in pl.concat([counts, total], how="vertical_relaxed").iter_rows()
    ]
    return table(("kind", "planted", "repaired", "share"), lines)


#: Captions that no repair can mend: a character is lost, or words before “photo” describe. They are counted apart.
_LOST = "\ufffd|^This black and white photo"

#: Faults that no repair can undo: a word is lost, or a phrase loops.
_PARTLY = ("marks instead of a word", "loops")


def _planted(text: str, fault: Fault, place: int) -> str:
    return fault.make(text, place, str(place))


def _fragments(before: str, after: str) -> int:
    """Count later sentences that may lack a verb: neither of the caption, perhaps cut at the end, nor “There is …”."""
    known, later = _worded(before), [_worded(said) for said in re.split(r"(?<=[.!?])[\"”)]*\s+", after)[1:]]
    return sum(1 for said in later if said not in known and not said.startswith(("there is ", "there are ")))


def _worded(text: str) -> str:
    return " ".join(re.findall(r"[^\W\d]+", text.lower()))


def _read(name: str, brought: Path) -> Iterator[tuple[str, str]]:
    if name in BROUGHT:
        files, pairs = BROUGHT[name]
        for file in files:
            for image, caption in pairs((brought / file).read_text(encoding="utf-8")):
                yield f"{file} {image}" if name == "german" else image, caption
        return
    file, pairs = _FILES[name]
    with gzip.open(Path(os.environ["AUDITOR_DATA"]) / file, "rt", encoding="utf-8") as opened:
        yield from pairs(opened.read())


def counted(file: Path) -> list[str]:
    """Return the table of a file that was read: by set and kind, then for people's sets and for systems."""
    rows = pl.read_csv(file, infer_schema=False)
    lines = []
    for (name, kind), of in rows.group_by("set", "kind", maintain_order=True):
        wrong = of.filter(wrong="1").height
        out = of.filter(pl.col("after").is_null() | (pl.col("after") == "")).height
        lines.append((name, f"`{kind}`", of["changes"][0], f"{of.height:,}", f"{out:,}", f"{wrong:,}"))
    of_systems = pl.col("set").is_in([*_MACHINES])
    for name, part in (("human captions", rows.filter(~of_systems)), ("captions of systems", rows.filter(of_systems))):
        wrong = part.filter(wrong="1").height
        share = (
            f"{wrong:,} ({wrong / part.height:.1%}, at most {upper(wrong, part.height):.1%})" if part.height else "–"
        )
        lines.append((f"**{name}**", "", "", f"{part.height:,}", "", share))
    return table(("set", "kind", "changes", "read", "left out", "wrong"), lines)


if __name__ == "__main__":
    main(sys.argv[1:])
