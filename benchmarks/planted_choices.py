"""What `auditor choices` says of benchmarks of which nothing tells what is right, and of those with a planted cue.

`python benchmarks/planted_choices.py [--seeds N] [--items N] [--data DIR] [-o FILE]`. Of each dataset pairs of captions
are taken, a caption of an image and another; which one is called right is drawn by each seed. Untouched, that is all;
with a cue, the caption that has it is called right in a share of the items in which one has it and the other has not.
"""

from __future__ import annotations

import argparse
import functools
import os
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import polars as pl
from measuring import versions

from auditor.result import Result
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import content, resolve
from auditor.studies.choices import choices
from auditor.studies.ingest import ingest

#: The datasets, with what their language models are trained on: descriptions of photographs by people, of clip art, and
#: hard distractors written by a machine.
DATASETS = {"flickr8k": "flickr8k", "abstract50s": "abstract50s", "sugarcrepe": "coco-val2017"}

SHARES = (0.55, 0.6, 0.7)

_COVERED = """\
Of each scorer, the seeds in which its 95 % interval covers .5: the fewest of any scorer, and the mean; seeds in which
all intervals do; seeds with a finding `benchmark-decided-by-…`."""

Pair = tuple[str, str, str]


@dataclass(frozen=True)
class Cue:
    """What is planted: `sign` is positive of a pair whose first caption has it, `kind` the finding that should tell."""

    name: str
    kind: str
    sign: Callable[[str, str], int]


def _shorter(one: str, other: str) -> int:
    return len(other.strip()) - len(one.strip())


def _without_stop(one: str, other: str) -> int:
    return other.rstrip().endswith(".") - one.rstrip().endswith(".")


CUES = (
    Cue("the shorter", "benchmark-decided-by-length", _shorter),
    Cue("no full stop", "benchmark-decided-by-punctuation", _without_stop),
)


def pairs_of(store: Store, dataset: str, items: int) -> list[Pair]:
    """Give pairs of captions, of which the first is of the image, and a full stop is at the end of half of each."""
    rows = content(store, resolve(store, dataset)).select("image", "slot", "text").sort("image", "slot")
    draw = random.Random(dataset)
    if dataset == "sugarcrepe":
        right, wrong = rows.gather_every(2), rows.gather_every(2, 1)
        pairs = [*zip(right["image"], right["text"], wrong["text"], strict=True)]
    else:
        others = rows.sample(rows.height, shuffle=True, seed=1)["text"]
        pairs = [(i, a, b) for i, a, b in zip(rows["image"], rows["text"], others, strict=True) if a != b]
    drawn = draw.sample(pairs, min(items, len(pairs)))
    return [(image, *(text.rstrip(" .") + draw.choice(("", " .")) for text in both)) for image, *both in drawn]


def dealt(pairs: Sequence[Pair], seed: int, cue: Cue | None = None, share: float = 0.5) -> list[dict[str, str]]:
    """Call one caption of each pair right: by chance, or by a cue in a share of those that have it."""
    # The hash of a text: sums over the seeds 0 to 99 themselves lie too far apart by chance (one in 2,000).
    draw = random.Random(f"{pairs[0]} {cue.name if cue else None} {share} {seed}")
    items = []
    for number, (image, one, other) in enumerate(pairs):
        sign = cue.sign(one, other) if cue else 0
        first = (draw.random() < share) == (sign > 0) if sign else draw.random() < 0.5
        right, wrong = (one, other) if first else (other, one)
        items.append({"item": str(number), "part": "all items", "image": image, "right": right, "wrong": wrong})
    return items


def asked(store: Store, items: Sequence[dict[str, str]], train: str) -> Result:
    """Ingest a benchmark and ask it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "planted.jsonl"
        pl.DataFrame(items).write_ndjson(path)
        ingest(store, "planted", files=[path], file_format="choices")
    return choices(store, "planted", train=train, metrics=())


def measured(dataset: str, seeds: int, items: int) -> tuple[list[object], list[list[object]]]:
    """Ask a dataset's pairs in a store of their own."""
    with Store.open(MEMORY) as store:
        ingest(store, *dict.fromkeys([DATASETS[dataset], dataset]))
        return measured_in(store, dataset, seeds, items)


def measured_in(store: Store, dataset: str, seeds: int, items: int) -> tuple[list[object], list[list[object]]]:
    """Ask a dataset's pairs, untouched and with cues; give the rows of both tables."""
    pairs = pairs_of(store, dataset, items)
    covered, whole, told = Counter[str](), 0, 0
    for seed in range(seeds):
        result = asked(store, dealt(pairs, seed), DATASETS[dataset])
        blind = result.frame.filter(pl.col("part") == "all items", pl.col("kind") == "blind")
        holds = blind.filter(pl.col("low") <= 0.5, pl.col("high") >= 0.5)
        covered.update(holds["scorer"])
        whole += holds.height == blind.height
        told += any(one.kind.startswith("benchmark-decided") for one in result.findings)
    least = min(covered, key=lambda name: covered[name])
    clean: list[object] = [
        dataset,
        len(pairs),
        f"{covered[least]} ({least})",
        sum(covered.values()) / len(covered),
        whole,
        told,
    ]
    found: list[list[object]] = []
    for cue in CUES:
        for share in SHARES:
            results = [asked(store, dealt(pairs, seed, cue, share), DATASETS[dataset]) for seed in range(seeds // 10)]
            hits = sum(bool(one.found(cue.kind)) for one in results)
            found.append([dataset, cue.name, share, hits, len(results)])
    return clean, found


def _table(names: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    told = [[f"{cell:,.2f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in (names, ["---"] * len(names), *told))


def main() -> None:
    """Measure every dataset and write a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--items", type=int, default=2000)
    parser.add_argument("--data", type=Path, default=os.environ.get("AUDITOR_DATA"))
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    os.environ["AUDITOR_DATA"] = str(given.data)
    clean, found = [], []
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        asked_of = functools.partial(measured, seeds=given.seeds, items=given.items)
        for one, more in pool.map(asked_of, DATASETS):
            clean.append(one)
            found += more
    page = "\n\n".join([
        "# Planted cues in forced-choice benchmarks: what is found of them",
        "Written by `python benchmarks/planted_choices.py -o benchmarks/planted_choices.md`.",
        versions("scipy"),
        (__doc__ or "").partition("\n\n")[2].strip(),
        f"## Untouched, {given.seeds} seeds",
        _COVERED,
        _table(["pairs of", "items", "fewest of a scorer", "mean", "all intervals", "with a finding"], clean),
        "## With a cue",
        _table(["pairs of", "right is", "in a share of", "found in seeds", "of"], found),
    ])  # fmt: skip
    if given.output:
        given.output.write_text(page + "\n", encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
