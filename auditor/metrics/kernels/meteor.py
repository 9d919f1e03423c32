"""METEOR 1.5 (Denkowski & Lavie 2014) for whole columns: matches, alignment and score of every pair, one after another.

Hypothesis is the candidate, reference the text it is put against; METEOR is not symmetric. The order in which matches
are found is part of the definition, since it decides between equal alignments.
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
    paths,
    search,
)

MODULES = 4
#: Columns of the statistics, as METEOR prints them: words of the hypothesis and of the reference, function words of
#: each; for each module the content words it matches in either, then the function words; last the chunks.
CHUNKS = 4 + 4 * MODULES
ALPHA, BETA, GAMMA, DELTA = 0.85, 0.2, 0.6, 0.75
WEIGHTS = (1.0, 0.6, 0.8, 0.6)

Numbers = NDArray[np.int32]
Starts = NDArray[np.int64]
Flags = NDArray[np.bool_]
Statistics = NDArray[np.int64]
Scores = NDArray[np.float64]


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


class Pairs(NamedTuple):
    """Candidates and references as numbers of texts; the references of candidate c are `first[c]` to `last[c] - 1`.

    `held[c]` is left out of them (-1: none is). Candidates with the same references stand together.
    """

    candidates: Starts
    references: Starts
    first: Starts
    last: Starts
    held: Starts


class _Index(NamedTuple):
    """Where a hypothesis has what: chains of places, by key, by stem, by synonym; chains of occurrences by phrase.

    `*_head` lead to the first link (-1: none); in the other columns a link leads to the next.
    """

    key_head: Numbers
    key_next: Numbers
    stem_head: Numbers
    stem_next: Numbers
    synonym_head: Numbers
    phrase_head: Numbers
    phrase_next: Numbers


class _Local(NamedTuple):
    """The paraphrases that occur among the texts of one image: those of phrase p are `target[first[p]:last[p]]`."""

    group: Starts
    first: Starts
    last: Starts
    target: Numbers


class _Found(NamedTuple):
    """Matches by the word of the reference at which they begin, and how many cover each word of either side."""

    head: Numbers
    tail: Numbers
    fixed: Flags
    hyp_cover: Numbers
    ref_cover: Numbers
    count: Starts


@njit(cache=True, nogil=True, error_model="numpy")
def score_of(statistics: Statistics) -> float:
    """Score statistics of a pair, or sums of them (Denkowski & Lavie 2014, section 2.2). 0 where nothing matches."""
    matched_hyp, matched_ref = 0, 0
    weighted_hyp, weighted_ref = 0.0, 0.0
    for module in range(MODULES):
        at = 4 + 4 * module
        matched_hyp += statistics[at] + statistics[at + 2]
        matched_ref += statistics[at + 1] + statistics[at + 3]
        weighted_hyp += statistics[at] * WEIGHTS[module] * DELTA
        weighted_ref += statistics[at + 1] * WEIGHTS[module] * DELTA
    for module in range(MODULES):
        at = 4 + 4 * module
        weighted_hyp += statistics[at + 2] * WEIGHTS[module] * (1 - DELTA)
        weighted_ref += statistics[at + 3] * WEIGHTS[module] * (1 - DELTA)
    n_hyp, n_ref, function_hyp, function_ref = statistics[0], statistics[1], statistics[2], statistics[3]
    precision = weighted_hyp / (DELTA * (n_hyp - function_hyp) + (1 - DELTA) * function_hyp)
    recall = weighted_ref / (DELTA * (n_ref - function_ref) + (1 - DELTA) * function_ref)
    mean = 1 / ((1 - ALPHA) / precision + ALPHA / recall)
    chunks = statistics[CHUNKS]
    if matched_hyp == n_hyp and matched_ref == n_ref and chunks == 1:
        fragmentation = 0.0
    else:
        fragmentation = chunks / ((matched_hyp + matched_ref) / 2)
    score = mean * (1 - GAMMA * fragmentation**BETA)
    return score if score > 0 else 0.0  # not a number, where nothing is matched, is 0


@njit(cache=True, nogil=True)
def _add(pool: Numbers, found: _Found, hyp: int, ref: int, hyp_length: int, ref_length: int, module: int) -> Numbers:
    """Append a match to those that begin at word `ref`; gives the pool, a larger one where it was full."""
    at = found.count[0]
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
    found.count[0] = at + 1
    for word in range(hyp, hyp + hyp_length):
        found.hyp_cover[word] += 1
    for word in range(ref, ref + ref_length):
        found.ref_cover[word] += 1
    return pool


@njit(cache=True, nogil=True)
def _match(
    pool: Numbers, found: _Found, links: Numbers, index: _Index, ref_head: Numbers, ref_next: Numbers, local: _Local,
    words: Words, texts: Texts, phrases: Occurrences, hyp_text: int, ref_text: int,
) -> Numbers:  # fmt: skip
    """Find every match of a pair of texts, module by module, and those that are the only ones where they stand."""
    hyp = texts.words[texts.starts[hyp_text] : texts.starts[hyp_text + 1]]
    ref = texts.words[texts.starts[ref_text] : texts.starts[ref_text + 1]]
    n_hyp, n_ref = len(hyp), len(ref)
    found.head[:n_ref] = -1
    found.hyp_cover[:n_hyp] = 0
    found.ref_cover[:n_ref] = 0
    found.count[0] = 0
    identical = n_hyp == n_ref
    for place in range(n_ref if identical else 0):
        identical = identical and words.key[hyp[place]] == words.key[ref[place]]
    hyp_first, hyp_last = phrases.starts[hyp_text], phrases.starts[hyp_text + 1]
    ref_first, ref_last = phrases.starts[ref_text], phrases.starts[ref_text + 1]
    at = ref_first
    for place in range(n_ref):
        word = ref[place]
        link = index.key_head[words.key[word]]
        while link >= 0:
            pool = _add(pool, found, link, place, 1, 1, EXACT)
            link = index.key_next[link]
        if identical:
            continue
        link = index.stem_head[words.stem[word]]
        while link >= 0:
            if words.key[hyp[link]] != words.key[word]:
                pool = _add(pool, found, link, place, 1, 1, STEM)
            link = index.stem_next[link]
        link = index.synonym_head[word]
        while link >= 0:
            pool = _add(pool, found, links[link, 0], place, 1, 1, SYNONYM)
            link = links[link, 1]
        while at < ref_last and phrases.place[at] == place:
            source = phrases.phrase[at]
            for row in range(local.first[source], local.last[source]):
                link = index.phrase_head[local.target[row]]
                while link >= 0:
                    pool = _add(pool, found, phrases.place[link], place, phrases.length[link], phrases.length[at], PARAPHRASE)
                    link = index.phrase_next[link - hyp_first]
            at += 1
    if not identical:
        for one in range(ref_last - 1, ref_first - 1, -1):
            phrase = phrases.phrase[one]
            ref_next[one - ref_first] = ref_head[phrase]
            ref_head[phrase] = one
        for one in range(hyp_first, hyp_last):
            source, place, length = phrases.phrase[one], phrases.place[one], phrases.length[one]
            for row in range(local.first[source], local.last[source]):
                link = ref_head[local.target[row]]
                while link >= 0:
                    pool = _add(pool, found, place, phrases.place[link], length, phrases.length[link], PARAPHRASE)
                    link = ref_next[link - ref_first]
        for one in range(ref_first, ref_last):
            ref_head[phrases.phrase[one]] = -1
    for place in range(n_ref):
        only = found.head[place]
        fixed = only >= 0 and pool[only, NEXT] < 0
        if fixed:
            for word in range(pool[only, HYP], pool[only, HYP] + pool[only, HYP_LENGTH]):
                fixed = fixed and found.hyp_cover[word] == 1
            for word in range(place, place + pool[only, REF_LENGTH]):
                fixed = fixed and found.ref_cover[word] == 1
        found.fixed[place] = fixed
    return pool


@njit(cache=True, nogil=True)
def _credit(row: Statistics, pool: Numbers, match: int, words: Words, hyp: Numbers, ref: Numbers) -> None:
    """Count the words of a chosen match: content and function words apart."""
    at = 4 + 4 * pool[match, MODULE]
    for place in range(pool[match, HYP], pool[match, HYP] + pool[match, HYP_LENGTH]):
        row[at + 2 * words.is_function[hyp[place]]] += 1
    for place in range(pool[match, REF], pool[match, REF] + pool[match, REF_LENGTH]):
        row[at + 1 + 2 * words.is_function[ref[place]]] += 1


@njit(cache=True, nogil=True)
def _enter(index: _Index, links: Numbers, words: Words, texts: Texts, phrases: Occurrences, text: int) -> Numbers:
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
def _leave(index: _Index, words: Words, texts: Texts, phrases: Occurrences, text: int) -> None:
    for word in texts.words[texts.starts[text] : texts.starts[text + 1]]:
        index.key_head[words.key[word]] = -1
        index.stem_head[words.stem[word]] = -1
        index.synonym_head[words.synonym[words.synonyms[word] : words.synonyms[word + 1]]] = -1
    for one in range(phrases.starts[text], phrases.starts[text + 1]):
        index.phrase_head[phrases.phrase[one]] = -1


@njit(cache=True, nogil=True)
def _gather(
    local: _Local, group: int, members: Starts, phrases: Occurrences, paraphrases: Paraphrases
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


@njit(cache=True, nogil=True)
def align(
    pairs: Pairs, begin: int, finish: int, texts: Texts, words: Words, phrases: Occurrences, paraphrases: Paraphrases,
    scores: Scores, statistics: Statistics,
) -> None:  # fmt: skip
    """Score candidates begin to finish - 1 against each of their references, and keep the first best.

    Fills `scores` and `statistics` (columns as `CHUNKS` says), one row per candidate.
    """
    vocabulary, n_phrases = len(words.key), len(paraphrases.targets) - 1
    longest = np.diff(texts.starts).max()
    most = max(np.diff(phrases.starts).max(), 1)

    def empty(length: int) -> Numbers:
        return np.full(length, -1, dtype=np.int32)

    index = _Index(
        empty(vocabulary), empty(longest), empty(vocabulary), empty(longest), empty(vocabulary), empty(n_phrases), empty(most)
    )
    found = _Found(
        empty(longest), empty(longest), np.zeros(longest, dtype=np.bool_), empty(longest), empty(longest),
        np.zeros(1, dtype=np.int64),
    )  # fmt: skip
    local = _Local(
        np.full(n_phrases, -1, dtype=np.int64), np.zeros(n_phrases, dtype=np.int64), np.zeros(n_phrases, dtype=np.int64),
        empty(len(paraphrases.target)),
    )  # fmt: skip
    ref_head, ref_next, links, pool = empty(n_phrases), empty(most), empty(256).reshape(128, 2), empty(6 * 256).reshape(256, 6)
    beam = paths(longest)
    row = np.zeros(CHUNKS + 1, dtype=np.int64)
    group_end = begin
    for candidate in range(begin, finish):
        if candidate == group_end:
            while group_end < finish and pairs.first[group_end] == pairs.first[candidate]:
                group_end += 1
            references = pairs.references[pairs.first[candidate] : pairs.last[candidate]]
            members = np.concatenate((references, pairs.candidates[candidate:group_end]))
            _gather(local, candidate, members, phrases, paraphrases)
        hyp_text = pairs.candidates[candidate]
        hyp = texts.words[texts.starts[hyp_text] : texts.starts[hyp_text + 1]]
        links = _enter(index, links, words, texts, phrases, hyp_text)
        scores[candidate] = -1.0
        for reference in range(pairs.first[candidate], pairs.last[candidate]):
            if reference == pairs.held[candidate]:
                continue
            ref_text = pairs.references[reference]
            ref = texts.words[texts.starts[ref_text] : texts.starts[ref_text + 1]]
            pool = _match(
                pool, found, links, index, ref_head, ref_next, local, words, texts, phrases, hyp_text, ref_text
            )
            match, node, chunks = search(beam, pool, found.head, found.fixed, len(hyp), len(ref))
            row[:] = 0
            row[0], row[1], row[CHUNKS] = len(hyp), len(ref), chunks
            row[2], row[3] = words.is_function[hyp].sum(), words.is_function[ref].sum()
            for place in range(len(ref)):
                if found.fixed[place]:
                    _credit(row, pool, found.head[place], words, hyp, ref)
            while match >= 0 or node >= 0:
                if match >= 0:
                    _credit(row, pool, match, words, hyp, ref)
                match, node = (beam.chain[node, 1], beam.chain[node, 0]) if node >= 0 else (-1, -1)
            score = score_of(row)
            if score > scores[candidate]:
                scores[candidate] = score
                statistics[candidate] = row
        _leave(index, words, texts, phrases, hyp_text)
