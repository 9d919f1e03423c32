"""Golden CIDEr-D scores of the bundled sample, by pycocoevalcap (extra `peers`): `make_gold_cider.py`.

The first caption of each image of sample-narrow is the candidate, the other four are its references. pycocoevalcap takes
its document frequencies from the references of all items, which is idf `dataset` of a system's output.
"""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path

ROOT = Path(__file__).parents[2]
GOLD = ROOT / "tests" / "gold" / "cider_d_sample.json"

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


def main() -> None:
    """Score the sample and write the numbers down."""
    from pycocoevalcap.cider.cider import Cider

    references, candidates = sample()
    by_image: dict[str, list[str]] = {}
    for image, _, text in references:
        by_image.setdefault(image, []).append(text)
    _, scores = Cider().compute_score(by_image, {image: [text] for image, _, text in candidates})
    gold = {
        "made by": f"pycocoevalcap {importlib.metadata.version('pycocoevalcap')}, Cider (which is CIDEr-D, x10)",
        "scores": dict(zip(by_image, map(float, scores), strict=True)),
    }
    GOLD.write_text(json.dumps(gold, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
