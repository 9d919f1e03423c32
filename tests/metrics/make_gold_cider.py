"""Golden CIDEr-D scores by pycocoevalcap (extra `peers`): `python tests/metrics/make_gold_cider.py`.

`cider_d_sample.json`: the first caption of each image of sample-narrow is the candidate, the other four are its
references. pycocoevalcap takes its document frequencies from the references of all items, which is idf `dataset` of a
system's output. `cider_d_items.json`: leave-one-out over `IMAGES`, as the program counts: all items in one run, and a run
for each place of the caption left out.
"""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path

ROOT = Path(__file__).parents[2]
GOLD = ROOT / "tests" / "gold"

#: Written for this: images of one to four captions, twins, short ones; in lower case and without punctuation.
IMAGES = {
    "a": ["a brown dog runs over wet grass", "the brown dog runs", "a dog is running outside", "a brown dog runs"],
    "b": ["two boys play with a ball", "two boys play with a ball", "boys play"],
    "c": ["nobody else saw this"],
    "d": ["a woman reads a letter on a bench", "a woman on a bench reads", "she reads a letter", "reading"],
    "e": ["dog on a bench", "a brown dog on a bench"],
}

Item = tuple[str, int]
Rows = list[tuple[str, int, str]]


def sample() -> tuple[Rows, Rows]:
    """Give the references and the candidates, as (image, slot, text)."""
    lines = (ROOT / "auditor" / "sample" / "narrow.token").read_text(encoding="utf-8").splitlines()
    rows = []
    for line in lines:
        key, text = line.split("\t")
        image, slot = key.rsplit("#", 1)
        rows.append((image, int(slot), text))
    return [row for row in rows if row[1] > 0], [row for row in rows if row[1] == 0]


def held_out() -> list[Item]:
    """Name every caption of `IMAGES` that has another one beside it."""
    return [(image, slot) for image, texts in IMAGES.items() if len(texts) > 1 for slot in range(len(texts))]


def run(references: dict[str, list[str]], candidates: dict[str, str]) -> dict[str, float]:
    """Score one run of the program."""
    from pycocoevalcap.cider.cider import Cider

    _, scores = Cider().compute_score(references, {item: [text] for item, text in candidates.items()})
    return dict(zip(references, map(float, scores), strict=True))


def run_items(items: list[Item]) -> dict[str, float]:
    """Score captions of `IMAGES` against the others of their image, by `image#slot`."""
    names = {f"{image}#{slot}": (image, slot) for image, slot in items}
    others = {name: [*IMAGES[image][:slot], *IMAGES[image][slot + 1 :]] for name, (image, slot) in names.items()}
    return run(others, {name: IMAGES[image][slot] for name, (image, slot) in names.items()})


def write(name: str, scores: object) -> None:
    """Write numbers down, with what made them."""
    made_by = f"pycocoevalcap {importlib.metadata.version('pycocoevalcap')}, Cider (which is CIDEr-D, x10)"
    gold = {"made by": f"{made_by}: python tests/metrics/make_gold_cider.py", "scores": scores}
    (GOLD / name).write_text(json.dumps(gold, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Score both sets and write the numbers down."""
    references, candidates = sample()
    by_image: dict[str, list[str]] = {}
    for image, _, text in references:
        by_image.setdefault(image, []).append(text)
    write("cider_d_sample.json", run(by_image, {image: text for image, _, text in candidates}))
    places = range(max(map(len, IMAGES.values())))
    folds = [run_items([item for item in held_out() if item[1] == place]) for place in places]
    write(
        "cider_d_items.json",
        {"run": run_items(held_out()), "fold": {k: v for fold in folds for k, v in fold.items()}},
    )


if __name__ == "__main__":
    main()
