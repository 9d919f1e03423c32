"""The kinds of findings: what each means, how it is measured, what to do. `docs/findings.md` is made of this list.

A kind is a stable code: programs select findings by it, and sentences may be worded anew.
"""

from __future__ import annotations

from collections.abc import Mapping

from auditor.findings import of_captions, of_choices, of_data, of_scores
from auditor.findings.kind import Kind
from auditor.findings.listed import CAPTION_KINDS, CaptionKind


def _by_share(kind: CaptionKind) -> str:
    """Say from which share on a finding is a warning or an error."""
    limits = [
        f"{'an' if name == 'error' else 'a'} {name} from {share:g} of them on" if share else "always a warning"
        for name, share in (("warning", kind.warning), ("error", kind.error))
        if share is not None
    ]
    return f"; it is {', '.join(limits)}" if limits else "; it is a notice"


#: What `auditor` finds, by code.
KINDS: Mapping[str, Kind] = {
    **of_captions.KINDS,
    **of_scores.KINDS,
    **of_data.KINDS,
    **of_choices.KINDS,
    **{
        code: Kind(
            kind.meaning,
            f"{kind.measured} `n` is the {kind.of}{_by_share(kind)}.",
            kind.advice,
            f"set: {kind.said}: 12 of 40,460 (0.03%)",
            kind.commands,
            {kind.of: "how many there are", "share": "share of all"},
            kind.consequence,
        )
        for code, kind in CAPTION_KINDS.items()
    },
}

#: Kinds whose code is no title.
_TITLES: Mapping[str, str] = {
    "near-duplicate-across-splits": "Test captions that occur in train",
    "copied-slots": "Slots that say the same",
    "swapped-captions": "Captions of another image",
    "unlike-slot": "A slot unlike the others",
    "bound-upside-down": "Captions of an image that do not agree",
    "templated-captions": "Captions made from templates",
    "padded-images": "Captions repeated within an image",
    "misspellings": "Words that seem misspelt",
    "truncated-captions": "Captions that break off",
    "uneven-captions": "Uneven numbers of captions",
    "web-address": "Addresses of pages",
    "first-person-captions": "Captions that talk",
}


def title(kind: str) -> str:
    """Give the words that stand above a finding."""
    return _TITLES.get(kind, kind.replace("-", " ").capitalize())
