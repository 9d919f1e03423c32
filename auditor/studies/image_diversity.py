"""What compares captions of one image, for the selections that can have it; for others, why they cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress, Result, Selection
from auditor.registry import References
from auditor.statistics import local_cards
from auditor.store.connection import Store
from auditor.store.versions import images
from auditor.studies.diversity_settings import Settings
from auditor.studies.local_diversity import local_signature, local_words_met
from auditor.studies.local_words import content_of, unshared
from auditor.studies.within_image import METRICS, captions_of_images, within_signatures

_LOCAL = tuple(card.name for card in local_cards.CARDS if card.needs == "evaluation")


def image_diversity(
    store: Store,
    selections: Sequence[Selection],
    people: Selection | None,
    apart: Mapping[str, str],
    settings: Settings,
    progress: Progress,
) -> list[Result]:
    """Give local recall and precision, where there are people's captions, and mBLEU and the vocabulary of images.

    `apart` says of selections, by label, why they cannot be put against people's captions.
    """
    content = content_of(settings)
    found = []
    if people is not None:
        met = [one for one in selections if one.label not in apart]
        refs = References("all", settings.references, settings.seed)
        signed = {name: local_signature(name, people, refs, settings, content) for name in _LOCAL}
        if met:
            found.append(local_words_met(store, met, people, content, settings, progress))
        for one in selections:
            if one.label in apart:
                absent = _absent(one, signed, settings, apart[one.label])
                why = f"{one.label}: no local recall and precision: {apart[one.label]}"
                found.append(Result("diversity", absent, notes=(why,)))
    fewest = 2 if settings.references is None else settings.references + 1
    several = [one for one in selections if (images(store, one)["captions"] >= fewest).any()]
    if several:
        found.append(captions_of_images(store, several, content, settings, METRICS, progress))
    signatures = within_signatures(settings, content, METRICS)
    for one in selections:
        if one not in several:
            reason = f"no image has {fewest} captions"
            said = [f"{one.label}: no mBLEU, no vocabulary of images: {reason}"] * (one.version.kind != "candidates")
            found.append(Result("diversity", _absent(one, signatures, settings, reason), notes=tuple(said)))
    return found


def apart_from_people(store: Store, selections: Sequence[Selection], people: Selection | None) -> dict[str, str]:
    """Say of each dataset that shares no image with people's captions, by label, why it cannot be put against them.

    Raises `UsageError` for a system's output: it was made for the images.
    """
    reasons: dict[str, str] = {}
    if people is None:
        return reasons
    for one in selections:
        try:
            unshared(store, one, people)
        except UsageError as error:
            if one.version.kind == "candidates":
                raise
            reasons[one.label] = str(error)
    return reasons


def _absent(selection: Selection, signatures: Mapping[str, str], settings: Settings, reason: str) -> pl.DataFrame:
    return pl.DataFrame({"statistic": [*signatures], "signature": [*signatures.values()]}).with_columns(
        pl.lit(selection.version.dataset).alias("dataset"),
        pl.lit(selection.version.version).alias("version"),
        pl.lit(selection.split, pl.String).alias("split"),
        pl.lit(settings.text_profile).alias("profile"),
        pl.lit(reason).alias("reason"),
    )
