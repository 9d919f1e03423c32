"""The statistics that compare captions of one image: a system's with people's, and people's with each other."""

from __future__ import annotations

from auditor.statistics.card import Statistic

_LOCAL = "van Miltenburg et al. 2018, section 3.2"
_PRECISION = "van Miltenburg et al. 2018, section 5.1"
_WITHIN = "van Miltenburg et al. 2018, section 1"
_MBLEU = _WITHIN

#: Importance classes that are always given: a caption set of five an image has these.
CLASSES = 5

#: In the order in which results show them.
CARDS = (
    *(
        Statistic(
            f"recall-{importance}",
            f"of the content words that {importance} of an image's captions by people hold, the share that the system's"
            " caption of the image holds: totals over images",
            _LOCAL,
            needs="evaluation",
        )
        for importance in range(1, CLASSES + 1)
    ),
    Statistic(
        "recall-majority",
        "of the content words that 3 of an image's captions by people hold, or more, the share that the system's"
        " caption of the image holds: totals over images",
        _LOCAL,
        needs="evaluation",
    ),
    Statistic(
        "precision",
        "of the content words of the system's captions, the share that a caption of the image by people holds",
        _PRECISION,
        needs="evaluation",
    ),
    Statistic(
        "precision-all-words",
        "of all words of the system's captions, the share that a caption of the image by people holds",
        _PRECISION,
        needs="evaluation",
    ),
    *(
        Statistic(
            f"mbleu-{order}",
            f"mean over images of the mean BLEU-{order} of their captions, each against the others: the higher, the"
            " less they differ",
            _MBLEU,
            needs="several captions of an image",
        )
        for order in range(1, 5)
    ),
    Statistic(
        "image-types",
        "words that an image's captions hold, each once: mean over images",
        _WITHIN,
        needs="several captions of an image",
        digits=1,
    ),
    Statistic(
        "image-content-types",
        "content words that an image's captions hold, each once: mean over images",
        _WITHIN,
        needs="several captions of an image",
        digits=1,
    ),
    Statistic(
        "image-ttr",
        "words that an image's captions hold, each once / their tokens: totals over images",
        _WITHIN,
        needs="several captions of an image",
    ),
)
