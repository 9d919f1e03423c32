"""METEOR 1.5 (Denkowski & Lavie 2014) for whole columns: matches, alignment and score of every pair, one after another.

Hypothesis is the candidate, reference the text it is put against; METEOR is not symmetric. The order in which matches
are found is part of the definition, since it decides between equal alignments.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from auditor.metrics.kernels.meteor_matches import Found, Index, Local, Texts, Words, enter, gather, leave, match_texts
from auditor.metrics.kernels.meteor_phrases import Occurrences, Paraphrases
from auditor.metrics.kernels.meteor_search import HYP, HYP_LENGTH, MODULE, REF, REF_LENGTH, paths, search

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


class Pairs(NamedTuple):
    """Candidates and references as numbers of texts; the references of candidate c are `first[c]` to `last[c] - 1`.

    `held[c]` is left out of them (-1: none is). Candidates with the same references stand together.
    """

    candidates: Starts
    references: Starts
    first: Starts
    last: Starts
    held: Starts


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
def _credit(row: Statistics, pool: Numbers, match: int, words: Words, hyp: Numbers, ref: Numbers) -> None:
    """Count the words of a chosen match: content and function words apart."""
    at = 4 + 4 * pool[match, MODULE]
    for place in range(pool[match, HYP], pool[match, HYP] + pool[match, HYP_LENGTH]):
        row[at + 2 * words.is_function[hyp[place]]] += 1
    for place in range(pool[match, REF], pool[match, REF] + pool[match, REF_LENGTH]):
        row[at + 1 + 2 * words.is_function[ref[place]]] += 1


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

    def none(length: int) -> Numbers:
        return np.full(length, -1, dtype=np.int32)

    index = Index(
        none(vocabulary), none(longest), none(vocabulary), none(longest), none(vocabulary),
        none(n_phrases), none(most), none(n_phrases), none(most),
    )  # fmt: skip
    found = Found(
        none(longest), none(longest), np.zeros(longest, dtype=np.bool_), none(longest), none(longest),
        np.zeros(1, dtype=np.int64),
    )  # fmt: skip
    local = Local(
        np.full(n_phrases, -1, dtype=np.int64), np.zeros(n_phrases, dtype=np.int64),
        np.zeros(n_phrases, dtype=np.int64), none(len(paraphrases.target)),
    )  # fmt: skip
    links, pool = np.empty((128, 2), dtype=np.int32), np.empty((256, 6), dtype=np.int32)
    beam = paths(longest)
    row = np.zeros(CHUNKS + 1, dtype=np.int64)
    group_end = begin
    for candidate in range(begin, finish):
        if candidate == group_end:
            while group_end < finish and pairs.first[group_end] == pairs.first[candidate]:
                group_end += 1
            references = pairs.references[pairs.first[candidate] : pairs.last[candidate]]
            members = np.concatenate((references, pairs.candidates[candidate:group_end]))
            gather(local, candidate, members, phrases, paraphrases)
        hyp_text = pairs.candidates[candidate]
        hyp = texts.words[texts.starts[hyp_text] : texts.starts[hyp_text + 1]]
        links = enter(index, links, words, texts, phrases, hyp_text)
        scores[candidate] = -1.0
        for reference in range(pairs.first[candidate], pairs.last[candidate]):
            if reference == pairs.held[candidate]:
                continue
            ref_text = pairs.references[reference]
            ref = texts.words[texts.starts[ref_text] : texts.starts[ref_text + 1]]
            pool = match_texts(pool, found, links, index, local, words, texts, phrases, hyp_text, ref_text)
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
        leave(index, words, texts, phrases, hyp_text)
