"""The block shifts that TER may try: words in another position of the reference (Snover et al. 2006, section 3).

The heuristics are those of tercom as implemented in sacrebleu 2.6, including the order of trials.
"""

from __future__ import annotations

import numpy as np

from auditor.compiled import part
from auditor.metrics.kernels.edit_distance import Masks, Numbers, Table, Words

LONGEST = 10  # words

FARTHEST = 50  # words between a block and its position in the reference

MOST = 1000  # shifts tried for one pair; the round that reaches this limit is not finished


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
    matched: Table,
) -> int:
    """Write at most `most` shifts (first word, words, word before which they go) to `found`; return their number.

    A block has at most 10 words, and equals words of the reference at most 50 words away. At least one of its words is
    wrong, and so is one of those words of the reference; the block is not in its position. `hyp_errors` and
    `ref_errors` are running sums. If `masked`, bits of `masks` mark equal words.
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
                for position in range(at - 1, at + length):
                    target = 0 if position < 0 else aligned[position] + 1
                    if target != before:
                        matched[count, 0], matched[count, 1], matched[count, 2] = start, length, target
                        before = target
                        count += 1
                        if count == most:
                            return count
    return count


@part
def as_rotation(shift: Numbers, n_hyp: int) -> tuple[int, int, int]:
    """Return a shift (first word, words, target) as words low to middle and middle to high that are swapped.

    A target inside the block moves it by the number of words between its start and the target.
    """
    start, length, target = shift
    if target < start:
        return target, start, start + length
    if target > start + length:
        return start, start + length, target
    return start, start + length, min(n_hyp, start + length + target - start)
