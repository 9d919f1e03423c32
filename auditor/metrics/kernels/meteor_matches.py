"""METEOR's matches of two texts: by form, stem, synonym and paraphrase (Denkowski & Lavie 2014, section 2.1).

Every module runs over the whole pair, so that two words may be matched several times over. The matches of a word of the
reference stand in the order of METEOR 1.5, since it decides between equal alignments: by module, and paraphrases first
from the reference's side, then from the hypothesis's.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from auditor.metrics.kernels.meteor_phrases import Occurrences, Paraphrases
from auditor.metrics.kernels.meteor_search import (
    EXACT,
    HYP,
    HYP_LENGTH,
    MODULE,
    NEXT,
    PARAPHRASE,
    REF,
    REF_LENGTH,
    STEM,
    SYNONYM,
)

Numbers = NDArray[np.int32]
Starts = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Words(NamedTuple):
    """What each distinct word is: words are equal where `key` is, have the same stem where `stem` is.

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


class Index(NamedTuple):
    """Where a hypothesis has what: chains of places, by key, by stem, by synonym; chains of occurrences by phrase.

    `*_head` lead to the first link (-1: none); in the other columns a link leads to the next. The last two are for the
    occurrences of one reference.
    """

    key_head: Numbers
    key_next: Numbers
    stem_head: Numbers
    stem_next: Numbers
    synonym_head: Numbers
    phrase_head: Numbers
    phrase_next: Numbers
    reference_head: Numbers
    reference_next: Numbers


class Local(NamedTuple):
    """The paraphrases that occur among the texts of one image: those of phrase p are `target[first[p]:last[p]]`."""

    group: Starts
    first: Starts
    last: Starts
    target: Numbers


class Found(NamedTuple):
    """Matches by the word of the reference at which they begin, and how many cover each word of either side."""

    head: Numbers
    tail: Numbers
    fixed: Flags
    hyp_cover: Numbers
    ref_cover: Numbers
    size: Starts


@njit(cache=True, nogil=True)
def _add(pool: Numbers, found: Found, hyp: int, ref: int, hyp_length: int, ref_length: int, module: int) -> Numbers:
    """Append a match to those that begin at word `ref`; gives the pool, a larger one where it was full."""
    at = found.size[0]
    if at == len(pool):
        larger = np.empty((2 * at, pool.shape[1]), dtype=pool.dtype)
        larger[:at] = pool
        pool = larger
    row = pool[at]
    row[HYP], row[REF], row[HYP_LENGTH], row[REF_LENGTH] = hyp, ref, hyp_length, ref_length
    row[MODULE], row[NEXT] = module, -1
    if found.head[ref] < 0:
        found.head[ref] = at
    else:
        pool[found.tail[ref], NEXT] = at
    found.tail[ref] = at
    found.size[0] = at + 1
    for word in range(hyp, hyp + hyp_length):
        found.hyp_cover[word] += 1
    for word in range(ref, ref + ref_length):
        found.ref_cover[word] += 1
    return pool


@njit(cache=True, nogil=True)
def _match_words(
    pool: Numbers, found: Found, links: Numbers, index: Index, words: Words, hyp: Numbers, word: int, place: int
) -> Numbers:
    """Match one word of the reference by stem and by synonym."""
    link = index.stem_head[words.stem[word]]
    while link >= 0:
        if words.key[hyp[link]] != words.key[word]:
            pool = _add(pool, found, link, place, 1, 1, STEM)
        link = index.stem_next[link]
    link = index.synonym_head[word]
    while link >= 0:
        pool = _add(pool, found, links[link, 0], place, 1, 1, SYNONYM)
        link = links[link, 1]
    return pool


@njit(cache=True, nogil=True)
def _paraphrase_reference(
    pool: Numbers, found: Found, index: Index, local: Local, phrases: Occurrences, one: int, hyp_first: int
) -> Numbers:
    """Look in the hypothesis for the paraphrases of one phrase of the reference."""
    source, place, length = phrases.phrase[one], phrases.place[one], phrases.length[one]
    for row in range(local.first[source], local.last[source]):
        link = index.phrase_head[local.target[row]]
        while link >= 0:
            pool = _add(pool, found, phrases.place[link], place, phrases.length[link], length, PARAPHRASE)
            link = index.phrase_next[link - hyp_first]
    return pool


@njit(cache=True, nogil=True)
def _paraphrase_hypothesis(
    pool: Numbers, found: Found, index: Index, local: Local, phrases: Occurrences, hyp_text: int, ref_text: int
) -> Numbers:
    """Look in the reference for the paraphrases of every phrase of the hypothesis."""
    head, following = index.reference_head, index.reference_next
    first, last = phrases.starts[ref_text], phrases.starts[ref_text + 1]
    for one in range(last - 1, first - 1, -1):
        following[one - first] = head[phrases.phrase[one]]
        head[phrases.phrase[one]] = one
    for one in range(phrases.starts[hyp_text], phrases.starts[hyp_text + 1]):
        source, place, length = phrases.phrase[one], phrases.place[one], phrases.length[one]
        for row in range(local.first[source], local.last[source]):
            link = head[local.target[row]]
            while link >= 0:
                pool = _add(pool, found, place, phrases.place[link], length, phrases.length[link], PARAPHRASE)
                link = following[link - first]
    for one in range(first, last):
        head[phrases.phrase[one]] = -1
    return pool


@njit(cache=True, nogil=True)
def _fix(pool: Numbers, found: Found, n_ref: int) -> None:
    """Tell the matches apart that no other match overlaps on either side."""
    for place in range(n_ref):
        only = found.head[place]
        fixed = only >= 0 and pool[only, NEXT] < 0
        if fixed:
            for word in range(pool[only, HYP], pool[only, HYP] + pool[only, HYP_LENGTH]):
                fixed = fixed and found.hyp_cover[word] == 1
            for word in range(place, place + pool[only, REF_LENGTH]):
                fixed = fixed and found.ref_cover[word] == 1
        found.fixed[place] = fixed


@njit(cache=True, nogil=True)
def match_texts(
    pool: Numbers, found: Found, links: Numbers, index: Index, local: Local, words: Words, texts: Texts,
    phrases: Occurrences, hyp_text: int, ref_text: int,
) -> Numbers:  # fmt: skip
    """Find every match of a pair of texts, and those that are the only ones where they stand; gives their pool.

    `links` are the chains of synonyms that `enter` made of the hypothesis.
    """
    hyp = texts.words[texts.starts[hyp_text] : texts.starts[hyp_text + 1]]
    ref = texts.words[texts.starts[ref_text] : texts.starts[ref_text + 1]]
    n_hyp, n_ref = len(hyp), len(ref)
    found.head[:n_ref] = -1
    found.hyp_cover[:n_hyp] = 0
    found.ref_cover[:n_ref] = 0
    found.size[0] = 0
    identical = n_hyp == n_ref
    for place in range(n_ref if identical else 0):
        identical = identical and words.key[hyp[place]] == words.key[ref[place]]
    at, last = phrases.starts[ref_text], phrases.starts[ref_text + 1]
    for place in range(n_ref):
        link = index.key_head[words.key[ref[place]]]
        while link >= 0:
            pool = _add(pool, found, link, place, 1, 1, EXACT)
            link = index.key_next[link]
        if not identical:
            pool = _match_words(pool, found, links, index, words, hyp, ref[place], place)
            while at < last and phrases.place[at] == place:
                pool = _paraphrase_reference(pool, found, index, local, phrases, at, phrases.starts[hyp_text])
                at += 1
    if not identical:
        pool = _paraphrase_hypothesis(pool, found, index, local, phrases, hyp_text, ref_text)
    _fix(pool, found, n_ref)
    return pool


@njit(cache=True, nogil=True)
def enter(index: Index, links: Numbers, words: Words, texts: Texts, phrases: Occurrences, text: int) -> Numbers:
    """Fill the index with a hypothesis, last place first, so that chains lead from the first place to the last."""
    start = texts.starts[text]
    count = 0
    for place in range(texts.starts[text + 1] - start - 1, -1, -1):
        word = texts.words[start + place]
        key, stem = words.key[word], words.stem[word]
        index.key_next[place], index.key_head[key] = index.key_head[key], place
        index.stem_next[place], index.stem_head[stem] = index.stem_head[stem], place
        for row in range(words.synonyms[word], words.synonyms[word + 1]):
            if count == len(links):
                larger = np.empty((2 * count, 2), dtype=links.dtype)
                larger[:count] = links
                links = larger
            other = words.synonym[row]
            links[count, 0], links[count, 1] = place, index.synonym_head[other]
            index.synonym_head[other] = count
            count += 1
    first = phrases.starts[text]
    for one in range(phrases.starts[text + 1] - 1, first - 1, -1):
        phrase = phrases.phrase[one]
        index.phrase_next[one - first], index.phrase_head[phrase] = index.phrase_head[phrase], one
    return links


@njit(cache=True, nogil=True)
def leave(index: Index, words: Words, texts: Texts, phrases: Occurrences, text: int) -> None:
    """Empty the index of a hypothesis."""
    for word in texts.words[texts.starts[text] : texts.starts[text + 1]]:
        index.key_head[words.key[word]] = -1
        index.stem_head[words.stem[word]] = -1
        index.synonym_head[words.synonym[words.synonyms[word] : words.synonyms[word + 1]]] = -1
    for one in range(phrases.starts[text], phrases.starts[text + 1]):
        index.phrase_head[phrases.phrase[one]] = -1


@njit(cache=True, nogil=True)
def gather(
    local: Local, group: int, members: Starts, phrases: Occurrences, paraphrases: Paraphrases
) -> None:  # fmt: skip
    """Keep, of the paraphrases of all phrases in some texts, those that are in one of them."""
    for text in members:
        for one in range(phrases.starts[text], phrases.starts[text + 1]):
            local.group[phrases.phrase[one]] = group
            local.first[phrases.phrase[one]] = -1
    count = 0
    for text in members:
        for one in range(phrases.starts[text], phrases.starts[text + 1]):
            phrase = phrases.phrase[one]
            if local.first[phrase] < 0:
                local.first[phrase] = count
                for row in range(paraphrases.targets[phrase], paraphrases.targets[phrase + 1]):
                    if local.group[paraphrases.target[row]] == group:
                        local.target[count] = paraphrases.target[row]
                        count += 1
                local.last[phrase] = count
