"""The statistics of global diversity: how varied are the words and sentences of a whole set of captions?"""

from __future__ import annotations

from auditor.statistics.card import Statistic

_MILTENBURG = "van Miltenburg et al. 2018"
_IN_FILE_ORDER = "one walk, in the order of the file"
_SHAIB = "Shaib et al. 2024"

#: In the order in which results show them.
CARDS = (
    Statistic("tokens", "tokens of the captions", f"{_MILTENBURG}, section 2", digits=0),
    Statistic("types", "different tokens", f"{_MILTENBURG}, section 2", digits=0),
    Statistic("asl", "average sentence length: tokens / captions", f"{_MILTENBURG}, section 2"),
    Statistic("sdsl", "standard deviation of sentence length, of the population", f"{_MILTENBURG}, section 2"),
    Statistic(
        "ttr-1",
        "mean segmental type-token ratio: types / tokens of each whole segment of a walk, the partial last one dropped",
        f"Johnson 1944; {_MILTENBURG}, section 2",
        published=_IN_FILE_ORDER,
        walks=True,
    ),
    Statistic(
        "ttr-2",
        "the same of bigrams, which cross from caption to caption",
        f"{_MILTENBURG}, section 2",
        published=_IN_FILE_ORDER,
        walks=True,
    ),
    Statistic(
        "ttr-3", "the same of trigrams", f"{_MILTENBURG}, code of the paper", published=_IN_FILE_ORDER, walks=True
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
        "sum over n = 1 to 4 of different n-grams / n-grams, within captions (the authors' program lets them cross)",
        _SHAIB,
    ),
    Statistic(
        "self-repetition",
        "mean over captions of ln(1 + in how many other captions their different 4-grams stand, summed)",
        f"Salkar et al. 2022; {_SHAIB}",
    ),
    Statistic(
        "compression-ratio",
        "bytes of the tokens, joined by blanks in the first drawn order / bytes after zlib, level 9",
        _SHAIB,
        published="in the order of the file",
    ),
    Statistic("yule-k", "10,000 (sum over types of their squared frequency - N) / N^2", "Yule 1944", digits=1),
    Statistic("entropy", "Shannon entropy of the token distribution, in bits, by relative frequencies", "Shannon 1948"),
    Statistic(
        "zipf-slope",
        "slope of ln frequency on ln rank, least squares over all types, ranks 1 to V in order of frequency",
        "Zipf 1935",
    ),
    Statistic(
        "top-20",
        "share of the tokens that belong to the most frequent fifth of the types, rounded up",
        f"{_MILTENBURG}, section 1",
    ),
    Statistic(
        "unique",
        "different captions / captions; captions are equal where their tokens are, one without a token is left out",
        f"{_MILTENBURG}, code of the paper",
        published="captions are equal where text.lower().strip('.?!') is",
    ),
    Statistic(
        "novel",
        "share of the captions that are no training caption, duplicates counted; equal as for unique",
        f"{_MILTENBURG}, section 2",
        needs="training",
        published="captions are equal where text.lower().strip('.?!') is: a blank at the end makes a caption novel",
    ),
    Statistic(
        "novel-types",
        "types that the training data does not have",
        f"{_MILTENBURG}, code of the paper",
        needs="training",
        digits=0,
    ),
    Statistic(
        "learnable",
        "types of people's captions that the training data has, of the images in both",
        f"{_MILTENBURG}, equation 1",
        needs="training and evaluation",
        digits=0,
        version=2,
    ),
    Statistic(
        "limit",
        "learnable / types of people's captions, of the images in both",
        f"{_MILTENBURG}, equation 4",
        needs="training and evaluation",
        version=2,
    ),
    Statistic(
        "recalled",
        "learnable types that the captions of the images in both have",
        f"{_MILTENBURG}, equation 2",
        needs="training and evaluation",
        digits=0,
        version=2,
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
            f"share of decile {decile} of the types of people's captions (1: the most frequent tenth) that is recalled",
            f"{_MILTENBURG}, figure 4",
            needs="training and evaluation",
            version=2,
        )
        for decile in range(1, 11)
    ),
)
