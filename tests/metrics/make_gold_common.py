"""Golden rows on some images, by pycocoevalcap (extra `peers`, and Java): `python tests/metrics/make_gold_common.py`.

Writes `gold/common.json`: the captions of `make_gold_printed.py` by the program. `common`: it gets the images `SOME` only,
so CIDEr's document frequencies are theirs. `empty`: it gets all images, and empty captions for the others.
"""

from __future__ import annotations

import importlib.metadata
import json

from make_gold_printed import CAPTIONS, GOLD, Texts, coco

#: The images that the second system describes.
SOME = ("2", "3", "5", "6", "9")


def main() -> None:
    """Score, and write the numbers down."""
    references: Texts = {image: some for image, (some, _, _) in CAPTIONS.items()}
    few: Texts = {image: references[image] for image in SOME}
    rows = {"made by": f"pycocoevalcap {importlib.metadata.version('pycocoevalcap')}", "common": {}, "empty": {}}
    for at, name in enumerate(("first", "second"), 1):
        said = {image: str(one[at]) for image, one in CAPTIONS.items()}
        rows["common"][name] = coco(few, {image: [said[image]] for image in SOME})
        rows["empty"][name] = coco(references, {image: [said[image] if image in SOME else ""] for image in references})
    (GOLD.parent / "common.json").write_text(f"{json.dumps(rows, indent=1)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
