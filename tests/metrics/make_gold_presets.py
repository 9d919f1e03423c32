"""Golden rows at every size by pycocoevalcap and sacrebleu (extra `peers`, and Java): `python tests/metrics/make_gold_presets.py`.

Writes `gold/presets.json`: what either program prints of 2 to 40 captions with 1 to 6 references each, a row for each. The
captions are made of the words below, by numbers drawn from the size alone.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

from make_gold_printed import Texts, sacrebleu, tokenized

GOLD = Path(__file__).parents[1] / "gold" / "presets.json"

SIZES, REFERENCES = range(2, 41), range(1, 7)

#: What the captions are of: subject, verb, place.
PHRASES = (
    ("a brown dog", "the puppy", "Two boys", "an old man", "three birds", "A woman in red", "people", "a café's waiter"),
    ("runs", "is running", "sits", "are waiting", "played with a ball", "rides a bike", "looks up, smiling", "reads “news”"),
    ("on grass", "over the wet lawn", "at sea", "near a bus stop", "by the red-brick wall", "in 日本", "outside (at night)"),
)  # fmt: skip

ENDS = (".", "!", "", "", " .", "?")

#: What some captions are instead. A system's can also be empty; an empty reference is rejected when it is ingested.
ODD = ("...", "Dog", "naïve café – déjà vu", "3.5 of 1,000 birds", "THE THE THE THE", "a & b")

_SHARE_ODD = 0.08


def captions(size: int, references: int) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Make so many images with so many references each, and a system's caption of each."""
    draw = Random(f"{size} captions, {references} references")
    images = [f"image {number}" for number in range(size)]
    described = {image: [_caption(draw, ODD) for _ in range(references)] for image in images}
    output = {image: [_caption(draw, ("", *ODD))] for image in images}
    output[images[-1]][0] = output[images[-1]][0] or "a dog"  # pycocoevalcap loses an empty line at the end of a file
    return described, output


def _caption(draw: Random, odd: Sequence[str]) -> str:
    if draw.random() < _SHARE_ODD:
        return _one_of(odd, draw)
    return " ".join(_one_of(phrases, draw) for phrases in PHRASES) + _one_of(ENDS, draw)


def _one_of(texts: Sequence[str], draw: Random) -> str:
    return texts[int(draw.random() * len(texts))]


def rows_of_coco(cases: Sequence[tuple[Texts, Texts]]) -> list[dict[str, float]]:
    """Ask the scorers of pycocoevalcap, tokenizer first, as its `eval.py` does; one METEOR answers for all cases."""
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.meteor.meteor import Meteor
    from pycocoevalcap.rouge.rouge import Rouge

    rows, meteor = [], Meteor()
    for references, candidates in cases:
        with contextlib.redirect_stdout(io.StringIO()):
            gts, res = tokenized(references), tokenized(candidates)
            bleu, _ = Bleu(4).compute_score(gts, res)
            row = {f"Bleu_{n}": float(value) for n, value in enumerate(bleu, 1)}
            for name, scorer in (("METEOR", meteor), ("ROUGE_L", Rouge()), ("CIDEr", Cider())):
                row[name] = float(scorer.compute_score(gts, res)[0])
        rows.append(row)
    return rows


def main() -> None:
    """Score, and write a row for each number of captions and of references."""
    cases = {(size, references): captions(size, references) for size in SIZES for references in REFERENCES}
    coco = rows_of_coco([*cases.values()])
    programs = [f"{name} {importlib.metadata.version(name)}" for name in ("pycocoevalcap", "sacrebleu")]
    rows = [
        {"captions": size, "references": references, "coco": row, "sacrebleu": sacrebleu(*cases[size, references])}
        for (size, references), row in zip(cases, coco, strict=True)
    ]
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    made = json.dumps(f"{', '.join(programs)}; captions: make_gold_presets.py")
    GOLD.write_text(f'{{"made by": {made}, "rows": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
