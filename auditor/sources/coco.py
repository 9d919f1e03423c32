"""Format `coco`: MS COCO's annotations (`{"images": …, "annotations": …}`) and results (`[{image_id, caption}]`)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from auditor.errors import SourceError
from auditor.model import Batches, Part
from auditor.sources.format import Format, Reading
from auditor.sources.reading import files
from auditor.sources.reading.json_records import batches, id_of
from auditor.sources.reading.json_stream import Item, items
from auditor.sources.table import names_of
from auditor.sources.table.columns import recognized
from auditor.sources.table.json import first_keys, table_keys

_BLOCK = 1 << 20

_IMAGES = re.compile(rb'"images"|\\u00[67]')

_BEGINNING = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*\{(?s:.*?)"(?:(?:annotations|images|licenses)"\s*:\s*\[\s*[{\]]|info"\s*:\s*\{)'
)


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize an object that begins with `annotations`, `images`, `licenses` or `info`.

    A record on its own line belongs to a table, unless it holds annotations.
    """
    if _BEGINNING.match(head) is None or b'"sentences"' in head or b'"videos"' in head:
        return False
    text = head.decode("utf-8-sig", errors="replace").lstrip()
    if keys := first_keys(text):
        return "annotations" in keys
    return b'"annotations"' in head or not recognized(table_keys(text))


def read(part: Part) -> Batches:
    """Yield the captions of an annotation or a results file; images are named by their ids, or by the key `image_key`.

    The slot follows the annotation ids, so that the order of the records does not matter. A caption whose image is not
    in the file's list of images is rejected.
    """
    split = part.options.get("split_key")
    keys = (None if split is None else str(split), str(part.options.get("image_key", "id")))
    for path in files.expand(part):
        yield from batches(path, _captions(path, keys))


#: The split and the name of an image; or the keys that hold them.
_Image = tuple[str | None, str | None]


def _captions(path: Path, keys: tuple[str | None, str]) -> Iterator[Item]:
    walk = items(path, "coco")
    images: dict[str, _Image] = {}
    for item in walk:
        if item.key == "images":
            _add(images, item, keys)
        elif item.number and item.key in ("annotations", ""):
            if item.key and not images and _may_list_images(path):  # later
                for later in items(path, "coco"):
                    if later.key == "images":
                        _add(images, later, keys)
            for key, usual, option, held in zip(keys, (None, "id"), ("split_key", "image_key"), (0, 1), strict=True):
                if key and key != usual and not any(image[held] for image in images.values()):
                    raise SourceError(f'{path}: no image has the key "{key}"; correct {option}')
            yield from _known(
                (later for later in chain([item], walk) if later.number and later.key == item.key), images
            )
            return
        elif not item.key:
            break
    raise SourceError(
        f'{path}: not of format "coco": expected an object with a list "annotations", or a list of results'
    )


def _may_list_images(path: Path) -> bool:
    """Return whether a file has the key of the list of images: searching for it costs a tenth of parsing.

    Its letters may be escaped: any escape counts.
    """
    before = b""
    with files.open_bytes(path) as file:
        while block := file.read(_BLOCK):
            if _IMAGES.search(before + block):
                return True
            before = block[-len(b'"images"') :]
    return False


def _known(captions: Iterable[Item], images: Mapping[str, _Image]) -> Iterator[Item]:
    """Add the split and the name of its image to each caption; reject captions of unlisted images."""
    for item in captions:
        number = id_of(item.value.get("image_id")) if isinstance(item.value, dict) else None
        if number is None or not images:
            yield item
        elif number not in images:
            yield item._replace(fault=f"image {number} is not in the file's list of images")
        else:
            split, name = images[number]
            if name is None:
                yield item._replace(fault=f"image {number} has no name in the file's list of images")
            else:
                known = {"image_id": name} | ({} if split is None else {"split": split})
                yield item._replace(value=item.value | known)


def _add(images: dict[str, _Image], item: Item, keys: tuple[str | None, str]) -> None:
    image = item.value if isinstance(item.value, dict) else {}
    split, name = (id_of(image.get(key)) for key in keys)
    images[str(id_of(image.get("id")))] = (split, name)


def reading(part: Part) -> Reading:
    """Return the keys of an annotation."""
    key, split = part.options.get("image_key", "id"), part.options.get("split_key")
    places = {"image": "image_id" if key == "id" else f"{key} of image_id", "caption": "caption"}
    return Reading(places | {"slot": "the order of id"} | ({"split": str(split)} if split else {}))


FORMAT = Format(
    "coco", recognizes, read, reading=reading, media_type="application/json", split_by_name=True, names_of=names_of
)
