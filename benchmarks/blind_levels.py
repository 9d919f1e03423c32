"""How often does a benchmark without a cue look solvable without its images, and how often is a cue of 60% found?

Captions of Flickr8k are shuffled into pairs, questions with four options, and yes/no questions. Which option is right
is drawn, so nothing gives it away. *Clean*: no finding `benchmark-decided-by-…` of `auditor choices`. With a cue, the
right caption is the shorter one, at the second position, or yes, in 60% of the items.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from measuring import table, versions

from auditor import config
from auditor.result import Result
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import content, resolve
from auditor.studies.choices import choices
from auditor.studies.ingest import ingest
from auditor.studies.ingest.sources import ingest_sources

#: Items of a clean benchmark and of one with a cue, two of each image; the share of items with the cue.
ITEMS, CUED_ITEMS, CUE = 300, 1_000, 0.6

Record = dict[str, Any]


def pair(draw: random.Random, texts: Sequence[str], cue: float | None) -> Record:
    """Make a pair; with a cue, the right caption is the shorter one in so many items."""
    first, second = sorted(draw.sample(texts, 2), key=len)
    right, wrong = (first, second) if draw.random() < (0.5 if cue is None else cue) else (second, first)
    return {"right": right, "wrong": wrong}


def multiple(draw: random.Random, texts: Sequence[str], cue: float | None) -> Record:
    """Make a question with four options; with a cue, the second is right in so many items."""
    question, *options = draw.sample(texts, 5)
    place = 1 if cue is not None and draw.random() < cue else draw.choice([0, 2, 3] if cue else range(4))
    return {"question": question, "options": options, "answer": "ABCD"[place]}


def yes_or_no(draw: random.Random, texts: Sequence[str], cue: float | None) -> Record:
    """Make a question with the answer yes or no; with a cue, yes is right in so many items."""
    is_yes = draw.random() < (0.5 if cue is None else cue)
    return {"question": f"Is this right: {draw.choice(texts)}", "answer": "yes" if is_yes else "no"}


KINDS: dict[str, Callable[[random.Random, Sequence[str], float | None], Record]] = {
    "pairs": pair,
    "multiple choice": multiple,
    "yes or no": yes_or_no,
}


def found(kind: str, texts: Sequence[str], seed: int, cue: float | None, items: int = ITEMS) -> Result:
    """Run `auditor choices` on a planted benchmark."""
    draw = random.Random(f"{kind} {seed} {cue}")
    distinct = sorted({*texts})
    records = [{"image": f"{number % (items // 2)}.jpg", **KINDS[kind](draw, distinct, cue)} for number in range(items)]
    with tempfile.TemporaryDirectory() as folder, Store.open(MEMORY) as store:
        path = Path(folder) / "planted.jsonl"
        path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        ingest(store, "planted", files=[path], file_format="choices")
        return choices(store, "planted", metrics=[], errors=0)


def decided(result: Result) -> list[str]:
    """List the kinds of findings of a benchmark that is solvable without its images."""
    return [one.kind for one in result.findings if one.kind.startswith("benchmark-decided-by-")]


def report(seeds: int, cued: int) -> Iterator[str]:
    """Yield the lines of the page."""
    with Store.open(MEMORY) as store:
        ingest_sources(store, [config.sources()["flickr8k"]])
        texts = content(store, resolve(store, "flickr8k"))["text"].to_list()
    rows = []
    for kind in KINDS:
        begun = time.process_time()
        clean = []
        for seed in range(seeds):
            clean.append(decided(found(kind, texts, seed, None)))
            if clean[-1]:
                print(kind, seed, clean[-1], file=sys.stderr, flush=True)
        seconds = (time.process_time() - begun) / seeds
        told = [decided(found(kind, texts, seed, CUE, CUED_ITEMS)) for seed in range(cued)]
        wrong = Counter(one for each in clean for one in each)
        right = Counter(one for each in told for one in each)
        print(kind, len(clean), wrong, right, file=sys.stderr, flush=True)
        rows.append(
            (
                kind,
                f"{sum(not each for each in clean)} of {seeds}",
                ", ".join(f"{name} {count}" for name, count in sorted(wrong.items())),
                f"{sum(map(bool, told))} of {cued}",
                ", ".join(f"{name} {count}" for name, count in sorted(right.items())),
                f"{seconds:.2f}",
            )
        )
    yield from table(("items", "clean", "found without a cue", "cue found", "as", "CPU s"), rows)


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--cued", type=int, default=20)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    head = [
        "# Blind scorers on planted benchmarks",
        "",
        "Written by `python benchmarks/blind_levels.py -o benchmarks/blind_levels.md`.",
        "",
        f"{versions('duckdb', 'polars', 'scipy')}.",
        "",
        *(__doc__ or "").splitlines()[2:],
        f"A clean benchmark has {ITEMS:,} items, one with a cue {CUED_ITEMS:,}, two of each image.",
        "",
    ]
    text = "\n".join([*head, *report(given.seeds, given.cued)]) + "\n"
    if given.output:
        given.output.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
