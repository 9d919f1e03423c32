"""Shards as a filter: how many planted faults `findings --verdicts` drops, and how many captions by people.

`python benchmarks/shards_as_filter.py plant ROWS FOLDER [--captions photos|sounds|FILE.tsv] [--plants PLANTS]` writes
eight Parquet files in DataComp's layout (uid, url, caption, original_width, clip_b32_similarity_score). A twentieth of
the rows is planted; the others are captions of Flickr30k and COCO, with 2.5% by LLaVA, or of AudioCaps, or those of a
file of CAPTION<TAB>URL. `truth.parquet` in the folder has the origin of each uid: a plant, `human` or `machine`.

    auditor findings 'FOLDER/shard-*.parquet' --image-col url --columns uid --verdicts VERDICTS
    python benchmarks/shards_as_filter.py count FOLDER VERDICTS

joins by uid and prints a row for each origin. The same arguments write the same rows.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import random
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path

import polars as pl
from measuring import captions
from planted_faults import FAULTS, pick
from planted_machine import TEXTS, made

SHARDS, MACHINE = 8, 0.025

#: Most captions by LLaVA, and the share of planted rows.
_OF_LLAVA, _PLANTED = 5_000, 0.05

_BY_NAME = {fault.name: fault for fault in FAULTS}

_CREDITS = (
    "{0} stock photo", "{0} | Getty Images", "© Jane Roe / Shutterstock", "{0} Stock Photo - 48213377",
    "{0} | Dreamstime", "{0} - iStock Photo", "Adobe Stock: {0}",
)  # fmt: skip
_COPIED = "This product is currently not available in your region"
_OPEN_END = " (?:a|an|the|of|with|and)(?= )"


def _broken_off(text: str, place: int, key: str) -> str:
    """Cut a caption behind a word that none ends with, such as `the`; without one, it gets one."""
    ends = [one.end() for one in re.finditer(_OPEN_END, text) if text[: one.end()].count(" ") > 2]
    return text[: pick(ends, "cut", key)] if ends else f"{text.rstrip(' .')} with the"


def _of_fault(*names: str) -> Callable[[str, int, str], str]:
    faults = [_BY_NAME[name] for name in names]
    return lambda text, place, key: faults[place % len(faults)].make(text, place // len(faults), key)


def _of_machine(kind: str) -> Callable[[str, int, str], str]:
    return lambda text, place, _: made(text, TEXTS[kind][place % len(TEXTS[kind])])


#: What is planted: how many of 10,000, and what becomes of a caption.
PLANTS: Mapping[str, Mapping[str, tuple[int, Callable[[str, int, str], str]]]] = {
    "datacomp": {
        "URLs": (1000, _of_fault("URLs")),
        "file names": (1000, _of_fault("file names")),
        "truncated": (1000, _broken_off),
        "stock credits": (500, lambda text, place, _: _CREDITS[place % len(_CREDITS)].format(text.rstrip(" ."))),
        "markup": (500, _of_fault("markup")),
        "mojibake": (300, _of_fault("broken characters")),
        "refusals": (300, _of_machine("refusals")),
        "placeholders": (300, _of_fault("placeholders")),
        "empty": (300, lambda _, place, __: " " * (place % 2)),
        "chat roles": (300, _of_machine("chat-tokens")),
        "e-mail": (200, _of_fault("e-mail addresses")),
        "loops": (100, _of_fault("loops")),
        "API errors": (100, _of_machine("api-errors")),
        "other scripts": (100, _of_fault("other scripts")),
        "copies": (4000, lambda *_: _COPIED),
    },
    "other": {
        "phone numbers": (1000, _of_fault("phone numbers")),
        "caption twice": (1000, _of_fault("caption twice")),
        "no word": (1000, _of_fault("no word")),
        "German and French": (1000, _of_fault("German", "French")),
        "assistants": (1000, _of_machine("assistant-texts")),
        "prompts": (1000, _of_machine("prompt-leaks")),
        "Markdown and JSON": (1000, _of_machine("markdown-or-json")),
        "labels": (1000, _of_machine("label-or-probability")),
        "mixed languages": (1000, _of_machine("mixed-language")),
        "missing": (1000, lambda *_: "Image coming soon"),
    },
}


def _texts(name: str, rows: int) -> tuple[list[str], list[str]]:
    """Return captions by people and by LLaVA, each in an order that is drawn."""
    data = Path(os.environ.get("AUDITOR_DATA", "."))
    machine = list[str]()
    if name == "photos":
        human = [text for dataset in ("flickr30k-token", "coco-val") for *_, text in captions(dataset)]
        said = json.loads(gzip.decompress((data / "coco-systems/llava-1.5-7b_default.json.gz").read_bytes()))
        machine = [*said.values()][: min(_OF_LLAVA, round(MACHINE * rows))]
    elif name == "sounds":
        parts = [pl.read_csv(data / "audiocaps" / f"{part}.csv.gz") for part in ("train", "val", "test")]
        human = pl.concat(parts, how="vertical_relaxed")["caption"].to_list()
    else:
        lines = Path(name).read_text(encoding="utf-8").splitlines()
        human = [line.rpartition("\t")[0] or line for line in lines]
    random.Random(7).shuffle(human)
    return human, machine


def _rows(name: str, rows: int, plants: str) -> Iterator[tuple[str, str]]:
    """Yield captions with their origins."""
    human, machine = _texts(name, rows)
    planted = round(_PLANTED * min(rows, len(human) + len(machine)))
    yield from ((text, "machine") for text in machine)
    people = iter(human)
    yield from ((text, "human") for text in islice(people, min(rows, len(human)) - planted - len(machine)))
    bases = [*people][:planted] or human[:planted]
    for origin, (number, make) in PLANTS[plants].items():
        for place in range(round(number * planted / 10_000)):
            base = bases[place % len(bases)]
            yield make(base, place, f"{origin} {place}"), origin


def plant(name: str, rows: int, folder: Path, plants: str) -> None:
    """Write the shards and the truth."""
    folder.mkdir(parents=True)
    frame = pl.DataFrame([*_rows(name, rows, plants)], schema=["caption", "origin"], orient="row")
    frame = frame.sample(fraction=1, shuffle=True, seed=11).with_row_index("number")
    uids = [hashlib.md5(f"{number}".encode(), usedforsecurity=False).hexdigest() for number in frame["number"]]
    whole = frame.select(
        pl.Series("uid", uids), pl.format("https://img.example.net/{}.jpg", "number").alias("url"), "caption", "origin",
        original_width=pl.col("number") % 900 + 100, clip_b32_similarity_score=pl.col("number") % 40 / 100,
    )  # fmt: skip
    whole.select("uid", "origin").write_parquet(folder / "truth.parquet")
    size = -(-whole.height // SHARDS)
    for shard in range(SHARDS):
        whole.drop("origin").slice(shard * size, size).write_parquet(folder / f"shard-{shard}.parquet")


def count(folder: Path, verdicts: Path) -> pl.DataFrame:
    """Count by origin how many rows there are, and how many go."""
    truth = pl.scan_parquet(folder / "truth.parquet")
    joined = truth.join(pl.scan_parquet(verdicts / "*.parquet"), on="uid", how="left")
    counts = joined.group_by("origin").agg(rows=pl.len(), dropped=(~pl.col("keep")).sum())
    return counts.with_columns(percent=(100 * pl.col("dropped") / pl.col("rows")).round(3)).sort("rows").collect()


def main() -> None:
    """Plant, or count what was dropped."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    planting = commands.add_parser("plant")
    planting.add_argument("rows", type=int)
    planting.add_argument("folder", type=Path)
    planting.add_argument("--captions", default="photos")
    planting.add_argument("--plants", choices=PLANTS, default="datacomp")
    counting = commands.add_parser("count")
    counting.add_argument("folder", type=Path)
    counting.add_argument("verdicts", type=Path)
    given = parser.parse_args()
    if given.command == "plant":
        plant(given.captions, given.rows, given.folder, given.plants)
        return
    with pl.Config(tbl_rows=-1, tbl_hide_column_data_types=True, tbl_hide_dataframe_shape=True):
        counts = count(given.folder, given.verdicts)
        planted = counts.filter(~pl.col("origin").is_in(["human", "machine"])).sum()
        print(counts, f"planted: {planted['dropped'][0]:,} of {planted['rows'][0]:,} dropped", sep="\n")


if __name__ == "__main__":
    main()
