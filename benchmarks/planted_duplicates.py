"""Are planted faults found? A copied annotator, and test captions leaked into training with one word changed.

Faults are planted into Flickr8k as it is. What the audit finds without them is natural: it is reported beside, and no
mistake of the search, but no catch either.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from measuring import captions as captions_of
from measuring import load_before, positive, table, versions

if TYPE_CHECKING:
    import polars as pl

LEAKED = 0.02

Caption = tuple[str, int, str]
Place = tuple[str, int]


@dataclass(frozen=True)
class Planted:
    """Captions with a fault in them, and the captions that should be found for it."""

    captions: list[Caption]
    wanted: frozenset[Place]


def main(arguments: Sequence[str]) -> None:
    """Plant each fault, search, and report recall and precision at each threshold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the datasets; default: AUDITOR_DATA")
    parser.add_argument("--seeds", type=positive, default=3, metavar="N", help="plantings of the leak; default: 3")
    parser.add_argument("--near", type=float, action="append", metavar="SHARE", help="default: 0.6, 0.7 and 0.8")
    asked = parser.parse_args(arguments)
    if asked.data:
        os.environ["AUDITOR_DATA"] = str(asked.data.resolve())
    print(f"{load_before()}. {versions()}\n", flush=True)
    captions, splits = flickr8k()
    _report_leak(captions, splits, asked.near or (0.6, 0.7, 0.8), asked.seeds)
    _report_copy(captions, splits)


def flickr8k() -> tuple[list[Caption], dict[str, list[str]]]:
    """Give the captions of Flickr8k, and the images of its splits."""
    from auditor import config

    lists = config.source("flickr8k", config.sources()).splits
    return captions_of("flickr8k"), {name: path.read_text(encoding="utf-8").split() for name, path in lists.items()}


def leaked(captions: Sequence[Caption], splits: Mapping[str, Sequence[str]], seed: int) -> Planted:
    """Put 2 % of the test captions, one word of each changed, in the place of training captions.

    All is drawn by md5: which captions, which they take the place of, which word, and the word that it becomes, a word
    of the test captions. Captions of fewer than two words are not drawn.
    """
    test, train = (set(splits[name]) for name in ("test", "train"))
    sources = _drawn([one for one in captions if one[0] in test and len(one[2].split()) > 1], seed, "source")
    places = _drawn([one for one in captions if one[0] in train], seed, "place")
    words = [word for _, _, text in sources for word in text.split() if word.isalpha()]
    count = round(LEAKED * sum(image in test for image, _, _ in captions))
    new = {
        (image, slot): _one_word_changed(text, words, f"{seed} {image} {slot}")
        for (_, _, text), (image, slot, _) in zip(sources[:count], places, strict=False)
    }
    return Planted(
        [(image, slot, new.get((image, slot), text)) for image, slot, text in captions],
        frozenset((image, slot) for image, slot, _ in sources[:count]),
    )


def copied(captions: Sequence[Caption], copy: int, of: int, share: float) -> Planted:
    """Let a share of the captions of one slot be those of another, one word of each changed."""
    at = {(image, slot): text for image, slot, text in captions}
    words = [word for _, _, text in captions for word in text.split() if word.isalpha()]
    drawn = _drawn([one for one in captions if one[1] == copy and (one[0], of) in at], 1, "copy")
    new = {
        (image, slot): _one_word_changed(at[image, of], words, f"{image} {slot}")
        for image, slot, _ in drawn[: round(share * len(drawn))]
    }
    return Planted([(image, slot, new.get((image, slot), text)) for image, slot, text in captions], frozenset(new))


def _one_word_changed(text: str, words: Sequence[str], key: str) -> str:
    """Put another word in the place of one that has a letter."""
    said = text.split()
    places = [place for place, word in enumerate(said) if any(map(str.isalpha, word))]
    if not places:
        return text
    place = places[_number("place", key) % len(places)]
    start = _number("word", key)
    others = (words[(start + step) % len(words)] for step in range(len(words)))
    said[place] = next(word for word in others if word.lower() != said[place].lower())
    return " ".join(said)


def _drawn(captions: Sequence[Caption], seed: int, why: str) -> list[Caption]:
    return sorted(captions, key=lambda one: _number(f"{seed} {why}", f"{one[0]} {one[1]}"))


def _number(why: str, key: str) -> int:
    return int.from_bytes(hashlib.md5(f"{why} {key}".encode(), usedforsecurity=False).digest())


def search(
    captions: Sequence[Caption], splits: Mapping[str, Sequence[str]], near: Sequence[float], *, pairs: bool
) -> list[pl.DataFrame]:
    """Ingest captions into a store in memory, and give the rows of `duplicates` at each threshold."""
    import polars as pl

    from auditor.model import Source
    from auditor.sources.reading.acceptance import complete
    from auditor.store import ingestion
    from auditor.store.connection import MEMORY, Store
    from auditor.studies.duplicates.study import duplicates
    from auditor.text import AT_INGEST

    frame = pl.DataFrame(captions, schema=["image", "slot", "text"], orient="row").with_columns(
        source=pl.lit("planted"), unit=pl.lit("line"), line=pl.int_range(1, len(captions) + 1)
    )
    source = Source("planted", "captions", "literal", (), splits=dict.fromkeys(splits, Path("list")))
    lists = {name: list(images) for name, images in splits.items()}
    with Store.open(MEMORY) as store:
        ingestion.write(store, source, iter([complete(frame)]), lists, AT_INGEST, "0" * 64)
        return [duplicates(store, "planted", near=share, examples=0, pairs=pairs).frame for share in near]


def _leaks(captions: Sequence[Caption], splits: Mapping[str, Sequence[str]], near: Sequence[float]) -> list[set[Place]]:
    """Give the test captions that stand in training, at each threshold."""
    return [
        set(rows.filter(scope="across-splits", split="test", against_split="train").select("image", "slot").iter_rows())
        for rows in search(captions, splits, near, pairs=True)
    ]


def _report_leak(
    captions: Sequence[Caption], splits: Mapping[str, Sequence[str]], near: Sequence[float], seeds: int
) -> None:
    natural = _leaks(captions, splits, near)
    counts = [[0] * 5 for _ in near]
    for seed in range(1, seeds + 1):
        planted = leaked(captions, splits, seed)
        for number, found in enumerate(_leaks(planted.captions, splits, near)):
            new, wanted = found - natural[number], planted.wanted - natural[number]
            caught = (planted.wanted, planted.wanted & found, wanted, wanted & new, new)
            counts[number] = [before + len(some) for before, some in zip(counts[number], caught, strict=True)]
    print(f"Test captions of Flickr8k leaked into training, one word changed; {seeds} plantings together:\n")
    rows = [
        (
            f"{share:g}",
            f"{len(known):,}",
            str(planted),
            f"{hit / planted:.3f}",
            f"{news / wanted:.3f}",
            f"{news / new:.3f}",
        )
        for share, known, (planted, hit, wanted, news, new) in zip(near, natural, counts, strict=True)
    ]
    header = (
        "--near",
        "natural",
        "planted",
        "recall",
        "recall, natural ones left out",
        "precision, natural ones left out",
    )
    print("\n".join(table(header, rows)), "\n", flush=True)


def _report_copy(captions: Sequence[Caption], splits: Mapping[str, Sequence[str]]) -> None:
    print("Captions of slot 3 that are those of slot 1, one word changed; share of images that is found:\n")
    rows = []
    for share in (0.0, 0.05, 0.2, 1.0):
        (found,) = search(copied(captions, 3, 1, share).captions, splits, (0.7,), pairs=False)
        pairs = found.filter(found["against_slot"].is_not_null(), match="any")
        copy = pairs.filter(slot=1, against_slot=3)["value"].sum()
        others = pairs.filter((pairs["slot"] != 1) | (pairs["against_slot"] != 3))["value"].max()
        rows.append((f"{share:.2f}", f"{copy:.3f}", f"{others:.3f}"))
    print("\n".join(table(("copied", "slots 1 and 3", "most of any other two"), rows)))


if __name__ == "__main__":
    main(sys.argv[1:])
