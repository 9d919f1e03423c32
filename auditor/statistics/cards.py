"""The cards of diversity statistics: definition, source and needs of each.

Global statistics measure how varied the words and sentences of a whole set of captions are. Local statistics compare
captions of the same image: a system's with human captions, and human captions with each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

#: The data that a statistic needs: the captions alone, training data, human captions for evaluation, both, or images
#: with several captions.
Needs = Literal["captions", "training", "evaluation", "training and evaluation", "several captions of an image"]


@dataclass(frozen=True)
class Statistic:
    """A statistic's card.

    `definition` is what it counts. `published` is how the definition of the paper's code differs, null if it does not.
    `lowest` and `highest` are the ends of its range, infinite if it has none; most are shares. `walks` marks a
    statistic that depends on the order of the captions. `digits` is the number of decimals in tables. `version` grows
    when the same captions get another number.
    """

    name: str
    definition: str
    source: str
    needs: Needs = "captions"
    published: str | None = None
    lowest: float = 0.0
    highest: float = 1.0
    walks: bool = False
    digits: int = 4
    version: int = 1


_MILTENBURG = "van Miltenburg et al. 2018"

_IN_FILE_ORDER = "one walk, in the order of the file"

_SHAIB = "Shaib et al. 2024"

#: In the order in which results show them.
GLOBAL = (
    Statistic("tokens", "tokens of the captions", f"{_MILTENBURG}, section 2", digits=0, highest=math.inf),
    Statistic("types", "different tokens", f"{_MILTENBURG}, section 2", digits=0, highest=math.inf),
    Statistic("asl", "average sentence length: tokens / captions", f"{_MILTENBURG}, section 2", highest=math.inf),
    Statistic(
        "sdsl",
        "standard deviation of sentence length, of the population",
        f"{_MILTENBURG}, section 2",
        highest=math.inf,
    ),
    Statistic(
        "ttr-1",
        "mean segmental type-token ratio: types / tokens of each whole segment of a walk, the partial last one dropped",
        f"Johnson 1944; {_MILTENBURG}, section 2",
        published=_IN_FILE_ORDER,
        walks=True,
    ),
    Statistic(
        "ttr-2",
        "the same for bigrams, which may cross captions",
        f"{_MILTENBURG}, section 2",
        published=_IN_FILE_ORDER,
        walks=True,
    ),
    Statistic(
        "ttr-3", "the same for trigrams", f"{_MILTENBURG}, code of the paper", published=_IN_FILE_ORDER, walks=True
    ),
    Statistic(
        "ttr-10000",
        "types among the first 10,000 tokens / 10,000",
        f"{_MILTENBURG}, code of the paper",
        published=_IN_FILE_ORDER,
        walks=True,
    ),
    Statistic(
        "ttr-100000",
        "types among the first 100,000 tokens / 100,000",
        f"{_MILTENBURG}, code of the paper",
        published=_IN_FILE_ORDER,
        walks=True,
    ),
    Statistic(
        "mattr",
        "moving-average type-token ratio: mean over every window of 500 tokens",
        "Covington & McFall 2010",
        published=_IN_FILE_ORDER,
        walks=True,
    ),
    Statistic(
        "mtld",
        "tokens / stretches after which the type-token ratio falls below 0.72, mean of a walk forward and one back",
        "McCarthy & Jarvis 2010",
        published=_IN_FILE_ORDER,
        walks=True,
        digits=1,
        highest=math.inf,
    ),
    Statistic(
        "hd-d",
        "expected type-token ratio of 42 tokens drawn without replacement (hypergeometric)",
        "McCarthy & Jarvis 2007",
    ),
    Statistic("distinct-1", "types / tokens", "Li et al. 2016, section 5"),
    Statistic("distinct-2", "different bigrams within captions / tokens", "Li et al. 2016, section 5"),
    Statistic(
        "ngram-diversity",
        "sum over n = 1 to 4 of different n-grams / n-grams, within captions (in the authors' program they cross)",
        _SHAIB,
        highest=4.0,
    ),
    Statistic(
        "self-repetition",
        "mean over captions of ln(1 + number of other captions that contain each of its different 4-grams, summed)",
        f"Salkar et al. 2022; {_SHAIB}",
        highest=math.inf,
    ),
    Statistic(
        "compression-ratio",
        "bytes of the tokens, joined by spaces in the first random order / bytes after zlib, level 9",
        _SHAIB,
        published="in the order of the file",
        highest=math.inf,
    ),
    Statistic(
        "yule-k", "10,000 (sum over types of their squared frequency - N) / N^2", "Yule 1944", digits=1, highest=1e4
    ),
    Statistic(
        "entropy",
        "Shannon entropy of the token distribution, in bits, by relative frequencies",
        "Shannon 1948",
        highest=math.inf,
    ),
    Statistic(
        "zipf-slope",
        "slope of ln frequency on ln rank, least squares over all types, ranks 1 to V in order of frequency",
        "Zipf 1935",
        lowest=-math.inf,
        highest=0.0,
    ),
    Statistic(
        "top-20",
        "share of the tokens that belong to the most frequent fifth of the types, rounded up",
        f"{_MILTENBURG}, section 1",
    ),
    Statistic(
        "unique",
        "different captions / captions; captions are equal if their tokens are; one without a token is left out",
        f"{_MILTENBURG}, code of the paper",
        published="captions are equal if text.lower().strip('.?!') is",
    ),
    Statistic(
        "sameness",
        "sum over words of df (df - 1) / ((n - 1) sum of df); df of n captions have a word: the words that two captions"
        " share, as a share of the words of one; not agreement, which is between annotators of one image",
        "mean overlap of two captions, from a table of words alone",
    ),
    Statistic(
        "novel",
        "share of the captions that are not a training caption, duplicates counted; equal as for unique",
        f"{_MILTENBURG}, section 2",
        needs="training",
        published="captions are equal if text.lower().strip('.?!') is: a space at the end makes a caption novel",
    ),
    Statistic(
        "novel-types",
        "types that the training data does not have",
        f"{_MILTENBURG}, code of the paper",
        needs="training",
        digits=0,
        highest=math.inf,
    ),
    Statistic(
        "learnable",
        "types of human captions that the training data has, for the images in both",
        f"{_MILTENBURG}, equation 1",
        needs="training and evaluation",
        digits=0,
        version=2,
        highest=math.inf,
    ),
    Statistic(
        "limit",
        "learnable / types of human captions, for the images in both",
        f"{_MILTENBURG}, equation 4",
        needs="training and evaluation",
        version=2,
    ),
    Statistic(
        "recalled",
        "learnable types that the captions have, for the images in both",
        f"{_MILTENBURG}, equation 2",
        needs="training and evaluation",
        digits=0,
        version=2,
        highest=math.inf,
    ),
    Statistic(
        "coverage",
        "recalled / learnable",
        f"{_MILTENBURG}, equation 3",
        needs="training and evaluation",
        version=2,
    ),
    *(
        Statistic(
            f"coverage-decile-{decile}",
            f"share of decile {decile} of the types of human captions (1: the most frequent tenth) that is recalled",
            f"{_MILTENBURG}, figure 4",
            needs="training and evaluation",
            version=2,
        )
        for decile in range(1, 11)
    ),
)

_LOCAL = "van Miltenburg et al. 2018, section 3.2"

_PRECISION = "van Miltenburg et al. 2018, section 5.1"

_WITHIN = "van Miltenburg et al. 2018, section 1"

_MBLEU = _WITHIN

#: The importance classes that are always listed: those of five captions per image.
CLASSES = 5

#: In the order in which results show them.
LOCAL = (
    *(
        Statistic(
            f"recall-{importance}",
            f"share of the content words in {importance} of an image's human captions that the system's caption of the"
            " image has: totals over images",
            _LOCAL,
            needs="evaluation",
        )
        for importance in range(1, CLASSES + 1)
    ),
    Statistic(
        "recall-majority",
        "share of the content words in 3 or more of an image's human captions that the system's caption of the image"
        " has: totals over images",
        _LOCAL,
        needs="evaluation",
    ),
    Statistic(
        "precision",
        "share of the content words of the system's captions that a human caption of the image has",
        _PRECISION,
        needs="evaluation",
    ),
    Statistic(
        "precision-all-words",
        "share of all words of the system's captions that a human caption of the image has",
        _PRECISION,
        needs="evaluation",
    ),
    *(
        Statistic(
            f"mbleu-{order}",
            f"mean over images of the mean BLEU-{order} of their captions, each against the others: higher means"
            " more similar",
            _MBLEU,
            needs="several captions of an image",
        )
        for order in range(1, 5)
    ),
    *(
        Statistic(
            f"div-{order}",
            f"different {grams} within an image's captions / their words: mean over images with two or more captions",
            "Shetty et al. 2017, table 4 (Div-1, Div-2)",
            needs="several captions of an image",
        )
        for order, grams in ((1, "words"), (2, "bigrams"))
    ),
    Statistic(
        "image-types",
        "different words of an image's captions: mean over images",
        _WITHIN,
        needs="several captions of an image",
        digits=1,
        highest=math.inf,
    ),
    Statistic(
        "image-content-types",
        "different content words of an image's captions: mean over images",
        _WITHIN,
        needs="several captions of an image",
        digits=1,
        highest=math.inf,
    ),
    Statistic(
        "image-ttr",
        "different words of an image's captions / their tokens: totals over images",
        _WITHIN,
        needs="several captions of an image",
    ),
)

#: Every statistic of a dataset version by name, in the order of results.
STATISTICS: Mapping[str, Statistic] = {card.name: card for card in (*GLOBAL, *LOCAL)}
