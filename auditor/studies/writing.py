"""In which letters are captions written? What follows for tokens, and for metrics that know some letters only."""

from __future__ import annotations

from collections.abc import Sequence

from auditor.model import Selection
from auditor.registry import MetricRequest
from auditor.store.connection import Store
from auditor.store.versions import language

_ENGLISH = "en"


def unreadable(store: Store, selection: Selection, metrics: Sequence[MetricRequest]) -> dict[str, str]:
    """Say by label why metrics cannot read the captions of a selection: by their language, or by their letters.

    Letters are seen: captions are not Latin where more than half of those that have letters are not.
    """
    needed = {metric.label: metric.metric.writing(metric.settings) for metric in metrics}
    if not any(needed.values()):
        return {}
    spoken = language(store, selection.version.dataset)
    captions, latin, _ = _counted(store, selection)
    is_latin = 2 * latin >= captions
    found = {}
    for label, writing in needed.items():
        if writing == "english" and (spoken.partition("-")[0] != _ENGLISH or not is_latin):
            why = "not in Latin letters" if not is_latin else f"declared as {spoken}"
            found[label] = f"its stems, synonyms and function words are English, and the captions are {why}"
        elif writing == "latin" and not is_latin:
            found[label] = (
                "it splits words into runs of a-z and 0-9, and the captions are not in Latin letters: ascii=false"
            )
    return found


def unspaced(store: Store, selection: Selection) -> str | None:
    """Say which text profile captions need whose scripts put no blanks between words; null where most do."""
    captions, _, without = _counted(store, selection)
    if 2 * without < captions or not captions:
        return None
    return (
        f"{selection.label}: {without:,} of {captions:,} captions are in scripts without blanks between words; text "
        "profile bare takes what stands between two blanks as one word: name --profile char, of characters"
    )


def _counted(store: Store, selection: Selection) -> tuple[int, int, int]:
    version = selection.version
    found = store.rows("script", dataset=version.dataset, seq=version.seq, split=selection.split)
    captions, latin, without = found.row(0)
    return captions, latin, without
