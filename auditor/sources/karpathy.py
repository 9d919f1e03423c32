"""Format `karpathy`: Karpathy's files of Flickr8k, Flickr30k and COCO: JSON of images with split and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from auditor.errors import SourceError
from auditor.model import Batches, Part
from auditor.sources.format import Format, Reading
from auditor.sources.reading import files
from auditor.sources.reading.json_records import BATCH, encodable, frame, id_of, show
from auditor.sources.reading.json_stream import Item, items

_Row = tuple[int, str | None, int | None, str | None, str | None, str | None, str | None, str | None]


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize an object whose images have a list of sentences."""
    return re.match(rb"(?:\xef\xbb\xbf)?\s*\{", head) is not None and (
        b'"images"' in head and re.search(rb'"sentences"\s*:\s*\[', head) is not None
    )


def read(part: Part) -> Batches:
    """Yield the `raw` of each sentence with its image's split; the slot follows the sentids.

    A record is an image: without a name or sentences it is rejected; of a sentence without text, only the sentence is.
    Raises `SourceError` for a file without a list of images.
    """
    image_key = str(part.options.get("image_key", "filename"))
    for path in files.expand(part):
        rows = (row for image in _images(path) for row in _rows(image, image_key))
        while batch := list(islice(rows, BATCH)):
            yield frame(path, batch)


def _images(path: Path) -> Iterator[Item]:
    has_images = False
    for item in items(path, "karpathy"):
        if item.key == "images":
            has_images = True
            if item.number:
                yield item
    if not has_images:
        raise SourceError(f'{path}: not of format "karpathy": expected an object with a list "images"')


def _rows(item: Item, image_key: str) -> Iterator[_Row]:
    """Yield an image's sentences: line, image, rank, identifier, split, text, reason, raw."""
    record = item.value
    fault = _image_fault(record, image_key)
    if fault is not None:
        yield (item.number, None, None, None, None, None, fault, show(record))
        return
    image, split = id_of(record[image_key]), record.get("split")
    for number, sentence in enumerate(record["sentences"], 1):
        fault = _sentence_fault(sentence)
        if fault is not None:
            yield (item.number, image, None, None, split, None, f"sentence {number}: {fault}", show(sentence))
            continue
        sentid = sentence.get("sentid")
        rank = sentid if type(sentid) is int and abs(sentid) < 2**63 else None
        identifier = None if sentid is None else f"sentid {sentid}"
        yield (item.number, image, rank, identifier, split, sentence["raw"], None, None)


def _image_fault(record: Any, image_key: str) -> str | None:
    if not isinstance(record, dict):
        return f"not an object; expected {image_key} and sentences"
    image, split, sentences = id_of(record.get(image_key)), record.get("split"), record.get("sentences")
    if image is None:
        return f"{image_key} is missing, or neither a whole number nor a string"
    if split is not None and not isinstance(split, str):
        return "split is not a string"
    if not isinstance(sentences, list) or not sentences:
        return "sentences is missing, empty, or not a list"
    if not encodable(f"{image}{split}"):
        return "not UTF-8 (a broken byte or a lone surrogate)"
    return None


def _sentence_fault(sentence: Any) -> str | None:
    if not isinstance(sentence, dict) or not isinstance(sentence.get("raw"), str):
        return "raw is missing, or not a string"
    sentid = sentence.get("sentid")
    if isinstance(sentid, bool) or not isinstance(sentid, int | str | None):
        return "sentid is neither a number nor a string"
    if not encodable(f"{sentence['raw']}{sentid}"):
        return "not UTF-8 (a broken byte or a lone surrogate)"
    return None


def reading(part: Part) -> Reading:
    """Return the keys of an image."""
    places = {"image": str(part.options.get("image_key", "filename")), "caption": "raw of sentences"}
    return Reading(places | {"slot": "the order of sentid", "split": "split"})


FORMAT = Format("karpathy", recognizes, read, reading=reading, media_type="application/json", split_by_name=True)
