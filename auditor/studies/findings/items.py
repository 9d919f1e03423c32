"""What the captions of a dataset describe: images, sounds or videos."""

from __future__ import annotations

from collections.abc import Mapping

from auditor.model import Source
from auditor.result import IMAGE
from auditor.store.captions import Captions

#: The endings of files, by what they hold.
_ENDINGS = {"sound": r"(?i)\.(wav|mp3|flac|ogg|m4a|aac|opus)$", "video": r"(?i)\.(mp4|avi|mkv|webm|mov|mpe?g)$"}

_LOOKED_AT = 1_000


def item_of(captions: Captions, declared: Mapping[str, Source]) -> str:
    """Return the word for what captions describe: the declared one, else that of most file names, else `image`."""
    source = declared.get(captions.selection.version.dataset)
    if source is not None and source.item:
        return source.item
    names = captions.images()["image"].head(_LOOKED_AT)
    shares = {item: names.str.contains(ending).mean() for item, ending in _ENDINGS.items()}
    return next((item for item, share in shares.items() if isinstance(share, float) and share > 0.5), IMAGE)
