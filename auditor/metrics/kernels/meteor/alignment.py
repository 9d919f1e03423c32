"""METEOR 1.5 (Denkowski & Lavie 2014) for whole columns: matches, alignment and score of every pair, one after another.

The hypothesis is the candidate; METEOR is not symmetric. The order of matches is part of the definition, because it
decides between equal alignments.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditor.compiled import array_part, compiled, part
from auditor.metrics.kernels.meteor.matches import ROWS, Texts, Words, enter, find, leave
from auditor.metrics.kernels.meteor.phrases import Occurrences, Paraphrases, chain, gather, unchain
from auditor.metrics.kernels.meteor.search import COLUMNS, HYP, HYP_END, MODULE, REF, REF_END, beams, chosen, search

MODULES = 4

#: Columns of the statistics, as METEOR prints them: words of the hypothesis and of the reference, function words of
#: each; for each module the content words it matches in either, then the function words; last the chunks.
CHUNKS = 4 + 4 * MODULES

ALPHA, BETA, GAMMA, DELTA = 0.85, 0.2, 0.6, 0.75

WEIGHTS = (1.0, 0.6, 0.8, 0.6)

#: The most matches of a pair, 320 MiB: about 2,000 equal words in both texts.
MOST_MATCHES = 1 << 22

#: The score of a candidate with more matches with a reference.
UNALIGNED = -2.0

_MARGIN = 1 + 1e-9  # margin of a bound against rounding errors

Numbers = NDArray[np.int32]

Starts = NDArray[np.int64]

Flags = NDArray[np.bool_]

Statistics = NDArray[np.int64]

Scores = NDArray[np.float64]


class Pairs(NamedTuple):
    """Candidates and references as numbers of texts; the references of candidate c are `first[c]` to `last[c] - 1`.

    `held[c]` is left out (-1: none is). Candidates with the same references are adjacent.
    """

    candidates: Starts
    references: Starts
    first: Starts
    last: Starts
    held: Starts


@compiled
def score_of(statistics: Statistics) -> float:
    """Score statistics of a pair, or sums of them (Denkowski & Lavie 2014, section 2.2). 0 if nothing matches."""
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
    return score if score > 0 else 0.0  # not a number, if nothing matches, becomes 0


@part
def _most(
    places: Starts, longest: int, text: Numbers, hyp: int, n_hyp: int, ref: int, n_ref: int, is_function: Flags,
    hyp_functions: int, ref_functions: int, roots: Scores,
) -> float:  # fmt: skip
    """Return an upper bound of the score of a pair: of all words with a match, each by its best match.

    A chunk continues from one word of the reference to the next only if their matches are adjacent in the hypothesis.
    So t words of the reference have at least t minus the number of such positions chunks.
    """
    covered_hyp, covered_ref, joints = 0, 0, 0
    weighted_hyp, weighted_ref = 0.0, 0.0
    for at in range(n_hyp):
        if places[4 * longest + at]:
            covered_hyp += 1
            weighted_hyp += places[4 * longest + at] * (1 - DELTA if is_function[text[hyp + at]] else DELTA)
    for at in range(n_ref):
        if places[5 * longest + at]:
            covered_ref += 1
            weighted_ref += places[5 * longest + at] * (1 - DELTA if is_function[text[ref + at]] else DELTA)
        joints += places[6 * longest + at] & places[7 * longest + at] != 0
    if covered_hyp == 0:
        return 0.0
    precision = weighted_hyp / 10 / (DELTA * (n_hyp - hyp_functions) + (1 - DELTA) * hyp_functions)
    length = DELTA * (n_ref - ref_functions) + (1 - DELTA) * ref_functions
    most = 0.0
    for words in range(covered_ref, max(0, min(joints, covered_ref - 1)), -1):
        recall = min(weighted_ref / 10, words * DELTA) / length
        mean = 1 / ((1 - ALPHA) / precision + ALPHA / recall)
        if covered_hyp == n_hyp and words == n_ref and joints >= n_ref - 1:
            return mean  # all words may be one chunk, which has no penalty
        chunks = max(1, words - joints)
        most = max(most, mean * (1 - GAMMA * roots[2 * chunks] / roots[covered_hyp + words]))
    return most


@part
def _nearest(
    text: Numbers, starts: Starts, references: Starts, first: int, last: int, held: int, key: Numbers,
    key_head: Numbers, is_function: Flags,
) -> int:  # fmt: skip
    """Return the reference that is likely to score highest: the one with the largest share of common words."""
    nearest, most = -1, -1.0
    for reference in range(first, last):
        if reference == held:
            continue
        shared, length = 0, 4
        for at in range(starts[references[reference]], starts[references[reference] + 1]):
            weight = 1 if is_function[text[at]] else 3
            length += weight
            shared += weight if key_head[key[text[at]]] >= 0 else 0
        if shared / length > most:
            nearest, most = reference, shared / length
    return nearest


@part
def _credit(row: Statistics, pool: Starts, match: int, text: Numbers, hyp: int, ref: int, is_function: Flags) -> None:
    """Count the words of a chosen match, content and function words separately."""
    at = 4 + 4 * pool[match + MODULE]
    for position in range(hyp + pool[match + HYP], hyp + pool[match + HYP_END]):
        row[at + 2 * is_function[text[position]]] += 1
    for position in range(ref + pool[match + REF], ref + pool[match + REF_END]):
        row[at + 1 + 2 * is_function[text[position]]] += 1


@part
def _credit_all(
    row: Statistics, beam: Starts, pool: Starts, places: Starts, fixed: Flags, step: int, path: int, text: Numbers,
    hyp: int, n_hyp: int, ref: int, n_ref: int, is_function: Flags,
) -> None:  # fmt: skip
    """Count the fixed matches, and those of a path through the steps with a choice."""
    for at in range(n_ref):
        if fixed[at]:
            _credit(row, pool, places[at], text, hyp, ref, is_function)
    while step > 0:
        step -= 1
        match, path = chosen(beam, n_hyp, step, path)
        if match >= 0:
            _credit(row, pool, match, text, hyp, ref, is_function)


@array_part
def _members(references: Starts, first: int, last: int, candidates: Starts, begin: int, finish: int) -> Starts:
    members = np.empty(last - first + finish - begin, dtype=np.int64)
    for at in range(last - first):
        members[at] = references[first + at]
    for at in range(finish - begin):
        members[last - first + at] = candidates[begin + at]
    return members


@part
def _functions(text: Numbers, first: int, last: int, is_function: Flags) -> int:
    count = 0
    for position in range(first, last):
        count += is_function[text[position]]
    return count


@compiled
def align(
    pairs: Pairs, begin: int, finish: int, texts: Texts, words: Words, phrases: Occurrences, paraphrases: Paraphrases,
    scores: Scores, statistics: Statistics,
) -> None:  # fmt: skip
    """Score candidates begin to finish - 1 against each of their references, and keep the first best.

    Fills `scores` (`UNALIGNED` if a reference has more than `MOST_MATCHES` with the candidate) and `statistics`
    (columns as described for `CHUNKS`), one row per candidate. References that cannot be the best are not aligned.
    """
    text, starts = texts.words, texts.starts
    key, stem, is_function = words.key, words.stem, words.is_function
    bounds, position, length, phrase = phrases.starts, phrases.place, phrases.length, phrases.phrase
    candidates, references, first, last = pairs.candidates, pairs.references, pairs.first, pairs.last
    vocabulary, n_phrases = len(key), len(paraphrases.targets) - 1
    longest, most = _longest(starts), _longest(bounds)
    key_head, stem_head, synonym_head = _none(vocabulary), _none(vocabulary), _none(vocabulary)
    key_next, stem_next, links = _none(longest), _none(longest), np.empty((128, 2), dtype=np.int32)
    hyp_head, hyp_next, ref_head, ref_next = _none(n_phrases), _none(most), _none(n_phrases), _none(most)
    near_words, synonym = np.empty((vocabulary, 2), dtype=np.int32), _none(len(words.synonym) + 1)
    near_phrases, target = np.empty((n_phrases, 2), dtype=np.int32), _none(len(paraphrases.target) + 1)
    here, there = np.zeros(vocabulary, dtype=np.bool_), np.zeros(n_phrases, dtype=np.bool_)
    places, fixed = np.zeros(ROWS * longest, dtype=np.int64), np.zeros(longest, dtype=np.bool_)
    pool, beam = np.empty(256 * COLUMNS, dtype=np.int64), beams(longest)
    row, group_end = np.zeros(CHUNKS + 1, dtype=np.int64), begin
    roots = np.empty(2 * longest + 1)
    for words_of_both in range(len(roots)):
        roots[words_of_both] = words_of_both**BETA
    for candidate in range(begin, finish):
        if candidate == group_end:
            while group_end < finish and first[group_end] == first[candidate]:
                group_end += 1
            members = _members(references, first[candidate], last[candidate], candidates, candidate, group_end)
            gather(near_words, synonym, here, members, starts, text, words.synonyms, words.synonym)
            gather(near_phrases, target, there, members, bounds, phrase, paraphrases.targets, paraphrases.target)
        ours, held = candidates[candidate], pairs.held[candidate]
        hyp, n_hyp = starts[ours], starts[ours + 1] - starts[ours]
        links = enter(
            links, key_head, stem_head, synonym_head, key_next, stem_next, text, hyp, hyp + n_hyp, key, stem,
            near_words, synonym,
        )  # fmt: skip
        chain(hyp_head, hyp_next, bounds[ours], bounds[ours + 1], phrase)
        hyp_functions = _functions(text, hyp, hyp + n_hyp, is_function)
        scores[candidate], best = -1.0, -1
        nearest = _nearest(
            text, starts, references, first[candidate], last[candidate], held, key, key_head, is_function
        )
        for turn in range(first[candidate] - 1, last[candidate]):
            reference = turn
            if turn < first[candidate]:
                reference = nearest  # first, because it may rule out the others
            elif turn in (nearest, held):
                continue
            theirs = references[reference]
            ref, n_ref = starts[theirs], starts[theirs + 1] - starts[theirs]
            chain(ref_head, ref_next, bounds[theirs], bounds[theirs + 1], phrase)
            size = -1
            while size < 0:
                size = find(
                    pool, places, fixed, longest, links, key_head, stem_head, synonym_head, key_next, stem_next,
                    text, hyp, n_hyp, ref, n_ref, key, stem, hyp_head, hyp_next, ref_head, ref_next,
                    bounds[ours], bounds[ours + 1], bounds[theirs], bounds[theirs + 1], position, length, phrase,
                    near_phrases, target,
                )  # fmt: skip
                if len(pool) < size <= MOST_MATCHES * COLUMNS:
                    pool, size = np.empty(2 * size, dtype=np.int64), -1
            unchain(ref_head, bounds[theirs], bounds[theirs + 1], phrase)
            if size > MOST_MATCHES * COLUMNS:
                scores[candidate] = UNALIGNED
                break
            ref_functions = _functions(text, ref, ref + n_ref, is_function)
            if best >= 0:
                highest = _most(
                    places, longest, text, hyp, n_hyp, ref, n_ref, is_function, hyp_functions, ref_functions, roots
                )
                if highest * _MARGIN < scores[candidate]:
                    continue
            chunks, step, path = search(beam, pool, places, fixed, n_hyp, n_ref)
            row[:] = 0
            row[0], row[1], row[2], row[3], row[CHUNKS] = n_hyp, n_ref, hyp_functions, ref_functions, chunks
            _credit_all(row, beam, pool, places, fixed, step, path, text, hyp, n_hyp, ref, n_ref, is_function)
            score = score_of(row)
            if score > scores[candidate] or (score == scores[candidate] and reference < best):
                scores[candidate], best = score, reference
                for at in range(len(row)):
                    statistics[candidate, at] = row[at]
        unchain(hyp_head, bounds[ours], bounds[ours + 1], phrase)
        leave(key_head, stem_head, synonym_head, text, hyp, hyp + n_hyp, key, stem, near_words, synonym)


@part
def _longest(starts: Starts) -> int:
    longest = 0
    for text in range(len(starts) - 1):
        longest = max(longest, starts[text + 1] - starts[text])
    return longest


@array_part
def _none(length: int) -> Numbers:
    return np.full(length, -1, dtype=np.int32)
