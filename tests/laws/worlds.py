"""Small worlds: a dataset, another of some of its images, three systems that skip images, ratings, items, objects.

A world is drawn from a seed, and put into a store under any names, its lines in any order.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

import auditor
from auditor.store.connection import MEMORY

Rows = list[dict[str, Any]]

#: The roles of datasets in a world, in the order in which they are ingested.
ROLES = ("refs", "others", "first", "second", "third", "stars", "items", "things")

#: Each role under its own name.
PLAIN = {role: role for role in ROLES}

SYSTEMS = ("first", "second", "third")

STARS = ("image_col=image", "caption_col=text", "judge_col=judge", "score_col=stars")

_NOUNS = ("dog", "cat", "child", "man", "woman", "car", "boat", "bird", "horse", "table", "猫", "café", "straße", "🙂")
_VERBS = ("runs", "sits", "sleeps", "eats", "waits", "stands", "jumps over", "looks at")
_PLACES = ("on the beach", "in a park", "at night", "beside a lake", "in the snow", "under a tree", "on grass")
_WHOLE = ("A dog runs.", "dog", "...", "A photo of a cat", "two words")


class Shape(NamedTuple):
    """The numbers of images and of captions per image, and the share of captions that are copies of earlier ones."""

    images: int
    captions: int
    copies: float
    has_splits: bool = False


@dataclass(frozen=True)
class World:
    """The rows of each role, as a file has them."""

    rows: Mapping[str, Rows]

    def shuffled(self, seed: int) -> World:
        """Return the lines of different images in another order; those of one image stay, as its captions do.

        Items stay: a version holds their numbers, which are those of the lines of their file.
        """
        draw = random.Random(seed)
        rows = {}
        for role, some in self.rows.items():
            if role == "items":
                rows[role] = some
                continue
            groups: dict[str, Rows] = {}
            for row in some:
                groups.setdefault(row["image"], []).append(row)
            images = [*groups]
            draw.shuffle(images)
            rows[role] = [row for image in images for row in groups[image]]
        return World(rows)


def world(shape: Shape, seed: int) -> World:
    """Draw a world."""
    draw = random.Random(f"{shape} {seed}")
    images = [f"{number}.jpg" for number in range(shape.images)]
    said: list[str] = []

    def caption() -> str:
        if said and draw.random() < shape.copies:
            return draw.choice(said)
        words = [draw.choice(("a", "the", "two")), draw.choice(_NOUNS), draw.choice(_VERBS), draw.choice(_PLACES)]
        text = draw.choice(_WHOLE) if draw.random() < 0.05 else " ".join(words[: draw.choice((2, 3, 4, 4, 4))])
        said.append(text)
        return text

    def captions(of: Sequence[str], per_image: int) -> Rows:
        rows: Rows = [{"image": image, "slot": slot, "caption": caption()} for image in of for slot in range(per_image)]
        for row in rows if shape.has_splits else ():
            row["split"] = ("train", "val")[images.index(row["image"]) % 2]
        return rows

    def some(share: float) -> list[str]:
        return [image for image in images if draw.random() < share] or images[:1]

    refs = captions(images, shape.captions)
    systems = {name: captions(some(share), 1) for name, share in zip(SYSTEMS, (1.0, 0.8, 0.5), strict=True)}
    texts = [row["caption"] for row in refs]
    return World(
        {
            "refs": refs,
            "others": captions(some(0.9), max(shape.captions - 1, 1)),
            **systems,
            "stars": [
                {"image": row["image"], "text": row["caption"], "judge": judge, "stars": draw.randint(1, 4)}
                for row in systems["first"]
                for judge in "ab"
            ],
            "items": [
                {"item": f"i{number}", "image": row["image"], "right": row["caption"], "wrong": f"no {texts[-number]}"}
                for number, row in enumerate(refs[:: shape.captions])
            ],
            "things": [{"image": image, "objects": draw.sample(_NOUNS[:10], draw.randint(1, 3))} for image in images],
        },
    )


@contextmanager
def put(
    of: World,
    names: Mapping[str, str] = PLAIN,
    *,
    folder: Path,
    roles: Sequence[str] = ROLES,
    path: Path = MEMORY,
) -> Iterator[auditor.Auditor]:
    """Open a store with a world in it, each role under its name."""
    with auditor.Auditor(path, write=True) as audit:
        for role in roles:
            _ingest(audit, role, names[role], of.rows[role], folder)
        yield audit


def _ingest(audit: auditor.Auditor, role: str, name: str, rows: Rows, folder: Path) -> None:
    file = folder / f"{name}.json"
    if role == "stars":
        pl.from_dicts(rows).write_csv(file.with_suffix(".csv"))
        audit.ingest(name, files=[file.with_suffix(".csv")], file_format="judgements", options=STARS, config={})
    elif role == "items":
        file = folder / "questions.jsonl"  # its name is their category
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        audit.ingest(name, files=[file], file_format="choices", config={})
    elif role == "things":
        file.write_text(json.dumps({row["image"]: row["objects"] for row in rows}), encoding="utf-8")
        audit.ingest(name, files=[file], file_format="mapping", kind="objects", config={})
    else:
        kind = "candidates" if role in SYSTEMS else None
        audit.ingest(name, data=rows, kind=kind, config={})


#: Worlds of unlike sizes, with the seed of each. Three are always asked: of 12 images, of 60, of one.
WORLDS = (
    (Shape(12, 3, 0.2, has_splits=True), 0),
    (Shape(30, 1, 0.6), 1),
    (Shape(2, 5, 0.0), 2),
    (Shape(60, 2, 0.3), 3),
    (Shape(11, 2, 0.1), 4),
    (Shape(60, 6, 0.3, has_splits=True), 5),
    (Shape(1, 2, 0.0), 6),
    (Shape(25, 2, 0.0), 7),
    (Shape(3, 4, 0.9), 8),
)
