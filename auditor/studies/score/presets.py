"""The scores that other programs print for a system's output: their metrics, tokens and scales."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from auditor.metrics import bleu, chrf, cider, meteor, ter
from auditor.metrics.rouge import subsequences
from auditor.metrics.together import Together, mean_of


@dataclass(frozen=True)
class Printed:
    """One number that a program prints: its name, metric, tokenizer and scale."""

    name: str
    metric: str
    tokenizer: str
    together: Together
    scale: int = 1


@dataclass(frozen=True)
class Preset:
    """A program that scores outputs: its numbers, decimals, signatures, and a note on outputs with gaps, if any."""

    program: str
    printed: tuple[Printed, ...]
    digits: int
    signed: Mapping[str, str]
    on_some: str = ""


_COCO = (
    *(Printed(f"Bleu_{n}", f"bleu-{n}:smooth=coco", "ptb", bleu.TOGETHER) for n in range(1, 5)),
    Printed("METEOR", "meteor", "ptb", meteor.TOGETHER),
    Printed("ROUGE_L", "rouge-l:aggregate=coco,beta=1.2,ascii=false", "ptb", mean_of(subsequences.score_as_coco)),
    Printed("CIDEr", "cider-d:scale=x10", "ptb", mean_of(cider.score)),
)

_SACREBLEU = (
    Printed("BLEU", "bleu-4:smooth=exp", "13a", bleu.TOGETHER, 100),
    Printed("chrF2", "chrf:scale=x100", "whitespace", chrf.TOGETHER),
    Printed("TER", "ter", "whitespace", ter.TOGETHER, 100),
)

PRESETS: Mapping[str, Preset] = {
    "coco": Preset(
        "pycocoevalcap 1.2",
        _COCO,
        3,
        {},
        "pycocoevalcap takes CIDEr's document frequencies from the images that it is given. Given the described images "
        "of a system, it prints own_value. Given all images, and empty captions, it prints what --missing empty does",
    ),
    "sacrebleu": Preset(
        "sacrebleu 2.6",
        _SACREBLEU,
        1,
        {
            "BLEU": "case:mixed|eff:no|tok:13a|smooth:exp",
            "chrF2": "case:mixed|eff:yes|nc:6|nw:0|space:no",
            "TER": "case:lc|tok:tercom|norm:no|punct:yes|asian:no",
        },
    ),
}
