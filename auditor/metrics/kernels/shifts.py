"""The block shifts that TER may try: words that stand elsewhere in the reference (Snover et al. 2006, section 3).

The rules of thumb are tercom's as sacrebleu 2.6 follows them, to the order in which they are tried.
"""

from __future__ import annotations

import numpy as np

from auditor.compiled import part
from auditor.metrics.kernels.edit_distance import Masks, Numbers, Table, Words

LONGEST = 10  # words

FARTHEST = 50  # words between a block and its place in the reference

MOST = 1000  # shifts tried for one pair; the round that reaches them is not finished


@part
def find_shifts(
    words: Words,
    ref: Words,
    masked: bool,
    masks: Masks,
    aligned: Numbers,
    hyp_errors: Numbers,
    ref_errors: Numbers,
    most: int,
    found: Table,
) -> int:
    """Write shifts (first word, words, word before which they go) to `found`, `most` at most; give their number.

    A block is as long as it likes, up to 10 words, where it equals words of the reference not farther than 50 words
    away. Among its words one is wrong, among those of the reference another; it does not stand where it belongs.
    `hyp_errors` and `ref_errors` are running sums. Where it is `masked`, bits of `masks` say where words are equal.
    """
    n_hyp, n_ref = len(words), len(ref)
    count = 0
    for start in range(n_hyp):
        for at in range(max(0, start - FARTHEST), min(n_ref, start + FARTHEST + 1)):
            if masked:
                left = masks[start] >> np.uint64(at)
                if not left:
                    break
                if not left & np.uint64(1):
                    continue
            longest = min(LONGEST, n_hyp - start, n_ref - at)
            length = 0
            while length < longest and words[start + length] == ref[at + length]:
                length += 1
                if (
                    hyp_errors[start + length] == hyp_errors[start]
                    or ref_errors[at + length] == ref_errors[at]
                    or start <= aligned[at] < start + length
                ):
                    continue
                before = -1
                for place in range(at - 1, at + length):
                    target = 0 if place < 0 else aligned[place] + 1
                    if target != before:
                        found[count, 0], found[count, 1], found[count, 2] = start, length, target
                        before = target
                        count += 1
                        if count == most:
                            return count
    return count


@part
def as_rotation(shift: Numbers, n_hyp: int) -> tuple[int, int, int]:
    """Return a shift (first word, words, target) as words low to middle and middle to high that change places.

    A target inside the block moves it by as many words as the target lies behind its start.
    """
    start, length, target = shift
    if target < start:
        return target, start, start + length
    if target > start + length:
        return start, start + length, target
    return start, start + length, min(n_hyp, start + length + target - start)
