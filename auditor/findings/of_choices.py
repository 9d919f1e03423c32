"""Kinds of findings on forced-choice benchmarks: by what items are decided without their images."""

from __future__ import annotations

from collections.abc import Mapping

from auditor.findings.kind import Kind

_MEASURED = (
    "{rule} The part of the benchmark is told in which that decides most; a tie is half right. Told where the share is "
    ".05 or more from what chance gets right (.5, or 1/3 with two right captions), and chance as unlikely as .05 over "
    "all parts and blind scorers (Bonferroni; the test is over images): a warning from .1 on, an error from .25 on. "
    "`n` is the items of the part."
)

_VALUES = {
    "accuracy": "share of the items of the part that are right",
    "low": "lower end of its interval, over images",
    "high": "upper end",
    "p": "probability that chance alone is as far from what it gets right",
    "overall": "share of all items that are right",
}

_CONSEQUENCE = (
    "A system may score high by it and see nothing: a score says little unless it is well above that of the best blind "
    "scorer."
)

_EXAMPLE = (
    "set: {by}, without the image, 99.0% of 2,062 items of part add_obj are right, and 72.7% of all 7,511 ({scorer}; "
    "chance is 50 %)"
)


def _decided(meaning: str, rule: str, advice: str, by: str, scorer: str, **values: str) -> Kind:
    return Kind(
        meaning,
        _MEASURED.format(rule=rule),
        advice,
        _EXAMPLE.format(by=by, scorer=scorer),
        ("choices",),
        _VALUES | values,
        _CONSEQUENCE,
    )


KINDS: Mapping[str, Kind] = {
    "benchmark-decided-by-length": _decided(
        "The right one of two captions is told from the wrong one by which is longer, or shorter.",
        "The rules `shorter`, `longer` (characters, blanks at the ends aside) and `fewer-words` choose.",
        "Report results by part, beside this rule; score the blind-fair subset (`--fair`). Who makes items should "
        "match the lengths of both captions.",
        "by length alone",
        "shorter",
        with_full_stop="share of all items that are right by the final full stop first, then the shorter",
    ),
    "benchmark-decided-by-punctuation": _decided(
        "The wrong one of two captions ends with a full stop more often, or less often.",
        "The rule `no-full-stop` chooses the caption without one; where both or neither has it, it ties.",
        "Strip the final full stop of both captions before they are scored, and say so.",
        "by the final full stop alone",
        "no-full-stop",
    ),
    "benchmark-decided-by-language-model": _decided(
        "A model of language that never sees the image prefers the right captions: the wrong ones read unlike any.",
        "Bigram models without smoothing and a smoothed n-gram model, trained on captions of other images, choose what "
        "is likelier, as a whole or by token.",
        "Compare systems with it, part by part; score the blind-fair subset (`--fair`). Distractors that people write, "
        "or that a model of language finds as likely, do better.",
        "by a language model alone",
        "kneser-ney",
    ),
    "benchmark-decided-by-copies": _decided(
        "One of two captions is, letter for letter, a caption of the training data more often than the other.",
        "The rule `training-caption` chooses what occurs among the training captions; below .5 the wrong ones do.",
        "Do not score systems trained on these captions: they have seen what they are asked. Draw distractors from "
        "captions that no system was trained on.",
        "by whether a training caption is the same",
        "training-caption",
    ),
    "benchmark-decided-by-words": _decided(
        "Single words, or pairs of them, give the wrong captions away: a model that learns them from other items "
        "decides the rest.",
        "Logistic regression on words and pairs of neighbours chooses (`learnt`); each tenth of the images is asked of "
        "a model of those before it.",
        "Do not train on items of the benchmark, or of others made the same way, before it is scored; score the "
        "blind-fair subset (`--fair`).",
        "by words and pairs of words alone, learnt from items of other images",
        "learnt",
    ),
    "order-blind-ceiling": Kind(
        "Both captions of some items have the same words: only their order tells them apart.",
        "Tokens of both captions are compared as bags. `n` is all items; it is a notice where 1 % of them or more are "
        "such.",
        "Nothing is wrong with that: it is what swapping tasks are for. Read scores of metrics and models without word "
        "order against the ceiling, not against 1.",
        "set: the two captions of 573 of 7,511 items have the same words (swap_obj 164, swap_att 409): a scorer of "
        "words that is blind to their order is right in 96.19% at most",
        ("choices",),
        {
            "items": "items whose captions have the same words",
            "share": "share of all items",
            "ceiling": "accuracy that a scorer blind to order reaches at most",
        },
        "No scorer of words that is blind to their order can be right above the ceiling.",
    ),
    "items-without-scores": Kind(
        "A file of scores lacks some items of the benchmark; the accuracy is over the others.",
        "Items are matched by name, or by image and both captions. `n` is all items.",
        "Score the missing items, or give the accuracy with the number of items that it is over.",
        "clip: 3 items have no score in clip.csv: swap_obj/1, swap_obj/2, swap_obj/5",
        ("choices",),
        {"items": "items without a score"},
    ),
}
