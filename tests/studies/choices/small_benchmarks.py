"""Small forced-choice benchmarks, written for the tests: ingested into a store as a user's file is."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Sequence
from pathlib import Path

import polars as pl
from conftest import ingest_rows

from auditor.store.connection import Store
from auditor.studies.ingest import ingest

#: What a benchmark's captions are made of.
WHO = ("man", "woman", "boy", "girl", "dog", "nurse", "farmer", "rider", "singer", "child")
WHAT = ("holds", "watches", "paints", "carries", "feeds", "follows", "sees", "draws", "lifts", "greets")
WHERE = ("park", "street", "kitchen", "barn", "field", "harbour", "station", "garden", "hall", "yard")

Item = tuple[str, str, str, str]


def items_of(store: Store, folder: Path, items: Sequence[Item], name: str = "bench") -> str:
    """Ingest items: part, image, right, wrong."""
    records = [
        {"item": f"{part}/{number}", "part": part, "image": image, "right": right, "wrong": wrong}
        for number, (part, image, right, wrong) in enumerate(items)
    ]
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    ingest(store, name, files=[path], file_format="choices")
    return name


def captions_of(store: Store, rows: Sequence[tuple[str, str]], name: str = "set") -> str:
    """Ingest captions: image, text."""
    slots: dict[str, itertools.count[int]] = {}
    ingest_rows(store, [(image, next(slots.setdefault(image, itertools.count())), text) for image, text in rows], name)
    return name


def sentence(draw: random.Random) -> str:
    """Write a caption that nothing tells from others."""
    first, second = draw.sample(WHO, 2)
    return f"a {first} {draw.choice(WHAT)} a {second} in the {draw.choice(WHERE)}"


def clean(seed: int, items: int = 400, images: int = 200) -> list[Item]:
    """Write a benchmark of which nothing tells what is right: two captions, one of which is called so at random."""
    draw = random.Random(seed)
    return [("swap", f"{number % images}.jpg", sentence(draw), sentence(draw)) for number in range(items)]


def with_length_cue(seed: int, share: float = 0.6, items: int = 400, images: int = 200) -> list[Item]:
    """Write one of which the right caption is the shorter in a share of the items."""
    draw = random.Random(seed)
    made = []
    for number in range(items):
        short, long = sentence(draw), f"{sentence(draw)} at {draw.choice(('noon', 'night', 'dawn'))}"
        right, wrong = (short, long) if draw.random() < share else (long, short)
        made.append(("add", f"{number % images}.jpg", right, wrong))
    return made


def row(frame: pl.DataFrame, scorer: str, part: str = "swap") -> dict[str, object]:
    """Give the row of a scorer."""
    return frame.row(by_predicate=(pl.col("scorer") == scorer) & (pl.col("part") == part), named=True)
