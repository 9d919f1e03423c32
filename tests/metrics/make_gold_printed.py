"""Golden rows by pycocoevalcap and sacrebleu (extra `peers`, and Java): `python tests/metrics/make_gold_printed.py [DATA]`.

Writes `gold/printed.json`: what either program prints of the captions below, and what pycocoevalcap says of COCO's val2017
against two systems where DATA, the folder of the real datasets, is named. Where these datasets hold captions that the
program tokenizes by the caption after them, or as tokens with a blank inside, it is asked again without their images.
"""

from __future__ import annotations

import contextlib
import gzip
import importlib.metadata
import io
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

GOLD = Path(__file__).parents[1] / "gold" / "printed.json"

#: Captions of each image, and what two systems say of it.
CAPTIONS: Mapping[str, tuple[list[str], str, str]] = {
    "1": (["A brown dog runs over wet grass.", "The dog is running outside, fast!"], "a dog runs on grass", "A dog."),
    "2": (["Two boys in red shirts", "A pair of boys play", "boys"], "two boys playing", "Two boys in red shirts"),
    "3": (["A woman's letter: \"hello\"", "a woman reads a letter on a bench"], "a woman reading a letter", "letter"),
    "4": (["A man rides a horse along the beach.", "Horse and rider at sea"], "a man rides a horse along a beach .", "a"),
    "5": (["People wait for a green bus; it's late", "some people wait"], "people waiting at a bus stop.", "bus bus bus"),
    "6": (["Blue umbrellas over café tables (3 of them)", "tables of a café"], "umbrellas over tables", "a café & tables"),
    "7": (["someone stands by a well-known red door", "a red-door"], " ", "a red door..."),
    "8": (["three birds over water, 1,000 feet up", "birds"], "nothing alike here at all", "3 birds, over 1.5 m of water"),
    "9": (["日本 town in the rain", "a wet street in japan"], "a street in the rain", "日本"),
}  # fmt: skip

#: Images of val2017 whose captions the program tokenizes by their neighbors, or with a blank inside a token.
SYSTEMS = {"vinyals2017": "Vinyals-et-al-2017", "liu2017": "Liu-et-al-2017"}

Texts = dict[Any, list[str]]


def coco(references: Texts, candidates: Texts) -> dict[str, float]:
    """Ask the scorers of pycocoevalcap, tokenizer first, as its `eval.py` does."""
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.meteor.meteor import Meteor
    from pycocoevalcap.rouge.rouge import Rouge

    with contextlib.redirect_stdout(io.StringIO()):
        gts, res = tokenized(references), tokenized(candidates)
        bleu, _ = Bleu(4).compute_score(gts, res)
        row = {f"Bleu_{n}": float(value) for n, value in enumerate(bleu, 1)}
        for name, scorer in (("METEOR", Meteor()), ("ROUGE_L", Rouge()), ("CIDEr", Cider())):
            row[name] = float(scorer.compute_score(gts, res)[0])
    return row


def tokenized(texts: Texts) -> Texts:
    """Tokenize as pycocoevalcap does."""
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    return PTBTokenizer().tokenize({image: [{"caption": text} for text in some] for image, some in texts.items()})


def sacrebleu(references: Texts, candidates: Texts) -> dict[str, float]:
    """Ask sacrebleu, with its defaults."""
    from sacrebleu.metrics import BLEU, CHRF, TER

    most = max(map(len, references.values()))
    streams = [[some[at] if at < len(some) else None for some in references.values()] for at in range(most)]
    said = [text for (text,) in candidates.values()]
    return {
        scorer.corpus_score(said, streams).name: scorer.corpus_score(said, streams).score
        for scorer in (BLEU(), CHRF(), TER())
    }


def by_neighbors(references: Texts) -> list[Any]:
    """List the images of which a caption gets other tokens from the program beside its neighbors than from us."""
    import polars as pl

    from auditor.text import ptb

    theirs = tokenized(references)
    ours = {
        image: ptb.tokenize(pl.Series(some, dtype=pl.String)).list.join(" ").to_list()
        for image, some in references.items()
    }
    return [image for image in references if theirs[image] != ours[image]]


def of_datasets(data: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Ask pycocoevalcap of val2017 and each system."""
    with gzip.open(data / "coco-val2014" / "captions_val2017.json.gz") as file:
        published = json.load(file)
    references: Texts = {image["id"]: [] for image in published["images"]}
    for one in published["annotations"]:
        references[one["image_id"]].append(one["caption"])
    for name, folder in SYSTEMS.items():
        (path,) = (data / "measure-diversity-systems" / folder).glob("*.json.gz")
        with gzip.open(path) as file:
            said = {one["image_id"]: [one["caption"]] for one in json.load(file)}
        candidates = {image: said[image] for image in references}
        odd = sorted({*by_neighbors(references), *by_neighbors(candidates)})
        rest = {image: some for image, some in references.items() if image not in odd}
        yield (
            name,
            {
                "all": coco(references, candidates),
                "left out": [str(image) for image in odd],
                "rest": coco(rest, {image: candidates[image] for image in rest}),
            },
        )


def main() -> None:
    """Score, and write the numbers down."""
    references: Texts = {image: some for image, (some, _, _) in CAPTIONS.items()}
    rows: dict[str, Any] = {}
    for at, name in enumerate(("first", "second"), 1):
        candidates: Texts = {image: [one[at]] for image, one in CAPTIONS.items()}
        rows[name] = {"coco": coco(references, candidates), "sacrebleu": sacrebleu(references, candidates)}
    programs = [f"{name} {importlib.metadata.version(name)}" for name in ("pycocoevalcap", "sacrebleu")]
    made = f"{', '.join(programs)}; captions: CAPTIONS of make_gold_printed.py, and COCO val2017 with published systems"
    real = dict(of_datasets(Path(sys.argv[1]))) if len(sys.argv) > 1 else {}
    gold = {"made by": made, "captions": rows, "coco-val2017": real}
    GOLD.write_text(json.dumps(gold, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
