"""Format `coco`: MS COCO's annotations (`{"images": …, "annotations": …}`) and results (`[{image_id, caption}]`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from auditor.errors import SourceError
from auditor.model import Batches, Part
from auditor.sources.reading import files
from auditor.sources.reading.json_records import batches
from auditor.sources.reading.json_stream import Item, items
from auditor.sources.table.json import first_keys

OPTIONS: Mapping[str, str] = {"split_key": "key of the `images` list that holds an image's split"}

_BEGINNING = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*\{(?s:.*?)"(?:(?:annotations|images|licenses)"\s*:\s*\[\s*[{\]]|info"\s*:\s*\{)'
)


def recognises(path: Path, head: bytes) -> bool:
    """Recognise an object that has lists of `annotations`, `images` or `licenses`, or `info`, early on.

    A record that has a line to itself is one of a table, unless it holds annotations.
    """
    if _BEGINNING.match(head) is None or b'"sentences"' in head:
        return False
    keys = first_keys(head.decode("utf-8-sig", errors="replace").lstrip())
    return not keys or "annotations" in keys


def read(part: Part) -> Batches:
    """Yield the captions of an annotation or a results file; images are named by their ids.

    The slot follows the annotation ids, so that the order of the records in the file does not matter. A caption of an
    image that the file's own list of images lacks is refused.
    """
    split_key = part.options.get("split_key")
    for path in files.expand(part):
        yield from batches(path, _captions(path, split_key), ids=True)


def _captions(path: Path, split_key: Any) -> Iterator[Item]:
    walk = items(path, "coco")
    images: dict[str, str | None] = {}
    for item in walk:
        if item.key == "images":
            _add(images, item, split_key)
        elif item.number and item.key in ("annotations", ""):
            if item.key and not images:  # the list of images comes later, or not at all
                for later in items(path, "coco"):
                    if later.key == "images":
                        _add(images, later, split_key)
            if split_key and not any(images.values()):
                raise SourceError(f'{path}: no image has the key "{split_key}" that split_key names')
            yield from _known(
                (later for later in chain([item], walk) if later.number and later.key == item.key), images
            )
            return
        elif not item.key:
            break
    raise SourceError(
        f'{path}: not of format "coco": expected an object with a list "annotations", or a list of results'
    )


def _known(found: Iterable[Item], images: Mapping[str, str | None]) -> Iterator[Item]:
    """Give each caption the split of its image; find fault with one whose image is not listed."""
    for item in found:
        image = str(item.value.get("image_id")) if isinstance(item.value, dict) else None
        if image is None or not images:
            yield item
        elif image not in images:
            yield item._replace(fault=f"image {image} is not in the file's list of images")
        else:
            yield item if images[image] is None else item._replace(value=item.value | {"split": images[image]})


def _add(images: dict[str, str | None], item: Item, split_key: Any) -> None:
    image = item.value if isinstance(item.value, dict) else {}
    split = image.get(split_key) if split_key else None
    images[str(image.get("id"))] = str(split) if isinstance(split, str | int) else None
