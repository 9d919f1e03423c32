"""METEOR's matches of two texts: by form, stem, synonym and paraphrase (Denkowski & Lavie 2014, section 2.1).

Every module runs over the whole pair, so two words may have several matches. The matches of a word of the reference are
in the order of METEOR 1.5, which decides between equal alignments: by module, and paraphrases first from the reference,
then from the hypothesis.

Functions take plain arrays, not tuples of them: unpacking a tuple would take longer than the matches of a pair.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditor.compiled import array_part, part
from auditor.metrics.kernels.meteor.search import (
    BITS,
    COLUMNS,
    DISTANCE,
    GAIN,
    HYP,
    HYP_END,
    MODULE,
    MORE_BITS,
    NEXT,
    REF,
    REF_END,
    TOTAL,
)

Numbers = NDArray[np.int32]

Starts = NDArray[np.int64]

Flags = NDArray[np.bool_]

EXACT, STEM, SYNONYM, PARAPHRASE = range(4)

ROWS = 8


class Words(NamedTuple):
    """Properties of distinct words: words are equal if `key` is, and have the same stem if `stem` is.

    The synonyms of word w are `synonym[synonyms[w]:synonyms[w + 1]]`, words of other keys.
    """

    key: Numbers
    stem: Numbers
    is_function: Flags
    synonyms: Starts
    synonym: Numbers


class Texts(NamedTuple):
    """Texts one after another: text t is `words[starts[t]:starts[t + 1]]`."""

    words: Numbers
    starts: Starts


@array_part
def enter(
    links: Numbers, key_head: Numbers, stem_head: Numbers, synonym_head: Numbers, key_next: Numbers, stem_next: Numbers,
    text: Numbers, first: int, last: int, key: Numbers, stem: Numbers, near: Numbers, synonym: Numbers,
) -> Numbers:  # fmt: skip
    """Chain the positions of a hypothesis by key, by stem and by synonym, each chain from first to last.

    `*_head` point to the first position (-1: none), `*_next` to the next. Synonyms point to `links`, rows of a position
    and the next link, which are returned, larger if necessary.
    """
    count = 0
    for at in range(last - 1, first - 1, -1):
        word = text[at]
        key_next[at - first], key_head[key[word]] = key_head[key[word]], at - first
        stem_next[at - first], stem_head[stem[word]] = stem_head[stem[word]], at - first
        for row in range(near[word, 0], near[word, 1]):
            if count == len(links):
                larger = np.empty((2 * count, 2), dtype=np.int32)
                for link in range(count):
                    larger[link, 0], larger[link, 1] = links[link, 0], links[link, 1]
                links = larger
            links[count, 0], links[count, 1] = at - first, synonym_head[synonym[row]]
            synonym_head[synonym[row]] = count
            count += 1
    return links


@part
def leave(
    key_head: Numbers, stem_head: Numbers, synonym_head: Numbers, text: Numbers, first: int, last: int, key: Numbers,
    stem: Numbers, near: Numbers, synonym: Numbers,
) -> None:  # fmt: skip
    """Empty the chains of a hypothesis."""
    for at in range(first, last):
        word = text[at]
        key_head[key[word]] = -1
        stem_head[stem[word]] = -1
        for row in range(near[word, 0], near[word, 1]):
            synonym_head[synonym[row]] = -1


@part
def _add(
    pool: Starts, places: Starts, longest: int, at: int, hyp: int, ref: int, hyp_length: int, ref_length: int,
    module: int,
) -> int:  # fmt: skip
    """Append a match to those that begin at word `ref`, unless the pool is full; return the next free position.

    METEOR adds half a point per word of each side to an integer, and loses the halves.
    """
    if at < len(pool):
        value = 2 if module == EXACT else (hyp_length >> 1) + (ref_length >> 1)
        bits, shift = (1 << hyp_length) - 1, hyp & 63
        pool[at + HYP], pool[at + HYP_END] = hyp, hyp + hyp_length
        pool[at + REF], pool[at + REF_END] = ref, ref + ref_length
        pool[at + GAIN], pool[at + DISTANCE] = value * TOTAL, abs(ref - hyp)
        pool[at + BITS], pool[at + MORE_BITS] = bits << shift, bits >> (64 - shift) if shift + hyp_length > 64 else 0
        pool[at + MODULE], pool[at + NEXT] = module, -1
        if places[ref] < 0:
            places[ref] = at
        else:
            pool[places[longest + ref] + NEXT] = at
        places[longest + ref] = at
        weight = 10 if module == EXACT else 8 if module == SYNONYM else 6
        for word in range(2 * longest + hyp, 2 * longest + hyp + hyp_length):
            places[word] += 1
            places[word + 2 * longest] = max(places[word + 2 * longest], weight)
        for word in range(3 * longest + ref, 3 * longest + ref + ref_length):
            places[word] += 1
            places[word + 2 * longest] = max(places[word + 2 * longest], weight)
        for word in range(ref + 1, ref + ref_length):
            places[6 * longest + word] = places[7 * longest + word] = -1
        places[6 * longest + ref] |= 1 << (hyp & 63)
        if ref + ref_length < longest:
            places[7 * longest + ref + ref_length] |= 1 << ((hyp + hyp_length) & 63)
    return at + COLUMNS


@part
def _is_same(text: Numbers, hyp: int, ref: int, n_words: int, key: Numbers) -> bool:
    at = 0
    while at < n_words and key[text[hyp + at]] == key[text[ref + at]]:
        at += 1
    return at == n_words


@part
def _clear(places: Starts, longest: int, n_hyp: int, n_ref: int) -> None:
    for at in range(n_ref):
        places[at] = -1
        places[3 * longest + at] = places[5 * longest + at] = 0
        places[6 * longest + at] = places[7 * longest + at] = 0
    for at in range(n_hyp):
        places[2 * longest + at] = places[4 * longest + at] = 0


@part
def _paraphrase_hypothesis(
    pool: Starts, places: Starts, longest: int, size: int, ref_head: Numbers, ref_next: Numbers, hyp_first: int,
    hyp_last: int, ref_first: int, position: Numbers, length: Numbers, phrase: Numbers, near: Numbers, target: Numbers,
) -> int:  # fmt: skip
    """Search the reference for the paraphrases of every phrase of the hypothesis."""
    for number in range(hyp_first, hyp_last):
        for row in range(near[phrase[number], 0], near[phrase[number], 1]):
            link = ref_head[target[row]]
            while link >= 0:
                size = _add(
                    pool,
                    places,
                    longest,
                    size,
                    position[number],
                    position[link],
                    length[number],
                    length[link],
                    PARAPHRASE,
                )
                link = ref_next[link - ref_first]
    return size


@part
def _fix(pool: Starts, places: Starts, fixed: Flags, longest: int, n_ref: int) -> None:
    """Mark the matches that no other match overlaps on either side."""
    for at in range(n_ref):
        only = places[at]
        alone = only >= 0 and pool[only + NEXT] < 0
        if alone:
            for word in range(2 * longest + pool[only + HYP], 2 * longest + pool[only + HYP_END]):
                alone = alone and places[word] == 1
            for word in range(3 * longest + at, 3 * longest + pool[only + REF_END]):
                alone = alone and places[word] == 1
        fixed[at] = alone


@part
def find(
    pool: Starts, places: Starts, fixed: Flags, longest: int,
    links: Numbers, key_head: Numbers, stem_head: Numbers, synonym_head: Numbers, key_next: Numbers, stem_next: Numbers,
    text: Numbers, hyp: int, n_hyp: int, ref: int, n_ref: int, key: Numbers, stem: Numbers,
    hyp_head: Numbers, hyp_next: Numbers, ref_head: Numbers, ref_next: Numbers, hyp_first: int, hyp_last: int,
    ref_first: int, ref_last: int, position: Numbers, length: Numbers, phrase: Numbers, near: Numbers, target: Numbers,
) -> int:  # fmt: skip
    """Find all matches of a pair of texts, and those that no other match overlaps on either side (`fixed`).

    `hyp` and `ref` are the starts of the texts in `text`, `*_first` and `*_last` bound their occurrences of phrases;
    all are chained. `places` becomes ROWS rows of `longest` numbers: the first matches by word of the reference (-1:
    none), and the last ones; the number of matches that cover each word of the hypothesis, and of the reference; ten
    times the largest weight of these, for either. By word of the reference, the last two rows are bits of positions in
    the hypothesis modulo 64: where matches that begin at the word begin, and where matches that end before it end (-1:
    one continues). Returns the size of the matches in `pool`: if it is smaller, call again with a larger one.
    """
    _clear(places, longest, n_hyp, n_ref)
    identical = n_hyp == n_ref and _is_same(text, hyp, ref, n_ref, key)
    size, item = 0, ref_first
    for at in range(n_ref):
        word = text[ref + at]
        link = key_head[key[word]]
        while link >= 0:
            size = _add(pool, places, longest, size, link, at, 1, 1, EXACT)
            link = key_next[link]
        if identical:
            continue
        link = stem_head[stem[word]]
        while link >= 0:
            if key[text[hyp + link]] != key[word]:
                size = _add(pool, places, longest, size, link, at, 1, 1, STEM)
            link = stem_next[link]
        link = synonym_head[word]
        while link >= 0:
            size = _add(pool, places, longest, size, links[link, 0], at, 1, 1, SYNONYM)
            link = links[link, 1]
        while item < ref_last and position[item] == at:
            for row in range(near[phrase[item], 0], near[phrase[item], 1]):
                link = hyp_head[target[row]]
                while link >= 0:
                    size = _add(pool, places, longest, size, position[link], at, length[link], length[item], PARAPHRASE)
                    link = hyp_next[link - hyp_first]
            item += 1
    if not identical:
        size = _paraphrase_hypothesis(
            pool, places, longest, size, ref_head, ref_next, hyp_first, hyp_last, ref_first, position, length, phrase,
            near, target,
        )  # fmt: skip
    if size <= len(pool):
        _fix(pool, places, fixed, longest, n_ref)
    return size
